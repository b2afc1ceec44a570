#include "libs/voice_http/wav_stream.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::voice_http {
namespace {

// The largest header: everything before the samples.
constexpr size_t kMostWavHeader = 64 * 1024;
constexpr uint32_t kPcm = 1, kFloat = 3, kExtensible = 0xFFFE;

uint32_t LittleEndian(absl::string_view bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

// Chunks that real files have after their samples.
bool IsChunkName(absl::string_view name) {
  static constexpr std::array<absl::string_view, 14> kNames = {
      "LIST", "id3 ", "ID3 ", "fact", "cue ", "smpl", "bext",
      "iXML", "axml", "RIFF", "chna", "JUNK", "PAD ", "PEAK"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

absl::Status Unusable(absl::string_view what, int64_t is, absl::string_view expected) {
  return absl::DataLossError(absl::StrCat("its WAV has ", what, " ", is, ", expected ", expected));
}

}  // namespace

std::string NameOfForm(absl::string_view bytes) {
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(bytes);
  if (absl::StartsWith(bytes, "ID3")) return "MP3";
  if (bytes.size() > 1 && bytes[0] == '\xFF' && (bytes[1] & '\xE0') == '\xE0') {
    return (bytes[1] & 0x06) == 0 ? "AAC" : "MP3";
  }
  if (absl::StartsWith(bytes, "OggS")) return "Ogg";
  if (absl::StartsWith(bytes, "fLaC")) return "FLAC";
  if (absl::StartsWith(text, "<")) return "HTML";
  if (absl::StartsWith(text, "{")) return "JSON";
  return "";
}

absl::Status WavStream::Add(absl::string_view bytes, std::vector<int16_t>& samples) {
  if (at_ == At::kHeader) {
    held_.append(bytes.data(), bytes.size());
    if (absl::Status s = ReadHeader(); !s.ok() || at_ == At::kHeader) return s;
    const std::string data = std::exchange(held_, {});
    return Add(data, samples);
  }
  if (at_ == At::kData) {
    if (left_ == 0 || bytes.size() < left_) {
      if (left_ > 0) left_ -= bytes.size();
      Decode(bytes, samples);
      return absl::OkStatus();
    }
    Decode(bytes.substr(0, left_), samples);
    bytes.remove_prefix(left_);
    left_ = 0;
    // After an incomplete frame, the bytes cannot start another chunk.
    at_ = held_.empty() ? At::kAfterData : At::kData;
    return Add(bytes, samples);
  }
  if (at_ == At::kOver) return absl::OkStatus();
  held_.append(bytes.data(), bytes.size());
  if (held_.size() < 4) return absl::OkStatus();
  const std::string after = std::exchange(held_, {});
  at_ = IsChunkName(absl::string_view(after).substr(0, 4)) ? At::kOver : At::kData;
  return Add(after, samples);
}

absl::Status WavStream::Finish(std::vector<int16_t>& samples) {
  if (at_ == At::kHeader) {
    return absl::DataLossError(held_.empty() ? "it has no sound" : "it ends within a WAV's header");
  }
  if (at_ == At::kAfterData) {
    const std::string after = std::exchange(held_, {});
    Decode(after, samples);
  }
  return absl::OkStatus();
}

// Removes the header from held_ once it is complete.
absl::Status WavStream::ReadHeader() {
  const absl::string_view held = held_;
  if (held.size() < 12) return absl::OkStatus();
  const absl::string_view riff = held.substr(0, 4);
  if ((riff != "RIFF" && riff != "RF64") || held.substr(8, 4) != "WAVE") {
    const std::string form = NameOfForm(held);
    return absl::DataLossError(absl::StrCat("it is ", form.empty() ? "no WAV" : form,
                                            " (begins with \"",
                                            absl::CHexEscape(held.substr(0, 12)),
                                            "\"), and WAV was asked for; the server has to "
                                            "support response_format \"wav\""));
  }
  size_t at = 12;
  while (at + 8 <= held.size()) {
    const absl::string_view name = held.substr(at, 4);
    const uint64_t size = LittleEndian(held, at + 4, 4);
    if (name == "data") {
      if (rate_hz_ == 0) return absl::DataLossError("its WAV has no format before its data");
      left_ = size == 0xFFFFFFFF ? 0 : size;
      at_ = At::kData;
      held_.erase(0, at + 8);
      return absl::OkStatus();
    }
    if (at + 8 + size > kMostWavHeader) {
      return absl::DataLossError(
          absl::StrCat("its WAV has more than ", kMostWavHeader, " bytes before its data"));
    }
    if (at + 8 + size > held.size()) return absl::OkStatus();
    if (name == "fmt ") {
      if (absl::Status s = ReadForm(held.substr(at + 8, size)); !s.ok()) return s;
    }
    at += 8 + size + size % 2;
  }
  if (held.size() > kMostWavHeader) {
    return absl::DataLossError(
        absl::StrCat("its WAV has more than ", kMostWavHeader, " bytes before its data"));
  }
  return absl::OkStatus();
}

absl::Status WavStream::ReadForm(absl::string_view chunk) {
  if (chunk.size() < 16) {
    return Unusable("a format of bytes", static_cast<int64_t>(chunk.size()), "16 or more");
  }
  uint32_t kind = LittleEndian(chunk, 0, 2);
  if (kind == kExtensible && chunk.size() >= 26) kind = LittleEndian(chunk, 24, 2);
  channels_ = LittleEndian(chunk, 2, 2);
  const uint32_t rate = LittleEndian(chunk, 4, 4);
  const uint32_t bits = LittleEndian(chunk, 14, 2);
  if (kind != kPcm && kind != kFloat) {
    return Unusable("the encoding", kind, "1 (PCM) or 3 (float)");
  }
  if (channels_ < 1 || channels_ > 8) return Unusable("channels:", channels_, "1 to 8");
  if (rate < 8000 || rate > 192000) return Unusable("a rate in Hz of", rate, "8000 to 192000");
  const bool known = kind == kFloat ? bits == 32 : bits == 16 || bits == 24 || bits == 32;
  if (!known) {
    return Unusable("bits a sample:", bits, kind == kFloat ? "32 for float" : "16, 24 or 32");
  }
  is_float_ = kind == kFloat;
  bytes_ = bits / 8;
  rate_hz_ = static_cast<int>(rate);
  return absl::OkStatus();
}

double WavStream::DecodeSample(const char* at) {
  const uint32_t value = LittleEndian({at, bytes_}, 0, bytes_);
  if (is_float_) {
    const float f = std::bit_cast<float>(value);
    if (std::isfinite(f)) return std::clamp(static_cast<double>(f), -1.0, 1.0) * 32767;
    ++not_finite_;
    return 0;
  }
  // Shifts the sample to the top of 32 bits to extend its sign.
  return static_cast<double>(static_cast<int32_t>(value << (32 - 8 * bytes_))) / 65536;
}

void WavStream::Decode(absl::string_view bytes, std::vector<int16_t>& samples) {
  const size_t frame = size_t{channels_} * bytes_;
  const auto take = [&](const char* at) {
    double sum = 0;
    for (uint32_t c = 0; c < channels_; ++c) sum += DecodeSample(at + c * bytes_);
    const double mean = std::round(sum / channels_);
    samples.push_back(static_cast<int16_t>(std::clamp(mean, -32768.0, 32767.0)));
  };
  if (!held_.empty()) {
    const size_t missing = std::min(frame - held_.size(), bytes.size());
    held_.append(bytes.data(), missing);
    bytes.remove_prefix(missing);
    if (held_.size() < frame) return;
    take(held_.data());
    held_.clear();
  }
  samples.reserve(samples.size() + bytes.size() / frame);
  for (; bytes.size() >= frame; bytes.remove_prefix(frame)) take(bytes.data());
  held_ = std::string(bytes);
}

}  // namespace posewire::voice_http
