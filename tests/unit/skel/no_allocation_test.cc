// The jobs run on the hot path: none of them may take memory.
#include <gtest/gtest.h>

#include <vector>

#include "libs/skel/additive_job.h"
#include "libs/skel/blend_job.h"
#include "libs/skel/inertia.h"
#include "libs/skel/key_track.h"
#include "libs/skel/layer_job.h"
#include "libs/skel/local_to_model_job.h"
#include "libs/skel/rig_map.h"
#include "libs/skel/unpack_job.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

template <typename Work>
int64_t AllocationsOf(const Work& work) {
  const AllocationCount allocations;
  work();
  return allocations.count();
}

TEST(NoAllocation, JobsTakeNone) {
  const RigCatalog catalog = *RigCatalog::Builtin();
  const std::shared_ptr<const Rig> rig = *catalog.Find("hanim_loa3"),
                                   ace = *catalog.Find("ace_biped");
  RandomPoses random(25);
  const Pose a = random.Of(94, 52, 0.8f), b = random.Of(94, 52, 0.8f), c = random.Of(78, 52);
  Pose out(94, 52), delta(94, 52), ace_out(78, 52);
  const std::vector<BlendJob::Input> inputs = {{a.view(), 0.5f}, {b.view(), 0.25f}};
  const Mask mask = *Mask::Region(*rig, "upper_body");
  std::vector<Vec3> at(94);
  std::vector<Affine> matrices(94);
  const RigMap in = *RigMap::Make(ace, rig), back = *RigMap::Make(rig, ace);
  Inertia inertia;
  const std::vector<double> times = {0, 1};
  const std::vector<float> values = {1, 0, 0, 0, 0, 1, 0, 0};
  std::vector<float> sample(4);
  KeyTrack track(4, true);
  track.Append(times, values);

  EXPECT_EQ(AllocationsOf([&] { (BlendJob{inputs, rig->rest(), out.span()}.Run()); }), 0);
  EXPECT_EQ(
      AllocationsOf([&] {
        LayerJob{.below = a.view(), .layer = b.view(), .mask = &mask, .out = out.span()}.Run();
        MakeAdditiveJob{a.view(), b.view(), delta.span()}.Run();
        AdditiveJob{.below = a.view(), .delta = delta.view(), .out = out.span()}.Run();
      }),
      0);
  EXPECT_EQ(AllocationsOf([&] {
              LocalToModelJob{rig.get(), a.view(), absl::MakeSpan(at), {}, absl::MakeSpan(matrices)}
                  .Run();
            }),
            0);
  EXPECT_EQ(AllocationsOf([&] {
              in.Apply(c.view(), out.span());
              back.Apply(out.view(), ace_out.span());
            }),
            0);
  EXPECT_EQ(AllocationsOf([&] {
              StartTurn(a.view().rotation(0), b.view().rotation(0), 0.03, {}, 0.3, inertia);
              inertia.Advance(0.03);
            }),
            0);
  EXPECT_EQ(AllocationsOf([&] {
              track.DiscardBefore(0.5);
              track.Sample(0.5, absl::MakeSpan(sample));
            }),
            0);
  const std::vector<int32_t> from(94, 1);
  const KeyPlaces places(from, 2);
  EXPECT_EQ(AllocationsOf([&] {
              UnpackJob{.rotations = {values, &places}, .out = out.span()}.Run();
            }),
            0);
}

}  // namespace
}  // namespace posewire::skel
