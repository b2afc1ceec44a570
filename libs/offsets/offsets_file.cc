#include "libs/offsets/offsets_file.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/offsets/bytes.h"
#include "libs/offsets/deflate.h"
#include "libs/offsets/file_layout.h"

namespace posewire::offsets {
namespace {

constexpr float kMost_m = 1000;

absl::Status CheckInput(const OffsetsHeader& h, const Settings& s,
                        absl::Span<const skel::Vec3> values) {
  if (h.points == 0 || h.frames == 0 || h.rate_num == 0 || h.rate_den == 0 ||
      values.size() / h.points != h.frames || values.size() % h.points != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        values.size(), " offsets for ", h.points, " points, ", h.frames, " frames at ", h.rate_num,
        "/", h.rate_den, " a second, expected one for each of at least one"));
  }
  if (!(s.variance > 0 && s.variance <= 1 && s.tolerance_m >= 1e-6 && s.tolerance_m <= 1 &&
        s.clusters >= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("variance is ", s.variance, ", tolerance_m ", s.tolerance_m, " and clusters ",
                     s.clusters, ", expected above 0 and at most 1, 1e-6 to 1, and at least 1"));
  }
  if (s.quality < 1 || s.quality > 100 || s.crf < 0 || s.crf > 51) {
    return absl::InvalidArgumentError(absl::StrCat("quality is ", s.quality, " and crf ", s.crf,
                                                   ", expected 1 to 100, and 0 to 51"));
  }
  if (!s.uv.empty() && s.uv.size() != h.points) {
    return absl::InvalidArgumentError(absl::StrCat(s.uv.size(), " texture coordinates for ",
                                                   h.points, " points, expected one for each"));
  }
  for (size_t i = 0; i < s.uv.size(); ++i) {
    if (std::isfinite(s.uv[i][0]) && std::isfinite(s.uv[i][1])) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("texture coordinates of point ", i, " are not two finite numbers"));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const auto fits = [](float x) { return std::fabs(x) <= kMost_m; };
    if (fits(values[i].x) && fits(values[i].y) && fits(values[i].z)) continue;
    return absl::InvalidArgumentError(absl::StrCat("offset of point ", i % h.points, " in frame ",
                                                   i / h.points,
                                                   " is not three numbers of at most 1000 m"));
  }
  return absl::OkStatus();
}

}  // namespace

uint64_t ContentHash(absl::string_view bytes, uint64_t seed) {
  uint64_t hash = seed;
  for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211ull;
  return hash;
}

absl::StatusOr<std::string> WriteOffsets(const OffsetsHeader& header, const Settings& settings,
                                         absl::Span<const skel::Vec3> values) {
  if (absl::Status s = CheckInput(header, settings, values); !s.ok()) return s;
  const MethodEntry& method = Methods()[static_cast<size_t>(header.method)];
  const size_t chunks = ChunksFor(header.frames);
  ByteWriter out, body;
  out.Bytes(kMagic);
  for (const uint32_t word :
       {kVersion, static_cast<uint32_t>(header.method), header.points, header.frames,
        static_cast<uint32_t>(kChunkFrames), header.rate_num, header.rate_den,
        static_cast<uint32_t>(chunks), static_cast<uint32_t>(header.content)}) {
    out.Put(word);
  }
  out.Put(header.mesh_hash);
  out.Put(header.clip_hash);
  out.Put(header.shapes_hash);
  const size_t body_at = FirstChunkAt(chunks);
  for (size_t c = 0; c < chunks; ++c) {
    const size_t first = c * kChunkFrames;
    const size_t frames = std::min(kChunkFrames, header.frames - first);
    const auto raw = method.encode(
        {header.points, values.subspan(first * header.points, frames * header.points)}, settings);
    if (!raw.ok()) return raw.status();
    const std::string deflated = Deflate(*raw);
    const std::string& stored = deflated.size() < raw->size() ? deflated : *raw;
    if (raw->size() > UINT32_MAX) {
      return absl::InvalidArgumentError(
          absl::StrCat("chunk ", c, " has ", raw->size(), " bytes, expected less than 4 GiB"));
    }
    out.Put(static_cast<uint64_t>(body_at + body.bytes().size()));
    out.Put(static_cast<uint32_t>(stored.size()));
    out.Put(static_cast<uint32_t>(raw->size()));
    out.Put(Crc32(stored));
    body.Bytes(stored);
  }
  out.Put(Crc32(out.bytes()));
  return absl::StrCat(out.bytes(), body.bytes());
}

absl::StatusOr<OffsetsFile> OffsetsFile::Parse(std::string bytes, const FileLimits& limits) {
  auto index = FileIndex::Parse(bytes, bytes.size(), limits);
  if (!index.ok()) return index.status();
  OffsetsFile file;
  file.index_ = *std::move(index);
  file.bytes_ = std::move(bytes);
  return file;
}

absl::StatusOr<std::unique_ptr<Chunk>> OffsetsFile::Open(size_t chunk) const {
  const ChunkPlace& place = index_.place(chunk);
  return index_.Open(chunk, absl::string_view(bytes_).substr(place.offset, place.stored));
}

}  // namespace posewire::offsets
