// A bare relay of animation data streams.
#ifndef POSEWIRE_TESTS_BENCH_RELAY_RELAY_H_
#define POSEWIRE_TESTS_BENCH_RELAY_RELAY_H_

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/async_generic_service.h"
#include "tools/loadgen/push_message.h"

namespace posewire::bench {

class RelayCall;

// Calls are told apart by the method's name, streams by metadata x-stream-id. One pull a stream.
// All is done on the thread that runs it, by one completion queue whose deadline is the ticker:
// what anim_graph does, without the work.
class Relay {
 public:
  // Idle: every pull gets frames from the ticker; what is pushed is dropped. `service` is
  // registered with a server, whose queue `queue` is; both outlive this.
  Relay(bool idle, loadgen::PushMessage message, grpc::AsyncGenericService* service,
        grpc::ServerCompletionQueue* queue);
  ~Relay();

  // Serves until the queue is shut down.
  void Run();

  // For the calls.
  RelayCall* FindPull(const std::string& stream_id) const;
  void AddPull(const std::string& stream_id, RelayCall* pull);
  void RemovePull(const std::string& stream_id, const RelayCall* pull);
  // The next call, whenever it comes.
  void AwaitCall();
  grpc::ByteBuffer Header() const;
  // Of those under way. On any thread.
  int calls() const { return calls_; }
  void CountCall(int n) { calls_ += n; }
  bool idle() const { return idle_; }
  grpc::AsyncGenericService* service() const { return service_; }
  grpc::ServerCompletionQueue* queue() const { return queue_; }

 private:
  static constexpr int kSlots = 16;  // of a frame
  std::chrono::system_clock::time_point NextWake() const;
  void Tick();

  const bool idle_;
  loadgen::PushMessage message_;
  grpc::AsyncGenericService* const service_;
  grpc::ServerCompletionQueue* const queue_;
  const std::chrono::system_clock::time_point start_;
  std::map<std::string, RelayCall*> pulls_;  // by stream
  std::array<std::vector<RelayCall*>, kSlots> by_slot_;
  std::atomic<int> calls_{0};
  size_t opened_ = 0;
  int64_t slot_ = 0;  // the next to come
};

}  // namespace posewire::bench

#endif  // POSEWIRE_TESTS_BENCH_RELAY_RELAY_H_
