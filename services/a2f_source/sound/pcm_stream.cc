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

constexpr size_t kMagicBytes = 4;
// Formats that would be noise if read as raw samples.
struct OtherKind {
  absl::string_view magic, name;
};
constexpr OtherKind kOthers[] = {{"fLaC", "FLAC"},   {"OggS", "Ogg"}, {"FORM", "AIFF"},
                                 {".snd", "AU"},     {"caff", "CAF"}, {"RIFX", "big-endian WAV"},
                                 {"riff", "Wave64"}, {"ID3", "MP3"}};

bool Fits(const recording::WavForm& form, const NamedFormat& format) {
  constexpr uint32_t kPcm = 1, kFloat = 3;
  return (form.kind == kPcm || form.kind == kFloat) && format.bytes * 8 == form.bits &&
         (format.format == PcmFormat::kF32) == (form.kind == kFloat);
}

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
  explicit PcmStream(std::unique_ptr<files::ByteSource> bytes)
      : source_(std::move(bytes)), wav_(source_.get()) {}

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
    if (absl::Status s = wav_.Open(); !s.ok()) {
      return absl::IsInvalidArgument(s) ? Wrong(s.message()) : s;
    }
    if (wav_.form()) {
      if (absl::Status s = TakeForm(*wav_.form()); !s.ok()) return s;
    } else {
      const absl::StatusOr<absl::string_view> begin = wav_.Peek(kMagicBytes);
      if (!begin.ok()) return begin.status();
      for (const OtherKind& other : kOthers) {
        if (absl::StartsWith(*begin, other.magic)) {
          return Wrong(
              absl::StrCat(other.name, " is read from files; a pipe takes raw samples and WAV"));
        }
      }
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
  std::optional<int64_t> samples() const override {
    if (!wav_.data_bytes()) return std::nullopt;
    return *wav_.data_bytes() / static_cast<int64_t>(format_.bytes * channels_);
  }
  std::vector<std::string> notes() const override {
    std::vector<std::string> all;
    for (const std::string& what : wav_.warnings()) {
      all.push_back(absl::StrCat(source_->name(), ": ", what));
    }
    if (at_end_ && bytes_left_ > 0) {
      all.push_back(absl::StrCat(source_->name(), ": ends within a sample; its last ", bytes_left_,
                                 " bytes of ", format_.bytes * channels_, " are left out"));
    }
    if (at_end_ && read_ == 0) all.push_back(absl::StrCat(source_->name(), ": has no samples"));
    return all;
  }

  absl::StatusOr<size_t> Read(absl::Span<float> to) override {
    const size_t sample_bytes = format_.bytes * channels_;
    const absl::StatusOr<absl::string_view> bytes = wav_.Peek(sample_bytes);
    if (!bytes.ok()) return bytes.status();
    // Takes the samples that arrived together, and does not wait for more.
    const size_t count = std::min(to.size(), bytes->size() / sample_bytes);
    interleaved_.resize(count * channels_);
    for (size_t i = 0; i < interleaved_.size(); ++i) {
      interleaved_[i] = Decode(format_.format, bytes->data() + i * format_.bytes);
    }
    if (count == 0 && !to.empty()) {
      at_end_ = true;
      bytes_left_ = bytes->size();
    }
    wav_.Skip(count * sample_bytes);
    read_ += static_cast<int64_t>(count);
    MixDown(interleaved_, channels_, to.subspan(0, count));
    return count;
  }

 private:
  absl::Status Wrong(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(source_->name(), ": ", what));
  }

  absl::Status TakeForm(const recording::WavForm& form) {
    const auto found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                    [&](const NamedFormat& f) { return Fits(form, f); });
    if (found == std::end(kFormats)) {
      return Wrong(
          absl::StrCat("a WAV format of kind ", form.kind, " with ", form.bits,
                       " bits, PCM (1) of 8, 16, 24 or 32 bits or float (3) of 32 is right"));
    }
    format_ = *found;
    channels_ = form.channels;
    rate_hz_ = static_cast<int>(std::min(form.rate_hz, 0x7fffffffu));
    return absl::OkStatus();
  }

  const std::unique_ptr<files::ByteSource> source_;
  recording::WavReader wav_;
  int rate_hz_ = 0;
  size_t channels_ = 1;
  NamedFormat format_ = kFormats[1];
  std::vector<float> interleaved_;
  int64_t read_ = 0;
  bool at_end_ = false;
  size_t bytes_left_ = 0;
};

}  // namespace

std::vector<std::string> PcmFormatNames() {
  std::vector<std::string> names;
  for (const NamedFormat& f : kFormats) names.emplace_back(f.name);
  return names;
}

bool IsPcm(const recording::WavForm& form) {
  return std::any_of(std::begin(kFormats), std::end(kFormats),
                     [&](const NamedFormat& f) { return Fits(form, f); });
}

absl::StatusOr<std::unique_ptr<SoundInput>> OpenPcmStream(std::unique_ptr<files::ByteSource> bytes,
                                                          const PcmSettings& settings) {
  auto stream = std::make_unique<PcmStream>(std::move(bytes));
  if (absl::Status s = stream->Open(settings); !s.ok()) return s;
  return stream;
}

}  // namespace posewire::a2f_source
