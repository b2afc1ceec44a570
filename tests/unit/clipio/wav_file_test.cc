#include "libs/recording/wav_file.h"

#include <sndfile.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/clipio/pcm.h"

namespace posewire::clipio {
namespace {

std::string Path(const char* name) { return ::testing::TempDir() + "wav_file_" + name; }

struct WavContent {
  int rate_hz = 0, channels = 0;
  std::vector<short> samples;
};

// What another implementation makes of the file.
WavContent ReadBack(const std::string& path) {
  SF_INFO info{};
  SNDFILE* file = sf_open(path.c_str(), SFM_READ, &info);
  EXPECT_NE(file, nullptr) << sf_strerror(nullptr);
  WavContent read{info.samplerate, info.channels, {}};
  if (file == nullptr) return read;
  EXPECT_EQ(info.format, SF_FORMAT_WAV | SF_FORMAT_PCM_16);
  read.samples.resize(static_cast<size_t>(info.frames));
  EXPECT_EQ(sf_read_short(file, read.samples.data(), info.frames), info.frames);
  sf_close(file);
  return read;
}

TEST(WavFile, IsReadBySndfile) {
  const std::string path = Path("plain.wav");
  auto wav = recording::WavFile::Create(path, 16000);
  ASSERT_TRUE(wav.ok()) << wav.status();
  ASSERT_TRUE((*wav)->Append(Pcm(-300, 1000)).ok());
  ASSERT_TRUE((*wav)->AppendSilence(50).ok());
  ASSERT_TRUE((*wav)->Append(Pcm(7, 1)).ok());
  EXPECT_EQ((*wav)->samples(), 1051);
  ASSERT_TRUE((*wav)->Close().ok());
  const WavContent read = ReadBack(path);
  EXPECT_EQ(read.rate_hz, 16000);
  EXPECT_EQ(read.channels, 1);
  ASSERT_EQ(read.samples.size(), 1051u);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(read.samples[static_cast<size_t>(i)], i - 300);
  for (size_t i = 1000; i < 1050; ++i) ASSERT_EQ(read.samples[i], 0);
  EXPECT_EQ(read.samples[1050], 7);
}

TEST(WavFile, IsValidFromTheFirstMomentAndAfterEachSync) {
  const std::string path = Path("growing.wav");
  auto wav = recording::WavFile::Create(path, 48000);
  ASSERT_TRUE(wav.ok());
  EXPECT_EQ(ReadBack(path).samples.size(), 0u);
  ASSERT_TRUE((*wav)->Append(Pcm(1, 100)).ok());
  ASSERT_TRUE((*wav)->Sync().ok());
  // What follows a Sync is on its way; a copy is what a crash would leave.
  ASSERT_TRUE((*wav)->Append(Pcm(101, 100)).ok());
  const std::string crashed = Path("crashed.wav");
  std::filesystem::copy_file(path, crashed, std::filesystem::copy_options::overwrite_existing);
  const WavContent read = ReadBack(crashed);
  ASSERT_GE(read.samples.size(), 100u);
  for (size_t i = 0; i < read.samples.size(); ++i)
    EXPECT_EQ(read.samples[i], static_cast<int>(i) + 1);
}

TEST(WavFile, HasAPlainHeaderOf44Bytes) {
  const std::string path = Path("header.wav");
  auto wav = recording::WavFile::Create(path, 22050);
  ASSERT_TRUE(wav.ok());
  ASSERT_TRUE((*wav)->Append(Pcm(0, 3)).ok());
  ASSERT_TRUE((*wav)->Close().ok());
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string want(
      "RIFF\x2a\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x22\x56\0\0\x44\xac\0\0\2\0\x10\0data\6\0\0\0"
      "\0\0\1\0\2\0",
      50);
  EXPECT_EQ(bytes, want);
}

TEST(WavFile, IsTheSameInMemory) {
  const std::string path = Path("disk.wav");
  std::string bytes;
  auto disk = recording::WavFile::Create(path, 16000);
  auto memory = recording::WavFile::Create(std::make_unique<files::MemorySink>("m", &bytes), 16000);
  for (const auto* wav : {&disk, &memory}) {
    ASSERT_TRUE(wav->ok()) << wav->status();
    ASSERT_TRUE((**wav)->Append(Pcm(1, 100)).ok());
    ASSERT_TRUE((**wav)->Sync().ok());
    ASSERT_TRUE((**wav)->AppendSilence(7).ok());
    ASSERT_TRUE((**wav)->Append(Pcm(5, 1)).ok());
    ASSERT_TRUE((**wav)->Close().ok());
  }
  std::ifstream in(path, std::ios::binary);
  EXPECT_EQ(bytes, std::string((std::istreambuf_iterator<char>(in)), {}));
}

// As long as it is told to be, in no memory.
class EndlessSink final : public files::ByteSink {
 public:
  explicit EndlessSink(std::string* start) : start_(start) {}

  const std::string& name() const override { return name_; }
  absl::Status Write(absl::string_view bytes) override {
    if (start_->size() < 44) start_->append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  absl::Status Overwrite(int64_t offset, absl::string_view bytes) override {
    start_->replace(static_cast<size_t>(offset), bytes.size(), bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  absl::Status Truncate(int64_t) override { return absl::OkStatus(); }
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }

 private:
  const std::string name_ = "endless.wav";
  std::string* const start_;
};

uint32_t Little32(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

TEST(WavFile, HoldsWhatItsHeaderCanSayAndRejectsTheRest) {
  std::string start;
  auto wav = recording::WavFile::Create(std::make_unique<EndlessSink>(&start), 48000);
  ASSERT_TRUE(wav.ok());
  ASSERT_TRUE((*wav)->AppendSilence(recording::WavFile::kMostSamples - 10).ok());
  EXPECT_EQ((*wav)->AppendSilence(11).code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ((*wav)->Append(Pcm(1, 11)).code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ((*wav)->AppendSilence(int64_t{1} << 60).code(), absl::StatusCode::kOutOfRange);
  ASSERT_TRUE((*wav)->Append(Pcm(1, 10)).ok());
  EXPECT_EQ((*wav)->samples(), recording::WavFile::kMostSamples);
  ASSERT_TRUE((*wav)->Close().ok());
  EXPECT_EQ(Little32(start, 40), 2 * recording::WavFile::kMostSamples);
  EXPECT_EQ(Little32(start, 4), 2 * recording::WavFile::kMostSamples + 36);
}

TEST(WavFile, RejectsHalfASample) {
  auto wav = recording::WavFile::Create(Path("odd.wav"), 16000);
  ASSERT_TRUE(wav.ok());
  EXPECT_EQ((*wav)->Append("abc").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ((*wav)->samples(), 0);
}

TEST(WavFile, SaysWhenTheDiskIsFull) {
  auto wav = recording::WavFile::Create("/dev/full", 16000);
  EXPECT_EQ(wav.status().code(), absl::StatusCode::kResourceExhausted) << wav.status();
}

}  // namespace
}  // namespace posewire::clipio
