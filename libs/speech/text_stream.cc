#include "libs/speech/text_stream.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/speech/unicode_text.h"

namespace posewire::speech {
namespace {

// Long text is cleaned and cut in portions of this size, when its pieces are needed.
constexpr size_t kPortionBytes = 512;
// The most notes that wait to be taken; later ones are dropped.
constexpr size_t kMostNotes = 100;
// The most marks that wait for a word; later ones are left out with a note.
constexpr size_t kMostMarks = 100;

double SecondsOf(const SpeechPart& sound) {
  return sound.rate_hz > 0 ? static_cast<double>(sound.samples.size()) / sound.rate_hz : 0;
}

// Returns the memory that the words and phonemes of a sound take.
size_t SizeOf(const SpeechPart& sound) {
  size_t size = 0;
  for (const Word& word : sound.words) size += sizeof(Word) + word.text.size();
  for (const Phoneme& phoneme : sound.phonemes) size += sizeof(Phoneme) + phoneme.phone.size();
  return size;
}

}  // namespace

TextStream::TextStream() : cleaner_([this](absl::string_view tag) { return TakeTag(tag); }) {
  splitter_.emplace("");
}

void TextStream::SetManner(absl::string_view language, const ClauseLimits& limits) {
  splitter_.emplace(language, limits);
}

void TextStream::Write(absl::string_view utf8) {
  const std::lock_guard lock(mutex_);
  if (ended_ || utf8.empty()) return;
  if (!entries_.empty() && entries_.back().what == Entry::kText) {
    entries_.back().text.append(utf8.data(), utf8.size());
    bytes_ += utf8.size();
  } else {
    Add({Entry::kText, std::string(utf8), {}});
  }
  changed_.notify_all();
}

absl::Status TextStream::Mark(const TextMark& mark) {
  const absl::StatusOr<std::string> tag = TagOf(mark);
  if (!tag.ok()) return tag.status();
  // A zero-width space, which is not spoken: a backslash before it then does not escape the tag.
  Write("\u200B" + *tag);
  return absl::OkStatus();
}

void TextStream::Flush() {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  // Several flushes in a row have the effect of one.
  if (entries_.empty() || entries_.back().what != Entry::kFlush) Add({Entry::kFlush, {}, {}});
}

void TextStream::Sound(SayItem item) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  Add({Entry::kSound, {}, std::move(item)});
}

void TextStream::End() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(ended_, true)) return;
  Add({Entry::kFlush, {}, {}});
}

void TextStream::Add(Entry entry) {
  Count(entry, 1);
  entries_.push_back(std::move(entry));
  changed_.notify_all();
}

// Adds the size of an entry (sign 1) or subtracts it (sign -1).
void TextStream::Count(const Entry& entry, int sign) {
  const auto add = [sign](size_t size, size_t& sum) { sign > 0 ? sum += size : sum -= size; };
  add(entry.text.size() - entry.taken, bytes_);
  add(sizeof(Entry), part_bytes_);
  if (entry.what != Entry::kSound) return;
  const SpeechPart& sound = *entry.sound.sound;
  add(entry.sound.piece.text.size(), bytes_);
  add(SizeOf(sound), part_bytes_);
  sound_s_ += sign * SecondsOf(sound);
}

bool TextStream::HasRoom() const {
  return bytes_ < kRoomBytes && sound_s_ < kRoom_s && part_bytes_ < kRoomPartBytes;
}

bool TextStream::has_room() const {
  const std::lock_guard lock(mutex_);
  return HasRoom();
}

void TextStream::SetOnRoom(std::function<void()> on_room) {
  const std::lock_guard lock(room_mutex_);
  on_room_ = std::move(on_room);
}

bool TextStream::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

void TextStream::Hurry() {
  const std::lock_guard lock(mutex_);
  hurry_ = waiting_;
  changed_.notify_all();
}

std::vector<std::string> TextStream::TakeNotes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

void TextStream::Cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  changed_.notify_all();
}

std::optional<SayItem> TextStream::Next() {
  while (ready_.empty() && !over_) {
    std::optional<Entry> entry = Take();
    if (!entry) return std::nullopt;
    Process(*std::move(entry));
  }
  if (ready_.empty()) return std::nullopt;
  SayItem item = std::move(ready_.front());
  ready_.pop_front();
  return item;
}

// Waits for the next entry and returns it, or one portion if it is a long text. Returns kHurry if
// there is none and the reader accepts less than a whole sentence. Returns nothing after Cancel.
std::optional<TextStream::Entry> TextStream::Take() {
  Entry entry;
  bool room = false;
  {
    std::unique_lock lock(mutex_);
    waiting_ = entries_.empty();
    changed_.wait(lock, [this] { return cancelled_ || hurry_ || !entries_.empty(); });
    waiting_ = false;
    if (cancelled_) return std::nullopt;
    if (std::exchange(hurry_, false) && entries_.empty()) return Entry{Entry::kHurry, {}, {}};
    const bool had_room = HasRoom();
    Entry& first = entries_.front();
    if (first.text.size() > first.taken + kPortionBytes) {
      entry.text = first.text.substr(first.taken, kPortionBytes);
      bytes_ -= kPortionBytes;
      first.taken += kPortionBytes;
      // Erases half at a time: moving the rest for each portion would be slow for a long text.
      if (first.taken > first.text.size() / 2) {
        first.text.erase(0, std::exchange(first.taken, 0));
      }
    } else {
      Count(first, -1);
      entry = std::move(first);
      entry.text.erase(0, entry.taken);
      entries_.pop_front();
    }
    if (entries_.empty()) sound_s_ = 0;  // removes the rounding error
    over_ = ended_ && entries_.empty();
    room = !had_room && HasRoom();
  }
  if (room) {
    const std::lock_guard lock(room_mutex_);
    if (on_room_) on_room_();
  }
  return entry;
}

void TextStream::Process(Entry entry) {
  if (entry.what == Entry::kSound) {
    ready_.push_back(std::move(entry.sound));
    return;
  }
  std::vector<TextPiece> pieces =
      entry.what == Entry::kHurry ? splitter_->Hurry() : splitter_->Add(cleaner_.Add(entry.text));
  if (entry.what == Entry::kFlush) {
    for (TextPiece& piece : splitter_->Add(cleaner_.Flush())) pieces.push_back(std::move(piece));
    for (TextPiece& piece : splitter_->Flush()) pieces.push_back(std::move(piece));
  }
  for (TextPiece& piece : pieces) Place(std::move(piece));
  if (!over_) return;
  for (std::string& note : cleaner_.notes()) Note(std::move(note));
  TextPiece last;  // holds marks that no word follows
  for (TextMark& mark : marks_) {
    if (mark.kind != TextMark::kPause && mark.kind != TextMark::kLanguage) {
      last.marks.push_back({0, std::move(mark)});
    }
  }
  if (!last.marks.empty()) Give(std::move(last));
}

// Gives a piece whose text may hold anchors, cut at pauses and changes of language.
void TextStream::Place(TextPiece piece) {
  const std::string text = std::exchange(piece.text, {});
  TextPiece next;
  next.language = language_;
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    const auto c = DecodeUtf8(text, at);
    if (c != TextCleaner::kAnchor || marks_.empty()) {
      next.text.append(text, from, at - from);
      continue;
    }
    TextMark mark = std::move(marks_.front());
    marks_.pop_front();
    if (mark.kind == TextMark::kPause || mark.kind == TextMark::kLanguage) {
      if (mark.kind == TextMark::kPause) next.pause_s += mark.value;
      next.ending = SpeechEnding::kClause;
      Give(std::exchange(next, {}));
      if (mark.kind == TextMark::kLanguage) language_ = mark.name;
      next.language = language_;
    } else {
      next.marks.push_back({next.text.size(), std::move(mark)});
    }
  }
  next.ending = piece.ending;
  next.ends_paragraph = piece.ends_paragraph && !over_;
  Give(std::move(next));
}

void TextStream::Give(TextPiece piece) {
  while (!piece.text.empty() && piece.text.back() == ' ') piece.text.pop_back();
  const size_t begin = std::min(piece.text.find_first_not_of(' '), piece.text.size());
  piece.text.erase(0, begin);
  for (PlacedMark& mark : piece.marks) {
    mark.at = std::min(mark.at - std::min(mark.at, begin), piece.text.size());
  }
  if (piece.text.empty() && piece.marks.empty() && piece.pause_s == 0) return;
  ready_.push_back({std::move(piece), std::nullopt, true});
}

bool TextStream::TakeTag(absl::string_view tag) {
  absl::StatusOr<std::optional<TextMark>> mark = ParseMarkTag(tag);
  if (mark.ok() && !*mark) return false;
  if (!mark.ok()) {
    Note(std::string(mark.status().message()));
    return false;
  }
  if (marks_.size() == kMostMarks) {
    Note(absl::StrCat("text: more than ", kMostMarks, " marks in a row, left out"));
    return false;
  }
  marks_.push_back(**std::move(mark));
  return true;
}

void TextStream::Note(std::string note) {
  const std::lock_guard lock(mutex_);
  if (notes_.size() < kMostNotes) notes_.push_back(std::move(note));
}

}  // namespace posewire::speech
