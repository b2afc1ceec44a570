// Splits a stream of JSON objects, with or without line breaks between them, into its objects.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_JSON_SPLITTER_H_
#define POSEWIRE_LIBS_VOICE_HTTP_JSON_SPLITTER_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::voice_http {

// Only counts brackets outside of strings; whether an object is valid JSON is checked when it is
// parsed. The result does not depend on how the bytes are divided. One thread.
class JsonSplitter {
 public:
  using OnObject = absl::FunctionRef<absl::Status(absl::string_view object)>;

  // DATA_LOSS for an object longer than kMostObjectBytes, and for bytes between objects that are
  // neither white space nor a comma; otherwise the first error of `on_object`.
  absl::Status Add(absl::string_view bytes, OnObject on_object);
  // DATA_LOSS if the last object is incomplete.
  absl::Status Finish() const;

 private:
  std::string object_;
  int depth_ = 0;
  bool quoted_ = false;
  bool escaped_ = false;
};

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_JSON_SPLITTER_H_
