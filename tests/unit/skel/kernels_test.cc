// The kernels on every instruction set of this CPU: they agree with their scalar twins, with each
// other to the bit, read nothing that is absent, and write nothing beyond a pose.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/skel/additive_job.h"
#include "libs/skel/blend_job.h"
#include "libs/skel/interpolate_keys.h"
#include "libs/skel/layer_job.h"
#include "libs/skel/limit_job.h"
#include "libs/skel/local_to_model_job.h"
#include "libs/skel/unpack_job.h"
#include "tests/unit/skel/random_pose.h"
#include "tests/unit/skel/same_pose.h"
#include "tests/unit/skel/scalar/scalar_additive.h"
#include "tests/unit/skel/scalar/scalar_blend.h"
#include "tests/unit/skel/scalar/scalar_layer.h"
#include "tests/unit/skel/scalar/scalar_local_to_model.h"
#include "tests/unit/skel/scalar/scalar_unpack.h"
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
    const int count = random_.Below(11);
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
  for (const size_t count : {2u, 4u, 9u}) {
    for (const float presence : {0.8f, 1.0f}) {
      std::vector<Pose> poses;
      std::vector<BlendJob::Input> inputs;
      for (size_t i = 0; i < count; ++i) {
        poses.push_back(Holey(random_, joints(), shapes(), presence));
      }
      for (const Pose& pose : poses) inputs.push_back({pose.view(), random_.Number(0.1f, 1)});
      Pose out(joints(), shapes());
      ASSERT_TRUE((BlendJob{inputs, {}, out.span()}.Run()));
      for (size_t i = 0; i < count; ++i) {
        Pose over = poses[i];
        std::vector<BlendJob::Input> into = inputs;
        into[i].pose = over.view();
        ASSERT_TRUE((BlendJob{into, {}, over.span()}.Run()));
        ASSERT_EQ(Difference(over.view(), out.view(), 0), "") << count << " inputs, over " << i;
      }
    }
  }
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

// A random order of a key of `key_size`; now and then that of the pose itself, or hardly any place.
std::vector<int32_t> RandomPlaces(RandomPoses& random, int size, int key_size) {
  const int kind = random.Below(4);
  std::vector<int32_t> from;
  for (int i = 0; i < size; ++i) {
    const bool none = kind == 1 ? random.Below(20) != 0 : random.Below(4) == 0;
    from.push_back(kind == 0 ? i : none || key_size == 0 ? -1 : random.Below(key_size));
  }
  return from;
}

// Keys end just where their memory does, so that a tool sees what is read beyond them.
TEST_P(Kernels, UnpackAgreesWithItsTwin) {
  for (int round = 0; round < 120; ++round) {
    const auto key_size = [&](int size) {
      return random_.Below(2) == 0 ? size : random_.Below(2 * size + 1);
    };
    const int key_joints = key_size(joints()), key_shapes = key_size(shapes());
    std::vector<float> t, r, s, w;
    for (int j = 0; j < key_joints; ++j) {
      for (int i = 0; i < 3; ++i) t.push_back(random_.Number(-2, 2));
      for (int i = 0; i < 3; ++i) s.push_back(random_.Number(-2, 2));
      Quat q = random_.Rotation();
      if (round % 3 == 0 && random_.Below(5) == 0) q = {q.w * 1.1f, q.x, q.y, q.z};
      if (round % 6 == 0 && random_.Below(9) == 0) q = {0, 0, 0, 0};
      r.insert(r.end(), {q.w, q.x, q.y, q.z});
    }
    for (int i = 0; i < key_shapes; ++i) w.push_back(random_.Number(0, 1));
    for (std::vector<float>* key : {&t, &r, &s, &w}) {
      const int odd = random_.Below(12);
      if (odd < 2) key->clear();
      if (odd == 2) key->push_back(kNaN);  // of a wrong length
      key->shrink_to_fit();
    }
    const auto from = RandomPlaces(random_, joints(), key_joints),
               moved = RandomPlaces(random_, joints(), key_joints),
               from_shapes = RandomPlaces(random_, shapes(), key_shapes);
    const KeyPlaces places(from, key_joints), moved_places(moved, key_joints),
        shape_places(from_shapes, key_shapes);
    const bool weights_alone = round % 10 == 9;
    const float scale = round % 2 == 0 ? 1 : random_.Number(0, 1);
    UnpackJob job{{t, &moved_places}, {r, &places}, {s, &places}, {w, &shape_places}, scale, {}};
    scalar::Unpack twin{{t, &moved, key_joints},
                        {r, &from, key_joints},
                        {s, &from, key_joints},
                        {w, &from_shapes, key_shapes},
                        scale,
                        {}};
    if (weights_alone) {
      job.translations = job.rotations = job.scales = {};
      twin.translations = twin.rotations = twin.scales = {};
    }
    ExpectAgreement(
        random_.Of(joints(), shapes(), 0.5f), 1e-6f,
        [&](const PoseSpan& to) {
          job.out = to;
          ASSERT_TRUE(job.Run());
        },
        [&](const PoseSpan& to) {
          twin.out = to;
          twin.Run();
        });
    if (HasFatalFailure()) return;
  }
}

TEST_P(Kernels, UnpackPassesUnitRotationsToTheBit) {
  const auto n = static_cast<size_t>(joints());
  std::vector<int32_t> same(n), turned(n);
  for (size_t j = 0; j < n; ++j) {
    same[j] = static_cast<int32_t>(j);
    turned[j] = static_cast<int32_t>(n - 1 - j);
  }
  std::vector<float> key;
  for (size_t j = 0; j < n; ++j) {
    const Quat q = random_.Rotation();
    key.insert(key.end(), {q.w, q.x, q.y, q.z});
  }
  for (const std::vector<int32_t>& from : {same, turned}) {
    const KeyPlaces places(from, joints());
    EXPECT_EQ(places.IsIdentity(), from == same);
    Pose out(joints(), shapes());
    UnpackJob job;
    job.rotations = {key, &places};
    job.out = out.span();
    ASSERT_TRUE(job.Run());
    for (size_t j = 0; j < n; ++j) {
      const float* want = key.data() + 4 * static_cast<size_t>(from[j]);
      const Quat got = out.view().rotation(static_cast<int>(j));
      ASSERT_TRUE(got.w == want[0] && got.x == want[1] && got.y == want[2] && got.z == want[3]);
    }
  }
}

// The twins are math.h's, element by element.
TEST_P(Kernels, InterpolateKeysAgreesWithItsTwin) {
  const auto n = static_cast<size_t>(4 * joints());
  for (int round = 0; round < 60; ++round) {
    const bool rotations = round % 2 == 0;
    std::vector<float> a, b, want;
    const float t = round % 10 == 0 ? 0 : random_.Number(0, 1);
    for (size_t i = 0; i < n; i += 4) {
      const Quat p = random_.Rotation();
      const Quat q =
          round % 3 == 0 ? Normalized(Mul(p, Exp(random_.Vector(0.01f)))) : random_.Rotation();
      a.insert(a.end(), {p.w, p.x, p.y, p.z});
      b.insert(b.end(), {q.w, q.x, q.y, q.z});
      const Quat mix = Slerp(p, q, t);
      want.insert(want.end(), {mix.w, mix.x, mix.y, mix.z});
    }
    // Numbers need not come in fours.
    const size_t count = rotations ? n : n - static_cast<size_t>(random_.Below(4));
    a.resize(count), b.resize(count), want.resize(count);
    if (!rotations) {
      for (size_t i = 0; i < count; ++i) want[i] = a[i] + (b[i] - a[i]) * t;
    }
    std::vector<float> best(count);
    InterpolateKeys(a, b, t, rotations, absl::MakeSpan(best));
    for (size_t i = 0; i < count; ++i) ASSERT_NEAR(best[i], want[i], 1e-6f) << i;
    for (const int64_t target : Targets()) {
      UseTarget(target);
      std::vector<float> got(count), over = a;
      InterpolateKeys(a, b, t, rotations, absl::MakeSpan(got));
      InterpolateKeys(over, b, t, rotations, absl::MakeSpan(over));
      UseBestTarget();
      ASSERT_EQ(got, best) << "target " << target;
      ASSERT_EQ(over, best) << "target " << target;
    }
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
