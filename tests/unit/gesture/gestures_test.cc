#include "libs/gesture_loader/gestures.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/gesture/body.h"
#include "libs/gesture/neutral_stance.h"
#include "libs/skel/rig.h"
#include "tests/unit/gesture/clip_regions.h"
#include "tests/unit/gesture/forward.h"

namespace posewire::gesture {
namespace {

using skel::Quat;
using skel::Vec3;
using testing::HasSubstr;

const std::shared_ptr<const skel::Rig>& Loa3() {
  static const auto* rig =
      new std::shared_ptr<const skel::Rig>(*skel::RigCatalog::Builtin()->Find("hanim_loa3"));
  return *rig;
}
const clip::ClipLibrary& Library() {
  static const auto* library = new std::shared_ptr<const clip::ClipLibrary>(*MakeGestures(Loa3()));
  return **library;
}
const skel::Pose& Neutral() {
  static const auto* pose = new skel::Pose(*NeutralStance(*Loa3()));
  return *pose;
}

// The instant at `part` of the clip's length.
Forward At(const char* name, double part) {
  const clip::Clip* clip = Library().Find(name);
  const int f = static_cast<int>(std::lround((clip->frames() - 1) * part));
  return Forward(*Loa3(), clip->frame(f), Neutral().view());
}

float Flex(const skel::PoseView& pose, const std::string& joint) {
  return std::fabs(Log(pose.rotation(Loa3()->FindJoint(joint))).z) * kDegrees;
}

// Of the first 30 degrees of an arm's elevation the clavicle has little part, and of the rest a
// third.
TEST(Gestures, ShouldersRiseWithArmsAndNotBeforeThem) {
  for (const char* name : {"raise_both_arms", "goodbye", "raise_finger", "wave", "success",
                           "welcome", "stupid", "trying_to_see"}) {
    const clip::Clip* clip = Library().Find(name);
    float highest = 0;
    for (int f = 0; f < clip->frames(); ++f) {
      const skel::PoseView pose = clip->frame(f);
      for (const char* side : {"l_", "r_"}) {
        const auto turn = [&](const char* joint) {
          const int j = Loa3()->FindJoint(std::string(side) + joint);
          return pose.has_r[j] ? pose.rotation(j) : Neutral().view().rotation(j);
        };
        const Quat clavicle = Mul(turn("sternoclavicular"), turn("acromioclavicular"));
        const Vec3 out = Rotate(clavicle, {side[0] == 'l' ? 1.0f : -1.0f, 0, 0});
        const Vec3 arm = Rotate(Mul(clavicle, turn("shoulder")), {0, -1, 0});
        const float rises = std::asin(out.y) * kDegrees, up = std::acos(-arm.y) * kDegrees;
        highest = std::max(highest, up);
        EXPECT_LT(rises, 3 + std::max(up - 30, 0.0f) / 3) << name << " " << side << f << " " << up;
      }
    }
    EXPECT_GT(highest, 40) << name << " raises an arm";
  }
}

// Hanging arms are neither straight nor stiff.
TEST(Gestures, HangingArmsAreBentAndTheirFingersCurled) {
  const auto turned = [](const skel::PoseView& pose, const std::string& joint) {
    return AngleBetween(pose.rotation(Loa3()->FindJoint(joint)), {}) * kDegrees;
  };
  const auto looks_loose = [&](const skel::PoseView& pose, const std::string& where) {
    for (const std::string side : {"l_", "r_"}) {
      EXPECT_GT(turned(pose, side + "elbow"), 15) << where << " " << side;
      EXPECT_LT(turned(pose, side + "elbow"), 45) << where << " " << side;
      EXPECT_GT(turned(pose, side + "middle2"), 24) << where << " " << side;
      EXPECT_GT(turned(pose, side + "pinky1"), 24) << where << " " << side;
    }
  };
  looks_loose(Neutral().view(), "neutral");
  for (const char* name : {"rest_sides", "posture_idle"}) {
    const clip::Clip* clip = Library().Find(name);
    for (int f = 0; f < clip->frames(); f += 10) {
      looks_loose(clip->frame(f), name + std::to_string(f));
    }
  }
}

TEST(Gestures, AllTheNamesAreThere) {
  const std::vector<std::string> body = {"angry_shaking_fist",
                                         "attraction",
                                         "bow",
                                         "chefs_kiss",
                                         "come_here",
                                         "count_1",
                                         "count_2",
                                         "count_3",
                                         "count_4",
                                         "count_5",
                                         "count_6",
                                         "count_7",
                                         "count_8",
                                         "count_9",
                                         "dont_understand",
                                         "driving_mime",
                                         "exhausted",
                                         "finger_guns",
                                         "finger_wag",
                                         "fistbump_offer",
                                         "goodbye",
                                         "hi",
                                         "idle_shift_1",
                                         "idle_shift_2",
                                         "listen",
                                         "little",
                                         "money",
                                         "more_or_less",
                                         "no",
                                         "nod",
                                         "open_question",
                                         "ouch",
                                         "personal_statement",
                                         "phone_dialing",
                                         "please_repeat",
                                         "point_backward",
                                         "point_down",
                                         "point_left",
                                         "point_right",
                                         "point_self",
                                         "point_self_question",
                                         "point_you",
                                         "point_you_question",
                                         "present",
                                         "presenting_options",
                                         "pulling_mime",
                                         "raise_both_arms",
                                         "raise_finger",
                                         "robot",
                                         "shake",
                                         "shrug",
                                         "stupid",
                                         "success",
                                         "talk_beat_1",
                                         "talk_beat_2",
                                         "talk_beat_3",
                                         "tell_secret",
                                         "think",
                                         "thumbs_down",
                                         "thumbs_up",
                                         "toss",
                                         "trying_to_see",
                                         "wave",
                                         "welcome"};
  EXPECT_THAT(GestureNames(GestureKind::kBody), testing::UnorderedElementsAreArray(body));
  const std::vector<std::string> facial = {
      "angry",       "big_smile",  "bored",     "confused", "disgust", "excited", "eye_roll",
      "fear",        "frown",      "kiss",      "laugh",    "pensive", "pout",    "puff_cheeks",
      "raise_brows", "sad",        "skeptical", "smile",    "smirk",   "squint",  "surprise",
      "taunt",       "tongue_out", "wink",      "yawn"};
  EXPECT_THAT(GestureNames(GestureKind::kFacial), testing::UnorderedElementsAreArray(facial));
  EXPECT_THAT(GestureNames(GestureKind::kPosture),
              testing::ElementsAre("posture_attentive", "posture_idle", "posture_listening",
                                   "posture_talking", "posture_thinking", "rest_ready",
                                   "rest_sides", "rest_waist", "rest_wrist"));
  EXPECT_THAT(GestureNames(GestureKind::kLayer), testing::ElementsAre("fidget", "shiver"));
}

TEST(Gestures, EachIsListedOnceWithItsKind) {
  const std::vector<GestureInfo> list = ListGestures();
  EXPECT_EQ(list.size(), Library().clips().size());
  for (size_t i = 0; i < list.size(); ++i) {
    const GestureInfo& g = list[i];
    if (i > 0) {
      EXPECT_LT(list[i - 1].name, g.name);
    }
    const clip::Clip* clip = Library().Find(g.name);
    ASSERT_NE(clip, nullptr) << g.name;
    EXPECT_EQ(clip->loops(), g.loops()) << g.name;
    EXPECT_EQ(clip->rate(), (timecode::FrameRate{30, 1}));
    const bool facial = g.kind == GestureKind::kFacial;
    const clip::ClipKind kind = facial                            ? clip::ClipKind::kFacialGesture
                                : g.kind == GestureKind::kBody    ? clip::ClipKind::kGesture
                                : g.kind == GestureKind::kPosture ? clip::ClipKind::kPosture
                                                                  : clip::ClipKind::kLayer;
    EXPECT_EQ(clip->kind(), kind) << g.name;
    EXPECT_GE(clip->duration_s(), facial ? 1.0 : 1.2) << g.name;
    EXPECT_LE(clip->duration_s(), facial ? 3.01 : 10.5) << g.name;
  }
  const auto facial = *MakeGestures(Loa3(), GestureKind::kFacial);
  EXPECT_EQ(facial->clips().size(), GestureNames(GestureKind::kFacial).size());
  EXPECT_EQ(facial->Find("wave"), nullptr);
}

TEST(Gestures, TheSameOnEveryRun) {
  const auto again = *MakeGestures(Loa3());
  for (const auto& clip : Library().clips()) {
    const clip::Clip* other = again->Find(clip->name());
    ASSERT_EQ(other->frames(), clip->frames());
    for (int f = 0; f < clip->frames(); ++f) {
      const auto n = static_cast<size_t>(Loa3()->joints()) * sizeof(float);
      EXPECT_EQ(0, std::memcmp(clip->frame(f).qx, other->frame(f).qx, n));
      EXPECT_EQ(0, std::memcmp(clip->frame(f).qw, other->frame(f).qw, n));
    }
  }
}

TEST(Gestures, StartAndEndInTheNeutralStance) {
  for (const auto& clip : Library().clips()) {
    if (clip->loops()) continue;
    for (int f : {0, clip->frames() - 1}) {
      const skel::PoseView p = clip->frame(f);
      for (int j = 0; j < p.joints; ++j) {
        if (p.has_r[j]) {
          EXPECT_LT(AngleBetween(p.rotation(j), Neutral().view().rotation(j)) * kDegrees, 0.3f)
              << clip->name() << " frame " << f << " joint "
              << Loa3()->joint_names()[static_cast<size_t>(j)];
        }
        if (p.has_t[j]) {
          EXPECT_LT(Length(p.translation(j) - Neutral().view().translation(j)), 1e-3f);
        }
      }
      for (int s = 0; s < p.shapes; ++s) {
        if (p.has_w[s] == 0) continue;
        EXPECT_NEAR(p.weights[s], 0, 1e-3) << clip->name();
      }
    }
  }
}

TEST(Gestures, CarryOnlyWhatTheyMove) {
  for (const auto& clip : Library().clips()) {
    const skel::PoseView first = clip->frame(0);
    int present = 0;
    for (int j = 0; j < first.joints; ++j) {
      present += first.has_r[j];
      EXPECT_EQ(first.has_s[j], 0);
      if (!first.has_r[j]) continue;
      float most = 0;
      for (int f = 0; f < clip->frames(); ++f) {
        EXPECT_EQ(clip->frame(f).has_r[j], 1);
        most =
            std::max(most, AngleBetween(clip->frame(f).rotation(j), first.rotation(j)) * kDegrees);
      }
    }
    const ClipRegions regions = RegionsOf(*clip);
    EXPECT_TRUE(present > 5 || regions.face) << clip->name();
    EXPECT_LT(present, 80) << clip->name();
  }
  EXPECT_EQ(Library().Find("nod")->frame(0).has_r[Loa3()->FindJoint("l_elbow")], 0);
  EXPECT_EQ(Library().Find("wave")->frame(0).has_r[Loa3()->FindJoint("l_elbow")], 0);
  EXPECT_EQ(Library().Find("wave")->frame(0).has_r[Loa3()->FindJoint("l_knee")], 0);
}

TEST(Gestures, RegionsSayWhatAClipCarries) {
  const ClipRegions wave = RegionsOf(*Library().Find("wave"));
  EXPECT_TRUE(wave.face && wave.head && wave.torso && wave.right_arm);
  EXPECT_FALSE(wave.left_arm || wave.legs);
  const ClipRegions smile = RegionsOf(*Library().Find("smile"));
  EXPECT_TRUE(smile.face);
  EXPECT_FALSE(smile.head || smile.torso || smile.left_arm || smile.right_arm || smile.legs);
  const ClipRegions idle = RegionsOf(*Library().Find("posture_idle"));
  EXPECT_TRUE(idle.head && idle.torso && idle.left_arm && idle.right_arm && idle.legs);
}

TEST(Gestures, FacialGesturesMoveTheFaceAndAtMostTheHead) {
  for (const std::string& name : GestureNames(GestureKind::kFacial)) {
    const clip::Clip* clip = Library().Find(name);
    const ClipRegions r = RegionsOf(*clip);
    EXPECT_TRUE(r.face) << name;
    EXPECT_FALSE(r.torso || r.left_arm || r.right_arm || r.legs) << name;
    float most = 0;
    for (int f = 0; f < clip->frames(); ++f) {
      const skel::PoseView p = clip->frame(f);
      for (int s = 0; s < p.shapes; ++s) {
        if (p.has_w[s] != 0) most = std::max(most, p.weights[s]);
      }
      const Forward w(*Loa3(), p, Neutral().view());
      EXPECT_LT(AngleBetween(w.turn[w.index("skullbase")], {}) * kDegrees, 16) << name;
    }
    EXPECT_GE(most, 0.5f) << name;
  }
}

TEST(Gestures, NothingMovesTooFast) {
  for (const auto& clip : Library().clips()) {
    for (int f = 1; f < clip->frames(); ++f) {
      const skel::PoseView a = clip->frame(f - 1), b = clip->frame(f);
      for (int j = 0; j < a.joints; ++j) {
        if (!a.has_r[j]) continue;
        EXPECT_LT(AngleBetween(a.rotation(j), b.rotation(j)) * kDegrees, 20)
            << clip->name() << " frame " << f << " joint "
            << Loa3()->joint_names()[static_cast<size_t>(j)];
      }
      for (int s = 0; s < a.shapes; ++s) {
        if (a.has_w[s] == 0) continue;
        EXPECT_LT(std::fabs(a.weights[s] - b.weights[s]), 0.3) << clip->name();
      }
    }
  }
}

TEST(Gestures, WristsKeepToHumanSpeeds) {
  for (const auto& clip : Library().clips()) {
    for (const char* wrist : {"l_wrist", "r_wrist"}) {
      Vec3 last = Forward(*Loa3(), clip->frame(0), Neutral().view()).place(wrist);
      float speed = 0;
      for (int f = 1; f < clip->frames(); ++f) {
        const Vec3 at = Forward(*Loa3(), clip->frame(f), Neutral().view()).place(wrist);
        const float now = Length(at - last) * 30;
        EXPECT_LT(now, 7) << clip->name() << " frame " << f << " " << wrist << ": m/s";
        EXPECT_LT(std::fabs(now - speed) * 30, 120)
            << clip->name() << " frame " << f << " " << wrist << ": m/s2";
        speed = now;
        last = at;
      }
    }
  }
}

TEST(Gestures, TwoHandsAreNeverMirrorImages) {
  for (const auto& clip : Library().clips()) {
    const ClipRegions regions = RegionsOf(*clip);
    if (!regions.left_arm || !regions.right_arm) continue;
    float most = 0;
    for (int f = 0; f < clip->frames(); ++f) {
      for (const char* joint : {"shoulder", "elbow", "wrist"}) {
        const std::string name = joint;
        Quat mirrored = clip->frame(f).rotation(Loa3()->FindJoint("r_" + name));
        mirrored.y = -mirrored.y, mirrored.z = -mirrored.z;
        const Quat left = clip->frame(f).rotation(Loa3()->FindJoint("l_" + name));
        most = std::max(most, AngleBetween(left, mirrored) * kDegrees);
      }
    }
    EXPECT_GT(most, 1) << clip->name();
  }
}

TEST(Gestures, KeepTheJointLimitsOfTheRig) {
  ASSERT_EQ(static_cast<int>(Loa3()->limits().size()), Loa3()->joints());
  std::map<std::string, std::pair<float, std::string>> worst;
  for (const auto& clip : Library().clips()) {
    for (int f = 0; f < clip->frames(); ++f) {
      const skel::PoseView p = clip->frame(f);
      for (int j = 0; j < p.joints; ++j) {
        if (!p.has_r[j]) continue;
        const std::string& name = Loa3()->joint_names()[static_cast<size_t>(j)];
        const skel::JointLimit& limit = Loa3()->limits()[static_cast<size_t>(j)];
        const Vec3 r = skel::SwingTwist(p.rotation(j));
        const float over = std::max({limit.min.x - r.x, r.x - limit.max.x, limit.min.y - r.y,
                                     r.y - limit.max.y, limit.min.z - r.z, r.z - limit.max.z});
        if (over * kDegrees < 0.1f) continue;
        auto& [most, text] = worst[clip->name() + " " + name];
        if (over * kDegrees <= most) continue;
        most = over * kDegrees;
        text = absl::StrFormat("frame %d: %.1f, %.1f, %.1f", f, r.x * kDegrees, r.y * kDegrees,
                               r.z * kDegrees);
      }
    }
  }
  for (const auto& [where, over] : worst) {
    ADD_FAILURE() << where << " is over by " << over.first << " degrees at " << over.second;
  }
}

TEST(Gestures, ElbowsNeverBendBackwards) {
  const Body body = *Body::Make(*Loa3());
  for (const auto& clip : Library().clips()) {
    for (int f = 0; f < clip->frames(); ++f) {
      const Forward w(*Loa3(), clip->frame(f), Neutral().view());
      for (Side side : {Side::kLeft, Side::kRight}) {
        const std::string p = side == Side::kLeft ? "l_" : "r_";
        const Vec3 upper = w.place(p + "elbow") - w.place(p + "shoulder");
        const Vec3 fore = w.place(p + "wrist") - w.place(p + "elbow");
        Vec3 hinge = body.arm(side).hinge;
        if (side == Side::kRight) hinge = {hinge.x, -hinge.y, -hinge.z};
        const Vec3 axis = w.Direction(p + "shoulder", hinge);
        EXPECT_GT(Dot(Cross(upper, fore), axis), -1e-4f) << clip->name() << " frame " << f;
      }
    }
  }
}

TEST(Gestures, HandsAndForearmsStayOutOfTheTorsoAndHead) {
  struct Ball {
    const char* joint;
    Vec3 centre;  // in the joint's space
    Vec3 radii;
  };
  // Ellipsoids well inside a person's skin: what pierces them is plainly wrong.
  const Ball balls[] = {{"vt6", {0, -0.02f, 0.085f}, {0.145f, 0.13f, 0.085f}},
                        {"vl1", {0, 0, 0.085f}, {0.13f, 0.12f, 0.08f}},
                        {"sacroiliac", {0, 0.02f, -0.005f}, {0.15f, 0.11f, 0.09f}},
                        {"skullbase", {0, 0.05f, -0.01f}, {0.068f, 0.09f, 0.085f}}};
  for (const auto& clip : Library().clips()) {
    for (int f = 0; f < clip->frames(); ++f) {
      const Forward w(*Loa3(), clip->frame(f), Neutral().view());
      for (const std::string p : {"l_", "r_"}) {
        std::vector<std::pair<std::string, Vec3>> points = {
            {"wrist", w.place(p + "wrist")},
            {"forearm", Lerp(w.place(p + "elbow"), w.place(p + "wrist"), 0.5f)},
            {"elbow", w.place(p + "elbow")}};
        for (const char* j :
             {"thumb3", "index2", "index3", "middle1", "middle3", "pinky1", "pinky3"}) {
          points.emplace_back(j, w.place(p + j));
        }
        points.emplace_back("index tip",
                            w.place(p + "index3") + w.Direction(p + "index3", {0, -0.026f, 0}));
        for (const Ball& b : balls) {
          const size_t joint = w.index(b.joint);
          for (const auto& [what, at] : points) {
            const Vec3 d = Rotate(Conjugate(w.turn[joint]), at - w.at[joint]) - b.centre;
            const float q = Length(Vec3{d.x / b.radii.x, d.y / b.radii.y, d.z / b.radii.z});
            EXPECT_GT(q, 1) << clip->name() << " frame " << f << ": " << p << what << " in "
                            << b.joint;
          }
        }
      }
    }
  }
}

TEST(Gestures, FeetStayPut) {
  const Forward rest(*Loa3(), Loa3()->rest(), Loa3()->rest());
  for (const auto& clip : Library().clips()) {
    for (int f = 0; f < clip->frames(); ++f) {
      const Forward w(*Loa3(), clip->frame(f), Neutral().view());
      for (const char* joint : {"l_metatarsal", "r_metatarsal"}) {
        EXPECT_LT(Length(w.place(joint) - rest.place(joint)), 2e-3f)
            << clip->name() << " " << joint;
      }
      // A heel may come up where the weight is on the other foot.
      const float left = w.place("l_ankle").y - rest.place("l_ankle").y,
                  right = w.place("r_ankle").y - rest.place("r_ankle").y;
      EXPECT_GT(std::min(left, right), -2e-3f) << clip->name();
      EXPECT_LT(std::min(left, right), 2e-3f) << clip->name();
      EXPECT_LT(std::max(left, right), 0.05f) << clip->name();
    }
  }
}

TEST(Gestures, WaveHasThePalmInFrontAndSwingsAboutThreeTimes) {
  const clip::Clip* wave = Library().Find("wave");
  const int joint = Loa3()->FindJoint("r_elbow");
  int turns = 0;
  float last = 0;
  for (int f = 22; f < 62; ++f) {
    const Forward w(*Loa3(), wave->frame(f), Neutral().view());
    EXPECT_GT(w.Direction("r_wrist", {1, 0, 0}).z, 0.7f) << f;
    EXPECT_GT(w.place("r_middle3").y, 1.6f) << f;
    EXPECT_GT(w.place("r_wrist").y, w.place("r_elbow").y + 0.15f) << f;
    const float step =
        Log(wave->frame(f).rotation(joint)).x - Log(wave->frame(f - 1).rotation(joint)).x;
    if (step * last < 0) ++turns;
    if (step != 0) last = step;
  }
  EXPECT_GE(turns, 4);
  EXPECT_LE(turns, 7);
}

TEST(Gestures, PointingFingersPointWhereTheySay) {
  const auto finger = [](const Forward& w, const std::string& p) {
    return Normalized(w.place(p + "index3") - w.place(p + "index1"));
  };
  EXPECT_GT(finger(At("point_you", 0.45), "r_").z, 0.95f);
  EXPECT_NEAR(At("point_you", 0.45).place("r_index3").y, 1.4, 0.12);
  EXPECT_GT(finger(At("point_left", 0.45), "l_").x, 0.95f);
  EXPECT_LT(finger(At("point_right", 0.45), "r_").x, -0.95f);
  EXPECT_LT(finger(At("point_down", 0.60), "r_").y, -0.85f);
  const Forward self = At("point_self", 0.5);
  EXPECT_LT(finger(self, "r_").z, -0.3f);
  EXPECT_LT(Length(self.place("r_index3") - Vec3{0, 1.32f, 0.13f}), 0.12f);
  for (const char* name : {"point_you", "point_right", "point_down", "point_self"}) {
    const skel::PoseView p = Library().Find(name)->frame(Library().Find(name)->frames() * 45 / 100);
    EXPECT_LT(Flex(p, "r_index1") + Flex(p, "r_index2"), 15) << name;
    EXPECT_GT(Flex(p, "r_middle1") + Flex(p, "r_middle2"), 140) << name;
  }
}

TEST(Gestures, CountsShowThatManyFingers) {
  for (int n = 1; n <= 5; ++n) {
    const clip::Clip* clip = Library().Find("count_" + std::to_string(n));
    const skel::PoseView p = clip->frame(clip->frames() / 2);
    const Forward w(*Loa3(), p, Neutral().view());
    int straight = 0;
    for (const char* finger : {"index", "middle", "ring", "pinky"}) {
      const std::string f = std::string("r_") + finger;
      if (Flex(p, f + "1") + Flex(p, f + "2") < 20) ++straight;
    }
    const Vec3 thumb = w.place("r_thumb3") - w.place("r_wrist");
    if (Dot(thumb, w.Direction("r_wrist", {0, 0, 1})) > 0.08f) ++straight;
    EXPECT_EQ(straight, n);
    EXPECT_GT(w.Direction("r_wrist", {1, 0, 0}).z, 0.8f) << "the palm faces the viewer";
    EXPECT_GT(w.Direction("r_wrist", {0, -1, 0}).y, 0.9f);
  }
}

TEST(Gestures, ThumbsUpPointsTheThumbUp) {
  const Forward w = At("thumbs_up", 0.5);
  EXPECT_GT(Normalized(w.place("r_thumb3") - w.place("r_thumb1")).y, 0.9f);
  const clip::Clip* clip = Library().Find("thumbs_up");
  EXPECT_GT(Flex(clip->frame(clip->frames() / 2), "r_index2"), 85);
}

TEST(Gestures, HeadAndTorsoDoWhatTheNameSays) {
  EXPECT_LT(At("nod", 0.28).Direction("skullbase", {0, 0, 1}).y, -0.35f);
  EXPECT_GT(std::fabs(At("shake", 0.28).Direction("skullbase", {0, 0, 1}).x), 0.4f);
  EXPECT_LT(At("bow", 0.5).place("skullbase").y, 1.45f);
  EXPECT_GT(At("bow", 0.5).place("skullbase").z, 0.3f);
  const Forward shrug = At("shrug", 0.45);
  EXPECT_GT(shrug.place("l_shoulder").y, 1.47f);
  EXPECT_GT(shrug.Direction("l_wrist", {-1, 0, 0}).y, 0.7f);
  EXPECT_GT(shrug.Direction("r_wrist", {1, 0, 0}).y, 0.7f);
  const Forward ask = At("open_question", 0.5);
  EXPECT_GT(ask.Direction("l_wrist", {-1, 0, 0}).y, 0.7f);
  EXPECT_GT(ask.place("r_wrist").z, 0.25f);
  const Forward think = At("think", 0.5);
  EXPECT_LT(Length(think.place("r_index2") - think.place("skullbase") -
                   think.Direction("skullbase", {0, -0.08f, 0.07f})),
            0.11f);
  const Forward listen = At("listen", 0.5);
  EXPECT_LT(Length(listen.place("r_middle1") - listen.place("skullbase") -
                   listen.Direction("skullbase", {-0.08f, 0.015f, 0.0f})),
            0.125f);
  EXPECT_GT(At("idle_shift_1", 0.5).place("sacroiliac").x, 0.03f);
  EXPECT_LT(At("idle_shift_2", 0.5).place("sacroiliac").x, -0.03f);
}

}  // namespace
}  // namespace posewire::gesture
