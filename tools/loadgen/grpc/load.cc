#include "tools/loadgen/grpc/load.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "grpc/support/time.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"
#include "grpcpp/support/slice.h"
#include "nvidia_ace.animation_id.v1.pb.h"
#include "tools/loadgen/grpc/calls.h"
#include "tools/loadgen/process_stats.h"
#include "tools/loadgen/push_message.h"

namespace posewire::loadgen {
namespace {

using std::chrono::steady_clock;

constexpr char kPushMethod[] =
    "/nvidia_ace.services.animation_data.v1.AnimationDataService/PushAnimationDataStream";
constexpr char kPullMethod[] =
    "/nvidia_ace.services.animation_data.v1.AnimationDataService/PullAnimationDataStream";
constexpr int kSlots = 16;  // of a frame, on which pushes are sent
constexpr int kFps = 30;

// Calls are opened over this time each, so that avatars spread over the server's slots.
constexpr auto kBetweenCalls = std::chrono::milliseconds(2);
constexpr auto kPatience = std::chrono::seconds(10);

// A server that is driven twice must not take the second run for the first.
std::string StreamId(int i) { return absl::StrCat("load-", getpid(), "-", i); }

class Load {
 public:
  explicit Load(const LoadOptions& options, PushMessage message)
      : options_(options), message_(std::move(message)) {
    receiver_ = std::thread([this] {
      void* tag = nullptr;
      bool ok = false;
      while (pull_queue_.Next(&tag, &ok)) LoadCall::React(tag, ok);
    });
  }
  ~Load() { End(); }

  absl::StatusOr<LoadResult> Run();

 private:
  std::shared_ptr<grpc::Channel> ChannelFor(size_t call);
  absl::Status Open();
  void OpenPulls();
  void OpenPushes();
  // What has come of the pushes so far. Waits for nothing.
  void ReactToPushes();
  void SendUntil(steady_clock::time_point until);
  void SendSlot();
  void End();
  LoadResult Collect() const;

  const LoadOptions options_;
  PushMessage message_;
  Phase phase_;
  std::vector<std::shared_ptr<grpc::Channel>> channels_;
  grpc::CompletionQueue push_queue_;
  grpc::CompletionQueue pull_queue_;
  std::vector<std::unique_ptr<LoadPush>> pushes_;  // of the thread that runs the load
  std::vector<std::unique_ptr<LoadPull>> pulls_;   // of the receiver
  std::thread receiver_;
  bool ended_ = false;
  steady_clock::time_point first_slot_;
  int64_t slot_ = 0;
  int64_t frame_made_ = -1;
  grpc::Slice frame_;
};

std::shared_ptr<grpc::Channel> Load::ChannelFor(size_t call) {
  if (call % static_cast<size_t>(options_.streams_per_channel) == 0) {
    grpc::ChannelArguments args;
    args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    channels_.push_back(
        grpc::CreateCustomChannel(options_.to, grpc::InsecureChannelCredentials(), args));
  }
  return channels_.back();
}

void Load::OpenPulls() {
  for (int i = 0; i < options_.pulls; ++i) {
    nvidia_ace::animation_id::v1::AnimationIds ids;
    ids.set_stream_id(StreamId(i));
    for (int copy = 0; copy < options_.pulls_of_each; ++copy) {
      pulls_.push_back(std::make_unique<LoadPull>(ChannelFor(pulls_.size()), kPullMethod,
                                                  StreamId(i), phase_, pull_queue_));
      pulls_.back()->Begin(ids.SerializeAsString());
    }
    std::this_thread::sleep_for(kBetweenCalls);
  }
}

void Load::OpenPushes() {
  const double epoch_s =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  first_slot_ = steady_clock::now();
  for (int i = 0; i < options_.pushes; ++i) {
    pushes_.push_back(std::make_unique<LoadPush>(ChannelFor(pushes_.size()), kPushMethod,
                                                 StreamId(i), phase_, push_queue_));
    if (!options_.mode.empty()) pushes_.back()->AddMetadata("x-posewire-mode", options_.mode);
    // Push i sends its frame k in slot i of frame k.
    pushes_.back()->Begin(
        message_.Header(StreamId(i), epoch_s + static_cast<double>(i % kSlots) / (kSlots * kFps)));
  }
}

// Pulls first, so that no request waits for one.
absl::Status Load::Open() {
  OpenPulls();
  const auto until = steady_clock::now() + kPatience;
  for (const auto& pull : pulls_) {
    while (!pull->header_seen()) {
      if (steady_clock::now() > until) return absl::UnavailableError("a pull got no header");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  OpenPushes();
  return absl::OkStatus();
}

void Load::ReactToPushes() {
  void* tag = nullptr;
  bool ok = false;
  const gpr_timespec now = gpr_time_0(GPR_CLOCK_MONOTONIC);
  while (push_queue_.AsyncNext(&tag, &ok, now) == grpc::CompletionQueue::GOT_EVENT) {
    LoadCall::React(tag, ok);
  }
}

// All pushes of a frame send the same bytes.
void Load::SendSlot() {
  const auto phase = static_cast<size_t>(slot_ % kSlots);
  if (frame_made_ != slot_ / kSlots) {
    frame_made_ = slot_ / kSlots;
    frame_ = grpc::Slice(message_.Frame(frame_made_));
  }
  for (size_t i = phase; i < pushes_.size(); i += kSlots) pushes_[i]->Send(frame_);
  ReactToPushes();
}

void Load::SendUntil(steady_clock::time_point until) {
  while (true) {
    const auto at = first_slot_ + std::chrono::nanoseconds(slot_ * 1'000'000'000 / (kSlots * kFps));
    if (at >= until || pushes_.empty()) break;
    std::this_thread::sleep_until(at);
    SendSlot();
    ++slot_;
  }
  std::this_thread::sleep_until(until);
}

void Load::End() {
  if (std::exchange(ended_, true)) return;
  phase_.ending = true;
  ReactToPushes();
  for (const auto& p : pushes_) p->End();
  for (const auto& p : pulls_) p->Cancel();
  const auto over = [](const auto& calls) {
    return std::all_of(calls.begin(), calls.end(), [](const auto& call) { return call->over(); });
  };
  while (!over(pushes_) || !over(pulls_)) {
    ReactToPushes();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  pull_queue_.Shutdown();
  receiver_.join();
  push_queue_.Shutdown();
  ReactToPushes();
}

absl::StatusOr<LoadResult> Load::Run() {
  if (absl::Status s = Open(); !s.ok()) return s;
  const auto seconds = [](double s) {
    return std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(s));
  };
  SendUntil(steady_clock::now() + seconds(options_.warm_up_s));
  const auto stats = [](int pid) {
    const auto found = ReadProcessStats(pid);
    return found.ok() ? *found : ProcessStats{};
  };
  const ProcessStats server_before = stats(options_.pid), own_before = stats(getpid());
  const auto start = steady_clock::now();
  phase_.counting = true;
  SendUntil(start + seconds(options_.seconds));
  phase_.counting = false;
  const double counted_s = std::chrono::duration<double>(steady_clock::now() - start).count();
  const ProcessStats server = stats(options_.pid), own = stats(getpid());
  End();

  LoadResult result = Collect();
  result.counted_s = counted_s;
  result.expected_frames =
      static_cast<int64_t>(counted_s * kFps * options_.pulls * options_.pulls_of_each);
  result.server_cpu_s = server.cpu_s - server_before.cpu_s;
  result.server_resident_bytes = server.resident_bytes;
  result.own_cpu_s = own.cpu_s - own_before.cpu_s;
  return result;
}

LoadResult Load::Collect() const {
  LoadResult result;
  const auto note = [&result](const LoadCall& call) {
    if (!call.failure()) return;
    if (result.failed_calls++ == 0) result.first_failure = *call.failure();
  };
  float least_s = std::numeric_limits<float>::infinity();
  for (const auto& pull : pulls_) {
    for (float offset_s : pull->offsets_s()) least_s = std::min(least_s, offset_s);
  }
  for (const auto& pull : pulls_) {
    for (float offset_s : pull->offsets_s()) {
      result.lateness.AddSeconds(static_cast<double>(offset_s) - least_s);
    }
    result.missed_ticks += pull->missed_ticks();
    result.frames_without_pose += pull->frames_without_pose();
    result.bytes += pull->bytes();
    result.voice_breaks += pull->voice().breaks();
    result.silent_samples += pull->voice().silent();
    result.spoken_samples += pull->voice().spoken();
    note(*pull);
  }
  for (const auto& push : pushes_) {
    result.late_pushes += push->late();
    note(*push);
  }
  result.frames = result.lateness.count();
  return result;
}

}  // namespace

absl::StatusOr<LoadResult> RunLoad(const LoadOptions& options) {
  auto message = PushMessage::Make();
  if (!message.ok()) return message.status();
  Load load(options, *std::move(message));
  return load.Run();
}

}  // namespace posewire::loadgen
