// Moves the time codes of a serialized message, or leaves some of its keys out, without reading
// the rest: everything else keeps its bytes and its order, fields that are not known too.
#ifndef POSEWIRE_LIBS_WIRE_EDIT_CODES_H_
#define POSEWIRE_LIBS_WIRE_EDIT_CODES_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "libs/wire/message.h"

namespace posewire::wire {

struct CodeEdit {
  // The code that a key of `track` (PoseTrack, or kPoseTracks + CameraTrack) gets instead of
  // `code_s`; nothing: the key is left out. Called in the order of the bytes.
  absl::FunctionRef<std::optional<double>(size_t track, double code_s)> key;
  // The same for a buffer of `samples` samples. `skip_samples` at its beginning are left out; the
  // code is that of the first that stays.
  struct Audio {
    double code_s = 0;
    size_t skip_samples = 0;
  };
  absl::FunctionRef<std::optional<Audio>(double code_s, size_t samples)> audio;
};

// A pose or camera of which every key was left out is left out itself. Bytes that are no message,
// and headers and statuses, come back as they are.
MessageBytes EditCodes(absl::string_view message, const CodeEdit& edit);

// Adds `delta_s` to every code; codes that would fall below 0 become 0.
MessageBytes ShiftCodes(absl::string_view message, double delta_s);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_EDIT_CODES_H_
