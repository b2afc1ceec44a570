// Things that happen where they stand in a text: gestures, expressions, emotions, pauses, changes
// of language. In a text they are tags, which whoever writes it can write along with the words:
//
//   <gesture name="wave"/>  <expression name="wink"/>  <emotion name="joy" strength="0.8"/>
//   <break time="500ms"/>   <lang xml:lang="es">Buenos días.</lang>
//
// The last two are SSML's.
#ifndef POSEWIRE_LIBS_SPEECH_TEXT_MARK_H_
#define POSEWIRE_LIBS_SPEECH_TEXT_MARK_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::speech {

struct TextMark {
  enum Kind { kGesture, kExpression, kEmotion, kPause, kLanguage };
  Kind kind = kGesture;
  // Of the gesture, expression or emotion, or a BCP 47 tag; an empty language is that of before.
  std::string name = {};
  double value = 1;  // strength of an emotion, 0 to 1; seconds of a pause, 0 to 10
};

struct PlacedMark {
  size_t at = 0;  // bytes of the text before it
  TextMark mark;
};

// What a tag, from '<' to '>', means; nothing for one that is not ours. INVALID_ARGUMENT for one of
// ours with a wrong or missing value.
absl::StatusOr<std::optional<TextMark>> ParseMarkTag(absl::string_view tag);

// The tag of a mark. INVALID_ARGUMENT for a name that is empty, longer than 128 bytes or cannot
// stand in a tag, and for a value out of range.
absl::StatusOr<std::string> TagOf(const TextMark& mark);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_TEXT_MARK_H_
