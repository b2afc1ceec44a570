// Encodes frames for the page of `renderer_sink view`: small, binary, once for all viewers.
// docs/view.md describes the format for authors of other pages.
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

// Constant for all frames of a connection: the joint hierarchy and its rest pose.
struct ViewLayout {
  std::string rig;  // Of the catalog; empty if no rig has these joints.
  std::vector<std::string>
      joints;                // Last elements of the paths; more elements where these are equal.
  std::vector<int> parents;  // -1: none.
  std::vector<float> rest;   // 7 per joint: translation x y z, rotation w x y z.
  std::vector<std::string> shapes;
  uint32_t audio_hz = 0;  // 0: no audio.
  double epoch_s = 0;     // Unix time of time code 0.
};

// Uses a rig of the catalog if it has every joint of the header. Otherwise parents follow from the
// paths, translations rest at 0 and rotations at identity.
ViewLayout LayoutOf(const wire::StreamHeader& header, const skel::RigCatalog& rigs);

// Returns true if viewers that know one layout can show frames of the other.
bool SameLayout(const ViewLayout& a, const ViewLayout& b);

struct ViewFrame {
  std::shared_ptr<const std::string> whole;
  // The same without pose and camera, for viewers that cannot keep up; null without audio.
  std::shared_ptr<const std::string> voice;
};

// Identifies a frame.
struct ViewFrameTag {
  uint8_t avatar = 0;
  uint32_t layout = 0;  // Number of the layout.
  // Number of the avatar's first frame in the message; increases by one per frame.
  uint32_t number = 0;
};

// Begins a message for the page: its kind, tag and time. Flags are set later, once they are known.
void PutFrameHead(uint8_t kind, const ViewFrameTag& tag, double time_code_s, std::string* out);
void SetFrameFlags(uint16_t flags, std::string* message);

// Returns one frame for each time code of the message, in order; its audio is in the first. Ignores
// keys whose length differs from the layout's. `props` are the objects in the scene, as in
// ReadProps; each frame has all of them, so that viewers who join late or go back in time know them
// too.
std::vector<ViewFrame> EncodeView(const wire::DataChunk& data, const ViewLayout& layout,
                                  const ViewFrameTag& tag, absl::Span<const wire::Prop> props = {});

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_VIEW_FRAME_H_
