// One piece of work for a worker: read a file's index, or read and decode a chunk.
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

// What a scheduler knows of a chunk.
struct ChunkState {
  int slot = -1;          // where it is held; -1: it is not
  bool loading = false;   // a worker has it
  uint16_t failures = 0;  // in a row
  double retry_s = 0;     // not before
};

// An opened file: its index, and room for what a scheduler has to know of its chunks.
struct OpenedFile {
  FileIndex index;
  std::vector<ChunkState> chunks;

  size_t held_bytes() const {
    return sizeof *this + index.held_bytes() + chunks.capacity() * sizeof(ChunkState);
  }
};

// What a clip's file has to be. 0 as a hash: any.
struct ExpectedFile {
  uint32_t points = 0;
  uint64_t mesh_hash = 0, clip_hash = 0;
};

// Of a scheduler, which fills in all but the result; of one worker from Next to Done.
struct ChunkLoad {
  int clip = -1;
  int slot = -1;     // where the chunk will be held
  size_t chunk = 0;  // of `file`
  std::shared_ptr<files::ByteSource> source;
  std::shared_ptr<const OpenedFile> file;  // null: the index is to be read
  ExpectedFile expected;
  FileLimits limits;
  // Chunks that were evicted: a worker frees them, before it takes memory itself.
  std::vector<std::unique_ptr<Chunk>> discards;
  size_t reserved_bytes = 0;  // of the budget, until this is done

  absl::Status status;
  std::unique_ptr<Chunk> decoded;
  std::shared_ptr<OpenedFile> opened;

  // Frees, reads, checks and decodes; blocks as the source does. Lets go of `source` and `file`.
  // Sets `status`, and one of `decoded` and `opened` if that is OK. DATA_LOSS for a checksum or
  // bytes that are missing; FAILED_PRECONDITION for a file of another mesh, clip or number of
  // points.
  void Run();
};

// No less than the memory that an index takes while it is read, and after.
size_t MostIndexBytes(const FileLimits& limits);
// The same of a chunk: the bytes that are read, and OpenBytes.
size_t MostChunkBytes(const FileIndex& index, size_t chunk);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_CHUNK_LOAD_H_
