#include "services/a2f_source/sound/pcm_stream.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/a2f_source/sound/mix_down.h"

namespace posewire::a2f_source {
namespace {

struct NamedFormat {
  absl::string_view name;
  PcmFormat format;
  size_t bytes;
};
constexpr NamedFormat kFormats[] = {{"u8", PcmFormat::kU8, 1},
                                    {"s16le", PcmFormat::kS16, 2},
                                    {"s24le", PcmFormat::kS24, 3},
                                    {"s32le", PcmFormat::kS32, 4},
                                    {"f32le", PcmFormat::kF32, 4}};

// The least bytes that tell a WAV file, and the most that its head may have before the sound.
constexpr size_t kMagicBytes = 12;
constexpr size_t kMaxHeadBytes = 1 << 20;

uint32_t Little(const char* bytes, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << 8 * i;
  }
  return value;
}

float Decode(PcmFormat format, const char* bytes) {
  switch (format) {
    case PcmFormat::kU8:
      return (static_cast<float>(Little(bytes, 1)) - 128) / 128;
    case PcmFormat::kS16:
      return static_cast<float>(static_cast<int16_t>(Little(bytes, 2))) / 32768;
    case PcmFormat::kS24:
      return static_cast<float>(static_cast<int32_t>(Little(bytes, 3) << 8)) / 2147483648.0f;
    case PcmFormat::kS32:
      return static_cast<float>(static_cast<int32_t>(Little(bytes, 4))) / 2147483648.0f;
    case PcmFormat::kF32:
      return std::bit_cast<float>(Little(bytes, 4));
  }
  return 0;
}

class PcmStream : public SoundInput {
 public:
  explicit PcmStream(std::unique_ptr<clipio::ByteSource> bytes) : source_(std::move(bytes)) {}

  absl::Status Open(const PcmSettings& settings) {
    rate_hz_ = settings.rate_hz;
    channels_ = static_cast<size_t>(std::max(settings.channels, 0));
    const auto named = std::find_if(std::begin(kFormats), std::end(kFormats),
                                    [&](const auto& f) { return f.name == settings.format; });
    if (named == std::end(kFormats)) {
      return Wrong(absl::StrCat("format ", settings.format, ", one of ",
                                absl::StrJoin(PcmFormatNames(), ", "), " is right"));
    }
    format_ = *named;
    if (absl::Status s = Need(kMagicBytes); !s.ok()) return s;
    const absl::string_view magic(held_);
    if (magic.size() >= kMagicBytes && absl::StartsWith(magic, "RIFF") &&
        absl::StartsWith(magic.substr(8), "WAVE")) {
      if (absl::Status s = ReadHead(); !s.ok()) return s;
    } else if (absl::StartsWith(magic, "fLaC") || absl::StartsWith(magic, "OggS")) {
      return Wrong("FLAC and Ogg are read from files; a pipe takes raw samples and WAV");
    }
    if (rate_hz_ < speech::kMinSoundRate_hz || rate_hz_ > speech::kMaxSoundRate_hz) {
      return Wrong(absl::StrCat(rate_hz_, " samples a second, ", speech::kMinSoundRate_hz, " to ",
                                speech::kMaxSoundRate_hz, " is right"));
    }
    if (channels_ < 1 || channels_ > kMaxSoundChannels) {
      return Wrong(absl::StrCat(channels_, " channels, 1 to ", kMaxSoundChannels, " is right"));
    }
    return absl::OkStatus();
  }

  int rate_hz() const override { return rate_hz_; }

  absl::StatusOr<size_t> Read(absl::Span<float> to) override {
    const size_t sample_bytes = format_.bytes * channels_;
    if (absl::Status s = Need(sample_bytes); !s.ok()) return s;
    // What came with it is taken along, and nothing more is waited for.
    const size_t count = std::min(to.size(), held_.size() / sample_bytes);
    interleaved_.resize(count * channels_);
    for (size_t i = 0; i < interleaved_.size(); ++i) {
      interleaved_[i] = Decode(format_.format, held_.data() + i * format_.bytes);
    }
    held_.erase(0, count * sample_bytes);
    MixDown(interleaved_, channels_, to.subspan(0, count));
    return count;
  }

 private:
  absl::Status Wrong(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(source_->name(), ": ", what));
  }

  // Holds so many bytes; fewer only at the end.
  absl::Status Need(size_t bytes) {
    char block[8192];
    while (held_.size() < bytes && !ended_) {
      const auto got = source_->Read(absl::MakeSpan(block));
      if (!got.ok()) return got.status();
      held_.append(block, *got);
      ended_ = *got == 0;
    }
    return absl::OkStatus();
  }

  // Up to the first byte of sound. What a recorder that does not know its end writes for the size
  // of the data says nothing, and is not read.
  absl::Status ReadHead() {
    bool has_format = false;
    size_t at = kMagicBytes;
    while (at < kMaxHeadBytes) {
      if (absl::Status s = Need(at + 8); !s.ok()) return s;
      if (held_.size() < at + 8) return Wrong("a WAV file that ends before its data");
      const std::string id = held_.substr(at, 4);
      const size_t size = Little(held_.data() + at + 4, 4);
      if (id == "data") {
        if (!has_format) return Wrong("a WAV file with data before its format");
        held_.erase(0, at + 8);
        return absl::OkStatus();
      }
      // Chunks begin at even places.
      const size_t next = at + 8 + size + size % 2;
      if (next > kMaxHeadBytes) break;
      if (absl::Status s = Need(next); !s.ok()) return s;
      if (held_.size() < next) return Wrong("a WAV file that ends before its data");
      if (id == "fmt ") {
        if (size < 16) return Wrong(absl::StrCat("a WAV format of ", size, " bytes"));
        if (absl::Status s = ReadFormat(held_.data() + at + 8, size); !s.ok()) return s;
        has_format = true;
      }
      at = next;
    }
    return Wrong(absl::StrCat("a WAV file with no data within ", kMaxHeadBytes, " bytes"));
  }

  absl::Status ReadFormat(const char* chunk, size_t size) {
    constexpr uint32_t kPcm = 1, kFloat = 3, kExtensible = 0xfffe;
    uint32_t kind = Little(chunk, 2);
    if (kind == kExtensible && size >= 26) kind = Little(chunk + 24, 2);
    const uint32_t bits = Little(chunk + 14, 2);
    const auto fits = [&](const NamedFormat& f) {
      return f.bytes * 8 == bits && (f.format == PcmFormat::kF32) == (kind == kFloat);
    };
    const auto found = std::find_if(std::begin(kFormats), std::end(kFormats), fits);
    if ((kind != kPcm && kind != kFloat) || found == std::end(kFormats)) {
      return Wrong(
          absl::StrCat("a WAV format of kind ", kind, " with ", bits,
                       " bits, PCM (1) of 8, 16, 24 or 32 bits or float (3) of 32 is right"));
    }
    format_ = *found;
    channels_ = Little(chunk + 2, 2);
    rate_hz_ = static_cast<int>(std::min(Little(chunk + 4, 4), 0x7fffffffu));
    return absl::OkStatus();
  }

  std::unique_ptr<clipio::ByteSource> source_;
  int rate_hz_ = 0;
  size_t channels_ = 1;
  NamedFormat format_ = kFormats[1];
  std::string held_;
  bool ended_ = false;
  std::vector<float> interleaved_;
};

}  // namespace

std::vector<std::string> PcmFormatNames() {
  std::vector<std::string> names;
  for (const NamedFormat& f : kFormats) names.emplace_back(f.name);
  return names;
}

absl::StatusOr<std::unique_ptr<SoundInput>> OpenPcmStream(std::unique_ptr<clipio::ByteSource> bytes,
                                                          const PcmSettings& settings) {
  auto stream = std::make_unique<PcmStream>(std::move(bytes));
  if (absl::Status s = stream->Open(settings); !s.ok()) return s;
  return stream;
}

}  // namespace posewire::a2f_source
