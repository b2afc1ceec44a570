#include "libs/offsets/offsets_file.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/offsets/bytes.h"
#include "libs/offsets/deflate.h"

namespace posewire::offsets {
namespace {

constexpr absl::string_view kMagic = "PWOFFSET";
constexpr uint32_t kVersion = 1;
constexpr size_t kHeadBytes = 60, kPlaceBytes = 20, kSumBytes = 4;
constexpr float kMost_m = 1000;

size_t ChunksFor(size_t frames) { return (frames + kChunkFrames - 1) / kChunkFrames; }

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
  for (const uint32_t word : {kVersion, static_cast<uint32_t>(header.method), header.points,
                              header.frames, static_cast<uint32_t>(kChunkFrames), header.rate_num,
                              header.rate_den, static_cast<uint32_t>(chunks), uint32_t{0}}) {
    out.Put(word);
  }
  out.Put(header.mesh_hash);
  out.Put(header.clip_hash);
  const size_t body_at = kHeadBytes + chunks * kPlaceBytes + kSumBytes;
  for (size_t c = 0; c < chunks; ++c) {
    const size_t first = c * kChunkFrames;
    const size_t frames = std::min(kChunkFrames, header.frames - first);
    const std::string raw = method.encode(
        {header.points, values.subspan(first * header.points, frames * header.points)}, settings);
    const std::string deflated = Deflate(raw);
    const std::string& stored = deflated.size() < raw.size() ? deflated : raw;
    if (raw.size() > UINT32_MAX) {
      return absl::InvalidArgumentError(
          absl::StrCat("chunk ", c, " has ", raw.size(), " bytes, expected less than 4 GiB"));
    }
    out.Put(static_cast<uint64_t>(body_at + body.bytes().size()));
    out.Put(static_cast<uint32_t>(stored.size()));
    out.Put(static_cast<uint32_t>(raw.size()));
    out.Put(Crc32(stored));
    body.Bytes(stored);
  }
  out.Put(Crc32(out.bytes()));
  return absl::StrCat(out.bytes(), body.bytes());
}

absl::StatusOr<OffsetsFile> OffsetsFile::Parse(std::string bytes, const FileLimits& limits) {
  ByteReader in(bytes);
  if (in.Bytes(kMagic.size()) != kMagic) {
    return absl::InvalidArgumentError(
        absl::StrCat("not an .offsets file: it does not start with ", kMagic));
  }
  const auto version = in.Get<uint32_t>(), method = in.Get<uint32_t>();
  OffsetsFile file;
  OffsetsHeader& h = file.header_;
  h.points = in.Get<uint32_t>();
  h.frames = in.Get<uint32_t>();
  const auto chunk_frames = in.Get<uint32_t>();
  h.rate_num = in.Get<uint32_t>();
  h.rate_den = in.Get<uint32_t>();
  const auto chunks = in.Get<uint32_t>();
  in.Get<uint32_t>();
  h.mesh_hash = in.Get<uint64_t>();
  h.clip_hash = in.Get<uint64_t>();
  if (!in.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("file has ", bytes.size(), " bytes, expected a header of ", kHeadBytes));
  }
  if (version != kVersion || method >= Methods().size()) {
    return absl::UnimplementedError(absl::StrCat("version ", version, ", method ", method,
                                                 ": this reader knows version ", kVersion,
                                                 " and methods below ", Methods().size()));
  }
  h.method = static_cast<Method>(method);
  if (h.points > limits.points || h.frames > limits.frames) {
    return absl::ResourceExhaustedError(absl::StrCat(h.points, " points and ", h.frames,
                                                     " frames, expected at most ", limits.points,
                                                     " and ", limits.frames));
  }
  if (h.points == 0 || h.frames == 0 || h.rate_num == 0 || h.rate_den == 0 ||
      chunk_frames != kChunkFrames || chunks != ChunksFor(h.frames) || in.left() < kSumBytes ||
      (in.left() - kSumBytes) / kPlaceBytes < chunks) {
    return absl::InvalidArgumentError(
        absl::StrCat("header says ", h.points, " points, ", h.frames, " frames at ", h.rate_num,
                     "/", h.rate_den, " a second, ", chunks, " chunks of ", chunk_frames,
                     " frames in ", bytes.size(), " bytes, which do not fit together"));
  }
  const size_t summed = kHeadBytes + chunks * kPlaceBytes;
  uint64_t next = summed + kSumBytes;
  for (uint32_t c = 0; c < chunks; ++c) {
    Place place;
    place.offset = in.Get<uint64_t>();
    place.stored = in.Get<uint32_t>();
    place.raw = in.Get<uint32_t>();
    place.crc = in.Get<uint32_t>();
    if (place.raw > limits.chunk_bytes) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "chunk ", c, " has ", place.raw, " bytes, expected at most ", limits.chunk_bytes));
    }
    if (place.offset != next || place.stored > bytes.size() - next || place.stored > place.raw) {
      return absl::InvalidArgumentError(absl::StrCat("chunk ", c, " has ", place.stored, " bytes (",
                                                     place.raw, " inflated) at ", place.offset,
                                                     ", expected at ", next, " of ", bytes.size()));
    }
    next += place.stored;
    file.chunks_.push_back(place);
  }
  if (in.Get<uint32_t>() != Crc32(absl::string_view(bytes).substr(0, summed))) {
    return absl::DataLossError("the checksum of header and index is wrong");
  }
  if (next != bytes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("file has ", bytes.size(), " bytes, expected ", next));
  }
  file.bytes_ = std::move(bytes);
  return file;
}

size_t OffsetsFile::chunk_frames(size_t chunk) const {
  return std::min(kChunkFrames, header_.frames - chunk * kChunkFrames);
}

absl::Status OffsetsFile::Check(uint64_t mesh_hash, uint64_t clip_hash) const {
  const auto other = [](absl::string_view what, uint64_t expected, uint64_t has) -> absl::Status {
    if (expected == 0 || has == 0 || expected == has) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat("the offsets are of another ", what, ": its hash is ", absl::Hex(expected),
                     ", and theirs ", absl::Hex(has), "; bake them again"));
  };
  if (absl::Status s = other("mesh", mesh_hash, header_.mesh_hash); !s.ok()) return s;
  return other("clip", clip_hash, header_.clip_hash);
}

absl::StatusOr<std::unique_ptr<Chunk>> OffsetsFile::Open(size_t chunk) const {
  const Place& place = chunks_[chunk];
  const auto named = [&](const absl::Status& s) {
    return absl::Status(s.code(), absl::StrCat("chunk ", chunk, ": ", s.message()));
  };
  absl::string_view raw = absl::string_view(bytes_).substr(place.offset, place.stored);
  if (Crc32(raw) != place.crc) return named(absl::DataLossError("its checksum is wrong"));
  std::string inflated;
  if (place.stored != place.raw) {
    auto got = Inflate(raw, place.raw);
    if (!got.ok()) return named(got.status());
    inflated = *std::move(got);
    raw = inflated;
  }
  auto out =
      Methods()[static_cast<size_t>(header_.method)].open(raw, header_.points, chunk_frames(chunk));
  if (!out.ok()) return named(out.status());
  return out;
}

}  // namespace posewire::offsets
