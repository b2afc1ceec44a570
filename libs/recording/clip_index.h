// Which parts of a recording need not be read, by its index.
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

// Whether the columns are of one length, and the chunks together the first `bytes` of a file. What
// was copied into another file is no index of that.
bool CoversAll(const ClipIndex& index, int64_t bytes);

// What says nothing of the time from `from_s` to `to_s`: chunks before it whose every track, and
// sound, has a key in a later chunk before it too; and chunks behind it whose every track had a key
// behind it before. So of each track the key before the span stays, however old it is, and the one
// behind it. Chunks with messages without codes stay. Of an index that CoversAll.
std::vector<SkippedBytes> NotNeeded(const ClipIndex& index, double from_s, double to_s);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_CLIP_INDEX_H_
