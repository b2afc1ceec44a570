// Converts the text of people and language models to text that a voice can speak: UTF-8 without
// Markdown, tags, emoji and addresses. Letters of all scripts are unchanged.
//
// Text may arrive in parts, divided anywhere, even within a character. The cleaner processes one
// construct after the other and delays what more text could change. So the division only affects
// when text is returned.
#ifndef POSEWIRE_LIBS_SPEECH_TEXT_CLEANER_H_
#define POSEWIRE_LIBS_SPEECH_TEXT_CLEANER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace posewire::speech {

// Conversions:
// - headings, items of lists and rows of tables: a sentence each; cells are separated by commas
// - links: their text; images: their description; emphasis, quotes and inline code: their contents
// - blocks of code, web and e-mail addresses: dropped, with a note
// - emoji, arrows and other pictures: dropped, with a note; tags and comments: dropped
// - words of more than 50 characters: cut
// - runs of white space: a space, a line break, or a blank line ("\n\n") between paragraphs. U+2028
//   ends a sentence that does not end with its line.
// One thread. Keeps at most about 4 KiB of text that was not returned yet.
class TextCleaner {
 public:
  // Marks the position of a tag that on_tag accepted in the cleaned text, before the next
  // character. It is one of Unicode's noncharacters, for internal use in programs; those in a text
  // are dropped.
  static constexpr char32_t kAnchor = 0xFDD0;
  // Called with each tag, from '<' to '>'. Returns true to put an anchor in its place.
  using OnTag = std::function<bool(absl::string_view tag)>;

  explicit TextCleaner(OnTag on_tag = nullptr) : on_tag_(std::move(on_tag)) {}

  // Takes more of the text and returns the part that is decided. Drops bytes that are not UTF-8.
  std::string Add(absl::string_view utf8);
  // The text has ended or pauses: returns the rest. Later text is a paragraph of its own.
  std::string Flush();

  // Notes on what was dropped so far: one of each kind.
  std::vector<std::string> notes() const;
  // Returns true if any letter or digit was returned so far.
  bool has_words() const { return has_words_; }

 private:
  enum class Break { kNone, kSpace, kLine, kSentence, kParagraph };
  enum class Block { kNone, kText, kItem, kHeading, kRow, kQuote };
  // Bytes consumed; nothing: more text is needed.
  using Step = std::optional<size_t>;

  void Process(bool end);
  Step TakeNext(absl::string_view rest, bool end);

  // In text_cleaner_lines.cc: constructs that begin a line.
  Step TakeLineStart(absl::string_view rest, bool end);
  Step TakeBullet(absl::string_view line, bool end);
  Step TakeNumber(absl::string_view line, bool end);
  Step TakeHashes(absl::string_view line, bool end);
  void Open(Block block);
  void EndLine();
  void EndSentence();

  // In text_cleaner_marks.cc: constructs within a line.
  Step TakeText(absl::string_view rest, bool end);
  Step TakeMarkup(absl::string_view rest, bool end);
  Step TakeRun(absl::string_view rest, bool end);
  Step TakeClosingBracket(absl::string_view rest, bool end);

  void TakeAddressChar(char32_t c);
  void TakeCharacter(char32_t c);

  void Say(char32_t c);
  void SayAll(absl::string_view ascii);
  void BreakBy(Break size);
  void SayAnchors();
  void LeaveOut(char32_t c);

  const OnTag on_tag_;
  std::string pending_, out_;
  size_t consumed_ = 0;  // bytes before pending_

  // State of the text before pending_.
  char32_t before_ = '\n';
  bool line_start_ = true;
  Block block_ = Block::kNone;
  std::string fence_;  // not empty in a block of code
  bool in_address_ = false;
  std::string after_address_;  // punctuation that may not be part of it
  int brackets_ = 0;           // open ones
  bool after_cell_ = false;

  // State of the output.
  char32_t last_ = 0;
  Break break_ = Break::kNone;
  size_t anchors_ = 0;  // anchors to be inserted before the next character
  size_t word_ = 0;     // characters since the last space
  bool has_words_ = false;

  size_t left_out_ = 0, addresses_ = 0, code_blocks_ = 0, bad_bytes_ = 0;
  char32_t first_left_out_ = 0;
  size_t first_bad_byte_ = 0;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_TEXT_CLEANER_H_
