// The example graphs do what their comments say.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "libs/graph_loader/graph_file.h"
#include "libs/skel/hand_grip.h"
#include "libs/skel/limit_job.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"
#include "tests/unit/graph_loader/composite_helpers.h"

namespace posewire::graph {
namespace {

using skel::Quat;
using skel::Vec3;

std::filesystem::path ExamplesFolder() {
  const char* source = std::getenv("POSEWIRE_SOURCE_DIR");
  return std::filesystem::path(source == nullptr ? "." : source) / "data/graphs/examples";
}
std::string ExampleText(const std::string& name) {
  std::ifstream file(ExamplesFolder() / (name + ".graph.txtpb"));
  return {std::istreambuf_iterator<char>(file), {}};
}
const std::set<std::string> kExamples = {
    "activity",  "blending",      "constraints",    "dynamic_layers", "face_joints", "give",
    "look_at",   "mirroring",     "mirroring_body", "props",          "timeline",    "turn_to_user",
    "user_acts", "vmc_performer", "voice_mood",     "walk_to"};

struct Example {
  explicit Example(const std::string& name, uint64_t seed = 3) : rig(BuiltinRig()) {
    const auto parsed = ParseGraph(ExampleText(name));
    if (!parsed.ok()) ADD_FAILURE() << name << ": " << parsed.status();
    const auto made = MakeGraphAsset(*parsed, rig, Gestures());
    if (!made.ok()) ADD_FAILURE() << name << ":\n" << made.status().message();
    asset = *made;
    graph = asset->Instantiate(asset, seed);
  }
  // As when the file is written anew.
  void Reload() {
    auto fresh = asset->Instantiate(asset, 99);
    fresh->TakeOver(*graph, pose.view());
    graph = std::move(fresh);
  }
  void Set(const char* variable, const char* value) {
    const absl::Status status = graph::Set(*graph, variable, value);
    EXPECT_TRUE(status.ok()) << status;
  }
  double Get(const char* variable) {
    const Variables& v = graph->variables();
    return v.number(v.set().Find(variable));
  }
  void Tick(int times = 1) {
    for (int k = 0; k < times; ++k, ++tick) {
      Inputs inputs;
      inputs.users = users;
      inputs.props = props;
      inputs.providers = sources;
      std::swap(pose, before);
      const AllocationCount allocations;
      graph->Tick(tick, static_cast<double>(tick) * kTick_s, kTick_s, inputs, pose.span());
      EXPECT_EQ(allocations.count(), 0);
    }
  }
  gesture::Forward At() const { return {*rig, pose.view(), rig->rest()}; }
  float Weight(const char* shape) const { return pose.view().weights[rig->FindShape(shape)]; }
  // How far the head is tilted to the avatar's left, degrees.
  float Tilt() const {
    const Vec3 up = At().Direction("skullbase", {0, 1, 0});
    return std::atan2(up.x, up.y) * kDegrees;
  }
  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const GraphAsset> asset;
  std::unique_ptr<GraphInstance> graph;
  std::vector<UserInput> users;
  std::vector<PropInput> props;
  std::vector<ProviderInput> sources;
  skel::Pose pose{BuiltinRig()->joints(), BuiltinRig()->shapes()}, before = pose;
  int64_t tick = 0;
};

TEST(Examples, EachFileIsRightAndKnownHere) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(ExamplesFolder())) {
    const std::string file = entry.path().filename().string();
    const size_t end = file.find(".graph.txtpb");
    ASSERT_NE(end, std::string::npos) << file;
    const std::string name = file.substr(0, end);
    found.insert(name);
    const auto graph = ParseGraph(ExampleText(name));
    ASSERT_TRUE(graph.ok()) << name << ": " << graph.status();
    EXPECT_EQ(graph->name(), name);
    EXPECT_FALSE(graph->description().empty()) << name;
    const auto asset = MakeGraphAsset(*graph, BuiltinRig(), Gestures());
    EXPECT_TRUE(asset.ok()) << name << ":\n" << asset.status().message();
    EXPECT_TRUE(MakeGraphAsset(*graph, BuiltinRig("hanim_loa4"), Gestures()).ok()) << name;
  }
  EXPECT_EQ(found, kExamples);
}

TEST(Examples, NothingPopsOrAllocatesWhateverIsSet) {
  for (const std::string& name : kExamples) {
    Example e(name);
    Random rng(11);
    const VariableSet& set = *e.asset->variables();
    UserInput user = UserAt({0.3f, 1.6f, 1.5f}, {0, 1.6f, 0});
    e.Tick();
    for (int k = 0; k < 1500; ++k) {
      if (rng.Uniform() < 0.02f) {
        e.users.clear();
        if (rng.Uniform() < 0.7f) e.users = {user};
      }
      if (rng.Uniform() < 0.02f) {
        user = UserAt({rng.Uniform(-1.5f, 1.5f), 1.6f, rng.Uniform(0.7f, 2)},
                      {rng.Uniform(-1, 1), 1.6f, 0});
        if (!e.users.empty()) e.users = {user};
      }
      const int i = static_cast<int>(rng.Uniform(0, static_cast<float>(set.size())));
      const VariableSpec& spec = set.spec(i);
      Value value;
      switch (spec.type) {
        case VariableType::kNumber:
          value.number = spec.min + (spec.max - spec.min) * rng.Uniform();
          break;
        case VariableType::kChoice:
          value.number = std::floor(rng.Uniform(0, static_cast<float>(spec.values.size())));
          break;
        case VariableType::kFlag:
          value.number = rng.Uniform() < 0.5f;
          break;
        case VariableType::kVector:
          value.vector = {rng.Uniform(0.1f, 0.6f), rng.Uniform(0.9f, 1.6f), rng.Uniform(0.2f, 1)};
          break;
      }
      if (rng.Uniform() < 0.03f) e.graph->variables().Set(i, value);
      if (rng.Uniform() < 0.01f) e.Reload();
      e.Tick();
      const Step step = LargestStep(e.before.view(), e.pose.view());
      ASSERT_LT(step.degrees, 26) << name << " " << k << " "
                                  << e.rig->joint_names()[static_cast<size_t>(step.joint)];
      ASSERT_LT(step.metres, 0.1f) << name << " " << k;
    }
  }
}

TEST(Examples, LookAtMeetsTheUserAndLeadsTheUsersEyes) {
  Example e("look_at");
  const Vec3 head{0.4f, 1.65f, 1.3f}, thing{0.9f, 1.1f, 1.4f};
  // Looks past the avatar.
  e.users = {UserAt(head, {3, 1, 0})};
  int met = 0;
  for (int k = 0; k < 300; ++k) {
    e.Tick();
    met += GazeMissDegrees(*e.rig, e.pose.view(), head) < 3;
  }
  EXPECT_GT(met, 180);
  int led = 0;
  for (int k = 0; k < 300; ++k) {
    e.users = {UserAt(head, {0, 1.66f, 0.1f})};
    e.Tick();
    led += GazeMissDegrees(*e.rig, e.pose.view(), thing) < 3;
  }
  EXPECT_GT(led, 60);
  e.Set("look", "own_hand");
  e.Tick(60);
  float lowest = 0;
  // Through a pause of the contact.
  for (int k = 0; k < 90; ++k) {
    e.Tick();
    lowest = std::min(lowest, GazeOf(*e.rig, e.pose.view(), 0).way.y);
  }
  EXPECT_LT(lowest, -0.5f) << "down to its own hand";
}

TEST(Examples, MirroringTiltsTheHeadLaterAndHalfAndWithAFace) {
  Example told("mirroring"), quiet("mirroring");
  const UserInput straight = UserAt({0, 1.6f, 1.5f}, {0, 1.6f, 0});
  for (Example* e : {&told, &quiet}) {
    e->users = {straight};
    e->Tick(150);
  }
  // The user tilts to the own left for a second and a half.
  const auto off = [&] { return told.Tilt() - quiet.Tilt(); };
  float early = 0, late = 0, smile = 0;
  for (int k = 0; k < 240; ++k) {
    told.users[0].head_rotation =
        k < 45 ? Mul(straight.head_rotation, skel::Exp({0, 0, -0.3f})) : straight.head_rotation;
    told.Tick();
    quiet.Tick();
    if (k < 115) early = std::max(early, std::fabs(off()));
    if (k == 20) {
      EXPECT_LT(told.Get("head_tilt"), -12);
    }
    if (k >= 130 && k < 165) {
      late = std::min(late, off());
      smile = std::max(smile, told.Weight("mouthSmileLeft") - quiet.Weight("mouthSmileLeft"));
    }
  }
  EXPECT_LT(early, 0.3f);
  EXPECT_NEAR(late, -0.5f * 0.3f * kDegrees, 2);
  EXPECT_GT(smile, 0.1f);
  EXPECT_LT(std::fabs(off()), 1.5f);
}

// The pose of somebody with trackers, as the source "user".
struct TrackedUser {
  explicit TrackedUser(const skel::Rig& rig) : rig(rig), pose(rig.joints(), rig.shapes()) {
    pose.span().CopyFrom(rig.rest());
    for (int s = 0; s < rig.shapes(); ++s) pose.span().SetWeight(s, 0);
  }
  void Turn(const char* joint, Vec3 by) {
    const int j = rig.FindJoint(joint);
    pose.span().SetRotation(j, Mul(rig.rest().rotation(j), skel::Exp(by)));
  }
  void Set(const char* shape, float weight) { pose.span().SetWeight(rig.FindShape(shape), weight); }
  ProviderInput Input() const {
    ProviderInput input;
    input.playback_id = 1;
    input.source_service_id = "user";
    input.pose = pose.view();
    return input;
  }
  const skel::Rig& rig;
  skel::Pose pose;
};

TEST(Examples, MirroringBodyTakesUpAPostureLaterOnTheOtherSideAndByHalf) {
  for (const char* side : {"1", "0"}) {
    Example told("mirroring_body"), quiet("mirroring_body");
    TrackedUser user(*told.rig), still(*told.rig);
    for (Example* e : {&told, &quiet}) {
      e->Set("mirror_side", side);
      e->sources = {still.Input()};
      e->Tick(150);
    }
    // The left arm goes up to the side, the trunk bends, the user smiles and speaks.
    const float raised = 1.2f, bent = 0.1f;
    user.Turn("l_shoulder", {0, 0, raised});
    user.Turn("vl3", {0, 0, bent});
    for (const char* shape : {"mouthSmileLeft", "jawOpen", "browInnerUp"}) user.Set(shape, 0.8f);
    const auto turned = [&](const char* joint) {
      const int j = told.rig->FindJoint(joint);
      return AngleBetween(told.pose.view().rotation(j), quiet.pose.view().rotation(j));
    };
    const bool mirrors = side[0] == '1';
    const char* const arm = mirrors ? "r_shoulder" : "l_shoulder";
    const char* const other = mirrors ? "l_shoulder" : "r_shoulder";
    float largest_step = 0;
    for (int k = 0; k < 180; ++k) {
      told.sources = {user.Input()};
      told.Tick();
      quiet.Tick();
      if (k == 85) {
        EXPECT_LT(turned(arm), 0.01f) << "before its time";
      }
      largest_step = std::max(largest_step,
                              AngleBetween(told.pose.view().rotation(told.rig->FindJoint(arm)),
                                           told.before.view().rotation(told.rig->FindJoint(arm))));
    }
    EXPECT_NEAR(turned(arm), raised / 2, 0.05f);
    EXPECT_LT(turned(other), 0.02f);
    EXPECT_NEAR(turned("vl3"), bent / 2, 0.02f);
    const auto more = [&](const char* shape) { return told.Weight(shape) - quiet.Weight(shape); };
    EXPECT_NEAR(more(mirrors ? "mouthSmileRight" : "mouthSmileLeft"), 0.4f, 0.02f);
    EXPECT_NEAR(more("browInnerUp"), 0.4f, 0.02f);
    EXPECT_NEAR(more("jawOpen"), 0, 0.02f) << "it speaks for itself";
    // The user's arm jumped by 69 degrees in one frame.
    EXPECT_LT(largest_step, 0.46f);
  }
}

// The user crouches, then steps half a metre aside, all over the place meanwhile.
TEST(Examples, MirroringBodyStaysWithinTheLimitsAndOnItsFeet) {
  Example e("mirroring_body");
  e.Set("mirror_delay", "0");
  TrackedUser user(*e.rig);
  e.sources = {user.Input()};
  e.Tick(150);
  const int root = e.rig->FindJoint("HumanoidRoot");
  const Vec3 stands = e.rig->rest().translation(root);
  const auto ease = [](float t) { return t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t); };
  float slid = 0, sunk = 0, aside = 0;
  std::array<Vec3, 4> last{};
  for (int k = 0; k < 360; ++k) {
    const float t = static_cast<float>(k) / 30;
    const float bent = ease(t) - ease(t - 4), way = 0.5f * ease((t - 6) / 1.5f);
    user.Turn("r_elbow", {-2.9f * bent, 0, 0});
    for (const char* side : {"l_", "r_"}) {
      user.Turn((side + std::string("hip")).c_str(), {-0.6f * bent, 0, 0});
      user.Turn((side + std::string("knee")).c_str(), {1.2f * bent, 0, 0});
      user.Turn((side + std::string("ankle")).c_str(), {-0.6f * bent, 0, 0});
    }
    // Legs of 0.43 and 0.42 m, each turned by 0.6.
    user.pose.span().SetTranslation(root, stands + Vec3{way, -0.15f * bent, 0});
    e.sources = {user.Input()};
    e.Tick();
    for (int j = 0; j < e.rig->joints(); ++j) {
      const Quat q = e.pose.view().rotation(j);
      // Feet that step have the last word on the knees.
      const std::string& name = e.rig->joint_names()[static_cast<size_t>(j)];
      const bool leg = name.find("_knee") != std::string::npos;
      ASSERT_LT(AngleBetween(q, skel::LimitedRotation(*e.rig, j, q)), leg ? 0.2f : 2e-3f)
          << name << " tick " << k;
    }
    // One foot stands at least, on its heel or its ball.
    const gesture::Forward at = e.At();
    const std::array now{at.place("l_ankle"), at.place("l_metatarsal"), at.place("r_ankle"),
                         at.place("r_metatarsal")};
    float moved = 1;
    for (size_t i = 0; i < now.size(); ++i) moved = std::min(moved, Length(now[i] - last[i]));
    if (k > 0) slid = std::max(slid, moved);
    last = now;
    sunk = std::max(sunk, stands.y - e.At().place("HumanoidRoot").y);
    aside = e.At().place("HumanoidRoot").x;
  }
  EXPECT_LT(slid, 0.004f);
  EXPECT_NEAR(sunk, 0.075f, 0.02f) << "half as deep";
  EXPECT_NEAR(aside, -0.25f, 0.05f) << "half as far, to the other side";
}

TEST(Examples, ActivityMovesMoreAndFaster) {
  const auto motion = [](const char* activity) {
    Example e("activity");
    e.Set("activity", activity);
    e.Tick(120);
    double sum = 0;
    for (int k = 0; k < 600; ++k) {
      e.Tick();
      for (const char* name : {"vt6", "skullbase", "l_shoulder", "r_elbow"}) {
        const int j = e.rig->FindJoint(name);
        sum += AngleBetween(e.pose.view().rotation(j), e.before.view().rotation(j));
      }
    }
    return sum;
  };
  const double calm = motion("0"), usual = motion("0.5"), lively = motion("1");
  EXPECT_GT(usual, 1.4 * calm);
  EXPECT_GT(lively, 1.4 * usual);
}

TEST(Examples, VoiceMoodIsWrittenWhileASourceSaysIt) {
  Example e("voice_mood");
  e.Tick();
  EXPECT_EQ(e.Get("arousal"), 0);
  skel::Pose nothing(e.rig->joints(), e.rig->shapes());
  ProviderInput source;
  source.playback_id = 1;
  source.pose = nothing.view();
  e.sources = {source};
  e.Tick();
  EXPECT_EQ(e.Get("arousal"), 0) << "it says none";
  e.sources[0].arousal = 0.5F;
  e.sources[0].valence = -3.0F;
  e.Tick();
  EXPECT_EQ(e.Get("arousal"), 0.5);
  EXPECT_EQ(e.Get("valence"), -1) << "the variable's range";
  e.sources[0].suspended = true;
  e.Tick();
  EXPECT_EQ(e.Get("arousal"), 0);
}

TEST(Examples, DynamicLayersShiverOverAWave) {
  for (const char* gesture : {"none", "wave"}) {
    Example cold("dynamic_layers"), warm("dynamic_layers");
    cold.Set("cold", "1");
    for (Example* e : {&cold, &warm}) {
      e->Tick(60);
      e->Set("gesture_state", gesture);
    }
    // What the shiver adds turns round several times a second, and stays small.
    int turns = 0;
    float last = 0, slope = 0, largest = 0;
    for (int k = 0; k < 60; ++k) {
      cold.Tick(), warm.Tick();
      const Vec3 off = cold.At().place("l_wrist") - warm.At().place("l_wrist");
      largest = std::max(largest, Length(off));
      const float now = off.z;
      if (k > 1 && (now - last) * slope < 0) ++turns;
      slope = now - last, last = now;
    }
    EXPECT_GT(turns, 12) << gesture;
    EXPECT_GT(largest, 0.003f);
    EXPECT_LT(largest, 0.08f);
    if (std::string(gesture) == "wave") {
      EXPECT_GT(cold.At().place("r_wrist").y, 1.2f);
    }
  }
}

TEST(Examples, TurnToUserTurnsAndSendsItsCameraOnceToldTo) {
  Example e("turn_to_user");
  const Vec3 head{-1.5f, 1.6f, -0.3f};
  e.users = {UserAt(head, {2, 1, -2})};
  e.Tick(150);
  const Vec3 side = e.At().place("l_hip") - e.At().place("r_hip");
  EXPECT_NEAR(std::atan2(-side.z, side.x) * kDegrees, -101, 8);
  EXPECT_FALSE(e.graph->outputs().has_camera);
  e.Set("shot_state", "CloseUp");
  e.Tick(90);
  ASSERT_TRUE(e.graph->outputs().has_camera);
  EXPECT_EQ(e.graph->outputs().camera.focal_length_mm, 85);
  e.Set("turn", "false");
  e.Tick(150);
  const Vec3 front = e.At().place("l_hip") - e.At().place("r_hip");
  EXPECT_NEAR(std::atan2(-front.z, front.x) * kDegrees, 0, 8);
}

TEST(Examples, WalkToWalksThereAndItsCameraGoesAlong) {
  Example e("walk_to");
  e.users = {UserAt({0, 1.6f, 3}, {0, 1.6f, 0})};
  e.Tick(30);
  e.Set("shot_state", "Full");
  e.Tick(60);
  const Vec3 camera = e.graph->outputs().camera.position;
  e.Set("place", "left");
  e.Tick(240);
  const Vec3 at = Lerp(e.At().place("l_ankle"), e.At().place("r_ankle"), 0.5f);
  EXPECT_LT(std::hypot(at.x - 1.6f, at.z - 0.4f), 0.04f);
  const Vec3 side = e.At().place("l_hip") - e.At().place("r_hip");
  EXPECT_NEAR(std::atan2(-side.z, side.x) * kDegrees, std::atan2(-1.6f, 2.6f) * kDegrees, 8);
  e.Tick(120);
  const Vec3 gone = e.graph->outputs().camera.position - camera;
  EXPECT_NEAR(gone.x, 1.6f, 0.15f);
  EXPECT_NEAR(gone.z, 0.45f, 0.2f);
}

TEST(Examples, ConstraintsReachHoldAndStand) {
  Example e("constraints");
  e.Tick(30);
  e.Set("reach", "1");
  e.Set("hold", "true");
  e.Tick(90);
  const skel::Site* tip = nullptr;
  for (const skel::Site& site : e.rig->sites()) {
    if (site.name == "l_index_distal_tip") tip = &site;
  }
  const Vec3 wrist = e.At().place("r_wrist"), foot = e.At().place("l_ankle");
  for (int k = 0; k < 300; ++k) {
    e.Tick();
    const gesture::Forward at = e.At();
    const Vec3 place = at.place("l_index3") + at.Direction("l_index3", tip->offset);
    ASSERT_LT(Length(place - Vec3{0.3f, 1.2f, 0.4f}), 1e-3f) << k;
    ASSERT_LT(Length(at.place("r_wrist") - wrist), 1e-3f) << k;
    ASSERT_LT(std::hypot(at.place("l_ankle").x - foot.x, at.place("l_ankle").z - foot.z), 1e-3f);
  }
  EXPECT_LT(e.At().place("l_elbow").y, e.At().place("l_shoulder").y);
}

TEST(Examples, TimelineGreetsAndGoesWhereItIsTold) {
  Example e("timeline");
  e.Tick(30);
  const float rest = e.At().place("r_wrist").y;
  e.Set("scene", "hello");
  e.Tick(60);
  EXPECT_GT(e.At().place("r_wrist").y, rest + 0.3f) << "it waves";
  EXPECT_GT(e.Weight("mouthSmileLeft"), 0.4f);
  e.Set("scene_s", "8.4");
  e.Tick(30);
  EXPECT_LT(e.At().place("r_wrist").y, rest + 0.05f);
  EXPECT_EQ(e.Get("scene"), 0) << "over, nine seconds in";
  EXPECT_EQ(e.Get("smile"), 0);
  e.Set("scene", "hello");
  e.Set("scene_s", "1");
  e.Tick(45);
  EXPECT_GT(e.At().place("r_wrist").y, rest + 0.3f) << "and back";
}

TEST(Examples, BlendingIsBetweenPosturesAndChangesHands) {
  Example listens("blending"), thinks("blending"), between("blending");
  for (Example* e : {&listens, &thinks, &between}) {
    e->Set("energy", "-1");
    e->Set("warmth", "1");
  }
  thinks.Set("doubt", "1");
  between.Set("doubt", "0.5");
  for (Example* e : {&listens, &thinks, &between}) e->Tick(120);
  const Vec3 a = listens.At().place("r_wrist"), b = thinks.At().place("r_wrist"),
             half = between.At().place("r_wrist");
  EXPECT_GT(Length(a - b), 0.2f) << "a hand at the chin";
  EXPECT_LT(Length(half - a), Length(b - a));
  EXPECT_LT(Length(half - b), Length(b - a));
  Example right("blending"), left("blending");
  left.Set("left_handed", "true");
  for (Example* e : {&right, &left}) {
    e->Tick(60);
    e->Set("gesture_state", "wave");
    e->Tick(45);
  }
  EXPECT_GT(right.At().place("r_wrist").y, right.At().place("l_wrist").y + 0.3f);
  EXPECT_NEAR(left.At().place("l_wrist").y, right.At().place("r_wrist").y, 0.02f);
}

TEST(Examples, FaceJointsOpenTheJawAndLeaveTheShapeAtRest) {
  Example e("face_joints");
  e.Tick(30);
  e.Set("facial_gesture_state", "yawn");
  const int jaw = e.rig->FindJoint("temporomandibular");
  ASSERT_GE(jaw, 0);
  double widest = 0;
  for (int k = 0; k < 60; ++k) {
    e.Tick();
    EXPECT_EQ(e.Weight("jawOpen"), 0);
    const double turn = AngleBetween(e.pose.view().rotation(jaw), e.rig->rest().rotation(jaw));
    widest = std::max(widest, turn * kDegrees);
  }
  EXPECT_GT(widest, 8);
}

TEST(Examples, PropsTakesACupLooksAtItAndDrinks) {
  Example e("props");
  const skel::HandGrip grip = skel::GripOf(*e.rig, 1);
  const auto hand = [&] { return PlaceOfGrip(*e.rig, e.pose.view(), grip); };
  std::vector<PropSiteInput> sites(3);
  sites[0].name = "side", sites[1].name = "rim", sites[2].name = "bottom";
  sites[0].any_side = true;
  const Vec3 cup{-0.1f, 0.85f, 0.42f};
  PropInput prop;
  prop.name = "cup";
  prop.place.at = cup;
  sites[0].place.at = cup + Vec3{0, 0.05f, 0};
  prop.sites = sites;
  e.props = {prop};
  e.Tick(30);
  e.Set("right", "cup");
  e.Tick(5);
  EXPECT_GT(e.Weight("eyeLookDownLeft") + e.Weight("eyeLookDownRight"), 0.2f) << "the eyes first";
  e.Tick(55);
  EXPECT_LT(Length(hand().at - sites[0].place.at), 0.03f);
  // In the hand from now on, its rim above and towards the avatar.
  sites[1].in_hand = {{0, 0.05f, -0.035f}, {}};
  e.props[0].hand = 1;
  e.Set("right", "mouth");
  e.Tick(70);
  const Vec3 rim = (hand() * sites[1].in_hand).at;
  const Vec3 chin = e.At().place("skullbase") + e.At().Direction("skullbase", {0, -0.05f, 0.07f});
  EXPECT_LT(Length(rim - chin), 0.08f) << "the rim is at the mouth";
  EXPECT_LT(Rotate(hand().turn, {0, 1, 0}).z, -0.3f) << "tipped towards the face";
}

}  // namespace
}  // namespace posewire::graph
