#include "libs/recording/motion_clip.h"

#include <limits>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::recording {
namespace {

constexpr double kVoiceAhead_s = 1.0 / 30;

wire::MessageBytes BytesOf(wire::Chunk chunk) { return wire::MakeMessage(std::move(chunk)).bytes; }

// Returns the time code up to which the voice is sent before a message or with it.
double VoiceUntil(const wire::Chunk& chunk) {
  const auto* const data = std::get_if<wire::DataChunk>(&chunk);
  return data == nullptr ? std::numeric_limits<double>::infinity()
                         : wire::TimesOf(*data, 0).earliest_s + kVoiceAhead_s;
}

}  // namespace

void MotionClip::AddVoice(absl::StatusOr<std::unique_ptr<files::ByteSource>> wav) {
  KeepVoice(wav.ok() ? VoiceReader::Open(*std::move(wav)) : wav.status());
}

void MotionClip::KeepVoice(absl::StatusOr<VoiceReader> voice) {
  if (voice.ok()) {
    voice_ = *std::move(voice);
  } else {
    Warn(absl::StrCat(voice.status().message(), "; going on without a voice"));
  }
}

std::vector<std::string> MotionClip::warnings() const {
  std::vector<std::string> all;
  for (const std::string& doubt : motion_->doubts()) {
    all.push_back(absl::StrCat(name(), ": ", doubt));
  }
  for (std::string& more : ClipReader::warnings()) all.push_back(std::move(more));
  if (voice_) all.insert(all.end(), voice_->warnings().begin(), voice_->warnings().end());
  return all;
}

absl::StatusOr<wire::MessageBytes> MotionClip::DoNextBytes() {
  if (ended_) return nullptr;
  if (!next_) {
    absl::StatusOr<wire::Chunk> chunk = std::exchange(started_, true) ? NextKeys() : Start();
    end_of_last_ = motion_->offset();
    if (!chunk.ok()) {
      if (absl::StartsWith(chunk.status().message(), name())) return chunk.status();
      return absl::Status(chunk.status().code(),
                          absl::StrCat(name(), ": ", chunk.status().message()));
    }
    next_ = *std::move(chunk);
  }
  auto* const data = std::get_if<wire::DataChunk>(&*next_);
  if (voice_ && !std::holds_alternative<wire::StreamHeader>(*next_)) {
    const double until_s = VoiceUntil(*next_);
    absl::StatusOr<wire::AudioBuffer> sound = voice_->Take(until_s);
    if (!sound.ok()) return sound.status();
    if (!sound->samples.empty()) {
      // A long piece of the voice is sent before the message, in messages of its own.
      if (data == nullptr || voice_->Due(until_s)) {
        wire::DataChunk alone;
        alone.audio = *std::move(sound);
        return BytesOf(std::move(alone));
      }
      data->audio = *std::move(sound);
    }
  }
  ended_ = std::holds_alternative<wire::StatusChunk>(*next_);
  if (ended_ && !moves_) WarnOfNoFrame();
  return BytesOf(*std::exchange(next_, std::nullopt));
}

absl::StatusOr<wire::Chunk> MotionClip::Start() {
  absl::StatusOr<asset::MotionNames> names = motion_->Start();
  if (!names.ok()) return names.status();
  if (absl::Status s = FindVoice(); !s.ok()) return s;
  wire::StreamHeader header;
  header.joints = std::move(names->joints);
  header.shapes = std::move(names->shapes);
  if (voice_) header.audio_rate_hz = static_cast<int>(voice_->rate_hz());
  return header;
}

absl::Status MotionClip::FindVoice() {
  absl::StatusOr<std::optional<asset::NamedVoice>> named = motion_->Voice();
  if (!named.ok()) return named.status();
  if (!*named) return absl::OkStatus();
  const bool needed = (*named)->needed;
  absl::StatusOr<VoiceReader> voice = VoiceReader::Open(**std::move(named));
  if (needed && !voice.ok()) return voice.status();
  KeepVoice(std::move(voice));
  return absl::OkStatus();
}

absl::StatusOr<wire::Chunk> MotionClip::NextKeys() {
  wire::DataChunk keys;
  const absl::StatusOr<bool> any = motion_->Next(&keys);
  if (!any.ok()) return any.status();
  if (!*any) return wire::StatusChunk{};
  moves_ = true;
  // Each track has one key.
  for (wire::KeyBlock& block : keys.pose) block.width = static_cast<int>(block.values.size());
  for (wire::KeyBlock& block : keys.camera) block.width = static_cast<int>(block.values.size());
  return keys;
}

}  // namespace posewire::recording
