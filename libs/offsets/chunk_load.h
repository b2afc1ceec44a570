// A task of a worker: reads a file's index, or reads and decodes a chunk.
#ifndef POSEWIRE_LIBS_OFFSETS_CHUNK_LOAD_H_
#define POSEWIRE_LIBS_OFFSETS_CHUNK_LOAD_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "libs/files/byte_source.h"
#include "libs/offsets/file_index.h"

namespace posewire::offsets {

// A scheduler's state of a chunk.
struct ChunkState {
  int slot = -1;          // slot with the decoded chunk; -1: none
  bool loading = false;   // a worker is loading it
  uint16_t failures = 0;  // consecutive ones
  double retry_s = 0;     // earliest time of the next attempt
};

// An opened file: its index, and a scheduler's state of its chunks.
struct OpenedFile {
  FileIndex index;
  std::vector<ChunkState> chunks;

  size_t held_bytes() const {
    return sizeof *this + index.held_bytes() + chunks.capacity() * sizeof(ChunkState);
  }
};

// Expected properties of a clip's file. A hash of 0 matches any.
struct ExpectedFile {
  uint32_t points = 0;
  uint64_t mesh_hash = 0, clip_hash = 0;
};

// A scheduler owns it and fills in all but the result; a worker owns it from Next to Done.
struct ChunkLoad {
  int clip = -1;
  int slot = -1;     // slot reserved for the chunk
  size_t chunk = 0;  // index in `file`
  std::shared_ptr<files::ByteSource> source;
  std::shared_ptr<const OpenedFile> file;  // null: the index must be read
  ExpectedFile expected;
  FileLimits limits;
  // Evicted chunks. The worker frees them before it allocates.
  std::vector<std::unique_ptr<Chunk>> discards;
  size_t reserved_bytes = 0;  // share of the budget, until this is done

  absl::Status status;
  std::unique_ptr<Chunk> decoded;
  std::shared_ptr<OpenedFile> opened;

  // Frees, reads, checks and decodes; blocks while the source does. Releases `source` and `file`.
  // Sets `status`, and if that is OK one of `decoded` and `opened`. DATA_LOSS for a wrong checksum
  // or missing bytes; FAILED_PRECONDITION for a file of another mesh, clip or number of points.
  void Run();
};

// Upper bound of the memory for an index, while it is read and after.
size_t MostIndexBytes(const FileLimits& limits);
// The same for a chunk: the bytes read, and OpenBytes.
size_t MostChunkBytes(const FileIndex& index, size_t chunk);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_CHUNK_LOAD_H_
