// The contents of an Audio2Face export (libs/formats/a2f_json/a2f_json.h), unchanged. Internal to
// that format.
#ifndef POSEWIRE_LIBS_FORMATS_A2F_JSON_DOCUMENT_H_
#define POSEWIRE_LIBS_FORMATS_A2F_JSON_DOCUMENT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::a2f_json {

// A member that should be a number.
struct A2fNumber {
  std::string said;  // the value, for messages; "": the member is missing
  std::optional<double> value;
};

// Numbers of each frame.
struct A2fRows {
  size_t frames = 0;
  size_t width = 0;  // numbers per frame
  std::vector<float> numbers;
};

struct A2fDocument {
  A2fNumber export_fps, fps, num_poses, num_frames;
  std::string track_path;
  std::vector<std::string> shapes, joints;
  A2fRows weights, turns;     // a rotation is four numbers
  bool has_emotions = false;  // "emotionKeys" of Audio2Face's other export

  // Does not compare names with each other or with rows. Errors are those of OpenA2fJson. Checks
  // each limit before it allocates.
  static absl::StatusOr<A2fDocument> Parse(absl::string_view json);
};

// Checks that these can be the names of a stream's header, which matches shapes by their last path
// element, ignoring case. INVALID_ARGUMENT names field and index.
absl::Status CheckA2fNames(const char* field, const std::vector<std::string>& names, bool shapes);

}  // namespace posewire::a2f_json

#endif  // POSEWIRE_LIBS_FORMATS_A2F_JSON_DOCUMENT_H_
