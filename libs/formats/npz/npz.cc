#include "libs/formats/npz/npz.h"

#include <unzip.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace posewire::npz {
namespace {

constexpr int kMostArrays = 4096;
constexpr size_t kFreeBytes = 16u << 20, kMostNpzGrowth = 64;
constexpr size_t kMostHeaderBytes = 64u << 10;
constexpr size_t kMostDimensions = 4;
constexpr size_t kMostArrayNameBytes = 256;

absl::Status BadArray(absl::string_view what) { return absl::InvalidArgumentError(what); }

// Returns the text after a key in the header, which is a dictionary in Python's syntax, with quotes
// of either kind.
std::optional<absl::string_view> After(absl::string_view header, absl::string_view key) {
  size_t at = header.find(absl::StrCat("'", key, "'"));
  if (at == absl::string_view::npos) at = header.find(absl::StrCat("\"", key, "\""));
  if (at == absl::string_view::npos) return std::nullopt;
  absl::string_view rest = absl::StripLeadingAsciiWhitespace(header.substr(at + key.size() + 2));
  if (!absl::ConsumePrefix(&rest, ":")) return std::nullopt;
  return absl::StripLeadingAsciiWhitespace(rest);
}

struct Form {
  char kind = 0;  // f, i or u
  size_t bytes = 0;
  bool columns_first = false;
  std::vector<size_t> shape;
  size_t count = 1;
};

absl::StatusOr<Form> ReadHeader(absl::string_view header) {
  Form out;
  std::optional<absl::string_view> descr = After(header, "descr");
  if (!descr || descr->empty() || (descr->front() != '\'' && descr->front() != '"')) {
    return BadArray("it has no plain type");
  }
  const absl::string_view type = descr->substr(1, descr->find(descr->front(), 1) - 1);
  const bool form = type.size() == 3 && (type[0] == '<' || type[0] == '|') &&
                    (type[1] == 'f' || type[1] == 'i' || type[1] == 'u');
  if (form) out.kind = type[1], out.bytes = static_cast<size_t>(type[2] - '0');
  const bool whole = out.kind != 'f' && (out.bytes == 1 || out.bytes == 2);
  if (!form || !(whole || out.bytes == 4 || out.bytes == 8)) {
    return BadArray(absl::StrCat("its numbers are ", std::string(type),
                                 "; must be little-endian floats or whole numbers"));
  }
  const std::optional<absl::string_view> order = After(header, "fortran_order");
  out.columns_first = order && absl::StartsWith(*order, "True");
  std::optional<absl::string_view> shape = After(header, "shape");
  if (!shape || !absl::ConsumePrefix(&*shape, "(") || shape->find(')') == absl::string_view::npos) {
    return BadArray("it has no shape");
  }
  for (absl::string_view word : absl::StrSplit(shape->substr(0, shape->find(')')), ',')) {
    word = absl::StripAsciiWhitespace(word);
    if (word.empty()) continue;
    absl::ConsumeSuffix(&word, "L");  // whole numbers of Python 2 end in L, which numpy accepts
    uint64_t size = 0;
    if (!absl::SimpleAtoi(word, &size)) return BadArray("its shape is no list of whole numbers");
    out.shape.push_back(static_cast<size_t>(size));
  }
  if (out.shape.size() > kMostDimensions) {
    return BadArray(absl::StrCat("it has over ", kMostDimensions, " dimensions"));
  }
  for (const size_t size : out.shape) {
    if (size > 0 && out.count > std::numeric_limits<size_t>::max() / 16 / size) {
      return BadArray("its shape is beyond any file");
    }
    out.count *= size;
  }
  return out;
}

template <typename T>
double NumberAt(const char* at) {
  T number;
  std::memcpy(&number, at, sizeof(number));
  return static_cast<double>(number);
}

double NumberOf(const Form& form, const char* at) {
  if (form.kind == 'f') return form.bytes == 4 ? NumberAt<float>(at) : NumberAt<double>(at);
  const bool sign = form.kind == 'i';
  switch (form.bytes) {
    case 1:
      return sign ? NumberAt<int8_t>(at) : NumberAt<uint8_t>(at);
    case 2:
      return sign ? NumberAt<int16_t>(at) : NumberAt<uint16_t>(at);
    case 4:
      return sign ? NumberAt<int32_t>(at) : NumberAt<uint32_t>(at);
    default:
      return sign ? NumberAt<int64_t>(at) : NumberAt<uint64_t>(at);
  }
}

// minizip reads through these functions, from the archive in memory.
struct Memory {
  absl::string_view bytes;
  uint64_t at = 0;
};
void* OpenMemory(void* memory, const void*, int) { return memory; }
uLong ReadMemory(void*, void* stream, void* to, uLong size) {
  auto& memory = *static_cast<Memory*>(stream);
  const uint64_t left = memory.bytes.size() - std::min<uint64_t>(memory.at, memory.bytes.size());
  const uint64_t n = std::min<uint64_t>(size, left);
  if (n > 0) std::memcpy(to, memory.bytes.data() + memory.at, n);
  memory.at += n;
  return n;
}
uLong WriteMemory(void*, void*, const void*, uLong) { return 0; }
ZPOS64_T TellMemory(void*, void* stream) { return static_cast<Memory*>(stream)->at; }
long SeekMemory(void*, void* stream, ZPOS64_T offset, int origin) {
  auto& memory = *static_cast<Memory*>(stream);
  const uint64_t base = origin == ZLIB_FILEFUNC_SEEK_CUR   ? memory.at
                        : origin == ZLIB_FILEFUNC_SEEK_END ? memory.bytes.size()
                                                           : 0;
  const uint64_t at = base + offset;
  if (at > memory.bytes.size()) return -1;
  memory.at = at;
  return 0;
}
int CloseMemory(void*, void*) { return 0; }
int ErrorOfMemory(void*, void*) { return 0; }

struct CloseZip {
  void operator()(void* zip) const { unzClose(zip); }
};

// Returns the archive's current file, which has `bytes` bytes.
absl::StatusOr<std::string> Unpack(void* zip, size_t bytes) {
  if (unzOpenCurrentFile(zip) != UNZ_OK) return BadArray("it cannot be unpacked");
  std::string out;
  std::vector<char> block(64 << 10);
  int got = 0;
  while (out.size() <= bytes &&
         (got = unzReadCurrentFile(zip, block.data(), static_cast<unsigned>(block.size()))) > 0) {
    out.append(block.data(), static_cast<size_t>(got));
  }
  const bool whole = unzCloseCurrentFile(zip) == UNZ_OK && got == 0 && out.size() == bytes;
  if (!whole) return BadArray("it is damaged");
  return out;
}

}  // namespace

absl::StatusOr<NpyArray> ReadNpy(absl::string_view bytes) {
  constexpr absl::string_view kMagic("\x93NUMPY", 6);
  if (!absl::StartsWith(bytes, kMagic) || bytes.size() < 12) return BadArray("it is no .npy");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) return BadArray(absl::StrCat("it is .npy ", version, ".x"));
  const size_t start = version == 1 ? 10 : 12;
  size_t length = 0;
  for (size_t i = 8; i < start; ++i) {
    length |= static_cast<size_t>(static_cast<unsigned char>(bytes[i])) << (8 * (i - 8));
  }
  if (length > kMostHeaderBytes || start + length > bytes.size()) return BadArray("it is torn");
  const absl::StatusOr<Form> form = ReadHeader(bytes.substr(start, length));
  if (!form.ok()) return form.status();
  const absl::string_view data = bytes.substr(start + length);
  if (form->count > data.size() / form->bytes) {
    return BadArray(absl::StrCat("it has ", data.size(), " bytes for ", form->count, " numbers of ",
                                 form->bytes));
  }
  NpyArray out;
  out.shape = form->shape;
  if (form->count == 1) out.scalar = NumberOf(*form, data.data());
  out.numbers.resize(form->count);
  // The distance in the file of one step along each dimension.
  std::vector<size_t> steps(out.shape.size(), 1);
  for (size_t d = 1; d < steps.size(); ++d) steps[d] = steps[d - 1] * out.shape[d - 1];
  std::vector<size_t> at(out.shape.size(), 0);
  size_t source = 0;
  for (size_t i = 0; i < form->count; ++i) {
    const size_t from = form->columns_first ? source : i;
    out.numbers[i] = static_cast<float>(NumberOf(*form, data.data() + from * form->bytes));
    for (size_t d = at.size(); form->columns_first && d-- > 0;) {
      source += steps[d];
      if (++at[d] < out.shape[d]) break;
      source -= steps[d] * out.shape[d];
      at[d] = 0;
    }
  }
  return out;
}

absl::StatusOr<std::map<std::string, NpyArray>> ReadNpz(absl::string_view archive,
                                                        const std::vector<std::string>& wanted,
                                                        size_t most) {
  Memory memory{archive};
  zlib_filefunc64_def functions = {OpenMemory, ReadMemory,  WriteMemory,   TellMemory,
                                   SeekMemory, CloseMemory, ErrorOfMemory, &memory};
  const std::unique_ptr<void, CloseZip> zip(unzOpen2_64("archive", &functions));
  if (zip == nullptr) return BadArray("it is no .npz, which is a zip of arrays");
  most = std::min(most, kFreeBytes + kMostNpzGrowth * archive.size());
  std::map<std::string, NpyArray> out;
  size_t unpacked = 0;
  int count = 0;
  for (int next = unzGoToFirstFile(zip.get()); next == UNZ_OK; next = unzGoToNextFile(zip.get())) {
    if (++count > kMostArrays) {
      return absl::ResourceExhaustedError(absl::StrCat("it has over ", kMostArrays, " arrays"));
    }
    char name_bytes[kMostArrayNameBytes + 1] = {};
    unz_file_info64 info = {};
    if (unzGetCurrentFileInfo64(zip.get(), &info, name_bytes, kMostArrayNameBytes, nullptr, 0,
                                nullptr, 0) != UNZ_OK) {
      return BadArray("its list of arrays is damaged");
    }
    const std::string name(absl::StripSuffix(name_bytes, ".npy"));
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    const auto named = [&](const absl::Status& s) {
      return absl::Status(s.code(), absl::StrCat("array ", name, ": ", s.message()));
    };
    if (info.flag & 1) return named(BadArray("it is encrypted"));
    if (info.uncompressed_size > most - unpacked) {
      return named(absl::ResourceExhaustedError(
          absl::StrCat("it unpacks to ", info.uncompressed_size, " bytes, and ", most - unpacked,
                       " are left of the most for an archive of ", archive.size())));
    }
    unpacked += info.uncompressed_size;
    const absl::StatusOr<std::string> bytes = Unpack(zip.get(), info.uncompressed_size);
    if (!bytes.ok()) return named(bytes.status());
    absl::StatusOr<NpyArray> array = ReadNpy(*bytes);
    if (!array.ok()) return named(array.status());
    out[name] = *std::move(array);
  }
  return out;
}

}  // namespace posewire::npz
