#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sndfile.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "services/a2f_source/sound/pcm_stream.h"
#include "services/a2f_source/sound/sound_file.h"
#include "tests/unit/clipio/trickling_pipe.h"

namespace posewire::a2f_source {
namespace {

using ::testing::HasSubstr;

std::string Path(const std::string& name) {
  return ::testing::TempDir() + "a2f_source_sound_" + name;
}

// Channel c of sample i; exact in 16 bits.
float Value(size_t i, size_t c) {
  return static_cast<float>(static_cast<int>((i * 331 + c * 1000) % 40000) - 20000) / 32768;
}

std::string WriteFile(const std::string& name, int format, int rate_hz, int channels,
                      size_t samples) {
  const std::string path = Path(name);
  SF_INFO info{};
  info.samplerate = rate_hz;
  info.channels = channels;
  info.format = format;
  SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
  EXPECT_NE(file, nullptr) << sf_strerror(nullptr);
  std::vector<float> floats;
  std::vector<short> shorts;
  for (size_t i = 0; i < samples; ++i) {
    for (int c = 0; c < channels; ++c) {
      floats.push_back(Value(i, static_cast<size_t>(c)));
      shorts.push_back(static_cast<short>(floats.back() * 32768));
    }
  }
  if ((format & SF_FORMAT_SUBMASK) == SF_FORMAT_FLOAT) {
    sf_writef_float(file, floats.data(), static_cast<sf_count_t>(samples));
  } else {
    sf_writef_short(file, shorts.data(), static_cast<sf_count_t>(samples));
  }
  sf_close(file);
  return path;
}

std::string BytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Heard {
  absl::Status status;
  int rate_hz = 0;
  std::vector<float> samples;
};

Heard HearAll(absl::StatusOr<std::unique_ptr<SoundInput>> input, size_t most = 1 << 22) {
  Heard heard;
  heard.status = input.status();
  if (!input.ok()) return heard;
  heard.rate_hz = (*input)->rate_hz();
  std::vector<float> portion(441);
  while (heard.samples.size() < most) {
    const auto count = (*input)->Read(absl::MakeSpan(portion));
    heard.status = count.status();
    if (!count.ok() || *count == 0) break;
    heard.samples.insert(heard.samples.end(), portion.begin(),
                         portion.begin() + static_cast<std::ptrdiff_t>(*count));
  }
  return heard;
}

Heard HearPipe(std::string bytes, const PcmSettings& settings = {}, size_t most = 1 << 20) {
  return HearAll(
      OpenPcmStream(std::make_unique<clipio::TricklingPipe>(std::move(bytes), most), settings));
}

std::string Message(const Heard& heard) { return std::string(heard.status.message()); }

TEST(SoundFile, ReadsWavFlacAndOggOfAllRatesAndChannels) {
  const std::pair<const char*, int> kinds[] = {
      {"wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16},   {"24.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_24},
      {"f.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT},  {"ulaw.wav", SF_FORMAT_WAV | SF_FORMAT_ULAW},
      {"flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16}, {"ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS}};
  for (const auto& [name, format] : kinds) {
    for (const int rate_hz : {8000, 44100, 192000}) {
      for (const int channels : {1, 2, 5}) {
        const std::string path = WriteFile(name, format, rate_hz, channels, 5000);
        const Heard heard = HearAll(OpenSoundFile(path));
        ASSERT_TRUE(heard.status.ok()) << heard.status;
        EXPECT_EQ(heard.rate_hz, rate_hz);
        ASSERT_EQ(heard.samples.size(), 5000u) << name;
        if (std::string(name) == "ogg" || std::string(name) == "ulaw.wav") continue;
        for (size_t i = 0; i < 5000; ++i) {
          float mean = 0;
          for (int c = 0; c < channels; ++c) mean += Value(i, static_cast<size_t>(c));
          ASSERT_NEAR(heard.samples[i], mean / static_cast<float>(channels), 1e-6) << name;
        }
      }
    }
  }
}

TEST(SoundFile, SaysWhatIsWrong) {
  EXPECT_EQ(OpenSoundFile(Path("missing.wav")).status().code(), absl::StatusCode::kNotFound);
  const std::string text = Path("text.wav");
  std::ofstream(text) << "no sound at all";
  EXPECT_THAT(std::string(OpenSoundFile(text).status().message()), HasSubstr(text));
  EXPECT_THAT(Message(HearAll(OpenSoundFile(
                  WriteFile("slow.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 4000, 1, 100)))),
              HasSubstr("4000 samples a second, 8000 to 192000 is right"));
  EXPECT_THAT(Message(HearAll(OpenSoundFile(
                  WriteFile("wide.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 16000, 65, 100)))),
              HasSubstr("65 channels"));
}

TEST(SoundFile, AFileThatIsCutGivesWhatIsThere) {
  const std::string whole =
      BytesOf(WriteFile("whole.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 16000, 1, 5000));
  const std::string path = Path("cut.wav");
  std::ofstream(path, std::ios::binary) << whole.substr(0, 44 + 2 * 1234 + 1);
  const Heard heard = HearAll(OpenSoundFile(path));
  EXPECT_TRUE(heard.status.ok()) << heard.status;
  EXPECT_EQ(heard.samples.size(), 1234u);
}

// Cases 39 and 56 of docs/evidence/reliability.md, for sound: an error or sound, no hang, bounded
// memory.
TEST(SoundFile, AThousandMutationsEndWell) {
  std::mt19937 rng(23);
  const std::string files[] = {
      BytesOf(WriteFile("m.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 16000, 2, 3000)),
      BytesOf(WriteFile("m.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 16000, 1, 3000)),
      BytesOf(WriteFile("m.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 16000, 1, 3000))};
  int rejected = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = files[i % 3];
    const size_t reach = i % 2 == 0 ? std::min<size_t>(bytes.size(), 120) : bytes.size();
    for (int n = 0; n < 1 + i % 7; ++n) bytes[rng() % reach] = static_cast<char>(rng() % 256);
    if (i % 5 == 0) bytes.resize(rng() % bytes.size());
    const std::string path = Path("mutated");
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    const Heard file = HearAll(OpenSoundFile(path));
    // Beyond 192 times what is there no format of these unpacks.
    EXPECT_LT(file.samples.size(), size_t{1} << 22) << "a sound without end";
    if (!file.status.ok()) {
      ++rejected;
      EXPECT_THAT(Message(file), HasSubstr(path));
    }
    const Heard pipe = HearPipe(bytes, {}, 1 + rng() % 3000);
    EXPECT_LE(pipe.samples.size(), bytes.size());
  }
  EXPECT_GT(rejected, 100);
}

TEST(PcmStream, ReadsEveryFormatInAnyPortions) {
  const std::pair<const char*, std::string> cases[] = {
      {"u8", std::string("\x80\xC0\x00", 3)},
      {"s16le", std::string("\x00\x00\x00\x40\x00\x80", 6)},
      {"s24le", std::string("\x00\x00\x00\x00\x00\x40\x00\x00\x80", 9)},
      {"s32le", std::string("\x00\x00\x00\x00\x00\x00\x00\x40\x00\x00\x00\x80", 12)},
      {"f32le", std::string("\x00\x00\x00\x00\x00\x00\x00\x3f\x00\x00\x80\xbf", 12)}};
  for (const auto& [format, bytes] : cases) {
    for (const size_t most : std::vector<size_t>{1, 2, 5, 100}) {
      PcmSettings settings;
      settings.format = format;
      const Heard heard = HearPipe(bytes + "\x01", settings, most);
      ASSERT_TRUE(heard.status.ok()) << heard.status;
      if (std::string(format) == "u8") {
        ASSERT_EQ(heard.samples.size(), 4u);
      } else {
        ASSERT_EQ(heard.samples, (std::vector<float>{0, 0.5f, -1})) << format << " by " << most;
      }
    }
  }
}

// What a microphone gave is not held back until a portion is full.
TEST(PcmStream, GivesWhatIsThere) {
  const auto input =
      OpenPcmStream(std::make_unique<clipio::TricklingPipe>(std::string(4000, '\0'), 20), {})
          .value();
  std::vector<float> portion(160);
  EXPECT_EQ(*input->Read(absl::MakeSpan(portion)), 10u);
}

TEST(PcmStream, ReadsAWavByItsOwnHead) {
  const std::string bytes =
      BytesOf(WriteFile("pipe.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 44100, 2, 700));
  const Heard heard = HearPipe(bytes, {}, 13);
  ASSERT_TRUE(heard.status.ok()) << heard.status;
  EXPECT_EQ(heard.rate_hz, 44100);
  ASSERT_EQ(heard.samples.size(), 700u);
  EXPECT_NEAR(heard.samples[3], (Value(3, 0) + Value(3, 1)) / 2, 1e-6);
  // A recorder that does not know how long it will go on writes any length.
  std::string endless = bytes;
  endless.replace(40, 4, std::string("\xff\xff\xff\x7f", 4));
  EXPECT_EQ(HearPipe(endless).samples.size(), 700u);
}

// As `wav -` has it, with what was doubtful.
std::vector<std::string> NotesOf(const std::unique_ptr<SoundInput>& input) {
  std::vector<float> portion(441);
  while (true) {
    const auto count = input->Read(absl::MakeSpan(portion));
    if (!count.ok() || *count == 0) return input->notes();
  }
}

TEST(SoundFile, WavsWhoseSizesAreNotRightAreReadToTheirEnd) {
  const std::pair<const char*, int> kinds[] = {{"p16.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16},
                                               {"p8.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_U8},
                                               {"p24.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_24},
                                               {"p32.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_32},
                                               {"x16.wav", SF_FORMAT_WAVEX | SF_FORMAT_PCM_16},
                                               {"r16.wav", SF_FORMAT_RF64 | SF_FORMAT_PCM_16},
                                               {"f32.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT}};
  for (const auto& [name, format] : kinds) {
    for (const int channels : {1, 2}) {
      const std::string whole = BytesOf(WriteFile(name, format, 22050, channels, 3000));
      const std::vector<float> wanted = HearAll(OpenSoundFile(Path(name))).samples;
      ASSERT_EQ(wanted.size(), 3000u) << name;
      const size_t at = whole.find("data") + 4;
      for (const std::string& size : {std::string(4, '\0'), std::string("\xff\xff\xff\x7f", 4),
                                      std::string("\x00\x94\x35\x77", 4), std::string(4, '\xff')}) {
        if (std::string(name) == "r16.wav") continue;
        std::string streamed = whole;
        streamed.replace(at, 4, size);
        streamed.replace(4, 4, size);
        const std::string path = Path("streamed.wav");
        std::ofstream(path, std::ios::binary) << streamed;
        auto input = OpenSoundFile(path);
        ASSERT_TRUE(input.ok()) << input.status();
        EXPECT_EQ((*input)->samples(), 3000) << name;
        EXPECT_TRUE(NotesOf(*input).empty()) << name;
        EXPECT_EQ(HearAll(OpenSoundFile(path)).samples, wanted) << name;
        EXPECT_EQ(HearPipe(streamed, {}, 777).samples, wanted) << name;
      }
      EXPECT_EQ(HearPipe(whole, {}, 777).samples, wanted) << name;
    }
  }
}

// Of AIFF and AU the sizes are libsndfile's to judge.
TEST(SoundFile, OtherStreamedKindsAreReadOrSaid) {
  const std::string au =
      BytesOf(WriteFile("s.au", SF_FORMAT_AU | SF_FORMAT_PCM_16, 16000, 1, 2000));
  std::string streamed = au;
  streamed.replace(8, 4, "\xff\xff\xff\xff");
  std::ofstream(Path("s.au"), std::ios::binary) << streamed;
  EXPECT_EQ(HearAll(OpenSoundFile(Path("s.au"))).samples.size(), 2000u);
  streamed.replace(8, 4, 4, '\0');
  std::ofstream(Path("s.au"), std::ios::binary) << streamed << streamed;
  EXPECT_THAT(Message(HearAll(OpenSoundFile(Path("s.au")))),
              HasSubstr("its header says that it has no samples"));
  // Samples that cannot be counted are an error, and not silence.
  std::string ulaw = BytesOf(WriteFile("u.wav", SF_FORMAT_WAV | SF_FORMAT_ULAW, 16000, 1, 2000));
  ulaw.replace(ulaw.find("data") + 4, 4, 4, '\0');
  std::ofstream(Path("u.wav"), std::ios::binary) << ulaw;
  const Heard heard = HearAll(OpenSoundFile(Path("u.wav")));
  EXPECT_TRUE(heard.samples.size() == 2000 || !heard.status.ok()) << heard.samples.size();
}

TEST(SoundFile, AnEmptyWavIsSaid) {
  for (const int format : {SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_FLAC | SF_FORMAT_PCM_16}) {
    const std::string path = WriteFile("none", format, 16000, 1, 0);
    auto input = OpenSoundFile(path);
    if (!input.ok()) continue;  // libsndfile takes no FLAC without a sample
    EXPECT_THAT(NotesOf(*input), testing::ElementsAre(path + ": has no samples"));
  }
}

TEST(PcmStream, HalfASampleAtTheEndIsSaid) {
  const auto notes = [](std::string bytes, const PcmSettings& settings) {
    return NotesOf(
        OpenPcmStream(std::make_unique<clipio::TricklingPipe>(std::move(bytes), 3), settings)
            .value());
  };
  EXPECT_THAT(notes("abcde", {}), testing::ElementsAre(HasSubstr("its last 1 bytes of 2")));
  EXPECT_THAT(notes("abcdef", {.channels = 2}), testing::ElementsAre(HasSubstr("2 bytes of 4")));
  EXPECT_TRUE(notes("abcdef", {}).empty());
  EXPECT_THAT(notes("", {}), testing::ElementsAre(HasSubstr("has no samples")));
}

TEST(PcmStream, SaysWhatIsWrong) {
  EXPECT_THAT(Message(HearPipe("fLaC............")), HasSubstr("read from files"));
  for (const char* other : {"OggS........", "FORM....AIFF", ".snd........", "RIFX....WAVE",
                            "caff........", "ID3........."}) {
    EXPECT_THAT(Message(HearPipe(other)), HasSubstr("is read from files")) << other;
  }
  EXPECT_THAT(Message(HearPipe("RIFF....WAVEdata....")), HasSubstr("before its format"));
  EXPECT_THAT(Message(HearPipe("RIFF....WAVEfmt ")), HasSubstr("ends before its data"));
  EXPECT_THAT(Message(HearPipe(std::string("RIFF....WAVELIST\xff\xff\xff\x7f", 20))),
              HasSubstr("no data within"));
  PcmSettings settings;
  settings.rate_hz = 1000;
  EXPECT_THAT(Message(HearPipe("", settings)), HasSubstr("1000 samples a second"));
  settings = {};
  settings.format = "mp3";
  EXPECT_THAT(Message(HearPipe("", settings)), HasSubstr("one of u8, s16le"));
}

}  // namespace
}  // namespace posewire::a2f_source
