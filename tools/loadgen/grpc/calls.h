// One push and one pull of a load, on gRPC's callback API with raw bytes.
#ifndef POSEWIRE_TOOLS_LOADGEN_GRPC_CALLS_H_
#define POSEWIRE_TOOLS_LOADGEN_GRPC_CALLS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/client_callback.h"
#include "tools/loadgen/grpc/load.h"
#include "tools/loadgen/numbered_voice.h"

namespace posewire::loadgen {

// Set by the thread that runs the load, read by all calls.
struct Phase {
  std::atomic<bool> counting{false};
  std::atomic<bool> ending{false};
};

// Waits for many calls.
class CallCount {
 public:
  void Done() { ++done_; }
  int done() const { return done_; }

 private:
  std::atomic<int> done_{0};
};

// What both kinds share. The call begins in Begin and is over when `done` has counted it; only then
// it may be destroyed.
class LoadCall : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  LoadCall(const std::shared_ptr<grpc::Channel>& channel, const char* method,
           const std::string& stream_id, const Phase& phase, CallCount& done);
  void AddMetadata(const std::string& key, const std::string& value) {
    context_.AddMetadata(key, value);
  }
  void Cancel() { context_.TryCancel(); }
  // How it ended, when it ended before the load did. After its end.
  const std::optional<std::string>& failure() const { return failure_; }

 protected:
  void Prepare();
  const Phase& phase_;
  grpc::ByteBuffer write_buffer_;
  grpc::ByteBuffer read_buffer_;

 private:
  void OnDone(const grpc::Status& status) override;

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  const char* method_;
  CallCount& done_;
  std::optional<std::string> failure_;
};

// Sends what it is given, in order. A message that comes while another is written waits.
class LoadPush final : public LoadCall {
 public:
  using LoadCall::LoadCall;
  void Begin(const std::string& header);
  void Send(const std::string& message);
  int64_t late() const { return late_; }

 private:
  void OnWriteDone(bool ok) override;
  void Write(grpc::ByteBuffer message);

  std::mutex mutex_;
  bool writing_ = false;
  bool broken_ = false;
  std::vector<grpc::ByteBuffer> waiting_;
  int64_t late_ = 0;
};

// Reads frames and notes them.
class LoadPull final : public LoadCall {
 public:
  using LoadCall::LoadCall;
  void Begin(const std::string& ids);
  bool header_seen() const { return header_seen_; }

  // After its end. Offsets are receive time - (epoch + code), in seconds, of what was counted.
  const std::vector<float>& offsets_s() const { return offsets_s_; }
  const VoiceListener& voice() const { return voice_; }
  int64_t missed_ticks() const { return missed_ticks_; }
  int64_t frames_without_pose() const { return without_pose_; }
  int64_t bytes() const { return bytes_; }

 private:
  void OnReadDone(bool ok) override;
  void OnMessage(absl::Span<const uint8_t> message, double wall_s);

  std::atomic<bool> header_seen_{false};
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
