// Parses the data of server-sent events (WHATWG HTML, "9.2 Server-sent events").
#ifndef POSEWIRE_LIBS_VOICE_HTTP_SSE_READER_H_
#define POSEWIRE_LIBS_VOICE_HTTP_SSE_READER_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::voice_http {

// The result does not depend on how the bytes are divided. One thread.
class SseReader {
 public:
  // Called with the data of an event, its lines joined by "\n". An error ends Add.
  using OnData = absl::FunctionRef<absl::Status(absl::string_view data)>;

  // DATA_LOSS if a line, or the data of an event, is longer than kMostLineBytes; otherwise the
  // first error of `on_data`. No calls may follow an error.
  absl::Status Add(absl::string_view bytes, OnData on_data);
  // Some servers do not end their last event with an empty line; it is used anyway.
  absl::Status Finish(OnData on_data);

 private:
  absl::Status TakeLine(absl::string_view line, OnData on_data);
  absl::Status Send(OnData on_data);

  std::string line_;
  std::string data_;
  bool has_data_ = false;
  bool after_cr_ = false;  // "\n" after "\r" is part of the same line end
  bool first_line_ = true;
};

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_SSE_READER_H_
