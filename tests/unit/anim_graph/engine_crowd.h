// Avatars that live as in a long-running server, on a fake clock: some idle, some are always spoken
// to, some have requests and pulls that come and go in every way there is.
#ifndef POSEWIRE_TESTS_UNIT_ANIM_GRAPH_ENGINE_CROWD_H_
#define POSEWIRE_TESTS_UNIT_ANIM_GRAPH_ENGINE_CROWD_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {

// A consumer that holds the last two frames, as a connection does that is written to.
class HoldingSink : public FrameSink {
 public:
  Offered Offer(const wire::EncodedFrame& frame, double) override {
    if (full) return Offered::kFull;
    held_[static_cast<size_t>(frames++ % 2)] = frame;
    return Offered::kTaken;
  }
  void Finish(const absl::Status&) override {
    finished = true;
    held_ = {};
  }
  bool full = false, finished = false;
  int64_t frames = 0;

 private:
  std::array<wire::EncodedFrame, 2> held_;
};

class DeafPeer : public PushPeer {
 public:
  void ReadOn() override {}
  void Finish(const PushAnswer&) override { finished = true; }
  bool finished = false;
};

// Whole poses of the rig and 16 kHz of voice, 30 keys a second; made once, given out with new
// codes.
class Performance {
 public:
  explicit Performance(const skel::Rig& rig) {
    const auto joints = rig.joint_paths();
    header_.source_service_id = "test";
    header_.audio_rate_hz = kRate_hz;
    header_.joints.assign(joints.begin(), joints.end());
    header_.shapes.assign(rig.shape_names().begin(), rig.shape_names().end());
    for (size_t k = 0; k < chunks_.size(); ++k) Fill(rig, k);
  }
  wire::StreamHeader Header(const wire::StreamIds& ids) const {
    wire::StreamHeader header = header_;
    header.ids = ids;
    return header;
  }
  // Until the next call.
  const wire::DataChunk& Key(int64_t k, bool metadata) {
    wire::DataChunk& chunk = chunks_[static_cast<size_t>(k) % chunks_.size()];
    chunk.earliest_time_code_s = static_cast<double>(k) / 30;
    for (auto& block : chunk.pose) block.time_codes_s[0] = chunk.earliest_time_code_s;
    chunk.audio->time_code_s = static_cast<double>(k * kRate_hz / 30) / kRate_hz;
    chunk.metadata.clear();
    if (metadata) chunk.metadata.push_back({"mood", std::string(64, 'm')});
    return chunk;
  }

 private:
  static constexpr int kRate_hz = 16000;

  void Fill(const skel::Rig& rig, size_t k) {
    wire::DataChunk& chunk = chunks_[k];
    const float swing = std::sin(static_cast<float>(k) * 0.2f);
    const skel::PoseView rest = rig.rest();
    for (auto& block : chunk.pose) block.time_codes_s = {0};
    chunk.pose[wire::kWeights].width = rig.shapes();
    chunk.pose[wire::kWeights].values.assign(static_cast<size_t>(rig.shapes()),
                                             0.2f + 0.1f * swing);
    chunk.pose[wire::kTranslations].width = chunk.pose[wire::kScales].width = 3 * rig.joints();
    chunk.pose[wire::kRotations].width = 4 * rig.joints();
    const skel::Quat q = skel::FromAxisAngle({0, 1, 0}, 0.1f * swing);
    for (int j = 0; j < rig.joints(); ++j) {
      const skel::Vec3 t = rest.translation(j);
      for (float v : {t.x, t.y, t.z}) chunk.pose[wire::kTranslations].values.push_back(v);
      for (float v : {q.w, q.x, q.y, q.z}) chunk.pose[wire::kRotations].values.push_back(v);
      for (float v : {1.0f, 1.0f, 1.0f}) chunk.pose[wire::kScales].values.push_back(v);
    }
    chunk.audio.emplace();
    const auto n = static_cast<int64_t>(k);
    for (int64_t i = n * kRate_hz / 30; i < (n + 1) * kRate_hz / 30; ++i) {
      chunk.audio->samples.push_back(Harness::SampleAt(i));
    }
  }

  wire::StreamHeader header_;
  std::array<wire::DataChunk, 30> chunks_;
};

// One push at a time, a lead of nine keys ahead of its playback.
class Source {
 public:
  Source(Harness* h, Performance* performance) : h_(*h), performance_(*performance) {}

  bool Open(const wire::StreamIds& ids, const PushCallOptions& options = {}) {
    if (!options.resume) key_ = 0;
    peer_ = {};
    auto opened = h_.engine->OpenPush(performance_.Header(ids), options, &peer_, h_.now);
    open_ = opened.ok();
    if (open_) push_ = opened->call;
    if (open_ && !options.resume) Give(9);
    return open_;
  }
  void Give(int keys) {
    for (; open_ && !peer_.finished && keys > 0; --keys, ++key_) {
      const bool metadata = metadata_every > 0 && key_ % metadata_every == 0;
      h_.engine->Offer(push_, performance_.Key(key_, metadata), h_.now);
    }
  }
  void End(PushEnd end) {
    if (std::exchange(open_, false) && !peer_.finished) h_.engine->EndPush(push_, end, h_.now);
  }
  bool open() const { return open_ && !peer_.finished; }

  int metadata_every = 0;

 private:
  Harness& h_;
  Performance& performance_;
  DeafPeer peer_;
  uint64_t push_ = 0;
  bool open_ = false;
  int64_t key_ = 0;
};

// A pull that may be opened again.
class Consumer {
 public:
  explicit Consumer(Harness* h) : h_(*h) {}

  bool Open(const wire::StreamIds& ids, const std::string& rig = "") {
    sink.full = sink.finished = false;
    auto opened = h_.engine->OpenPull({"", ids, "test"}, {rig}, &sink, h_.now);
    if (opened.ok()) pull_ = *opened;
    return opened.ok();
  }
  void Close() { h_.engine->ClosePull(pull_, h_.now); }

  HoldingSink sink;

 private:
  Harness& h_;
  uint64_t pull_ = 0;
};

// What one avatar lives through: asked once a tick.
class Actor {
 public:
  virtual ~Actor() = default;
  virtual void Step(int64_t tick) = 0;
};

class IdleActor : public Actor {
 public:
  IdleActor(Harness* h, const std::string& stream) : pull_(h) { pull_.Open({"", stream, ""}); }
  void Step(int64_t) override {}
  const HoldingSink& sink() const { return pull_.sink; }

 private:
  Consumer pull_;
};

// One request without end.
class SpokenActor : public Actor {
 public:
  SpokenActor(Harness* h, Performance* p, const std::string& stream, Mode mode, int metadata_every)
      : pull_(h), push_(h, p) {
    pull_.Open({"", stream, ""});
    push_.metadata_every = metadata_every;
    PushCallOptions options;
    options.mode = mode;
    push_.Open({"endless", stream, ""}, options);
  }
  void Step(int64_t) override { push_.Give(1); }
  const HoldingSink& sink() const { return pull_.sink; }

 private:
  Consumer pull_;
  Source push_;
};

// A request every five seconds, which ends in one of six ways; pulls that come and go.
class RestlessActor : public Actor {
 public:
  RestlessActor(Harness* h, Performance* p, const std::string& stream, int64_t phase)
      : h_(*h), stream_(stream), phase_(phase), pull_(h), window_(h), push_(h, p), other_(h, p) {
    push_.metadata_every = 3;
    pull_.Open({"", stream, ""});
  }
  void Step(int64_t tick) override {
    const int64_t round = (tick + phase_) / kPeriod, at = (tick + phase_) % kPeriod;
    if (at == 0) Begin(round);
    push_.Give(1);
    other_.Give(1);
    if (at == 30) window_.Open({Id(round), stream_, ""}, round % 2 == 0 ? "ace_biped" : "");
    if (at == 60) End(round);
    if (at == 75 && round % kWays == 4) {
      PushCallOptions resume;
      resume.resume = true;
      push_.Open({Id(round), stream_, ""}, resume);
    }
    if (at == 100) other_.End(PushEnd::kHalfClosed);
    if (at == 120 && round % kWays != 2) push_.End(PushEnd::kHalfClosed);
    if (at == 130) window_.Close();
  }

 private:
  static constexpr int64_t kPeriod = 150, kWays = 6;

  std::string Id(int64_t round) const {
    return round % kWays == 0 ? "again" : absl::StrCat("r", round);
  }
  void Begin(int64_t round) {
    if (round % 7 == 0) {
      pull_.Close();
      pull_.Open({"", stream_, ""}, round % 2 == 0 ? "" : "ace_biped");
    }
    if (round % 11 == 0) pull_.sink.full = true;
    if (pull_.sink.finished) pull_.Open({"", stream_, ""});
    h_.engine->control()
        .SetGesture(stream_, "", round % 2 == 0 ? "wave" : "nod", h_.now)
        .status()
        .IgnoreError();
    h_.engine->control()
        .PlaceAvatar(stream_, "", {0.1f * static_cast<float>(round % 9), 0, 0})
        .IgnoreError();
    h_.engine->control()
        .SetUser(stream_, {absl::StrCat("user", round % 20), {}}, h_.now)
        .IgnoreError();
    PushCallOptions options;
    options.policy = Policy::kInterrupt;
    push_.Open({Id(round), stream_, ""}, round % kWays == 3 ? options : PushCallOptions{});
  }
  void End(int64_t round) {
    switch (round % kWays) {
      case 0:  // pushed anew under its id while its rest plays
        push_.End(PushEnd::kHalfClosed);
        other_.Open({Id(round), stream_, ""});
        break;
      case 1:
        h_.engine->StopRequest(stream_, Id(round), h_.now).IgnoreError();
        break;
      case 2:  // goes on until the next interrupts it
        break;
      case 3:
      case 4:  // resumed a little later
        push_.End(PushEnd::kCancelled);
        break;
      case 5:
        push_.End(PushEnd::kFault);
        break;
    }
  }

  Harness& h_;
  const std::string stream_;
  const int64_t phase_;
  Consumer pull_, window_;
  Source push_, other_;
};

// A stream of a new name every ten seconds; some are removed, some left to themselves.
class PassingActor : public Actor {
 public:
  PassingActor(Harness* h, Performance* p, const std::string& name)
      : h_(*h), name_(name), pull_(h), push_(h, p) {}
  void Step(int64_t tick) override {
    const int64_t round = tick / kPeriod, at = tick % kPeriod;
    const std::string stream = absl::StrCat(name_, round);
    if (at == 0) {
      pull_.Open({"", stream, ""});
      push_.Open({"hello", stream, "someone"});
    }
    push_.Give(1);
    if (at == 200) push_.End(PushEnd::kHalfClosed);
    if (at == 280) pull_.Close();
    if (at == 290 && round % 2 == 0) h_.engine->RemoveStream(stream, h_.now).IgnoreError();
  }

 private:
  static constexpr int64_t kPeriod = 300;
  Harness& h_;
  const std::string name_;
  Consumer pull_;
  Source push_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_TESTS_UNIT_ANIM_GRAPH_ENGINE_CROWD_H_
