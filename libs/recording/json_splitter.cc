#include "libs/recording/json_splitter.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace posewire::recording {
namespace {

constexpr int kMaxDepth = 100;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

absl::Status JsonSplitter::Begin(char c) {
  static constexpr absl::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (offset_ < 3 && offset_ == mark_bytes_ && c == kByteOrderMark[static_cast<size_t>(offset_)]) {
    ++mark_bytes_;
    return absl::OkStatus();
  }
  start_line_ = line_;
  if (c != '{' || mark_bytes_ % 3 != 0) {
    return absl::InvalidArgumentError(absl::StrCat("line ", line_, ": found '",
                                                   absl::CHexEscape(absl::string_view(&c, 1)),
                                                   "' where a JSON object must begin with '{'"));
  }
  value_.push_back(c);
  depth_ = 1;
  return absl::OkStatus();
}

absl::StatusOr<bool> JsonSplitter::Feed(absl::string_view* data) {
  if (complete_) {
    value_.clear();
    complete_ = false;
  }
  while (!data->empty()) {
    const char c = data->front();
    data->remove_prefix(1);
    if (depth_ == 0) {
      if (!IsSpace(c)) {
        if (absl::Status s = Begin(c); !s.ok()) return s;
      }
    } else {
      value_.push_back(c);
      if (value_.size() > max_bytes_) {
        return absl::ResourceExhaustedError(absl::StrCat("line ", start_line_,
                                                         ": a JSON object of more than ",
                                                         max_bytes_, " bytes begins here"));
      }
      if (in_string_) {
        in_string_ = escaped_ || c != '"';
        escaped_ = !escaped_ && c == '\\';
      } else if (c == '"') {
        in_string_ = true;
      } else if (c == '{' || c == '[') {
        if (++depth_ > kMaxDepth) {
          return absl::InvalidArgumentError(
              absl::StrCat("line ", line_, ": nesting deeper than ", kMaxDepth));
        }
      } else if (c == '}' || c == ']') {
        complete_ = --depth_ == 0;
      }
    }
    if (c == '\n') ++line_;
    ++offset_;
    if (complete_) {
      end_of_last_ = offset_;
      return true;
    }
  }
  return false;
}

}  // namespace posewire::recording
