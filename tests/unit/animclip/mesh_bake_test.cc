#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/character_file/read_character.h"
#include "libs/clipio/load_clip.h"
#include "libs/mesh/offsets.h"
#include "libs/offsets/offsets_file.h"
#include "tests/unit/animclip/clip_fixture.h"
#include "tests/unit/character/small_glb.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/film_bake.h"
#include "tools/animclip/point_match.h"

namespace posewire::animclip {
namespace {

using skel::Vec3;
using ::testing::HasSubstr;

constexpr int kFrames = 12;

// A small person in a clip, and the complex points that someone else's rig makes of it.
class MeshBakeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Spill(hero_, character::SmallPerson().Glb());
    WriteClipFile(clip_, MakeTalk({.frames = kFrames, .audio_hz = 0}));
    const auto catalog = *skel::RigCatalog::Builtin("arkit68");
    person_ = *character_file::OpenCharacter(hero_, catalog);
    played_ = *clipio::LoadClip(clip_, person_->rig, catalog);
    rig_ = std::make_unique<SimpleRig>(person_);
    const character::CharacterNode& root = person_->root;
    to_file_ = *skel::Inverse(skel::FromTrs(root.translation, root.rotation, root.scale));
    for (int f = 0; f < kFrames; ++f) {
      Pose(f);
      std::vector<Vec3>& frame = complex_.emplace_back();
      for (size_t i = 0; i < rig_->points.size(); ++i) {
        const float t = 0.5f * static_cast<float>(f) + static_cast<float>(i);
        const Vec3 bulge = Vec3{std::sin(t), std::cos(2 * t), std::sin(3 * t)} * 0.02f;
        frame.push_back(skel::TransformPoint(to_file_, rig_->points[i] + bulge));
      }
    }
  }

  void Pose(int frame) {
    skel::Pose pose(person_->rig->joints(), person_->rig->shapes());
    played_->CopyFrame(frame, pose.span());
    ASSERT_TRUE(rig_->Pose(pose.view()).ok());
  }

  static std::string Tuple(Vec3 p) { return absl::StrFormat("(%.9g,%.9g,%.9g)", p.x, p.y, p.z); }
  std::string Stage(float unit = 1, size_t fewer = 0) const {
    std::string out = absl::StrFormat(
        "#usda 1.0\n( metersPerUnit = %g\n upAxis = \"Y\"\n timeCodesPerSecond = 60\n "
        "framesPerSecond = 30 )\ndef Mesh \"body\" {\n point3f[] points.timeSamples = {\n",
        unit);
    for (int f = 0; f < kFrames; ++f) {
      std::vector<std::string> points;
      for (size_t i = fewer; i < complex_[0].size(); ++i) {
        points.push_back(Tuple(complex_[static_cast<size_t>(f)][i] * (1 / unit)));
      }
      absl::StrAppend(&out, 100 + 2 * f, ": [", absl::StrJoin(points, ","), "],\n");
    }
    return absl::StrCat(out, "} }\n");
  }
  // One target a frame, of which each has its turn.
  std::string Morphs() const {
    character::GlbBytes bytes;
    const auto numbers = [&](const std::vector<Vec3>& points) {
      std::vector<float> out;
      for (const Vec3 p : points) out.insert(out.end(), {p.x, p.y, p.z});
      return out;
    };
    const int base = bytes.Points(numbers(complex_[0]));
    std::vector<std::string> targets;
    for (const std::vector<Vec3>& frame : complex_) {
      std::vector<Vec3> offsets;
      for (size_t i = 0; i < frame.size(); ++i) offsets.push_back(frame[i] - complex_[0][i]);
      targets.push_back(absl::StrCat(R"({"POSITION":)", bytes.Points(numbers(offsets)), "}"));
    }
    std::vector<uint16_t> corners;
    for (size_t i = 0; i + 2 < complex_[0].size(); ++i) {
      corners.insert(corners.end(), {static_cast<uint16_t>(i), static_cast<uint16_t>(i + 1),
                                     static_cast<uint16_t>(i + 2)});
    }
    const int index = bytes.Accessor(corners, 5123, "SCALAR", corners.size());
    std::vector<float> times, weights;
    for (int f = 0; f < kFrames; ++f) {
      times.push_back(0.5f + static_cast<float>(f) / 30);
      for (int t = 0; t < kFrames; ++t) weights.push_back(t == f ? 1.0f : 0.0f);
    }
    const int input = bytes.Accessor(times, 5126, "SCALAR", times.size());
    const int output = bytes.Accessor(weights, 5126, "SCALAR", weights.size());
    return bytes.Glb(absl::StrCat(
        R"("scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"name":"body","mesh":0}],"meshes":[)",
        R"({"primitives":[{"attributes":{"POSITION":)", base, R"(},"indices":)", index,
        R"(,"targets":[)", absl::StrJoin(targets, ","), R"(]}]}],"animations":[{"channels":[)",
        R"({"sampler":0,"target":{"node":0,"path":"weights"}}],"samplers":[{"input":)", input,
        R"(,"output":)", output, "}]}]"));
  }
  std::string ObjFolder(const std::string& name) const {
    const std::string folder = TempPath(name);
    std::filesystem::create_directories(folder);
    for (int f = 0; f < kFrames; ++f) {
      std::string text = "# a comment\no whatever\n";
      for (const Vec3 p : complex_[static_cast<size_t>(f)]) {
        absl::StrAppend(&text, absl::StrFormat("v  %.9g %.9g %.9g\r\nvn 0 1 0\n", p.x, p.y, p.z));
      }
      Spill(absl::StrCat(folder, "/f", f, ".obj"), absl::StrCat(text, "f 1 2 3\n"));
    }
    return folder;
  }

  int Bake(const std::string& complex, TestConsole& console) {
    BakeOptions options;
    options.clip = clip_;
    options.out = out_;
    options.character = hero_;
    options.complex = complex;
    options.method = "float";
    return RunBake(options, console.console);
  }
  std::string Rejection(const std::string& complex) {
    TestConsole c;
    EXPECT_EQ(Bake(complex, c), kNo);
    return c.err.str();
  }

  // What a renderer makes of the written file, against the complex points, as a share of the size.
  double WorstError() {
    const auto file = offsets::OffsetsFile::Parse(Slurp(out_));
    EXPECT_TRUE(file.ok()) << file.status();
    const size_t points = rig_->skin.points();
    EXPECT_EQ(file->header().points, points);
    EXPECT_EQ(file->header().frames, static_cast<uint32_t>(kFrames));
    std::vector<Vec3> o(points), back(points);
    double worst = 0;
    for (int f = 0; f < kFrames; ++f) {
      (*file->Open(0))->Frame(static_cast<size_t>(f), absl::MakeSpan(o));
      Pose(f);
      const std::vector<mesh::WeighedOffsets> clips = {{o, 1}};
      EXPECT_TRUE((mesh::ReconstructJob{rig_->transforms, rig_->points, clips, absl::MakeSpan(back)}
                       .Run()
                       .ok()));
      for (size_t i = 0; i < points; ++i) {
        const Vec3 is = skel::TransformPoint(to_file_, back[i]);
        worst = std::max(worst, double{skel::Length(is - complex_[static_cast<size_t>(f)][i])});
      }
    }
    return worst / 1.7;  // metres from foot to head
  }

  const std::string hero_ = TempPath("hero.glb"), clip_ = TempPath("take.animdata"),
                    out_ = TempPath("take.offsets");
  std::shared_ptr<const character::Character> person_;
  std::shared_ptr<const clip::Clip> played_;
  std::unique_ptr<SimpleRig> rig_;
  skel::Affine to_file_;
  std::vector<std::vector<Vec3>> complex_;  // in the space of the character's file
};

TEST_F(MeshBakeTest, GivesBackThePointsOfAUsdStage) {
  const std::string path = TempPath("sim.usda");
  for (const float unit : {1.0f, 0.01f}) {
    Spill(path, Stage(unit));
    TestConsole c;
    ASSERT_EQ(Bake(path, c), kDone) << c.err.str();
    EXPECT_LT(WorstError(), 1e-5);
  }
}

TEST_F(MeshBakeTest, GivesBackThePointsOfMorphTargets) {
  const std::string path = TempPath("sim.glb");
  Spill(path, Morphs());
  TestConsole c;
  ASSERT_EQ(Bake(path, c), kDone) << c.err.str();
  EXPECT_LT(WorstError(), 1e-5);
}

TEST_F(MeshBakeTest, GivesBackThePointsOfObjFiles) {
  const std::string folder = ObjFolder("frames");
  for (const std::string& name : {folder, absl::StrCat(folder, "/f*.obj")}) {
    TestConsole c;
    ASSERT_EQ(Bake(name, c), kDone) << c.err.str();
    EXPECT_LT(WorstError(), 1e-5);
  }
}

TEST_F(MeshBakeTest, NamesWhatDoesNotFitTogether) {
  const std::string path = TempPath("other.usda");
  Spill(path, Stage(1, 3));
  EXPECT_THAT(Rejection(path), HasSubstr("mesh \"body\" has 149 points, expected 152, those of the "
                                         "character's mesh \"body\" in its order"));
  Spill(path, absl::StrCat(Stage(), "def Mesh \"hat\" { point3f[] points = [(0,0,0)] }\n"));
  EXPECT_THAT(Rejection(path),
              HasSubstr("mesh \"hat\" is none of the character's; it has \"body\" "
                        "of 152 points, and the complex file \"body\" of 152 "
                        "points, \"hat\" of 1 points: give meshes the same names"));
  Spill(path, absl::StrReplaceAll(Stage(), {{"122: [", "124: ["}}));
  EXPECT_THAT(Rejection(path), HasSubstr("has 13 frames at 30 a second, and the clip 12"));
  Spill(path, absl::StrReplaceAll(Stage(), {{"metersPerUnit = 1", "metersPerUnit = 0.01"}}));
  EXPECT_THAT(Rejection(path), HasSubstr("or try --scale 99"));
  EXPECT_THAT(Rejection(TempPath("none.usda")), HasSubstr("No such file"));
  const std::string folder = ObjFolder("torn");
  Spill(folder + "/f7.obj", "v 0 0 0\nv 1 x 0\n");
  EXPECT_THAT(Rejection(folder), HasSubstr("f7.obj: line 2: \"v x 0\" is no number"));
  Spill(folder + "/f7.obj", "o whatever\nv 0 0 0\n");
  EXPECT_THAT(Rejection(folder),
              HasSubstr("f7.obj: object \"whatever\" has 1 points, expected 152"));
}

TEST_F(MeshBakeTest, MatchesTheOneMeshThatThereIsWhateverItsName) {
  const std::string path = TempPath("arm.usda");
  Spill(path, absl::StrReplaceAll(Stage(), {{"\"body\"", "\"arm\""}}));
  TestConsole c;
  ASSERT_EQ(Bake(path, c), kDone) << c.err.str();
  EXPECT_LT(WorstError(), 1e-5);
}

TEST_F(MeshBakeTest, FitComesNearerThanTheWeightsOfTheFile) {
  const std::string path = TempPath("sim.usda"), out = TempPath("weights.json");
  Spill(path, Stage());
  FitOptions options;
  options.film.clip = clip_;
  options.film.character = hero_;
  options.film.complex = path;
  options.out = out;
  TestConsole c;
  ASSERT_EQ(RunFit(options, c.console), kDone) << c.err.str();
  const std::string said = c.out.str();
  EXPECT_THAT(said, HasSubstr("152 points on 19 joints, 12 of 12 frames"));
  const auto rms = [&](absl::string_view row) {
    const size_t at = said.find(std::string(row));
    EXPECT_NE(at, std::string::npos) << said;
    return std::atof(said.c_str() + at + row.size());
  };
  const double hand = rms("weights by hand"), weights = rms("fitted weights "),
               joints = rms("fitted weights and joints");
  EXPECT_GT(hand, 15);  // the bulge: 20 mm along three waves
  EXPECT_LE(weights, hand);
  EXPECT_LT(joints, 0.9 * hand);
  EXPECT_LT(rms("from the points alone"), hand);
  const std::string json = Slurp(out);
  EXPECT_THAT(json, HasSubstr("\"joints\":[\"mixamorig:Hips\""));
  EXPECT_THAT(json, HasSubstr("{\"name\":\"body\",\"points\":152,"));
  options.what = "points";
  TestConsole d;
  ASSERT_EQ(RunFit(options, d.console), kDone) << d.err.str();
  EXPECT_THAT(Slurp(out), HasSubstr("\"transforms\":[["));
  options.film.complex = TempPath("none.usda");
  TestConsole e;
  EXPECT_EQ(RunFit(options, e.console), kNo);
}

TEST(MatchPoints, KnowsDoubledPointsAndLeavesSimpleWhatHasNoTwin) {
  // A stage with a skinned mesh, whose points are doubled where pictures meet, and a hat.
  const std::string hero = R"(#usda 1.0
( metersPerUnit = 1 )
def SkelRoot "R" {
  rel skel:skeleton = </R/S>
  def Skeleton "S" {
    uniform token[] joints = ["A"]
    uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]
    uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))] }
  def Mesh "M" {
    point3f[] points = [(0,0,0), (1,0,0), (1,1,0), (0,1,0), (2,1,0)]
    int[] faceVertexCounts = [4, 3]
    int[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 2]
    texCoord2f[] primvars:st = [(0,0), (1,0), (1,1)] ( interpolation = "faceVarying" )
    int[] primvars:st:indices = [0, 1, 2, 0, 1, 2, 0]
    int[] primvars:skel:jointIndices = [0] ( interpolation = "constant" )
    float[] primvars:skel:jointWeights = [1] ( interpolation = "constant" ) }
  def Mesh "hat" {
    point3f[] points = [(0,0,0), (1,0,0), (1,1,0)]
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2] } }
)";
  const auto catalog = *skel::RigCatalog::Builtin("arkit68");
  const auto person = character_file::ReadCharacter(hero, "hero", catalog);
  ASSERT_TRUE(person.ok()) << person.status();
  const SimpleRig rig(*person);
  const auto match = MatchPoints({{"hand", 7}, {"M", 5}}, rig.skin, **person);
  EXPECT_THAT(std::string(match.status().message()), HasSubstr("mesh \"hand\" is none of"));
  const auto got = MatchPoints({{"M", 5}}, rig.skin, **person);
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->notes.size(), 1u);
  EXPECT_EQ(got->notes[0], "mesh \"hat\" is not among the complex ones, and stays simple");
  ASSERT_EQ(got->point_of.size(), rig.skin.points());
  std::vector<int> used(5, 0);
  int simple = 0;
  const std::vector<Vec3> file = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 1, 0}};
  for (size_t i = 0; i < got->point_of.size(); ++i) {
    const int64_t of = got->point_of[i];
    if (of < 0) {
      ++simple;
      continue;
    }
    EXPECT_EQ(skel::Length(rig.skin.rest()[i] - file[static_cast<size_t>(of)]), 0) << i;
    ++used[static_cast<size_t>(of)];
  }
  EXPECT_EQ(simple, 3);
  EXPECT_THAT(used, ::testing::Each(::testing::Ge(1)));
  EXPECT_GT(used[1] + used[2], 2);  // corners whose places in the picture differ
}

}  // namespace
}  // namespace posewire::animclip
