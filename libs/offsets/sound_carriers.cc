#include <sndfile.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/offsets/bytes.h"
#include "libs/offsets/carriers.h"

namespace posewire::offsets {
namespace {

constexpr int kRate_hz = 44100;

// A file in memory for libsndfile's virtual I/O.
struct MemoryFile {
  std::string bytes;
  sf_count_t at = 0;

  sf_count_t size() const { return static_cast<sf_count_t>(bytes.size()); }
};

MemoryFile& Of(void* user) { return *static_cast<MemoryFile*>(user); }

SF_VIRTUAL_IO Io() {
  SF_VIRTUAL_IO io;
  io.get_filelen = [](void* user) { return Of(user).size(); };
  io.seek = [](sf_count_t offset, int whence, void* user) -> sf_count_t {
    MemoryFile& file = Of(user);
    const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file.at : file.size();
    if (from + offset < 0 || from + offset > file.size()) return -1;
    return file.at = from + offset;
  };
  io.read = [](void* to, sf_count_t count, void* user) {
    MemoryFile& file = Of(user);
    const sf_count_t n = std::clamp<sf_count_t>(count, 0, file.size() - file.at);
    std::memcpy(to, file.bytes.data() + file.at, static_cast<size_t>(n));
    file.at += n;
    return n;
  };
  io.write = [](const void* from, sf_count_t count, void* user) {
    MemoryFile& file = Of(user);
    if (file.at + count > file.size()) file.bytes.resize(static_cast<size_t>(file.at + count));
    std::memcpy(file.bytes.data() + file.at, from, static_cast<size_t>(count));
    file.at += count;
    return count;
  };
  io.tell = [](void* user) { return Of(user).at; };
  return io;
}

struct Closer {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using File = std::unique_ptr<SNDFILE, Closer>;

absl::StatusOr<std::string> EncodeSound(const std::vector<int16_t>& samples, int channels,
                                        int format, double level) {
  MemoryFile memory;
  SF_VIRTUAL_IO io = Io();
  SF_INFO info{};
  info.samplerate = kRate_hz;
  info.channels = channels;
  info.format = format;
  File file(sf_open_virtual(&io, SFM_WRITE, &info, &memory));
  if (file == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("libsndfile cannot write this sound: ", sf_strerror(nullptr)));
  }
  sf_command(file.get(), SFC_SET_COMPRESSION_LEVEL, &level, sizeof level);
  const auto frames = static_cast<sf_count_t>(samples.size()) / channels;
  if (sf_writef_short(file.get(), samples.data(), frames) != frames) {
    return absl::InternalError(absl::StrCat("sound of codes: ", sf_strerror(file.get())));
  }
  file.reset();
  return std::move(memory.bytes);
}

// `samples` must have the expected size.
absl::Status DecodeSound(absl::string_view bytes, int channels, int format,
                         std::vector<int16_t>& samples) {
  MemoryFile memory{std::string(bytes)};
  SF_VIRTUAL_IO io = Io();
  SF_INFO info{};
  const File file(sf_open_virtual(&io, SFM_READ, &info, &memory));
  if (file == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("sound of codes: ", sf_strerror(nullptr)));
  }
  const auto frames = static_cast<sf_count_t>(samples.size()) / channels;
  if (info.channels != channels || info.frames != frames || info.format != format) {
    return absl::InvalidArgumentError(absl::StrCat(
        "sound of codes has ", info.channels, " channels of ", info.frames, " samples in format ",
        info.format, ", expected ", channels, " of ", frames, " in format ", format));
  }
  // A decoded full-scale sample may exceed full scale.
  sf_command(file.get(), SFC_SET_CLIPPING, nullptr, SF_TRUE);
  const sf_count_t got = sf_readf_short(file.get(), samples.data(), frames);
  if (got == frames && sf_error(file.get()) == SF_ERR_NO_ERROR) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("sound of codes ends after ", got,
                                                 " samples, expected ", frames, ": ",
                                                 sf_strerror(file.get())));
}

// Returns the samples of `channels` axes, starting at `first_axis`.
std::vector<int16_t> SamplesOf(const CodeSheets<uint16_t>& sheets, const PixelMap& map,
                               size_t first_axis, size_t channels) {
  const std::vector<uint32_t> order = map.Order();
  std::vector<int16_t> out(sheets.points * sheets.frames * channels);
  for (size_t channel = 0; channel < channels; ++channel) {
    for (size_t k = 0; k < sheets.points; ++k) {
      const auto series = sheets.series(first_axis + channel, order[k]);
      for (size_t f = 0; f < sheets.frames; ++f) {
        out[(k * sheets.frames + f) * channels + channel] = static_cast<int16_t>(series[f] - 32768);
      }
    }
  }
  return out;
}

void TakeSamples(const std::vector<int16_t>& samples, const PixelMap& map, size_t first_axis,
                 size_t channels, CodeSheets<uint16_t>& out) {
  const std::vector<uint32_t> order = map.Order();
  for (size_t channel = 0; channel < channels; ++channel) {
    for (size_t k = 0; k < out.points; ++k) {
      const auto series = out.series(first_axis + channel, order[k]);
      for (size_t f = 0; f < out.frames; ++f) {
        series[f] =
            static_cast<uint16_t>(samples[(k * out.frames + f) * channels + channel] + 32768);
      }
    }
  }
}

constexpr int kFlac = SF_FORMAT_FLAC | SF_FORMAT_PCM_16;
constexpr int kMp3 = SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III;

absl::StatusOr<std::string> EncodeFlac(const CodeSheets<uint16_t>& sheets, const PixelMap& map,
                                       const Settings&) {
  return EncodeSound(SamplesOf(sheets, map, 0, 3), 3, kFlac, 1);
}

absl::Status DecodeFlac(absl::string_view bytes, const PixelMap& map, CodeSheets<uint16_t>& out) {
  if (bytes.substr(0, 4) != "fLaC") {
    return absl::InvalidArgumentError("sound of codes is no FLAC");
  }
  std::vector<int16_t> samples(out.codes.size());
  if (absl::Status s = DecodeSound(bytes, 3, kFlac, samples); !s.ok()) return s;
  TakeSamples(samples, map, 0, 3, out);
  return absl::OkStatus();
}

absl::StatusOr<std::string> EncodeMp3(const CodeSheets<uint16_t>& sheets, const PixelMap& map,
                                      const Settings& settings) {
  ByteWriter out;
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto bytes =
        EncodeSound(SamplesOf(sheets, map, axis, 1), 1, kMp3, (100 - settings.quality) / 100.0);
    if (!bytes.ok()) return bytes.status();
    out.Varint(bytes->size());
    out.Bytes(*bytes);
  }
  return out.Take();
}

absl::Status DecodeMp3(absl::string_view bytes, const PixelMap& map, CodeSheets<uint16_t>& out) {
  ByteReader in(bytes);
  std::vector<int16_t> samples(out.codes.size() / 3);
  for (size_t axis = 0; axis < 3; ++axis) {
    const absl::string_view sound = in.Bytes(std::min<uint64_t>(in.Varint(), SIZE_MAX));
    if (!in.ok() || sound.size() < 4 || sound[0] != '\xFF' || (sound[1] & 0xE0) != 0xE0) {
      return absl::InvalidArgumentError(absl::StrCat("sound ", axis, " of codes is no MP3"));
    }
    if (absl::Status s = DecodeSound(sound, 1, kMp3, samples); !s.ok()) return s;
    TakeSamples(samples, map, axis, 1, out);
  }
  if (in.Done()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(in.left(), " bytes behind the sounds of codes, expected none"));
}

}  // namespace

const Carrier<uint16_t> kFlacCarrier = {EncodeFlac, DecodeFlac};
const Carrier<uint16_t> kMp3Carrier = {EncodeMp3, DecodeMp3};

}  // namespace posewire::offsets
