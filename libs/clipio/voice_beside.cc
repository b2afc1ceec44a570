#include "libs/clipio/voice_beside.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::clipio {
namespace {

namespace ace = nvidia_ace::animation_data::v1;

constexpr double kAhead_s = 1.0 / 30;
constexpr double kMostAMessage_s = 0.5;
constexpr uint32_t kLeastVoiceRate_hz = 8000, kMostVoiceRate_hz = 192000;
constexpr uint32_t kMostFormBytes = 64;

// As many bytes as there are.
absl::StatusOr<std::string> ReadUpTo(ByteSource& source, size_t bytes) {
  std::string out(bytes, '\0');
  size_t at = 0;
  while (at < bytes) {
    const absl::StatusOr<size_t> n = source.Read(absl::MakeSpan(out).subspan(at));
    if (!n.ok()) return n.status();
    if (*n == 0) break;
    at += *n;
  }
  out.resize(at);
  return out;
}

uint32_t Little(absl::string_view bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

struct Voice {
  uint32_t rate_hz = 0;
  int64_t samples = 0;  // at most
};

// Up to the first sample.
absl::StatusOr<Voice> ReadForm(ByteSource& wav) {
  const auto fault = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat(wav.name(), ", the voice beside the clip, ", what));
  };
  const absl::StatusOr<std::string> riff = ReadUpTo(wav, 12);
  if (!riff.ok()) return riff.status();
  if (riff->size() < 12 || !absl::StartsWith(*riff, "RIFF") || !absl::EndsWith(*riff, "WAVE")) {
    return fault("is no WAV");
  }
  Voice voice;
  while (true) {
    const absl::StatusOr<std::string> head = ReadUpTo(wav, 8);
    if (!head.ok()) return head.status();
    if (head->size() < 8) return fault("has no samples");
    const uint32_t bytes = Little(*head, 4, 4);
    if (absl::StartsWith(*head, "data")) {
      if (voice.rate_hz == 0) return fault("has samples before their form");
      voice.samples = bytes / 2;
      return voice;
    }
    const bool form = absl::StartsWith(*head, "fmt ");
    if (form && (bytes < 16 || bytes > kMostFormBytes)) return fault("has no form that is known");
    // Chunks are padded to even lengths.
    for (uint64_t left = uint64_t{bytes} + bytes % 2; left > 0;) {
      const auto part = static_cast<size_t>(std::min<uint64_t>(left, 4096));
      const absl::StatusOr<std::string> body = ReadUpTo(wav, part);
      if (!body.ok()) return body.status();
      if (body->size() < part) return fault("has no samples");
      left -= part;
      if (!form) continue;
      constexpr uint32_t kPcm = 1, kExtensible = 0xfffe;
      const uint32_t kind = Little(*body, 0, 2);
      voice.rate_hz = Little(*body, 4, 4);
      if ((kind != kPcm && kind != kExtensible) || Little(*body, 2, 2) != 1 ||
          Little(*body, 14, 2) != 16) {
        return fault(absl::StrCat("has ", Little(*body, 2, 2), " channels of ",
                                  Little(*body, 14, 2), " bit; must be PCM, mono, 16 bit"));
      }
      if (voice.rate_hz < kLeastVoiceRate_hz || voice.rate_hz > kMostVoiceRate_hz) {
        return fault(
            absl::StrCat("has ", voice.rate_hz, " samples a second; must be 8000 to 192000"));
      }
    }
  }
}

class VoicedReader : public ClipReader {
 public:
  using Find = std::function<absl::StatusOr<std::optional<NamedVoice>>()>;

  VoicedReader(std::unique_ptr<ClipReader> clip, std::unique_ptr<ByteSource> wav, Voice voice)
      : clip_(std::move(clip)), wav_(std::move(wav)), voice_(voice) {}
  VoicedReader(std::unique_ptr<ClipReader> clip, Find find)
      : clip_(std::move(clip)), find_(std::move(find)) {}

  std::string place_of_last() const override { return clip_->place_of_last(); }
  int64_t size() const override { return clip_->size(); }
  std::shared_ptr<const skel::Rig> skeleton() const override { return clip_->skeleton(); }
  bool moves_nodes() const override { return clip_->moves_nodes(); }
  std::vector<std::string> warnings() const override {
    std::vector<std::string> all = clip_->warnings();
    all.insert(all.end(), warnings_.begin(), warnings_.end());
    return all;
  }

 private:
  absl::StatusOr<std::optional<Message>> DoNext() override {
    if (!next_) {
      absl::StatusOr<std::optional<Message>> message = clip_->Next();
      if (!message.ok() || !*message) return message;
      next_ = **std::move(message);
      end_of_last_ = clip_->end_of_last();
    }
    if (next_->has_animation_data_stream_header()) {
      if (absl::Status s = OnHeader(*next_->mutable_animation_data_stream_header()); !s.ok()) {
        return s;
      }
      return std::exchange(next_, std::nullopt);
    }
    const auto most = static_cast<int64_t>(kMostAMessage_s * voice_.rate_hz);
    int64_t until = voice_.samples;
    if (next_->has_animation_data()) {
      const double until_s = std::min(CodeOf(*next_) + kAhead_s, double{kForever_s}) - start_s_;
      until = std::min(until, static_cast<int64_t>(until_s * voice_.rate_hz));
    }
    // Much voice goes before the message in messages of its own.
    if (until - sent_ > most || (until > sent_ && !next_->has_animation_data())) {
      Message alone;
      const absl::StatusOr<bool> any = AddVoice(std::min(until - sent_, most), &alone);
      if (!any.ok()) return any.status();
      if (*any) return alone;
      return DoNext();
    }
    if (until > sent_) {
      const absl::StatusOr<bool> any = AddVoice(until - sent_, &*next_);
      if (!any.ok()) return any.status();
    }
    return std::exchange(next_, std::nullopt);
  }

  absl::Status OnHeader(ace::AnimationDataStreamHeader& header) {
    if (find_ != nullptr) {
      absl::StatusOr<std::optional<NamedVoice>> named = find_();
      if (!named.ok()) return named.status();
      if (*named) {
        if (absl::Status s = Take(**std::move(named)); !s.ok()) return s;
      }
    }
    if (header.has_audio_header()) voice_ = {};
    if (voice_.rate_hz == 0) return absl::OkStatus();
    auto& audio = *header.mutable_audio_header();
    audio.set_channel_count(1);
    audio.set_samples_per_second(voice_.rate_hz);
    audio.set_bits_per_sample(16);
    return absl::OkStatus();
  }

  // Up to the first sample that is heard.
  absl::Status Take(NamedVoice named) {
    named_ = std::move(named);
    wav_ = std::make_unique<MemorySource>(named_.name, named_.bytes);
    const absl::StatusOr<Voice> form = ReadForm(*wav_);
    if (!form.ok()) return form.status();
    voice_ = *form;
    const double before_s = std::max(0.0, named_.skipped_s) + std::max(0.0, -named_.start_s);
    start_s_ = std::clamp(named_.start_s, 0.0, double{kForever_s});
    const auto samples = [&](double seconds) {
      return static_cast<int64_t>(
          std::round(std::clamp(seconds, 0.0, double{kForever_s}) * voice_.rate_hz));
    };
    int64_t left = std::min(samples(before_s), voice_.samples);
    voice_.samples -= left;
    while (left > 0) {
      const auto part = static_cast<size_t>(std::min<int64_t>(left, 4096));
      const absl::StatusOr<std::string> gone = ReadUpTo(*wav_, part * 2);
      if (!gone.ok()) return gone.status();
      if (gone->size() < part * 2) break;
      left -= static_cast<int64_t>(part);
    }
    if (named_.end_s) {
      voice_.samples = std::min(voice_.samples, samples(*named_.end_s - start_s_));
    }
    return absl::OkStatus();
  }

  static double CodeOf(const Message& message) {
    const auto& skel = message.animation_data().skel_animation();
    if (skel.rotations_size() > 0) return skel.rotations(0).time_code();
    if (skel.blend_shape_weights_size() > 0) return skel.blend_shape_weights(0).time_code();
    const auto& camera = message.animation_data().camera();
    return camera.position_size() > 0 ? camera.position(0).time_code() : 0;
  }

  // False at the end of the file.
  absl::StatusOr<bool> AddVoice(int64_t samples, Message* message) {
    absl::StatusOr<std::string> pcm = ReadUpTo(*wav_, static_cast<size_t>(samples) * 2);
    if (!pcm.ok()) return pcm.status();
    pcm->resize(pcm->size() / 2 * 2);
    if (pcm->size() < static_cast<size_t>(samples) * 2) {
      voice_.samples = sent_ + static_cast<int64_t>(pcm->size() / 2);
    }
    if (pcm->empty()) return false;
    auto& audio = *message->mutable_animation_data()->mutable_audio();
    audio.set_time_code(start_s_ + static_cast<double>(sent_) / voice_.rate_hz);
    sent_ += static_cast<int64_t>(pcm->size() / 2);
    audio.set_audio_buffer(*std::move(pcm));
    return true;
  }

  static constexpr double kForever_s = 1e9;

  std::unique_ptr<ClipReader> clip_;
  Find find_;
  NamedVoice named_;
  std::unique_ptr<ByteSource> wav_;
  Voice voice_;  // none: a rate of 0
  double start_s_ = 0;
  int64_t sent_ = 0;
  std::optional<Message> next_;
};

}  // namespace

std::optional<std::string> VoiceBeside(const std::string& path) {
  const size_t slash = path.rfind('/');
  const size_t name = slash == std::string::npos ? 0 : slash + 1;
  const size_t dot = path.rfind('.');
  if (dot == std::string::npos || dot < name) return std::nullopt;
  const std::string same = absl::StrCat(path.substr(0, dot), ".wav");
  if (::access(same.c_str(), R_OK) == 0) return same;
  const std::string out = absl::StrCat(path.substr(0, name), "out.wav");
  const bool of_client = absl::string_view(path).substr(name) == "animation_frames.csv";
  return of_client && ::access(out.c_str(), R_OK) == 0 ? std::optional(out) : std::nullopt;
}

absl::Status AddVoice(std::unique_ptr<ByteSource> wav, std::unique_ptr<ClipReader>* clip) {
  const absl::StatusOr<Voice> voice = ReadForm(*wav);
  if (!voice.ok()) return voice.status();
  *clip = std::make_unique<VoicedReader>(std::move(*clip), std::move(wav), *voice);
  return absl::OkStatus();
}

std::unique_ptr<ClipReader> WithNamedVoice(
    std::unique_ptr<ClipReader> clip,
    std::function<absl::StatusOr<std::optional<NamedVoice>>()> find) {
  return std::make_unique<VoicedReader>(std::move(clip), std::move(find));
}

absl::StatusOr<bool> SameVoice(ByteSource& a, ByteSource& b) {
  const absl::StatusOr<Voice> one = ReadForm(a);
  if (!one.ok()) return one.status();
  const absl::StatusOr<Voice> two = ReadForm(b);
  if (!two.ok()) return two.status();
  if (one->rate_hz != two->rate_hz || one->samples != two->samples) return false;
  for (int64_t left = one->samples * 2; left > 0;) {
    const auto part = static_cast<size_t>(std::min<int64_t>(left, 64 << 10));
    const absl::StatusOr<std::string> ours = ReadUpTo(a, part);
    if (!ours.ok()) return ours.status();
    const absl::StatusOr<std::string> theirs = ReadUpTo(b, part);
    if (!theirs.ok()) return theirs.status();
    if (*ours != *theirs) return false;
    if (ours->size() < part) return true;
    left -= static_cast<int64_t>(part);
  }
  return true;
}

}  // namespace posewire::clipio
