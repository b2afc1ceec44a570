// Splits a sequence of JSON values into objects, with at most one in memory.
#ifndef POSEWIRE_LIBS_RECORDING_JSON_SPLITTER_H_
#define POSEWIRE_LIBS_RECORDING_JSON_SPLITTER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::recording {

// Takes a file's bytes in pieces of any size. Objects may have any or no white space between them;
// a byte order mark may come first. Only counts brackets and skips strings with their escapes;
// whether an object is well formed is up to the JSON parser.
//
// INVALID_ARGUMENT: text between objects, nesting over 100. RESOURCE_EXHAUSTED: an object longer
// than `max_bytes`. Errors name the line.
class JsonSplitter {
 public:
  explicit JsonSplitter(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Consumes bytes from the front of `data` up to the end of the next object. Returns true when an
  // object is complete; value() returns it until the next call.
  absl::StatusOr<bool> Feed(absl::string_view* data);

  const std::string& value() const { return value_; }
  // Line at which the object in value(), or the incomplete one, begins.
  int64_t line() const { return start_line_; }
  // Bytes up to the end of the last complete object.
  int64_t end_of_last() const { return end_of_last_; }
  // Returns true if an object has begun and not ended.
  bool inside() const { return depth_ > 0; }

 private:
  absl::Status Begin(char c);

  const size_t max_bytes_;
  std::string value_;
  bool complete_ = false;
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  int64_t mark_bytes_ = 0;  // size of a byte order mark
  int64_t line_ = 1, start_line_ = 1;
  int64_t offset_ = 0, end_of_last_ = 0;
};

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_JSON_SPLITTER_H_
