// Recovers the whole messages of a damaged .animdata file.
#ifndef POSEWIRE_LIBS_RECORDING_SALVAGE_H_
#define POSEWIRE_LIBS_RECORDING_SALVAGE_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/files/byte_source.h"

namespace posewire::recording {

struct SalvageVisitor {
  // Called for a message at the file's bytes `start` to `end`. An error stops the scan.
  absl::FunctionRef<absl::Status(absl::string_view message, int64_t start, int64_t end)> take;
  // Called for bytes that are not an intact message.
  absl::FunctionRef<void(int64_t start, int64_t end)> lose;
};

// Visits the file from its first byte to its last. Follows the lengths from message to message up
// to the next record (libs/recording/chunk_record.h). If that does not lead to a record that lists
// exactly these messages, searches for the next record by its mark.
//
// Takes the messages that a record lists if their checksums match. A damaged header is taken from
// its record, which has a copy. Messages that no record lists (an old file, or the end of an
// unfinished one) are read one by one as far as possible; empty ones are skipped, because they have
// no content and a run of zeros looks like many of them. One wrong byte costs at most its message.
//
// Reads the file up to three times. Errors are those of the source, which must have a size, and of
// `take`.
absl::Status Salvage(files::ByteSource& source, const SalvageVisitor& visitor);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_SALVAGE_H_
