#include "tests/bench/live_latency.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <thread>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/client/pull_client.h"
#include "libs/client/push_client.h"
#include "libs/skel/rig.h"
#include "libs/wire/message.h"
#include "tools/loadgen/histogram.h"

namespace posewire::bench {
namespace {

constexpr double kKeysPerSecond = 29.4;
constexpr double kWarmUp_s = 1;
constexpr char kStream[] = "live-latency";
// Says a key's number in steps that a float holds exactly. No other node touches it.
constexpr char kMarker[] = "noseSneerLeft";
constexpr double kMarkerStep = 1.0 / 65536;

double WallSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

wire::StreamHeader MakeHeader(const skel::Rig& rig) {
  wire::StreamHeader header;
  header.ids.stream_id = kStream;
  header.ids.request_id = "live";
  header.source_service_id = "bench";
  header.shapes.assign(rig.shape_names().begin(), rig.shape_names().end());
  header.joints.assign(rig.joint_paths().begin(), rig.joint_paths().end());
  return header;
}

// A full pose with one key in each track.
wire::DataChunk MakePose(const skel::Rig& rig) {
  wire::DataChunk data;
  wire::KeyBlock* tracks = data.pose;
  tracks[wire::kWeights].values.assign(static_cast<size_t>(rig.shapes()), 0.25f);
  for (int j = 0; j < rig.joints(); ++j) {
    const auto add = [&](wire::PoseTrack track, std::initializer_list<float> value) {
      tracks[track].values.insert(tracks[track].values.end(), value);
    };
    add(wire::kTranslations, {rig.rest().tx[j], rig.rest().ty[j], rig.rest().tz[j]});
    add(wire::kRotations, {0.995f, 0.0998f, 0, 0});
    add(wire::kScales, {1, 1, 1});
  }
  for (wire::KeyBlock& track : data.pose) track.width = static_cast<int>(track.values.size());
  return data;
}

void SetKey(double time_code_s, int marker, int number, wire::DataChunk& data) {
  for (wire::KeyBlock& track : data.pose) track.time_codes_s = {time_code_s};
  data.pose[wire::kWeights].values[static_cast<size_t>(marker)] =
      static_cast<float>(number * kMarkerStep);
}

// Reads frames and pairs them with the keys that they show.
class Watcher {
 public:
  Watcher(const LatencyOptions& options, int marker, int first_counted, size_t keys)
      : marker_(marker), first_counted_(first_counted), sent_s_(keys), pull_(PullOf(options)) {
    thread_ = std::thread([this] { Run(); });
  }
  ~Watcher() { Stop(); }

  // A pull by stream is bound to the avatar before anything is pushed.
  bool AwaitHeader() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!header_seen_ && !over_ && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return header_seen_;
  }
  void Sending(int number) { sent_s_[static_cast<size_t>(number)] = client::SteadySeconds(); }
  void Stop() {
    pull_.Cancel();
    if (thread_.joinable()) thread_.join();
  }

  // After Stop.
  const loadgen::Histogram& latency() const { return latency_; }
  const loadgen::Histogram& tick_to_arrival() const { return tick_to_arrival_; }

 private:
  static client::PullOptions PullOf(const LatencyOptions& options) {
    client::PullOptions pull;
    pull.connection.address = options.address;
    pull.ids.stream_id = kStream;
    return pull;
  }

  void Run() {
    client::PullEvent event;
    while (pull_.Next(-1, &event) && event.kind != client::PullEvent::kEnd) {
      if (event.kind == client::PullEvent::kHeader) {
        epoch_s_ = std::get<wire::StreamHeader>(event.message.chunk).epoch_s;
        header_seen_ = true;
      } else if (event.kind == client::PullEvent::kData) {
        OnFrame(event);
      }
    }
    over_ = true;
  }

  void OnFrame(const client::PullEvent& event) {
    const auto& data = std::get<wire::DataChunk>(event.message.chunk);
    const wire::KeyBlock& weights = data.pose[wire::kWeights];
    if (weights.empty() || weights.width <= marker_) return;
    const double said = weights.key(0)[static_cast<size_t>(marker_)] / kMarkerStep;
    const int number = static_cast<int>(std::lround(said));
    // While a transition eases, the weight is no key's.
    if (std::fabs(said - number) > 1e-3 || number <= newest_) return;
    newest_ = number;
    if (number < first_counted_ || static_cast<size_t>(number) >= sent_s_.size()) return;
    const double sent_s = sent_s_[static_cast<size_t>(number)];
    if (sent_s == 0) return;
    latency_.AddSeconds(event.receive_time_s - sent_s);
    const double wall_s = WallSeconds() - client::SteadySeconds() + event.receive_time_s;
    tick_to_arrival_.AddSeconds(wall_s - (epoch_s_ + weights.time_codes_s[0]));
  }

  const int marker_;
  const int first_counted_;
  std::vector<std::atomic<double>> sent_s_;
  client::PullClient pull_;
  std::atomic<bool> header_seen_ = false;
  std::atomic<bool> over_ = false;
  // Of the thread.
  double epoch_s_ = 0;
  int newest_ = 0;
  loadgen::Histogram latency_;
  loadgen::Histogram tick_to_arrival_;
  std::thread thread_;
};

absl::Status PushKeys(const LatencyOptions& options, const skel::Rig& rig, int marker, int keys,
                      Watcher& watcher) {
  client::PushOptions push_options;
  push_options.connection.address = options.address;
  push_options.mode = "live";
  client::PushClient push(push_options, MakeHeader(rig));
  wire::DataChunk data = MakePose(rig);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 1; i < keys; ++i) {
    const double time_code_s = i / kKeysPerSecond;
    std::this_thread::sleep_until(start + std::chrono::duration<double>(time_code_s));
    SetKey(time_code_s, marker, i, data);
    watcher.Sending(i);
    const absl::StatusOr<bool> sent = push.Send(wire::MakeMessage(data));
    if (!sent.ok()) return sent.status();
    if (!*sent) return absl::InternalError("the server ended the push");
  }
  // The last key is to be seen before the end of the request moves the pose.
  std::this_thread::sleep_for(std::chrono::milliseconds(70));
  return push.Finish().status();
}

void AddPercentiles(const std::string& name, const loadgen::Histogram& h, Measures& measures) {
  measures.Add(name + "_p50", h.PercentileMs(50), "ms");
  measures.Add(name + "_p90", h.PercentileMs(90), "ms");
  measures.Add(name + "_p99", h.PercentileMs(99), "ms");
  measures.Add(name + "_max", h.PercentileMs(100), "ms");
}

}  // namespace

absl::Status MeasureLiveLatency(const LatencyOptions& options, Measures& measures) {
  auto catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return catalog.status();
  auto rig = catalog->Find("hanim_loa3");
  if (!rig.ok()) return rig.status();
  const int marker = (*rig)->FindShape(kMarker);
  if (marker < 0) return absl::InternalError(absl::StrCat("the rig has no shape ", kMarker));

  const int first_counted = static_cast<int>(kWarmUp_s * kKeysPerSecond) + 1;
  const int counted = static_cast<int>(std::lround(options.seconds * kKeysPerSecond));
  const int keys = first_counted + counted;
  Watcher watcher(options, marker, first_counted, static_cast<size_t>(keys));
  if (!watcher.AwaitHeader()) return absl::UnavailableError("the pull got no header");
  if (absl::Status s = PushKeys(options, **rig, marker, keys, watcher); !s.ok()) return s;
  watcher.Stop();

  const int64_t shown = watcher.latency().count();
  if (shown == 0) return absl::InternalError("no frame showed any key");
  AddPercentiles("live_latency", watcher.latency(), measures);
  AddPercentiles("live_tick_to_arrival", watcher.tick_to_arrival(), measures);
  measures.Add("live_keys", counted, "keys");
  measures.Add("live_keys_not_shown", static_cast<double>(counted - shown), "keys");
  return absl::OkStatus();
}

}  // namespace posewire::bench
