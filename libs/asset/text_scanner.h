// A text's words or lines one after the other, with the number of the line. Holds one at a time.
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
  // Each character of `marks` is a word by itself, whatever is next to it.
  explicit TextScanner(std::unique_ptr<files::ByteSource> source, absl::string_view marks = "")
      : bytes_(std::move(source)), marks_(marks) {
    for (const char c : marks) is_mark_[static_cast<unsigned char>(c)] = true;
  }

  // Up to the next blank, mark or line end; empty at the end of the text. INVALID_ARGUMENT for one
  // of more than 4 KiB. Valid until the next call.
  absl::StatusOr<absl::string_view> Word();
  // The rest of that word's line, up to a mark, without blanks around it; at most 4 KiB.
  absl::StatusOr<absl::string_view> RestOfLine();
  // The next line that is not blank, without blanks around it, at most 256 KiB; empty at the end of
  // the text. Valid until the next call.
  absl::StatusOr<absl::string_view> Line();
  // A finite number that a float can hold. `what` is for the error.
  absl::StatusOr<double> Number(absl::string_view what);
  // The same of a word that was read.
  absl::StatusOr<double> NumberIn(absl::string_view word, absl::string_view what) const;
  // INVALID_ARGUMENT unless the next word is this one, ignoring case.
  absl::Status Expect(absl::string_view word);

  // Of the word or line that was read last, counted from 1.
  int64_t line() const { return line_; }
  int64_t offset() const { return bytes_.offset(); }
  int64_t size() const { return bytes_.size(); }
  const std::string& name() const { return bytes_.name(); }

  // "FILE: line N: WHAT".
  absl::Status Fault(absl::string_view what) const;
  // The same as DATA_LOSS.
  absl::Status Torn(absl::string_view what) const;

 private:
  void CountEnd(char c);

  BlockReader bytes_;
  std::string marks_;
  std::array<bool, 256> is_mark_ = {};
  std::string word_;
  int64_t line_ = 1;
  int64_t ends_ = 0;       // line ends that were passed since
  bool after_cr_ = false;  // the last byte passed was a CR: an LF belongs to it
};

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_TEXT_SCANNER_H_
