// Somebody's recorded walk, carried over to our rigs: ../shared/data/freebvh.bvh, where it is
// there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "libs/retarget/retarget.h"
#include "libs/skel/model_place.h"
#include "libs/skel/pose.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/clipio/parsed_message.h"

namespace posewire::clipio {
namespace {

using Bone = skel::HumanBone;
using skel::Vec3;

constexpr const char* kRigs[] = {"hanim_loa1", "hanim_loa2", "hanim_loa3",
                                 "hanim_loa4", "ace_biped",  "vrm"};
constexpr std::pair<Bone, Bone> kArms[] = {{Bone::kLeftUpperArm, Bone::kLeftLowerArm},
                                           {Bone::kLeftLowerArm, Bone::kLeftHand},
                                           {Bone::kRightUpperArm, Bone::kRightLowerArm},
                                           {Bone::kRightLowerArm, Bone::kRightHand}};
constexpr std::pair<Bone, Bone> kLegs[] = {{Bone::kLeftUpperLeg, Bone::kLeftLowerLeg},
                                           {Bone::kLeftLowerLeg, Bone::kLeftFoot},
                                           {Bone::kRightUpperLeg, Bone::kRightLowerLeg},
                                           {Bone::kRightLowerLeg, Bone::kRightFoot}};
// Lower feet stand.
constexpr float kStands_m = 0.02f;

// The poses of a clip on a skeleton, at rest where it says nothing.
std::vector<skel::Pose> Poses(recording::ClipReader& clip, const skel::Rig& rig) {
  std::vector<skel::Pose> out;
  std::vector<int> joints;
  while (true) {
    auto message = NextParsed(clip);
    EXPECT_TRUE(message.ok()) << message.status();
    if (!message.ok() || !*message) return out;
    if ((*message)->has_animation_data_stream_header()) {
      const auto& names = (*message)->animation_data_stream_header().skel_animation_header();
      for (const std::string& joint : names.joints()) joints.push_back(rig.FindJoint(joint));
    }
    const auto& frame = (*message)->animation_data().skel_animation();
    if (frame.rotations().empty()) continue;
    skel::Pose pose(rig.joints(), rig.shapes());
    pose.span().CopyFrom(rig.rest());
    for (size_t i = 0; i < joints.size(); ++i) {
      if (joints[i] < 0) continue;
      const auto& q = frame.rotations(0).values(static_cast<int>(i));
      pose.span().SetRotation(joints[i], {q.real(), q.i(), q.j(), q.k()});
      if (frame.translations().empty()) continue;
      const auto& t = frame.translations(0).values(static_cast<int>(i));
      pose.span().SetTranslation(joints[i], {t.x(), t.y(), t.z()});
    }
    out.push_back(std::move(pose));
  }
}

Vec3 At(const skel::Rig& rig, const skel::PoseView& pose, Bone bone) {
  return skel::PlaceOf(rig, pose, rig.humanoid().joint(bone)).at;
}

template <size_t n>
float MostApart(const std::pair<Bone, Bone> (&limbs)[n], const skel::Rig& from,
                const skel::PoseView& was, const skel::Rig& to, const skel::PoseView& is) {
  float most = 0;
  for (const auto& [start, end] : limbs) {
    const Vec3 a = At(from, was, end) - At(from, was, start);
    const Vec3 b = At(to, is, end) - At(to, is, start);
    most = std::max(most, std::atan2(skel::Length(skel::Cross(a, b)), skel::Dot(a, b)) /
                              (std::numbers::pi_v<float> / 180));
  }
  return most;
}

// How far above its place at rest the lower of a foot's ankle and ball is.
float Height(const skel::Rig& rig, const skel::PoseView& pose, bool left) {
  float lowest_m = 1;
  for (const Bone bone :
       {left ? Bone::kLeftFoot : Bone::kRightFoot, left ? Bone::kLeftToes : Bone::kRightToes}) {
    if (rig.humanoid().joint(bone) < 0) continue;
    lowest_m = std::min(lowest_m, At(rig, pose, bone).y - At(rig, rig.rest(), bone).y);
  }
  return lowest_m;
}

float Lowest(const skel::Rig& rig, const skel::PoseView& pose) {
  return std::min(Height(rig, pose, false), Height(rig, pose, true));
}

TEST(RealWalk, WalksOnSixRigsAsItWasRecorded) {
  const char* const source = std::getenv("POSEWIRE_SOURCE_DIR");
  const std::string path =
      std::string(source == nullptr ? "." : source) + "/../shared/data/freebvh.bvh";
  if (!std::ifstream(path)) GTEST_SKIP() << "no ../shared/data/freebvh.bvh";
  auto own = OpenClip(path);
  ASSERT_TRUE(own.ok());
  ASSERT_TRUE((*own)->Next().ok());
  const auto from = (*own)->skeleton();
  ASSERT_NE(from, nullptr);
  own = OpenClip(path);
  const std::vector<skel::Pose> recorded = Poses(**own, *from);
  ASSERT_GT(recorded.size(), 60u);
  const auto catalog = *skel::RigCatalog::Builtin();
  float was_high_m = 0;
  for (const skel::Pose& pose : recorded)
    was_high_m = std::max(was_high_m, Lowest(*from, pose.view()));
  std::cout << "recorded: the lowest foot up to " << 1000 * was_high_m << " mm\n";
  for (const char* name : kRigs) {
    const auto to = *catalog.Find(name);
    const auto clip = retarget::Retarget(*OpenClip(path), to, catalog);
    const std::vector<skel::Pose> carried = Poses(*clip, *to);
    ASSERT_EQ(carried.size(), recorded.size());
    float arms_deg = 0, legs_deg = 0, high_m = 0, low_m = 0, stands_m = 0;
    const float scale = At(*to, to->rest(), Bone::kHips).y / At(*from, from->rest(), Bone::kHips).y;
    for (size_t k = 0; k < carried.size(); ++k) {
      const auto was = recorded[k].view(), is = carried[k].view();
      arms_deg = std::max(arms_deg, MostApart(kArms, *from, was, *to, is));
      legs_deg = std::max(legs_deg, MostApart(kLegs, *from, was, *to, is));
      const float lowest_m = Lowest(*to, is);
      high_m = std::max(high_m, lowest_m), low_m = std::min(low_m, lowest_m);
      for (const bool left : {false, true}) {
        const float was_m = scale * Height(*from, was, left);
        if (was_m > kStands_m) continue;
        stands_m = std::max(stands_m, std::fabs(Height(*to, is, left) - was_m));
      }
      // Of the body's own left, for it turns on its way.
      const Vec3 across = At(*to, is, Bone::kLeftUpperLeg) - At(*to, is, Bone::kRightUpperLeg);
      EXPECT_GT(skel::Dot(At(*to, is, Bone::kLeftHand) - At(*to, is, Bone::kRightHand), across), 0)
          << name << " has crossed its arms at " << k;
    }
    std::cout << name << ": arms " << arms_deg << " and legs " << legs_deg
              << " degrees off at most; the lowest foot from " << 1000 * low_m << " to "
              << 1000 * high_m << " mm, standing ones " << 1000 * stands_m << " mm off\n";
    EXPECT_LT(arms_deg, 1) << name;
    EXPECT_LT(legs_deg, 1) << name;
    EXPECT_LT(stands_m, 0.01f) << name;
    EXPECT_LT(high_m, was_high_m + 0.01f) << name;
    EXPECT_GT(low_m, -0.01f) << name;
  }
}

}  // namespace
}  // namespace posewire::clipio
