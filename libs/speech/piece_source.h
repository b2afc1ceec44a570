// Where the pieces come from that an avatar says: a whole text, one that is still being written, or
// a voice that somebody else makes.
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

// A piece to speak. With sound it is spoken already.
struct SayItem {
  // Without a text: marks and silence.
  TextPiece piece;
  std::optional<SpeechPart> sound;
  bool ends_clause = true;  // of sound: the next one does not go on with the text of this one
};

class PieceSource {
 public:
  virtual ~PieceSource() = default;

  // The next item; waits for it. Nothing at the end. One thread.
  virtual std::optional<SayItem> Next() = 0;
  // Ends a Next that waits, and those to come. From any thread.
  virtual void Cancel() = 0;
  // Whether Next waits for somebody to go on. From any thread.
  virtual bool waiting() const { return false; }
  // There is nothing else to say just now: a Next that waits gives less than it would. From any
  // thread.
  virtual void Hurry() {}
  // What was left out since the last call, one sentence each. From any thread.
  virtual std::vector<std::string> TakeNotes() { return {}; }
};

// A whole text. Next never waits.
class PieceList : public PieceSource {
 public:
  explicit PieceList(std::vector<TextPiece> pieces) : pieces_(std::move(pieces)) {
    if (!pieces_.empty()) pieces_.back().ends_paragraph = false;  // nothing to be parted from
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
