#include "libs/offsets/file_index.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/offsets/bytes.h"
#include "libs/offsets/deflate.h"
#include "libs/offsets/file_layout.h"

namespace posewire::offsets {
namespace {

// Memory of zlib and small objects while a chunk is opened.
constexpr size_t kOpening = size_t{128} << 10;

struct Head {
  OffsetsHeader header;
  uint32_t chunks = 0;
};

absl::StatusOr<Head> ParseHead(ByteReader& in, uint64_t file_bytes, const FileLimits& limits) {
  if (in.Bytes(kMagic.size()) != kMagic) {
    return absl::InvalidArgumentError(
        absl::StrCat("not an .offsets file: it does not start with ", kMagic));
  }
  const auto version = in.Get<uint32_t>(), method = in.Get<uint32_t>();
  if (in.ok() && version == 1) {
    return absl::UnimplementedError(
        "version 1, whose offsets are from joints alone; this reader knows version 2, whose are "
        "from joints and shapes: bake it again");
  }
  Head out;
  OffsetsHeader& h = out.header;
  h.points = in.Get<uint32_t>();
  h.frames = in.Get<uint32_t>();
  const auto chunk_frames = in.Get<uint32_t>();
  h.rate_num = in.Get<uint32_t>();
  h.rate_den = in.Get<uint32_t>();
  out.chunks = in.Get<uint32_t>();
  const auto content = in.Get<uint32_t>();
  h.mesh_hash = in.Get<uint64_t>();
  h.clip_hash = in.Get<uint64_t>();
  h.shapes_hash = in.Get<uint64_t>();
  if (!in.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "file has ", file_bytes, " bytes, expected a header of ", FileIndex::kHeadBytes));
  }
  if (version != kVersion || method >= Methods().size() ||
      content > static_cast<uint32_t>(Content::kShapes)) {
    return absl::UnimplementedError(
        absl::StrCat("version ", version, ", method ", method, ", content ", content,
                     ": this reader knows version ", kVersion, ", methods below ", Methods().size(),
                     " and contents below 2"));
  }
  h.method = static_cast<Method>(method);
  h.content = static_cast<Content>(content);
  if (h.points > limits.points || h.frames > limits.frames) {
    return absl::ResourceExhaustedError(absl::StrCat(h.points, " points and ", h.frames,
                                                     " frames, expected at most ", limits.points,
                                                     " and ", limits.frames));
  }
  if (h.points == 0 || h.frames == 0 || h.rate_num == 0 || h.rate_den == 0 ||
      chunk_frames != kChunkFrames || out.chunks != ChunksFor(h.frames) ||
      file_bytes < FirstChunkAt(out.chunks)) {
    return absl::InvalidArgumentError(
        absl::StrCat("header says ", h.points, " points, ", h.frames, " frames at ", h.rate_num,
                     "/", h.rate_den, " a second, ", out.chunks, " chunks of ", chunk_frames,
                     " frames in ", file_bytes, " bytes, which do not fit together"));
  }
  return out;
}

}  // namespace

absl::StatusOr<size_t> FileIndex::BytesToRead(absl::string_view head, uint64_t file_bytes,
                                              const FileLimits& limits) {
  ByteReader in(head);
  const auto parsed = ParseHead(in, file_bytes, limits);
  if (!parsed.ok()) return parsed.status();
  return FirstChunkAt(parsed->chunks);
}

absl::StatusOr<FileIndex> FileIndex::Parse(absl::string_view bytes, uint64_t file_bytes,
                                           const FileLimits& limits) {
  ByteReader in(bytes);
  const auto head = ParseHead(in, file_bytes, limits);
  if (!head.ok()) return head.status();
  const size_t first = FirstChunkAt(head->chunks), summed = first - kSumBytes;
  if (bytes.size() < first) {
    return absl::InvalidArgumentError(
        absl::StrCat(bytes.size(), " bytes of header and index, expected ", first));
  }
  FileIndex out;
  out.header_ = head->header;
  out.places_.reserve(head->chunks);
  uint64_t next = first;
  for (uint32_t c = 0; c < head->chunks; ++c) {
    ChunkPlace place;
    place.offset = in.Get<uint64_t>();
    place.stored = in.Get<uint32_t>();
    place.raw = in.Get<uint32_t>();
    place.crc = in.Get<uint32_t>();
    if (place.raw > limits.chunk_bytes) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "chunk ", c, " has ", place.raw, " bytes, expected at most ", limits.chunk_bytes));
    }
    if (place.offset != next || place.stored > file_bytes - next || place.stored > place.raw) {
      return absl::InvalidArgumentError(absl::StrCat("chunk ", c, " has ", place.stored, " bytes (",
                                                     place.raw, " inflated) at ", place.offset,
                                                     ", expected at ", next, " of ", file_bytes));
    }
    next += place.stored;
    out.places_.push_back(place);
  }
  if (in.Get<uint32_t>() != Crc32(bytes.substr(0, summed))) {
    return absl::DataLossError("the checksum of header and index is wrong");
  }
  if (next != file_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("file has ", file_bytes, " bytes, expected ", next));
  }
  return out;
}

size_t FileIndex::chunk_frames(size_t chunk) const {
  return std::min(kChunkFrames, header_.frames - chunk * kChunkFrames);
}

absl::Status FileIndex::Check(uint64_t mesh_hash, uint64_t clip_hash) const {
  const auto other = [](absl::string_view what, uint64_t expected, uint64_t has) -> absl::Status {
    if (expected == 0 || has == 0 || expected == has) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat("the offsets are of another ", what, ": its hash is ", absl::Hex(expected),
                     ", and theirs ", absl::Hex(has), "; bake them again"));
  };
  if (absl::Status s = other("mesh", mesh_hash, header_.mesh_hash); !s.ok()) return s;
  return other("clip", clip_hash, header_.clip_hash);
}

absl::StatusOr<std::unique_ptr<Chunk>> FileIndex::Open(size_t chunk,
                                                       absl::string_view stored) const {
  const ChunkPlace& place = places_[chunk];
  const auto named = [&](const absl::Status& s) {
    return absl::Status(s.code(), absl::StrCat("chunk ", chunk, ": ", s.message()));
  };
  if (stored.size() != place.stored) {
    return named(absl::DataLossError(
        absl::StrCat("it has ", stored.size(), " bytes, expected ", place.stored)));
  }
  if (Crc32(stored) != place.crc) return named(absl::DataLossError("its checksum is wrong"));
  std::string inflated;
  if (place.stored != place.raw) {
    auto got = Inflate(stored, place.raw);
    if (!got.ok()) return named(got.status());
    inflated = *std::move(got);
    stored = inflated;
  }
  auto out = Methods()[static_cast<size_t>(header_.method)].open(stored, header_.points,
                                                                 chunk_frames(chunk));
  if (!out.ok()) return named(out.status());
  return out;
}

size_t FileIndex::OpenBytes(size_t chunk) const {
  const size_t raw = places_[chunk].raw;
  return raw + kOpening +
         Methods()[static_cast<size_t>(header_.method)].open_bytes(raw, header_.points,
                                                                   chunk_frames(chunk));
}

}  // namespace posewire::offsets
