#include "libs/character/after_skin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "libs/character/deformer.h"
#include "libs/character/offset_points.h"
#include "libs/character/shown_parts.h"
#include "libs/character_file/builtin.h"
#include "libs/character_file/read_character.h"
#include "libs/formats/gltf/character_writer.h"
#include "libs/mesh/offsets.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/character/reading.h"

namespace posewire::character {
namespace {

using skel::Affine;
using skel::Vec3;

class AfterSkinTest : public testing::Test {
 protected:
  void SetUp() override {
    if (character_file::BuiltinFile("woman").empty())
      GTEST_SKIP() << "the build had no data to make her of";
    woman_ = *character_file::OpenCharacter("woman", Rigs());
  }

  std::shared_ptr<const Character> With(const SkinDeformers& rules) const {
    auto out = std::make_shared<Character>(*woman_);
    out->after_skin = rules;
    return out;
  }

  skel::Pose Bent(float elbow_rad, float jaw = 0) const {
    skel::Pose pose(woman_->rig->joints(), woman_->rig->shapes());
    pose.span().CopyFrom(woman_->rig->rest());
    const int j = woman_->rig->FindJoint("l_elbow");
    pose.span().SetRotation(
        j, skel::Mul(skel::FromAxisAngle({-1, 0, 0}, elbow_rad), pose.view().rotation(j)));
    pose.span().SetWeight(woman_->rig->FindShape("jawOpen"), jaw);
    return pose;
  }

  int NodeOf(absl::string_view joint) const {
    for (const Link& link : woman_->links) {
      if (link.joint == woman_->rig->FindJoint(joint)) return link.node;
    }
    return -1;
  }

  // A box of 4 m around everything, which follows the head and moves with the open jaw.
  Lattice Around(std::array<int, 3> divisions) const {
    Lattice out;
    out.node = NodeOf("skullbase");
    out.low = {-2, -2, -2};
    out.high = {2, 2, 2};
    out.divisions = divisions;
    Lattice::Move move;
    move.drive.kind = Drive::Kind::kProduct;
    move.drive.sources = {woman_->rig->FindShape("jawOpen")};
    out.moves.push_back(move);
    return out;
  }

  std::shared_ptr<const Character> woman_;
};

std::vector<Vec3> AllOf(const Deformer& deformer, bool normals = false) {
  const PointSkin skin(deformer);
  std::vector<Vec3> points(skin.points()), facing(skin.points());
  skin.Gather(deformer, absl::MakeSpan(points), absl::MakeSpan(facing));
  return normals ? facing : points;
}

float FarthestOf(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  EXPECT_EQ(a.size(), b.size());
  float worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, skel::Length(a[i] - b[i]));
  return worst;
}

// How sharply the surface is creased beyond its rest: the sum over edges of the squared change of
// the angle between their two triangles.
double Creases(const Deformer& deformer, const std::vector<Vec3>& rest,
               const std::vector<Vec3>& points) {
  const PointSkin skin(deformer);
  const auto corners = skin.triangles();
  std::map<std::pair<uint32_t, uint32_t>, size_t> first;
  const auto normal = [&](const std::vector<Vec3>& of, size_t t) {
    return skel::Cross(of[corners[t + 1]] - of[corners[t]], of[corners[t + 2]] - of[corners[t]]);
  };
  const auto angle = [&](const std::vector<Vec3>& of, size_t a, size_t b) {
    const Vec3 u = normal(of, a), v = normal(of, b);
    return std::atan2(skel::Length(skel::Cross(u, v)), skel::Dot(u, v));
  };
  double sum = 0;
  for (size_t t = 0; t + 2 < corners.size(); t += 3) {
    for (size_t e = 0; e < 3; ++e) {
      const auto edge = std::minmax(corners[t + e], corners[t + (e + 1) % 3]);
      const auto [at, is_new] = first.try_emplace(edge, t);
      if (is_new) continue;
      const double change = angle(points, at->second, t) - angle(rest, at->second, t);
      sum += change * change * skel::Length(rest[edge.first] - rest[edge.second]);
    }
  }
  return sum;
}

TEST_F(AfterSkinTest, ALatticeWhoseControlPointsAllMoveTakesEveryPointAlong) {
  Lattice all = Around({2, 3, 1});
  for (uint8_t x = 0; x <= 2; ++x) {
    for (uint8_t y = 0; y <= 3; ++y) {
      for (uint8_t z = 0; z <= 1; ++z) all.moves[0].pushes.push_back({{x, y, z}, {0, 0.25f, 0}});
    }
  }
  Deformer with(With({{all}, {}})), without(woman_);
  const skel::Pose pose = Bent(1, 0.5f);
  ASSERT_TRUE(with.Pose(pose.view()).ok());
  ASSERT_TRUE(without.Pose(pose.view()).ok());
  std::vector<Vec3> wanted = AllOf(without);
  // The node's Y is the head's, at rest upright.
  const Affine head = without.nodes()[static_cast<size_t>(all.node)];
  const Vec3 by = skel::TransformVector(head, {0, 0.125f, 0});
  for (Vec3& p : wanted) p = p + by;
  EXPECT_LT(FarthestOf(AllOf(with), wanted), 1e-5f);
  EXPECT_GT(skel::Length(by), 0.12f);
}

TEST_F(AfterSkinTest, AControlPointPullsByTheBernsteinPolynomialsOfAPlace) {
  Lattice one = Around({2, 1, 1});
  one.moves[0].pushes.push_back({{1, 1, 1}, {0, 0, 0.4f}});
  Deformer with(With({{one}, {}})), without(woman_);
  const skel::Pose pose = Bent(0.5f, 1);
  ASSERT_TRUE(with.Pose(pose.view()).ok());
  ASSERT_TRUE(without.Pose(pose.view()).ok());
  const Affine head = without.nodes()[static_cast<size_t>(one.node)], into = *skel::Inverse(head);
  std::vector<Vec3> wanted = AllOf(without);
  for (Vec3& p : wanted) {
    const Vec3 at = (skel::TransformPoint(into, p) - one.low) * 0.25f;
    const float share = 2 * at.x * (1 - at.x) * at.y * at.z;
    p = p + skel::TransformVector(head, Vec3{0, 0, 0.4f} * share);
  }
  EXPECT_LT(FarthestOf(AllOf(with), wanted), 1e-5f);
}

TEST_F(AfterSkinTest, PointsOutsideTheBoxAndOfOtherMeshesStay) {
  Lattice head = Around({1, 1, 1});
  head.low = {-0.3f, 0, -0.3f};
  head.high = {0.3f, 0.4f, 0.3f};
  head.meshes = {0};
  for (uint8_t x = 0; x <= 1; ++x) {
    for (uint8_t z = 0; z <= 1; ++z) head.moves[0].pushes.push_back({{x, 1, z}, {0, 0.1f, 0}});
  }
  Deformer with(With({{head}, {}})), without(woman_);
  const skel::Pose pose = Bent(1, 1);
  ASSERT_TRUE(with.Pose(pose.view()).ok());
  ASSERT_TRUE(without.Pose(pose.view()).ok());
  const std::vector<Vec3> a = AllOf(with), b = AllOf(without);
  const PointSkin skin(without);
  const Affine into = *skel::Inverse(without.nodes()[static_cast<size_t>(head.node)]);
  size_t moved = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const Vec3 at = skel::TransformPoint(into, b[i]);
    const bool inside =
        at.x >= -0.3f && at.x <= 0.3f && at.y >= 0 && at.y <= 0.4f && at.z >= -0.3f && at.z <= 0.3f;
    const bool of_mesh = skin.first().size() < 2 || i < skin.first()[1];
    const bool moves = skel::Length(a[i] - b[i]) > 1e-7f;
    if (!inside || !of_mesh) {
      ASSERT_FALSE(moves) << i;
    }
    moved += moves ? 1 : 0;
  }
  EXPECT_GT(moved, 1000u);
}

TEST_F(AfterSkinTest, NormalsTurnWithAShear) {
  // Shear: x grows with y. Its normals are those of the inverse transpose.
  Lattice shear = Around({1, 1, 1});
  for (uint8_t x = 0; x <= 1; ++x) {
    for (uint8_t z = 0; z <= 1; ++z) shear.moves[0].pushes.push_back({{x, 1, z}, {2, 0, 0}});
  }
  Deformer with(With({{shear}, {}})), without(woman_);
  const skel::Pose pose = Bent(0, 1);
  ASSERT_TRUE(with.Pose(pose.view()).ok());
  ASSERT_TRUE(without.Pose(pose.view()).ok());
  const std::vector<Vec3> found = AllOf(with, true), plain = AllOf(without, true);
  size_t off = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(skel::Length(found[i]), 1, 1e-3f) << i;
    const Vec3 n = plain[i];
    const Vec3 wanted = skel::Normalized(Vec3{n.x, n.y - 0.5f * n.x, n.z});
    off += skel::Dot(found[i], wanted) < std::cos(0.2f) ? 1 : 0;
  }
  // A shortest rotation is not a shear: it is right where the artist's normal is the surface's.
  EXPECT_LT(static_cast<double>(off), 0.05 * static_cast<double>(found.size())) << off;
}

// An elbow and a knee of hard weights, without correctives.
TEST_F(AfterSkinTest, SmoothingKeepsTheRestAndTakesCreasesOutOfBends) {
  Character bare = *woman_;
  bare.drives.clear();
  for (Mesh& mesh : bare.meshes) {
    const auto n = static_cast<size_t>(mesh.per_point);
    for (size_t i = 0; i + n <= mesh.weights.size(); i += n) {
      const auto from = mesh.weights.begin() + static_cast<std::ptrdiff_t>(i);
      const auto to = from + static_cast<std::ptrdiff_t>(n);
      const auto heaviest = std::max_element(from, to);
      std::fill(from, to, 0.0f);
      *heaviest = 1;
    }
  }
  bare.after_skin.smoothing.emplace();
  Deformer with(std::make_shared<Character>(bare));
  bare.after_skin = {};
  Deformer without(std::make_shared<Character>(bare));
  for (Deformer* one : {&with, &without}) ASSERT_TRUE(one->Pose(Bent(0).view()).ok());
  const std::vector<Vec3> rest = AllOf(without);
  EXPECT_LT(FarthestOf(AllOf(with), rest), 1e-5f);
  for (const char* joint : {"l_elbow", "l_knee"}) {
    skel::Pose pose = Bent(0);
    const int j = woman_->rig->FindJoint(joint);
    const float angle = joint[2] == 'k' ? 1.5f : -1.5f;
    pose.span().SetRotation(
        j, skel::Mul(skel::FromAxisAngle({1, 0, 0}, angle), pose.view().rotation(j)));
    for (Deformer* one : {&with, &without}) ASSERT_TRUE(one->Pose(pose.view()).ok());
    const double smooth = Creases(with, rest, AllOf(with)),
                 skin = Creases(without, rest, AllOf(without));
    // docs/characters.md has these.
    EXPECT_NEAR(smooth / skin, joint[2] == 'k' ? 0.4 : 0.7, 0.03) << joint;
  }
}

// The one of docs/characters.md: the head reaches far below its box's middle.
TEST_F(AfterSkinTest, TheExampleOfTheDocsTearsNothing) {
  Lattice jaw = Around({2, 4, 2});
  jaw.low = {-0.3f, -0.6f, -0.3f};
  jaw.high = {0.3f, 0.4f, 0.3f};
  for (uint8_t y = 1; y <= 2; ++y) jaw.moves[0].pushes.push_back({{1, y, 2}, {0, -0.2f, 0}});
  Deformer with(With({{jaw}, {}})), without(woman_);
  const skel::Pose pose = Bent(0, 1);
  ASSERT_TRUE(with.Pose(pose.view()).ok());
  ASSERT_TRUE(without.Pose(pose.view()).ok());
  const std::vector<Vec3> a = AllOf(with), b = AllOf(without);
  EXPECT_GT(FarthestOf(a, b), 0.02f);
  const PointSkin skin(without);
  for (size_t t = 0; t + 2 < skin.triangles().size(); t += 3) {
    for (size_t e = 0; e < 3; ++e) {
      const uint32_t i = skin.triangles()[t + e], j = skin.triangles()[t + (e + 1) % 3];
      const float apart = skel::Length((a[i] - b[i]) - (a[j] - b[j]));
      ASSERT_LT(apart, 0.5f * skel::Length(b[i] - b[j]) + 1e-5f) << i << " " << j;
    }
  }
}

TEST_F(AfterSkinTest, OffsetsAreOnTopAndAFileKnowsTheDeformers) {
  Lattice lattice = Around({1, 1, 1});
  lattice.moves[0].pushes.push_back({{1, 1, 1}, {0.3f, 0, 0}});
  const auto person = With({{lattice}, Smoothing{}});
  Deformer deformer(person), plain(woman_);
  EXPECT_NE(MeshHash(deformer), MeshHash(plain));
  auto points = *OffsetPoints::Make(deformer);
  const size_t n = points->skin().points();
  ASSERT_TRUE(deformer.Pose(Bent(1.8f, 0.7f).view()).ok());
  // A complex character: everything a little larger.
  std::vector<Vec3> simple = AllOf(deformer), complex = simple, offsets(n);
  for (Vec3& p : complex) p = p * 1.02f;
  std::vector<Affine> s(n);
  PointSkin skin(deformer);
  ASSERT_TRUE(skin.Transforms(deformer, absl::MakeSpan(s), nullptr).ok());
  ASSERT_TRUE((mesh::OffsetsJob{s, simple, complex, absl::MakeSpan(offsets)}.Run()).ok());
  const mesh::WeighedOffsets clip{offsets, 1};
  ASSERT_TRUE(points->Pose(deformer, {&clip, 1}).ok());
  EXPECT_LT(FarthestOf({points->all_points().begin(), points->all_points().end()}, complex), 2e-5f);
  // Before the deformers it is the plain woman's skin.
  ASSERT_TRUE(plain.Pose(Bent(1.8f, 0.7f).view()).ok());
  ASSERT_TRUE(points->PoseSkinned(deformer).ok());
  EXPECT_LT(FarthestOf({points->all_points().begin(), points->all_points().end()}, AllOf(plain)),
            1e-6f);
}

TEST_F(AfterSkinTest, KeepingSomeMeshesKeepsTheirLattices) {
  Lattice first = Around({1, 1, 1}), last = first, all = first;
  first.meshes = {0};
  last.meshes = {static_cast<int>(woman_->meshes.size()) - 1};
  Character some = *With({{first, last, all}, {}});
  std::vector<bool> keep(some.meshes.size(), true);
  keep[0] = false;
  KeepMeshes(keep, some);
  ASSERT_EQ(some.after_skin.lattices.size(), 2u);
  EXPECT_EQ(some.after_skin.lattices[0].meshes, std::vector<int>{last.meshes[0] - 1});
  EXPECT_TRUE(some.after_skin.lattices[1].meshes.empty());
}

TEST_F(AfterSkinTest, AreWrittenAndReadBack) {
  Lattice lattice = Around({2, 3, 4});
  lattice.meshes = {2, static_cast<int>(woman_->meshes.size()) - 1};
  lattice.moves[0].pushes.push_back({{1, 2, 4}, {0.5f, 0, 0.25f}});
  const auto glb = gltf::WriteCharacter(*With({{lattice}, Smoothing{.rounds = 9}}));
  ASSERT_TRUE(glb.ok()) << glb.status();
  const auto back = Read(*glb);
  ASSERT_TRUE(back.ok()) << back.status();
  ASSERT_EQ((*back)->after_skin.lattices.size(), 1u);
  const Lattice& read = (*back)->after_skin.lattices[0];
  EXPECT_EQ(read.divisions, lattice.divisions);
  EXPECT_EQ((*back)->nodes[static_cast<size_t>(read.node)].name, "skullbase");
  ASSERT_EQ(read.meshes.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*back)->meshes[static_cast<size_t>(read.meshes[i])].triangles.size(),
              woman_->meshes[static_cast<size_t>(lattice.meshes[i])].triangles.size());
  }
  EXPECT_EQ(read.moves[0].pushes[0].at, lattice.moves[0].pushes[0].at);
  EXPECT_EQ(read.moves[0].pushes[0].by.z, 0.25f);
  EXPECT_EQ((*back)->after_skin.smoothing->rounds, 9);
}

TEST_F(AfterSkinTest, ChoicesOfPartsKeepIt) {
  Deformer with(With({{}, Smoothing{}})), without(woman_);
  ASSERT_FALSE(woman_->variants.empty());
  for (const Variant& variant : woman_->variants) {
    for (const Variant::Choice& choice : variant.choices) {
      for (Deformer* one : {&with, &without}) {
        ASSERT_TRUE(one->Choose(variant.part, choice.name).ok());
        ASSERT_TRUE(one->Pose(Bent(1).view()).ok());
      }
      const std::vector<Vec3> a = AllOf(with), b = AllOf(without);
      ASSERT_EQ(a.size(), b.size());
      EXPECT_LT(FarthestOf(a, b), 0.05f) << variant.part << " " << choice.name;
    }
  }
}

TEST_F(AfterSkinTest, APoseDoesNotAllocate) {
  Lattice lattice = Around({3, 3, 3});
  lattice.moves[0].pushes.push_back({{1, 2, 1}, {0.1f, 0, 0}});
  Deformer with(With({{lattice}, Smoothing{}}));
  const skel::Pose pose = Bent(1, 1);
  ASSERT_TRUE(with.Pose(pose.view()).ok());
  const AllocationCount allocations;
  ASSERT_TRUE(with.Pose(pose.view()).ok());
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace posewire::character
