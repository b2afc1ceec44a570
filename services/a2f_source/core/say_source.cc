#include "services/a2f_source/core/say_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "libs/speech/face_track.h"
#include "libs/speech/phrase.h"
#include "libs/speech/speech_queue.h"
#include "libs/speech/speech_text.h"
#include "libs/speech/viseme_track.h"
#include "libs/timecode/audio_position.h"
#include "libs/wire/speech_gesture.h"
#include "services/a2f_source/core/say_body.h"
#include "services/a2f_source/core/say_gestures.h"

namespace posewire::a2f_source {
namespace {

constexpr double kTail_s = 0.5;
// Motion at a time depends on words up to so much later; announcing a gesture is the longest of it.
constexpr double kLookahead_s = 1.0;

// FNV-1a: the same on every machine.
uint64_t HashText(absl::string_view text, uint64_t seed) {
  uint64_t h = 14695981039346656037ULL ^ (seed * 0x9E3779B97F4A7C15ULL);
  for (const char c : text) h = (h ^ static_cast<uint8_t>(c)) * 1099511628211ULL;
  return h;
}

class SpeakingSource : public SaySource {
 public:
  SpeakingSource(speech::SpokenText text, std::unique_ptr<speech::Voice> voice,
                 const SayOptions& options)
      : options_(options),
        notes_(std::move(text.notes)),
        queue_(std::move(voice), speech::SplitSpeechText(text.text)),
        face_(HashText(text.text, options.seed)),
        random_(HashText(text.text, options.seed + 1)),
        head_(random_),
        gestures_(HashText(text.text, options.seed + 2)) {}

  absl::StatusOr<wire::StreamHeader> Header() override {
    if (absl::Status s = SpeakUntil(0); !s.ok()) return s;
    wire::StreamHeader header;
    header.source_service_id = "posewire-say";
    header.audio_rate_hz = rate_hz_;
    for (const absl::string_view name : speech::FaceShapeNames()) header.shapes.emplace_back(name);
    for (size_t j = 0; j < Joints(); ++j) header.joints.emplace_back(HeadJointNames()[j]);
    return header;
  }

  absl::StatusOr<std::optional<wire::Message>> Next() override {
    const double t_s = options_.fps.SecondsAt(frame_);
    if (absl::Status s = SpeakUntil(t_s + kLookahead_s); !s.ok()) return s;
    if (finished_ && frame_ >= frames_) return std::nullopt;
    wire::DataChunk data;
    AddPose(t_s, data);
    const auto gesture = gestures_.Take(t_s);
    if (gesture && options_.body && options_.hands) {
      data.metadata.push_back(wire::ToMetadata(*gesture));
    }
    AddAudio(data.audio.emplace());
    ++frame_;
    return wire::MakeMessage(std::move(data));
  }

  std::optional<double> duration_s() const override {
    if (!finished_) return std::nullopt;
    return options_.fps.SecondsAt(frames_);
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> all = notes_;
    all.insert(all.end(), queue_.notes().begin(), queue_.notes().end());
    return all;
  }

 private:
  size_t Joints() const { return options_.body ? kHeadJoints : 0; }

  // Has words and sound up to t, or to the end.
  absl::Status SpeakUntil(double t_s) {
    while (!finished_ && (rate_hz_ == 0 || spoken_s() < t_s)) {
      absl::StatusOr<std::optional<speech::SpokenPiece>> piece = queue_.Next();
      if (!piece.ok()) return piece.status();
      if (*piece) {
        Add(**piece);
      } else {
        Finish();
      }
    }
    return absl::OkStatus();
  }

  double spoken_s() const { return static_cast<double>(samples_made_) / rate_hz_; }

  void Add(const speech::SpokenPiece& piece) {
    const speech::SpeechPiece& speech = piece.speech;
    rate_hz_ = speech.rate_hz;
    speech::Phrase phrase = speech::PlacePhrase(speech, piece.ending, spoken_s());
    phrase.begins_paragraph = piece.begins_paragraph;
    mouth_.Add(speech, phrase.start_s);
    face_.Add(phrase);
    head_.Add(phrase, random_);
    gestures_.Add(phrase);
    samples_.insert(samples_.end(), speech.samples.begin(), speech.samples.end());
    samples_made_ += static_cast<int64_t>(speech.samples.size());
  }

  void Finish() {
    finished_ = true;
    const double end_s = spoken_s() + kTail_s;
    frames_ = static_cast<int64_t>(std::ceil(end_s * options_.fps.hz()));
    // The last frame is the first at rest.
    const double rest_s = options_.fps.SecondsAt(frames_ - 1);
    face_.Finish(rest_s);
    head_.Finish(rest_s);
  }

  void AddPose(double t_s, wire::DataChunk& out) {
    const speech::HeadAngles head = head_.At(t_s);
    mouth_.DropBefore(t_s);
    const speech::HeadLook look = options_.body ? head.look() : speech::HeadLook{};
    face_.At(t_s, mouth_.At(t_s), look, weights_);
    out.pose[wire::kWeights] = {
        static_cast<int>(weights_.size()), {t_s}, {weights_.begin(), weights_.end()}};
    if (Joints() == 0) return;
    wire::KeyBlock& rotations = out.pose[wire::kRotations];
    rotations.width = static_cast<int>(4 * Joints());
    rotations.codes_s = {t_s};
    rotations.values.reserve(4 * Joints());
    HeadPose pose;
    PoseHead(head, absl::MakeSpan(pose));
    for (const skel::Quat& q : pose) {
      rotations.values.insert(rotations.values.end(), {q.w, q.x, q.y, q.z});
    }
  }

  void AddAudio(wire::AudioBuffer& out) {
    const int64_t first = timecode::FirstSampleOfTick(frame_, rate_hz_, options_.fps);
    const int64_t end = timecode::FirstSampleOfTick(frame_ + 1, rate_hz_, options_.fps);
    const auto count = static_cast<size_t>(end - first);
    out.code_s = static_cast<double>(first) / rate_hz_;
    out.samples.resize(count);
    const size_t spoken = std::min(count, samples_.size() - samples_sent_);
    std::copy_n(samples_.begin() + static_cast<std::ptrdiff_t>(samples_sent_), spoken,
                out.samples.begin());
    samples_sent_ += spoken;
    if (samples_sent_ >= kDropSent) {
      samples_.erase(samples_.begin(),
                     samples_.begin() + static_cast<std::ptrdiff_t>(samples_sent_));
      samples_sent_ = 0;
    }
  }

  static constexpr size_t kDropSent = 1 << 17;

  SayOptions options_;
  std::vector<std::string> notes_;
  speech::SpeechQueue queue_;
  speech::VisemeTrack mouth_;
  speech::FaceTrack face_;
  Random random_;
  speech::HeadTrack head_;
  GesturePlan gestures_;
  int rate_hz_ = 0;
  std::vector<int16_t> samples_;
  size_t samples_sent_ = 0;  // of samples_
  int64_t samples_made_ = 0;
  int64_t frame_ = 0;
  int64_t frames_ = 0;
  bool finished_ = false;
  speech::FaceWeights weights_{};
};

}  // namespace

absl::StatusOr<std::unique_ptr<SaySource>> SaySource::Make(absl::string_view text,
                                                           std::unique_ptr<speech::Voice> voice,
                                                           const SayOptions& options) {
  if (options.fps.num <= 0 || options.fps.den <= 0 || options.fps.hz() < 23 ||
      options.fps.hz() > 120) {
    return absl::InvalidArgumentError(
        absl::StrCat("fps: ", timecode::ToString(options.fps),
                     " is out of range; a spoken face takes 23.976 to 120"));
  }
  absl::StatusOr<speech::SpokenText> clean = speech::CleanSpeechText(text);
  if (!clean.ok()) return clean.status();
  return std::make_unique<SpeakingSource>(*std::move(clean), std::move(voice), options);
}

}  // namespace posewire::a2f_source
