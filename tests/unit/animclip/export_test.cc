// export: whole characters in each format, and takes with their character.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/character/deformer.h"
#include "libs/character/shown_parts.h"
#include "libs/character_file/point_file.h"
#include "libs/character_file/read_character.h"
#include "libs/files/read.h"
#include "tests/unit/animclip/clip_fixture.h"
#include "tests/unit/animclip/moving_person.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/film_bake.h"

namespace posewire::animclip {
namespace {

using character::Character;
using skel::Vec3;
using ::testing::HasSubstr;

constexpr int kComparedFrames = 12;

class ExportTest : public MovingPersonTest {
 protected:
  using Person = std::shared_ptr<const Character>;

  std::string Exported(const std::string& who, const std::string& name,
                       const std::string& clip = "") {
    ExportOptions options;
    options.character = who;
    options.out = TempPath(name);
    options.clip = clip;
    TestConsole c;
    EXPECT_EQ(RunExport(options, c.console), kDone) << c.err.str();
    said_ = c.out.str();
    return options.out;
  }

  std::string Error(const std::string& who, const std::string& name, const std::string& clip = "",
                    const std::vector<std::string>& look = {}) {
    TestConsole c;
    EXPECT_EQ(RunExport({who, TempPath(name), clip, "", look}, c.console), kNo) << c.out.str();
    return c.err.str();
  }

  Person Open(const std::string& who) {
    auto read = character_file::OpenCharacter(who, catalog_);
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? *read : nullptr;
  }

  // As the format has it: what is shown, without correctives or in-betweens.
  static Person Plain(const Person& whole, bool correctives) {
    Character out = character::ShownParts(character::Deformer(whole));
    const auto corrects = [](const character::Drive& drive) {
      return drive.kind != character::Drive::Kind::kMean;
    };
    if (!correctives) {
      out.drives.erase(std::remove_if(out.drives.begin(), out.drives.end(), corrects),
                       out.drives.end());
    }
    return std::make_shared<const Character>(std::move(out));
  }

  std::shared_ptr<const clip::Clip> Clip(const std::string& name, const Person& person) {
    auto clip = LoadNamed(name, person->rig, catalog_, {});
    EXPECT_TRUE(clip.ok()) << clip.status();
    return *clip;
  }

  // The corners of all triangles in a frame of a clip.
  static std::vector<Vec3> Corners(character::Deformer& deformer, const clip::Clip& clip,
                                   int frame) {
    const Character& c = deformer.character();
    skel::Pose pose(c.rig->joints(), c.rig->shapes());
    clip.CopyFrame(frame, pose.span());
    EXPECT_TRUE(deformer.Pose(pose.view()).ok());
    std::vector<Vec3> out;
    for (size_t m = 0; m < c.meshes.size(); ++m) {
      for (const uint32_t p : c.meshes[m].triangles) out.push_back(deformer.points(m)[p]);
    }
    return out;
  }

  static int StepOf(const clip::Clip& clip) { return std::max(1, clip.frames() / kComparedFrames); }

  // The greatest distance of two characters' points in a clip, in millimetres.
  double Apart_mm(const Person& a, const Person& b, const std::string& name) {
    const auto clip_a = Clip(name, a), clip_b = Clip(name, b);
    character::Deformer first(a), second(b);
    double worst = 0;
    for (int f = 0; f < clip_a->frames(); f += StepOf(*clip_a)) {
      const std::vector<Vec3> was = Corners(first, *clip_a, f), is = Corners(second, *clip_b, f);
      EXPECT_EQ(was.size(), is.size());
      if (was.size() != is.size()) return 1e9;
      for (size_t i = 0; i < was.size(); ++i) {
        worst = std::max(worst, 1000.0 * static_cast<double>(skel::Length(was[i] - is[i])));
      }
    }
    RecordProperty("worst_mm", absl::StrCat(worst));
    return worst;
  }

  const skel::RigCatalog catalog_ = *skel::RigCatalog::Builtin("arkit68");
  std::string said_;
};

TEST_F(ExportTest, AGlbReadsBackWithCorrectivesAndInbetweens) {
  const Person woman = Open("woman"), back = Open(Exported("woman", "woman.glb"));
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(back->rig->name(), woman->rig->name());
  EXPECT_EQ(back->ace_mouth, woman->ace_mouth);
  EXPECT_EQ(back->sites.size(), woman->sites.size());
  EXPECT_EQ(back->framing.face_m, woman->framing.face_m);
  EXPECT_LT(Apart_mm(Plain(woman, true), back, "exercise"), 0.05);
}

TEST_F(ExportTest, AStageReadsBackWithItsShapesAndInbetweens) {
  const Person woman = Open("woman"), back = Open(Exported("woman", "woman.usda"));
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(back->rig->name(), woman->rig->name());
  EXPECT_EQ(back->ace_mouth, woman->ace_mouth);
  EXPECT_EQ(back->textures.size(), Plain(woman, false)->textures.size());
  EXPECT_LT(Apart_mm(Plain(woman, false), back, "exercise"), 0.05);
}

TEST_F(ExportTest, RejectsFlagsThatDoNotApply) {
  const auto error = [](ExportOptions options) {
    options.out = TempPath(options.out);
    TestConsole c;
    EXPECT_EQ(RunExport(options, c.console), kNo) << c.out.str();
    return c.err.str();
  };
  EXPECT_THAT(error({.character = "woman", .out = "f.glb", .hanim = 2}),
              HasSubstr("f.glb, and --hanim is for .x3d"));
  EXPECT_THAT(error({.character = "woman", .out = "f.usda", .clip = "wave", .frames = true}),
              HasSubstr("f.usda, and --frames is for .x3d"));
  EXPECT_THAT(error({.character = "woman", .out = "f.x3d", .frames = true}),
              HasSubstr("--frames is for a clip, which --clip names"));
  EXPECT_THAT(error({.character = "woman", .out = "f.glb", .influences = 12}),
              HasSubstr("--influences is 12, over the 8 of a .glb"));
}

TEST_F(ExportTest, AnX3dHumanoidReadsBackInItsPoses) {
  const Person woman = Open("woman"), back = Open(Exported("woman", "woman.x3d"));
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(back->rig->name(), woman->rig->name());
  EXPECT_LT(Apart_mm(Plain(woman, false), back, "wave"), 0.05);
}

// What a file of ours holds beyond the surface, by the rules of the standard.
TEST_F(ExportTest, AnX3dHumanoidHasTheWholeBodyAndKeepsTheRules) {
  const auto text_of = [&](int version, bool frames) {
    ExportOptions options;
    options.character = "woman";
    options.out = TempPath(absl::StrCat("body", version, ".x3d"));
    options.clip = "wave";
    options.hanim = version, options.frames = frames;
    TestConsole c;
    EXPECT_EQ(RunExport(options, c.console), kDone) << c.err.str();
    TestConsole checked;
    EXPECT_EQ(RunValidate({.file = options.out, .hanim = true}, checked.console), kDone)
        << checked.out.str() << checked.err.str();
    EXPECT_THAT(checked.out.str(), HasSubstr("keeps the rules of H-Anim"));
    return *files::ReadWhole(options.out, 64 << 20);
  };
  const std::string second = text_of(2, false), first = text_of(1, true);
  for (const std::string& text : {first, second}) {
    for (const char* part : {" llimit='", " ulimit='", " stiffness='", " mass='", "<HAnimSite ",
                             "skinCoordWeight='", "<HAnimDisplacer ", "name='skull_tip'"}) {
      EXPECT_THAT(text, HasSubstr(part));
    }
  }
  EXPECT_THAT(second, HasSubstr("name='l_talus'"));
  EXPECT_THAT(second, HasSubstr("version='2.0'"));
  EXPECT_EQ(second.find("<HAnimMotion"), std::string::npos);
  EXPECT_THAT(first, HasSubstr("name='l_hindfoot'"));
  EXPECT_THAT(first, HasSubstr("name='l_ankle'"));
  EXPECT_THAT(first, HasSubstr("<HAnimMotion"));
  EXPECT_EQ(first.find("<OrientationInterpolator"), std::string::npos);

  // Frames and interpolators hold the same motion.
  const Person woman = Open("woman");
  const auto keys = Clip(TempPath("body2.x3d"), woman), frames = Clip(TempPath("body1.x3d"), woman);
  ASSERT_EQ(keys->frames(), frames->frames());
  const skel::Rig& rig = *woman->rig;
  skel::Pose a(rig.joints(), rig.shapes()), b(rig.joints(), rig.shapes());
  for (int f = 0; f < keys->frames(); f += 7) {
    keys->CopyFrame(f, a.span());
    frames->CopyFrame(f, b.span());
    for (int j = 0; j < rig.joints(); ++j) {
      const float apart = skel::AngleBetween(a.view().rotation(j), b.view().rotation(j));
      EXPECT_LT(apart, 2e-3f) << f << " " << rig.joint_names()[static_cast<size_t>(j)];
    }
  }
}

TEST_F(ExportTest, AForeignHumanoidIsTheSameInEveryFormat) {
  const Person hero = Open(hero_);
  for (const char* const name : {"hero.glb", "hero.usda", "hero.x3d"}) {
    const Person back = Open(Exported(hero_, name));
    ASSERT_NE(back, nullptr) << name;
    EXPECT_EQ(back->rig->name(), hero->rig->name()) << name;
    EXPECT_LT(Apart_mm(hero, back, clip_), 0.05) << name;
  }
}

TEST_F(ExportTest, ATakeMovesTheCharacterAsTheClipDoes) {
  const Person woman = Open("woman");
  const std::string path = Exported("woman", "take.glb", "exercise");
  EXPECT_THAT(said_, HasSubstr("300 frames at 30 a second"));
  auto points = character_file::OpenPointAnimation(path);
  ASSERT_TRUE(points.ok()) << points.status();
  const Person plain = Plain(woman, true);
  character::Deformer deformer(plain);
  const auto clip = Clip("exercise", woman);
  ASSERT_EQ((*points)->frames(30), static_cast<size_t>(clip->frames()));
  std::vector<Vec3> is((*points)->points());
  double worst = 0;
  for (int f = 0; f < clip->frames(); ++f) {
    deformer.SetTime(f / 30.0);  // springs are in the take too
    Corners(deformer, *clip, f);
    if (f % StepOf(*clip) != 0) continue;
    ASSERT_TRUE((*points)->Frame(static_cast<size_t>(f), 30, absl::MakeSpan(is)).ok());
    size_t at = 0;
    for (size_t m = 0; m < plain->meshes.size(); ++m) {
      for (const Vec3 p : deformer.points(m)) {
        worst = std::max(worst, static_cast<double>(skel::Length(p - is[at++])));
      }
    }
    ASSERT_EQ(at, is.size());
  }
  EXPECT_LT(worst, 1e-4);
}

TEST_F(ExportTest, ABuiltInGestureIsCarriedOverToTheCharactersRig) {
  const std::string path = Exported(hero_, "wave.glb", "wave");
  auto points = character_file::OpenPointAnimation(path);
  ASSERT_TRUE(points.ok()) << points.status();
  std::vector<Vec3> first((*points)->points()), middle(first.size());
  ASSERT_TRUE((*points)->Frame(0, 30, absl::MakeSpan(first)).ok());
  ASSERT_TRUE((*points)->Frame(40, 30, absl::MakeSpan(middle)).ok());
  float moved_m = 0;
  for (size_t i = 0; i < first.size(); ++i) {
    moved_m = std::max(moved_m, skel::Length(middle[i] - first[i]));
  }
  EXPECT_GT(moved_m, 0.3f);
  EXPECT_LT(moved_m, 2);
}

TEST_F(ExportTest, ErrorsNameTheFileAndWhatWouldBeRight) {
  EXPECT_THAT(Error("woman", "x.fbx"), HasSubstr("x.fbx, expected a name that ends in .glb, .usda "
                                                 "or .x3d"));
  EXPECT_THAT(Error("woman", "x.usdc"), HasSubstr("usdcat "));
  EXPECT_THAT(Error("woman", "x.usdz"), HasSubstr("usdzip "));
  EXPECT_THAT(Error("woman", "x.glb", "", {"hair=long"}), HasSubstr("expected ponytail, bob"));
  EXPECT_THAT(Error("woman", "x.glb", "", {"hair"}), HasSubstr("expected PART=CHOICE"));
  const std::string none = TempPath("none.glb");
  Spill(none, "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{}]}");
  EXPECT_THAT(Error(none, "x.glb"), HasSubstr("none.glb: its scene has no mesh with triangles"));
  const std::string other = TempPath("other.bvh");
  Spill(other,
        "HIERARCHY\nROOT table\n{\n OFFSET 0 0 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n End "
        "Site\n {\n  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n0 0 9\n");
  EXPECT_THAT(Error("woman", "x.glb", other), HasSubstr("other.bvh"));
}

}  // namespace
}  // namespace posewire::animclip
