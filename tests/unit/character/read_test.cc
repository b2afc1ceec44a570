#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <meshoptimizer.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "libs/character/deformer.h"
#include "libs/character_file/builtin.h"
#include "tests/unit/character/reading.h"
#include "tests/unit/character/small_glb.h"

namespace posewire::character {
namespace {

using skel::Vec3;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

void ExpectRejected(const std::string& bytes, const std::string& said) {
  const auto out = Read(bytes);
  ASSERT_FALSE(out.ok()) << said;
  EXPECT_THAT(std::string(out.status().message()), HasSubstr(said));
}
// Puts other text of the same length into a file.
std::string With(std::string bytes, const std::string& from, std::string to) {
  const size_t at = bytes.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_LE(to.size(), from.size());
  to.resize(from.size(), ' ');
  return at == std::string::npos ? bytes : bytes.replace(at, to.size(), to);
}

// A character in a pose: what moves where.
class Posed {
 public:
  explicit Posed(std::shared_ptr<const Character> c)
      : deformer_(c), pose_(c->rig->joints(), c->rig->shapes()), character_(std::move(c)) {
    pose_.span().CopyFrom(character_->rig->rest());
  }
  Posed& Weight(const char* shape, float w) {
    pose_.span().SetWeight(character_->rig->FindShape(shape), w);
    return *this;
  }
  Posed& Turn(const char* joint, Vec3 axis, float rad) {
    const int j = character_->rig->FindJoint(joint);
    EXPECT_GE(j, 0) << joint;
    pose_.span().SetRotation(
        j, skel::Mul(skel::FromAxisAngle(axis, rad), character_->rig->rest().rotation(j)));
    return *this;
  }
  Vec3 Point(size_t i, size_t mesh = 0) {
    EXPECT_TRUE(deformer_.Pose(pose_.view()).ok());
    return deformer_.points(mesh)[i];
  }
  Deformer& deformer() { return deformer_; }

 private:
  Deformer deformer_;
  skel::Pose pose_;
  std::shared_ptr<const Character> character_;
};

constexpr size_t kHeadPoint = 4 * 8, kLeftHandPoint = 8 * 8;

TEST(ReadCharacter, AHumanoidFollowsTheRigVrm) {
  const auto c = Good(SmallPerson().Glb());
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->rig->name(), "vrm");
  EXPECT_FALSE(c->same_joints);
  EXPECT_THAT(c->missing_joints, Contains("LeftEye"));
  EXPECT_THAT(c->missing_joints, Not(Contains("LeftHand")));
  // The left arm turns down by a right angle about Z, from a T.
  const Vec3 rest = Posed(c).Point(kLeftHandPoint);
  const Vec3 down = Posed(c).Turn("LeftUpperArm", {0, 0, 1}, -1.5707963f).Point(kLeftHandPoint);
  EXPECT_GT(rest.x, 0.6f);
  EXPECT_NEAR(down.x, 0.17f, 0.06f);
  EXPECT_LT(down.y, rest.y - 0.4f);
}

// A clip of one arm leaves the other out, which is to hang, not to stand out as in the rig's T.
TEST(ReadCharacter, JointsThatAPoseLeavesOutStandAtEase) {
  const auto c = Good(SmallPerson().Glb());
  ASSERT_NE(c, nullptr);
  Deformer deformer(c);
  skel::Pose pose(c->rig->joints(), c->rig->shapes());
  ASSERT_TRUE(deformer.Pose(pose.view()).ok());
  const Vec3 hangs = deformer.points(0)[kLeftHandPoint];
  EXPECT_LT(hangs.x, 0.4f);
  EXPECT_LT(hangs.y, Posed(c).Point(kLeftHandPoint).y - 0.4f);
  pose.span().SetRotation(c->rig->FindJoint("LeftUpperArm"), {});
  ASSERT_TRUE(deformer.Pose(pose.view()).ok());
  EXPECT_GT(deformer.points(0)[kLeftHandPoint].x, 0.5f) << "what it says is shown";
}

TEST(ReadCharacter, ArmsThatHangAreBroughtIntoTheRigsStance) {
  SmallPerson person;
  person.a_pose = true;
  const auto c = Good(person.Glb());
  const auto t = Good(SmallPerson().Glb());
  ASSERT_TRUE(c && t);
  const Vec3 own = Posed(c).Point(kLeftHandPoint), should = Posed(t).Point(kLeftHandPoint);
  EXPECT_NEAR(own.x, should.x, 0.04f);
  EXPECT_NEAR(own.y, should.y, 0.08f);
}

TEST(ReadCharacter, ACharacterThatFacesBackwardsIsTurned) {
  SmallPerson person;
  person.faces_back = true;
  const auto c = Good(person.Glb());
  ASSERT_NE(c, nullptr);
  EXPECT_GT(Posed(c).Point(kLeftHandPoint).x, 0.6f) << "the left hand is on its left";
  EXPECT_THAT(c->notes, Contains(HasSubstr("180 degrees")));
}

TEST(ReadCharacter, CentimetresBecomeMetresAndGiantsStay) {
  SmallPerson person;
  person.scale = 100;
  const auto c = Good(person.Glb());
  ASSERT_NE(c, nullptr);
  EXPECT_NEAR(c->framing.extent.high.y - c->framing.extent.low.y, 1.6f, 0.1f);
  EXPECT_NEAR(Posed(c).Weight("jawOpen", 1).Point(kHeadPoint).y - Posed(c).Point(kHeadPoint).y,
              0.01f, 1e-4f);
  person.scale = 3;
  const auto giant = Good(person.Glb());
  ASSERT_NE(giant, nullptr);
  EXPECT_NEAR(giant->framing.extent.high.y - giant->framing.extent.low.y, 4.8f, 0.2f);
  EXPECT_GT(giant->framing.face.y, 4.0f);
}

TEST(ReadCharacter, AppleSMouthIsGivenTheJawThatAceSHas) {
  const auto apple = Good(SmallPerson().Glb());
  SmallPerson person;
  person.extras = R"({"posewire":{"version":1,"mouthClose":"ace"}})";
  const auto ace = Good(person.Glb());
  ASSERT_TRUE(apple && ace);
  // jawOpen moves by 1 cm, mouthClose by 2.
  const float rest = Posed(ace).Point(kHeadPoint).y;
  EXPECT_NEAR(Posed(ace).Weight("mouthClose", 0.5f).Point(kHeadPoint).y - rest, 0.01f, 1e-5f);
  EXPECT_NEAR(Posed(apple).Weight("mouthClose", 0.5f).Point(kHeadPoint).y - rest, 0.015f, 1e-5f);
  EXPECT_NEAR(
      Posed(apple).Weight("mouthClose", 0.5f).Weight("jawOpen", 0.8f).Point(kHeadPoint).y - rest,
      0.02f, 1e-5f)
      << "the jaw opens no further than 1";
}

TEST(ReadCharacter, ShapesAreFoundBySidesAndTheMissingAreListed) {
  const auto c = Good(SmallPerson().Glb());
  ASSERT_NE(c, nullptr);
  EXPECT_NEAR(Posed(c).Weight("eyeBlinkLeft", 1).Point(kHeadPoint).y - Posed(c).Point(kHeadPoint).y,
              0.03f, 1e-5f);
  EXPECT_THAT(c->missing_shapes, Contains("mouthPucker"));
  EXPECT_THAT(c->missing_shapes, Not(Contains("eyeBlinkLeft")));
}

TEST(ReadCharacter, VrmSBonesAndExpressions) {
  std::string bones;
  const char* names[] = {"hips",          "spine",         "chest",         "neck",
                         "head",          "leftShoulder",  "leftUpperArm",  "leftLowerArm",
                         "leftHand",      "rightShoulder", "rightUpperArm", "rightLowerArm",
                         "rightHand",     "leftUpperLeg",  "leftLowerLeg",  "leftFoot",
                         "rightUpperLeg", "rightLowerLeg", "rightFoot"};
  std::string old_bones;
  for (int i = 0; i < 19; ++i) {
    absl::StrAppend(&bones, i ? "," : "", "\"", names[i], R"(":{"node":)", i, "}");
    absl::StrAppend(&old_bones, i ? "," : "", R"({"bone":")", names[i], R"(","node":)", i, "}");
  }
  SmallPerson vrm1;
  vrm1.name_prefix = "b";
  vrm1.targets = {"Fcl_A", "Fcl_Blink_L"};
  vrm1.extensions = absl::StrCat(
      R"({"VRMC_vrm":{"specVersion":"1.0","humanoid":{"humanBones":{)", bones,
      R"(}},"expressions":{"preset":{"aa":{"morphTargetBinds":[{"node":19,"index":0,"weight":1}]},)",
      R"("blinkLeft":{"morphTargetBinds":[{"node":19,"index":1,"weight":0.5}]}}}}})");
  SmallPerson vrm0 = vrm1;
  vrm0.extensions = absl::StrCat(
      R"({"VRM":{"humanoid":{"humanBones":[)", old_bones,
      R"(]},"blendShapeMaster":{"blendShapeGroups":[)",
      R"({"name":"A","presetName":"a","binds":[{"mesh":0,"index":0,"weight":100}]},)",
      R"({"name":"BL","presetName":"blink_l","binds":[{"mesh":0,"index":1,"weight":50}]}]}}})");
  for (const SmallPerson& person : {vrm0, vrm1}) {
    const auto c = Good(person.Glb());
    ASSERT_NE(c, nullptr);
    EXPECT_EQ(c->rig->name(), "vrm");
    const float rest = Posed(c).Point(kHeadPoint).y;
    EXPECT_NEAR(Posed(c).Weight("jawOpen", 0.5f).Point(kHeadPoint).y - rest, 0.008f, 1e-5f);
    EXPECT_NEAR(Posed(c).Weight("eyeBlinkLeft", 1).Point(kHeadPoint).y - rest, 0.01f, 1e-5f);
    EXPECT_THAT(c->missing_shapes, Not(Contains("eyeBlinkLeft")));
  }
}

constexpr char kExtras[] = R"({"posewire":{"version":1,"mouthClose":"ace","someday":[1],
  "inbetweens":[{"target":"jawOpen_50","shape":"jawOpen","at":0.5}],
  "correctives":[{"target":"bend","joint":"l_elbow","axis":[1,0,0],"from_deg":20,"to_deg":120}],
  "variants":[{"part":"hair","choices":[{"name":"short","nodes":["short"]},
                                        {"name":"long","nodes":["long"]}]},
              {"part":"skin","choices":[{"name":"light"},
                {"name":"dark","materials":{"skin":{"baseColorFactor":[0.1,0.2,0.3,1]}}}]}],
  "sites":[{"name":"hand","joint":"l_radiocarpal","translation":[0,0.1,0]}],
  "cameras":{"face":{"height_m":0.3}}}})";

TEST(Extras, InbetweensBendTheWayOfAShape) {
  const auto c = Good(LoaGlb(**Rigs().Find("hanim_loa3"), kExtras));
  ASSERT_NE(c, nullptr);
  EXPECT_TRUE(c->same_joints);
  EXPECT_EQ(c->rig->name(), "hanim_loa3");
  EXPECT_TRUE(c->missing_joints.empty());
  EXPECT_NEAR(Posed(c).Weight("jawOpen", 0.25f).Point(0).z, 0.04f, 1e-5f);
  EXPECT_NEAR(Posed(c).Weight("jawOpen", 0.5f).Point(0).z, 0.08f, 1e-5f);
  EXPECT_NEAR(Posed(c).Weight("jawOpen", 0.75f).Point(0).z, 0.09f, 1e-5f);
  EXPECT_NEAR(Posed(c).Weight("jawOpen", 1).Point(0).z, 0.1f, 1e-5f);
}

TEST(Extras, CorrectivesFollowTheTurnOfAJoint) {
  const auto c = Good(LoaGlb(**Rigs().Find("hanim_loa3"), kExtras));
  ASSERT_NE(c, nullptr);
  const auto at = [&](float degrees) {
    return Posed(c).Turn("l_elbow", {1, 0, 0}, degrees * 3.14159265f / 180).Point(0).z;
  };
  EXPECT_NEAR(at(0), 0, 1e-5f);
  EXPECT_NEAR(at(20), 0, 1e-5f);
  EXPECT_NEAR(at(70), 0.05f, 1e-4f);
  EXPECT_NEAR(at(150), 0.1f, 1e-5f);
  EXPECT_NEAR(at(-90), 0, 1e-5f);
}

TEST(Extras, VariantsSitesAndCameras) {
  const auto c = Good(LoaGlb(**Rigs().Find("hanim_loa3"), kExtras));
  ASSERT_NE(c, nullptr);
  Deformer deformer(c);
  EXPECT_TRUE(deformer.shown(0));
  EXPECT_FALSE(deformer.shown(1));
  EXPECT_TRUE(deformer.Choose("hair", "long").ok());
  EXPECT_FALSE(deformer.shown(0));
  EXPECT_TRUE(deformer.shown(1));
  EXPECT_EQ(deformer.color(0)[2], 1);
  EXPECT_TRUE(deformer.Choose("skin", "dark").ok());
  EXPECT_FLOAT_EQ(deformer.color(0)[2], 0.3f);
  EXPECT_THAT(std::string(deformer.Choose("hair", "blue").message()), HasSubstr("short, long"));
  EXPECT_THAT(std::string(deformer.Choose("hat", "blue").message()), HasSubstr("hair, skin"));
  ASSERT_EQ(c->sites.size(), 1u);
  EXPECT_EQ(c->sites[0].joint, c->rig->FindJoint("l_wrist"));
  EXPECT_FLOAT_EQ(c->framing.face_m, 0.3f);
}

TEST(Extras, DeformersMoveThePointsAfterTheSkin) {
  const auto c = Good(LoaGlb(**Rigs().Find("hanim_loa3"), R"({"posewire":{"deformers":[
    {"type":"lattice","node":"skullbase","min":[-9,-9,-9],"max":[9,9,9],"divisions":[1,2,1],
     "moves":[{"shapes":["mouthPucker"],"points":[[0,0,0,[0,0,1]],[1,2,1,[0,1,0]]]},
              {"joint":"l_elbow","axis":[1,0,0],"from_deg":0,"to_deg":90,
               "points":[[0,1,0,[1,0,0]]]}]},
    {"type":"smoothing","rounds":3,"strength":0.5}]}})"));
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->after_skin.lattices.size(), 1u);
  const Lattice& lattice = c->after_skin.lattices[0];
  EXPECT_EQ(c->nodes[static_cast<size_t>(lattice.node)].name, "skullbase");
  ASSERT_EQ(lattice.moves.size(), 2u);
  EXPECT_EQ(lattice.moves[0].pushes[1].at, (std::array<uint8_t, 3>{1, 2, 1}));
  EXPECT_EQ(lattice.moves[1].drive.joint, c->rig->FindJoint("l_elbow"));
  ASSERT_TRUE(c->after_skin.smoothing.has_value());
  EXPECT_EQ(c->after_skin.smoothing->rounds, 3);
  EXPECT_EQ(c->after_skin.smoothing->strength, 0.5f);
  const skel::Vec3 still = Posed(c).Point(0), pulled = Posed(c).Weight("mouthPucker", 1).Point(0),
                   bent = Posed(c).Turn("l_elbow", {1, 0, 0}, 1.5707963f).Point(0);
  EXPECT_GT(pulled.y, still.y + 0.01f);
  EXPECT_GT(bent.x, still.x + 0.01f);
}

TEST(Extras, BrokenOnesRejectTheFileByName) {
  const skel::Rig& rig = **Rigs().Find("hanim_loa3");
  const auto with = [&](const std::string& ours) {
    return LoaGlb(rig, absl::StrCat(R"({"posewire":)", ours, "}"));
  };
  ExpectRejected(with(R"({"mouthClose":"both"})"), "extras.posewire.mouthClose is \"both\"");
  ExpectRejected(with(R"({"version":2})"), "extras.posewire.version is newer");
  ExpectRejected(with(R"({"correctives":[{"target":"none","shapes":["jawOpen"]}]})"),
                 "correctives[0].target is \"none\"");
  ExpectRejected(with(R"({"correctives":[{"target":"bend","joint":"tail"}]})"),
                 "correctives[0].joint is \"tail\"");
  ExpectRejected(with(R"({"variants":[{"part":"hair","choices":[{"name":"a","nodes":["b"]}]}]})"),
                 "nodes[0] is \"b\"");
  const auto lattice = [&](const std::string& members) {
    return with(
        absl::StrCat(R"({"deformers":[{"type":"lattice","node":"skullbase",)", members, "}]}"));
  };
  ExpectRejected(with(R"({"deformers":[{"type":"wrap"}]})"), "type is \"wrap\", expected lattice");
  ExpectRejected(with(R"({"deformers":[{"type":"smoothing","rounds":65}]})"), "rounds is 65");
  ExpectRejected(with(R"({"deformers":[{"type":"smoothing"},{"type":"smoothing"}]})"),
                 "deformers[1].type is a second smoothing");
  ExpectRejected(with(R"({"deformers":[{"type":"lattice","node":"tail"}]})"),
                 "deformers[0].node is \"tail\"");
  ExpectRejected(lattice(R"("min":[0,0,0],"max":[1,0,1])"), "max is not above min");
  ExpectRejected(lattice(R"("min":[0,0,0],"max":[1,1,1],"divisions":[1,9,1])"),
                 "divisions[1] is 9");
  ExpectRejected(lattice(R"("min":[0,0,0],"max":[1,1,1],"meshes":["hat"])"),
                 "meshes[0] is \"hat\"");
  ExpectRejected(lattice(R"("min":[0,0,0],"max":[1,1,1],"moves":[{"shapes":["jawOpen"]}])"),
                 "moves[0] has no points");
  ExpectRejected(lattice(R"("min":[0,0,0],"max":[1,1,1],"moves":[{"shapes":["jawOpen"],)"
                         R"("points":[[0,2,0,[0,0,1]]]}])"),
                 "points[0][1] is 2");
  ExpectRejected(lattice(R"("min":[0,0,0],"max":[1,1,1],"moves":[{"shapes":["jawOpen"],)"
                         R"("points":[[0,1,0]]}])"),
                 "points[0] is no control point");
  ExpectRejected(with(R"({"cameras":{"face":{"height_m":"x"}}})"), "height_m is \"x\"");
}

TEST(Broken, FilesAreRejectedWithPlaceAndValue) {
  const std::string glb = SmallPerson().Glb();
  ExpectRejected("", "no JSON");
  ExpectRejected("glTF", "ends after 4 bytes");
  ExpectRejected(glb.substr(0, glb.size() / 2), "of the");
  ExpectRejected("{\"asset\":{\"version\":\"2.0\"}}", "no mesh");
  ExpectRejected("{\"asset\":{\"version\":\"1.0\"}}", "asset.version is \"1.0\"");
  ExpectRejected("{\"asset\"", "broken at byte");
  ExpectRejected(std::string(1000, '['), "64 levels");
  ExpectRejected(With(glb, "\"count\":152", "\"count\":999"), "of a view of");
  ExpectRejected(With(glb, "\"count\":152", "\"count\":-12"), "accessors[0].count is -12");
  ExpectRejected(With(glb, "\"type\":\"VEC3\"", "\"type\":\"VEC2\""), "accessors[0].type is VEC2");
  ExpectRejected(With(glb, "\"children\":[1,", "\"children\":[0,"), "below itself");
  ExpectRejected(With(glb, "\"children\":[2]", "\"children\":[9]"), "has the parents");
  ExpectRejected(With(glb, "\"mesh\":0", "\"mesh\":7"), "mesh is 7");
  SmallPerson ktx;
  ktx.required = "KHR_texture_basisu";
  ExpectRejected(ktx.Glb(), "KTX2");
  ktx.required = "ACME_magic";
  ExpectRejected(ktx.Glb(), "ACME_magic");
}

TEST(Broken, LimitsAreHeld) {
  Limits limits;
  limits.points = 100;
  const std::string glb = SmallPerson().Glb();
  const auto rejected = character_file::ReadCharacter(glb, "test", Rigs(), {.limits = limits});
  EXPECT_THAT(std::string(rejected.status().message()), HasSubstr("at most 100"));
  limits = {};
  limits.numbers = 1000;
  EXPECT_EQ(character_file::ReadCharacter(glb, "test", Rigs(), {.limits = limits}).status().code(),
            absl::StatusCode::kResourceExhausted);
  limits = {};
  limits.bytes = 5000;
  EXPECT_EQ(character_file::ReadCharacter(glb, "test", Rigs(), {.limits = limits}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

// What cannot be read is said, and what is read can be shown.
void ReadAndShow(const std::string& bytes, int& shown) {
  const auto read = Read(bytes);
  if (!read.ok()) {
    EXPECT_GT(read.status().message().size(), 10u);
    return;
  }
  Deformer deformer(*read);
  skel::Pose pose((*read)->rig->joints(), (*read)->rig->shapes());
  for (int s = 0; s < pose.shapes(); ++s) pose.span().SetWeight(s, 0.7f);
  const absl::Status posed = deformer.Pose(pose.view());
  EXPECT_TRUE(posed.ok()) << posed;
  ++shown;
}

TEST(Broken, HundredsOfDamagedFilesAreRejectedOrShown) {
  SmallPerson vrm;
  vrm.extensions =
      R"({"VRM":{"humanoid":{"humanBones":[{"bone":"hips","node":0},{"bone":"head","node":4}]},
          "blendShapeMaster":{"blendShapeGroups":[{"name":"A","presetName":"a",
          "binds":[{"mesh":0,"index":0,"weight":100}]}]}}})";
  std::vector<std::string> files = {SmallPerson().Glb(), vrm.Glb(),
                                    LoaGlb(**Rigs().Find("hanim_loa3"), kExtras)};
  std::mt19937 random(7);
  for (const std::string& file : files) {
    int shown = 0;
    for (int i = 0; i < 150; ++i) {
      std::string bytes = file;
      const auto at = [&](size_t from, size_t to) {
        return from + random() % std::max<size_t>(to - from, 1);
      };
      uint32_t json_size = 0;
      std::memcpy(&json_size, &bytes[12], sizeof(json_size));
      const size_t json_end = 20 + json_size;
      const int kind = i % 5;
      for (int k = 0; k <= i % 4; ++k) {
        if (kind == 0) bytes[at(0, bytes.size())] = static_cast<char>(random());
        // A digit of the JSON becomes another, or a minus.
        if (kind == 1 || kind == 2) {
          size_t p = at(20, json_end);
          while (p < json_end && (bytes[p] < '0' || bytes[p] > '9')) ++p;
          if (p < json_end) bytes[p] = kind == 1 ? static_cast<char>('0' + random() % 10) : '-';
        }
        if (kind == 3) bytes[at(json_end, bytes.size())] = static_cast<char>(0xFF);
        if (kind == 4) bytes.resize(at(1, bytes.size()));
      }
      ReadAndShow(bytes, shown);
    }
    EXPECT_GT(shown, 10);
    EXPECT_LT(shown, 150);
  }
}

TEST(Packed, MeshoptSViewsUnpackToTheSame) {
  const std::vector<float> points = {0, 0, 0, 1, 0, 0, 0, 1.7f, 0};
  const std::vector<uint32_t> indices = {0, 1, 2};
  std::vector<unsigned char> vertex(meshopt_encodeVertexBufferBound(3, 12)),
      index(meshopt_encodeIndexBufferBound(3, 3));
  vertex.resize(meshopt_encodeVertexBuffer(vertex.data(), vertex.size(), points.data(), 3, 12));
  index.resize(meshopt_encodeIndexBuffer(index.data(), index.size(), indices.data(), 3));
  const auto file = [&](size_t vertex_count) {
    GlbBytes bytes;
    const size_t first = bytes.size();
    bytes.View(vertex);
    const size_t second = (bytes.size() + 3) / 4 * 4;
    bytes.View(index);
    bytes.RawView(absl::StrCat(
        R"({"buffer":1,"byteLength":36,"extensions":{"EXT_meshopt_compression":{"buffer":0,"byteOffset":)",
        first, R"(,"byteLength":)", vertex.size(), R"(,"byteStride":12,"count":)", vertex_count,
        R"(,"mode":"ATTRIBUTES"}}})"));
    bytes.RawView(absl::StrCat(
        R"({"buffer":1,"byteLength":12,"extensions":{"EXT_meshopt_compression":{"buffer":0,"byteOffset":)",
        second, R"(,"byteLength":)", index.size(),
        R"(,"byteStride":4,"count":3,"mode":"TRIANGLES"}}})"));
    const int p =
        bytes.Accessor(R"({"bufferView":2,"componentType":5126,"type":"VEC3","count":3})");
    const int t =
        bytes.Accessor(R"({"bufferView":3,"componentType":5125,"type":"SCALAR","count":3})");
    return bytes.Glb(absl::StrCat(
        R"("extensionsRequired":["EXT_meshopt_compression"],"scenes":[{"nodes":[0]}],)",
        R"("nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":)", p,
        R"(},"indices":)", t, "}]}]"));
  };
  std::string glb = file(3);
  // The buffer for those who cannot unpack has no bytes.
  const std::string tail = "}],\"bufferViews\"";
  const size_t at = glb.find(tail);
  ASSERT_NE(at, std::string::npos);
  const std::string more =
      R"(},{"byteLength":48,"extensions":{"EXT_meshopt_compression":{"fallback":true}})";
  const auto grow = [&](std::string bytes) {
    std::string added = more;
    added.resize((added.size() + 3) / 4 * 4, ' ');
    bytes.insert(bytes.find(tail), added);
    for (const size_t word : {size_t{8}, size_t{12}}) {
      uint32_t v;
      std::memcpy(&v, &bytes[word], 4);
      v += static_cast<uint32_t>(added.size());
      std::memcpy(&bytes[word], &v, 4);
    }
    return bytes;
  };
  const auto c = Good(grow(glb));
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->meshes.size(), 1u);
  EXPECT_FLOAT_EQ(c->meshes[0].points[2].y, 1.7f);
  EXPECT_THAT(c->notes, Contains(HasSubstr("no joint moves the character")));
  ExpectRejected(grow(file(4000)), "does not unpack");
}

TEST(PlainFigure, BlinksAndOpensItsMouth) {
  const auto c = character_file::PlainFigure(Rigs());
  ASSERT_TRUE(c.ok());
  EXPECT_TRUE((*c)->missing_joints.empty());
  EXPECT_THAT((*c)->missing_shapes, Not(Contains("jawOpen")));
  EXPECT_LT((*c)->triangles(), 60000u);
  EXPECT_NEAR((*c)->framing.extent.high.y, 1.76f, 0.06f);
}

// What the built-in people promise to whoever draws them. Nothing to look at in a build that could
// not make them.
class Builtin : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(People, Builtin, testing::Values("woman", "man"));

TEST_P(Builtin, IsOnTheStandardRigWithAllShapes) {
  if (character_file::BuiltinFile(GetParam()).empty())
    GTEST_SKIP() << "this build has no data for them";
  const auto c = character_file::OpenCharacter(GetParam(), Rigs());
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_TRUE((*c)->same_joints);
  EXPECT_EQ((*c)->rig->name(), "hanim_loa3");
  EXPECT_THAT((*c)->missing_joints, testing::IsEmpty());
  EXPECT_THAT((*c)->missing_shapes, testing::IsEmpty());
  EXPECT_THAT((*c)->notes, testing::IsEmpty());
  EXPECT_TRUE((*c)->ace_mouth);
  EXPECT_EQ((*c)->length_scale, 1);
  EXPECT_LE((*c)->triangles(), 42000u) << "all choices together: 35,000 and a second style of hair";
}

}  // namespace
}  // namespace posewire::character
