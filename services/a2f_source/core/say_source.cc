#include "services/a2f_source/core/say_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/speech/estimate_words.h"
#include "libs/speech/face_track.h"
#include "libs/speech/heard_mouth.h"
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
// Faces turn to their next words so long before.
constexpr double kGetReady_s = 0.3;
// Silence before and after the words of a clause, where the voice does not tell its words.
constexpr double kWordsBegin_s = 0.05;
// Notes of one text.
constexpr size_t kMostNotes = 100;

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
        queue_(std::move(voice),
               speech::SplitSpeechText(text.text, options.clauses, options.manner.language),
               options.manner),
        face_(HashText(text.text, options.seed)),
        random_(HashText(text.text, options.seed + 1)),
        head_(random_),
        gestures_(HashText(text.text, options.seed + 2)) {}

  absl::StatusOr<wire::StreamHeader> Header() override {
    while (Lacks()) Take();
    began_ = true;
    if (!fault_.ok()) return fault_;
    wire::StreamHeader header;
    header.source_service_id = "posewire-say";
    header.audio_rate_hz = rate_hz_;
    for (const absl::string_view name : speech::FaceShapeNames()) header.shapes.emplace_back(name);
    for (size_t j = 0; j < Joints(); ++j) header.joints.emplace_back(HeadJointNames()[j]);
    return header;
  }

  bool Ready() override {
    while (Lacks() && queue_.Ready()) Take();
    return !Lacks();
  }

  absl::StatusOr<std::optional<wire::Message>> Next() override {
    while (Lacks()) Take();
    return Make();
  }

  absl::StatusOr<std::optional<wire::Message>> NextNow() override {
    if (!Ready()) Bridge();
    return Make();
  }

  std::optional<double> duration_s() const override {
    if (!finished_) return std::nullopt;
    return options_.fps.SecondsAt(frames_);
  }

  std::vector<std::string> notes() const override { return notes_; }

 private:
  size_t Joints() const { return options_.body ? kHeadJoints : 0; }

  double now_s() const { return options_.fps.SecondsAt(frame_); }
  double spoken_s() const { return static_cast<double>(samples_made_) / rate_hz_; }

  // Whether words and sound that the next message depends on have not come.
  bool Lacks() const {
    if (finished_ || !fault_.ok()) return false;
    return rate_hz_ == 0 || (began_ && spoken_s() < now_s() + kLookahead_s);
  }

  // Takes what comes next; waits for it.
  void Take() {
    absl::StatusOr<std::optional<speech::SpokenPiece>> piece = queue_.Next();
    for (std::string& note : queue_.TakeNotes()) Note(std::move(note));
    if (!piece.ok()) {
      fault_ = piece.status();
    } else if (*piece) {
      EndGap();
      Add(**piece);
    } else {
      Finish();
    }
  }

  void Note(std::string note) {
    if (notes_.size() + 1 == kMostNotes) note = "further notes are left out";
    if (notes_.size() < kMostNotes) notes_.push_back(std::move(note));
  }

  void Add(speech::SpokenPiece& piece) {
    speech::SpeechPiece& speech = piece.speech;
    rate_hz_ = speech.rate_hz;
    const double start_s = spoken_s();
    if (piece.begins_clause) AddPhrase(piece, start_s);
    if (speech.phonemes.empty()) {
      if (!heard_) {
        heard_.emplace(speech::SpeechNetwork::Builtin(), rate_hz_);
        heard_from_s_ = start_s;
      }
      heard_->Add(speech.samples);
    } else {
      mouth_.Add(speech, start_s);
      if (heard_) heard_->Add(std::vector<int16_t>(speech.samples.size()));
    }
    samples_.insert(samples_.end(), speech.samples.begin(), speech.samples.end());
    samples_made_ += static_cast<int64_t>(speech.samples.size());
  }

  // What moves with the words.
  void AddPhrase(speech::SpokenPiece& piece, double start_s) {
    speech::SpeechPiece& speech = piece.speech;
    double length_s = speech.duration_s();
    if (!piece.ends_clause) {  // the rest still comes
      length_s = std::max(length_s, speech::EstimateSeconds(piece.text) / options_.manner.speed);
    }
    if (speech.words.empty()) {
      const double end_s = length_s - std::max(kWordsBegin_s, piece.tail_s);
      speech.words = speech::EstimateWords(piece.text, options_.manner.language, kWordsBegin_s,
                                           std::max(kWordsBegin_s, end_s));
    }
    speech::Phrase phrase = speech::PlacePhrase(speech, piece.ending, start_s);
    phrase.end_s = start_s + length_s;
    phrase.begins_paragraph = piece.begins_paragraph;
    face_.Add(phrase);
    head_.Add(phrase, random_);
    gestures_.Add(phrase);
  }

  void AddSilence(int64_t count) {
    if (count <= 0) return;
    const std::vector<int16_t> silence(static_cast<size_t>(count));
    if (heard_) heard_->Add(silence);
    samples_.insert(samples_.end(), silence.begin(), silence.end());
    samples_made_ += count;
  }

  // Fills up with silence until t.
  void SilenceUntil(double t_s) {
    AddSilence(static_cast<int64_t>(std::ceil(t_s * rate_hz_)) - samples_made_);
  }

  // The next message is due, and the voice is late for it.
  void Bridge() {
    const double before_s = spoken_s();
    SilenceUntil(now_s() + options_.fps.period_s() +
                 (heard_ ? speech::HeardMouth::kLookahead_s : 0));
    gap_s_ += spoken_s() - before_s;
    if (gap_s_ > options_.max_gap_s) {
      fault_ = absl::DeadlineExceededError(
          absl::StrFormat("voice: no sound for %.1f s after %.1f s of speech; --max-gap-s allows "
                          "longer gaps, and --fallback-voice takes another voice",
                          gap_s_, spoken_s() - gap_s_));
    }
  }

  // The voice is there again.
  void EndGap() {
    if (gap_s_ == 0) return;
    const double from_s = spoken_s() - gap_s_;
    // What moves ahead of the voice begins from the rest that was sent.
    SilenceUntil(now_s() + kGetReady_s);
    Note(absl::StrFormat("voice: late, silence from %.1f s to %.1f s", from_s, spoken_s()));
    gap_s_ = 0;
  }

  absl::StatusOr<std::optional<wire::Message>> Make() {
    if (!fault_.ok()) return fault_;
    if (finished_ && frame_ >= frames_) return std::nullopt;
    const double t_s = now_s();
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

  speech::MouthPose MouthAt(double t_s) {
    speech::MouthPose pose = mouth_.At(t_s);
    if (heard_ && t_s >= heard_from_s_) {
      // One of the two is at rest.
      const speech::MouthPose heard = heard_->At(t_s - heard_from_s_);
      for (size_t i = 0; i < pose.size(); ++i) pose[i] = std::max(pose[i], heard[i]);
    }
    return pose;
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
    face_.At(t_s, MouthAt(t_s), look, weights_);
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
  // Of the clauses without phonemes, from heard_from_s_ on.
  std::optional<speech::HeardMouth> heard_;
  double heard_from_s_ = 0;
  speech::FaceTrack face_;
  Random random_;
  speech::HeadTrack head_;
  GesturePlan gestures_;
  int rate_hz_ = 0;
  bool began_ = false;  // the header was asked for
  std::vector<int16_t> samples_;
  size_t samples_sent_ = 0;  // of samples_
  int64_t samples_made_ = 0;
  int64_t frame_ = 0;
  int64_t frames_ = 0;
  bool finished_ = false;
  double gap_s_ = 0;  // the silence at the end of what was made, in which the voice was late
  absl::Status fault_;
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
