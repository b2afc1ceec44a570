// Streams that another engine continues: after a hand-over no sample is lost or played twice, and
// after a crash none is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/wire/appearance.h"
#include "posewire.snapshot.v1.pb.h"
#include "services/anim_graph/snapshots/proto_snapshots.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

constexpr int64_t kVoice_hz = 16000;

// Keeps what engines save, as the store of leases does.
class SavingDirectory : public StreamDirectory {
 public:
  void Locate(absl::string_view, Done done) override { done(Location(Here{})); }
  absl::StatusOr<LeasePtr> Lease(absl::string_view) override {
    lease = std::make_shared<StreamLease>();
    lease->until_ns = std::numeric_limits<int64_t>::max();
    lease->unix_offset_s = offset_s;
    return LeasePtr(lease);
  }
  std::optional<SavedStream> TakeSaved(absl::string_view stream_id) override {
    auto found = saved.extract(std::string(stream_id));
    return found.empty() ? std::nullopt : std::optional(std::move(found.mapped()));
  }
  void Save(absl::string_view stream_id, const LeasePtr&, std::string snapshot) override {
    ++saves;
    saved[std::string(stream_id)] = {std::move(snapshot), 0};
  }
  void HandOver(absl::string_view stream_id, const LeasePtr&, std::string snapshot,
                double end_s) override {
    saved[std::string(stream_id)] = {std::move(snapshot), end_s};
  }

  double offset_s = 5e8;
  std::shared_ptr<StreamLease> lease;
  std::map<std::string, SavedStream> saved;
  int saves = 0;
};

HarnessSettings DefaultGraph() {
  HarnessSettings s;
  s.clips = *gesture::MakeGestures(*Harness::Catalog()->Find("hanim_loa3"));
  return s;
}

struct Nodes : Harness {
  explicit Nodes(HarnessSettings settings = Passthrough()) : Harness(std::move(settings)) {
    parts.directory = &directory;
    parts.snapshots = MakeProtoSnapshots;
    engine = std::make_unique<Engine>(parts, now);
  }
  // Absolute time up to which frames have been made.
  double Alive_s() const { return directory.offset_s + static_cast<double>(now.ns) * 1e-9; }
  void Successor() {
    engine = std::make_unique<Engine>(parts, now);
    directory.offset_s += 0.25;
  }
  void HandOver() {
    EXPECT_EQ(engine->EndStreams(/*all=*/true, 100, now), 0u);
    Successor();
  }
  // The process ends without a word. It is known to have lived until `before_s` ago.
  void Crash(double before_s) {
    const double alive_s = Alive_s() - before_s;
    Successor();
    for (auto& [id, saved] : directory.saved) saved.alive_s = alive_s;
  }
  absl::StatusOr<PushOpened> Resume(const wire::StreamHeader& header, FakePeer* peer) {
    PushCallOptions options;
    options.resume = true;
    return Push(header, peer, options);
  }
  // The rest of the sentence of 6 s from `from_s` on, and its end.
  void Send(const PushOpened& push, double from_s) {
    const auto first = std::max<int64_t>(0, static_cast<int64_t>(from_s * 30));
    engine->Offer(push.call, Keys(first, 180), now);
    engine->EndPush(push.call, PushEnd::kHalfClosed, now);
  }

  SavingDirectory directory;
};

// Noise, so that a few samples show their position.
int16_t NoiseAt(int64_t n) {
  return static_cast<int16_t>(std::mt19937(static_cast<uint32_t>(n))() % 16000 + 1);
}

wire::DataChunk Noisy(int64_t first) {
  wire::DataChunk c = Harness::Keys(first, 180);
  int64_t n = first * kVoice_hz / 30;
  for (int16_t& sample : c.audio->samples) sample = NoiseAt(n++);
  return c;
}

// The positions in the sentence of the samples that came out, without those of pauses. A piece of
// eight samples is unique in the sentence.
std::vector<int64_t> Positions(const std::vector<int16_t>& heard) {
  std::map<std::vector<int16_t>, int64_t> at;
  std::vector<int16_t> whole;
  for (int64_t n = 0; n < 6 * kVoice_hz; ++n) whole.push_back(NoiseAt(n));
  for (size_t n = 0; n + 8 <= whole.size(); ++n) {
    at.emplace(std::vector<int16_t>(whole.begin() + static_cast<ptrdiff_t>(n),
                                    whole.begin() + static_cast<ptrdiff_t>(n + 8)),
               static_cast<int64_t>(n));
  }
  std::vector<int64_t> out;
  for (size_t n = 0; n + 8 <= heard.size(); ++n) {
    const auto found = at.find(
        {heard.begin() + static_cast<ptrdiff_t>(n), heard.begin() + static_cast<ptrdiff_t>(n + 8)});
    if (found != at.end()) out.push_back(found->second);
  }
  return out;
}

TEST(EngineSnapshot, AHandedOverSentenceGoesOnAtTheNextSample) {
  std::mt19937_64 rng(7);
  for (int round = 0; round < 20; ++round) {
    Nodes n;
    FakeSink before, after;
    FakePeer peer, again;
    ASSERT_TRUE(n.Pull(&before).ok());
    const auto push = n.Push(n.Header("r"), &peer);
    ASSERT_TRUE(push.ok());
    n.engine->Offer(push->call, n.Keys(0, 180), n.now);
    n.Run(std::uniform_real_distribution<double>(0.3, 5)(rng));
    n.HandOver();
    ASSERT_TRUE(peer.finished.has_value());
    EXPECT_EQ(peer.finished->status.code(), absl::StatusCode::kUnavailable);
    // Source and sink come back in any order.
    const bool sink_first = round % 2 == 0;
    if (sink_first) {
      ASSERT_TRUE(n.Pull(&after).ok());
    }
    n.Run(std::uniform_real_distribution<double>(0, 1)(rng));
    const auto resumed = n.Resume(n.Header("r"), &again);
    ASSERT_TRUE(resumed.ok()) << resumed.status();
    ASSERT_TRUE(resumed->received_until_s.has_value());
    n.Send(*resumed, *resumed->received_until_s);
    n.Run(std::uniform_real_distribution<double>(0, 1)(rng));
    if (!sink_first) {
      ASSERT_TRUE(n.Pull(&after).ok());
    }
    n.Run(8);
    std::vector<int16_t> heard;
    for (const int16_t v : before.audio()) heard.push_back(v);
    for (const int16_t v : after.audio()) heard.push_back(v);
    // The pause goes, what was played stays.
    std::vector<int16_t> spoken, sentence;
    for (const int16_t v : heard)
      if (v != 0) spoken.push_back(v);
    for (int64_t i = 0; i < 6 * kVoice_hz; ++i)
      if (n.SampleAt(i) != 0) sentence.push_back(n.SampleAt(i));
    EXPECT_EQ(spoken.size(), sentence.size()) << round;
    EXPECT_TRUE(spoken == sentence) << round;
  }
}

TEST(EngineSnapshot, AfterACrashNothingIsLostAndLittleRepeated) {
  std::mt19937_64 rng(8);
  for (int round = 0; round < 20; ++round) {
    Nodes n;
    FakeSink before, after;
    FakePeer peer, again;
    ASSERT_TRUE(n.Pull(&before).ok());
    const auto push = n.Push(n.Header("r"), &peer);
    ASSERT_TRUE(push.ok());
    n.engine->Offer(push->call, Noisy(0), n.now);
    n.Run(std::uniform_real_distribution<double>(1, 5)(rng));
    const double before_s = std::uniform_real_distribution<double>(0, 0.5)(rng);
    n.Crash(before_s);
    ASSERT_TRUE(n.Pull(&after).ok());
    const auto resumed = n.Resume(n.Header("r"), &again);
    ASSERT_TRUE(resumed.ok()) << resumed.status();
    n.engine->Offer(resumed->call,
                    Noisy(static_cast<int64_t>(std::max(0.0, *resumed->received_until_s) * 30)),
                    n.now);
    n.engine->EndPush(resumed->call, PushEnd::kHalfClosed, n.now);
    n.Run(8);
    const auto first = Positions(before.audio()), second = Positions(after.audio());
    ASSERT_FALSE(first.empty());
    ASSERT_FALSE(second.empty());
    EXPECT_LE(second.front(), first.back() + 8) << round;
    EXPECT_GE(second.front(), first.back() + 8 - static_cast<int64_t>((before_s + 0.1) * kVoice_hz))
        << round;
    EXPECT_EQ(second.back(), 6 * kVoice_hz - 8) << round;
  }
}

TEST(EngineSnapshot, RequestsKeepTheirOrder) {
  Nodes n;
  FakeSink before, after;
  FakePeer peers[4];
  ASSERT_TRUE(n.Pull(&before).ok());
  const auto first = n.Push(n.Header("first"), &peers[0]);
  const auto second = n.Push(n.Header("second"), &peers[1]);
  ASSERT_TRUE(first.ok() && second.ok());
  n.engine->Offer(first->call, n.Keys(0, 60), n.now);
  n.engine->Offer(second->call, n.Keys(0, 60), n.now);
  n.Run(1);
  n.HandOver();
  ASSERT_TRUE(n.Pull(&after).ok());
  // The second one's source is back earlier.
  const auto second_again = n.Resume(n.Header("second"), &peers[2]);
  ASSERT_TRUE(second_again.ok()) << second_again.status();
  EXPECT_LT(*second_again->received_until_s, 0);
  n.Send(*second_again, -1);
  n.Run(0.5);
  const auto first_again = n.Resume(n.Header("first"), &peers[3]);
  ASSERT_TRUE(first_again.ok()) << first_again.status();
  EXPECT_NEAR(*first_again->received_until_s, 0.8, 0.2);
  n.engine->Offer(first_again->call, n.Keys(20, 60), n.now);
  n.engine->EndPush(first_again->call, PushEnd::kHalfClosed, n.now);
  n.Run(9);
  std::vector<std::string> starts;
  for (const auto& s : after.statuses()) {
    if (s.message().find("starts at") != std::string::npos) starts.push_back(s.message());
  }
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_NE(starts[0].find("second"), std::string::npos);
  // The rest of the first, 1 s, and the second, 6 s.
  size_t loud = 0;
  for (const int16_t v : after.audio()) loud += v != 0;
  EXPECT_NEAR(static_cast<double>(loud) / kVoice_hz, 7, 0.1);
}

TEST(EngineSnapshot, WaitsForALostSourceOnlySoLong) {
  Nodes n;
  FakePeer peer, next;
  FakeSink window;
  const auto push = n.Push(n.Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  n.engine->Offer(push->call, n.Keys(0, 90), n.now);
  n.Run(3);
  n.Crash(0.2);
  ASSERT_TRUE(n.Pull(&window, "r").ok());
  n.Run(n.parts.settings->resume_s + 4);
  ASSERT_TRUE(window.finished.has_value());
  EXPECT_EQ(window.statuses().back().code(), nvidia_ace::status::v1::Status::ERROR);
  EXPECT_EQ(n.Resume(n.Header("r"), &next).status().code(), absl::StatusCode::kAlreadyExists);
}

TEST(EngineSnapshot, RemembersWhatIsOver) {
  Nodes n;
  FakePeer peer, again;
  FakeSink sink, late;
  ASSERT_TRUE(n.Pull(&sink).ok());
  const auto push = n.Push(n.Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  n.engine->Offer(push->call, n.Keys(0, 15), n.now);
  n.engine->EndPush(push->call, PushEnd::kHalfClosed, n.now);
  n.Run(3);
  n.HandOver();
  ASSERT_TRUE(n.Pull(&late, "r").ok());
  ASSERT_TRUE(late.finished.has_value());
  EXPECT_EQ(late.statuses().back().code(), nvidia_ace::status::v1::Status::SUCCESS);
  EXPECT_EQ(n.Resume(n.Header("r"), &again).status().code(), absl::StatusCode::kAlreadyExists);
}

TEST(EngineSnapshot, KeepsRegistrationVariablesPlacesAndProps) {
  Nodes n(DefaultGraph());
  StreamControl* control = &n.engine->control();
  ASSERT_TRUE(n.engine->RegisterStream("stream", "anna", n.now).ok());
  ASSERT_TRUE(control->SetVariable("stream", "", "posture_state", "Listening", n.now).ok());
  ASSERT_TRUE(control->PlaceAvatar("stream", "anna", {1, 2, 30}).ok());
  SceneProp cup{"cup", "cup", {}, {{0.5f, 0.9f, 0.3f}, {}}};
  cup.sites = {{"handle", {{0.05f, 0, 0}, {}}, true}};
  SceneProp table{"table", "table", {1, 0.7f, 0.6f}, {{0, 0, 1}, {}}};
  ASSERT_TRUE(control->SetProp("stream", cup, n.now).ok());
  SceneProp hat{"hat", "hat", {}, {}};
  ASSERT_TRUE(control->SetProp("stream", table, n.now).ok());
  ASSERT_TRUE(control->SetProp("stream", hat, n.now).ok());
  n.Run(0.5);
  ASSERT_TRUE(control->AttachProp("stream", "hat", "", "anna", "head", true).ok());
  ASSERT_TRUE(control->AttachProp("stream", "cup", "handle", "anna", "right_hand").ok());
  FakeSink sink;
  ASSERT_TRUE(n.Pull(&sink).ok());
  n.Run(3);
  const skel::Vec3 at = control->Props("stream")->at(0).place.at;
  n.Crash(0.5);
  control = &n.engine->control();
  // An older node knows what is in a hand, and leaves what is worn where it was.
  snapshot::v1::Stream saved;
  ASSERT_TRUE(saved.ParseFromString(n.directory.saved.at("stream").snapshot));
  ASSERT_EQ(saved.props_size(), 3);
  EXPECT_EQ(saved.props(0).held_by(), "anna");
  EXPECT_EQ(saved.props(0).hand(), 1u);
  EXPECT_FALSE(saved.props(2).has_held_by());
  EXPECT_EQ(saved.props(2).place().position_size(), 3);
  EXPECT_EQ(saved.props(2).worn().at(), "head");
  n.engine->ContinueSaved("unknown", n.now);
  n.engine->ContinueSaved("stream", n.now);
  EXPECT_EQ(control->Props("stream")->size(), 3u);
  FakeSink after;
  ASSERT_TRUE(n.Pull(&after).ok());
  n.Run(2);
  const auto streams = n.engine->Streams();
  ASSERT_EQ(streams.size(), 1u);
  EXPECT_TRUE(streams[0].registered);
  EXPECT_EQ(streams[0].avatars.at(0).target_object_id, "anna");
  EXPECT_EQ(streams[0].avatars.at(0).place.turn_deg, 30);
  EXPECT_THAT(*control->Variables("stream", "anna"), ::testing::Contains("Listening"));
  const auto props = control->Props("stream");
  ASSERT_EQ(props->size(), 3u);
  EXPECT_EQ(props->at(0).holder.target, "anna");
  EXPECT_EQ(props->at(0).holder.hand, 1);
  EXPECT_LT(Length(props->at(0).place.at - at), 0.3f);
  EXPECT_EQ(props->at(1).place.at.z, 1);
  EXPECT_FALSE(props->at(1).usual_size);
  EXPECT_EQ(props->at(2).holder.at, "head");
  EXPECT_TRUE(props->at(2).usual_size);
  EXPECT_GT(props->at(2).place.at.y, 1.5f) << "still on the head";
}

TEST(EngineSnapshot, KeepsWhoIsShown) {
  Nodes n(DefaultGraph());
  FakePeer peer;
  FakeSink sink, after;
  ASSERT_TRUE(n.Pull(&sink).ok());
  const auto push = n.Push(n.Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  wire::DataChunk keys = n.Keys(0, 60);
  keys.metadata.push_back(wire::ToMetadata(wire::Appearance{"anna", {{"hair", "long"}}}));
  n.engine->Offer(push->call, keys, n.now);
  n.Run(1);
  n.Crash(0.2);
  ASSERT_TRUE(n.Pull(&after).ok());
  n.Run(0.2);
  bool told = false;
  for (const auto& d : after.data()) {
    const auto at = d.metadata().find(std::string(wire::kAppearanceKey));
    if (at == d.metadata().end()) continue;
    const auto read = wire::ReadAppearance({at->first, at->second.SerializeAsString()});
    told |= read && read->character == "anna" && read->look.at("hair") == "long";
  }
  EXPECT_TRUE(told);
}

TEST(EngineSnapshot, IsSavedOnlyWhenSomethingChanges) {
  Nodes n;
  FakePeer peer;
  FakeSink sink;
  ASSERT_TRUE(n.Pull(&sink).ok());
  const auto push = n.Push(n.Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  n.engine->Offer(push->call, n.Keys(0, 180), n.now);
  n.Run(1.5);
  const int saves = n.directory.saves;
  EXPECT_GE(saves, 1);
  EXPECT_LE(saves, 3);
  n.Run(3);
  EXPECT_EQ(n.directory.saves, saves) << "while it plays";
  // The directory lost it.
  ++n.directory.lease->losses;
  n.Run(1);
  EXPECT_EQ(n.directory.saves, saves + 1);
}

TEST(EngineSnapshot, QuietStreamsEndFirst) {
  Nodes n;
  FakePeer peer;
  FakeSink busy, quiet;
  ASSERT_TRUE(n.Pull(&busy).ok());
  ASSERT_TRUE(n.engine->OpenPull(n.Context({"", "other", ""}), {}, &quiet, n.now).ok());
  const auto push = n.Push(n.Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  n.engine->Offer(push->call, n.Keys(0, 60), n.now);
  n.engine->EndPush(push->call, PushEnd::kHalfClosed, n.now);
  n.Run(1);
  n.engine->MakeNoMore();
  EXPECT_EQ(n.engine->EndStreams(/*all=*/false, 100, n.now), 1u);
  ASSERT_TRUE(quiet.finished.has_value());
  EXPECT_EQ(quiet.finished->code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(busy.finished.has_value());
  FakeSink more, rejected;
  EXPECT_TRUE(n.Pull(&more).ok());
  EXPECT_EQ(n.engine->OpenPull(n.Context({"", "third", ""}), {}, &rejected, n.now).status().code(),
            absl::StatusCode::kUnavailable);
  n.Run(2);
  EXPECT_EQ(n.engine->EndStreams(/*all=*/false, 100, n.now), 0u);
  EXPECT_TRUE(busy.finished.has_value());
}

TEST(EngineSnapshot, StreamsMoveOnRequestAtABoundedRate) {
  Nodes n;
  FakePeer peer;
  std::vector<FakeSink> sinks(12);
  for (size_t i = 0; i < sinks.size(); ++i) {
    const std::string id = i == 0 ? "stream" : absl::StrCat("s", i);
    ASSERT_TRUE(n.engine->OpenPull(n.Context({"", id, ""}), {}, &sinks[i], n.now).ok());
    n.engine->NoteWay(id, /*relayed=*/i < 10);
  }
  const auto push = n.Push(n.Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  n.engine->Offer(push->call, n.Keys(0, 300), n.now);
  n.Run(1);
  const auto moved = [&] {
    return std::count_if(sinks.begin(), sinks.end(),
                         [](const auto& sink) { return sink.finished.has_value(); });
  };
  EXPECT_EQ(n.engine->MoveStreams({}, 4, 5, n.now), 10u);
  n.Run(1);
  EXPECT_NEAR(static_cast<double>(moved()), 4, 1);
  n.Run(2);
  EXPECT_EQ(moved(), 9) << "one plays";
  EXPECT_FALSE(sinks[0].finished.has_value());
  n.Run(2.5);
  ASSERT_TRUE(sinks[0].finished.has_value());
  EXPECT_EQ(sinks[0].finished->code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(sinks[0].statuses().back().message(), "the stream moves to another server; call again");
  EXPECT_EQ(peer.finished->status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(moved(), 10);
  EXPECT_EQ(n.engine->MoveStreams({{"s11"}}, 4, 5, n.now), 1u);
  n.Run(0.5);
  EXPECT_TRUE(sinks[11].finished.has_value());
  EXPECT_FALSE(sinks[10].finished.has_value());
}

TEST(EngineSnapshot, StaysWithinItsSize) {
  Nodes n(DefaultGraph());
  StreamControl& control = n.engine->control();
  for (int i = 0; i < 32; ++i) {
    SceneProp prop{absl::StrCat(std::string(100, 'p'), i), "box", {}, {}};
    for (int k = 0; k < 16; ++k) {
      prop.sites.push_back(
          {absl::StrCat(std::string(120, 's'), k), {{0.1f, 0.2f, 0.3f}, {}}, true});
    }
    ASSERT_TRUE(control.SetProp("stream", prop, n.now).ok());
  }
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(
        n.engine->RegisterStream("stream", absl::StrCat(std::string(100, 'a'), i), n.now).ok());
  }
  n.Run(1);
  n.HandOver();
  const size_t bytes = n.directory.saved.at("stream").snapshot.size();
  EXPECT_LE(bytes, StreamDirectory::kMostSnapshotBytes);
  EXPECT_GT(bytes, StreamDirectory::kMostSnapshotBytes * 3 / 4);
  FakeSink sink;
  ASSERT_TRUE(n.Pull(&sink, "", absl::StrCat(std::string(100, 'a'), 0)).ok());
  EXPECT_GT(n.engine->Streams().at(0).avatars.size(), 100u);
  EXPECT_GT(n.engine->control().Props("stream")->size(), 5u);
}

TEST(EngineSnapshot, DamagedBytesAreIgnored) {
  Nodes n;
  FakePeer peer;
  const auto push = n.Push(n.Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  n.engine->Offer(push->call, n.Keys(0, 60), n.now);
  n.Run(1);
  const std::string whole = n.directory.saved.at("stream").snapshot;
  std::mt19937_64 rng(3);
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    for (int k = 0; k < 3; ++k) bytes[rng() % bytes.size()] = static_cast<char>(rng());
    if (round % 3 == 0) bytes.resize(rng() % bytes.size());
    n.Successor();
    n.directory.saved["stream"] = {bytes, n.Alive_s()};
    FakeSink sink;
    ASSERT_TRUE(n.Pull(&sink).ok());
    n.Run(0.1);
    EXPECT_FALSE(sink.data().empty());
  }
}

}  // namespace
}  // namespace posewire::anim_graph
