#include "libs/recording/voice_reader.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::recording {
namespace {

constexpr double kMostAtOnce_s = 0.5;
constexpr double kForever_s = 1e9;
constexpr uint32_t kLeastVoiceRate_hz = 8000, kMostVoiceRate_hz = 192000;

struct VoiceForm {
  uint32_t rate_hz = 0;
  int64_t samples = 0;  // upper bound
};

// Reads up to the first sample.
absl::StatusOr<VoiceForm> OpenVoice(const files::ByteSource& wav, WavReader& reader) {
  const auto fault = [&](const auto&... what) {
    return absl::InvalidArgumentError(
        absl::StrCat(wav.name(), ", the voice next to the clip, ", what...));
  };
  if (absl::Status s = reader.Open(); !s.ok()) {
    return absl::IsInvalidArgument(s) ? fault("is ", s.message()) : s;
  }
  if (!reader.form() || !reader.data_bytes()) return fault("is no WAV");
  constexpr uint32_t kPcm = 1;
  const WavForm& form = *reader.form();
  if (form.kind != kPcm || form.channels != 1 || form.bits != 16) {
    return fault("has ", form.channels, " channels of ", form.bits,
                 " bit; must be PCM, mono, 16 bit");
  }
  if (form.rate_hz < kLeastVoiceRate_hz || form.rate_hz > kMostVoiceRate_hz) {
    return fault("has ", form.rate_hz, " samples a second; must be 8000 to 192000");
  }
  return VoiceForm{form.rate_hz, *reader.data_bytes() / 2};
}

// Returns fewer bytes at the end of the file.
absl::StatusOr<std::string> ReadUpTo(WavReader& reader, size_t bytes) {
  const absl::StatusOr<absl::string_view> held = reader.Peek(bytes);
  if (!held.ok()) return held.status();
  std::string out(held->substr(0, bytes));
  reader.Skip(out.size());
  return out;
}

}  // namespace

absl::StatusOr<VoiceReader> VoiceReader::Open(std::unique_ptr<files::ByteSource> wav) {
  VoiceReader out;
  out.wav_ = std::move(wav);
  out.reader_ = std::make_unique<WavReader>(out.wav_.get());
  const absl::StatusOr<VoiceForm> form = OpenVoice(*out.wav_, *out.reader_);
  if (!form.ok()) return form.status();
  out.rate_hz_ = form->rate_hz;
  out.samples_ = form->samples;
  const auto doubt = [&](absl::string_view what) {
    out.warnings_.push_back(absl::StrCat(out.wav_->name(), ", the voice next to the clip: ", what));
  };
  for (const std::string& what : out.reader_->warnings()) doubt(what);
  if (*out.reader_->data_bytes() % 2 != 0) doubt("ends within a sample, which is left out");
  if (out.samples_ == 0) doubt("has no samples");
  return out;
}

absl::StatusOr<VoiceReader> VoiceReader::Open(asset::NamedVoice voice) {
  auto bytes = std::make_unique<const std::string>(std::move(voice.bytes));
  absl::StatusOr<VoiceReader> out = Open(std::make_unique<files::MemorySource>(voice.name, *bytes));
  if (!out.ok()) return out;
  out->bytes_ = std::move(bytes);
  const auto samples = [rate_hz = out->rate_hz_](double seconds) {
    return static_cast<int64_t>(std::round(std::clamp(seconds, 0.0, kForever_s) * rate_hz));
  };
  const double before_s = std::max(0.0, voice.skipped_s) + std::max(0.0, -voice.start_s);
  int64_t left = std::min(samples(before_s), out->samples_);
  out->samples_ -= left;
  while (left > 0) {
    const auto part = static_cast<size_t>(std::min<int64_t>(left, 4096));
    const absl::StatusOr<std::string> gone = ReadUpTo(*out->reader_, part * 2);
    if (!gone.ok()) return gone.status();
    if (gone->size() < part * 2) break;
    left -= static_cast<int64_t>(part);
  }
  out->start_s_ = std::clamp(voice.start_s, 0.0, kForever_s);
  if (voice.end_s) {
    out->samples_ = std::min(out->samples_, samples(*voice.end_s - out->start_s_));
  }
  return out;
}

int64_t VoiceReader::DueSamples(double until_s) const {
  const double due_s = std::min(kForever_s, until_s) - start_s_;
  if (!(due_s > 0)) return 0;
  return std::min(samples_, static_cast<int64_t>(due_s * rate_hz_)) - taken_;
}

absl::StatusOr<wire::AudioBuffer> VoiceReader::Take(double until_s) {
  wire::AudioBuffer out;
  const int64_t due = std::min(DueSamples(until_s), static_cast<int64_t>(kMostAtOnce_s * rate_hz_));
  if (due <= 0) return out;
  const absl::StatusOr<std::string> pcm = ReadUpTo(*reader_, static_cast<size_t>(due) * 2);
  if (!pcm.ok()) return pcm.status();
  out.samples.resize(pcm->size() / 2);
  std::memcpy(out.samples.data(), pcm->data(), out.samples.size() * 2);
  out.time_code_s = start_s_ + static_cast<double>(taken_) / rate_hz_;
  taken_ += static_cast<int64_t>(out.samples.size());
  if (static_cast<int64_t>(out.samples.size()) < due) samples_ = taken_;
  return out;
}

absl::StatusOr<bool> SameVoice(files::ByteSource& a, files::ByteSource& b) {
  WavReader first(&a), second(&b);
  const absl::StatusOr<VoiceForm> one = OpenVoice(a, first);
  if (!one.ok()) return one.status();
  const absl::StatusOr<VoiceForm> two = OpenVoice(b, second);
  if (!two.ok()) return two.status();
  if (one->rate_hz != two->rate_hz || one->samples != two->samples) return false;
  for (int64_t left = one->samples * 2; left > 0;) {
    const auto part = static_cast<size_t>(std::min<int64_t>(left, 64 << 10));
    const absl::StatusOr<std::string> ours = ReadUpTo(first, part);
    if (!ours.ok()) return ours.status();
    const absl::StatusOr<std::string> theirs = ReadUpTo(second, part);
    if (!theirs.ok()) return theirs.status();
    if (*ours != *theirs) return false;
    if (ours->size() < part) return true;
    left -= static_cast<int64_t>(part);
  }
  return true;
}

}  // namespace posewire::recording
