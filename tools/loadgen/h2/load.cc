#include "tools/loadgen/h2/load.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nvidia_ace.animation_id.v1.pb.h"
#include "tools/loadgen/h2/connection.h"
#include "tools/loadgen/h2/poller.h"
#include "tools/loadgen/h2/streams.h"
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

// A call is opened no sooner after the one before, so that avatars spread over the server's slots
// and a busy server has time for each.
constexpr auto kBetweenCalls = std::chrono::milliseconds(2);
constexpr auto kMargin = std::chrono::milliseconds(200);
constexpr auto kPatience = std::chrono::seconds(20);

// A server that is driven twice must not take the second run for the first.
std::string StreamId(int i) { return absl::StrCat("load-", getpid(), "-", i); }

class Load {
 public:
  Load(const LoadOptions& options, PushMessage message)
      : options_(options), message_(std::move(message)) {}

  absl::StatusOr<LoadResult> Run();

 private:
  absl::StatusOr<Connection*> ConnectionFor(size_t call);
  absl::Status Open();
  absl::Status OpenPulls();
  absl::Status AwaitHeaders();
  absl::Status OpenPushes();
  void SendUntil(steady_clock::time_point until);
  void SendSlot();
  void End();
  LoadResult Collect() const;

  const LoadOptions options_;
  PushMessage message_;
  Phase phase_ = Phase::kWarmingUp;
  std::vector<std::unique_ptr<LoadPush>> pushes_;
  std::vector<std::unique_ptr<LoadPull>> pulls_;
  std::vector<Connection*> of_push_, of_pull_;  // by call
  std::vector<std::unique_ptr<Connection>> connections_;
  Poller poller_;
  steady_clock::time_point first_slot_;
  int64_t slot_ = 0;
  int64_t frame_made_ = -1;
  FramedMessage frame_;
};

absl::StatusOr<Connection*> Load::ConnectionFor(size_t call) {
  if (call % static_cast<size_t>(options_.streams_per_channel) == 0) {
    auto opened = Connection::Open(options_.to);
    if (!opened.ok()) return opened.status();
    connections_.push_back(*std::move(opened));
    Connection* const connection = connections_.back().get();
    poller_.Add(connection);
    const auto until = steady_clock::now() + kPatience;
    // Its calls fail when it breaks before.
    while (!connection->settled() && !connection->broken() && steady_clock::now() < until) {
      poller_.RunUntil(steady_clock::now() + kBetweenCalls);
    }
  }
  return connections_.back().get();
}

absl::Status Load::OpenPulls() {
  for (int i = 0; i < options_.pulls; ++i) {
    nvidia_ace::animation_id::v1::AnimationIds ids;
    ids.set_stream_id(StreamId(i));
    for (int copy = 0; copy < options_.pulls_of_each; ++copy) {
      const auto connection = ConnectionFor(pulls_.size());
      if (!connection.ok()) return connection.status();
      pulls_.push_back(std::make_unique<LoadPull>(phase_));
      of_pull_.push_back(*connection);
      Connection::Metadata metadata = {{"x-stream-id", StreamId(i)}};
      if (options_.sparse != "0") metadata.emplace_back("x-posewire-sparse", options_.sparse);
      (*connection)->Start(kPullMethod, metadata, pulls_.back().get());
      (*connection)->Send(pulls_.back().get(), Frame(ids.SerializeAsString()), true);
      (*connection)->Flush();
    }
    poller_.RunUntil(steady_clock::now() + kBetweenCalls);
  }
  return absl::OkStatus();
}

absl::Status Load::AwaitHeaders() {
  const auto until = steady_clock::now() + kPatience;
  size_t answered = 0;
  for (const auto& pull : pulls_) {
    while (!pull->header_seen() && !pull->over() && steady_clock::now() < until) {
      poller_.RunUntil(steady_clock::now() + std::chrono::milliseconds(5));
    }
    if (!pull->header_seen()) pull->Fail("a pull got no header");
    answered += pull->header_seen();
  }
  if (answered > 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("no pull got a header: ", *pulls_[0]->failure()));
}

absl::Status Load::OpenPushes() {
  // Nothing waits for a connection once the first push has begun.
  for (int i = 0; i < options_.pushes; ++i) {
    const auto connection = ConnectionFor(of_push_.size());
    if (!connection.ok()) return connection.status();
    of_push_.push_back(*connection);
  }
  // The first frames go out when all pushes are open.
  const auto opening = options_.pushes * kBetweenCalls + kMargin;
  const double epoch_s =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch() + opening)
          .count();
  first_slot_ = steady_clock::now() + opening;
  for (int i = 0; i < options_.pushes; ++i) {
    Connection* const connection = of_push_[static_cast<size_t>(i)];
    LoadPush* const push = pushes_.emplace_back(std::make_unique<LoadPush>(phase_)).get();
    Connection::Metadata metadata = {{"x-stream-id", StreamId(i)}};
    if (!options_.mode.empty()) metadata.emplace_back("x-posewire-mode", options_.mode);
    connection->Start(kPushMethod, metadata, push);
    // Push i sends its frame k in slot i of frame k.
    const double slot_s = static_cast<double>(i % kSlots) / (kSlots * kFps);
    connection->Send(push, Frame(message_.Header(StreamId(i), epoch_s + slot_s)));
    poller_.Flush(connection);
    poller_.RunUntil(steady_clock::now() + kBetweenCalls);
  }
  return absl::OkStatus();
}

// Pulls first, so that no request waits for one.
absl::Status Load::Open() {
  if (absl::Status s = OpenPulls(); !s.ok()) return s;
  if (absl::Status s = AwaitHeaders(); !s.ok()) return s;
  return OpenPushes();
}

// All pushes of a frame send the same bytes, and those on one connection go out together.
void Load::SendSlot() {
  if (frame_made_ != slot_ / kSlots) {
    frame_made_ = slot_ / kSlots;
    frame_ = Frame(message_.Frame(frame_made_));
  }
  for (auto i = static_cast<size_t>(slot_ % kSlots); i < pushes_.size(); i += kSlots) {
    pushes_[i]->NoteSend();
    of_push_[i]->Send(pushes_[i].get(), frame_);
    const size_t next = i + kSlots;
    if (next >= pushes_.size() || of_push_[next] != of_push_[i]) poller_.Flush(of_push_[i]);
  }
}

void Load::SendUntil(steady_clock::time_point until) {
  while (!pushes_.empty()) {
    const auto at = first_slot_ + std::chrono::nanoseconds(slot_ * 1'000'000'000 / (kSlots * kFps));
    if (at >= until) break;
    poller_.RunUntil(at);
    SendSlot();
    ++slot_;
  }
  poller_.RunUntil(until);
}

void Load::End() {
  phase_ = Phase::kEnding;
  for (size_t i = 0; i < pushes_.size(); ++i) of_push_[i]->Cancel(pushes_[i].get());
  for (size_t i = 0; i < pulls_.size(); ++i) of_pull_[i]->Cancel(pulls_[i].get());
  for (const auto& connection : connections_) connection->Flush();
}

absl::StatusOr<LoadResult> Load::Run() {
  if (absl::Status s = Open(); !s.ok()) return s;
  const auto seconds = [](double s) {
    return std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(s));
  };
  SendUntil(std::max(steady_clock::now(), first_slot_) + seconds(options_.warm_up_s));
  const auto stats = [](int pid) {
    const auto found = ReadProcessStats(pid);
    return found.ok() ? *found : ProcessStats{};
  };
  const ProcessStats server_before = stats(options_.pid), own_before = stats(getpid());
  const auto start = steady_clock::now();
  phase_ = Phase::kCounting;
  SendUntil(start + seconds(options_.seconds));
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
