// Selects parts of a clip by name: regions of the body, joints with all below them, shapes, audio.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_PARTS_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_PARTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/wire/chunk.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::animclip {

struct ClipParts {
  std::vector<bool> joints, shapes;  // in the header's order
  bool translations = false, audio = false, camera = false, metadata = false;
};

// Returns the parts that these names select in a clip with this header:
//   joints, shapes, translations, audio, camera, metadata   all of them
//   face, head, arms, ...                                    a region, as defined by skel::Mask
//   r_shoulder                                               a joint and all below it
//   jawOpen                                                  a shape, ignoring case
// `rig` is as in ChooseRig; it defines regions, and which joints are below another.
// INVALID_ARGUMENT for any other name, with the nearest valid ones.
absl::StatusOr<ClipParts> FindParts(absl::Span<const std::string> names,
                                    const wire::StreamHeader& header, const std::string& rig);

// Returns only the names of a message's header.
wire::StreamHeader NamesOf(const nvidia_ace::animation_data::v1::AnimationDataStreamHeader& header);

// Removes the other joints, shapes and parts from a message.
class PartFilter {
 public:
  // Keeps the joints and shapes in `keep`, or all if it is empty, except those in `drop`.
  // INVALID_ARGUMENT for parts in `keep` that are neither, because these always stay.
  static absl::StatusOr<PartFilter> Make(absl::Span<const std::string> keep,
                                         absl::Span<const std::string> drop,
                                         const wire::StreamHeader& header, const std::string& rig);

  // Filters a message of the stream for whose header it was made, including that header.
  void Apply(nvidia_ace::animation_data::v1::AnimationDataStream& message) const;

  const ClipParts& kept() const { return kept_; }

 private:
  explicit PartFilter(ClipParts kept) : kept_(std::move(kept)) {}

  ClipParts kept_;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_PARTS_H_
