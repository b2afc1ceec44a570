// Shifts the time codes of a serialized message, drops some of its keys, or adds metadata, without
// parsing the rest: all other bytes keep their values and order, including unknown fields.
//
// The message is walked once to find out the change for each key. If all keys stay, which is the
// usual case, the bytes are copied and the time codes overwritten in place. Only if a key is
// dropped, or its time code changes from 0 (which proto3 does not write), the enclosing fields are
// rebuilt.
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
  // Returns the new time code for a key of `track` (PoseTrack, or kPoseTracks + CameraTrack) at
  // `time_code_s`, or nothing to drop the key. Called in the order of the bytes.
  absl::FunctionRef<std::optional<double>(size_t track, double time_code_s)> key;
  // The same for a buffer of `samples` samples. Drops the first `skip_samples`, keeps the next
  // `keep_samples`, and drops the rest. The time code is that of the first kept sample.
  struct Audio {
    double time_code_s = 0;
    size_t skip_samples = 0;
    size_t keep_samples = std::numeric_limits<size_t>::max();
  };
  absl::FunctionRef<std::optional<Audio>(double time_code_s, size_t samples)> audio;
  // Also drops everything except keys and audio: metadata, and unknown fields around the keys.
  bool keys_alone = false;
};

// A pose or camera that loses all its keys is dropped as well. Bytes that are not a message, and
// headers and statuses, are returned unchanged.
MessageBytes EditCodes(absl::string_view message, const CodeEdit& edit);
// The same into `out`, whose memory is reused.
void EditCodes(absl::string_view message, const CodeEdit& edit, std::string* out);

// Adds `delta_s` to every time code; time codes that would be below 0 become 0.
MessageBytes ShiftCodes(absl::string_view message, double delta_s);
// The same for both bytes and chunk.
Message ShiftCodes(Message message, double delta_s);

// Writes the chunk's samples into the bytes if those begin or end within a sample
// (DataChunk::cuts_sample), so that the message can be cut, stored and sent on its own.
void SetWholeSamples(Message* message);

// Adds a metadata entry to a data message, after those that it has; other messages stay as they
// are.
void AddMetadata(Message* message, MetadataEntry entry);

// Returns a header with another epoch. Bytes that are not a header are returned unchanged.
MessageBytes SetEpoch(absl::string_view header, double epoch_s);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_EDIT_CODES_H_
