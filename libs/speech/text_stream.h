// A text that is spoken while it is being written, or a voice that is played while it is being
// made.
//
// A writer adds text or audio while has_room() is true; a reader takes pieces one at a time, as it
// needs them. So a writer that is faster than speech waits, and the stream keeps at most its
// capacity and the last part that was written.
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
  // Capacity: has_room() is false once this much was written and not taken. Text, in bytes; audio,
  // in seconds; and the other memory of parts (words, phonemes, their own size), in bytes.
  static constexpr size_t kRoomBytes = 4096;
  static constexpr double kRoom_s = 5;
  static constexpr size_t kRoomPartBytes = size_t{256} * 1024;

  TextStream();

  // Sets how the text is split: `language` is BCP 47, empty means English. Call before the first
  // Next.
  void SetManner(absl::string_view language, const ClauseLimits& limits);

  // Each of these adds one part, even if there is no room. Calls after End are ignored.
  // Adds text, divided between any two bytes.
  void Write(absl::string_view utf8);
  // Adds a mark at the end of the text so far. INVALID_ARGUMENT as in TagOf.
  absl::Status Mark(const TextMark& mark);
  // Speaks all text so far without waiting for the rest of its sentence.
  void Flush();
  // Adds audio; `item.sound` must be set.
  void Sound(SayItem item);
  // Ends the text. Next returns the rest, and then nothing.
  void End();

  // Returns true if a writer should add more now.
  bool has_room() const;
  // Sets a callback that is called each time has_room() becomes true again, on the thread that
  // calls Next. Null ends the calls: none is in progress once this has returned. `on_room` must not
  // call SetOnRoom.
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

  // These three require mutex_.
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

  // Used by the thread that calls Next.
  TextCleaner cleaner_;
  std::optional<ClauseSplitter> splitter_;
  std::deque<TextMark> marks_;  // their anchors have not been returned yet
  std::deque<SayItem> ready_;
  std::string language_;  // of the last language mark; empty before the first
  bool over_ = false;     // everything up to End was taken
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_TEXT_STREAM_H_
