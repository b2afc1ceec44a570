#include "services/renderer_sink/view/avatar_file.h"

#include <cstdint>
#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace posewire::renderer_sink {
namespace {

uint32_t NumberAt(absl::string_view bytes, size_t at) {
  uint32_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof(number));
  return number;
}

TEST(AvatarFile, IsAWholeBinaryGltfOfTheBuiltInAvatar) {
  const absl::string_view glb = AvatarFile();
  ASSERT_GT(glb.size(), 100000u);
  EXPECT_EQ(std::string(glb.substr(0, 4)), "glTF");
  EXPECT_EQ(NumberAt(glb, 4), 2u);
  EXPECT_EQ(NumberAt(glb, 8), glb.size());
  const uint32_t json_bytes = NumberAt(glb, 12);
  const std::string json(glb.substr(20, json_bytes));
  for (const char* name : {"\"skullbase\"", "\"jawOpen\"", "\"jumper\""}) {
    EXPECT_THAT(json, testing::HasSubstr(name));
  }
  // What follows the JSON is the one binary chunk, to the end of the file.
  ASSERT_GT(glb.size(), 28 + json_bytes);
  EXPECT_EQ(NumberAt(glb, 20 + json_bytes) + 28 + json_bytes, glb.size());
}

}  // namespace
}  // namespace posewire::renderer_sink
