// Scans a text word by word or line by line, and counts lines. Keeps one word or line at a time.
// Lines end in LF, CR LF or CR.
#ifndef POSEWIRE_LIBS_ASSET_TEXT_SCANNER_H_
#define POSEWIRE_LIBS_ASSET_TEXT_SCANNER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/block_reader.h"

namespace posewire::asset {

class TextScanner {
 public:
  // Each character of `marks` is a word by itself, regardless of its neighbours.
  explicit TextScanner(std::unique_ptr<files::ByteSource> source, absl::string_view marks = "")
      : bytes_(std::move(source)), marks_(marks) {
    for (const char c : marks) is_mark_[static_cast<unsigned char>(c)] = true;
  }

  // Returns the text up to the next blank, mark or line end; empty at the end of the text.
  // INVALID_ARGUMENT for a word of more than 4 KiB. Valid until the next call.
  absl::StatusOr<absl::string_view> Word();
  // Returns the rest of that word's line, up to a mark, without surrounding blanks; at most 4 KiB.
  absl::StatusOr<absl::string_view> RestOfLine();
  // Returns the next line that is not blank, without surrounding blanks, at most 256 KiB; empty at
  // the end of the text. Valid until the next call.
  absl::StatusOr<absl::string_view> Line();
  // Reads a finite number that a float can represent. `what` names it in errors.
  absl::StatusOr<double> Number(absl::string_view what);
  // Parses such a number from a word that was already read.
  absl::StatusOr<double> NumberIn(absl::string_view word, absl::string_view what) const;
  // INVALID_ARGUMENT unless the next word is this one, ignoring case.
  absl::Status Expect(absl::string_view word);

  // Line number of the last word or line, counted from 1.
  int64_t line() const { return line_; }
  int64_t offset() const { return bytes_.offset(); }
  int64_t size() const { return bytes_.size(); }
  const std::string& name() const { return bytes_.name(); }

  // INVALID_ARGUMENT with the message "FILE: line N: WHAT".
  absl::Status Fault(absl::string_view what) const;
  // The same message as DATA_LOSS.
  absl::Status Torn(absl::string_view what) const;

 private:
  void CountEnd(char c);

  BlockReader bytes_;
  std::string marks_;
  std::array<bool, 256> is_mark_ = {};
  std::string word_;
  int64_t line_ = 1;
  int64_t ends_ = 0;       // line ends passed since then
  bool after_cr_ = false;  // the last byte passed was a CR: a following LF is part of it
};

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_TEXT_SCANNER_H_
