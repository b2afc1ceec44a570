#include "services/a2f_source/grpc/say_sound.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/speech/function_words.h"
#include "libs/speech/sentence_rules.h"
#include "libs/speech/text_cleaner.h"
#include "libs/speech/unicode_text.h"

namespace posewire::a2f_source {
namespace {

namespace sv1 = posewire::source::v1;

constexpr int kLeastRate_hz = 8000, kMostRate_hz = 192000;
constexpr uint32_t kMostChannels = 8;
constexpr double kMostOutside_s = 0.25;

// Mono, from interleaved bytes.
std::vector<int16_t> Mix(const std::string& bytes, size_t channels) {
  std::vector<int16_t> samples(bytes.size() / 2 / channels);
  for (size_t i = 0; i < samples.size(); ++i) {
    int32_t sum = 0;
    for (size_t c = 0; c < channels; ++c) {
      const size_t at = 2 * (i * channels + c);
      const auto low = static_cast<uint8_t>(bytes[at]), high = static_cast<uint8_t>(bytes[at + 1]);
      sum += static_cast<int16_t>(low | high << 8);
    }
    samples[i] = static_cast<int16_t>(sum / static_cast<int32_t>(channels));
  }
  return samples;
}

// Checks the times of a word or phoneme, and keeps them within the sound.
template <typename Timed>
absl::Status PlaceIn(double length_s, absl::string_view field, int index, const Timed& from,
                     double& last_s, double& start_s, double& end_s) {
  start_s = from.start_s();
  end_s = from.end_s();
  if (!(start_s >= -kMostOutside_s && end_s >= start_s && end_s <= length_s + kMostOutside_s)) {
    return absl::InvalidArgumentError(absl::StrCat("sound.", field, "[", index, "]: from ", start_s,
                                                   " to ", end_s, " s, times within the ", length_s,
                                                   " s of the sound are right"));
  }
  if (start_s < last_s) {
    return absl::InvalidArgumentError(absl::StrCat("sound.", field, "[", index, "]: starts at ",
                                                   start_s, " s, before the one before it (",
                                                   last_s, " s)"));
  }
  last_s = start_s;
  start_s = std::clamp(start_s, 0.0, length_s);
  end_s = std::clamp(end_s, start_s, length_s);
  return absl::OkStatus();
}

// On one line, without what cannot be said.
std::string CleanLine(const std::string& text) {
  speech::TextCleaner cleaner;
  std::string clean = cleaner.Add(text);
  clean += cleaner.Flush();
  std::string line;
  for (size_t at = 0; at < clean.size();) {
    const char32_t c = speech::DecodeUtf8(clean, at).value_or(U' ');
    if (c == U'\n' || c == 0x2028) {
      if (!line.empty() && line.back() != ' ') line += ' ';
    } else {
      speech::AppendUtf8(c, line);
    }
  }
  return line;
}

speech::SpeechEnding EndingOf(absl::string_view text, bool ends_clause) {
  if (!ends_clause || text.empty()) return speech::SpeechEnding::kCut;
  switch (speech::EndMarkOf(speech::CharBefore(text, text.size()), /*greek=*/false)) {
    case speech::EndMark::kQuestion:
    case speech::EndMark::kWideQuestion:
      return speech::SpeechEnding::kQuestion;
    case speech::EndMark::kExclamation:
    case speech::EndMark::kWideExclamation:
      return speech::SpeechEnding::kExclamation;
    case speech::EndMark::kNone:
      return speech::SpeechEnding::kClause;
    default:
      return speech::SpeechEnding::kStatement;
  }
}

}  // namespace

absl::Status CheckFormat(const sv1::SoundFormat& format) {
  if (format.rate_hz() < kLeastRate_hz || format.rate_hz() > kMostRate_hz) {
    return absl::InvalidArgumentError(absl::StrCat("begin.sound.rate_hz: ", format.rate_hz(), ", ",
                                                   kLeastRate_hz, " to ", kMostRate_hz,
                                                   " are right"));
  }
  if (format.channels() <= kMostChannels) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("begin.sound.channels: ", format.channels(), ", ",
                                                 "1 to ", kMostChannels, " are right"));
}

absl::StatusOr<speech::SayItem> ReadSound(const sv1::SaySound& sound,
                                          const sv1::SoundFormat& format,
                                          absl::string_view language) {
  const size_t channels = std::max(1u, format.channels());
  if (sound.samples().size() % (2 * channels) != 0) {
    return absl::InvalidArgumentError(absl::StrCat("sound.samples: ", sound.samples().size(),
                                                   " bytes, a multiple of ", 2 * channels,
                                                   " is right"));
  }
  speech::SayItem item;
  item.ends_clause = sound.ends_clause();
  item.piece.text = CleanLine(sound.text());
  item.piece.ending = EndingOf(item.piece.text, item.ends_clause);
  speech::SpeechPart& part = item.sound.emplace();
  part.rate_hz = static_cast<int>(format.rate_hz());
  part.samples = Mix(sound.samples(), channels);
  part.phone_set = speech::PhoneSet::kIpa;
  const double length_s = static_cast<double>(part.samples.size()) / part.rate_hz;
  double last_s = -kMostOutside_s;
  for (int i = 0; i < sound.words_size(); ++i) {
    speech::Word word;
    absl::Status s =
        PlaceIn(length_s, "words", i, sound.words(i), last_s, word.start_s, word.end_s);
    if (!s.ok()) return s;
    word.text = speech::ToLowerUtf8(sound.words(i).text());
    word.beat_s = (word.start_s + word.end_s) / 2;
    word.accented = !speech::IsFunctionWord(
        language.empty() ? "en" : speech::PrimaryLanguage(language), word.text);
    if (item.piece.text.empty() || sound.text().empty()) {
      absl::StrAppend(&item.piece.text, item.piece.text.empty() ? "" : " ", sound.words(i).text());
    }
    part.words.push_back(std::move(word));
  }
  last_s = -kMostOutside_s;
  for (int i = 0; i < sound.phonemes_size(); ++i) {
    speech::Phoneme phoneme;
    absl::Status s =
        PlaceIn(length_s, "phonemes", i, sound.phonemes(i), last_s, phoneme.start_s, phoneme.end_s);
    if (!s.ok()) return s;
    // Where two overlap, the later one counts.
    if (!part.phonemes.empty()) {
      part.phonemes.back().end_s = std::min(part.phonemes.back().end_s, phoneme.start_s);
    }
    phoneme.phone = sound.phonemes(i).phone();
    part.phonemes.push_back(std::move(phoneme));
  }
  return item;
}

}  // namespace posewire::a2f_source
