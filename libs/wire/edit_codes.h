// Moves the time codes of a serialized message, or leaves some of its keys out, without reading
// the rest: everything else keeps its bytes and its order, fields that are not known too.
//
// The message is walked once to ask what becomes of each key. When all stay, as nearly always, the
// bytes are copied and the codes written over where they stand. Only when a key goes, or leaves 0,
// which proto3 does not write, are the parts around it framed anew.
#ifndef POSEWIRE_LIBS_WIRE_EDIT_CODES_H_
#define POSEWIRE_LIBS_WIRE_EDIT_CODES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

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
// The same into `out`, whose memory is used again.
void EditCodes(absl::string_view message, const CodeEdit& edit, std::string* out);

// Adds `delta_s` to every code; codes that would fall below 0 become 0.
MessageBytes ShiftCodes(absl::string_view message, double delta_s);
// The same to bytes and chunk alike.
Message ShiftCodes(Message message, double delta_s);

// A header with another epoch. Bytes that are no header come back as they are.
MessageBytes SetEpoch(absl::string_view header, double epoch_s);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_EDIT_CODES_H_
