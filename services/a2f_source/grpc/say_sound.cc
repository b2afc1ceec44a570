#include "services/a2f_source/grpc/say_sound.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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
// How far times may be outside the audio: a client may round them, or trim silence.
constexpr double kMostOutside_s = 0.25;

constexpr int kMostTextBytes = 4096, kMostWords = 1000, kMostPhonemes = 10000, kMostNameBytes = 64;

// Limits on one message: a clause or a few, since it is planned as a whole.
absl::Status CheckSizes(const sv1::SaySound& sound) {
  absl::Status status;
  const auto check = [&](absl::string_view field, size_t size, int most) {
    if (size <= static_cast<size_t>(most)) return;
    status.Update(absl::InvalidArgumentError(
        absl::StrCat("sound.", field, ": ", size, ", at most ", most, " are right")));
  };
  check("text", sound.text().size(), kMostTextBytes);
  check("words", static_cast<size_t>(sound.words_size()), kMostWords);
  check("phonemes", static_cast<size_t>(sound.phonemes_size()), kMostPhonemes);
  for (const sv1::SayWord& word : sound.words()) {
    check("words.text", word.text().size(), kMostNameBytes);
  }
  for (const sv1::SayPhoneme& phoneme : sound.phonemes()) {
    check("phonemes.phone", phoneme.phone().size(), kMostNameBytes);
  }
  return status;
}

// Returns mono samples from interleaved ones, 16 bit, little-endian.
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

// Checks the times of a word or phoneme, and limits them to the audio. `last_s` is the start of the
// previous one, and is set to that of this one.
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
    return absl::InvalidArgumentError(
        absl::StrCat("sound.", field, "[", index, "]: starts at ", start_s, " s, ", last_s,
                     " s, where the one before it starts, or later is "
                     "right"));
  }
  last_s = start_s;
  start_s = std::clamp(start_s, 0.0, length_s);
  end_s = std::clamp(end_s, start_s, length_s);
  return absl::OkStatus();
}

// Returns the text on one line, without markup and other characters that are not spoken.
std::string CleanLine(absl::string_view text) {
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
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// Returns a word as a voice reports it: in lower case, without the punctuation around it.
std::string PlainWord(absl::string_view text) {
  size_t begin = text.size(), end = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    const auto c = speech::DecodeUtf8(text, at);
    if (!c) at = from + 1;
    if (!c || !(speech::IsWordChar(*c) || (end > 0 && speech::IsMark(*c)))) continue;
    begin = std::min(begin, from);
    end = at;
  }
  return end == 0 ? "" : speech::ToLowerUtf8(text.substr(begin, end - begin));
}

// Joins the words to a text.
std::string TextOf(const google::protobuf::RepeatedPtrField<sv1::SayWord>& words) {
  std::string text;
  for (const sv1::SayWord& word : words) {
    absl::StrAppend(&text, text.empty() ? "" : " ", word.text());
  }
  return text;
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
  return absl::InvalidArgumentError(absl::StrCat("begin.sound.channels: ", format.channels(),
                                                 ", 1 to ", kMostChannels, " are right"));
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
  if (absl::Status s = CheckSizes(sound); !s.ok()) return s;
  speech::SayItem item;
  item.ends_clause = sound.ends_clause();
  item.piece.text = CleanLine(sound.text().empty() ? TextOf(sound.words()) : sound.text());
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
    word.text = PlainWord(sound.words(i).text());
    if (word.text.empty()) continue;
    word.beat_s = (word.start_s + word.end_s) / 2;
    word.accented = !speech::IsFunctionWord(
        language.empty() ? "en" : speech::PrimaryLanguage(language), word.text);
    part.words.push_back(std::move(word));
  }
  last_s = -kMostOutside_s;
  for (int i = 0; i < sound.phonemes_size(); ++i) {
    speech::Phoneme phoneme;
    absl::Status s =
        PlaceIn(length_s, "phonemes", i, sound.phonemes(i), last_s, phoneme.start_s, phoneme.end_s);
    if (!s.ok()) return s;
    if (!part.phonemes.empty()) {
      part.phonemes.back().end_s = std::min(part.phonemes.back().end_s, phoneme.start_s);
    }
    phoneme.phone = sound.phonemes(i).phone();
    part.phonemes.push_back(std::move(phoneme));
  }
  return item;
}

}  // namespace posewire::a2f_source
