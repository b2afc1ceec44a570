// Protobuf's text form as people write it, with all that is wrong at once and where it stands.
//
// Protobuf's reader ends at the first error, but passes over names that it does not know when told
// to, and says so. What ends it is noted, its line blanked, and the text read again; a line that
// opens or closes something cannot be blanked, and then that was the last error.
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

// Reads `text` into `out`; `tree` is told where its parts stand. INVALID_ARGUMENT lists what is
// wrong, "FILE:LINE:COLUMN: ..." a line each ("LINE:COLUMN: " where `file` is empty). Nests at most
// 100 deep.
absl::Status ReadText(absl::string_view text, const std::string& file,
                      google::protobuf::Message* out,
                      google::protobuf::TextFormat::ParseInfoTree* tree);

}  // namespace posewire::prototext

#endif  // POSEWIRE_LIBS_PROTOTEXT_READ_TEXT_H_
