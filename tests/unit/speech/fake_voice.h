// A voice for tests: every letter of the text is a phoneme of known length.
#ifndef POSEWIRE_TESTS_UNIT_SPEECH_FAKE_VOICE_H_
#define POSEWIRE_TESTS_UNIT_SPEECH_FAKE_VOICE_H_

#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "libs/speech/voice.h"

namespace posewire::speech {

// Puts phonemes one behind the other and fills in sound: a tone for speech, silence for "pau".
class PieceBuilder {
 public:
  explicit PieceBuilder(int rate_hz = 16000) { piece_.rate_hz = rate_hz; }

  PieceBuilder& Say(const std::string& phone, double length_s, bool stressed = false,
                    double loudness = 8000) {
    const double start_s = piece_.duration_s();
    const auto count = static_cast<size_t>(std::lround(length_s * piece_.rate_hz));
    for (size_t i = 0; i < count; ++i) {
      const double level = phone == "pau" ? 0 : loudness;
      piece_.samples.push_back(
          static_cast<int16_t>(level * std::sin(0.05 * static_cast<double>(samples_++))));
    }
    piece_.phonemes.push_back({phone, start_s, piece_.duration_s(), stressed});
    return *this;
  }
  PieceBuilder& Word(const std::string& text, double start_s, double end_s, bool accented) {
    piece_.words.push_back({text, start_s, end_s, (start_s + end_s) / 2, accented});
    return *this;
  }
  SpeechPiece Build() { return piece_; }

 private:
  SpeechPiece piece_;
  size_t samples_ = 0;
};

struct FakeVoiceState {
  std::atomic<int> calls = 0;
};

// What a run of a test voice gives, part by part, and then `error` if that is none.
class FakeRun : public SpeechRun {
 public:
  explicit FakeRun(std::vector<SpeechPart> parts, absl::Status error = absl::OkStatus())
      : parts_(std::move(parts)), error_(std::move(error)) {}
  explicit FakeRun(SpeechPiece piece) {
    SpeechPart& part = parts_.emplace_back();
    part.rate_hz = piece.rate_hz;
    part.samples = std::move(piece.samples);
    part.phonemes = std::move(piece.phonemes);
    part.words = std::move(piece.words);
  }

  absl::StatusOr<bool> Read(SpeechPart& part) override {
    if (cancelled_) return absl::CancelledError("cancelled");
    if (next_ == parts_.size()) {
      if (!error_.ok()) return error_;
      return false;
    }
    part = parts_[next_++];
    return true;
  }
  void Cancel() override { cancelled_ = true; }

 private:
  std::vector<SpeechPart> parts_;
  absl::Status error_;
  size_t next_ = 0;
  std::atomic<bool> cancelled_ = false;
};

// 80 ms a letter between two pauses of 200 ms; every word is accented. A text that holds "broken"
// fails; one that holds "faster" has another rate.
class FakeVoice : public Voice {
 public:
  explicit FakeVoice(std::shared_ptr<FakeVoiceState> state = std::make_shared<FakeVoiceState>(),
                     int rate_hz = 16000)
      : state_(std::move(state)), rate_hz_(rate_hz) {}

  absl::StatusOr<std::unique_ptr<SpeechRun>> Begin(const SpeechRequest& request) override {
    const std::string& text = request.text;
    ++state_->calls;
    if (absl::StrContains(text, "broken")) return absl::InternalError("the fake voice is broken");
    return std::make_unique<FakeRun>(Speak(text));
  }

 private:
  SpeechPiece Speak(const std::string& text) const {
    PieceBuilder builder(absl::StrContains(text, "faster") ? 22050 : rate_hz_);
    builder.Say("pau", 0.2);
    std::string word;
    double word_start_s = 0;
    const auto end_word = [&] {
      if (word.empty()) return;
      builder.Word(word, word_start_s, builder.Build().duration_s(), true);
      word.clear();
    };
    for (const char c : text) {
      if (c < 'a' || c > 'z') {
        end_word();
        continue;
      }
      if (word.empty()) word_start_s = builder.Build().duration_s();
      word += c;
      const bool vowel = absl::StrContains("aeiou", std::string(1, c));
      builder.Say(vowel ? std::string(c == 'i'   ? "iy"
                                      : c == 'u' ? "uw"
                                                 : "aa")
                        : std::string(1, c),
                  0.08, vowel);
    }
    end_word();
    builder.Say("pau", 0.2);
    return builder.Build();
  }

  std::shared_ptr<FakeVoiceState> state_;
  int rate_hz_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_TESTS_UNIT_SPEECH_FAKE_VOICE_H_
