#include "libs/clipio/other_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace posewire::clipio {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(OtherFormats, SayWhatAFileIsAndHowToConvertIt) {
  EXPECT_THAT(HowToConvert("dance.fbx"), StartsWith("FBX is not read here: "));
  EXPECT_THAT(HowToConvert("a/Dance.FBX"), HasSubstr("Blender"));
  EXPECT_THAT(HowToConvert("scene.blend"), HasSubstr(".glb"));
  EXPECT_THAT(HowToConvert("rig.mb"), HasSubstr("Maya"));
  EXPECT_THAT(HowToConvert("trial_01.c3d"), HasSubstr(".bvh"));
  EXPECT_THAT(HowToConvert("take.mov"), HasSubstr("a2f_source wav"));
  EXPECT_THAT(HowToConvert("take.zip"), HasSubstr("unpack"));
}

TEST(OtherFormats, SayNothingOfOthers) {
  for (const char* path : {"", "-", "walk.bvh", "walk.glb", "walk", "fbx", "walk.fbx.txt", "woman"})
    EXPECT_EQ(HowToConvert(path), "") << path;
}

}  // namespace
}  // namespace posewire::clipio
