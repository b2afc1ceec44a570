// Sources of the pieces that an avatar speaks: a whole text, a text that is still being written, or
// a voice made by the client.
#ifndef POSEWIRE_LIBS_SPEECH_PIECE_SOURCE_H_
#define POSEWIRE_LIBS_SPEECH_PIECE_SOURCE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libs/speech/speech_text.h"
#include "libs/speech/voice.h"

namespace posewire::speech {

// A piece to speak, or existing audio.
struct SayItem {
  // If it has no text: its marks, and silence of pause_s.
  TextPiece piece;
  // Audio of the client's voice, with its own words and phonemes if known.
  std::optional<SpeechPart> sound;
  // With sound: the clause ends here. Otherwise the next sound belongs to it too.
  bool ends_clause = true;
};

// One thread calls Next; any thread may call the others.
class PieceSource {
 public:
  virtual ~PieceSource() = default;

  // Waits for the next item and returns it. Returns nothing at the end, and once cancelled.
  virtual std::optional<SayItem> Next() = 0;
  // Ends a waiting Next, and all later ones.
  virtual void Cancel() = 0;
  // Returns true while Next waits for its writer.
  virtual bool waiting() const { return false; }
  // Asks a waiting Next for the beginning of an incomplete sentence, because nothing else is left
  // to say. There may be none.
  virtual void Hurry() {}
  // Returns notes on what was dropped since the last call, one sentence each.
  virtual std::vector<std::string> TakeNotes() { return {}; }
};

// A whole text. Next never waits.
class PieceList : public PieceSource {
 public:
  explicit PieceList(std::vector<TextPiece> pieces) : pieces_(std::move(pieces)) {
    if (!pieces_.empty()) pieces_.back().ends_paragraph = false;  // no other paragraph follows
  }

  std::optional<SayItem> Next() override {
    if (next_ == pieces_.size()) return std::nullopt;
    return SayItem{std::move(pieces_[next_++]), std::nullopt, true};
  }
  void Cancel() override {}

 private:
  std::vector<TextPiece> pieces_;
  size_t next_ = 0;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_PIECE_SOURCE_H_
