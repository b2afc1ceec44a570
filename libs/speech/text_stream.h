// A text that is said while it is being written, or a voice that is played while it is being made.
//
// One side writes, as much as there is room for; the other takes pieces, one at a time, when it
// needs them. So a writer that is faster than speech comes to wait, wherever it is, and all that is
// held of its text is a few KiB.
#ifndef POSEWIRE_LIBS_SPEECH_TEXT_STREAM_H_
#define POSEWIRE_LIBS_SPEECH_TEXT_STREAM_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/speech/clause_splitter.h"
#include "libs/speech/piece_source.h"
#include "libs/speech/text_cleaner.h"

namespace posewire::speech {

// Thread-safe; Next is one thread's.
class TextStream : public PieceSource {
 public:
  // What is written and not taken; a writer that finds more than this waits.
  static constexpr size_t kRoomBytes = 4096;
  static constexpr double kRoom_s = 5;

  TextStream();

  // Before the first Next.
  void SetManner(absl::string_view language, const ClauseLimits& limits);

  // Each adds one thing, whether or not there is room. What comes after End is ignored.
  void Write(absl::string_view utf8);
  // INVALID_ARGUMENT as of TagOf.
  absl::Status Mark(const TextMark& mark);
  // What was held back to see how the sentence goes on is said.
  void Flush();
  void Sound(SayItem item);
  void End();

  // Whether more is to be written now.
  bool has_room() const;
  // `on_room` is called, on the thread that takes, each time there is room again. Null: not any
  // more, and none is under way once this has returned.
  void SetOnRoom(std::function<void()> on_room);

  // Text that was written in all, bytes.
  size_t written() const;

  std::optional<SayItem> Next() override;
  void Cancel() override;
  bool waiting() const override;
  void Hurry() override;
  std::vector<std::string> TakeNotes() override;

 private:
  // Text, its end or pause, or sound.
  struct Entry {
    enum What { kText, kFlush, kSound, kHurry } what = kText;
    std::string text;
    SayItem sound;
  };

  bool HasRoom() const;  // mutex_ is held
  std::optional<Entry> Take();
  void Process(Entry entry);
  void Place(TextPiece piece);
  bool TakeTag(absl::string_view tag);
  void Give(TextPiece piece);
  void Note(std::string note);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All that follows is guarded by mutex_.
  std::deque<Entry> entries_;
  size_t bytes_ = 0, written_ = 0;
  double sound_s_ = 0;
  bool ended_ = false, cancelled_ = false, waiting_ = false, hurry_ = false;
  std::vector<std::string> notes_;
  std::mutex room_mutex_;  // held while on_room_ is called
  std::function<void()> on_room_;

  // Of the thread that takes.
  TextCleaner cleaner_;
  std::optional<ClauseSplitter> splitter_;
  std::deque<TextMark> marks_;  // whose anchors have not come out yet
  std::deque<SayItem> ready_;
  std::string language_;  // since the last mark of one
  bool over_ = false;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_TEXT_STREAM_H_
