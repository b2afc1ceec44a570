// Which frames a message holds.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_FRAME_CODES_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_FRAME_CODES_H_

#include "absl/container/inlined_vector.h"
#include "libs/wire/chunk.h"

namespace posewire::renderer_sink {

// Codes that lie closer together are one frame's.
inline constexpr double kSameCode_s = 1e-6;

// The codes of its poses and its camera, in order, each once; that of its sound when it has nothing
// else. Allocates nothing for up to 16 keys.
absl::InlinedVector<double, 16> FrameCodes(const wire::DataChunk& data);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_FRAME_CODES_H_
