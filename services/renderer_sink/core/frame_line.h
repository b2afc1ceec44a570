// One line of text for one message of a pull.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_FRAME_LINE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_FRAME_LINE_H_

#include <string>

#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::renderer_sink {

// Header: "header: stream "s1", 94 joints, 52 shapes, audio 16000 Hz, epoch 1700000000.000".
// Data: "12.3000 s: 94 rotations, 94 translations, 52 weights (jawOpen 0.42), audio 533 samples
// (peak 0.31), metadata emotion". Status: "status INFO: text". Text from outside is quoted: a line
// stays a line. `header` names the shapes.
std::string FrameLine(const nvidia_ace::animation_data::v1::AnimationDataStream& message,
                      const nvidia_ace::animation_data::v1::AnimationDataStreamHeader& header);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_FRAME_LINE_H_
