// Parts of a clip by name: regions of the body, joints with all below them, shapes, sound.
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

// What these names mean in a clip with this header:
//   joints, shapes, translations, audio, camera, metadata   all of them
//   face, head, arms, ...                                    a region, as skel::Mask knows them
//   r_shoulder                                               a joint and all below it
//   jawOpen                                                  a shape, ignoring case
// `rig` is as ChooseRig takes it; it says what is below a joint and what a region is.
// INVALID_ARGUMENT for a name that is none of these, with the nearest ones.
absl::StatusOr<ClipParts> FindParts(absl::Span<const std::string> names,
                                    const wire::StreamHeader& header, const std::string& rig);

// The names of a message's header, and no more than these.
wire::StreamHeader NamesOf(const nvidia_ace::animation_data::v1::AnimationDataStreamHeader& header);

// Takes the other joints, shapes and parts out of a message.
class PartFilter {
 public:
  // Of joints and shapes, those in `keep` stay, or all when it is empty; and nothing that is in
  // `drop`. INVALID_ARGUMENT for parts in `keep` that are neither, and stay anyway.
  static absl::StatusOr<PartFilter> Make(absl::Span<const std::string> keep,
                                         absl::Span<const std::string> drop,
                                         const wire::StreamHeader& header, const std::string& rig);

  // A message of the stream whose header it was made for, that header included.
  void Apply(nvidia_ace::animation_data::v1::AnimationDataStream& message) const;

  const ClipParts& kept() const { return kept_; }

 private:
  explicit PartFilter(ClipParts kept) : kept_(std::move(kept)) {}

  ClipParts kept_;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_PARTS_H_
