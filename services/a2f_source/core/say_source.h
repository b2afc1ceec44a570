// A speaking avatar from text: voice, face, head and hands.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_SOURCE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_SOURCE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/speech/clause_splitter.h"
#include "libs/speech/piece_source.h"
#include "libs/speech/place_words.h"
#include "libs/speech/speech_queue.h"
#include "libs/speech/text_mark.h"
#include "libs/speech/voice.h"
#include "libs/timecode/frame_rate.h"
#include "services/a2f_source/core/source.h"

namespace posewire::a2f_source {

// A clause that will be heard, or a stretch of the caller's voice. Times are seconds from the
// request's start.
struct SaidClause {
  std::string text;  // empty: silence, or sound whose text is not known
  double start_s = 0;
  double end_s = 0;  // an estimate while its sound is being made
  std::vector<speech::PlacedWord> words;
  std::vector<speech::Phoneme> phonemes;
  std::vector<std::pair<double, speech::TextMark>> marks;  // each with its time, in order
  // More of the last clause given: better times of its words, and less text where its voice was cut
  // off; or, without a text, its next phonemes.
  bool again = false;
};

struct SayOptions {
  timecode::FrameRate fps;  // keys a second; 24 to 120
  uint64_t seed = 0;        // chooses among the ways to move; the words do so as well
  bool body = true;         // head and gestures; without it the stream names no joints
  bool hands = true;        // announces gestures (posewire.gesture.v1)
  speech::SpeechManner manner = {};
  speech::ClauseLimits clauses = {};  // how the text is cut for the voice
  bool live = false;  // the pieces have sound that comes as it is spoken; see SoundFormat
  // NextNow bridges so many seconds without sound from the voice with silence.
  double max_gap_s = 3;
  // Called by Header, Next, NextNow and Ready as clauses are made, in order.
  std::function<void(SaidClause)> on_clause = {};
};

// One message a frame: the weights of FaceShapeNames(), the rotations of HeadJointNames() unless
// the options leave them out, the gesture that is to be announced, and the frame's share of the
// sound (from floor(k R / fps) to floor((k + 1) R / fps)) at the rate R of the voice's first sound.
// After the voice comes 0.5 s of silence in which face and body come to rest. The voice is made
// clause by clause as messages are asked for. Lips follow the voice's phonemes where it tells them,
// else its sound. The same text, options and sound of the voice give the same messages, unless
// NextNow bridged a gap.
//
// Header and Next wait for the voice. They return its error when it can speak no part of the text,
// and INVALID_ARGUMENT when no word of it can be spoken. NextNow does not wait: where the voice is
// late, it sends silence and a face at rest, says so in a note, and ends with DEADLINE_EXCEEDED
// when that lasts longer than max_gap_s.
//
// Tags of text_mark.h take effect at their place in the text: pauses, languages and emotions here,
// gestures and expressions through on_clause, which gets them with their times.
class SaySource : public Source {
 public:
  // INVALID_ARGUMENT for text that CleanSpeechText rejects, and for a frame rate out of range.
  static absl::StatusOr<std::unique_ptr<SaySource>> Make(absl::string_view text,
                                                         std::unique_ptr<speech::Voice> voice,
                                                         const SayOptions& options = {});

  // Speaks pieces that are still being written. While NextNow waits for text, it bridges any time,
  // without a note. The stream names all shapes of ARKit, since emotions may follow. `seed_text`
  // replaces the words in choosing among the ways to move. With `sound_rate_hz` above 0, all pieces
  // have sound at that rate, and `voice` may be null. INVALID_ARGUMENT for a frame rate out of
  // range.
  static absl::StatusOr<std::unique_ptr<SaySource>> MakeOpen(
      std::shared_ptr<speech::PieceSource> pieces, std::unique_ptr<speech::Voice> voice,
      const SayOptions& options, absl::string_view seed_text, int sound_rate_hz = 0);
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_SOURCE_H_
