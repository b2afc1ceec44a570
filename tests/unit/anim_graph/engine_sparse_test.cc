// Sparse pulls hold the pose of dense ones, within the tolerance, whatever is lost on the way.
#include <google/protobuf/any.pb.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "libs/gesture_loader/gestures.h"
#include "libs/stream/pull_queue.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/message.h"
#include "libs/wire/sparse_pose.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

using enum wire::PoseForm;

// A consumer that reads from a queue as a call does, when the test lets it, and completes frames as
// clients do.
class QueueSink : public FrameSink {
 public:
  explicit QueueSink(wire::PoseForm form) : form_(form) {}

  Offered Offer(const wire::EncodedFrame& frame, double now_s) override {
    if (!queue_.Offer(frame, now_s)) return Offered::kFull;
    return queue_.wants_complete() ? Offered::kBehind : Offered::kTaken;
  }
  void Finish(const absl::Status&) override {}

  void Drain(int messages) {
    for (; messages > 0; --messages) {
      const auto send = queue_.Next(0);
      if (!send) return;
      queue_.Written();
      Take(Bytes(send->frame, send->without_pose));
    }
  }

  std::map<int64_t, wire::DataChunk> frames;  // by tick
  int64_t bytes = 0;                          // without the voice
  int complete = 0, without_pose = 0;

 private:
  void Take(const std::string& message) {
    wire::Chunk chunk;
    const absl::Span<const uint8_t> slices[] = {
        {reinterpret_cast<const uint8_t*>(message.data()), message.size()}};
    ASSERT_TRUE(reader_.Read(slices, &chunk).ok());
    if (const auto* header = std::get_if<wire::StreamHeader>(&chunk)) completer_.Begin(*header);
    auto* const data = std::get_if<wire::DataChunk>(&chunk);
    if (data == nullptr) return;
    bytes += static_cast<int64_t>(message.size());
    if (data->audio) bytes -= static_cast<int64_t>(2 * data->audio->samples.size() + 15);
    if (!wire::HasPose(*data) && wire::FindMetadata(*data, wire::kQuantisedPoseKey) == nullptr) {
      ++without_pose;
      return;
    }
    if (form_ == wire::PoseForm::kComplete || !completer_.Complete(data)) ++complete;
    ASSERT_TRUE(wire::HasPose(*data)) << "a frame builds on one that was lost";
    const double t = data->pose[wire::kRotations].time_codes_s.at(0);
    frames[std::llround(t * 30)] = *data;
  }

  const wire::PoseForm form_;
  stream::PullQueue queue_;
  wire::FrameReader reader_{wire::ClientLimits()};
  wire::PoseCompleter completer_{form_};
};

class EngineSparse : public testing::Test {
 protected:
  static HarnessSettings Settings() {
    HarnessSettings settings;
    settings.clips = *gesture::MakeGestures(*skel::RigCatalog::Builtin()->Find("hanim_loa3"));
    settings.start_wait_s = 0;
    return settings;
  }
  uint64_t Open(QueueSink* sink, wire::PoseForm form, const std::string& rig = "",
                const std::string& request = "") {
    PullCallOptions options;
    options.rig = rig;
    options.form = form;
    const auto pull = h.engine->OpenPull(h.Context({request, "stream", ""}), options, sink, h.now);
    EXPECT_TRUE(pull.ok()) << pull.status();
    return pull.value_or(0);
  }
  void SetGesture(const char* name) {
    ASSERT_TRUE(h.engine->control().SetVariable("stream", "", "gesture_state", name, h.now).ok());
  }

  void Run(int ticks, const std::vector<QueueSink*>& sinks) {
    for (int tick = 0; tick < ticks; ++tick) {
      h.Run(1.0 / 30);
      for (QueueSink* sink : sinks) sink->Drain(1000);
    }
  }

  // By how much a joint's rotation may move the end of its chain, at most.
  static std::vector<double> Reaches(const skel::Rig& rig) {
    std::vector<double> reach(static_cast<size_t>(rig.joints()), wire::kSkin_m);
    for (int leaf = 0; leaf < rig.joints(); ++leaf) {
      double way = 0;
      for (int j = leaf; j >= 0; j = rig.topology().parent(j)) {
        auto& longest = reach[static_cast<size_t>(j)];
        longest = std::max(longest, way + wire::kSkin_m);
        const skel::Vec3 t = rig.rest().translation(j);
        way += std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
      }
    }
    return reach;
  }

  void ExpectClose(const wire::DataChunk& dense, const wire::DataChunk& sparse,
                   const std::vector<double>& reaches, int64_t tick) {
    constexpr double kRounding = 1e-6;
    const auto all = [&](wire::PoseTrack track, double tolerance) {
      const auto& a = dense.pose[track].values;
      const auto& b = sparse.pose[track].values;
      ASSERT_EQ(a.size(), b.size()) << "track " << track << ", tick " << tick;
      for (size_t i = 0; i < a.size(); ++i) {
        ASSERT_LE(std::fabs(a[i] - b[i]), tolerance + kRounding)
            << "track " << track << ", value " << i << ", tick " << tick;
      }
      ASSERT_EQ(dense.pose[track].time_codes_s, sparse.pose[track].time_codes_s);
    };
    all(wire::kWeights, wire::kWeightTolerance);
    all(wire::kTranslations, wire::kMoved_m);
    all(wire::kScales, wire::kScaleTolerance);
    all(wire::kRotations, 1e-2);
    for (size_t j = 0; j < reaches.size(); ++j) {
      double square = 0;
      for (size_t i = 4 * j; i < 4 * j + 4; ++i) {
        const double d =
            dense.pose[wire::kRotations].values[i] - sparse.pose[wire::kRotations].values[i];
        square += d * d;
      }
      ASSERT_LE(2 * std::sqrt(square) * reaches[j], wire::kMoved_m + kRounding)
          << "joint " << j << ", tick " << tick;
    }
  }
  void ExpectClose(const QueueSink& dense, const QueueSink& sparse, const skel::Rig& rig) {
    const std::vector<double> reaches = Reaches(rig);
    for (const auto& [tick, frame] : sparse.frames) {
      ASSERT_TRUE(dense.frames.contains(tick));
      ExpectClose(dense.frames.at(tick), frame, reaches, tick);
    }
  }

  Harness h{Settings()};
};

TEST_F(EngineSparse, PosesDifferByNoMoreThanTheToleranceWhateverIsLost) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const auto chance = [&rng](double p) {
      return std::uniform_real_distribution(0.0, 1.0)(rng) < p;
    };
    QueueSink dense(kComplete);
    const uint64_t reference = Open(&dense, kComplete);
    struct Reader {
      std::unique_ptr<QueueSink> sink;
      uint64_t pull;
      double speed;
    };
    std::vector<Reader> readers, gone;
    std::vector<std::unique_ptr<FakePeer>> peers;
    int requests = 0;
    for (int tick = 0; tick < 400; ++tick) {
      if (readers.size() < 4 && chance(0.1)) {
        const auto form = chance(0.5) ? kSparse : kQuantised;
        auto sink = std::make_unique<QueueSink>(form);
        const uint64_t pull = Open(sink.get(), form);
        readers.push_back({std::move(sink), pull, chance(0.5) ? 1 : 0.15});
      }
      if (!readers.empty() && chance(0.02)) {
        h.engine->ClosePull(readers.back().pull, h.now);
        gone.push_back(std::move(readers.back()));
        readers.pop_back();
      }
      if (chance(0.02)) SetGesture(chance(0.5) ? "wave" : "none");
      if (chance(0.02)) {
        peers.push_back(std::make_unique<FakePeer>());
        PushCallOptions options;
        if (chance(0.5)) options.policy = stream::Policy::kInterrupt;
        const std::string id = std::to_string(seed) + "-" + std::to_string(++requests);
        const auto push = h.Push(Harness::Header(id), peers.back().get(), options);
        if (push.ok()) {
          h.engine->Offer(push->call, Harness::Keys(0, 20 + static_cast<int64_t>(rng() % 60)),
                          h.now);
          h.engine->EndPush(push->call, chance(0.7) ? PushEnd::kHalfClosed : PushEnd::kCancelled,
                            h.now);
        }
      }
      if (chance(0.01)) h.Freeze(0.3);
      h.Run(1.0 / 30);
      dense.Drain(1000);
      for (Reader& reader : readers) {
        if (chance(reader.speed)) reader.sink->Drain(reader.speed == 1 ? 1000 : 6);
      }
    }
    int lost = 0;
    for (const auto* list : {&readers, &gone}) {
      for (const Reader& reader : *list) {
        reader.sink->Drain(1000);
        lost += reader.sink->without_pose;
        ExpectClose(dense, *reader.sink, *h.rig);
      }
    }
    EXPECT_GT(lost, 0);
    for (const Reader& reader : readers) h.engine->ClosePull(reader.pull, h.now);
    h.engine->ClosePull(reference, h.now);
  }
}

TEST_F(EngineSparse, AnotherRigIsCompletedToo) {
  QueueSink dense(kComplete), sparse(kSparse);
  Open(&dense, kComplete, "ace_biped");
  Open(&sparse, kSparse, "ace_biped");
  SetGesture("wave");
  for (int tick = 0; tick < 90; ++tick) {
    h.Run(1.0 / 30);
    dense.Drain(10);
    sparse.Drain(10);
  }
  EXPECT_GT(sparse.frames.size(), 80u);
  ExpectClose(dense, sparse, **h.parts.catalog->Find("ace_biped"));
}

// 30 frames a second; measured over ten seconds.
TEST_F(EngineSparse, BytesOfAPoseStayWithinTheirBounds) {
  QueueSink dense(kComplete), sparse(kSparse), quantised(kQuantised);
  Open(&dense, kComplete);
  Open(&sparse, kSparse);
  Open(&quantised, kQuantised);
  struct Rates {
    double sparse, quantised;
  };
  const auto rate = [&](const char* gesture) {
    const int64_t before = sparse.bytes, dense_before = dense.bytes,
                  quantised_before = quantised.bytes;
    for (int i = 0; i < 300; ++i) {
      if (i % 60 == 0) SetGesture(gesture);
      h.Run(1.0 / 30);
      dense.Drain(1000);
      sparse.Drain(1000);
      quantised.Drain(1000);
    }
    EXPECT_GT(dense.bytes - dense_before, 3 * (sparse.bytes - before));
    return Rates{static_cast<double>(sparse.bytes - before) / 10,
                 static_cast<double>(quantised.bytes - quantised_before) / 10};
  };
  const Rates idle = rate("none"), gesturing = rate("wave");
  EXPECT_LT(idle.sparse, 40e3);
  EXPECT_LT(gesturing.sparse, 70e3);
  EXPECT_LT(idle.quantised, 15e3);
  EXPECT_LT(gesturing.quantised, 25e3);
  EXPECT_EQ(sparse.without_pose, 0);
  EXPECT_LT(sparse.complete, 25);
}

// It does not count as a pull that needs complete frames while it waits for its request.
TEST_F(EngineSparse, AWindowBeginsWithACompleteFrame) {
  for (const bool early : {true, false}) {
    SCOPED_TRACE(early);
    QueueSink dense(kComplete), sparse(kSparse);
    Open(&dense, kComplete);
    const std::string request = early ? "early" : "late";
    if (early) Open(&sparse, kSparse, "", request);
    Run(45, {&dense, &sparse});
    FakePeer peer;
    const auto push = h.Push(Harness::Header(request), &peer);
    ASSERT_TRUE(push.ok()) << push.status();
    h.engine->Offer(push->call, Harness::Keys(0, 60), h.now);
    Run(15, {&dense, &sparse});
    if (!early) Open(&sparse, kSparse, "", request);
    Run(30, {&dense, &sparse});
    EXPECT_GT(sparse.frames.size(), 25u);
    EXPECT_EQ(sparse.without_pose, 0);
    ExpectClose(dense, sparse, *h.rig);
    h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
    Run(90, {&dense, &sparse});
  }
}

// Sparse pulls would take the entry of a source for the pose of the frame.
TEST_F(EngineSparse, ASourcesEntryWithTheKeyOfQuantisedPosesIsDroppedAndCounted) {
  QueueSink dense(kComplete), sparse(kSparse), quantised(kQuantised);
  Open(&dense, kComplete);
  Open(&sparse, kSparse);
  Open(&quantised, kQuantised);
  FakePeer peer;
  const auto push = h.Push(Harness::Header("r"), &peer);
  ASSERT_TRUE(push.ok()) << push.status();
  wire::DataChunk keys = Harness::Keys(0, 30);
  google::protobuf::Any any;
  any.set_type_url("type.googleapis.com/example.Other");
  for (const absl::string_view key : {absl::string_view("mine"), wire::kQuantisedPoseKey}) {
    keys.metadata.push_back({std::string(key), any.SerializeAsString()});
  }
  h.engine->Offer(push->call, keys, h.now);
  const wire::StatusChunk answer = h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  EXPECT_NE(answer.message.find("; 1 entries posewire.pose dropped"), std::string::npos)
      << answer.message;
  Run(60, {&dense, &sparse, &quantised});
  for (QueueSink* sink : {&dense, &sparse, &quantised}) {
    EXPECT_EQ(sink->without_pose, 0);
    int mine = 0;
    for (const auto& [tick, frame] : sink->frames) {
      EXPECT_EQ(wire::FindMetadata(frame, wire::kQuantisedPoseKey), nullptr);
      mine += wire::FindMetadata(frame, "mine") != nullptr;
    }
    EXPECT_EQ(mine, 1);
  }
  ExpectClose(dense, sparse, *h.rig);
  ExpectClose(dense, quantised, *h.rig);
}

TEST_F(EngineSparse, OtherPullsGetTheSameBytesAsWithoutThem) {
  Harness alone(Settings());
  FakeSink with, without;
  ASSERT_TRUE(h.Pull(&with).ok());
  ASSERT_TRUE(alone.Pull(&without).ok());
  QueueSink sparse(kSparse);
  Open(&sparse, kSparse);
  h.Run(2);
  alone.Run(2);
  EXPECT_GT(with.raw.size(), 55u);
  EXPECT_EQ(with.raw, without.raw);
}

}  // namespace
}  // namespace posewire::anim_graph
