// A text that is said while it is being written, or a voice that is played while it is being made.
//
// A writer adds text or sound while has_room() holds; a reader takes pieces one at a time, as it
// needs them. A writer that is faster than speech therefore waits, and the stream holds at most the
// room and the last part that was written.
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

// Thread-safe, except that SetManner and Next belong to one thread.
class TextStream : public PieceSource {
 public:
  // has_room() is false once this much was written and not taken: text, in bytes; sound, in
  // seconds; and what the parts take in memory besides (words, phonemes, their own size), in bytes.
  static constexpr size_t kRoomBytes = 4096;
  static constexpr double kRoom_s = 5;
  static constexpr size_t kRoomPartBytes = size_t{256} * 1024;

  TextStream();

  // How the text is cut: `language` is BCP 47, empty as English. Called before the first Next.
  void SetManner(absl::string_view language, const ClauseLimits& limits);

  // Each of these adds one part, whether or not there is room. Calls after End are ignored.
  // Adds text, cut between any two bytes.
  void Write(absl::string_view utf8);
  // Adds a mark at the end of what was written so far. INVALID_ARGUMENT as of TagOf.
  absl::Status Mark(const TextMark& mark);
  // Has all text so far spoken without waiting for the rest of its sentence.
  void Flush();
  // Adds sound; `item.sound` is set.
  void Sound(SayItem item);
  // Ends the text. Next returns what is left, and then nothing.
  void End();

  // Whether a writer should add more now.
  bool has_room() const;
  // Sets what to call each time has_room() becomes true again, on the thread that calls Next. Null
  // ends the calls: none is in progress once this has returned. `on_room` must not call SetOnRoom.
  void SetOnRoom(std::function<void()> on_room);

  std::optional<SayItem> Next() override;
  void Cancel() override;
  bool waiting() const override;
  void Hurry() override;
  std::vector<std::string> TakeNotes() override;

 private:
  // A part: text, a flush (End is one too), or sound. kHurry is never queued.
  struct Entry {
    enum What { kText, kFlush, kSound, kHurry } what = kText;
    std::string text;
    SayItem sound;
    size_t taken = 0;  // bytes of `text`
  };

  // mutex_ is held in these three.
  bool HasRoom() const;
  void Add(Entry entry);
  void Count(const Entry& entry, int sign);

  std::optional<Entry> Take();
  void Process(Entry entry);
  void Place(TextPiece piece);
  bool TakeTag(absl::string_view tag);
  void Give(TextPiece piece);
  void Note(std::string note);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_, down to notes_.
  std::deque<Entry> entries_;
  size_t bytes_ = 0, part_bytes_ = 0;
  double sound_s_ = 0;
  bool ended_ = false, cancelled_ = false, waiting_ = false, hurry_ = false;
  std::vector<std::string> notes_;

  std::mutex room_mutex_;          // held while on_room_ is called; mutex_ is not
  std::function<void()> on_room_;  // guarded by room_mutex_

  // Of the thread that calls Next.
  TextCleaner cleaner_;
  std::optional<ClauseSplitter> splitter_;
  std::deque<TextMark> marks_;  // whose anchors have not come out yet
  std::deque<SayItem> ready_;
  std::string language_;  // of the last language mark; empty before the first
  bool over_ = false;     // all was taken, up to End
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_TEXT_STREAM_H_
