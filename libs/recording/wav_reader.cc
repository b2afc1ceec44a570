#include "libs/recording/wav_reader.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace posewire::recording {
namespace {

constexpr size_t kRiffBytes = 12, kChunkHead = 8;
constexpr size_t kMostWavHeadBytes = 1 << 20;  // before the data
constexpr size_t kWavBlock = 16 << 10;
constexpr uint32_t kUnknownSize = 0xffffffff;
// Writers that do not know the size write a placeholder of at least this: 2e9, 0x7fffffff,
// 0x7ffff000, 0xffffffff.
constexpr uint64_t kLeastPlaceholder = 0x70000000;
constexpr uint32_t kExtensibleWav = 0xfffe;

// Chunks found after data, and tags of music players, which are not chunks.
constexpr absl::string_view kWavChunks[] = {"LIST", "JUNK", "junk", "PAD ", "FLLR", "fact", "PEAK",
                                            "bext", "iXML", "aXML", "axml", "chna", "cue ", "smpl",
                                            "inst", "plst", "acid", "cart", "DISP", "_PMX", "id3 ",
                                            "ID3 ", "afsp", "levl", "labl", "note", "umid", "minf"};
constexpr absl::string_view kSoundTags[] = {"TAG", "ID3", "APETAGEX", "LYRICSBEGIN"};

uint64_t LittleEndian(absl::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count && at + i < bytes.size(); ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

bool BeginsKnownChunk(absl::string_view bytes) {
  const auto begins = [&](absl::string_view word) { return absl::StartsWith(bytes, word); };
  return std::any_of(std::begin(kWavChunks), std::end(kWavChunks), begins) ||
         std::any_of(std::begin(kSoundTags), std::end(kSoundTags), begins);
}

bool IsChunkName(absl::string_view id) {
  return std::all_of(id.begin(), id.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

std::string NoWavChunks(uint64_t said) {
  return absl::StrCat("its data chunk says ", said,
                      " bytes, but what follows is no chunk; all up to the end is taken for "
                      "samples");
}

}  // namespace

absl::Status WavReader::Hold(size_t bytes) {
  std::array<char, kWavBlock> block;
  while (held().size() < bytes && !ended_) {
    const absl::StatusOr<size_t> got = source_->Read(read_, absl::MakeSpan(block));
    if (!got.ok()) return got.status();
    ended_ = *got == 0;
    buffer_.erase(0, std::exchange(begin_, 0));
    buffer_.append(block.data(), *got);
    read_ += static_cast<int64_t>(*got);
  }
  return absl::OkStatus();
}

absl::Status WavReader::Open() {
  if (absl::Status s = Hold(kRiffBytes); !s.ok()) return s;
  const absl::string_view head = held();
  const bool riff = absl::StartsWith(head, "RIFF") || absl::StartsWith(head, "RF64") ||
                    absl::StartsWith(head, "BW64");
  if (head.size() < kRiffBytes || !riff || head.substr(8, 4) != "WAVE") return absl::OkStatus();
  Skip(kRiffBytes);
  return ReadChunks();
}

absl::Status WavReader::ReadChunks() {
  std::optional<uint64_t> data_64;
  bool has_form = false;
  for (size_t passed = kRiffBytes; passed < kMostWavHeadBytes;) {
    if (absl::Status s = Hold(kChunkHead); !s.ok()) return s;
    if (held().size() < kChunkHead) {
      return absl::InvalidArgumentError("a WAV file that ends before its data");
    }
    const std::string id(held().substr(0, 4));
    const uint64_t size = LittleEndian(held(), 4, 4);
    if (id == "data") {
      if (!has_form) return absl::InvalidArgumentError("a WAV file with data before its format");
      Skip(kChunkHead);
      const uint64_t said = size == kUnknownSize && data_64 ? *data_64 : size;
      if (source_->Size() > 0) {
        return FindEnd(read_ - static_cast<int64_t>(held().size()), said);
      }
      said_ = said;
      if (said < kLeastPlaceholder) left_ = said;
      return absl::OkStatus();
    }
    const uint64_t padded = size + size % 2;
    if (passed + kChunkHead + padded > kMostWavHeadBytes) break;
    const auto whole = kChunkHead + static_cast<size_t>(padded);
    if (absl::Status s = Hold(whole); !s.ok()) return s;
    if (held().size() < whole) {
      return absl::InvalidArgumentError("a WAV file that ends before its data");
    }
    const absl::string_view chunk = held().substr(kChunkHead, static_cast<size_t>(size));
    if (id == "fmt ") {
      if (absl::Status s = ReadForm(chunk); !s.ok()) return s;
      has_form = true;
    } else if (id == "ds64" && chunk.size() >= 16) {
      data_64 = LittleEndian(chunk, 8, 8);
    }
    Skip(whole);
    passed += whole;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("a WAV file with no data within ", kMostWavHeadBytes, " bytes"));
}

absl::Status WavReader::ReadForm(absl::string_view chunk) {
  if (chunk.size() < 16) {
    return absl::InvalidArgumentError(absl::StrCat("a WAV format of ", chunk.size(), " bytes"));
  }
  const auto number = [&](size_t at, size_t bytes) {
    return static_cast<uint32_t>(LittleEndian(chunk, at, bytes));
  };
  form_ = {number(0, 2), number(2, 2), number(4, 4), number(14, 2)};
  if (form_->kind == kExtensibleWav && chunk.size() >= 26) form_->kind = number(24, 2);
  return absl::OkStatus();
}

absl::Status WavReader::FindEnd(int64_t start, uint64_t said) {
  const int64_t rest = std::max<int64_t>(source_->Size() - start, 0);
  int64_t bytes = rest;
  if (said > static_cast<uint64_t>(rest)) {
    if (said < kLeastPlaceholder) {
      warnings_.push_back(absl::StrCat("its data chunk says ", said,
                                       " bytes, but the file ends after ", rest, " of them"));
    }
  } else if (static_cast<int64_t>(said) < rest) {
    const auto end = start + static_cast<int64_t>(said);
    // Some writers omit the padding byte after an odd size.
    absl::StatusOr<bool> chunks = AreChunks(end + static_cast<int64_t>(said % 2));
    if (chunks.ok() && !*chunks && said % 2 != 0) chunks = AreChunks(end);
    if (!chunks.ok()) return chunks.status();
    if (*chunks) {
      bytes = static_cast<int64_t>(said);
    } else if (said != 0) {
      warnings_.push_back(NoWavChunks(said));
    }
  }
  data_bytes_ = bytes;
  left_ = static_cast<uint64_t>(bytes);
  return absl::OkStatus();
}

// Returns true if the file from `at` to its end has chunks, or tags that players append, or only
// zeros that fill a block.
absl::StatusOr<bool> WavReader::AreChunks(int64_t at) {
  const int64_t size = source_->Size();
  constexpr int64_t kFill = 4096;
  if (at >= size) return true;
  const absl::StatusOr<std::string> first =
      files::ReadBytes(*source_, at, static_cast<size_t>(std::min(size - at, kFill)));
  if (!first.ok()) return first.status();
  if (BeginsKnownChunk(*first)) return true;
  const bool zeros = first->find_first_not_of('\0') == std::string::npos;
  if (zeros && size - at <= kFill) return true;
  constexpr int kMostChunks = 64;
  for (int i = 0; i < kMostChunks; ++i) {
    const absl::StatusOr<std::string> head = files::ReadBytes(*source_, at, kChunkHead);
    if (!head.ok()) return head.status();
    if (head->size() < kChunkHead || !IsChunkName(head->substr(0, 4))) return false;
    const auto bytes = static_cast<int64_t>(LittleEndian(*head, 4, 4));
    at += static_cast<int64_t>(kChunkHead) + bytes;
    if (at == size || at + bytes % 2 == size) return true;
    at += bytes % 2;
    if (at > size) return false;
  }
  return false;
}

// Checks a pipe after the size stated by its data chunk. Another chunk, or the end, ends the
// samples.
absl::Status WavReader::CheckEndOfData() {
  const auto left = static_cast<size_t>(*left_);
  const size_t pad = said_ % 2;
  if (absl::Status s = Hold(left + pad + kChunkHead); !s.ok()) return s;
  const absl::string_view next = held().substr(left);
  const auto is_chunk = [](absl::string_view bytes) {
    return BeginsKnownChunk(bytes) ||
           (bytes.size() >= kChunkHead && IsChunkName(bytes.substr(0, 4)) &&
            LittleEndian(bytes, 4, 4) < kMostWavHeadBytes);
  };
  over_ = next.size() <= pad || is_chunk(next.substr(pad)) || (pad > 0 && is_chunk(next));
  if (over_) return absl::OkStatus();
  left_.reset();
  if (said_ != 0) warnings_.push_back(NoWavChunks(said_));
  return absl::OkStatus();
}

absl::StatusOr<absl::string_view> WavReader::Peek(size_t least) {
  while (true) {
    const absl::string_view bytes = left_ ? held().substr(0, static_cast<size_t>(*left_)) : held();
    if (bytes.size() >= least || over_) return bytes;
    const bool all_said = left_ && bytes.size() == *left_;
    if (all_said && data_bytes_) return bytes;
    if (!all_said && ended_) {
      if (left_ && !data_bytes_) {
        warnings_.push_back(absl::StrCat("its data chunk says ", said_, " bytes, but it ends ",
                                         *left_ - bytes.size(), " bytes earlier"));
        left_ = bytes.size();
      }
      over_ = true;
      return bytes;
    }
    if (absl::Status s = all_said ? CheckEndOfData() : Hold(least); !s.ok()) return s;
  }
}

void WavReader::Skip(size_t bytes) {
  begin_ += bytes;
  if (left_) *left_ -= bytes;
}

}  // namespace posewire::recording
