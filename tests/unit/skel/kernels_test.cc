// The kernels on every instruction set of this CPU: they agree with their scalar twins, with each
// other to the bit, read nothing that is absent, and write nothing beyond a pose.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/skel/additive_job.h"
#include "libs/skel/blend_job.h"
#include "libs/skel/layer_job.h"
#include "libs/skel/limit_job.h"
#include "libs/skel/local_to_model_job.h"
#include "tests/unit/skel/random_pose.h"
#include "tests/unit/skel/same_pose.h"
#include "tests/unit/skel/scalar/scalar_additive.h"
#include "tests/unit/skel/scalar/scalar_blend.h"
#include "tests/unit/skel/scalar/scalar_layer.h"
#include "tests/unit/skel/scalar/scalar_local_to_model.h"
#include "tests/unit/skel/targets.h"

namespace posewire::skel {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// A random pose whose absent values are no numbers: one that is read shows.
Pose Holey(RandomPoses& random, int joints, int shapes, float presence) {
  Pose pose = random.Of(joints, shapes, presence);
  const PoseSpan p = pose.span();
  for (int j = 0; j < joints; ++j) {
    if (!p.has_t[j]) p.tx[j] = p.ty[j] = p.tz[j] = kNaN;
    if (!p.has_r[j]) p.qw[j] = p.qx[j] = p.qy[j] = p.qz[j] = kNaN;
    if (!p.has_s[j]) p.sx[j] = p.sy[j] = p.sz[j] = kNaN;
  }
  for (int s = 0; s < shapes; ++s) {
    if (!p.has_w[s]) p.weights[s] = kNaN;
  }
  return pose;
}

Mask RandomMask(RandomPoses& random, const Rig& rig) {
  Mask mask(rig, 0);
  const auto weight = [&] { return random.Below(3) == 0 ? 0 : random.Number(0, 1); };
  // Whole stretches without a part, as regions of the body have.
  const int from = random.Below(rig.joints() + 1);
  for (int j = from; j < rig.joints(); ++j) mask.set_joint(j, weight());
  for (int s = 0; s < rig.shapes(); ++s) mask.set_shape(s, weight());
  return mask;
}

// Runs `job` and `twin` from the same `out` on every target; `run(out)` does the work.
template <typename Kernel, typename Twin>
void ExpectAgreement(const Pose& out, float most, const Kernel& kernel, const Twin& twin) {
  Pose want = out;
  twin(want.span());
  Pose best = out;
  kernel(best.span());
  ASSERT_EQ(Difference(best.view(), want.view(), most), "");
  for (const int64_t target : Targets()) {
    UseTarget(target);
    Pose got = out;
    kernel(got.span());
    UseBestTarget();
    ASSERT_EQ(Difference(got.view(), best.view(), 0), "") << "target " << target;
  }
}

class Kernels : public testing::TestWithParam<int> {
 protected:
  ~Kernels() override { UseBestTarget(); }

  int joints() const { return GetParam(); }
  int shapes() const { return GetParam() / 2; }

  RandomPoses random_{static_cast<unsigned>(GetParam())};
};

TEST_P(Kernels, BlendAgreesWithItsTwin) {
  const std::shared_ptr<const Rig> rig = random_.Tree(joints(), shapes());
  for (int round = 0; round < 60; ++round) {
    // Now and then all is there, or hardly anything.
    const float presence = round % 3 == 0 ? 1 : round % 3 == 1 ? 0.7f : 0.05f;
    std::vector<Pose> poses;
    std::vector<Mask> masks;
    std::vector<BlendJob::Input> inputs;
    const int count = random_.Below(6);
    for (int i = 0; i < count; ++i) {
      poses.push_back(Holey(random_, joints(), shapes(), presence));
      masks.push_back(RandomMask(random_, *rig));
    }
    for (size_t i = 0; i < poses.size(); ++i) {
      const float weight = random_.Below(5) == 0 ? 0 : random_.Number(0, 1);
      const bool masked = round % 2 == 0 && random_.Below(3) > 0;
      inputs.push_back({poses[i].view(), weight, masked ? &masks[i] : nullptr});
    }
    const Pose under = Holey(random_, joints(), shapes(), 0.8f);
    const PoseView below = random_.Below(3) == 0 ? PoseView{} : under.view();
    const Pose out = random_.Of(joints(), shapes(), 0.5f);
    ExpectAgreement(
        out, 2e-5f,
        [&](const PoseSpan& to) {
          ASSERT_TRUE((BlendJob{inputs, below, to}.Run()));
        },
        [&](const PoseSpan& to) {
          scalar::Blend({inputs, below, to});
        });
    if (HasFatalFailure()) return;
  }
}

TEST_P(Kernels, BlendMayWriteOverAnInput) {
  const Pose a = Holey(random_, joints(), shapes(), 0.8f),
             b = Holey(random_, joints(), shapes(), 0.8f);
  Pose out(joints(), shapes());
  const std::vector<BlendJob::Input> inputs = {{a.view(), 0.4f}, {b.view(), 0.8f}};
  ASSERT_TRUE((BlendJob{inputs, {}, out.span()}.Run()));
  Pose over = a;
  const std::vector<BlendJob::Input> into = {{over.view(), 0.4f}, {b.view(), 0.8f}};
  ASSERT_TRUE((BlendJob{into, {}, over.span()}.Run()));
  EXPECT_EQ(Difference(over.view(), out.view(), 0), "");
}

TEST_P(Kernels, LayerAgreesWithItsTwin) {
  const std::shared_ptr<const Rig> rig = random_.Tree(joints(), shapes());
  for (int round = 0; round < 60; ++round) {
    const float presence = round % 3 == 0 ? 1 : round % 3 == 1 ? 0.7f : 0.05f;
    const Pose below = Holey(random_, joints(), shapes(), random_.Below(2) == 0 ? 1 : 0.7f);
    const Pose layer = Holey(random_, joints(), shapes(), presence);
    const Mask mask = RandomMask(random_, *rig);
    const float weights[] = {0, 1, 2, kNaN, random_.Number(0, 1), random_.Number(0, 1)};
    LayerJob job;
    job.weight = weights[random_.Below(6)];
    job.mask = round % 2 == 0 ? nullptr : &mask;
    job.layer = layer.view();
    job.rotations =
        random_.Below(2) == 0 ? LayerJob::Rotations::kNlerp : LayerJob::Rotations::kSlerp;
    const bool over = random_.Below(2) == 0;  // over what is below, or over the layer
    const bool apart = random_.Below(2) == 0;
    const Pose out = apart ? random_.Of(joints(), shapes(), 0.5f) : over ? below : layer;
    const auto aimed = [&](const PoseSpan& to) {
      LayerJob now = job;
      now.below = !apart && over ? PoseView(to) : below.view();
      if (!apart && !over) now.layer = to;
      now.out = to;
      return now;
    };
    ExpectAgreement(
        out, 2e-6f, [&](const PoseSpan& to) { ASSERT_TRUE(aimed(to).Run()); },
        [&](const PoseSpan& to) { scalar::Layer(aimed(to)); });
    if (HasFatalFailure()) return;
  }
}

TEST_P(Kernels, MakeAdditiveAgreesWithItsTwin) {
  for (int round = 0; round < 30; ++round) {
    const float presence = round % 3 == 0 ? 1 : round % 3 == 1 ? 0.7f : 0.05f;
    Pose pose = Holey(random_, joints(), shapes(), presence);
    const Pose reference = Holey(random_, joints(), shapes(), 0.8f);
    pose.span().sx[0] = 0;
    const bool over = random_.Below(2) == 0;
    const Pose out = over ? pose : random_.Of(joints(), shapes(), 0.5f);
    const auto aimed = [&](const PoseSpan& to) {
      return MakeAdditiveJob{over ? PoseView(to) : pose.view(), reference.view(), to};
    };
    ExpectAgreement(
        out, 2e-6f, [&](const PoseSpan& to) { ASSERT_TRUE(aimed(to).Run()); },
        [&](const PoseSpan& to) { scalar::MakeAdditive(aimed(to)); });
    if (HasFatalFailure()) return;
  }
}

TEST_P(Kernels, AdditiveAgreesWithItsTwin) {
  const std::shared_ptr<const Rig> rig = random_.Tree(joints(), shapes());
  for (int round = 0; round < 60; ++round) {
    const float presence = round % 3 == 0 ? 1 : round % 3 == 1 ? 0.7f : 0.05f;
    const Pose below = Holey(random_, joints(), shapes(), random_.Below(2) == 0 ? 1 : 0.7f);
    const Pose delta = Holey(random_, joints(), shapes(), presence);
    const Mask mask = RandomMask(random_, *rig);
    AdditiveJob job;
    const float weights[] = {0, 1, 0.5f, random_.Number(0, 1), random_.Number(-1, 2)};
    job.weight = weights[random_.Below(5)];
    job.mask = random_.Below(2) == 0 ? nullptr : &mask;
    job.below = below.view();
    job.delta = delta.view();
    const auto aimed = [&](const PoseSpan& to) {
      AdditiveJob now = job;
      now.out = to;
      return now;
    };
    // A rotation and its negative are the same turn; the twin's logarithm prefers one of them.
    const auto one_side = [&](const PoseSpan& to) {
      for (int j = 0; j < joints(); ++j) {
        if (to.has_r[j] && to.qw[j] < 0) to.SetRotation(j, -to.rotation(j));
      }
    };
    ExpectAgreement(
        Pose(joints(), shapes()), 5e-6f,
        [&](const PoseSpan& to) {
          ASSERT_TRUE(aimed(to).Run());
          one_side(to);
        },
        [&](const PoseSpan& to) {
          scalar::Additive(aimed(to));
          one_side(to);
        });
    if (HasFatalFailure()) return;
  }
}

// The twin is LimitedRotation, joint by joint.
TEST_P(Kernels, LimitAgreesWithItsTwin) {
  for (int round = 0; round < 30; ++round) {
    RigParts parts;
    for (int j = 0; j < joints(); ++j) {
      parts.joint_paths.push_back(absl::StrCat("j", j));
      parts.rest_translations.push_back(random_.Vector());
      parts.rest_rotations.push_back(random_.Rotation());
      const Vec3 size = random_.Vector(1.5f);
      parts.limits.push_back({{-std::fabs(size.x), -std::fabs(size.y), -std::fabs(size.z)},
                              {std::fabs(size.z), std::fabs(size.x), std::fabs(size.y)}});
    }
    const std::shared_ptr<const Rig> rig = *Rig::Make(std::move(parts));
    Pose pose = Holey(random_, joints(), 0, round % 2 == 0 ? 1 : 0.6f);
    // Most joints turn little.
    for (int j = 0; j < joints(); ++j) {
      if (!pose.view().has_r[j] || random_.Below(4) == 0) continue;
      pose.span().SetRotation(j, Mul(rig->rest().rotation(j), Exp(random_.Vector(0.7f))));
    }
    ExpectAgreement(
        pose, 0,
        [&](const PoseSpan& to) {
          ASSERT_TRUE((LimitJob{rig.get(), pose.view(), to}.Run()));
        },
        [&](const PoseSpan& to) {
          for (int j = 0; j < joints(); ++j) {
            if (to.has_r[j]) to.SetRotation(j, LimitedRotation(*rig, j, to.rotation(j)));
          }
        });
    if (HasFatalFailure()) return;
  }
}

TEST_P(Kernels, LocalToModelAgreesWithItsTwin) {
  const auto size = static_cast<size_t>(joints());
  for (int round = 0; round < 20; ++round) {
    const std::shared_ptr<const Rig> rig = random_.Tree(joints(), 0);
    Pose pose = Holey(random_, joints(), 0, round % 2 == 0 ? 1 : 0.6f);
    std::vector<Affine> want(size), best(size), got(size);
    std::vector<Vec3> at(size);
    scalar::LocalToModel({rig.get(), pose.view(), {}, {}, absl::MakeSpan(want)});
    ASSERT_TRUE((LocalToModelJob{rig.get(), pose.view(), {}, {}, absl::MakeSpan(best)}.Run()));
    for (const int64_t target : Targets()) {
      UseTarget(target);
      ASSERT_TRUE(
          (LocalToModelJob{rig.get(), pose.view(), absl::MakeSpan(at), {}, absl::MakeSpan(got)}
               .Run()));
      for (size_t j = 0; j < size; ++j) {
        for (size_t r = 0; r < 4; ++r) {
          const Vec3 a = got[j].row[r], b = best[j].row[r], c = want[j].row[r];
          ASSERT_TRUE(a.x == b.x && a.y == b.y && a.z == b.z) << "target " << target;
          ASSERT_LT(Length(a - c), 1e-5f * (1 + Length(c))) << "joint " << j << " row " << r;
        }
        ASSERT_EQ(Length(at[j] - got[j].row[3]), 0);
      }
    }
    UseBestTarget();
  }
}

// Fewer elements than lanes, exactly as many, and some more.
INSTANTIATE_TEST_SUITE_P(Sizes, Kernels, testing::Values(1, 3, 4, 7, 8, 15, 16, 17, 29, 94));

TEST(Targets, ThereIsMoreThanPlainCode) {
#if defined(__x86_64__)
  EXPECT_GT(Targets().size(), 1u);
#endif
}

}  // namespace
}  // namespace posewire::skel
