#include "libs/asset/text_scanner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/wire/text_check.h"

namespace posewire::asset {
namespace {

constexpr size_t kMostWordBytes = 4096;
constexpr size_t kMostLineBytes = 256 << 10;
constexpr absl::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

absl::Status TextScanner::Fault(absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat(name(), ": line ", line_, ": ", what));
}

absl::Status TextScanner::Torn(absl::string_view what) const {
  return absl::DataLossError(absl::StrCat(name(), ": line ", line_, ": ", what));
}

void TextScanner::CountEnd(char c) {
  if (c == '\r' || (c == '\n' && !after_cr_)) ++ends_;
  after_cr_ = c == '\r';
}

absl::StatusOr<absl::string_view> TextScanner::Word() {
  word_.clear();
  while (true) {
    const absl::StatusOr<absl::string_view> block = bytes_.Peek();
    if (!block.ok()) return block.status();
    if (block->empty()) return absl::string_view(word_);
    size_t n = 0;
    for (; n < block->size(); ++n) {
      const char c = (*block)[n];
      if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
        if (!word_.empty()) break;
        CountEnd(c);
        continue;
      }
      const bool mark = is_mark_[static_cast<unsigned char>(c)];
      if (mark && !word_.empty()) break;
      if (word_.empty()) line_ += std::exchange(ends_, 0);
      after_cr_ = false;
      word_ += c;
      if (mark) {
        bytes_.Skip(n + 1);
        return absl::string_view(word_);
      }
      if (word_.size() > kMostWordBytes) return Fault("a word of more than 4096 bytes");
    }
    bytes_.Skip(n);
    if (n == block->size()) continue;  // the word may continue in the next block
    if (bytes_.offset() == static_cast<int64_t>(n) && word_ == kByteOrderMark) {
      word_.clear();
      continue;
    }
    if (absl::StartsWith(word_, kByteOrderMark)) word_.erase(0, kByteOrderMark.size());
    return absl::string_view(word_);
  }
}

absl::StatusOr<absl::string_view> TextScanner::RestOfLine() {
  word_.clear();
  while (true) {
    const absl::StatusOr<absl::string_view> block = bytes_.Peek();
    if (!block.ok()) return block.status();
    size_t end = block->find_first_of("\r\n");
    if (!marks_.empty()) {
      end = std::min(end, block->find_first_of(absl::string_view(marks_)));
    }
    const absl::string_view part = block->substr(0, end);
    absl::StrAppend(&word_, part);
    if (word_.size() > kMostWordBytes) return Fault("a line of more than 4096 bytes");
    if (!part.empty()) after_cr_ = false;
    bytes_.Skip(part.size());  // leaves the line end to the next call, which counts it
    if (end != absl::string_view::npos || block->empty()) {
      return absl::StripAsciiWhitespace(word_);
    }
  }
}

absl::StatusOr<absl::string_view> TextScanner::Line() {
  word_.clear();
  while (true) {
    const absl::StatusOr<absl::string_view> block = bytes_.Peek();
    if (!block.ok()) return block.status();
    if (std::exchange(after_cr_, false) && absl::StartsWith(*block, "\n")) {
      bytes_.Skip(1);
      continue;
    }
    const size_t end = block->find_first_of("\r\n");
    absl::StrAppend(&word_, block->substr(0, end));
    if (word_.size() > kMostLineBytes) {
      line_ += std::exchange(ends_, 0);
      return Fault("a line of more than 256 KiB");
    }
    const bool whole = end != absl::string_view::npos || block->empty();
    after_cr_ = whole && !block->empty() && (*block)[end] == '\r';
    bytes_.Skip(whole && !block->empty() ? end + 1 : block->size());
    if (!whole) continue;
    absl::string_view line = word_;
    line_ += std::exchange(ends_, block->empty() ? 0 : 1);
    if (line_ == 1) absl::ConsumePrefix(&line, kByteOrderMark);
    line = absl::StripAsciiWhitespace(line);
    if (!line.empty() || block->empty()) return line;
    word_.clear();
  }
}

absl::StatusOr<double> TextScanner::Number(absl::string_view what) {
  const absl::StatusOr<absl::string_view> word = Word();
  if (!word.ok()) return word.status();
  if (word->empty()) return Torn(absl::StrCat("the file ends where ", what, " should stand"));
  return NumberIn(*word, what);
}

absl::StatusOr<double> TextScanner::NumberIn(absl::string_view word, absl::string_view what) const {
  double value = 0;
  if (!absl::SimpleAtod(word, &value) || !std::isfinite(value)) {
    return Fault(
        absl::StrCat(wire::Quoted(word), " stands for ", what, ", which must be a finite number"));
  }
  if (std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) {
    return Fault(absl::StrCat(wire::Quoted(word), " is too large for ", what));
  }
  return value;
}

absl::Status TextScanner::Expect(absl::string_view expected) {
  const absl::StatusOr<absl::string_view> word = Word();
  if (!word.ok()) return word.status();
  if (word->empty()) return Torn(absl::StrCat("the file ends where ", expected, " should stand"));
  if (absl::EqualsIgnoreCase(*word, expected)) return absl::OkStatus();
  return Fault(absl::StrCat(wire::Quoted(*word), " stands where ", expected, " should"));
}

}  // namespace posewire::asset
