// One push and one pull of a load, on completion queues with raw bytes.
#ifndef POSEWIRE_TOOLS_LOADGEN_GRPC_CALLS_H_
#define POSEWIRE_TOOLS_LOADGEN_GRPC_CALLS_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "tools/loadgen/grpc/load.h"
#include "tools/loadgen/numbered_voice.h"

namespace posewire::loadgen {

// Set by the thread that runs the load, read by all calls.
struct Phase {
  std::atomic<bool> counting{false};
  std::atomic<bool> ending{false};
};

// One slice as a message; nothing is copied.
inline grpc::ByteBuffer Wrap(const grpc::Slice& message) { return {&message, 1}; }

// What both kinds share. A call belongs to the one thread that takes the events of its queue, which
// gives each event's tag to React. It may be destroyed when it is over.
class LoadCall {
 public:
  LoadCall(const std::shared_ptr<grpc::Channel>& channel, const char* method,
           const std::string& stream_id, const Phase& phase, grpc::CompletionQueue& queue);
  virtual ~LoadCall() = default;
  LoadCall(const LoadCall&) = delete;
  LoadCall& operator=(const LoadCall&) = delete;

  void AddMetadata(const std::string& key, const std::string& value) {
    context_.AddMetadata(key, value);
  }
  // Any thread.
  void Cancel() { context_.TryCancel(); }
  bool over() const { return over_; }
  // How it ended, when it ended before the load did. After its end.
  const std::optional<std::string>& failure() const { return failure_; }

  // An event that a queue of calls gave.
  static void React(void* tag, bool ok);

 protected:
  enum class Event { kStarted, kWritten, kRead, kFinished };
  struct Tag {
    LoadCall* call;
    Event event;
  };
  // Prepares the call with all its metadata and starts it.
  void Start();
  // Asks for the status, once.
  void AwaitStatus();

  const Phase& phase_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  Tag written_{this, Event::kWritten};
  Tag read_{this, Event::kRead};

 private:
  virtual void OnStarted() = 0;
  virtual void OnWritten(bool ok) = 0;
  virtual void OnRead(bool ok) = 0;
  void OnFinished();

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  const char* method_;
  grpc::CompletionQueue& queue_;
  grpc::Status status_;
  Tag started_{this, Event::kStarted};
  Tag finished_{this, Event::kFinished};
  bool finishing_ = false;
  std::atomic<bool> over_ = false;
  std::optional<std::string> failure_;
};

// Sends what it is given, in order. A message that comes while another is written waits.
class LoadPush final : public LoadCall {
 public:
  using LoadCall::LoadCall;
  void Begin(const std::string& header);
  void Send(const grpc::Slice& message);
  // Without a read or a write under way nothing else would tell that the call is over.
  void End();
  int64_t late() const { return late_; }

 private:
  void OnStarted() override;
  void OnWritten(bool ok) override;
  void OnRead(bool) override {}
  void WriteNext();

  bool writing_ = true;  // from the start on, which ends with the header's write
  bool broken_ = false;
  std::deque<grpc::ByteBuffer> waiting_;
  int64_t late_ = 0;
};

// Reads frames and notes them.
class LoadPull final : public LoadCall {
 public:
  using LoadCall::LoadCall;
  void Begin(const std::string& ids);
  // Any thread.
  bool header_seen() const { return header_seen_; }

  // After its end. Offsets are receive time - (epoch + code), in seconds, of what was counted.
  const std::vector<float>& offsets_s() const { return offsets_s_; }
  const VoiceListener& voice() const { return voice_; }
  int64_t missed_ticks() const { return missed_ticks_; }
  int64_t frames_without_pose() const { return without_pose_; }
  int64_t bytes() const { return bytes_; }

 private:
  void OnStarted() override;
  void OnWritten(bool) override {}
  void OnRead(bool ok) override;
  void OnMessage(absl::Span<const uint8_t> message, double wall_s);

  grpc::ByteBuffer ids_;
  grpc::ByteBuffer buffer_;
  std::vector<uint8_t> joined_;
  std::atomic<bool> header_seen_ = false;
  double epoch_s_ = 0;
  double last_code_s_ = -1;
  std::vector<float> offsets_s_;
  VoiceListener voice_;
  int64_t missed_ticks_ = 0;
  int64_t without_pose_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace posewire::loadgen

#endif  // POSEWIRE_TOOLS_LOADGEN_GRPC_CALLS_H_
