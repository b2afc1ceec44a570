// Formats that are written as a whole, and how much of a recording they take.
#include <gtest/gtest.h>

#include <iterator>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/asset/motion.h"
#include "libs/asset/read_options.h"
#include "libs/clipio/format_table.h"
#include "libs/formats/x3d/read_scene.h"
#include "libs/recording/clip_reader.h"
#include "tests/unit/wire/status_matchers.h"

namespace posewire::clipio {
namespace {

// Of numbers and times that take the most digits.
float Long(size_t i) { return -1.23456789e-5f * (1 + 1e-4f * static_cast<float>(i % 97)); }

asset::Motion LongKeys(size_t joints, size_t shapes, size_t keys) {
  wire::StreamHeader header;
  // Some formats write no other joints than a face's.
  const char* const face[] = {"jaw", "eye_L", "eye_R"};
  for (size_t j = 0; j < joints; ++j) {
    header.joints.push_back(j < std::size(face) ? std::string(face[j]) : absl::StrCat("j", j));
  }
  for (size_t s = 0; s < shapes; ++s) header.shapes.push_back(absl::StrCat("s", s));
  asset::Motion motion;
  motion.Start(std::move(header));
  size_t n = 0;
  for (size_t k = 0; k < keys; ++k) {
    wire::DataChunk data;
    const double time_code_s = static_cast<double>(k) / 29.7654321987;
    const auto fill = [&](wire::PoseTrack track, size_t width) {
      if (width == 0) return;
      wire::KeyBlock& block = data.pose[track];
      block.width = static_cast<int>(width);
      block.time_codes_s = {time_code_s};
      for (size_t i = 0; i < width; ++i) block.values.push_back(Long(n++));
    };
    fill(wire::kWeights, shapes);
    fill(wire::kTranslations, 3 * joints);
    fill(wire::kScales, 3 * joints);
    fill(wire::kRotations, 4 * joints);
    for (size_t j = 0; j < joints; ++j) data.pose[wire::kRotations].values[4 * j] = 1;
    motion.Append(data);
  }
  return motion;
}

// A recording is ended in time (ClipWriter::full), so that none is lost by what its reader refuses.
TEST(WholeFormats, WriteNoMoreThanOurReadersTake) {
  int bounded = 0;
  for (const FormatRow& row : Formats()) {
    if (row.most_key_bytes == std::numeric_limits<size_t>::max()) continue;
    ++bounded;
    const bool x3d = row.format == Format::kX3d || row.format == Format::kX3dv;
    const auto most =
        static_cast<double>(x3d ? x3d::Limits().bytes : asset::ReadOptions().max_json_bytes);
    for (const auto& [joints, shapes] : {std::pair<size_t, size_t>{60, 0}, {3, 0}, {0, 60}}) {
      // What each byte of a key takes, and not the skeleton.
      double text_bytes[2], key_bytes[2];
      for (const size_t i : {0, 1}) {
        const asset::Motion motion = LongKeys(joints, shapes, 50 + 200 * i);
        key_bytes[i] = static_cast<double>(motion.key_bytes());
        text_bytes[i] = 0;
        const absl::Status status = row.write(motion, [&](absl::string_view bytes) {
          text_bytes[i] += static_cast<double>(bytes.size());
          return absl::OkStatus();
        });
        ASSERT_THAT(status, IsOk());
      }
      const double each = (text_bytes[1] - text_bytes[0]) / (key_bytes[1] - key_bytes[0]);
      EXPECT_LT(each * static_cast<double>(row.most_key_bytes), 0.97 * most)
          << row.endings.front() << ", " << joints << " joints, " << each << " bytes a byte";
    }
  }
  EXPECT_EQ(bounded, 4);
}

TEST(WholeFormats, KeysThatDoNotRiseAreLeftOutWithTheirCodes) {
  asset::Motion motion = LongKeys(0, 2, 10);
  const size_t bytes = motion.key_bytes();
  EXPECT_EQ(bytes, 10 * (2 * sizeof(float) + 2 * sizeof(double)));
  wire::DataChunk data;
  data.pose[wire::kWeights] = {2, {0, 0.1, 9}, {1, 1, 1, 1, 1, 1}};
  motion.Append(data);
  EXPECT_EQ(motion.tracks[wire::kWeights].size(), 11u);
  EXPECT_EQ(motion.time_codes_s[wire::kWeights].size(), 11u);
  EXPECT_EQ(motion.time_codes_s[wire::kWeights].back(), 9);
}

TEST(EvenKeys, AreCountedHoweverNearTheyAre) {
  EXPECT_EQ(asset::EvenKeysOf({0, 5e-324}).frames, 1);
  EXPECT_EQ(asset::EvenKeysOf({0, 5e-324, 1e-300, 1}).frames, 65);
  EXPECT_EQ(asset::EvenKeysOf({1, 1.5, 2}).frames, 3);
}

}  // namespace
}  // namespace posewire::clipio
