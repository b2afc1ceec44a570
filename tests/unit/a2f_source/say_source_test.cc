#include "services/a2f_source/core/say_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libs/speech/flite_voice.h"
#include "libs/speech/speech_queue.h"
#include "libs/speech/speech_text.h"
#include "tests/unit/a2f_source/parsed.h"
#include "tests/unit/speech/fake_voice.h"
#include "tests/unit/speech/gated_voice.h"
#include "tests/unit/speech/speak_whole.h"
#include "tests/unit/speech/split_speech_text.h"

namespace posewire::a2f_source {
namespace {

namespace ad = nvidia_ace::animation_data::v1;
using ::testing::HasSubstr;

struct SaidMessages {
  ad::AnimationDataStreamHeader header;
  std::vector<ad::AnimationData> frames;
  std::vector<std::string> notes;

  float Weight(size_t frame, absl::string_view shape) const {
    const auto& names = header.skel_animation_header().blend_shapes();
    const auto at = std::find(names.begin(), names.end(), std::string(shape)) - names.begin();
    return frames[frame].skel_animation().blend_shape_weights(0).values(static_cast<int>(at));
  }
  std::vector<int16_t> Samples() const { return ParsedSamples(frames); }
};

SaidMessages Say(absl::string_view text, std::unique_ptr<speech::Voice> voice,
                 const SayOptions& options = {}) {
  SaidMessages said;
  absl::StatusOr<std::unique_ptr<SaySource>> source =
      SaySource::Make(text, std::move(voice), options);
  EXPECT_TRUE(source.ok()) << source.status();
  if (!source.ok()) return said;
  absl::StatusOr<wire::StreamHeader> header = (*source)->Header();
  EXPECT_TRUE(header.ok()) << header.status();
  if (!header.ok()) return said;
  said.header = ParsedHeader(*header);
  for (;;) {
    absl::StatusOr<std::optional<wire::Message>> next = (*source)->Next();
    EXPECT_TRUE(next.ok()) << next.status();
    if (!next.ok() || !*next) break;
    said.frames.push_back(ParsedData(**next));
  }
  said.notes = (*source)->notes();
  EXPECT_NEAR((*source)->duration_s().value_or(-1),
              options.fps.SecondsAt(static_cast<int64_t>(said.frames.size())), 1e-9);
  return said;
}

SaidMessages SayFake(absl::string_view text, const SayOptions& options = {}, int rate_hz = 16000) {
  return Say(
      text,
      std::make_unique<speech::FakeVoice>(std::make_shared<speech::FakeVoiceState>(), rate_hz),
      options);
}

std::unique_ptr<speech::Voice> Flite() { return speech::MakeFliteVoice().value(); }

TEST(SaySource, NamesShapesJointsAndSoundInTheHeader) {
  const SaidMessages said = SayFake("hello");
  EXPECT_EQ(said.header.source_service_id(), "posewire-say");
  EXPECT_EQ(said.header.skel_animation_header().blend_shapes_size(), 40);
  EXPECT_EQ(said.header.skel_animation_header().joints_size(), 3);
  EXPECT_EQ(said.header.skel_animation_header().joints(2), "skullbase");
  EXPECT_EQ(said.header.audio_header().samples_per_second(), 16000u);
  EXPECT_EQ(said.header.audio_header().channel_count(), 1u);
  EXPECT_EQ(said.header.audio_header().bits_per_sample(), 16u);
}

// What it named without moving it would hide whatever other sources do with it.
TEST(SaySource, MovesEveryShapeAndJointThatItNames) {
  const SaidMessages said =
      Say("Peter Piper picked a peck of pickled peppers! How much wood would a woodchuck chuck? "
          "The judge thought five foxes shared their toys near the zoo. No, never! What is it? "
          "It was a very good idea, and everybody told me so again and again. Really?",
          Flite());
  const auto& names = said.header.skel_animation_header();
  std::vector<float> most(static_cast<size_t>(names.blend_shapes_size()));
  std::vector<float> turn(static_cast<size_t>(names.joints_size()));
  for (const ad::AnimationData& f : said.frames) {
    for (size_t i = 0; i < most.size(); ++i) {
      const auto& weights = f.skel_animation().blend_shape_weights(0);
      most[i] = std::max(most[i], weights.values(static_cast<int>(i)));
    }
    for (size_t j = 0; j < turn.size(); ++j) {
      const auto joint = static_cast<int>(j);
      const ad::QuatF& q = f.skel_animation().rotations(0).values(joint);
      const ad::QuatF& q0 = said.frames[0].skel_animation().rotations(0).values(joint);
      const float dot = q.real() * q0.real() + q.i() * q0.i() + q.j() * q0.j() + q.k() * q0.k();
      turn[j] = std::max(turn[j], 1 - std::abs(dot));
    }
  }
  for (size_t i = 0; i < most.size(); ++i) {
    EXPECT_GT(most[i], 0.01f) << names.blend_shapes(static_cast<int>(i));
  }
  for (size_t j = 0; j < turn.size(); ++j) {
    EXPECT_GT(turn[j], 1e-4f) << names.joints(static_cast<int>(j));
  }
}

TEST(SaySource, CodesAreContiguousAndEveryFrameIsWhole) {
  for (const timecode::FrameRate fps :
       {timecode::FrameRate{30, 1}, timecode::FrameRate{60, 1}, timecode::FrameRate{30000, 1001}}) {
    for (const int rate_hz : {16000, 22050, 44100}) {
      SayOptions options;
      options.fps = fps;
      const SaidMessages said =
          SayFake("a longer text to say. and then some more.", options, rate_hz);
      ASSERT_GT(said.frames.size(), 60u);
      int64_t sample = 0;
      for (size_t k = 0; k < said.frames.size(); ++k) {
        const ad::AnimationData& f = said.frames[k];
        const double time_code_s = fps.SecondsAt(static_cast<int64_t>(k));
        ASSERT_EQ(f.skel_animation().blend_shape_weights_size(), 1);
        ASSERT_EQ(f.skel_animation().blend_shape_weights(0).time_code(), time_code_s);
        ASSERT_EQ(f.skel_animation().blend_shape_weights(0).values_size(), 40);
        ASSERT_EQ(f.skel_animation().rotations(0).time_code(), time_code_s);
        ASSERT_EQ(f.skel_animation().rotations(0).values_size(), 3);
        ASSERT_EQ(sample, static_cast<int64_t>(k) * rate_hz * fps.den / fps.num);
        ASSERT_EQ(f.audio().time_code(), static_cast<double>(sample) / rate_hz);
        ASSERT_EQ(f.audio().audio_buffer().size() % 2, 0u);
        sample += static_cast<int64_t>(f.audio().audio_buffer().size() / 2);
      }
    }
  }
}

TEST(SaySource, CarriesEverySampleOfTheVoiceThenSilence) {
  const std::string text = "It was the first one. Who knew that? Nobody!";
  std::vector<int16_t> voice;
  speech::SpeechQueue queue(Flite(), speech::SplitSpeechText(text));
  for (;;) {
    auto piece = queue.Next();
    ASSERT_TRUE(piece.ok());
    if (!*piece) break;
    voice.insert(voice.end(), (*piece)->speech.samples.begin(), (*piece)->speech.samples.end());
  }
  const std::vector<int16_t> got = Say(text, Flite()).Samples();
  ASSERT_GE(got.size(), voice.size() + 8000);
  ASSERT_LE(got.size(), voice.size() + 8000 + 534);
  EXPECT_TRUE(std::equal(voice.begin(), voice.end(), got.begin()));
  EXPECT_TRUE(std::all_of(got.begin() + static_cast<std::ptrdiff_t>(voice.size()), got.end(),
                          [](int16_t s) { return s == 0; }));
}

TEST(SaySource, LipsMeetAtTheBilabialsOfRealSpeech) {
  const std::string text =
      "Maybe Bob's big brother put my lamp in the museum? Pam simply mumbled about it.";
  const SaidMessages said = Say(text, Flite());
  speech::SpeechQueue queue(Flite(), speech::SplitSpeechText(text));
  double start_s = 0;
  int bilabials = 0;
  for (;;) {
    auto piece = queue.Next();
    if (!*piece) break;
    for (const speech::Phoneme& s : (*piece)->speech.phonemes) {
      if (s.phone != "m" && s.phone != "b" && s.phone != "p") continue;
      ++bilabials;
      // The contact lasts at least a frame and ends with the phoneme.
      const double from_s = start_s + std::min(s.start_s, s.end_s - 0.045),
                   to_s = start_s + s.end_s;
      bool met = false;
      for (size_t k = 0; k < said.frames.size(); ++k) {
        const double t = static_cast<double>(k) / 30;
        if (t < from_s || t > to_s) continue;
        met |= said.Weight(k, "jawOpen") < 0.03f && said.Weight(k, "mouthPressLeft") > 0.25f &&
               said.Weight(k, "mouthLowerDownLeft") < 0.03f;
      }
      EXPECT_TRUE(met) << s.phone << " at " << from_s;
    }
    start_s += (*piece)->speech.duration_s();
  }
  EXPECT_GT(bilabials, 15);
}

TEST(SaySource, ShapesStayInRangeAndNeverJump) {
  const SaidMessages said =
      Say("Peter Piper picked a peck of pickled peppers! How much wood would a woodchuck chuck? "
          "She sells sea shells; we have five thumbs. Yes, you may. No, never.",
          Flite());
  ASSERT_GT(said.frames.size(), 200u);
  float widest = 0;
  for (size_t k = 0; k < said.frames.size(); ++k) {
    const auto& now = said.frames[k].skel_animation().blend_shape_weights(0);
    for (int i = 0; i < now.values_size(); ++i) {
      ASSERT_TRUE(now.values(i) >= 0 && now.values(i) <= 1);
      if (k == 0) continue;
      const auto& last = said.frames[k - 1].skel_animation().blend_shape_weights(0);
      ASSERT_LE(std::abs(now.values(i) - last.values(i)), 0.35f)
          << said.header.skel_animation_header().blend_shapes(i) << " at frame " << k;
    }
    widest = std::max(widest, said.Weight(k, "jawOpen"));
  }
  EXPECT_GT(widest, 0.3f);
  EXPECT_LT(widest, 0.65f);
}

TEST(SaySource, JawFollowsTheVoice) {
  const SaidMessages said =
      Say("Father and mother walked around the large dark garden all afternoon.", Flite());
  const std::vector<int16_t> samples = said.Samples();
  double loud_sum = 0, quiet_sum = 0;
  int loud = 0, quiet = 0;
  for (size_t k = 0; k < said.frames.size(); ++k) {
    double square = 0;
    const size_t from = k * 16000 / 30, to = (k + 1) * 16000 / 30;
    for (size_t i = from; i < to; ++i) square += static_cast<double>(samples[i]) * samples[i];
    const double rms = std::sqrt(square / static_cast<double>(to - from));
    (rms > 4000 ? loud_sum : quiet_sum) += said.Weight(k, "jawOpen");
    ++(rms > 4000 ? loud : quiet);
  }
  ASSERT_GT(loud, 10);
  ASSERT_GT(quiet, 10);
  EXPECT_GT(loud_sum / loud, 2 * quiet_sum / quiet);
}

TEST(SaySource, SaysTheSameForTheSameTextAndSeed) {
  const auto bytes = [](absl::string_view text, uint64_t seed) {
    SayOptions options;
    options.seed = seed;
    std::string all;
    for (const ad::AnimationData& f : Say(text, Flite(), options).frames) {
      all += f.SerializeAsString();
    }
    return all;
  };
  const std::string first = bytes("Do you see what I see? I do.", 1);
  EXPECT_TRUE(first == bytes("Do you see what I see? I do.", 1));
  EXPECT_TRUE(first != bytes("Do you see what I see? I do.", 2));
}

TEST(SaySource, StreamsALongTextEarly) {
  const auto state = std::make_shared<speech::FakeVoiceState>();
  std::string text;
  while (text.size() < 60000) text += "this is one more sentence of a long text. ";
  auto source = SaySource::Make(text, std::make_unique<speech::FakeVoice>(state)).value();
  ASSERT_TRUE(source->Header().ok());
  EXPECT_LE(state->calls, 2);
  EXPECT_FALSE(source->duration_s().has_value());
  ASSERT_TRUE(source->Next()->has_value());
  EXPECT_LE(state->calls, 3);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(source->Next()->has_value());
  EXPECT_LE(state->calls, 10) << "ten seconds are a few sentences";
}

TEST(SaySource, FirstPieceOfARealTextIsShort) {
  std::string text = "although nobody had asked him to do so";
  while (text.size() < 5000) text += " and then he went on and on without any full stop at all";
  const std::vector<speech::TextPiece> pieces = speech::SplitSpeechText(text);
  EXPECT_LE(pieces[0].text.size(), 90u);
  EXPECT_LT(speech::SpeakWhole(*Flite(), {pieces[0].text})->duration_s(), 10);
}

TEST(SaySource, SpeaksOddTexts) {
  for (const char* text :
       {"1999", "$3.50, 5%, 1/2 and 10:30", "Dr. No, e.g., etc.", "hi 😀!", "one\ntwo\r\nthree",
        "\t\nmixed\v\f space", "“Quoted” – dashed — ‘text’…", "ALL CAPS NASA", "a", "?what",
        "(((x)))", "see http://a.b/c?d=e", "x*y_z`w~v^u|t\\s<r>q{p}o[n]"}) {
    const SaidMessages said = Say(text, Flite());
    EXPECT_GT(said.frames.size(), 15u) << text;
  }
  EXPECT_EQ(Say("hi 😀!", Flite()).notes.size(), 1u);
}

TEST(SaySource, Speaks64KiB) {
  std::string text;
  while (text.size() < 64 * 1024 - 64) text += "all of the text is spoken, word by word. ";
  size_t frames = SayFake(text).frames.size();
  EXPECT_GT(frames, 30u * 3000);
}

TEST(SaySource, RejectsWhatItCannotSay) {
  for (const char* text : {"", " \n", "http://a.b/c", "😀", "\xFF", "..."}) {
    EXPECT_EQ(SaySource::Make(text, std::make_unique<speech::FakeVoice>()).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
  SayOptions options;
  options.fps = {5, 1};
  EXPECT_THAT(
      std::string(
          SaySource::Make("hi", std::make_unique<speech::FakeVoice>(), options).status().message()),
      HasSubstr("fps: 5 is"));
}

TEST(SaySource, SaysThatFliteReadsNoOtherScript) {
  auto source = SaySource::Make("日本", Flite()).value();
  EXPECT_THAT(std::string(source->Header().status().message()), HasSubstr("Latin letter"));
}

TEST(SaySource, ReturnsTheErrorOfAVoiceThatFails) {
  auto source = SaySource::Make("broken", std::make_unique<speech::FakeVoice>()).value();
  EXPECT_EQ(source->Header().status().code(), absl::StatusCode::kInternal);
  const SaidMessages said = SayFake("one. broken. three.");
  EXPECT_EQ(said.notes.size(), 1u);
  EXPECT_GT(said.frames.size(), 30u);
}

TEST(SaySource, LeavesOutBodyOrHandsWhenTold) {
  SayOptions options;
  const auto announced = [&] {
    const SaidMessages said = Say("Hello, I have two good ideas.", Flite(), options);
    return std::count_if(said.frames.begin(), said.frames.end(),
                         [](const auto& f) { return f.metadata_size() > 0; });
  };
  EXPECT_GT(announced(), 0);
  options.hands = false;
  EXPECT_EQ(announced(), 0);
  EXPECT_EQ(SayFake("hello", options).header.skel_animation_header().joints_size(), 3);
  options.body = false;
  const SaidMessages said = SayFake("hello", options);
  EXPECT_EQ(said.header.skel_animation_header().joints_size(), 0);
  EXPECT_EQ(said.frames[0].skel_animation().rotations_size(), 0);
}

// A text of two clauses, spoken by a voice whose sound comes when the test says so.
struct GatedSource {
  explicit GatedSource(const SayOptions& options = {})
      : source(SaySource::Make("One word. Two words.", std::make_unique<speech::GatedVoice>(gate),
                               options)
                   .value()) {}

  // Takes a clause of that length in.
  void Speak(double length_s) {
    gate->Give(speech::Tone(length_s));
    gate->End();
  }
  ad::AnimationData Now() { return ParsedData(*source->NextNow().value()); }

  std::shared_ptr<speech::Gate> gate = std::make_shared<speech::Gate>();
  std::unique_ptr<SaySource> source;
};

double SoundIn(const std::vector<ad::AnimationData>& frames) {
  const std::vector<int16_t> samples = ParsedSamples(frames);
  return static_cast<double>(
      std::count_if(samples.begin(), samples.end(), [](int16_t s) { return s != 0; }));
}

TEST(SaySource, BridgesALateVoiceWithSilenceAndGoesOnWhereItStopped) {
  GatedSource s;
  s.Speak(1);
  ASSERT_TRUE(s.source->Header().ok());
  std::vector<ad::AnimationData> frames;
  for (int i = 0; i < 75; ++i) frames.push_back(s.Now());
  EXPECT_FALSE(s.source->Ready());
  EXPECT_TRUE(s.source->notes().empty()) << "the gap has not ended";
  s.Speak(1);
  for (;;) {
    const auto next = s.source->Next();
    ASSERT_TRUE(next.ok()) << next.status();
    if (!*next) break;
    frames.push_back(ParsedData(**next));
  }
  EXPECT_NEAR(SoundIn(frames), 2 * 16000, 200) << "every sample of the voice, once";
  for (size_t i = 0; i < frames.size(); ++i) {
    ASSERT_EQ(frames[i].audio().audio_buffer().size(), 2u * (i % 3 == 0   ? 533
                                                             : i % 3 == 1 ? 533
                                                                          : 534))
        << i;
  }
  ASSERT_EQ(s.source->notes().size(), 1u);
  EXPECT_THAT(s.source->notes()[0], HasSubstr("voice: late, silence from 1.0 s to 2.8 s"));
}

TEST(SaySource, RestsItsMouthWhileTheVoiceIsLate) {
  GatedSource s;
  s.Speak(1);
  const auto header = s.source->Header();
  ASSERT_TRUE(header.ok());
  const auto jaw =
      std::find(header->shapes.begin(), header->shapes.end(), "jawOpen") - header->shapes.begin();
  float last = 0;
  for (int i = 0; i < 80; ++i) {
    last = s.Now().skel_animation().blend_shape_weights(0).values(static_cast<int>(jaw));
  }
  EXPECT_EQ(last, 0);
}

TEST(SaySource, EndsWithAnErrorWhenTheVoiceStaysAway) {
  SayOptions options;
  options.max_gap_s = 2;
  GatedSource s(options);
  s.Speak(1);
  ASSERT_TRUE(s.source->Header().ok());
  int frames = 0;
  absl::Status end;
  for (; frames < 300; ++frames) {
    const auto next = s.source->NextNow();
    end = next.status();
    if (!end.ok()) break;
  }
  EXPECT_EQ(end.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(end.message()), HasSubstr("--max-gap-s"));
  EXPECT_NEAR(frames, 30 * 3, 6) << "a second of speech and two of silence";
}

TEST(SaySource, PlaysWhatCameOfAClauseThatStillComes) {
  GatedSource s;
  for (int i = 0; i < 3; ++i) s.gate->Give(speech::Tone(0.3));
  ASSERT_TRUE(s.source->Header().ok());
  std::vector<ad::AnimationData> frames;
  for (int i = 0; i < 9; ++i) frames.push_back(s.Now());
  EXPECT_NEAR(SoundIn(frames), 9 * 533, 20);
}

TEST(SaySource, ReturnsAnErrorBeforeTheFirstSoundFromItsHeader) {
  GatedSource s;
  s.gate->End(absl::UnauthenticatedError("401: no such key"));
  EXPECT_EQ(s.source->Header().status(), absl::UnauthenticatedError("401: no such key"));
}

TEST(SaySource, MovesLipsAndHandsOfAVoiceThatTellsNoTimes) {
  const std::string text = "Hello, my name is Anna, and I have two big ideas about music.";
  const auto with = speech::MakeFliteVoice().value();
  speech::SpeechPiece spoken = speech::SpeakWhole(*with, {text}).value();
  auto gate = std::make_shared<speech::Gate>();
  speech::SpeechPart part;
  part.rate_hz = spoken.rate_hz;
  part.samples = spoken.samples;
  gate->Give(std::move(part));
  gate->End();
  const SaidMessages said = Say(text, std::make_unique<speech::GatedVoice>(gate));
  float widest = 0;
  int gestures = 0;
  for (size_t i = 0; i < said.frames.size(); ++i) {
    widest = std::max(widest, said.Weight(i, "jawOpen"));
    gestures += static_cast<int>(said.frames[i].metadata_size());
  }
  EXPECT_GT(widest, 0.2);
  EXPECT_GE(gestures, 2);
  EXPECT_EQ(said.Weight(said.frames.size() - 1, "jawOpen"), 0);
}

}  // namespace
}  // namespace posewire::a2f_source
