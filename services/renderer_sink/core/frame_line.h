// Formats one message of a pull as one line of text.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_FRAME_LINE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_FRAME_LINE_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "libs/wire/chunk.h"

namespace posewire::renderer_sink {

// Text from outside is escaped, so the result is always one line.

// "header: stream "s1", 94 joints, 52 shapes, audio 16000 Hz, epoch 1700000000.000".
std::string FrameLine(const wire::StreamHeader& header);
// "12.3000 s: 94 rotations, 94 translations, 52 weights (jawOpen 0.42), audio 533 samples
// (peak 0.31), metadata "emotion"". `header` names the shapes.
std::string FrameLine(const wire::DataChunk& data, const wire::StreamHeader& header);
// "status INFO: text".
std::string FrameLine(const wire::StatusChunk& status);
// "faulty message of 120 bytes: why".
std::string FaultyLine(size_t bytes, const absl::Status& why);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_FRAME_LINE_H_
