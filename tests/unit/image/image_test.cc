#include "libs/image/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace posewire::image {
namespace {

using ::testing::HasSubstr;

TEST(EncodePng, IsReadBackWithColoursThatAlphaDoesNotMultiply) {
  const std::vector<uint8_t> rgba = {250, 100, 0, 255, 200, 100, 50, 100, 1, 2, 3, 0};
  const Image back = *Decode(*EncodePng(3, 1, rgba));
  EXPECT_EQ(back.width, 3);
  EXPECT_EQ(back.height, 1);
  EXPECT_EQ(back.rgba, rgba);
}

TEST(EncodePng, TakesThreeBytesAPixelAsOpaque) {
  const Image back = *Decode(*EncodePng(1, 2, std::vector<uint8_t>{9, 8, 7, 6, 5, 4}));
  EXPECT_EQ(back.height, 2);
  EXPECT_EQ(back.rgba, (std::vector<uint8_t>{9, 8, 7, 255, 6, 5, 4, 255}));
}

TEST(Decode, HalvesWhatIsLargerThanKept) {
  const Image half = *Decode(*EncodePng(4, 1, std::vector<uint8_t>(16, 80)), {.kept_side = 2});
  EXPECT_EQ(half.width, 2);
  EXPECT_EQ(half.height, 1);
  EXPECT_EQ(half.rgba, std::vector<uint8_t>(8, 80));
}

TEST(Decode, RejectsOtherFormatsBrokenFilesAndLongSides) {
  const auto why = [](const std::string& bytes, const Limits& limits = {}) {
    return std::string(Decode(bytes, limits).status().message());
  };
  EXPECT_EQ(why("GIF89a"), "the picture is no PNG, JPEG or WebP");
  EXPECT_THAT(why("\xABKTX 20"), HasSubstr("KTX2"));
  const std::string png = *EncodePng(5, 1, std::vector<uint8_t>(20, 80));
  EXPECT_THAT(why(png.substr(0, 40)), HasSubstr("the PNG is broken: "));
  EXPECT_EQ(why(png, {.read_side = 4}),
            "the picture is 5 x 1 pixels, and at most 4 each way are read");
}

}  // namespace
}  // namespace posewire::image
