#include "services/a2f_source/core/ace_source.h"

#include <gmock/gmock.h>
#include <google/protobuf/any.pb.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "libs/speech/flite_voice.h"
#include "libs/wire/speech_gesture.h"
#include "nvidia_ace.emotion_aggregate.v1.pb.h"
#include "tests/unit/speech/speak_whole.h"

namespace posewire::a2f_source {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
namespace a2f = nvidia_ace::a2f::v1;
using nvidia_ace::emotion_aggregate::v1::EmotionAggregate;

class Parts : public AceReader {
 public:
  absl::StatusOr<bool> Read(a2f::AudioStream& part) override {
    ++reads;
    if (parts.empty()) return false;
    part = parts.front();
    parts.pop_front();
    return true;
  }
  a2f::AudioStreamHeader& AddHeader(uint32_t rate_hz = 16000) {
    parts.emplace_back();
    auto& header = *parts.back().mutable_audio_stream_header();
    header.mutable_audio_header()->set_samples_per_second(rate_hz);
    header.mutable_audio_header()->set_channel_count(1);
    header.mutable_audio_header()->set_bits_per_sample(16);
    return header;
  }
  a2f::AudioWithEmotion& AddSound(const std::vector<int16_t>& samples) {
    parts.emplace_back();
    auto& sound = *parts.back().mutable_audio_with_emotion();
    for (const int16_t sample : samples) {
      sound.mutable_audio_buffer()->push_back(static_cast<char>(sample & 0xff));
      sound.mutable_audio_buffer()->push_back(static_cast<char>(sample >> 8));
    }
    return sound;
  }
  void AddSound(const std::vector<int16_t>& samples, size_t portion) {
    for (size_t i = 0; i < samples.size(); i += portion) {
      AddSound(
          {samples.begin() + static_cast<std::ptrdiff_t>(i),
           samples.begin() + static_cast<std::ptrdiff_t>(std::min(samples.size(), i + portion))});
    }
  }

  std::deque<a2f::AudioStream> parts;
  int reads = 0;
};

// A buzz that opens and closes four times a second, with a sample at each place that no other has.
std::vector<int16_t> Voice(double seconds, int rate_hz) {
  std::vector<int16_t> samples(static_cast<size_t>(seconds * rate_hz));
  for (size_t i = 0; i < samples.size(); ++i) {
    const double t_s = static_cast<double>(i) / rate_hz;
    const double buzz = std::fmod(t_s * 140, 1.0) - 0.5;
    samples[i] = static_cast<int16_t>(12000 * buzz * std::abs(std::sin(4 * 3.14159 * t_s)));
  }
  return samples;
}

absl::StatusOr<std::unique_ptr<AceSource>> Open(Parts& parts, AceSourceOptions options = {}) {
  return AceSource::Open(&parts, speech::SpeechNetwork::Builtin(), options);
}

struct Face {
  std::vector<wire::DataChunk> frames;
  std::string bytes;
  absl::Status fault;
  wire::StatusChunk answer;

  std::vector<int16_t> Samples() const {
    std::vector<int16_t> all;
    for (const wire::DataChunk& frame : frames) {
      if (frame.audio)
        all.insert(all.end(), frame.audio->samples.begin(), frame.audio->samples.end());
    }
    return all;
  }
  std::vector<float> Track(absl::string_view shape) const {
    std::vector<float> values;
    for (const wire::DataChunk& frame : frames) {
      values.push_back(frame.pose[wire::kWeights].values[AceShapeAt(shape)]);
    }
    return values;
  }
};

Face Make(Parts& parts, AceSourceOptions options = {}) {
  Face face;
  auto source = Open(parts, options);
  face.fault = source.status();
  while (face.fault.ok()) {
    auto message = (*source)->Next();
    face.fault = message.status();
    if (!message.ok() || !*message) break;
    face.bytes += *(*message)->bytes;
    face.frames.push_back(*(*message)->data());
  }
  if (source.ok()) face.answer = (*source)->Answer();
  return face;
}

std::vector<EmotionAggregate> EmotionsIn(const Face& face) {
  std::vector<EmotionAggregate> all;
  for (const wire::DataChunk& frame : face.frames) {
    for (const wire::MetadataEntry& entry : frame.metadata) {
      EXPECT_EQ(entry.key, "emotion_aggregate");
      google::protobuf::Any any;
      EXPECT_TRUE(any.ParseFromString(entry.any));
      EXPECT_TRUE(any.UnpackTo(&all.emplace_back()));
    }
  }
  return all;
}

TEST(AceSource, NamesTheShapesOfACEInTheirOrder) {
  Parts parts;
  parts.AddHeader(44100);
  auto source = Open(parts);
  ASSERT_TRUE(source.ok()) << source.status();
  const auto header = (*source)->Header();
  ASSERT_EQ(header->shapes.size(), 68u);
  EXPECT_EQ(header->shapes[0], "EyeBlinkLeft");
  EXPECT_EQ(header->shapes[17], "JawOpen");
  EXPECT_EQ(header->shapes[51], "TongueOut");
  EXPECT_EQ(header->shapes[52], "TongueTipUp");
  EXPECT_EQ(header->shapes[67], "TongueNarrow");
  EXPECT_TRUE(header->joints.empty());
  EXPECT_EQ(header->audio_rate_hz, 44100);
}

TEST(AceSource, EachFaceHasItsSamplesAndNoneIsLost) {
  for (const int rate_hz : {8000, 16000, 22050, 44100, 48000, 192000}) {
    Parts parts;
    parts.AddHeader(static_cast<uint32_t>(rate_hz));
    const std::vector<int16_t> voice = Voice(0.7, rate_hz);
    parts.AddSound(voice, 4096);
    const Face face = Make(parts);
    ASSERT_TRUE(face.fault.ok()) << face.fault;
    EXPECT_EQ(face.Samples(), voice) << rate_hz;
    bool silent = false;
    for (size_t k = 0; k < face.frames.size(); ++k) {
      const wire::DataChunk& frame = face.frames[k];
      EXPECT_DOUBLE_EQ(frame.pose[wire::kWeights].time_codes_s[0], static_cast<double>(k) / 30);
      ASSERT_EQ(frame.pose[wire::kWeights].values.size(), 68u);
      // Those without sound come last, and there are some.
      EXPECT_FALSE(silent && frame.audio);
      silent = !frame.audio;
    }
    EXPECT_TRUE(silent);
    EXPECT_NEAR(static_cast<double>(face.frames.size()) / 30, 0.7 + speech::SoundFace::kTail_s,
                0.07);
    EXPECT_EQ(face.answer.code, wire::StatusChunk::kSuccess);
    EXPECT_THAT(face.answer.message, HasSubstr("0.700 s of sound"));
  }
}

TEST(AceSource, HowTheSoundIsCutDoesNotShow) {
  const std::vector<int16_t> voice = Voice(0.5, 16000);
  std::string whole;
  for (const size_t portion : {voice.size(), size_t{1}, size_t{533}, size_t{7000}}) {
    Parts parts;
    parts.AddHeader();
    parts.AddSound(voice, portion);
    const Face face = Make(parts);
    ASSERT_TRUE(face.fault.ok()) << face.fault;
    if (whole.empty()) whole = face.bytes;
    EXPECT_TRUE(face.bytes == whole) << portion;
  }
}

TEST(AceSource, ReadsWhenItNeedsSoundAndNotBefore) {
  Parts parts;
  parts.AddHeader();
  parts.AddSound(Voice(20, 16000), 1600);
  auto source = Open(parts);
  EXPECT_EQ(parts.reads, 1);
  for (int k = 0; k < 30; ++k) ASSERT_TRUE((*source)->Next()->has_value());
  // Faces up to 1 s need sound up to 1.2 s.
  EXPECT_LE(parts.reads, 1 + 13);
}

TEST(AceSource, RejectsOtherFormsOfAudioByField) {
  const auto rejection = [](auto change) {
    Parts parts;
    change(*parts.AddHeader().mutable_audio_header());
    const auto source = Open(parts);
    EXPECT_EQ(source.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(source.status().message());
  };
  EXPECT_THAT(rejection([](auto& audio) { audio.set_channel_count(2); }),
              HasSubstr("audio_header.channel_count: 2, 1 is right"));
  EXPECT_THAT(rejection([](auto& audio) { audio.set_bits_per_sample(24); }),
              HasSubstr("audio_header.bits_per_sample: 24, 16 is right"));
  EXPECT_THAT(rejection([](auto& audio) { audio.set_samples_per_second(7999); }),
              HasSubstr("audio_header.samples_per_second: 7999, 8000 to 192000 is right"));
  EXPECT_THAT(rejection([](auto& audio) { audio.set_samples_per_second(4294967295u); }),
              HasSubstr("4294967295"));
  EXPECT_THAT(
      rejection([](auto& audio) {
        audio.set_audio_format(static_cast<nvidia_ace::audio::v1::AudioHeader::AudioFormat>(3));
      }),
      HasSubstr("audio_header.audio_format: 3"));
}

TEST(AceSource, RejectsMessagesOutOfOrder) {
  const auto rejection = [](auto fill) {
    Parts parts;
    fill(parts);
    const Face face = Make(parts);
    EXPECT_EQ(face.fault.code(), absl::StatusCode::kInvalidArgument);
    return std::string(face.fault.message());
  };
  EXPECT_THAT(rejection([](Parts& parts) { parts.AddSound(Voice(0.1, 16000)); }),
              HasSubstr("without an audio_stream_header"));
  EXPECT_THAT(rejection([](Parts&) {}), HasSubstr("without an audio_stream_header"));
  EXPECT_THAT(rejection([](Parts& parts) {
                parts.AddHeader();
                parts.AddHeader();
              }),
              HasSubstr("a second one"));
  EXPECT_THAT(rejection([](Parts& parts) {
                parts.AddHeader();
                parts.parts.emplace_back();
              }),
              HasSubstr("without a stream_part"));
  EXPECT_THAT(rejection([](Parts& parts) { parts.AddHeader(); }), HasSubstr("without a sample"));
}

TEST(AceSource, MessagesOfAnyNumberOfBytesGiveTheFaceOfEvenOnes) {
  const std::vector<int16_t> voice = Voice(1.3, 16000);
  Parts even;
  even.AddHeader();
  even.AddSound(voice, 800);
  const Face wanted = Make(even);
  ASSERT_TRUE(wanted.fault.ok()) << wanted.fault;
  const std::string bytes(reinterpret_cast<const char*>(voice.data()), voice.size() * 2);
  for (const std::vector<size_t>& sizes :
       std::vector<std::vector<size_t>>{{4063, 1697}, {1}, {1601, 1599, 1}}) {
    Parts odd;
    odd.AddHeader();
    for (size_t at = 0, i = 0; at < bytes.size(); at += sizes[i++ % sizes.size()]) {
      odd.parts.emplace_back().mutable_audio_with_emotion()->set_audio_buffer(
          bytes.substr(at, sizes[i % sizes.size()]));
    }
    const Face face = Make(odd);
    ASSERT_TRUE(face.fault.ok()) << face.fault;
    EXPECT_EQ(face.bytes, wanted.bytes) << sizes[0];
    EXPECT_EQ(face.Samples(), voice);
    EXPECT_EQ(face.answer.code, wire::StatusChunk::kSuccess) << face.answer.message;
  }
}

TEST(AceSource, DropsHalfASampleAtTheEndAndSaysSo) {
  Parts parts;
  parts.AddHeader();
  parts.AddSound(Voice(0.2, 16000)).mutable_audio_buffer()->push_back('x');
  const Face face = Make(parts);
  ASSERT_TRUE(face.fault.ok()) << face.fault;
  EXPECT_EQ(face.Samples(), Voice(0.2, 16000));
  EXPECT_EQ(face.answer.code, wire::StatusChunk::kWarning);
  EXPECT_THAT(face.answer.message, HasSubstr("half a sample was dropped"));
}

TEST(AceSource, RejectsBuffersOutOfBoundsByTheirPlace) {
  const auto rejection = [](auto fill, AceSourceOptions options) {
    Parts parts;
    parts.AddHeader(8000);
    parts.AddSound(Voice(0.5, 8000));
    fill(parts);
    const Face face = Make(parts, options);
    EXPECT_EQ(face.fault.code(), absl::StatusCode::kInvalidArgument);
    return std::string(face.fault.message());
  };
  EXPECT_THAT(
      rejection([](Parts& parts) { parts.AddSound(Voice(1.1, 8000)); }, {.max_buffer_s = 1}),
      HasSubstr("1.1 s; at most 1 s in a message"));
  EXPECT_THAT(
      rejection([](Parts& parts) { parts.AddSound(Voice(2, 8000), 800); }, {.max_sound_s = 2}),
      HasSubstr("longer than 2 s"));
  EXPECT_THAT(
      rejection([](Parts& parts) { parts.AddSound({1}).add_emotions()->set_time_code(-1); }, {}),
      HasSubstr("emotions.time_code: -1"));
  EXPECT_THAT(rejection(
                  [](Parts& parts) {
                    (*parts.AddSound({1}).add_emotions()->mutable_emotion())["joy"] = 1.5f;
                  },
                  {}),
              HasSubstr("emotions.emotion.joy: 1.5"));
}

TEST(AceSource, RejectsIdsThatNoStreamMayHave) {
  Parts parts;
  parts.AddHeader().mutable_animation_ids()->set_stream_id(std::string(200, 's'));
  EXPECT_THAT(Open(parts).status().message(), HasSubstr("animation_ids.stream_id"));
}

TEST(AceSource, MultipliersOffsetsAndClampComeLast) {
  Parts parts;
  auto& shapes = *parts.AddHeader().mutable_blendshape_params();
  (*shapes.mutable_bs_weight_multipliers())["JawOpen"] = 0;
  (*shapes.mutable_bs_weight_offsets())["JawLeft"] = 0.25f;
  (*shapes.mutable_bs_weight_offsets())["TongueLeft"] = -2;
  (*shapes.mutable_bs_weight_offsets())["EyeWideLeft"] = 3;
  parts.AddSound(Voice(0.5, 16000));
  Parts clamped = parts;
  clamped.parts[0]
      .mutable_audio_stream_header()
      ->mutable_blendshape_params()
      ->set_enable_clamping_bs_weight(true);
  const Face face = Make(parts);
  EXPECT_THAT(face.Track("JawOpen"), Each(0.0f));
  EXPECT_THAT(face.Track("JawLeft"), Each(0.25f));
  EXPECT_THAT(face.Track("TongueLeft"), Each(-2.0f));
  EXPECT_THAT(face.Track("EyeWideLeft"), Each(3.0f));
  const Face within = Make(clamped);
  EXPECT_THAT(within.Track("TongueLeft"), Each(0.0f));
  EXPECT_THAT(within.Track("EyeWideLeft"), Each(1.0f));
}

TEST(AceSource, EmotionsMoveTheFaceAndAreTold) {
  Parts parts;
  auto& post = *parts.AddHeader().mutable_emotion_post_processing_params();
  post.set_preferred_emotion_strength(1);
  post.set_emotion_strength(1);
  auto& sound = parts.AddSound(std::vector<int16_t>(32000));
  (*sound.add_emotions()->mutable_emotion())["joy"] = 1;
  auto& later = *sound.add_emotions();
  later.set_time_code(1);
  (*later.mutable_emotion())["anger"] = 1;
  const Face face = Make(parts);
  ASSERT_TRUE(face.fault.ok()) << face.fault;
  EXPECT_GT(face.Track("MouthSmileLeft")[28], 0.4f);
  EXPECT_GT(face.Track("BrowDownRight")[58], 0.7f);
  EXPECT_LT(face.Track("MouthSmileLeft")[58], 0.1f);
  const auto told = EmotionsIn(face);
  ASSERT_GT(told.size(), 20u);
  ASSERT_EQ(told[0].input_emotions_size(), 1);
  EXPECT_EQ(told[0].input_emotions(0).emotion().at("joy"), 1);
  EXPECT_EQ(told[0].input_emotions(0).emotion().size(), 10u);
  int given = 0;
  double last_s = -1;
  for (const EmotionAggregate& aggregate : told) {
    given += aggregate.input_emotions_size();
    ASSERT_EQ(aggregate.a2e_output_size(), 1);
    EXPECT_EQ(aggregate.a2e_output(0).emotion().size(), 10u);
    ASSERT_EQ(aggregate.a2f_smoothed_output_size(), 1);
    EXPECT_GT(aggregate.a2f_smoothed_output(0).time_code(), last_s);
    last_s = aggregate.a2f_smoothed_output(0).time_code();
  }
  EXPECT_EQ(given, 2);
}

TEST(AceSource, EmotionsThatDoNotChangeAreToldOnce) {
  Parts parts;
  parts.AddHeader();
  parts.AddSound(std::vector<int16_t>(16000));
  EXPECT_EQ(EmotionsIn(Make(parts)).size(), 1u);
}

TEST(AceSource, ParametersWithoutEffectAreReportedByName) {
  Parts parts;
  (*parts.AddHeader().mutable_face_params()->mutable_float_params())["hairStrength"] = 1;
  auto& sound = parts.AddSound(Voice(0.2, 16000));
  (*sound.add_emotions()->mutable_emotion())["hunger"] = 1;
  const Face face = Make(parts);
  ASSERT_TRUE(face.fault.ok()) << face.fault;
  EXPECT_EQ(face.answer.code, wire::StatusChunk::kWarning);
  EXPECT_THAT(face.answer.message, AllOf(HasSubstr("hairStrength"), HasSubstr("hunger")));
}

TEST(AceSource, ASilentFaceIsStillAndClosed) {
  Parts parts;
  parts.AddHeader();
  parts.AddSound(std::vector<int16_t>(16000));
  const Face face = Make(parts);
  for (const char* shape : {"JawOpen", "MouthFunnel", "TongueTipUp", "TongueDown"}) {
    EXPECT_THAT(face.Track(shape), Each(testing::Lt(0.05f))) << shape;
  }
}

// How long before their strokes gestures are told, of a voice in parts of so many samples.
std::vector<double> ToldAhead(const std::vector<int16_t>& sound, size_t portion) {
  Parts parts;
  parts.AddHeader();
  parts.AddSound(sound, portion);
  std::vector<double> ahead_s;
  for (const wire::DataChunk& frame : Make(parts, {.head = true}).frames) {
    for (const wire::MetadataEntry& entry : frame.metadata) {
      if (const auto gesture = wire::ReadSpeechGesture(entry)) {
        ahead_s.push_back(gesture->stroke_in_s);
      }
    }
  }
  std::sort(ahead_s.begin(), ahead_s.end());
  return ahead_s;
}

TEST(AceSource, GesturesAreToldAheadAsFarAsAPartOfTheSoundReaches) {
  const auto voice = speech::MakeFliteVoice().value();
  std::vector<int16_t> sound;
  for (const char* text :
       {"The old captain walked slowly along the harbour and counted every ship.",
        "Nobody believed that the river could rise above the stone bridge.",
        "We bought fresh bread, yellow apples and a bottle of milk at the market."}) {
    const auto piece = speech::SpeakWhole(*voice, {text}).value();
    ASSERT_EQ(piece.rate_hz, 16000);
    sound.insert(sound.end(), piece.samples.begin(), piece.samples.end());
    sound.resize(sound.size() + 8000);
  }
  const std::vector<double> longer = ToldAhead(sound, 64000);
  ASSERT_GE(longer.size(), 5u);
  EXPECT_GT(longer[longer.size() / 2], 0.7);
  const std::vector<double> live = ToldAhead(sound, 1600);
  ASSERT_GE(live.size(), 5u);
  EXPECT_NEAR(live.front(), 0.33, 0.01) << "known when the syllable is over";
  EXPECT_NEAR(live.back(), 0.33, 0.01);
}

}  // namespace
}  // namespace posewire::a2f_source
