// From what people and language models write to what a voice can say: UTF-8 without Markdown, tags,
// emoji and addresses. Letters of all scripts stay as they are.
//
// Text may come in parts, cut anywhere, even within a character. The cleaner looks at one construct
// after the other and holds back what more text could change, so that the cuts change nothing but
// when something comes out.
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

// What becomes of
// - headings, items of lists and rows of tables: a sentence each; cells are parted by commas
// - links: their text; images: their description; emphasis, quotes and inline code: what is in them
// - blocks of code, addresses of the web and of e-mail: left out, with a note
// - emoji, arrows and other pictures: left out, with a note; tags and comments: left out
// - words of more than 50 characters: cut
// - runs of white space: a space, a line break, or a blank line ("\n\n") between paragraphs. U+2028
//   ends a sentence that has no line of its own to end.
// One thread. Takes at most about 4 KiB beyond what it gave back.
class TextCleaner {
 public:
  // Marks the place of a tag that on_tag took in the cleaned text, before the next character. It is
  // one of Unicode's noncharacters, for use inside programs; a text's own are left out.
  static constexpr char32_t kAnchor = 0xFDD0;
  // Called with each tag, from '<' to '>'; returns whether an anchor takes its place.
  using OnTag = std::function<bool(absl::string_view tag)>;

  explicit TextCleaner(OnTag on_tag = nullptr) : on_tag_(std::move(on_tag)) {}

  // Takes more of the text and returns what is decided. Bytes that are not UTF-8 are left out.
  std::string Add(absl::string_view utf8);
  // The text is over, or pauses: returns the rest. What comes next is a paragraph of its own.
  std::string Flush();

  // What was left out so far: one note of each kind.
  std::vector<std::string> notes() const;
  // Whether a letter or digit came out so far.
  bool has_words() const { return has_words_; }

 private:
  enum class Break { kNone, kSpace, kLine, kSentence, kParagraph };
  enum class Block { kNone, kText, kItem, kHeading, kRow, kQuote };
  // Bytes consumed; nothing: the answer needs more text.
  using Step = std::optional<size_t>;

  void Process(bool end);
  Step TakeNext(absl::string_view rest, bool end);

  // Of text_cleaner_lines.cc: what opens a line.
  Step TakeLineStart(absl::string_view rest, bool end);
  Step TakeBullet(absl::string_view line, bool end);
  Step TakeNumber(absl::string_view line, bool end);
  Step TakeHashes(absl::string_view line, bool end);
  void Open(Block block);
  void EndLine();
  void EndSentence();

  // Of text_cleaner_marks.cc: what is within a line.
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

  // Of the text before pending_.
  char32_t before_ = '\n';
  bool line_start_ = true;
  Block block_ = Block::kNone;
  std::string fence_;  // not empty in a block of code
  bool in_address_ = false;
  std::string after_address_;  // punctuation that may not belong to it
  int brackets_ = 0;           // open ones
  bool after_cell_ = false;

  // Of what came out.
  char32_t last_ = 0;
  Break break_ = Break::kNone;
  size_t anchors_ = 0;  // that the next character follows
  size_t word_ = 0;     // characters since the last space
  bool has_words_ = false;

  size_t left_out_ = 0, addresses_ = 0, code_blocks_ = 0, bad_bytes_ = 0;
  char32_t first_left_out_ = 0;
  size_t first_bad_byte_ = 0;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_TEXT_CLEANER_H_
