#include "libs/speech/speech_text.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "libs/speech/text_cleaner.h"
#include "libs/speech/unicode_text.h"

namespace posewire::speech {

absl::Status NotUtf8(absl::string_view utf8, size_t at) {
  return absl::InvalidArgumentError(
      absl::StrFormat("text: byte %d (0x%02X) is not UTF-8", at, static_cast<uint8_t>(utf8[at])));
}

absl::StatusOr<SpokenText> CleanSpeechText(absl::string_view utf8) {
  if (utf8.size() > kMaxSpeechTextBytes) {
    return absl::InvalidArgumentError(absl::StrFormat("text: %d bytes, at most %d can be spoken",
                                                      utf8.size(), kMaxSpeechTextBytes));
  }
  for (size_t at = 0; at < utf8.size();) {
    if (!DecodeUtf8(utf8, at)) return NotUtf8(utf8, at);
  }
  TextCleaner cleaner;
  SpokenText out;
  out.text = cleaner.Add(utf8);
  out.text += cleaner.Flush();
  if (!cleaner.has_words()) {
    return absl::InvalidArgumentError(
        utf8.empty() ? "text: empty, at least one word is needed"
                     : "text: nothing in it can be spoken, at least one letter or digit is needed");
  }
  out.notes = cleaner.notes();
  return out;
}

}  // namespace posewire::speech
