// A bare relay of animation data streams.
#ifndef POSEWIRE_TESTS_BENCH_RELAY_RELAY_H_
#define POSEWIRE_TESTS_BENCH_RELAY_RELAY_H_

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/support/byte_buffer.h"
#include "tools/loadgen/push_message.h"

namespace posewire::bench {

class RelayPull;

// Calls are told apart by the method's name, streams by metadata x-stream-id. One pull a stream.
class Relay final : public grpc::CallbackGenericService {
 public:
  // Idle: every pull gets frames from a ticker; what is pushed is dropped.
  Relay(bool idle, loadgen::PushMessage message);
  ~Relay() override;

  // Ends all pulls. No call is taken after it.
  void Stop();

  // For the calls.
  std::shared_ptr<RelayPull> FindPull(const std::string& stream_id);
  void RemovePull(const std::string& stream_id);
  bool idle() const { return idle_; }

 private:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;
  void RunTicker();

  const bool idle_;
  loadgen::PushMessage message_;  // its frames are the ticker's, its header is const
  const std::chrono::steady_clock::time_point start_;
  double epoch_s_ = 0;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<RelayPull>> pulls_;  // guarded by mutex_
  int next_slot_ = 0;                                        // guarded by mutex_
  std::thread ticker_;
};

}  // namespace posewire::bench

#endif  // POSEWIRE_TESTS_BENCH_RELAY_RELAY_H_
