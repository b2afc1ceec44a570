// Postures and layers: what loops.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "libs/gesture/neutral_stance.h"
#include "libs/gesture_loader/gestures.h"
#include "libs/skel/rig.h"
#include "tests/unit/gesture/clip_regions.h"
#include "tests/unit/gesture/forward.h"

namespace posewire::gesture {
namespace {

using skel::Quat;
using skel::Vec3;

class LoopsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    rig_ = new std::shared_ptr<const skel::Rig>(*skel::RigCatalog::Builtin()->Find("hanim_loa3"));
  }
  static void TearDownTestSuite() { delete rig_; }
  static const skel::Rig& rig() { return **rig_; }
  static std::vector<std::shared_ptr<const clip::Clip>> Of(GestureKind kind) {
    return (*MakeGestures(*rig_, kind))->clips();
  }
  static std::vector<std::shared_ptr<const clip::Clip>> Loops() {
    auto all = Of(GestureKind::kPosture);
    for (const auto& clip : Of(GestureKind::kLayer)) all.push_back(clip);
    return all;
  }

  static std::shared_ptr<const skel::Rig>* rig_;
};

std::shared_ptr<const skel::Rig>* LoopsTest::rig_ = nullptr;

// How far a joint turns from one frame to the next, the frames counted round the loop.
Vec3 Step(const clip::Clip& clip, int joint, int frame) {
  const Quat a = clip.frame(frame % clip.frames()).rotation(joint);
  const Quat b = clip.frame((frame + 1) % clip.frames()).rotation(joint);
  return Log(Normalized(Mul(Conjugate(a), b))) * kDegrees;
}

TEST_F(LoopsTest, TheSeamIsAsSmoothAsTheRest) {
  for (const auto& clip : Loops()) {
    const int n = clip->frames();
    for (int j = 0; j < rig().joints(); ++j) {
      if (clip->frame(0).has_r[j] == 0) continue;
      float within = 0;
      for (int f = 0; f + 2 < n; ++f) {
        within = std::max(within, Length(Step(*clip, j, f + 1) - Step(*clip, j, f)));
      }
      // The two bends that have the seam in them.
      for (int f : {n - 2, n - 1}) {
        EXPECT_LE(Length(Step(*clip, j, f + 1) - Step(*clip, j, f)), 1.2f * within + 0.02f)
            << clip->name() << " " << rig().joint_names()[static_cast<size_t>(j)];
      }
    }
    const skel::PoseView first = clip->frame(0), last = clip->frame(n - 1);
    for (int s = 0; s < first.shapes; ++s) {
      if (first.has_w[s] == 0) continue;
      EXPECT_NEAR(first.weights[s], last.weights[s], 0.02) << clip->name();
    }
    const int root = rig().FindJoint("HumanoidRoot");
    if (first.has_t[root] != 0) {
      EXPECT_LT(Length(first.translation(root) - last.translation(root)), 5e-4f) << clip->name();
    }
  }
}

TEST_F(LoopsTest, PosturesHoldTheWholeBodyAndLeaveTheMouthAlone) {
  for (const auto& clip : Of(GestureKind::kPosture)) {
    EXPECT_GE(clip->duration_s(), 6) << clip->name();
    EXPECT_LE(clip->duration_s(), 10) << clip->name();
    const ClipRegions r = RegionsOf(*clip);
    EXPECT_TRUE(r.face && r.head && r.torso && r.left_arm && r.right_arm && r.legs) << clip->name();
    for (int s = 0; s < rig().shapes(); ++s) {
      if (clip->frame(0).has_w[s] == 0) continue;
      const std::string& shape = rig().shape_names()[static_cast<size_t>(s)];
      EXPECT_TRUE(absl::StartsWith(shape, "brow") || absl::StartsWith(shape, "eyeLook"))
          << clip->name() << " " << shape;
    }
  }
}

TEST_F(LoopsTest, PosturesAreNeverFrozenAndNeverHasty) {
  for (const auto& clip : Of(GestureKind::kPosture)) {
    for (int f = 0; f < clip->frames(); ++f) {
      float still = 0;
      for (int j = 0; j < rig().joints(); ++j) {
        if (clip->frame(0).has_r[j] == 0) continue;
        const float step = Length(Step(*clip, j, f));
        EXPECT_LT(step, 8) << clip->name() << " frame " << f;
        const Quat later = clip->frame((f + 20) % clip->frames()).rotation(j);
        still = std::max(still, AngleBetween(clip->frame(f).rotation(j), later) * kDegrees);
      }
      EXPECT_GT(still, 0.3f) << clip->name() << " frame " << f;
    }
  }
}

TEST_F(LoopsTest, EachPostureDiffersFromEveryOtherAtASight) {
  const skel::Pose neutral = *NeutralStance(rig());
  std::map<std::string, std::vector<Vec3>> mean;
  for (const auto& clip : Of(GestureKind::kPosture)) {
    std::vector<Vec3> sum(4);
    for (int f = 0; f < clip->frames(); ++f) {
      const Forward w(rig(), clip->frame(f), neutral.view());
      size_t i = 0;
      for (const char* joint : {"l_wrist", "r_wrist", "skullbase", "sacroiliac"}) {
        sum[i] = sum[i] + w.place(joint) * (1 / static_cast<float>(clip->frames()));
        ++i;
      }
    }
    mean[clip->name()] = sum;
  }
  for (const auto& [a, places] : mean) {
    for (const auto& [b, others] : mean) {
      if (a >= b) continue;
      float far = 0;
      for (size_t i = 0; i < places.size(); ++i) {
        far = std::max(far, Length(places[i] - others[i]));
      }
      EXPECT_GT(far, 0.08f) << a << " and " << b;
    }
  }
}

TEST_F(LoopsTest, PosturesDoWhatTheirNamesSay) {
  const skel::Pose neutral = *NeutralStance(rig());
  const auto library = *MakeGestures(*rig_, GestureKind::kPosture);
  const auto at = [&](const char* name, double t_s) {
    return Forward(rig(), library->Find(name)->frame(static_cast<int>(t_s * 30)), neutral.view());
  };
  const Forward think = at("posture_thinking", 2);
  EXPECT_LT(Length(think.place("r_index2") - think.place("skullbase") -
                   think.Direction("skullbase", {0, -0.08f, 0.07f})),
            0.11f);
  const Forward listen = at("posture_listening", 0.5);
  EXPECT_GT(std::fabs(listen.Direction("skullbase", {0, 1, 0}).x), 0.1f);
  EXPECT_GT(listen.place("skullbase").z, at("posture_attentive", 0.5).place("skullbase").z + 0.05f);
  const Forward talk = at("posture_talking", 1.5);
  EXPECT_GT(talk.place("l_wrist").y, 1.05f);
  EXPECT_GT(talk.place("r_wrist").y, 1.05f);
  EXPECT_GT(at("posture_idle", 2).place("sacroiliac").x, 0.025f);
}

TEST_F(LoopsTest, LayersAreSmallDifferencesAboutRest) {
  for (const auto& clip : Of(GestureKind::kLayer)) {
    const skel::PoseView first = clip->frame(0);
    for (int s = 0; s < first.shapes; ++s) EXPECT_EQ(first.has_w[s], 0);
    for (int j = 0; j < first.joints; ++j) {
      EXPECT_EQ(first.has_t[j], 0) << clip->name();
      if (first.has_r[j] == 0) continue;
      Vec3 mean{};
      for (int f = 0; f < clip->frames(); ++f) {
        const Vec3 turn = Log(clip->frame(f).rotation(j)) * kDegrees;
        EXPECT_LT(Length(turn), 14) << clip->name();
        mean = mean + turn * (1 / static_cast<float>(clip->frames()));
      }
      EXPECT_LT(Length(mean), 0.6f)
          << clip->name() << " " << rig().joint_names()[static_cast<size_t>(j)];
    }
  }
}

}  // namespace
}  // namespace posewire::gesture
