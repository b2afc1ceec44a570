// Determines which parts of a recording need not be read, from its index.
#ifndef POSEWIRE_LIBS_RECORDING_CLIP_INDEX_H_
#define POSEWIRE_LIBS_RECORDING_CLIP_INDEX_H_

#include <cstdint>
#include <vector>

#include "libs/recording/chunk_record.h"

namespace posewire::recording {

struct SkippedBytes {
  int64_t from = 0, to = 0;
  int64_t messages = 0;
};

// Returns true if the columns have equal lengths and the chunks together cover the first `bytes` of
// a file. An index that was copied into another file does not.
bool CoversAll(const ClipIndex& index, int64_t bytes);

// Returns the chunks that do not affect the time from `from_s` to `to_s`. A chunk before it is
// skipped if each of its tracks, and its sound, has a key in a later chunk that is also before it.
// A chunk after it is skipped if each of its tracks has a key after it in an earlier chunk. So each
// track keeps the last key before the span, however old, and the first key after it. Chunks with
// messages without time codes are kept. `index` must satisfy CoversAll.
std::vector<SkippedBytes> NotNeeded(const ClipIndex& index, double from_s, double to_s);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_CLIP_INDEX_H_
