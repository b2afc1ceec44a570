// Extracts the data of server-sent events (WHATWG HTML, "9.2 Server-sent events"). Ignores their
// other fields.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_SSE_READER_H_
#define POSEWIRE_LIBS_VOICE_HTTP_SSE_READER_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::voice_http {

// The input may be split anywhere between calls of Add. One thread.
class SseReader {
 public:
  // Receives the data of one event, its lines joined by "\n". Add and Finish return its error.
  using OnData = absl::FunctionRef<absl::Status(absl::string_view data)>;

  // DATA_LOSS if a line, or the data of an event, is longer than kMostLineBytes (heard.h);
  // otherwise the first error of `on_data`. Do not use the reader after an error.
  absl::Status Add(absl::string_view bytes, OnData on_data);
  // Call at the end of the response. Delivers the last event even if no empty line follows it,
  // because some servers omit that line. Errors as for Add.
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
