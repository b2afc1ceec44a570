// Sounds for tests, made by formulas.
#ifndef POSEWIRE_TESTS_UNIT_SPEECH_TEST_SOUND_H_
#define POSEWIRE_TESTS_UNIT_SPEECH_TEST_SOUND_H_

#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/speech/flite_voice.h"
#include "libs/speech/speech_network.h"
#include "tests/unit/speech/speak_whole.h"

namespace posewire::speech {

// That of tools/speech_model/training/vector.py.
inline std::vector<float> VectorSound() {
  std::vector<float> sound(19200);
  uint32_t state = 1;
  for (size_t n = 0; n < 16000; ++n) {
    state = 1664525 * state + 1013904223;
    const double t = static_cast<double>(n);
    double voice = 0;
    for (int h = 1; h <= 12; ++h) {
      voice += std::sin(2 * std::numbers::pi * 130 * h * t / 16000) / h;
    }
    sound[n] =
        static_cast<float>(0.02 + 0.01 * (state / 2147483648.0 - 1) +
                           0.2 * (0.5 - 0.5 * std::cos(2 * std::numbers::pi * t / 4800)) * voice);
  }
  return sound;
}

inline std::vector<float> Noise(size_t samples, float level, uint32_t seed = 1) {
  std::mt19937 rng(seed);
  std::normal_distribution<float> normal(0, level);
  std::vector<float> sound(samples);
  for (float& s : sound) s = normal(rng);
  return sound;
}

inline std::vector<float> AsFloats(const std::vector<int16_t>& samples) {
  std::vector<float> sound(samples.size());
  for (size_t i = 0; i < sound.size(); ++i) sound[i] = static_cast<float>(samples[i]) / 32768;
  return sound;
}

// A sentence in a voice that tells its phonemes' times.
inline SpeechPiece Sentence(const std::string& text, const std::string& voice = "slt") {
  return SpeakWhole(*MakeFliteVoice(voice).value(), {std::string(text)}).value();
}

// A network of one channel that costs next to nothing, for what does not look at the lips.
inline std::shared_ptr<const SpeechNetwork> TinyNetwork() {
  const auto builtin = SpeechNetwork::Builtin();
  const auto outputs = builtin->outputs();
  const size_t numbers = kSpeechFeatures + 1 + (3 + 1 + 1 + 1) + 2 * outputs.size();
  std::string file = absl::StrCat("posewire-nn 1\nfeatures ", kSpeechFeatures,
                                  "\nchannels 1\ndilations 1\nkernel 3\n", "lookahead 7\noutputs ",
                                  absl::StrJoin(outputs, " "), "\nsoftmax ", kSoundClasses,
                                  "\nhop 160\nrate 16000\n\n");
  for (size_t i = 0; i < numbers; ++i) file += std::string("\x66\x2e", 2);  // 0.1
  return SpeechNetwork::Read(file).value();
}

}  // namespace posewire::speech

#endif  // POSEWIRE_TESTS_UNIT_SPEECH_TEST_SOUND_H_
