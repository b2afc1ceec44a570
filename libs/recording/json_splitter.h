// Finds where the values of a run of JSON objects begin and end, without holding more than one.
#ifndef POSEWIRE_LIBS_RECORDING_JSON_SPLITTER_H_
#define POSEWIRE_LIBS_RECORDING_JSON_SPLITTER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::recording {

// Fed with a file's bytes in pieces of any size. Between objects any white space may stand, or
// none; a byte order mark may stand first. Whether an object is well formed is for the JSON parser
// to say: here brackets are counted, and strings with their escapes are stepped over.
//
// INVALID_ARGUMENT: text between objects, nesting over 100. RESOURCE_EXHAUSTED: an object longer
// than `max_bytes`. Errors name the line.
class JsonSplitter {
 public:
  explicit JsonSplitter(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Takes bytes off the front of `data` up to the end of the next object; true when one is
  // complete: it stands in value() until the next call.
  absl::StatusOr<bool> Feed(absl::string_view* data);

  const std::string& value() const { return value_; }
  // Where the object in value(), or the one under way, begins.
  int64_t line() const { return start_line_; }
  // Bytes up to and with the last complete object.
  int64_t end_of_last() const { return end_of_last_; }
  // True when an object has begun and not ended.
  bool inside() const { return depth_ > 0; }

 private:
  absl::Status Begin(char c);

  const size_t max_bytes_;
  std::string value_;
  bool complete_ = false;
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  int64_t mark_bytes_ = 0;  // of a byte order mark
  int64_t line_ = 1, start_line_ = 1;
  int64_t offset_ = 0, end_of_last_ = 0;
};

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_JSON_SPLITTER_H_
