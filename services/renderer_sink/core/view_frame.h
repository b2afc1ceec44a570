// Frames as the page of `renderer_sink view` takes them: small, binary, made once for all viewers.
// docs/view.md has the layout for people who write another page.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_VIEW_FRAME_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_VIEW_FRAME_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"
#include "libs/wire/props.h"

namespace posewire::renderer_sink {

// What holds for all frames of a connection: how the joints hang together, and how they rest.
struct ViewLayout {
  std::string rig;  // Of the catalogue; empty when no rig has these joints.
  std::vector<std::string>
      joints;                // Last elements of the paths, more of them where these are alike.
  std::vector<int> parents;  // -1: none.
  std::vector<float> rest;   // 7 a joint: translation x y z, rotation w x y z.
  std::vector<std::string> shapes;
  uint32_t audio_hz = 0;  // 0: no voice.
  double epoch_s = 0;     // Unix time of code 0.
};

// A rig of the catalogue fits when it has every joint of the header. Without one, parents are found
// by the paths, translations rest at 0 and rotations at identity.
ViewLayout LayoutOf(const wire::StreamHeader& header, const skel::RigCatalog& rigs);

// True when frames of the one can be shown by who knows the other.
bool SameLayout(const ViewLayout& a, const ViewLayout& b);

struct ViewFrame {
  std::shared_ptr<const std::string> whole;
  // The same without pose and camera, for viewers that do not keep up; null without a voice.
  std::shared_ptr<const std::string> voice;
};

// Says where a frame belongs.
struct ViewFrameTag {
  uint8_t avatar = 0;
  uint32_t layout = 0;  // Number of the layout.
  uint32_t number = 0;  // Of the avatar's first frame in the message; rises by one a frame.
};

// Begins a message of the page: its kind, where it belongs and its time. Flags are set once they
// are known.
void PutFrameHead(uint8_t kind, const ViewFrameTag& tag, double time_code_s, std::string* out);
void SetFrameFlags(uint16_t flags, std::string* message);

// One frame for each time code of the message, in order; its sound is in the first. Keys of another
// length than the layout's are left out. `props` is what stands in the scene, as of ReadProps; each
// frame has all of it, so that who comes late or goes back in time knows it too.
std::vector<ViewFrame> EncodeView(const wire::DataChunk& data, const ViewLayout& layout,
                                  const ViewFrameTag& tag, absl::Span<const wire::Prop> props = {});

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_VIEW_FRAME_H_
