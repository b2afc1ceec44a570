// Whatever an .offsets file holds, reading it ends in chunks whose frames are finite, or in a
// refusal that says why, within the limits. Checksums are put right too, since a fuzzer would
// hardly get past them. Other input is a chunk without its file: method, points, frames less one,
// and its bytes. Films end where ffmpeg would be started: there is none here, so that what is tried
// is our own (tests/unit/offsets/carried_methods_test.cc damages films). A libFuzzer target in the
// fuzz preset; elsewhere its corpus is replayed as a test.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "libs/offsets/deflate.h"
#include "libs/offsets/offsets_file.h"

namespace offsets = posewire::offsets;

namespace {

void Check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

template <typename T>
T At(const std::string& bytes, size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Writes the checksums that the index asks for, where it can be followed.
void MendChecksums(std::string& bytes) {
  constexpr size_t kHead = 68, kPlace = 20;
  if (bytes.size() < kHead + 4) return;
  const size_t chunks = At<uint32_t>(bytes, 36);
  if ((bytes.size() - kHead - 4) / kPlace < chunks) return;
  for (size_t c = 0; c < chunks; ++c) {
    const size_t place = kHead + c * kPlace;
    const auto offset = At<uint64_t>(bytes, place);
    const size_t stored = At<uint32_t>(bytes, place + 8);
    if (offset > bytes.size() || stored > bytes.size() - offset) continue;
    const uint32_t crc = offsets::Crc32(absl::string_view(bytes).substr(offset, stored));
    std::memcpy(&bytes[place + 16], &crc, 4);
  }
  const size_t summed = kHead + chunks * kPlace;
  const uint32_t crc = offsets::Crc32(absl::string_view(bytes).substr(0, summed));
  std::memcpy(&bytes[summed], &crc, 4);
}

void Frames(const absl::StatusOr<std::unique_ptr<offsets::Chunk>>& chunk, size_t points,
            size_t frames) {
  if (!chunk.ok()) {
    Check(chunk.status().message().size() > 10, "a refused chunk says why");
    return;
  }
  std::vector<posewire::skel::Vec3> out(points);
  for (const size_t frame : {size_t{0}, frames / 2, frames - 1}) {
    (*chunk)->Frame(frame, absl::MakeSpan(out));
    for (const auto& o : out) {
      Check(std::isfinite(o.x) && std::isfinite(o.y) && std::isfinite(o.z), "offsets are finite");
    }
  }
}

void Read(const std::string& bytes) {
  offsets::FileLimits limits;
  limits.points = 1 << 12;
  limits.chunk_bytes = 1 << 20;
  const auto file = offsets::OffsetsFile::Parse(bytes, limits);
  if (!file.ok()) {
    Check(file.status().message().size() > 10, "a refusal says why");
    return;
  }
  // In pieces, as streaming reads it, it is the same file.
  const absl::string_view head = absl::string_view(bytes).substr(0, offsets::FileIndex::kHeadBytes);
  const auto size = offsets::FileIndex::BytesToRead(head, bytes.size(), limits);
  Check(size.ok() && *size <= bytes.size(), "the head says how long the index is");
  const auto index =
      offsets::FileIndex::Parse(absl::string_view(bytes).substr(0, *size), bytes.size(), limits);
  Check(index.ok() && index->chunks() == file->chunks(), "the index is enough to find chunks");
  for (size_t c = 0; c < file->chunks(); ++c) {
    const auto chunk = index->Open(
        c, absl::string_view(bytes).substr(index->place(c).offset, index->place(c).stored));
    Check(chunk.ok() == file->Open(c).ok(), "a chunk alone is as good as in its file");
    if (chunk.ok()) {
      Check((*chunk)->held_bytes() <= index->OpenBytes(c), "memory is foreseen");
    }
    Frames(file->Open(c), file->header().points, file->chunk_frames(c));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool hidden = setenv("PATH", "/nowhere", 1) == 0;
  Check(hidden, "ffmpeg is out of sight");
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size > 3 && data[0] < offsets::Methods().size()) {
    const size_t points = data[1], frames = data[2] + size_t{1};
    Frames(offsets::Methods()[data[0]].open(absl::string_view(bytes).substr(3), points, frames),
           points, frames);
    return 0;
  }
  Read(bytes);
  MendChecksums(bytes);
  Read(bytes);
  return 0;
}
