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
#include "tests/unit/animclip/moving_person.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/film_bake.h"
#include "tools/animclip/point_match.h"

namespace posewire::animclip {
namespace {

using skel::Vec3;
using ::testing::HasSubstr;

// Offsets of a small person whose complex points someone else's rig makes.
class MeshBakeTest : public MovingPersonTest {
 protected:
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

  const std::string out_ = TempPath("take.offsets");
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
