// A clip in memory as the messages of a stream.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_MESSAGES_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_MESSAGES_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "libs/clip/clip.h"

namespace posewire::animclip {

// Hands each serialized message to `write`: the header with the joints and shapes that the clip
// has, one message a frame, and a final status. A joint that turns but does not move carries its
// rest translation where another joint's translation makes the track. Stops at the first error.
absl::Status WriteClip(const clip::Clip& clip, const std::string& source_service_id,
                       absl::FunctionRef<absl::Status(const std::string& bytes)> write);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_MESSAGES_H_
