#include "libs/offsets/chunk_load.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/offsets/file_layout.h"

namespace posewire::offsets {
namespace {

// Memory of sources, messages and small objects while a load runs.
constexpr size_t kAround = size_t{64} << 10;

absl::StatusOr<std::string> ReadWhole(files::ByteSource& source, uint64_t offset, size_t size) {
  auto bytes = files::ReadBytes(source, static_cast<int64_t>(offset), size);
  if (bytes.ok() && bytes->size() != size) {
    return absl::DataLossError(absl::StrCat("got ", bytes->size(), " bytes at ", offset,
                                            " of a file of ", source.Size(), ", expected ", size));
  }
  return bytes;
}

absl::StatusOr<std::shared_ptr<OpenedFile>> OpenIndex(files::ByteSource& source,
                                                      const ExpectedFile& expected,
                                                      const FileLimits& limits) {
  const auto head = ReadWhole(source, 0, FileIndex::kHeadBytes);
  if (!head.ok()) return head.status();
  const auto size = FileIndex::BytesToRead(*head, static_cast<uint64_t>(source.Size()), limits);
  if (!size.ok()) return size.status();
  const auto whole = ReadWhole(source, 0, *size);
  if (!whole.ok()) return whole.status();
  auto index = FileIndex::Parse(*whole, static_cast<uint64_t>(source.Size()), limits);
  if (!index.ok()) return index.status();
  if (index->header().points != expected.points) {
    return absl::FailedPreconditionError(absl::StrCat("the offsets are of ", index->header().points,
                                                      " points, expected ", expected.points,
                                                      "; bake them again"));
  }
  if (absl::Status s = index->Check(expected.mesh_hash, expected.clip_hash); !s.ok()) return s;
  auto out = std::make_shared<OpenedFile>();
  out->index = *std::move(index);
  out->chunks.resize(out->index.chunks());
  return out;
}

absl::StatusOr<std::unique_ptr<Chunk>> ReadChunk(files::ByteSource& source, const FileIndex& index,
                                                 size_t chunk) {
  const ChunkPlace& place = index.place(chunk);
  const auto piece = ReadWhole(source, place.offset, place.stored);
  if (!piece.ok()) return piece.status();
  return index.Open(chunk, *piece);
}

}  // namespace

void ChunkLoad::Run() {
  for (auto& evicted : discards) evicted.reset();
  status = absl::OkStatus();
  decoded.reset();
  opened.reset();
  if (file == nullptr) {
    auto got = OpenIndex(*source, expected, limits);
    status = got.status();
    if (got.ok()) opened = *std::move(got);
  } else {
    auto got = ReadChunk(*source, file->index, chunk);
    status = got.status();
    if (got.ok()) decoded = *std::move(got);
  }
  source.reset();
  file.reset();
}

size_t MostIndexBytes(const FileLimits& limits) {
  const size_t chunks = ChunksFor(limits.frames);
  return kAround + sizeof(OpenedFile) + FirstChunkAt(chunks) +
         chunks * (sizeof(ChunkPlace) + sizeof(ChunkState));
}

size_t MostChunkBytes(const FileIndex& index, size_t chunk) {
  return kAround + index.place(chunk).stored + index.OpenBytes(chunk);
}

}  // namespace posewire::offsets
