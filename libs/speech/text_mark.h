// Marks: events at a position in a text, such as a gesture, an expression, an emotion, a pause or a
// change of language. They are written in the text as tags:
//
//   <gesture name="wave"/>  <expression name="wink"/>  <emotion name="joy" strength="0.8"/>
//   <break time="500ms"/>   <lang xml:lang="es">Buenos días.</lang>
//
// The last two are tags of SSML 1.1.
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
  // Names the gesture, expression or emotion, in 1 to 128 bytes of UTF-8; or the language, as BCP
  // 47, where empty means that of the whole text. Not used by a pause.
  std::string name = {};
  double value = 1;  // strength of an emotion, 0 to 1; length of a pause, 0 to 10 s
};

// A mark and its place in a text.
struct PlacedMark {
  size_t at = 0;  // bytes of the text before it
  TextMark mark;
};

// Reads a tag, from '<' to '>'. Returns nothing for a tag that is not a mark, and INVALID_ARGUMENT
// for a mark whose value is missing or wrong.
absl::StatusOr<std::optional<TextMark>> ParseMarkTag(absl::string_view tag);

// Writes a mark as a tag, which ParseMarkTag reads back. INVALID_ARGUMENT for a name that is empty,
// longer than 128 bytes, not UTF-8, or contains a control character or one of <, > and ", and for a
// value out of range.
absl::StatusOr<std::string> TagOf(const TextMark& mark);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_TEXT_MARK_H_
