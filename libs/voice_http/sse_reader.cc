#include "libs/voice_http/sse_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/voice_http/heard.h"

namespace posewire::voice_http {
namespace {

absl::Status LineTooLong() {
  return absl::DataLossError(
      absl::StrCat("a line of its events is longer than ", kMostLineBytes, " bytes"));
}

}  // namespace

absl::Status SseReader::Add(absl::string_view bytes, OnData on_data) {
  while (!bytes.empty()) {
    if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_cr_ = false;
    const size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    if (line_.size() + end > kMostLineBytes) return LineTooLong();
    line_.append(bytes.data(), end);
    if (end == bytes.size()) return absl::OkStatus();
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    const std::string line = std::exchange(line_, {});
    if (absl::Status s = TakeLine(line, on_data); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status SseReader::Finish(OnData on_data) {
  if (!line_.empty()) {
    const std::string line = std::exchange(line_, {});
    if (absl::Status s = TakeLine(line, on_data); !s.ok()) return s;
  }
  return Send(on_data);
}

absl::Status SseReader::TakeLine(absl::string_view line, OnData on_data) {
  if (std::exchange(first_line_, false)) line = absl::StripPrefix(line, "\xEF\xBB\xBF");
  if (line.empty()) return Send(on_data);
  const size_t colon = std::min(line.find(':'), line.size());
  if (line.substr(0, colon) != "data") return absl::OkStatus();
  const absl::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (data_.size() + value.size() > kMostLineBytes) return LineTooLong();
  if (has_data_) data_ += '\n';
  absl::StrAppend(&data_, absl::StripPrefix(value, " "));
  has_data_ = true;
  return absl::OkStatus();
}

absl::Status SseReader::Send(OnData on_data) {
  if (!std::exchange(has_data_, false)) return absl::OkStatus();
  const std::string data = std::exchange(data_, {});
  return on_data(data);
}

}  // namespace posewire::voice_http
