// What recordings hold, for tests.
#ifndef POSEWIRE_TESTS_UNIT_RENDERER_SINK_RECORDINGS_H_
#define POSEWIRE_TESTS_UNIT_RENDERER_SINK_RECORDINGS_H_

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "libs/wire/frame_reader.h"
#include "tests/unit/clipio/parsed_message.h"
#include "tests/unit/renderer_sink/messages.h"

namespace posewire::renderer_sink {

// Every whole message of the file; with a torn tail, those before it.
inline std::vector<Message> ReadAll(const std::string& path) {
  std::vector<Message> messages;
  auto reader = clipio::OpenClip(path);
  EXPECT_TRUE(reader.ok()) << reader.status();
  while (reader.ok()) {
    auto message = clipio::NextParsed(**reader);
    if (!message.ok() || !*message) break;
    messages.push_back(**message);
  }
  return messages;
}

inline std::vector<int16_t> Samples(const std::string& wav_path) {
  std::ifstream in(wav_path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::vector<int16_t> samples;
  EXPECT_GE(bytes.size(), 44u);
  uint32_t data_bytes = 0;
  for (int i = 3; i >= 0; --i) {
    data_bytes = data_bytes << 8 | static_cast<uint8_t>(bytes[40 + static_cast<size_t>(i)]);
  }
  EXPECT_LE(44 + data_bytes, bytes.size()) << "the header says more than there is";
  for (size_t i = 44; i + 1 < 44 + data_bytes; i += 2) {
    samples.push_back(static_cast<int16_t>(static_cast<uint8_t>(bytes[i]) |
                                           static_cast<uint8_t>(bytes[i + 1]) << 8));
  }
  return samples;
}

// The rules that every stream must keep. A pull by stream has no request id.
inline void ExpectLegal(std::vector<Message> messages) {
  ASSERT_FALSE(messages.empty());
  messages[0].mutable_animation_data_stream_header()->mutable_animation_ids()->set_request_id("r");
  wire::FrameReader reader;
  for (size_t i = 0; i < messages.size(); ++i) {
    const std::string bytes = messages[i].SerializeAsString();
    const absl::Span<const uint8_t> slice(reinterpret_cast<const uint8_t*>(bytes.data()),
                                          bytes.size());
    const auto chunk = reader.Read({slice});
    ASSERT_TRUE(chunk.ok()) << "message " << i << ": " << chunk.status();
  }
}

// An empty folder of its own.
inline std::string FreshFolder(const std::string& name) {
  const std::string folder = ::testing::TempDir() + "recorder_" + name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  return folder + "/";
}

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_TESTS_UNIT_RENDERER_SINK_RECORDINGS_H_
