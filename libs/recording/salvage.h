// Finds what is whole of a damaged .animdata file.
#ifndef POSEWIRE_LIBS_RECORDING_SALVAGE_H_
#define POSEWIRE_LIBS_RECORDING_SALVAGE_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/files/byte_source.h"

namespace posewire::recording {

struct SalvageVisitor {
  // A message, which takes the file's bytes from `start` to `end`; its error ends the work.
  absl::FunctionRef<absl::Status(absl::string_view message, int64_t start, int64_t end)> take;
  // Bytes that are no message as it was written.
  absl::FunctionRef<void(int64_t start, int64_t end)> lose;
};

// Visits the file from its first byte to its last. Records (libs/recording/chunk_record.h) are met
// from message to message by their lengths; where that does not lead to one that lists just these,
// the next is looked for by its mark, wherever it stands. The messages that one lists are taken
// when they have their checksums. A header that does not is taken from its record, which has it
// once more. What no record lists (an old file, or the end of one that was not finished) is read
// message by message, as far as that goes; of these, empty ones are left out, as they say nothing
// and a hole of zeros looks like many of them. One byte that is wrong costs no more than the
// message that it is in.
//
// Reads the file up to three times. Errors are those of the source, which must have a size, and of
// `take`.
absl::Status Salvage(files::ByteSource& source, const SalvageVisitor& visitor);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_SALVAGE_H_
