#include "services/a2f_source/core/wav_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "services/a2f_source/core/say_body.h"
#include "tests/unit/a2f_source/parsed.h"
#include "tests/unit/speech/test_sound.h"

namespace posewire::a2f_source {
namespace {

namespace ad = nvidia_ace::animation_data::v1;
using ::testing::HasSubstr;

// A sound that comes in portions of at most so many samples, and may fail at its end.
class PortionedInput : public SoundInput {
 public:
  PortionedInput(int rate_hz, std::vector<float> sound, size_t most = 1 << 20)
      : rate_hz_(rate_hz), sound_(std::move(sound)), most_(most) {}

  int rate_hz() const override { return rate_hz_; }
  absl::StatusOr<size_t> Read(absl::Span<float> to) override {
    const size_t count = std::min({to.size(), most_, sound_.size() - at_});
    std::copy_n(sound_.begin() + static_cast<std::ptrdiff_t>(at_), count, to.begin());
    at_ += count;
    if (count == 0 && !fault_.ok()) return fault_;
    return count;
  }
  void FailAtEnd(absl::Status fault) { fault_ = std::move(fault); }

 private:
  int rate_hz_;
  std::vector<float> sound_;
  size_t most_;
  size_t at_ = 0;
  absl::Status fault_;
};

struct Streamed {
  ad::AnimationDataStreamHeader header;
  std::vector<ad::AnimationData> frames;
  absl::Status status;

  std::vector<int16_t> Samples() const { return ParsedSamples(frames); }
};

Streamed Stream(std::unique_ptr<SoundInput> input, const speech::SoundFaceOptions& options = {}) {
  static const auto network = speech::TinyNetwork();
  Streamed streamed;
  const auto source = WavSource::Make(std::move(input), network, options).value();
  streamed.header = ParsedHeader(source->Header().value());
  for (;;) {
    auto next = source->Next();
    streamed.status = next.status();
    if (!next.ok() || !*next) break;
    streamed.frames.push_back(ParsedData(**next));
  }
  if (streamed.status.ok()) {
    EXPECT_NEAR(source->duration_s().value_or(-1),
                options.fps.SecondsAt(static_cast<int64_t>(streamed.frames.size())), 1e-9);
  }
  return streamed;
}

std::vector<int16_t> Samples(size_t count) {
  std::vector<int16_t> samples(count);
  for (size_t i = 0; i < count; ++i) samples[i] = static_cast<int16_t>(i * 7919 % 65536);
  return samples;
}

TEST(WavSource, NamesShapesHeadAndSoundInTheHeader) {
  const Streamed s = Stream(std::make_unique<PortionedInput>(44100, std::vector<float>(1000)));
  EXPECT_EQ(s.header.source_service_id(), "posewire-wav");
  EXPECT_EQ(s.header.skel_animation_header().blend_shapes_size(), 40);
  ASSERT_EQ(s.header.skel_animation_header().joints_size(), 3);
  EXPECT_EQ(s.header.skel_animation_header().joints(2), "skullbase");
  EXPECT_EQ(s.header.audio_header().samples_per_second(), 44100u);
}

// Every sample, at its own rate, bit for bit, in the frame whose time it is.
TEST(WavSource, CarriesTheSoundExactlyThenSilence) {
  for (const timecode::FrameRate fps :
       {timecode::FrameRate{30, 1}, timecode::FrameRate{60, 1}, timecode::FrameRate{30000, 1001}}) {
    for (const int rate_hz : {8000, 16000, 22050, 44100, 192000}) {
      const std::vector<int16_t> sound = Samples(static_cast<size_t>(rate_hz) / 2 + 17);
      speech::SoundFaceOptions options;
      options.fps = fps;
      const Streamed s = Stream(std::make_unique<PortionedInput>(rate_hz, speech::AsFloats(sound),
                                                                 1 + sound.size() / 300),
                                options);
      int64_t sample = 0;
      for (size_t k = 0; k < s.frames.size(); ++k) {
        const ad::AnimationData& f = s.frames[k];
        const double time_code_s = fps.SecondsAt(static_cast<int64_t>(k));
        ASSERT_EQ(f.skel_animation().blend_shape_weights(0).time_code(), time_code_s);
        ASSERT_EQ(f.skel_animation().rotations(0).time_code(), time_code_s);
        ASSERT_EQ(f.skel_animation().rotations(0).values_size(), 3);
        ASSERT_EQ(sample, static_cast<int64_t>(k) * rate_hz * fps.den / fps.num);
        ASSERT_EQ(f.audio().time_code(), static_cast<double>(sample) / rate_hz);
        sample += static_cast<int64_t>(f.audio().audio_buffer().size() / 2);
      }
      const std::vector<int16_t> got = s.Samples();
      ASSERT_GE(got.size(), sound.size() + static_cast<size_t>(rate_hz) / 2);
      ASSERT_LE(got.size(), sound.size() + static_cast<size_t>(rate_hz * (0.5 + 2 / fps.hz())) + 1);
      ASSERT_TRUE(std::equal(sound.begin(), sound.end(), got.begin())) << rate_hz;
      ASSERT_TRUE(std::all_of(got.begin() + static_cast<std::ptrdiff_t>(sound.size()), got.end(),
                              [](int16_t v) { return v == 0; }));
    }
  }
}

TEST(WavSource, ClipsWhatIsTooLoud) {
  const Streamed s = Stream(std::make_unique<PortionedInput>(
      8000, std::vector<float>{2, -2, std::nanf(""), 1, -1, 0.25f}));
  const std::vector<int16_t> got = s.Samples();
  EXPECT_EQ(std::vector<int16_t>(got.begin(), got.begin() + 6),
            (std::vector<int16_t>{32767, -32768, 0, 32767, -32768, 8192}));
}

TEST(WavSource, EndsAtOnceWithoutSound) {
  const Streamed s = Stream(std::make_unique<PortionedInput>(16000, std::vector<float>()));
  EXPECT_EQ(s.frames.size(), 16u) << "0.5 s at rest";
}

TEST(WavSource, LeavesOutTheHeadWhenTold) {
  speech::SoundFaceOptions options;
  options.head = false;
  const Streamed s =
      Stream(std::make_unique<PortionedInput>(16000, std::vector<float>(8000)), options);
  EXPECT_EQ(s.header.skel_animation_header().joints_size(), 0);
  EXPECT_EQ(s.frames[0].skel_animation().rotations_size(), 0);
}

TEST(WavSource, ReturnsTheErrorOfItsInput) {
  auto input = std::make_unique<PortionedInput>(16000, std::vector<float>(8000));
  input->FailAtEnd(absl::DataLossError("scratched"));
  const Streamed s = Stream(std::move(input));
  EXPECT_EQ(s.status.code(), absl::StatusCode::kDataLoss);
  EXPECT_GT(s.frames.size(), 8u);
}

TEST(WavSource, RejectsFrameRatesOutOfRange) {
  speech::SoundFaceOptions options;
  options.fps = {240, 1};
  EXPECT_THAT(
      std::string(WavSource::Make(std::make_unique<PortionedInput>(16000, std::vector<float>()),
                                  speech::TinyNetwork(), options)
                      .status()
                      .message()),
      HasSubstr("fps: 240 is"));
}

}  // namespace
}  // namespace posewire::a2f_source
