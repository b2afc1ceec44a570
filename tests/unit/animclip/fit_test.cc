// fit: skins for moving meshes, and the characters written with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "libs/character_file/point_file.h"
#include "libs/character_file/read_character.h"
#include "libs/clipio/load_clip.h"
#include "libs/mesh/blend_shapes.h"
#include "tests/unit/animclip/clip_fixture.h"
#include "tests/unit/animclip/moving_person.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/exercise.h"
#include "tools/animclip/film_bake.h"
#include "tools/animclip/fit_scene.h"

namespace posewire::animclip {
namespace {

using skel::Vec3;
using ::testing::HasSubstr;
using ::testing::Not;

double RmsIn(const std::string& said, absl::string_view row) {
  const size_t at = said.find(std::string(row));
  EXPECT_NE(at, std::string::npos) << row << " in\n" << said;
  return at == std::string::npos ? -1 : std::atof(said.c_str() + at + row.size());
}

class FitTest : public MovingPersonTest {
 protected:
  explicit FitTest(float bulge_m = 0.02f) : MovingPersonTest(bulge_m) {}

  FitOptions OfHero() {
    Spill(stage_, Stage());
    FitOptions out;
    out.film.clip = clip_;
    out.film.character = hero_;
    out.film.complex = stage_;
    return out;
  }

  const skel::RigCatalog catalog_ = *skel::RigCatalog::Builtin("arkit68");
  const std::string stage_ = TempPath("sim.usda"), glb_ = TempPath("fitted.glb");
};

TEST_F(FitTest, ComesNearerThanTheWeightsOfTheFile) {
  FitOptions options = OfHero();
  options.out = TempPath("weights.json");
  TestConsole c;
  ASSERT_EQ(RunFit(options, c.console), kDone) << c.err.str();
  const std::string said = c.out.str();
  EXPECT_THAT(said, HasSubstr("152 points on 19 joints, 12 of 12 frames"));
  const double hand = RmsIn(said, "weights by hand"), weights = RmsIn(said, "fitted weights "),
               joints = RmsIn(said, "fitted weights and joints");
  EXPECT_GT(hand, 15);  // the bulge: 20 mm along three waves
  EXPECT_LE(weights, hand);
  EXPECT_LT(joints, 0.9 * hand);
  EXPECT_LT(RmsIn(said, "from the points alone"), hand);
  const std::string json = Slurp(options.out);
  EXPECT_THAT(json, HasSubstr("\"joints\":[\"mixamorig:Hips\""));
  EXPECT_THAT(json, HasSubstr("{\"name\":\"body\",\"points\":152,"));
  options.what = "points";
  TestConsole d;
  ASSERT_EQ(RunFit(options, d.console), kDone) << d.err.str();
  EXPECT_THAT(Slurp(options.out), HasSubstr("\"transforms\":[["));
}

TEST_F(FitTest, WritesACharacterWhoseSkinHasTheErrorThatWasReported) {
  FitOptions options = OfHero();
  options.out = glb_;
  TestConsole c;
  ASSERT_EQ(RunFit(options, c.console), kDone) << c.err.str();
  EXPECT_THAT(c.out.str(), HasSubstr("fitted.glb: a character of rig vrm; speech moves its face"));
  const auto back = character_file::OpenCharacter(glb_, catalog_);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ((*back)->points(), person_->points());
  EXPECT_EQ((*back)->triangles(), person_->triangles());
  ASSERT_EQ((*back)->meshes.size(), person_->meshes.size());
  EXPECT_EQ((*back)->meshes[0].shapes.size(), person_->meshes[0].shapes.size());
  SimpleRig rig(*back);
  ASSERT_EQ(rig.skin.points(), rig_->skin.points());
  const auto clip = clipio::LoadClip(clip_, (*back)->rig, catalog_);
  ASSERT_TRUE(clip.ok()) << clip.status();
  const std::vector<skel::Affine>& s = rig.transforms;
  skel::Pose pose((*back)->rig->joints(), (*back)->rig->shapes());
  double squares = 0;
  for (int f = 0; f < kFrames; ++f) {
    (*clip)->CopyFrame(f, pose.span());
    ASSERT_TRUE(rig.Pose(pose.view()).ok());
    for (size_t i = 0; i < s.size(); ++i) {
      const Vec3 is =
          skel::TransformPoint(to_file_, skel::TransformPoint(s[i], rig.skin.rest()[i]));
      const double away = skel::Length(is - complex_[static_cast<size_t>(f)][i]);
      squares += away * away;
    }
  }
  const double rms_mm = 1000 * std::sqrt(squares / static_cast<double>(kFrames * s.size()));
  EXPECT_NEAR(rms_mm, RmsIn(c.out.str(), "fitted weights "), 0.002);
}

TEST_F(FitTest, MovesTheJointsOfTheWrittenSkeleton) {
  FitOptions options = OfHero();
  options.out = glb_;
  options.what = "joints";
  TestConsole c;
  ASSERT_EQ(RunFit(options, c.console), kDone) << c.err.str();
  EXPECT_LE(RmsIn(c.out.str(), "joints of one skeleton"), RmsIn(c.out.str(), "weights by hand"));
  const auto back = character_file::OpenCharacter(glb_, catalog_);
  ASSERT_TRUE(back.ok()) << back.status();
  float moved = 0;
  for (const character::CharacterNode& node : (*back)->nodes) {
    for (const character::CharacterNode& was : person_->nodes) {
      if (was.name != node.name) continue;
      moved = std::max(moved, skel::Length(node.translation - was.translation));
    }
  }
  EXPECT_GT(moved, 1e-3f);
  EXPECT_LT(moved, 0.2f);
}

TEST_F(FitTest, RejectsWhatCannotBeWritten) {
  const auto rejection = [&](FitOptions options) {
    TestConsole c;
    EXPECT_EQ(RunFit(options, c.console), kNo);
    return c.err.str();
  };
  FitOptions options = OfHero();
  options.out = TempPath("fitted.fbx");
  EXPECT_THAT(rejection(options),
              HasSubstr("fitted.fbx, expected a name that ends in .glb or .json"));
  options.out = glb_;
  options.influences = 6;
  EXPECT_THAT(rejection(options), HasSubstr("--influences is 6, expected at most 4 for a .glb"));
  options.influences = 4;
  options.what = "points";
  EXPECT_THAT(rejection(options), HasSubstr("expected weights or joints for a .glb"));
  options.what = "";
  options.skeleton = "hanim_loa3";
  EXPECT_THAT(rejection(options),
              HasSubstr("--skeleton and --rest-frame are for --complex without"));
  options.skeleton = "";
  options.out = TempPath("no/such/folder/fitted.glb");
  EXPECT_THAT(rejection(options), HasSubstr("fitted.glb: cannot open: No such file"));
  EXPECT_FALSE(std::filesystem::exists(TempPath("no")));
  options.out = glb_;
  options.film.complex = TempPath("none.usda");
  EXPECT_THAT(rejection(options), HasSubstr("No such file"));
  EXPECT_FALSE(std::filesystem::exists(glb_));
}

// Meshes that a skin moves exactly, and a file with its skeleton and motion.
class FitMeshesTest : public FitTest {
 protected:
  FitMeshesTest() : FitTest(0) {}

  void SetUp() override {
    FitTest::SetUp();
    FitOptions options = OfHero();
    options.out = mover_;
    TestConsole c;
    ASSERT_EQ(RunFit(options, c.console), kDone) << c.err.str();
  }

  // A person's motion, of all limbs.
  void MakeClip() override {
    const auto rig = catalog_.Find("hanim_loa3");
    ASSERT_TRUE(rig.ok()) << rig.status();
    const auto exercise = MakeExercise(*rig);
    ASSERT_TRUE(exercise.ok()) << exercise.status();
    std::vector<skel::Pose> poses;
    for (int f = 0; f < kFrames; ++f) {
      poses.emplace_back((*rig)->joints(), (*rig)->shapes());
      const skel::PoseSpan pose = poses.back().span();
      (*exercise)->CopyFrame(f * ((*exercise)->frames() / kFrames), pose);
      std::fill_n(pose.has_w, pose.shapes, uint8_t{0});  // no face
    }
    const clip::Clip some("exercise", *rig, {}, std::move(poses));
    ASSERT_TRUE(clipio::WriteClip(some, clip_).ok());
  }

  static Vec3 ZUpCentimetres(Vec3 p) { return Vec3{p.x, -p.z, p.y} * 100; }

  // An OBJ file a frame, with all faces. `stray`: the first point has none.
  std::string Frames(const std::string& name, bool z_up = false, bool stray = false) {
    const std::string folder = TempPath(name);
    std::filesystem::create_directories(folder);
    for (size_t f = 0; f < complex_.size(); ++f) {
      std::string text = stray ? "o body\nv 0 1 0\n" : "o body\n";
      const uint32_t first = stray ? 2 : 1;
      for (Vec3 p : complex_[f]) {
        if (z_up) p = ZUpCentimetres(p);
        absl::StrAppendFormat(&text, "v %.9g %.9g %.9g\n", p.x, p.y, p.z);
      }
      const std::vector<uint32_t>& corners = person_->meshes[0].triangles;
      for (size_t t = 0; t < corners.size(); t += 3) {
        absl::StrAppendFormat(&text, "f %d %d %d\n", corners[t] + first, corners[t + 1] + first,
                              corners[t + 2] + first);
      }
      Spill(absl::StrCat(folder, "/f", f, ".obj"), text);
    }
    return folder;
  }

  FitOptions OfMeshes(const std::string& complex) {
    FitOptions out;
    out.film.clip = mover_;
    out.film.complex = complex;
    out.out = glb_;
    return out;
  }
  Outcome Fit(const FitOptions& options) {
    TestConsole c;
    const int code = RunFit(options, c.console);
    return {code, c.out.str(), c.err.str()};
  }
  std::string Rejection(const FitOptions& options) {
    const Outcome got = Fit(options);
    EXPECT_EQ(got.code, kNo) << got.out;
    return got.err;
  }

  const std::string mover_ = TempPath("mover.glb");
};

TEST_F(FitMeshesTest, MakesACharacterOfMeshesWithoutWeights) {
  const Outcome got = Fit(OfMeshes(Frames("frames")));
  ASSERT_EQ(got.code, kDone) << got.err;
  EXPECT_THAT(got.err, HasSubstr("assumed: the meshes of frame 0 are at rest (--rest-frame); the "
                                 "skeleton of "));
  EXPECT_THAT(got.err, HasSubstr("moves them (--skeleton); they have 30 frames a second (--fps)"));
  EXPECT_THAT(got.err, Not(HasSubstr("--scale")));
  EXPECT_THAT(got.out, Not(HasSubstr("weights by hand")));
  EXPECT_LT(RmsIn(got.out, "as the file plays it"), 2);
  EXPECT_THAT(got.out, HasSubstr("speech moves its head, but not its face: it has no shapes, and "
                                 "no jaw joint"));
  const auto back = character_file::OpenCharacter(glb_, catalog_);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ((*back)->points(), person_->points());
  EXPECT_EQ((*back)->rig->name(), "vrm");
  EXPECT_EQ((*back)->links.size(), person_->links.size());
  float moved = 0;
  for (const character::CharacterNode& node : (*back)->nodes) {
    for (const character::CharacterNode& was : person_->nodes) {
      if (was.name != node.name) continue;
      moved = std::max(moved, skel::Length(node.translation - was.translation));
    }
  }
  EXPECT_LT(moved, 0.2f) << "the skeleton is about the one that moved the meshes";
}

TEST_F(FitMeshesTest, ThePointsOfTheWrittenAnimationAreThoseOfTheMeshes) {
  const Outcome got = Fit(OfMeshes(Frames("frames")));
  ASSERT_EQ(got.code, kDone) << got.err;
  const auto points = character_file::OpenPointAnimation(glb_);
  ASSERT_TRUE(points.ok()) << points.status();
  ASSERT_EQ((*points)->frames(30), static_cast<size_t>(kFrames));
  ASSERT_EQ((*points)->points(), complex_[0].size());
  std::vector<Vec3> now(complex_[0].size());
  double squares = 0;
  for (size_t f = 0; f < complex_.size(); ++f) {
    ASSERT_TRUE((*points)->Frame(f, 30, absl::MakeSpan(now)).ok());
    for (size_t i = 0; i < now.size(); ++i) {
      // The reader of OBJ numbers points by the faces that use them.
      double least = 1;
      for (const Vec3 p : complex_[f]) least = std::min(least, double{skel::Length(p - now[i])});
      squares += least * least;
    }
  }
  const double rms_mm =
      1000 * std::sqrt(squares / static_cast<double>(complex_.size() * now.size()));
  EXPECT_LE(rms_mm, RmsIn(got.out, "as the file plays it") + 1e-3);
}

TEST_F(FitMeshesTest, TheMeshesStillMatchTheWrittenCharacter) {
  const std::string folder = Frames("frames", false, true);
  const Outcome got = Fit(OfMeshes(folder));
  ASSERT_EQ(got.code, kDone) << got.err;
  const auto back = character_file::OpenCharacter(glb_, catalog_);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ((*back)->meshes[0].name, "body");
  EXPECT_EQ((*back)->meshes[0].file_points, 153u);
  EXPECT_EQ((*back)->meshes[0].points.size(), 152u);
  BakeOptions bake;
  bake.clip = mover_;
  bake.character = glb_;
  bake.out = TempPath("take.offsets");
  for (const std::string& complex : {folder, glb_}) {
    bake.complex = complex;
    TestConsole c;
    EXPECT_EQ(RunBake(bake, c.console), kDone) << c.err.str();
  }
}

TEST_F(FitMeshesTest, FindsUnitAndUpAxisAndSaysSo) {
  const Outcome got = Fit(OfMeshes(Frames("frames", true)));
  ASSERT_EQ(got.code, kDone) << got.err;
  EXPECT_THAT(got.err, HasSubstr("their lengths are in centimetres (--scale 0.01); they are turned "
                                 "to Y up, as the skeleton is"));
  EXPECT_LT(RmsIn(got.out, "as the file plays it"), 2);
}

TEST_F(FitMeshesTest, TakesMeshesAndShapesOfAStage) {
  FitOptions options = OfMeshes(stage_);
  const std::string faces = absl::StrCat(
      "int[] faceVertexCounts = [3, 3]\n int[] faceVertexIndices = [0, 1, 2, 2, 3, 0]\n} }\n");
  const std::string stage = Stage();
  Spill(stage_,
        stage.substr(0, stage.rfind("} }")) + "}\n" + faces.substr(0, faces.rfind("} }")) + "}\n");
  const Outcome got = Fit(options);
  ASSERT_EQ(got.code, kDone) << got.err;
  const auto back = character_file::OpenCharacter(glb_, catalog_);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ((*back)->meshes[0].triangles.size(), 6u);
}

TEST_F(FitMeshesTest, BindsAnotherFrame) {
  FitOptions options = OfMeshes(Frames("frames"));
  options.rest_frame = 7;
  const Outcome got = Fit(options);
  ASSERT_EQ(got.code, kDone) << got.err;
  EXPECT_THAT(got.err, HasSubstr("the meshes of frame 7 are at rest"));
  EXPECT_LT(RmsIn(got.out, "as the file plays it"), 2);
  options.rest_frame = 12;
  EXPECT_THAT(Rejection(options), HasSubstr("--rest-frame is 12, expected 0 to 11"));
}

TEST_F(FitMeshesTest, NamesWhatDoesNotFitTogether) {
  const std::string folder = Frames("frames");
  FitOptions options = OfMeshes(folder);
  std::filesystem::remove(folder + "/f11.obj");
  EXPECT_THAT(Rejection(options),
              HasSubstr("frames has 11 frames at 30 a second, and the clip 12"));
  Spill(folder + "/f11.obj", "o body\nv 0 0 0\nf 1 1 1\n");
  EXPECT_THAT(Rejection(options),
              HasSubstr("f11.obj: object \"body\" has 1 points, expected 152, as in"));
  options = OfMeshes(Frames("frames"));
  options.film.scale = 30;
  EXPECT_THAT(Rejection(options), HasSubstr("no usual unit makes them alike, so give the metres"));
  options.film.scale = 1;
  options.out = TempPath("no/such/folder/hero.glb");
  EXPECT_THAT(Rejection(options), HasSubstr("hero.glb: cannot open: No such file"));
  options = OfMeshes(folder);
  options.film.clip = TempPath("face.jsonl");
  Spill(options.film.clip,
        "{\"animationDataStreamHeader\":{\"animationIds\":{\"streamId\":\"s\",\"requestId\":\"r\"},"
        "\"skelAnimationHeader\":{\"blendShapes\":[\"jawOpen\"],\"joints\":[]}}}\n"
        "{\"animationData\":{\"skelAnimation\":{\"blendShapeWeights\":[{\"timeCode\":0,\"values\":"
        "[0]},{\"timeCode\":0.3666,\"values\":[1]}]}}}\n");
  EXPECT_THAT(
      Rejection(options),
      HasSubstr("has no skeleton at rest, and its joints are those of no built-in rig; give "
                "--skeleton, a file that has one or a built-in rig: "));
}

// A head with a jaw, in two frames, and a face of four points: on the skull, and on the chin in the
// middle, left and right.
FitScene Head(float jaw_turns_rad) {
  FitScene out;
  for (const char* name : {"Head", "Jaw"}) {
    character::CharacterNode& node = out.person.nodes.emplace_back();
    node.name = name;
    node.parent = static_cast<int>(out.person.nodes.size()) - 2;
    out.person.order.push_back(static_cast<int>(out.person.nodes.size()) - 1);
  }
  out.person.skins.push_back({{0, 1}, {{}, {}}});
  character::Mesh& mesh = out.person.meshes.emplace_back();
  mesh.name = "face";
  mesh.node = mesh.skin = 0;
  mesh.points = {{0, 0.2f, 0}, {0, -0.1f, 0.1f}, {0.03f, -0.1f, 0.1f}, {-0.03f, -0.1f, 0.1f}};
  mesh.normals.assign(4, {0, 0, 1});
  mesh.triangles = {1, 2, 3};
  mesh.per_point = 1;
  mesh.joints = {0, 1, 1, 1};
  mesh.weights = {1, 1, 1, 1};
  out.person.materials.emplace_back();
  out.first = {0};
  out.points = 4;
  out.rest_frame = 0;
  for (int f = 0; f < 3; ++f) {
    const float turn = jaw_turns_rad * static_cast<float>(f) / 2;
    out.nodes.push_back({{}, skel::FromTrs({}, skel::FromAxisAngle({1, 0, 0}, turn), {1, 1, 1})});
    for (size_t i = 0; i < 4; ++i) {
      out.complex.push_back(skel::TransformPoint(
          out.nodes.back()[static_cast<size_t>(mesh.joints[i])], mesh.points[i]));
    }
  }
  return out;
}

std::vector<Vec3> OffsetsOf(const FitScene& scene, size_t shape) {
  const character::Mesh& mesh = scene.person.meshes[0];
  std::vector<Vec3> points = mesh.points;
  std::vector<float> weights(mesh.shapes.size(), 0);
  weights[shape] = 1;
  EXPECT_TRUE((mesh::BlendShapesJob{mesh.shapes, weights, absl::MakeSpan(points), {}}.Run().ok()));
  for (size_t i = 0; i < points.size(); ++i) points[i] = points[i] - mesh.points[i];
  return points;
}

TEST(AddFace, MakesAShapeOfAJawThatTurns) {
  FitScene scene = Head(0.2f);
  const auto face = AddFace(scene);
  ASSERT_TRUE(face.ok()) << face.status();
  EXPECT_TRUE(face->jaw);
  EXPECT_EQ(DescribeFace(*face), "speech moves its face by jawOpen, made of the jaw joint");
  ASSERT_EQ(scene.person.meshes[0].shapes.size(), 1u);
  EXPECT_EQ(scene.person.meshes[0].shapes[0].name(), "jawOpen");
  const std::vector<Vec3> offsets = OffsetsOf(scene, 0);
  EXPECT_EQ(skel::Length(offsets[0]), 0) << "the skull";
  EXPECT_LT(offsets[1].y, -0.02f) << "the chin goes down";
  EXPECT_NEAR(offsets[1].x, 0, 1e-6f);
}

TEST(AddFace, KnowsNothingOfAJawThatDoesNotTurn) {
  FitScene scene = Head(0.01f);
  const auto face = AddFace(scene);
  ASSERT_TRUE(face.ok()) << face.status();
  EXPECT_TRUE(scene.person.meshes[0].shapes.empty());
  EXPECT_THAT(DescribeFace(*face), HasSubstr("its jaw joint does not turn in the clip"));
}

TEST(AddFace, LearnsShapesByTheWeightsOfTheClipAndKeepsSidesApart) {
  FitScene scene = Head(0);
  scene.shape_names = {"mouthSmileLeft", "mouthSmileRight", "jawOpen", "browInnerUp"};
  scene.shapes = {0, 0, 0.5f, 0, 1, 1, 0, 0.05f, 0.5f, 0.5f, 1, 0};
  // Both sides rise, the middle goes down with the jaw.
  const std::vector<Vec3> rest = scene.person.meshes[0].points;
  for (size_t f = 0; f < 3; ++f) {
    const float smile = scene.shapes[4 * f], jaw = scene.shapes[4 * f + 2] - 0.5f;
    scene.complex[4 * f + 1] = rest[1] + Vec3{0, -0.04f, 0} * jaw;
    scene.complex[4 * f + 2] = rest[2] + Vec3{0, 0.01f, 0} * smile;
    scene.complex[4 * f + 3] = rest[3] + Vec3{0, 0.02f, 0} * smile;
  }
  const auto face = AddFace(scene);
  ASSERT_TRUE(face.ok()) << face.status();
  EXPECT_EQ(face->learned, 3) << "browInnerUp is never strong enough";
  EXPECT_FALSE(face->jaw) << "jawOpen was learned";
  ASSERT_EQ(scene.person.meshes[0].shapes.size(), 3u);
  const std::vector<Vec3> left = OffsetsOf(scene, 0), right = OffsetsOf(scene, 1),
                          jaw = OffsetsOf(scene, 2);
  EXPECT_NEAR(left[2].y, 0.01f, 1e-3f);
  EXPECT_NEAR(left[3].y, 0, 1e-6f);
  EXPECT_NEAR(right[3].y, 0.02f, 1e-3f);
  EXPECT_NEAR(right[2].y, 0, 1e-6f);
  EXPECT_NEAR(jaw[1].y, -0.04f, 2e-3f);
  // The mesh was bound with the mouth half open.
  EXPECT_NEAR(scene.person.meshes[0].points[1].y, rest[1].y + 0.02f, 2e-3f);
}

}  // namespace
}  // namespace posewire::animclip
