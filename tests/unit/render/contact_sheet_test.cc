#include "libs/render/contact_sheet.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace posewire::render {
namespace {

Picture Plain(int width, int height, uint8_t red) {
  Picture out{width, height, {}};
  for (int i = 0; i < width * height; ++i) out.rgb.insert(out.rgb.end(), {red, 20, 30});
  return out;
}

uint8_t RedAt(const Picture& p, int x, int y) {
  return p.rgb[static_cast<size_t>((y * p.width + x) * 3)];
}

TEST(EncodePng, WritesTheFormatsMarkAndSize) {
  const std::string png = *EncodePng(Plain(300, 5, 9));
  ASSERT_GT(png.size(), 24u);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(static_cast<uint8_t>(png[18]) * 256 + static_cast<uint8_t>(png[19]), 300);
  EXPECT_EQ(png[23], 5);
}

TEST(ContactSheet, LaysPicturesInRows) {
  const std::vector<Picture> pictures = {Plain(40, 30, 10), Plain(40, 30, 20), Plain(40, 30, 30)};
  const Picture sheet = *ContactSheet(pictures, {}, 2);
  EXPECT_EQ(sheet.width, 80);
  EXPECT_EQ(sheet.height, 60);
  EXPECT_EQ(RedAt(sheet, 20, 10), 10);
  EXPECT_EQ(RedAt(sheet, 60, 10), 20);
  EXPECT_EQ(RedAt(sheet, 20, 40), 30);
  EXPECT_EQ(RedAt(sheet, 60, 40), 255);
}

TEST(ContactSheet, CaptionsAreDrawnAndCounted) {
  const std::vector<Picture> pictures = {Plain(80, 60, 200)};
  const std::vector<std::string> captions = {"1.00 s"};
  EXPECT_NE(ContactSheet(pictures, captions, 1)->rgb, pictures[0].rgb);
  const std::vector<std::string> two = {"a", "b"};
  EXPECT_FALSE(ContactSheet(pictures, two, 1).ok());
}

TEST(ContactSheet, UnlikeOrTooManyPixelsAreErrors) {
  EXPECT_FALSE(ContactSheet({}, {}, 2).ok());
  EXPECT_FALSE(ContactSheet(std::vector<Picture>{Plain(4, 4, 0), Plain(5, 4, 0)}, {}, 2).ok());
  EXPECT_FALSE(ContactSheet(std::vector<Picture>(9, Plain(4096, 1, 0)), {}, 9).ok());
}

}  // namespace
}  // namespace posewire::render
