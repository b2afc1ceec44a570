// An engine on a fake clock, with sources and sinks that the test plays itself.
#ifndef POSEWIRE_TESTS_UNIT_ANIM_GRAPH_ENGINE_HARNESS_H_
#define POSEWIRE_TESTS_UNIT_ANIM_GRAPH_ENGINE_HARNESS_H_

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libs/gesture_loader/gestures.h"
#include "libs/graph_loader/make_graph_asset.h"
#include "libs/wire/chunk.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "services/anim_graph/core/engine.h"

namespace posewire::anim_graph {

namespace pb = nvidia_ace::animation_data::v1;

// Joins the slices of a frame and parses them.
inline std::string Bytes(const wire::EncodedFrame& frame, bool without_pose = false) {
  std::string out;
  for (const auto& s : without_pose ? frame.WithoutPose() : frame.Whole()) {
    out.append(reinterpret_cast<const char*>(s.data()), s.size());
  }
  return out;
}

// A consumer that takes all, or only when told.
class FakeSink : public FrameSink {
 public:
  Offered Offer(const wire::EncodedFrame& frame, double) override {
    if (full) return Offered::kFull;
    raw.push_back(Bytes(frame));
    if (keep_parsed) {
      messages.emplace_back();
      if (!messages.back().ParseFromString(raw.back())) messages.back().Clear();
    }
    return Offered::kTaken;
  }
  void Finish(const absl::Status& status) override { finished = status; }

  std::vector<pb::AnimationData> data() const {
    std::vector<pb::AnimationData> out;
    for (const auto& m : messages) {
      if (m.has_animation_data()) out.push_back(m.animation_data());
    }
    return out;
  }
  std::vector<nvidia_ace::status::v1::Status> statuses() const {
    std::vector<nvidia_ace::status::v1::Status> out;
    for (const auto& m : messages) {
      if (m.has_status()) out.push_back(m.status());
    }
    return out;
  }
  const pb::AnimationDataStreamHeader& header() const {
    return messages.at(0).animation_data_stream_header();
  }
  std::vector<int16_t> audio() const {
    std::vector<int16_t> out;
    for (const auto& d : data()) {
      const std::string& b = d.audio().audio_buffer();
      const size_t n = out.size();
      out.resize(n + b.size() / 2);
      std::memcpy(out.data() + n, b.data(), b.size());
    }
    return out;
  }

  bool full = false;
  bool keep_parsed = true;
  std::vector<std::string> raw;
  std::vector<pb::AnimationDataStream> messages;
  std::optional<absl::Status> finished;
};

class FakePeer : public PushPeer {
 public:
  void ReadOn() override { ++read_on; }
  void Finish(const PushAnswer& answer) override { finished = answer; }
  int read_on = 0;
  std::optional<PushAnswer> finished;
};

struct HarnessSettings : EngineSettings {
  const char* graph = "default";
  std::shared_ptr<const clip::ClipLibrary> clips;  // null: none
};

class Harness {
 public:
  explicit Harness(HarnessSettings settings = Passthrough()) {
    parts.settings = std::make_shared<EngineSettings>(settings);
    parts.catalog = Catalog();
    rig = *parts.catalog->Find(settings.rig);
    parts.asset = graph::MakeBuiltinGraphAsset(settings.graph, rig, settings.clips).value();
    parts.capacity = std::make_shared<Capacity>(*parts.settings);
    now = {1'000'000'000, 1.7e9};
    engine = std::make_unique<Engine>(parts, now);
  }
  // Read once: under a sanitizer that takes longer than most tests.
  static std::shared_ptr<const skel::RigCatalog> Catalog() {
    static const auto& catalog = *new std::shared_ptr<const skel::RigCatalog>(
        std::make_shared<skel::RigCatalog>(*skel::RigCatalog::Builtin()));
    return catalog;
  }
  static HarnessSettings Passthrough() {
    HarnessSettings s;
    s.graph = "passthrough";
    return s;
  }

  static wire::StreamHeader Header(const std::string& request, const std::string& target = "") {
    wire::StreamHeader h;
    h.ids = {request, "stream", target};
    h.source_service_id = "test";
    h.audio_rate_hz = 16000;
    h.shapes = {"jawOpen", "mouthFunnel"};
    h.joints = {"skullbase", "l_shoulder"};
    return h;
  }

  // A smooth, ever-changing performance at code t.
  static float JawAt(double t) { return static_cast<float>(0.4 + 0.3 * std::sin(3 * t)); }
  static skel::Quat HeadAt(double t) {
    return skel::FromAxisAngle({0, 1, 0}, static_cast<float>(0.5 * std::sin(2 * t)));
  }
  static int16_t SampleAt(int64_t n) { return static_cast<int16_t>((n * 7919) % 20011 - 10005); }

  // Keys first..last-1 at k/30, with their share of the audio (none when rate is 0).
  static wire::DataChunk Keys(int64_t first, int64_t last, int rate = 16000) {
    wire::DataChunk c;
    c.pose[wire::kWeights].width = 2;
    c.pose[wire::kRotations].width = 8;
    for (int64_t k = first; k < last; ++k) {
      const double t = static_cast<double>(k) / 30;
      c.pose[wire::kWeights].time_codes_s.push_back(t);
      for (float v : {JawAt(t), 0.25f}) c.pose[wire::kWeights].values.push_back(v);
      const skel::Quat q = HeadAt(t);
      c.pose[wire::kRotations].time_codes_s.push_back(t);
      for (float v : {q.w, q.x, q.y, q.z, 1.0f, 0.0f, 0.0f, 0.0f}) {
        c.pose[wire::kRotations].values.push_back(v);
      }
    }
    c.earliest_time_code_s = static_cast<double>(first) / 30;
    if (rate > 0) {
      const int64_t begin = first * rate / 30;
      wire::AudioBuffer audio;
      audio.time_code_s = static_cast<double>(begin) / rate;
      for (int64_t n = begin; n < last * rate / 30; ++n) audio.samples.push_back(SampleAt(n));
      c.audio = std::move(audio);
    }
    return c;
  }

  CallContext Context(const wire::StreamIds& ids) const { return {"", ids, "test"}; }

  absl::StatusOr<PushOpened> Push(const wire::StreamHeader& h, FakePeer* peer,
                                  const PushCallOptions& options = {}) {
    return engine->OpenPush(h, options, peer, now);
  }
  absl::StatusOr<uint64_t> Pull(FakeSink* sink, const std::string& request = "",
                                const std::string& target = "", const std::string& rig = "") {
    return engine->OpenPull(Context({request, "stream", target}), {rig}, sink, now);
  }

  // Lets time pass, waking the engine when it asks for it.
  void Run(double seconds) {
    const int64_t end = now.ns + static_cast<int64_t>(std::llround(seconds * 1e9));
    while (engine->NextWake() <= end) {
      Set(std::max(now.ns, engine->NextWake()));
      engine->Advance(now);
    }
    Set(end);
  }
  // The process stands still.
  void Freeze(double seconds) { Set(now.ns + static_cast<int64_t>(seconds * 1e9)); }
  void Set(int64_t ns) {
    now.unix_s += static_cast<double>(ns - now.ns) * 1e-9;
    now.ns = ns;
  }

  EngineParts parts;
  std::shared_ptr<const skel::Rig> rig;
  Now now;
  std::unique_ptr<Engine> engine;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_TESTS_UNIT_ANIM_GRAPH_ENGINE_HARNESS_H_
