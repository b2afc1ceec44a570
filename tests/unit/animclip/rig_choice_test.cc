#include "tools/animclip/rig_choice.h"

#include <gtest/gtest.h>

namespace posewire::animclip {
namespace {

wire::StreamHeader WithJoints(std::vector<std::string> joints) {
  wire::StreamHeader header;
  header.joints = std::move(joints);
  return header;
}

TEST(GuessRig, KnowsEveryBuiltInRigByItsOwnNames) {
  const auto catalog = skel::RigCatalog::Builtin();
  ASSERT_TRUE(catalog.ok());
  for (const char* name : {"hanim_loa3", "hanim_loa4", "ace_biped", "vrm"}) {
    const auto rig = catalog->Find(name);
    ASSERT_TRUE(rig.ok());
    const auto paths = (*rig)->joint_paths();
    EXPECT_EQ(GuessRig(WithJoints({paths.begin(), paths.end()})), name);
  }
}

TEST(GuessRig, PrefersTheStandardRigWhenItKnowsAsMany) {
  EXPECT_EQ(GuessRig(WithJoints({"l_shoulder", "skullbase"})), "hanim_loa3");
}

TEST(GuessRig, IsEmptyForNamesOfNoRig) { EXPECT_EQ(GuessRig(WithJoints({"wheel"})), ""); }

TEST(ChooseRig, AutoFallsBackToTheStandardRig) {
  const auto catalog = skel::RigCatalog::Builtin();
  ASSERT_TRUE(catalog.ok());
  EXPECT_EQ((*ChooseRig("auto", WithJoints({}), *catalog))->name(), "hanim_loa3");
  EXPECT_EQ((*ChooseRig("vrm", WithJoints({}), *catalog))->name(), "vrm");
  EXPECT_EQ(ChooseRig("spot", WithJoints({}), *catalog).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(ShapesFor, TonguesNeedTheLargerSet) {
  wire::StreamHeader header;
  header.shapes = {"JawOpen", "TongueOut"};
  EXPECT_EQ(ShapesFor(header), "arkit52");
  header.shapes.push_back("TongueTipUp");
  EXPECT_EQ(ShapesFor(header), "arkit68");
}

}  // namespace
}  // namespace posewire::animclip
