// Source that makes a speaking avatar from text: voice, face, head and gestures.
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

// A clause that will be heard, or a piece of the client's voice. Times are seconds from the
// request's start.
struct SaidClause {
  std::string text;  // empty: silence, or audio with unknown text
  double start_s = 0;
  double end_s = 0;  // an estimate until its audio is complete
  std::vector<speech::PlacedWord> words;
  std::vector<speech::Phoneme> phonemes;
  std::vector<std::pair<double, speech::TextMark>> marks;  // each with its time, in order
  // An update of the last clause: more exact times of its words, and less text if its voice was cut
  // off; or, without a text, its next phonemes.
  bool again = false;
};

struct SayOptions {
  timecode::FrameRate fps;  // keys per second; 24 to 120
  uint64_t seed = 0;        // selects among the movements, together with the words
  bool body = true;         // head and gestures; if false, the stream names no joints
  bool hands = true;        // announces gestures (posewire.gesture.v1)
  speech::SpeechManner manner = {};
  speech::ClauseLimits clauses = {};  // how the text is split for the voice
  bool live = false;  // pieces have audio that arrives as it is spoken; see SoundFormat
  // The longest gap in the voice that NextNow fills with silence, in seconds.
  double max_gap_s = 3;
  // Called by Header, Next, NextNow and Ready for each new clause, in order.
  std::function<void(SaidClause)> on_clause = {};
};

// Makes one message per frame: the weights of FaceShapeNames(), the rotations of HeadJointNames()
// unless disabled, the gesture to be announced, and the frame's share of the audio (from floor(k R
// / fps) to floor((k + 1) R / fps)) at the rate R of the voice's first audio. After the voice come
// 0.5 s of silence in which face and body return to rest. The voice is made clause by clause as
// messages are requested. Lips follow the voice's phonemes if it reports them, otherwise its audio.
// The same text, options and voice audio give the same messages, unless NextNow filled a gap.
//
// Header and Next wait for the voice. They return its error if it can speak no part of the text,
// and INVALID_ARGUMENT if no word of it can be spoken. NextNow does not wait: if the voice is late,
// it sends silence and a face at rest and adds a note. It returns DEADLINE_EXCEEDED if that lasts
// longer than max_gap_s.
//
// Tags of text_mark.h take effect at their position in the text. Pauses, languages and emotions are
// handled here; gestures and expressions are passed to on_clause with their times.
class SaySource : public Source {
 public:
  // INVALID_ARGUMENT for text that CleanSpeechText rejects, and for a frame rate out of range.
  static absl::StatusOr<std::unique_ptr<SaySource>> Make(absl::string_view text,
                                                         std::unique_ptr<speech::Voice> voice,
                                                         const SayOptions& options = {});

  // Speaks pieces that are still being written. While NextNow waits for text, it fills gaps of any
  // length, without a note. The stream names all ARKit shapes, since emotions may follow.
  // `seed_text` replaces the words in selecting among the movements. If `sound_rate_hz` is above 0,
  // all pieces have audio at that rate, and `voice` may be null. INVALID_ARGUMENT for a frame rate
  // out of range.
  static absl::StatusOr<std::unique_ptr<SaySource>> MakeOpen(
      std::shared_ptr<speech::PieceSource> pieces, std::unique_ptr<speech::Voice> voice,
      const SayOptions& options, absl::string_view seed_text, int sound_rate_hz = 0);
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_SOURCE_H_
