#include "libs/wire/frame_reader.h"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/wire/data_counts.h"
#include "libs/wire/data_parser.h"
#include "libs/wire/fast_parser.h"
#include "libs/wire/header_parser.h"
#include "libs/wire/stream_checks.h"
#include "libs/wire/text_check.h"
#include "libs/wire/wire_format.h"

namespace posewire::wire {
// A message is parsed in one of two ways. FastParser parses the form that nearly all senders send,
// in one pass, and returns false for everything else without an error. Such messages are walked
// twice: CountData counts their parts before memory is allocated, and finds arrays of a wrong
// length; ParseData then copies the values. Both ways end in StreamChecks, which checks time codes
// and values. The fast way never reports an error itself (docs/adr/0001-wire-reader-by-hand.md,
// 0014-fast-frames.md).
namespace {

constexpr size_t kMaxIdBytes = 128;
// The memory for a larger message in several slices is released immediately.
constexpr size_t kKeptScratchBytes = 64 << 10;

// The only part of an AnimationDataStream; 0 if it has none.
struct Part {
  uint32_t number = 0;
  Bytes bytes;
};

absl::StatusOr<Part> FindPart(Bytes message) {
  Part part;
  FieldReader reader(message);
  Field f;
  while (reader.Next(&f)) {
    if (f.type != kLength || f.number > field::kStatus) continue;
    if (part.number != 0) {
      return absl::InvalidArgumentError(
          "the message sets stream_part more than once; must hold one header, one animation_data "
          "or one status");
    }
    part = {f.number, f.bytes};
  }
  if (!reader.ok()) {
    return absl::InvalidArgumentError(
        "the bytes are no protobuf message; must be one AnimationDataStream");
  }
  return part;
}

}  // namespace

absl::Status CheckId(absl::string_view field, absl::string_view id) {
  const auto reject = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(
        field, " is ", what, "; must be 1 to 128 bytes of UTF-8 without control characters"));
  };
  if (id.empty()) return reject("empty");
  if (id.size() > kMaxIdBytes) return reject(absl::StrCat(id.size(), " bytes long"));
  if (!IsUtf8(id)) return reject(absl::StrCat(Quoted(id), ", which is not UTF-8"));
  if (HasControlCharacter(id)) {
    return reject(absl::StrCat(Quoted(id), ", which holds a control character"));
  }
  return absl::OkStatus();
}

ReaderLimits ClientLimits() {
  constexpr int kMostIndices = std::numeric_limits<int16_t>::max();
  ReaderLimits limits;
  limits.message_bytes = limits.unknown_header_bytes = limits.elements =
      std::numeric_limits<size_t>::max();
  limits.joints = limits.shapes = kMostIndices;
  limits.metadata_entries = std::numeric_limits<int>::max();
  limits.max_jump_s = std::numeric_limits<double>::infinity();
  limits.require_ids = false;
  limits.lenient = true;
  return limits;
}

struct FrameReader::Impl {
  Impl(const ReaderLimits& l, ReadPaths* counts)
      : limits(l), checks(l), paths(counts != nullptr ? *counts : own_paths) {}

  absl::Status Read(absl::Span<const Bytes> slices, Chunk* chunk);
  absl::StatusOr<Bytes> Join(absl::Span<const Bytes> slices);
  absl::Status ReadMessage(Bytes message, Chunk* chunk);
  absl::Status ReadHeader(Bytes bytes, Chunk* chunk);
  bool ReadFast(Bytes message, DataChunk* chunk);
  absl::Status ReadData(Bytes data, DataChunk* chunk);

  ReaderLimits limits;
  StreamChecks checks;
  std::optional<StreamHeader> header;
  std::optional<FastParser> fast;  // set by the header
  StreamIds ids;
  absl::Status fault;
  std::vector<uint8_t> scratch;
  ReadPaths own_paths;
  ReadPaths& paths;
};

absl::Status FrameReader::Impl::Read(absl::Span<const Bytes> slices, Chunk* chunk) {
  if (!fault.ok()) return fault;
  absl::Status status;
  if (slices.size() == 1 && slices[0].size() <= limits.message_bytes) {
    status = ReadMessage(slices[0], chunk);
  } else {
    const absl::StatusOr<Bytes> message = Join(slices);
    status = message.ok() ? ReadMessage(*message, chunk) : message.status();
    if (scratch.capacity() > kKeptScratchBytes) std::vector<uint8_t>().swap(scratch);
  }
  if (!status.ok() && !limits.lenient) fault = status;
  return status;
}

absl::StatusOr<Bytes> FrameReader::Impl::Join(absl::Span<const Bytes> slices) {
  size_t size = 0;
  for (const Bytes& s : slices) size += s.size();
  if (size > limits.message_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("the message is ", size,
                                                     " bytes long; at most ", limits.message_bytes,
                                                     "; send it as several messages"));
  }
  scratch.clear();
  scratch.reserve(size);
  for (const Bytes& s : slices) scratch.insert(scratch.end(), s.begin(), s.end());
  return Bytes(scratch);
}

absl::Status FrameReader::Impl::ReadMessage(Bytes message, Chunk* chunk) {
  auto* data = std::get_if<DataChunk>(chunk);
  if (fast) {
    if (data == nullptr) data = &chunk->emplace<DataChunk>();
    if (ReadFast(message, data)) return checks.Check(*header, data);
  }
  const absl::StatusOr<Part> part = FindPart(message);
  if (!part.ok()) return part.status();
  if (part->number == field::kHeader) return ReadHeader(part->bytes, chunk);
  if (!header && !(limits.lenient && part->number == field::kStatus)) {
    return absl::FailedPreconditionError(absl::StrCat(
        part->number == field::kStatus ? "a status" : "data",
        " before the header; the first message must be the animation_data_stream_header"));
  }
  if (part->number == field::kStatus) {
    absl::StatusOr<StatusChunk> status = ParseStatus(part->bytes);
    if (!status.ok()) return status.status();
    *chunk = *std::move(status);
    return absl::OkStatus();
  }
  // A message without a part is a keep-alive, like empty data.
  return ReadData(part->bytes, data);
}

absl::Status FrameReader::Impl::ReadHeader(Bytes bytes, Chunk* chunk) {
  if (header && !limits.lenient) {
    return absl::InvalidArgumentError(
        "a second header; the header must be sent once, as the first message");
  }
  absl::StatusOr<StreamHeader> parsed = ParseHeader(bytes, limits);
  ids = parsed.ok() ? parsed->ids : LegalIds(bytes);
  if (!parsed.ok()) return parsed.status();
  header = *parsed;
  checks.DropHalf();
  fast.emplace(*header, limits);
  *chunk = *std::move(parsed);
  return absl::OkStatus();
}

bool FrameReader::Impl::ReadFast(Bytes message, DataChunk* chunk) {
  FastParser::Records records;
  if (!fast->Read(message, chunk, &records)) return false;
  ++(records.other == 0 ? paths.fixed : paths.by_record);
  paths.full_records += records.full;
  paths.other_records += records.other;
  return true;
}

absl::Status FrameReader::Impl::ReadData(Bytes data, DataChunk* chunk) {
  ++paths.general;
  fast->Clear(chunk);
  DataCounts counts;
  if (absl::Status s = CountData(data, *header, limits, &counts); !s.ok()) return s;
  if (absl::Status s = ParseData(data, *header, counts, chunk); !s.ok()) return s;
  return checks.Check(*header, chunk);
}

FrameReader::FrameReader(const ReaderLimits& limits, ReadPaths* paths)
    : impl_(std::make_unique<Impl>(limits, paths)) {}
FrameReader::~FrameReader() = default;
FrameReader::FrameReader(FrameReader&&) noexcept = default;
FrameReader& FrameReader::operator=(FrameReader&&) noexcept = default;

absl::StatusOr<Chunk> FrameReader::Read(absl::Span<const absl::Span<const uint8_t>> slices) {
  Chunk chunk;
  if (absl::Status s = impl_->Read(slices, &chunk); !s.ok()) return s;
  return chunk;
}

absl::Status FrameReader::Read(absl::Span<const absl::Span<const uint8_t>> slices, Chunk* chunk) {
  return impl_->Read(slices, chunk);
}

int64_t FrameReader::dropped_half_samples() const { return impl_->checks.dropped_halves(); }
std::string FrameReader::HalfSamplesText() const {
  const int64_t dropped = dropped_half_samples();
  if (dropped == 0) return "";
  return absl::StrCat(dropped, dropped == 1 ? " half sample" : " half samples",
                      " dropped, because the voice ended or broke off within a sample of 2 bytes");
}

const ReadPaths& FrameReader::paths() const { return impl_->paths; }
const StreamIds& FrameReader::ids() const { return impl_->ids; }

}  // namespace posewire::wire
