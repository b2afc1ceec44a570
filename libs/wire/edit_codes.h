// Shifts the time codes of a serialized message, or drops some of its keys, without parsing the
// rest: everything else keeps its bytes and its order, including unknown fields.
//
// The message is walked once to ask what happens to each key. If all stay, as nearly always, the
// bytes are copied and the codes overwritten in place. Only if a key is dropped, or moves away from
// 0, which proto3 does not write, are the enclosing parts framed anew.
#ifndef POSEWIRE_LIBS_WIRE_EDIT_CODES_H_
#define POSEWIRE_LIBS_WIRE_EDIT_CODES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "libs/wire/message.h"

namespace posewire::wire {

struct CodeEdit {
  // The new code for a key of `track` (PoseTrack, or kPoseTracks + CameraTrack) in place of
  // `code_s`; nothing: the key is dropped. Called in the order of the bytes.
  absl::FunctionRef<std::optional<double>(size_t track, double code_s)> key;
  // The same for a buffer of `samples` samples. The first `skip_samples` are dropped, and what
  // comes after the next `keep_samples`; the code is that of the first one kept.
  struct Audio {
    double code_s = 0;
    size_t skip_samples = 0;
    size_t keep_samples = std::numeric_limits<size_t>::max();
  };
  absl::FunctionRef<std::optional<Audio>(double code_s, size_t samples)> audio;
  // Drops what is no key and no sound: metadata, and unknown fields around the keys.
  bool keys_alone = false;
};

// A pose or camera that loses all its keys is dropped itself. Bytes that are not a message, and
// headers and statuses, come back unchanged.
MessageBytes EditCodes(absl::string_view message, const CodeEdit& edit);
// The same into `out`, whose memory is reused.
void EditCodes(absl::string_view message, const CodeEdit& edit, std::string* out);

// Adds `delta_s` to every code; codes that would fall below 0 become 0.
MessageBytes ShiftCodes(absl::string_view message, double delta_s);
// The same, to both bytes and chunk.
Message ShiftCodes(Message message, double delta_s);

// Writes the samples of the chunk into the bytes, if those begin or end within a sample
// (DataChunk::cuts_sample), so that the message can be cut, kept and sent by itself.
void SetWholeSamples(Message* message);

// A header with another epoch. Bytes that are not a header come back unchanged.
MessageBytes SetEpoch(absl::string_view header, double epoch_s);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_EDIT_CODES_H_
