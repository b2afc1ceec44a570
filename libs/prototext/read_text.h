// Parses protobuf text format and reports all errors at once, each with its position.
//
// Protobuf's parser stops at the first error, except for unknown fields, which it can skip with a
// warning. After an error, ReadText blanks the line and parses the text again, up to 20 times. A
// line with unbalanced brackets or quotes cannot be blanked, so its error is the last one reported.
#ifndef POSEWIRE_LIBS_PROTOTEXT_READ_TEXT_H_
#define POSEWIRE_LIBS_PROTOTEXT_READ_TEXT_H_

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::prototext {

// Errors that are listed at most.
inline constexpr size_t kMostErrors = 100;

// Parses `text` into `out`, and writes the positions of its fields to `tree`. INVALID_ARGUMENT
// lists the errors, one per line: "FILE:LINE:COLUMN: ...", or "LINE:COLUMN: ..." if `file` is
// empty. Messages may be nested at most 100 deep.
absl::Status ReadText(absl::string_view text, const std::string& file,
                      google::protobuf::Message* out,
                      google::protobuf::TextFormat::ParseInfoTree* tree);

}  // namespace posewire::prototext

#endif  // POSEWIRE_LIBS_PROTOTEXT_READ_TEXT_H_
