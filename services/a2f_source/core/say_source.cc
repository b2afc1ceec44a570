#include "services/a2f_source/core/say_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/speech/estimate_words.h"
#include "libs/speech/face_track.h"
#include "libs/speech/heard_mouth.h"
#include "libs/speech/phrase.h"
#include "libs/speech/speech_queue.h"
#include "libs/speech/speech_text.h"
#include "libs/speech/text_stream.h"
#include "libs/speech/viseme_track.h"
#include "libs/timecode/audio_position.h"
#include "libs/wire/speech_gesture.h"
#include "services/a2f_source/core/emotion_face.h"
#include "services/a2f_source/core/emotion_track.h"
#include "services/a2f_source/core/say_body.h"
#include "services/a2f_source/core/say_gestures.h"

namespace posewire::a2f_source {
namespace {

constexpr double kTail_s = 0.5;
// The motion at a time depends on words up to this much later, mostly to announce gestures.
constexpr double kLookahead_s = 1.0;
// Faces prepare for their next words this long before.
constexpr double kGetReady_s = 0.3;
// Silence before and after the words of a clause, if the voice does not report their times.
constexpr double kWordsBegin_s = 0.05;
// Look-ahead for audio from another source: the need of lips that follow it.
constexpr double kLiveLookahead_s = speech::HeardMouth::kLookahead_s + 0.005;
constexpr double kSoundLookahead_s = kLiveLookahead_s + 0.045;
// Available audio is taken this far ahead, because the times of a clause's words are known once it
// ends.
constexpr double kSoundAhead_s = 8;
// If less than this is left to say, a text that arrives slowly is spoken in smaller pieces: the
// time to make one with a voice of this process, or with a slow one.
constexpr double kHurry_s = 0.4, kSlowHurry_s = 1.5;
// Given emotions are shown at their full strength.
constexpr EmotionSettings kGivenEmotions = {.given_strength = 1, .strength = 1};
// Later than any playback.
constexpr double kNever_s = 1e12;
// Maximum number of notes per text.
constexpr size_t kMostNotes = 100;

// FNV-1a: the same on every machine.
uint64_t HashText(absl::string_view text, uint64_t seed) {
  uint64_t h = 14695981039346656037ULL ^ (seed * 0x9E3779B97F4A7C15ULL);
  for (const char c : text) h = (h ^ static_cast<uint8_t>(c)) * 1099511628211ULL;
  return h;
}

class SpeakingSource : public SaySource {
 public:
  // `seed_text` selects the movements of face, head and hands.
  SpeakingSource(std::shared_ptr<speech::PieceSource> pieces, std::unique_ptr<speech::Voice> voice,
                 const SayOptions& options, absl::string_view seed_text, bool emotions,
                 int sound_rate_hz)
      : options_(options),
        queue_(std::move(voice), std::move(pieces), options.manner, sound_rate_hz),
        face_(HashText(seed_text, options.seed)),
        random_(HashText(seed_text, options.seed + 1)),
        head_(random_),
        gestures_(HashText(seed_text, options.seed + 2)),
        rate_hz_(sound_rate_hz),
        lookahead_s_(options.live        ? kLiveLookahead_s
                     : sound_rate_hz > 0 ? kSoundLookahead_s
                                         : kLookahead_s),
        take_ahead_s_(sound_rate_hz > 0 ? kSoundAhead_s : kLookahead_s),
        hurry_s_(options.clauses.growth > 0 ? kSlowHurry_s : kHurry_s) {
    if (emotions) emotions_.emplace(kGivenEmotions);
  }

  absl::StatusOr<wire::StreamHeader> Header() override {
    while (Lacks()) Take();
    began_ = true;
    if (!fault_.ok()) return fault_;
    wire::StreamHeader header;
    header.source_service_id = "posewire-say";
    header.audio_rate_hz = rate_hz_;
    if (emotions_) {
      header.shapes = EmotionalShapeNames();
    } else {
      for (const absl::string_view name : speech::FaceShapeNames())
        header.shapes.emplace_back(name);
    }
    for (size_t j = 0; j < Joints(); ++j) header.joints.emplace_back(HeadJointNames()[j]);
    return header;
  }

  bool Ready() override {
    while (LacksUntil(now_s() + take_ahead_s_) && queue_.Ready()) Take();
    if (began_ && LacksUntil(now_s() + hurry_s_) && queue_.waits_for_text()) queue_.Hurry();
    return !Lacks();
  }

  bool live() const override { return options_.live; }

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

  void Note(std::string note) {
    if (notes_.size() + 1 == kMostNotes) note = "further notes are left out";
    if (notes_.size() < kMostNotes) notes_.push_back(std::move(note));
  }

 private:
  size_t Joints() const { return options_.body ? kHeadJoints : 0; }

  double now_s() const { return options_.fps.SecondsAt(frame_); }
  double spoken_s() const { return static_cast<double>(samples_made_) / rate_hz_; }

  // Returns true if words and audio that the next message depends on have not arrived.
  bool Lacks() const { return LacksUntil(now_s() + lookahead_s_); }
  bool LacksUntil(double t_s) const {
    if (finished_ || !fault_.ok()) return false;
    return rate_hz_ == 0 || (began_ && spoken_s() < t_s);
  }

  // Waits for the next piece and takes it.
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

  void Add(speech::SpokenPiece& piece) {
    speech::SpeechPiece& speech = piece.speech;
    rate_hz_ = speech.rate_hz;
    const double start_s = spoken_s();
    AddClause(piece, start_s);
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

  // Adds a clause's movements and events, and reports it.
  void AddClause(speech::SpokenPiece& piece, double start_s) {
    SaidClause said{piece.text, start_s,        start_s + piece.speech.duration_s(), {}, {},
                    {},         /*again=*/false};
    said.phonemes = piece.speech.phonemes;
    for (speech::Phoneme& phoneme : said.phonemes) {
      phoneme.start_s += start_s;
      phoneme.end_s += start_s;
    }
    if (piece.begins_clause) {
      AddWords(piece, said);
    } else {
      CorrectClause(piece, start_s);
      if (said.phonemes.empty()) return;
      said.text.clear();
      said.again = true;
    }
    if (options_.on_clause) options_.on_clause(std::move(said));
  }

  // Fills `said` with the words and marks of a piece that begins a clause.
  void AddWords(speech::SpokenPiece& piece, SaidClause& said) {
    const bool guessed = piece.speech.words.empty() && !piece.text.empty();
    guessed_.reset();
    if (guessed && !piece.ends_clause) guessed_ = said;
    const double sound_end_s = said.end_s;
    if (!piece.ends_clause || piece.cut) {  // its words are those of the whole clause
      const double whole_s = speech::EstimateSeconds(piece.text) / options_.manner.speed;
      said.end_s = std::max(said.end_s, said.start_s + whole_s);
    }
    if (!piece.text.empty() || !piece.speech.words.empty()) {
      AddPhrase(piece, said.start_s, said.end_s - said.start_s);
      said.words = speech::PlaceWords(piece.text, piece.speech.words);
    }
    Shift(said.start_s, said.words);
    if (guessed_) guessed_->words = said.words;
    if (piece.cut) Cut(sound_end_s, said);
    for (speech::PlacedMark& mark : piece.marks) {
      const auto word =
          std::find_if(said.words.begin(), said.words.end(),
                       [&](const speech::PlacedWord& w) { return w.begin >= mark.at; });
      const double time_s = word != said.words.end() ? word->start_s : said.end_s;
      if (mark.mark.kind == speech::TextMark::kEmotion) AddEmotion(time_s, mark.mark);
      said.marks.emplace_back(time_s, std::move(mark.mark));
    }
  }

  // The voice ended within a clause.
  static void Cut(double end_s, SaidClause& said) {
    while (!said.words.empty() && said.words.back().start_s >= end_s) said.words.pop_back();
    said.text.resize(said.words.empty() ? 0 : said.words.back().end);
    said.end_s = end_s;
  }

  static void Shift(double by_s, std::vector<speech::PlacedWord>& words) {
    for (speech::PlacedWord& word : words) {
      word.start_s += by_s;
      word.end_s += by_s;
    }
  }

  // Corrects the words of a clause, which were estimated before its audio was complete. Now it is,
  // or never will be.
  void CorrectClause(const speech::SpokenPiece& piece, double start_s) {
    if (!guessed_ || !piece.ends_clause) return;
    SaidClause said = *std::exchange(guessed_, std::nullopt);
    said.again = true;
    said.end_s = start_s + piece.speech.duration_s();
    if (piece.cut) {
      Cut(said.end_s, said);
    } else {
      const double end_s = said.end_s - said.start_s - std::max(kWordsBegin_s, piece.tail_s);
      said.words = speech::PlaceWords(
          said.text, speech::EstimateWords(said.text, options_.manner.language, kWordsBegin_s,
                                           std::max(kWordsBegin_s, end_s)));
      Shift(said.start_s, said.words);
    }
    if (options_.on_clause) options_.on_clause(std::move(said));
  }

  // The voice is late within a clause, so the times of its other words are unknown.
  void HoldClause(double from_s) {
    if (!guessed_) return;
    SaidClause said = *guessed_;
    said.again = true;
    for (speech::PlacedWord& word : said.words) {
      if (word.start_s >= from_s) word.start_s = word.end_s = kNever_s;
    }
    if (options_.on_clause) options_.on_clause(std::move(said));
  }

  void AddEmotion(double time_s, const speech::TextMark& mark) {
    EmotionKey key{time_s, {}};
    const auto names = EmotionNames();
    const auto* name = std::find(names.begin(), names.end(), mark.name);
    if (name != names.end()) {
      key.emotions[static_cast<size_t>(name - names.begin())] = static_cast<float>(mark.value);
    } else if (mark.name != "neutral") {
      return Note(absl::StrCat("emotion: \"", mark.name, "\" is unknown; neutral, ",
                               absl::StrJoin(names, ", "), " are right"));
    }
    if (emotions_) emotions_->Add(key);
  }

  void AddPhrase(speech::SpokenPiece& piece, double start_s, double length_s) {
    speech::SpeechPiece& speech = piece.speech;
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

  // Adds silence up to t.
  void SilenceUntil(double t_s) {
    AddSilence(static_cast<int64_t>(std::ceil(t_s * rate_hz_)) - samples_made_);
  }

  // Fills a gap: the next message is due, and the voice is late.
  void Bridge() {
    const double before_s = spoken_s();
    // For a live voice as little as possible, because it delays all that follows.
    SilenceUntil(now_s() + (options_.live ? lookahead_s_
                            : heard_ ? options_.fps.period_s() + speech::HeardMouth::kLookahead_s
                                     : options_.fps.period_s()));
    if (gap_s_ == 0) HoldClause(before_s);
    gap_s_ += spoken_s() - before_s;
    if (now_s() >= face_.next_blink_s()) face_.Blink(now_s());
    if (queue_.waits_for_text()) {
      gap_for_text_ = true;
      voice_gap_s_ = 0;
    } else {
      voice_gap_s_ += spoken_s() - before_s;
    }
    if (voice_gap_s_ > options_.max_gap_s) {
      fault_ = absl::DeadlineExceededError(
          absl::StrFormat("voice: no sound for %.1f s after %.1f s of speech; --max-gap-s allows "
                          "longer gaps, and --fallback-voice takes another voice",
                          voice_gap_s_, spoken_s() - gap_s_));
    }
  }

  // Ends a gap: the voice is back.
  void EndGap() {
    if (gap_s_ == 0) return;
    const double from_s = spoken_s() - gap_s_;
    // Movements that precede the voice begin from the rest pose that was sent.
    if (!options_.live) SilenceUntil(now_s() + kGetReady_s);
    if (!std::exchange(gap_for_text_, false)) {
      Note(absl::StrFormat("voice: late, silence from %.1f s to %.1f s", from_s, spoken_s()));
    }
    gap_s_ = voice_gap_s_ = 0;
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
    // The last frame is the first one at rest.
    const double rest_s = options_.fps.SecondsAt(frames_ - 1);
    face_.Finish(rest_s);
    head_.Finish(rest_s);
  }

  void AddPose(double t_s, wire::DataChunk& out) {
    const speech::HeadAngles head = head_.At(t_s);
    mouth_.DropBefore(t_s);
    const speech::HeadLook look = options_.body ? head.look() : speech::HeadLook{};
    face_.At(t_s, MouthAt(t_s), look, weights_);
    wire::KeyBlock& weights = out.pose[wire::kWeights];
    std::vector<float> values =
        emotions_ ? WithEmotions(weights_, emotions_->At(t_s, options_.fps.period_s()))
                  : std::vector<float>(weights_.begin(), weights_.end());
    weights = {static_cast<int>(values.size()), {t_s}, std::move(values)};
    if (Joints() == 0) return;
    wire::KeyBlock& rotations = out.pose[wire::kRotations];
    rotations.width = static_cast<int>(4 * Joints());
    rotations.time_codes_s = {t_s};
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
    out.time_code_s = static_cast<double>(first) / rate_hz_;
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
  // For clauses without phonemes, from heard_from_s_ on.
  std::optional<speech::HeardMouth> heard_;
  double heard_from_s_ = 0;
  speech::FaceTrack face_;
  Random random_;
  speech::HeadTrack head_;
  GesturePlan gestures_;
  int rate_hz_ = 0;
  bool began_ = false;  // the header was requested
  std::vector<int16_t> samples_;
  size_t samples_sent_ = 0;  // in samples_
  int64_t samples_made_ = 0;
  int64_t frame_ = 0;
  int64_t frames_ = 0;
  bool finished_ = false;
  const double lookahead_s_, take_ahead_s_, hurry_s_;
  std::optional<EmotionTrack> emotions_;
  std::optional<SaidClause> guessed_;  // its audio is incomplete, and its words are estimated
  double gap_s_ = 0;           // length of the silence added at the end while nothing arrived
  double voice_gap_s_ = 0;     // its part since the voice had text to say
  bool gap_for_text_ = false;  // the gap began before there was text
  absl::Status fault_;
  speech::FaceWeights weights_{};
};

absl::Status CheckFps(const timecode::FrameRate& fps) {
  if (fps.num > 0 && fps.den > 0 && fps.hz() >= 23 && fps.hz() <= 120) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("fps: ", timecode::ToString(fps),
                                                 " is out of range; a spoken face takes 23.976 to "
                                                 "120"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SaySource>> SaySource::Make(absl::string_view text,
                                                           std::unique_ptr<speech::Voice> voice,
                                                           const SayOptions& options) {
  if (absl::Status s = CheckFps(options.fps); !s.ok()) return s;
  absl::StatusOr<speech::SpokenText> clean = speech::CleanSpeechText(text);
  if (!clean.ok()) return clean.status();
  speech::TextStream stream;
  stream.SetManner(options.manner.language, options.clauses);
  stream.Write(text);
  stream.End();
  std::vector<speech::TextPiece> pieces;
  bool emotions = false;
  while (std::optional<speech::SayItem> item = stream.Next()) {
    for (const speech::PlacedMark& mark : item->piece.marks) {
      emotions |= mark.mark.kind == speech::TextMark::kEmotion;
    }
    pieces.push_back(std::move(item->piece));
  }
  auto source =
      std::make_unique<SpeakingSource>(std::make_shared<speech::PieceList>(std::move(pieces)),
                                       std::move(voice), options, clean->text, emotions, 0);
  for (std::string& note : stream.TakeNotes()) source->Note(std::move(note));
  return source;
}

absl::StatusOr<std::unique_ptr<SaySource>> SaySource::MakeOpen(
    std::shared_ptr<speech::PieceSource> pieces, std::unique_ptr<speech::Voice> voice,
    const SayOptions& options, absl::string_view seed_text, int sound_rate_hz) {
  if (absl::Status s = CheckFps(options.fps); !s.ok()) return s;
  return std::make_unique<SpeakingSource>(std::move(pieces), std::move(voice), options, seed_text,
                                          /*emotions=*/true, sound_rate_hz);
}

}  // namespace posewire::a2f_source
