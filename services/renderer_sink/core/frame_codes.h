// Lists the frames in a message.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_FRAME_CODES_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_FRAME_CODES_H_

#include "absl/container/inlined_vector.h"
#include "libs/wire/chunk.h"

namespace posewire::renderer_sink {

// Time codes this close belong to the same frame.
inline constexpr double kSameCode_s = 1e-6;

// Returns the time codes of a message's poses and camera, in order, without duplicates; the audio's
// if it has nothing else. Does not allocate for up to 16 keys.
absl::InlinedVector<double, 16> FrameCodes(const wire::DataChunk& data);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_FRAME_CODES_H_
