// glTF files that are no humanoid, moved by their own joints and shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/character/deformer.h"
#include "tests/unit/character/reading.h"
#include "tests/unit/character/small_glb.h"

namespace posewire::character {
namespace {

using skel::Vec3;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// A strip of four points, two on each of two joints, in nodes that a test writes. `skin` and
// `animation` are JSON without the names of their members.
struct Strip {
  std::string nodes =
      R"([{"skin":0,"mesh":0},{"children":[2],"translation":[0,1,0]},{"translation":[0,1,0]}])";
  std::string roots = "0,1";
  std::string joints = "1,2";
  std::string more;  // further members
  std::string target_names;
  bool skinned = true;
  // Of the joints: where they are bound.
  std::vector<Vec3> bound = {{0, 1, 0}, {0, 2, 0}};

  std::string Glb() const {
    GlbBytes bytes;
    const int points = bytes.Points({-.1f, 1, 0, .1f, 1, 0, -.1f, 3, 0, .1f, 3, 0});
    const std::vector<uint8_t> of = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    const int joint = bytes.Accessor(of, 5121, "VEC4", 4);
    std::vector<float> one;
    for (int i = 0; i < 4; ++i) one.insert(one.end(), {1, 0, 0, 0});
    const int weight = bytes.Accessor(one, 5126, "VEC4", 4);
    std::vector<float> inverse;
    for (const Vec3 p : bound) {
      inverse.insert(inverse.end(), {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -p.x, -p.y, -p.z, 1});
    }
    const int bind = bytes.Accessor(inverse, 5126, "MAT4", bound.size());
    const int index = bytes.Accessor(std::vector<uint16_t>{0, 1, 2, 2, 1, 3}, 5123, "SCALAR", 6);
    const int offsets = bytes.Points({0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1});
    bytes.Accessor(std::vector<float>{0, 1}, 5126, "SCALAR", 2);
    bytes.Accessor(std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1}, 5126, "VEC4", 2);
    const std::string skins = skinned ? absl::StrCat(R"("skins":[{"joints":[)", joints,
                                                     R"(],"inverseBindMatrices":)", bind, "}],")
                                      : "";
    const std::string influences =
        skinned ? absl::StrCat(R"(,"JOINTS_0":)", joint, R"(,"WEIGHTS_0":)", weight) : "";
    const std::string targets =
        target_names.empty() ? "" : absl::StrCat(R"(,"targets":[{"POSITION":)", offsets, "}]");
    const std::string extras =
        target_names.size() > 2 ? R"(,"extras":{"targetNames":)" + target_names + "}" : "";
    return bytes.Glb(absl::StrCat(R"("scene":0,"scenes":[{"nodes":[)", roots, R"(]}],"nodes":)",
                                  nodes, ",", skins, R"("meshes":[{"primitives":[{"attributes":{)",
                                  R"("POSITION":)", points, influences, R"(},"indices":)", index,
                                  targets, "}]", extras, "}]", more));
  }
};

// An animation that turns these nodes.
std::string Turning(const std::vector<int>& nodes) {
  std::vector<std::string> channels;
  for (const int node : nodes) {
    channels.push_back(
        absl::StrCat(R"({"sampler":0,"target":{"path":"rotation","node":)", node, "}}"));
  }
  // The accessors of times and turns are the last two of a Strip.
  return absl::StrCat(R"(,"animations":[{"samplers":[{"input":6,"output":7}],"channels":[)",
                      absl::StrJoin(channels, ","), "]}]");
}

class Moved {
 public:
  explicit Moved(std::shared_ptr<const Character> c)
      : deformer_(c), pose_(c->rig->joints(), c->rig->shapes()), character_(std::move(c)) {
    pose_.span().CopyFrom(character_->rig->rest());
  }
  Moved& Turn(const std::string& joint, Vec3 axis, float rad) {
    const int j = character_->rig->FindJoint(joint);
    EXPECT_GE(j, 0) << joint;
    if (j >= 0) {
      pose_.span().SetRotation(
          j, skel::Mul(character_->rig->rest().rotation(j), skel::FromAxisAngle(axis, rad)));
    }
    return *this;
  }
  Moved& Go(const std::string& joint, Vec3 way) {
    const int j = character_->rig->FindJoint(joint);
    EXPECT_GE(j, 0) << joint;
    if (j >= 0) pose_.span().SetTranslation(j, character_->rig->rest().translation(j) + way);
    return *this;
  }
  Moved& Weight(const std::string& shape, float weight) {
    const int s = character_->rig->FindShape(shape);
    EXPECT_GE(s, 0) << shape;
    if (s >= 0) pose_.span().SetWeight(s, weight);
    return *this;
  }
  // From where the file has its origin.
  Vec3 Point(size_t i) {
    EXPECT_TRUE(deformer_.Pose(pose_.view()).ok());
    return (deformer_.points(0)[i] - character_->root.translation) * (1 / character_->root.scale.x);
  }

 private:
  Deformer deformer_;
  skel::Pose pose_;
  std::shared_ptr<const Character> character_;
};

void ExpectNear(Vec3 is, Vec3 should) {
  EXPECT_LT(skel::Length(is - should), 1e-4f) << is.x << " " << is.y << " " << is.z << ", expected "
                                              << should.x << " " << should.y << " " << should.z;
}

constexpr float kQuarter = 1.5707963f;

std::vector<std::string> OwnJoints(const Character& c) {
  const auto all = c.rig->joint_paths();
  std::vector<std::string> out;
  for (const Link& link : c.links) out.push_back(all[static_cast<size_t>(link.joint)]);
  return out;
}

TEST(OwnRig, ASkinWithoutNamesIsMovedByThePathsOfItsClip) {
  const auto c = Good(Strip().Glb());
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(OwnJoints(*c), ElementsAre("node_1", "node_1/node_2"));
  EXPECT_THAT(c->notes,
              Contains(HasSubstr("streams that name them: node_1, node_1/node_2. 0 are")));
  ExpectNear(Moved(c).Point(3), {.1f, 3, 0});
  ExpectNear(Moved(c).Turn("node_2", {0, 0, 1}, kQuarter).Point(3), {-1, 2.1f, 0});
  ExpectNear(Moved(c).Turn("node_2", {0, 0, 1}, kQuarter).Point(1), {.1f, 1, 0});
  ExpectNear(Moved(c).Go("node_1", {0, 0, 2}).Point(3), {.1f, 3, 2});
}

TEST(OwnRig, JointsOfOneNameAreToldApart) {
  Strip strip;
  strip.nodes = R"([{"skin":0,"mesh":0},{"name":"b","children":[2],"translation":[0,1,0]},)"
                R"({"name":"b","translation":[0,1,0]},{"name":"b"}])";
  strip.roots = "0,1,3";
  strip.joints = "1,2,3";
  strip.bound = {{0, 1, 0}, {0, 2, 0}, {}};
  const auto c = Good(strip.Glb());
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(OwnJoints(*c), ElementsAre("b", "b_3", "b/b"));
  ExpectNear(Moved(c).Turn("b/b", {0, 0, 1}, kQuarter).Point(3), {-1, 2.1f, 0});
}

// Poses have what stands between joints taken in, and lengths in metres.
TEST(OwnRig, NodesBetweenJointsAreIncluded) {
  Strip strip;
  // An armature that lies on its back and is in centimetres; a turned node between the joints.
  strip.nodes = R"([{"skin":0,"mesh":0},{"name":"tail","children":[4],"translation":[0,0,100]},)"
                R"({"name":"tip","translation":[100,0,0],"rotation":[0,0,-0.70710678,0.70710678]},)"
                R"({"name":"armature","children":[1],"scale":[0.01,0.01,0.01],)"
                R"("rotation":[-0.70710678,0,0,0.70710678]},)"
                R"({"name":"between","children":[2],"rotation":[0,-0.70710678,0,0.70710678]}])";
  strip.roots = "0,3";
  const auto c = Good(strip.Glb());
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(OwnJoints(*c), ElementsAre("tail", "tail/tip"));
  const skel::PoseView rest = c->rig->rest();
  const int tail = c->rig->FindJoint("tail"), tip = c->rig->FindJoint("tip");
  ExpectNear(rest.translation(tail), {0, 1, 0});
  EXPECT_NEAR(skel::Length(rest.translation(tip)), 1, 1e-5f);
  // A way of a pose is in metres and in the space of the joint above.
  const Vec3 before = Moved(c).Point(3);
  ExpectNear(Moved(c).Go("tail", {0, 0, .5f}).Point(3) - before, Vec3{0, 0, .5f});
  const skel::Quat turned = rest.rotation(tail);
  ExpectNear(Moved(c).Go("tip", {.25f, 0, 0}).Point(3) - before,
             skel::Rotate(turned, Vec3{.25f, 0, 0}));
}

TEST(OwnRig, NodesThatAnAnimationMovesAreJointsWithoutASkin) {
  Strip strip;
  strip.skinned = false;
  strip.nodes = R"([{"name":"prop","mesh":0,"translation":[0,0,1]},{"name":"other"},)"
                R"({"name":"stand","children":[0]}])";
  strip.roots = "2,1";
  strip.more = Turning({0});
  const auto c = Good(strip.Glb());
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(OwnJoints(*c), ElementsAre("prop"));
  ExpectNear(Moved(c).Turn("prop", {0, 0, 1}, kQuarter).Point(3), {-3, .1f, 1});
}

TEST(OwnRig, AMovedNodeAboveASkinIsAJoint) {
  Strip strip;
  strip.nodes =
      R"([{"skin":0,"mesh":0},{"children":[2],"translation":[0,1,0]},{"translation":[0,1,0]},)"
      R"({"name":"armature","children":[1]}])";
  strip.roots = "0,3";
  strip.more = Turning({3});
  const auto c = Good(strip.Glb());
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(OwnJoints(*c), ElementsAre("armature", "armature/node_1", "armature/node_1/node_2"));
  ExpectNear(Moved(c).Turn("armature", {0, 0, 1}, kQuarter).Point(3), {-3, .1f, 0});
}

TEST(OwnRig, ShapesOfTheFileAndOfArkitMoveIt) {
  Strip strip;
  strip.target_names = R"(["bulge"])";
  const auto c = Good(strip.Glb());
  ASSERT_NE(c, nullptr);
  ExpectNear(Moved(c).Weight("bulge", .5f).Point(3), {.1f, 3, .5f});
  strip.target_names = "[]";
  const auto nameless = Good(strip.Glb());
  ASSERT_NE(nameless, nullptr);
  ExpectNear(Moved(nameless).Weight("target_0", .5f).Point(3), {.1f, 3, .5f});
  strip.target_names = R"(["JawOpen"])";
  const auto face = Good(strip.Glb());
  ASSERT_NE(face, nullptr);
  ExpectNear(Moved(face).Weight("jawOpen", .5f).Point(3), {.1f, 3, .5f});
  EXPECT_GE(face->rig->FindJoint("HumanoidRoot"), 0) << "a person's stream still fits";
}

TEST(OwnRig, JointsOutsideTheSceneMoveTheSkin) {
  Strip strip;
  strip.roots = "0";
  const auto c = Good(strip.Glb());
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(c->notes,
              Contains("skins[0].joints[0] is node 1, which is not in the scene; it moves "
                       "the skin all the same"));
  ExpectNear(Moved(c).Turn("node_2", {0, 0, 1}, kQuarter).Point(3), {-1, 2.1f, 0});
}

TEST(OwnRig, JointsOfTheStandardRigsNamesAreTakenAlone) {
  Strip strip;
  strip.nodes =
      R"([{"skin":0,"mesh":0},{"name":"HumanoidRoot","children":[2],"translation":[0,1,0]},)"
      R"({"name":"tail","translation":[0,1,0]}])";
  const auto c = Good(strip.Glb());
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(c->rig->joint_paths(), ElementsAre("HumanoidRoot", "HumanoidRoot/tail"));
  ExpectNear(Moved(c).Turn("tail", {0, 0, 1}, kQuarter).Point(3), {-1, 2.1f, 0});
}

TEST(OwnRig, AThingWithoutJointsAndShapesKeepsTheStandardRig) {
  Strip strip;
  strip.skinned = false;
  strip.nodes = R"([{"mesh":0}])";
  strip.roots = "0";
  const auto c = Good(strip.Glb());
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->rig->name(), "hanim_loa3");
  EXPECT_THAT(c->notes, Contains(HasSubstr("no joint moves the character: its file has no skin")));
}

}  // namespace
}  // namespace posewire::character
