#include "libs/recording/voice_beside.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/recording/wav_reader.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::recording {
namespace {

namespace ace = nvidia_ace::animation_data::v1;

constexpr double kAhead_s = 1.0 / 30;
constexpr double kMostAMessage_s = 0.5;
constexpr uint32_t kLeastVoiceRate_hz = 8000, kMostVoiceRate_hz = 192000;

struct Voice {
  uint32_t rate_hz = 0;
  int64_t samples = 0;  // at most
};

// Up to the first sample.
absl::StatusOr<Voice> OpenVoice(const asset::ByteSource& wav, WavReader& reader) {
  const auto fault = [&](const auto&... what) {
    return absl::InvalidArgumentError(
        absl::StrCat(wav.name(), ", the voice beside the clip, ", what...));
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
  return Voice{form.rate_hz, *reader.data_bytes() / 2};
}

// As many bytes as there are.
absl::StatusOr<std::string> ReadUpTo(WavReader& reader, size_t bytes) {
  const absl::StatusOr<absl::string_view> held = reader.Peek(bytes);
  if (!held.ok()) return held.status();
  std::string out(held->substr(0, bytes));
  reader.Skip(out.size());
  return out;
}

class VoicedReader : public ClipReader {
 public:
  using Find = std::function<absl::StatusOr<std::optional<asset::NamedVoice>>()>;

  VoicedReader(std::unique_ptr<ClipReader> clip, std::unique_ptr<asset::ByteSource> wav,
               std::unique_ptr<WavReader> reader, Voice voice)
      : clip_(std::move(clip)), wav_(std::move(wav)), reader_(std::move(reader)), voice_(voice) {
    Wrap(*clip_);
    Doubt();
  }
  VoicedReader(std::unique_ptr<ClipReader> clip, Find find)
      : clip_(std::move(clip)), find_(std::move(find)) {
    Wrap(*clip_);
  }

  std::string place_of_last() const override { return clip_->place_of_last(); }
  int64_t size() const override { return clip_->size(); }
  std::shared_ptr<const skel::Rig> skeleton() const override { return clip_->skeleton(); }
  bool moves_nodes() const override { return clip_->moves_nodes(); }
  double unit_m() const override { return clip_->unit_m(); }
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
      absl::StatusOr<std::optional<asset::NamedVoice>> named = find_();
      if (!named.ok()) return named.status();
      if (*named) {
        const bool needed = (*named)->needed;
        const absl::Status taken = Take(**std::move(named));
        if (!taken.ok() && needed) return taken;
        if (!taken.ok()) {
          Warn(absl::StrCat(taken.message(), "; going on without a voice"));
        }
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

  void Doubt() {
    const auto doubt = [&](absl::string_view what) {
      warnings_.push_back(absl::StrCat(wav_->name(), ", the voice beside the clip: ", what));
    };
    for (const std::string& what : reader_->warnings()) doubt(what);
    if (*reader_->data_bytes() % 2 != 0) doubt("ends within a sample, which is left out");
    if (voice_.samples == 0) doubt("has no samples");
  }

  // Up to the first sample that is heard.
  absl::Status Take(asset::NamedVoice named) {
    named_ = std::move(named);
    wav_ = std::make_unique<asset::MemorySource>(named_.name, named_.bytes);
    reader_ = std::make_unique<WavReader>(wav_.get());
    const absl::StatusOr<Voice> form = OpenVoice(*wav_, *reader_);
    if (!form.ok()) return form.status();
    voice_ = *form;
    Doubt();
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
      const absl::StatusOr<std::string> gone = ReadUpTo(*reader_, part * 2);
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
    absl::StatusOr<std::string> pcm = ReadUpTo(*reader_, static_cast<size_t>(samples) * 2);
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
  asset::NamedVoice named_;
  std::unique_ptr<asset::ByteSource> wav_;
  std::unique_ptr<WavReader> reader_;  // of wav_
  Voice voice_;                        // none: a rate of 0
  double start_s_ = 0;
  int64_t sent_ = 0;
  std::optional<Message> next_;
};

}  // namespace

absl::Status AddVoice(std::unique_ptr<asset::ByteSource> wav, std::unique_ptr<ClipReader>* clip) {
  auto reader = std::make_unique<WavReader>(wav.get());
  const absl::StatusOr<Voice> voice = OpenVoice(*wav, *reader);
  if (!voice.ok()) return voice.status();
  *clip =
      std::make_unique<VoicedReader>(std::move(*clip), std::move(wav), std::move(reader), *voice);
  return absl::OkStatus();
}

std::unique_ptr<ClipReader> WithNamedVoice(
    std::unique_ptr<ClipReader> clip,
    std::function<absl::StatusOr<std::optional<asset::NamedVoice>>()> find) {
  return std::make_unique<VoicedReader>(std::move(clip), std::move(find));
}

absl::StatusOr<bool> SameVoice(asset::ByteSource& a, asset::ByteSource& b) {
  WavReader first(&a), second(&b);
  const absl::StatusOr<Voice> one = OpenVoice(a, first);
  if (!one.ok()) return one.status();
  const absl::StatusOr<Voice> two = OpenVoice(b, second);
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
