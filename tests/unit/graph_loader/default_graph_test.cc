// What the default graph promises to those who drive it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/graph_loader/graph_file.h"
#include "libs/skel/capsules.h"
#include "libs/skel/model_place.h"
#include "tests/unit/gesture/forward.h"
#include "tests/unit/graph_loader/graph_text.h"

namespace posewire::graph {
namespace {

using testing::HasSubstr;

// The values that ACE's own configuration has for a variable.
std::vector<std::string> AceNames(absl::string_view variable) {
  const char* source = std::getenv("POSEWIRE_SOURCE_DIR");
  std::ifstream file(std::string(source == nullptr ? "." : source) + "/tests/data/ace_clips.csv");
  EXPECT_TRUE(file) << "POSEWIRE_SOURCE_DIR is the folder of the sources";
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = absl::StrSplit(line, ',');
    if (cells[0] == variable) names.push_back(cells[1]);
  }
  return names;
}

// Two avatars with the same chance: one is told to do something, the other is not.
struct Pair {
  GraphRun told{DefaultText(), 5}, quiet{DefaultText(), 5};
  void Tick(int times = 1) {
    told.Tick(times);
    quiet.Tick(times);
  }
  Step difference() const { return LargestStep(told.pose.view(), quiet.pose.view()); }
};

// Speech that closes its lips: jaw and lips as of an "aba", over and over.
struct Speech {
  explicit Speech(const std::shared_ptr<const skel::Rig>& r)
      : rig(r), pose(r->joints(), r->shapes()) {
    input.playback_id = 7;
    input.source_service_id = "voice";
    input.owns_mouth = true;
  }
  const ProviderInput& At(int64_t tick) {
    const auto open = static_cast<float>(0.5 + 0.5 * std::sin(0.6 * static_cast<double>(tick)));
    for (int s = 0; s < rig->shapes(); ++s) pose.span().SetWeight(s, 0);
    pose.span().SetWeight(rig->FindShape("jawOpen"), 0.5f * open);
    pose.span().SetWeight(rig->FindShape("mouthClose"), 0.2f * (1 - open));
    pose.span().SetWeight(rig->FindShape("mouthPressLeft"), 0.4f * (1 - open));
    pose.span().SetWeight(rig->FindShape("mouthPressRight"), 0.4f * (1 - open));
    pose.span().SetWeight(rig->FindShape("mouthFunnel"), 0.1f);
    input.pose = pose.view();
    return input;
  }
  std::shared_ptr<const skel::Rig> rig;
  skel::Pose pose;
  ProviderInput input;
};

TEST(DefaultGraph, EveryGestureThatAceNamesPlaysOrSaysWhatPlaysInstead) {
  Pair pair;
  const GraphAsset& asset = pair.told.graph->asset();
  const int variable = asset.variables()->Find("gesture_state");
  // In which hands rest in one place: a change of place that a gesture hides is eased less long.
  for (GraphRun* run : {&pair.told, &pair.quiet}) run->Set("posture_state", "Talking");
  pair.Tick(40);
  const std::vector<std::string> names = AceNames("gesture_state");
  ASSERT_EQ(names.size(), 62u);
  std::set<std::string> own;
  for (const std::string& name : names) {
    const auto value = asset.variables()->spec(variable).Parse(name);
    ASSERT_TRUE(value.ok()) << value.status();
    pair.told.told.clear();
    pair.told.Set("gesture_state", name);
    Step most;
    int ticks = 0;
    for (; ticks < 400 && pair.told.Get("gesture_state") != "none"; ++ticks) {
      pair.Tick();
      most.degrees = std::max(most.degrees, pair.difference().degrees);
    }
    EXPECT_GT(most.degrees, 15) << name;
    ASSERT_EQ(pair.told.told.size(), 2u) << name;
    const std::vector<std::string> started = absl::StrSplit(pair.told.told[0], ' ');
    const clip::Clip* clip = asset.clips()->Find(started.back());
    ASSERT_NE(clip, nullptr) << pair.told.told[0];
    EXPECT_NEAR(ticks / 30.0, clip->duration_s(), 0.2)
        << name << ": its length, then the posture again";
    // A clip belongs to one name; who asks for it by another is told.
    if (const std::string note = asset.NoteOn(variable, name); note.empty()) {
      EXPECT_TRUE(own.insert(clip->name()).second) << name << " plays " << clip->name();
    } else {
      EXPECT_THAT(note, HasSubstr(clip->name())) << name;
    }
    pair.Tick(30);
    EXPECT_LT(pair.difference().degrees, 0.5) << name << " leaves something behind";
  }
}

TEST(DefaultGraph, ThereIsAlwaysOnePostureAndAceNamesThem) {
  Pair pair;
  EXPECT_EQ(pair.told.Get("posture_state"), "Attentive");
  std::map<std::string, skel::Pose> shown;
  ASSERT_EQ(AceNames("posture_state").size(), 5u);
  for (const std::string& name : AceNames("posture_state")) {
    pair.told.Set("posture_state", name);
    for (int i = 0; i < 60; ++i) {
      pair.Tick();
      if (pair.told.tick < 2) continue;
      ASSERT_LT(pair.told.step().degrees, 12) << name << " tick " << pair.told.tick;
    }
    EXPECT_EQ(pair.told.Get("posture_state"), name);
    skel::Pose pose(pair.told.rig->joints(), pair.told.rig->shapes());
    pose.span().CopyFrom(pair.told.pose.view());
    for (const auto& [other, before] : shown) {
      EXPECT_GT(LargestStep(before.view(), pose.view()).degrees, 10) << name << ", " << other;
    }
    shown.emplace(name, std::move(pose));
  }
  pair.told.Set("posture_state", "attentive");
  EXPECT_EQ(pair.told.Get("posture_state"), "Attentive") << "upper or lower case";
}

// Through every ease and shift of weight, but for small steps: from where a foot has come down.
TEST(DefaultGraph, FeetStayOnTheGroundInEveryPosture) {
  GraphRun run(DefaultText(), 11);
  const gesture::Forward rest(*run.rig, run.rig->rest(), run.rig->rest());
  float worst = 0, far = 0, sunk = 0, heel = 0, both = 0, knee = 0;
  std::string worst_in;
  std::array<skel::Vec3, 2> stands{};
  std::array<bool, 2> in_air{};
  for (const std::string& name : AceNames("posture_state")) {
    run.Set("posture_state", name);
    for (int i = 0; i < 900; ++i) {
      run.Tick();
      const gesture::Forward now(*run.rig, run.pose.view(), run.rig->rest());
      std::array<float, 2> up{};
      for (size_t side = 0; side < 2; ++side) {
        const std::string p = side == 0 ? "l_" : "r_";
        const skel::Vec3 off = now.place(p + "metatarsal") - rest.place(p + "metatarsal");
        far = std::max(far, std::hypot(off.x, off.z));
        if (off.y > 0.003f) {
          in_air[side] = true;
        } else {
          if (in_air[side] && off.y < 0.001f) stands[side] = off, in_air[side] = false;
          const skel::Vec3 slid = off - stands[side];
          if (!in_air[side] && std::hypot(slid.x, slid.z) > worst) {
            worst = std::hypot(slid.x, slid.z), worst_in = name;
          }
        }
        sunk = std::max(sunk, -off.y);
        up[side] = now.place(p + "ankle").y - rest.place(p + "ankle").y;
        sunk = std::max(sunk, -up[side]);
        const skel::Quat bend = run.pose.view().rotation(run.rig->FindJoint(p + "knee"));
        knee = std::max(knee, AngleBetween(bend, {}) * kDegrees);
      }
      heel = std::max({heel, up[0], up[1]});
      both = std::max(both, std::min(up[0], up[1]));
    }
  }
  EXPECT_LT(worst, 0.009f) << "metres in " << worst_in;
  EXPECT_LT(far, 0.075f);
  EXPECT_LT(sunk, 0.005f);
  EXPECT_LT(both, 0.005f) << "no weight on either foot";
  // Weight that is off a foot shows in its heel and knee.
  EXPECT_GT(heel, 0.01f);
  EXPECT_GT(knee, 15);
}

TEST(DefaultGraph, APostureShiftsTheWholeBody) {
  GraphRun run(DefaultText(), 4);
  const int root = run.rig->FindJoint("HumanoidRoot"), knee = run.rig->FindJoint("r_knee");
  run.Set("posture_state", "listening");
  run.Tick(60);
  const clip::Clip* clip = run.graph->asset().clips()->Find("posture_listening");
  const skel::PoseView meant = clip->frame(0);
  ASSERT_TRUE(meant.has_t[root] && meant.has_r[knee]);
  EXPECT_LT(Length(run.pose.view().translation(root) - meant.translation(root)), 0.05f);
  EXPECT_GT(Length(meant.translation(root) - run.rig->rest().translation(root)), 0.02f);
  float most = 0;
  for (int i = 0; i < 600; ++i) {
    run.Tick();
    most = std::max(most,
                    Length(run.pose.view().translation(root) - run.rig->rest().translation(root)));
  }
  EXPECT_GT(most, 0.02f);
}

TEST(DefaultGraph, NoPostureIsEverStill) {
  GraphRun run(DefaultText(), 3);
  for (const std::string& name : AceNames("posture_state")) {
    run.Set("posture_state", name);
    run.Tick(60);
    for (int second = 0; second < 20; ++second) {
      skel::Pose before(run.rig->joints(), run.rig->shapes());
      before.span().CopyFrom(run.pose.view());
      run.Tick(30);
      EXPECT_GT(LargestStep(before.view(), run.pose.view()).degrees, 0.1) << name;
    }
  }
}

TEST(DefaultGraph, UnknownValuesTellOfTheKnownOnes) {
  GraphRun run(DefaultText());
  const std::pair<const char*, const char*> cases[] = {{"posture_state", "Listening"},
                                                       {"gesture_state", "there are 1"},
                                                       {"facial_gesture_state", "big_smile"}};
  for (const auto& [variable, known] : cases) {
    const absl::Status s = Set(*run.graph, variable, "Cartwheel");
    EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(s.message()), HasSubstr("Cartwheel"));
    EXPECT_THAT(std::string(s.message()), HasSubstr(known));
  }
}

TEST(DefaultGraph, ANumberBehindANameIsAVariantOfIt) {
  GraphRun run(DefaultText());
  const GraphAsset& asset = run.graph->asset();
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"gesture_state", "Bowing_7", "bow"},
      {"gesture_state", "wave_2", "wave"},
      {"gesture_state", "pointing_left_12", "point_left"},
      {"facial_gesture_state", "Smile_2", "smile"}};
  for (const auto& [variable, text, clip] : cases) {
    const int at = asset.variables()->Find(variable);
    ASSERT_TRUE(asset.variables()->spec(at).Parse(text).ok()) << text;
    EXPECT_EQ(asset.NoteOn(at, text),
              absl::StrCat("there is no clip ", text, "; the nearest one plays: ", clip));
  }
  const std::pair<const char*, const char*> others[] = {
      {"gesture_state", "count_10"}, {"gesture_state", "Bowing_"}, {"gesture_state", "Bowing_1234"},
      {"gesture_state", "Bowing2"},  {"gesture_state", "_2"},      {"posture_state", "Talking_2"},
      {"shot_state", "wide_2"}};
  for (const auto& [variable, text] : others) {
    EXPECT_FALSE(Set(*run.graph, variable, text).ok()) << variable << " " << text;
  }
}

TEST(DefaultGraph, AnUnknownGestureIsAnsweredWithTheNearestOnes) {
  GraphRun run(DefaultText());
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"gesture_state", "Chef_Kiss", "did you mean chefs_kiss"},
      {"gesture_state", "Bowling_2", "Bowing"},
      {"facial_gesture_state", "Taunting", "did you mean taunt?"}};
  for (const auto& [variable, text, near] : cases) {
    EXPECT_THAT(std::string(Set(*run.graph, variable, text).message()), HasSubstr(near));
  }
}

TEST(DefaultGraph, TheListsHoldEachKindOfClipAlone) {
  GraphRun run(DefaultText());
  const VariableSet& set = *run.graph->asset().variables();
  const auto values = [&](const char* name) {
    const auto& list = set.spec(set.Find(name)).values;
    return std::set<std::string>(list.begin(), list.end());
  };
  EXPECT_THAT(values("gesture_state"), testing::IsSupersetOf({"none", "wave", "Bowing_1"}));
  EXPECT_THAT(values("gesture_state"), testing::Not(testing::Contains("smile")));
  EXPECT_THAT(values("gesture_state"), testing::Not(testing::Contains("posture_idle")));
  EXPECT_EQ(values("facial_gesture_state").size(),
            1 + gesture::GestureNames(gesture::GestureKind::kFacial).size());
}

TEST(DefaultGraph, NoneEndsAGestureWithinItsEase) {
  for (const char* name : {"Driving_Mime", "raise_both_arms", "bow"}) {
    Pair pair;
    pair.told.Set("gesture_state", name);
    pair.Tick(35);
    EXPECT_GT(pair.difference().degrees, 15) << name;
    pair.told.Set("gesture_state", "none");
    pair.Tick(18);
    EXPECT_LT(pair.difference().degrees, 1) << name;
  }
  Pair pair;
  pair.told.Set("facial_gesture_state", "surprise");
  pair.Tick(20);
  EXPECT_GT(pair.difference().weight, 0.5f);
  pair.told.Set("facial_gesture_state", "none");
  pair.Tick(12);
  EXPECT_LT(pair.difference().weight, 0.02f);
}

TEST(DefaultGraph, FacialGesturesHaveTheWholeFaceWhenNobodySpeaks) {
  for (const std::string& name : gesture::GestureNames(gesture::GestureKind::kFacial)) {
    Pair pair;
    pair.Tick(5);
    pair.told.Set("facial_gesture_state", name);
    const clip::Clip* clip = pair.told.graph->asset().clips()->Find(name);
    skel::Pose meant(pair.told.rig->joints(), pair.told.rig->shapes());
    for (int k = 0; k < 110 && pair.told.Get("facial_gesture_state") != "none"; ++k) {
      pair.Tick();
      if (k < 12) continue;  // eased in
      clip->Sample(k / 30.0, meant.span());
      for (int s = 0; s < meant.view().shapes; ++s) {
        if (!meant.view().has_w[s] || k / 30.0 > clip->duration_s() - 0.1) continue;
        EXPECT_GE(pair.told.pose.view().weights[s], meant.view().weights[s] - 0.01f)
            << name << " tick " << k << " " << pair.told.rig->shape_names()[static_cast<size_t>(s)];
      }
    }
    EXPECT_EQ(pair.told.Get("facial_gesture_state"), "none") << name;
    EXPECT_EQ(pair.told.told.size(), 2u) << name << ": started and ended, each told once";
    pair.Tick(20);
    EXPECT_LT(pair.difference().weight, 0.01f) << name << " leaves something behind";
  }
}

TEST(DefaultGraph, SpeechKeepsItsLipsUnderAFacialGesture) {
  const char* const lips[] = {"jawOpen",          "jawForward",         "mouthClose",
                              "mouthFunnel",      "mouthPucker",        "mouthPressLeft",
                              "mouthPressRight",  "mouthRollLower",     "mouthRollUpper",
                              "mouthShrugLower",  "mouthLowerDownLeft", "mouthUpperUpRight",
                              "mouthStretchLeft", "cheekPuff",          "tongueOut"};
  for (const std::string& name : gesture::GestureNames(gesture::GestureKind::kFacial)) {
    Pair pair;
    Speech speech(pair.told.rig);
    float brows = 0, corners = 0;
    for (int k = 0; k < 90; ++k) {
      if (k == 15) pair.told.Set("facial_gesture_state", name);
      const ProviderInput input = speech.At(k);
      const std::vector<ProviderInput> inputs{input};
      pair.told.inputs.providers = inputs;
      pair.quiet.inputs.providers = inputs;
      pair.Tick();
      if (k < 15) continue;
      for (const char* shape : lips) {
        ASSERT_NEAR(pair.told.weight(shape), pair.quiet.weight(shape), 1e-6)
            << name << " tick " << k << " " << shape;
      }
      for (const char* shape : {"browDownLeft", "browInnerUp", "browOuterUpLeft", "eyeSquintLeft",
                                "eyeBlinkRight", "eyeBlinkLeft", "cheekSquintLeft"}) {
        brows = std::max(brows, std::fabs(pair.told.weight(shape) - pair.quiet.weight(shape)));
      }
      corners = std::max(corners, pair.told.weight("mouthSmileLeft"));
      for (const char* shape : {"browInnerUp", "browDownRight", "mouthSmileRight", "eyeWideLeft"}) {
        const int at = pair.told.rig->FindShape(shape);
        ASSERT_LT(std::fabs(pair.told.pose.view().weights[at] - pair.told.last.view().weights[at]),
                  0.3f)
            << name << " tick " << k << " " << shape;
      }
    }
    EXPECT_GT(brows, 0.12f) << name;
    if (name == "big_smile") {
      EXPECT_GT(corners, 0.4f) << "the voice still smiles";
      EXPECT_LT(corners, 0.7f);
    }
  }
}

// Whatever is set at every tick of a sentence, the lips are the source's, to the bit.
TEST(DefaultGraph, GesturesAndPosturesAtEveryTickLeaveTheLipsOfASourceAlone) {
  GraphRun run(DefaultText(), 6);
  Speech speech(run.rig);
  Random rng(3);
  const VariableSet& set = run.graph->variables().set();
  std::vector<int> lips;
  for (int s = 0; s < run.rig->shapes(); ++s) {
    const std::string& name = run.rig->shape_names()[static_cast<size_t>(s)];
    const bool corner = name.find("Smile") != std::string::npos ||
                        name.find("Frown") != std::string::npos ||
                        name.find("Dimple") != std::string::npos;
    if (!corner && (name.rfind("mouth", 0) == 0 || name.rfind("jaw", 0) == 0)) lips.push_back(s);
  }
  ASSERT_GT(lips.size(), 15u);
  float moved = 0;
  for (int k = 0; k < 150; ++k) {
    for (const char* name : {"gesture_state", "posture_state", "facial_gesture_state"}) {
      const int variable = set.Find(name);
      const auto choice = rng.Next() % static_cast<uint32_t>(set.spec(variable).values.size());
      if (k >= 15) run.graph->variables().Set(variable, {static_cast<double>(choice), {}});
    }
    const std::vector<ProviderInput> inputs{speech.At(k)};
    run.inputs.providers = inputs;
    run.Tick();
    if (k < 12) continue;
    moved = std::max(moved, run.step().degrees);
    for (int s : lips) {
      ASSERT_EQ(run.pose.view().weights[s], inputs[0].pose.weights[s])
          << k << " " << run.rig->shape_names()[static_cast<size_t>(s)];
    }
  }
  EXPECT_GT(moved, 3) << "the body obeys";
}

// A gesture begun anew every 50 ms is eased to its beginning, and the rest of the body goes on.
TEST(DefaultGraph, WhatIsNotAskedForGoesOnUnderAsksEvery50Ms) {
  Pair pair;
  pair.Tick(10);
  const int hip = pair.told.rig->FindJoint("l_hip");
  const int elbow = pair.told.rig->FindJoint("r_elbow");
  const clip::Clip* clip = pair.told.graph->asset().clips()->Find("wave");
  ASSERT_FALSE(clip->frame(0).has_r[hip]);
  for (int k = 0; k < 90; ++k) {
    if (k % 2 == 0) pair.told.Set("gesture_state", "wave");
    pair.Tick();
    EXPECT_EQ(pair.told.pose.view().qx[hip], pair.quiet.pose.view().qx[hip]) << k;
    if (k < 20) continue;
    const float off =
        AngleBetween(pair.told.pose.view().rotation(elbow), clip->frame(k % 2).rotation(elbow));
    EXPECT_LT(off * kDegrees, 3) << k << ": it is where the gesture is";
  }
}

TEST(DefaultGraph, ASourceThatMovesEyesAndLidsByJointsKeepsThemFromAFacialGesture) {
  Pair pair;
  Speech speech(pair.told.rig);
  const int lid = pair.told.rig->FindJoint("l_eyelid_joint");
  const int eye = pair.told.rig->FindJoint("l_eyeball_joint");
  ASSERT_TRUE(lid >= 0 && eye >= 0);
  float brows = 0;
  for (int k = 0; k < 80; ++k) {
    if (k == 20) pair.told.Set("facial_gesture_state", "eye_roll");
    ProviderInput input = speech.At(k);
    for (int joint : {lid, eye}) {
      speech.pose.span().SetRotation(joint, skel::FromAxisAngle({1, 0, 0}, 0.3f));
    }
    for (const char* shape : {"eyeLookUpLeft", "eyeBlinkLeft"}) {
      speech.pose.span().has_w[speech.rig->FindShape(shape)] = 0;
    }
    const std::vector<ProviderInput> inputs{input};
    pair.told.inputs.providers = inputs;
    pair.quiet.inputs.providers = inputs;
    pair.Tick();
    if (k < 20) continue;
    for (const char* shape : {"eyeLookUpLeft", "eyeLookOutRight", "eyeBlinkLeft"}) {
      ASSERT_NEAR(pair.told.weight(shape), pair.quiet.weight(shape), 1e-5) << k << " " << shape;
    }
    brows = std::max(brows, pair.told.weight("browOuterUpLeft"));
  }
  EXPECT_GT(brows, 0.3f) << "the rest of the gesture is seen";
}

TEST(DefaultGraph, TheCameraIsSentOnceAVariableOfItWasSet) {
  GraphRun run(DefaultText());
  run.Tick(60);
  EXPECT_FALSE(run.graph->outputs().has_camera);
  run.Set("shot_transition_speed", "cut");
  run.Set("shot_state", "full");
  run.Tick(3);
  ASSERT_TRUE(run.graph->outputs().has_camera);
  const VariableSet& set = *run.graph->asset().variables();
  for (const char* name : {"shot_state", "position_state", "camera_motion_effect_state"}) {
    run.Set("shot_state", "medium");
    run.Set("position_state", "Center");
    std::vector<CameraView> views;
    for (const std::string& value : set.spec(set.Find(name)).values) {
      run.Set("camera_motion_effect_state", "none");
      run.Tick(90);
      run.Set(name, value);
      run.Tick(100);
      const CameraView view = run.graph->outputs().camera;
      for (const CameraView& other : views) {
        EXPECT_GT(
            Length(view.position - other.position) + AngleBetween(view.rotation, other.rotation),
            0.005f)
            << name << " " << value;
      }
      views.push_back(view);
      // It sees the avatar: the middle of the body is in front of it.
      const skel::Vec3 way = skel::Vec3{0, 1.2f, 0} - view.position;
      EXPECT_GT(Dot(Normalized(way), Rotate(view.rotation, {0, 0, -1})), 0.8f) << value;
    }
  }
}

TEST(DefaultGraph, ShotsGoOverAtTheSpeedThatWasAskedFor) {
  const std::pair<const char*, double> speeds[] = {
      {"cut", 0}, {"fast", 0.6}, {"medium", 1.2}, {"slow", 1.8}};
  for (const auto& [name, seconds] : speeds) {
    GraphRun run(DefaultText());
    run.Set("shot_state", "wide");
    run.Set("shot_transition_speed", name);
    run.Tick(90);
    const skel::Vec3 from = run.graph->outputs().camera.position;
    run.Set("shot_state", "close_up");
    run.Tick(static_cast<int>(std::lround(seconds * 30 / 2)) + 1);
    const float half = Length(run.graph->outputs().camera.position - from);
    run.Tick(static_cast<int>(std::lround(seconds * 30 / 2)) + 1);
    const float whole = Length(run.graph->outputs().camera.position - from);
    EXPECT_GT(whole, 4) << name;
    if (seconds == 0) {
      EXPECT_NEAR(half, whole, 0.05) << name;
    } else {
      EXPECT_NEAR(half / whole, 0.5, 0.15) << name;
    }
  }
}

TEST(DefaultGraph, LooksAtAUserWhoIsThere) {
  Pair pair;
  UserInput user;
  user.name = "someone";
  user.has_head = true;
  user.head = {1.2f, 1.6f, 1.2f};  // 45 degrees to the avatar's left
  const std::vector<UserInput> users{user};
  pair.Tick(30);
  pair.told.inputs.users = users;
  float most = 0;
  for (int i = 0; i < 120; ++i) {
    pair.Tick();
    const gesture::Forward now(*pair.told.rig, pair.told.pose.view(), pair.told.rig->rest());
    const gesture::Forward then(*pair.quiet.rig, pair.quiet.pose.view(), pair.quiet.rig->rest());
    most = std::max(
        most, now.Direction("skullbase", {0, 0, 1}).x - then.Direction("skullbase", {0, 0, 1}).x);
  }
  EXPECT_GT(most, 0.3f) << "the head turns to the user";
  pair.told.Set("look_state", "none");
  pair.Tick(60);
  const int head = pair.told.rig->FindJoint("skullbase");
  EXPECT_LT(
      AngleBetween(pair.told.pose.view().rotation(head), pair.quiet.pose.view().rotation(head)) *
          kDegrees,
      5)
      << "and lets go";
}

// An arm across the body goes home to hang at its side while the trunk leans over it.
TEST(DefaultGraph, ArmsComeRoundTheHipsOfSomebodyWhoLeans) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    for (const int late : {20, 26, 33, 40}) {
      GraphRun run(DefaultText(), seed);
      const skel::Capsules capsules(run.rig);
      std::vector<float> depth(skel::Capsules::Pairs().size());
      run.Set("posture_state", "Thinking");
      run.Set("gesture_state", "tell_secret");
      for (int tick = 0; tick < 85; ++tick) {
        if (tick == late) run.Set("posture_state", "Idle");
        run.Tick();
        ASSERT_TRUE(capsules.Depths(run.pose.view(), absl::MakeSpan(depth)));
        ASSERT_LT(*std::max_element(depth.begin(), depth.end()), 0.01f)
            << "seed " << seed << ", posture at " << late << ", tick " << tick;
        if (tick < late + 30) continue;
        EXPECT_GT(PlaceOf(*run.rig, run.pose.view(), run.rig->FindJoint("l_wrist")).at.x, 0.1f)
            << "seed " << seed << ", posture at " << late << ", tick " << tick;
      }
    }
  }
}

TEST(DefaultGraph, PlaysArrangementsByName) {
  GraphRun run(DefaultText());
  run.Set("arrangement_state", "greet_and_speak");
  run.Tick(30);
  EXPECT_LT(DegreesFrom(*Gestures()->Find("welcome"), 29 / 30.0, run.pose.view(),
                        run.rig->FindJoint("r_elbow")),
            0.5);
  run.Tick(30 * 12);
  EXPECT_EQ(run.Get("arrangement_state"), "none") << "it goes on when no source comes";
}

TEST(DefaultGraph, LoadsOnEveryRigAndWhateverItsShapes) {
  const auto catalog = *skel::RigCatalog::Builtin("arkit68");
  for (const std::string& name : catalog.names()) {
    EXPECT_TRUE(MakeBuiltinGraphAsset("default", *catalog.Find(name), Gestures()).ok()) << name;
  }
  // Nothing in common with a body or a face.
  const auto odd = skel::Rig::Parse("rig crane\njoint Tower - 0 0 0\nshape wink\n");
  ASSERT_TRUE(odd.ok()) << odd.status();
  const auto asset = MakeBuiltinGraphAsset("default", *odd, Gestures());
  EXPECT_TRUE(asset.ok()) << asset.status();
}

}  // namespace
}  // namespace posewire::graph
