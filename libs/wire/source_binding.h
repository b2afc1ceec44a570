// How the names of one pushed stream meet the rig of the avatar that plays it.
#ifndef POSEWIRE_LIBS_WIRE_SOURCE_BINDING_H_
#define POSEWIRE_LIBS_WIRE_SOURCE_BINDING_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"

namespace posewire::wire {

struct BindingOptions {
  // Multiplies incoming translations (0.01 for a source in centimetres).
  float translation_scale = 1;
  // Take the translations of all joints; otherwise only those of the roots and the hips count.
  bool all_translations = false;
};

// Matches joints by last path element and shapes ignoring case. A stream whose names are ACE's,
// H-Anim's (V1, V2) or Unity's is recognised by its names and carried over with the rest
// corrections of the rig map. Names that the rig lacks are ignored and counted.
//
// Immutable after Make; Apply may run on any one thread at a time and does not allocate.
class SourceBinding {
 public:
  // `catalog` supplies the rigs that names are recognised by. INVALID_ARGUMENT with examples of
  // both when the header names joints or shapes and none at all is known.
  static absl::StatusOr<SourceBinding> Make(const StreamHeader& header,
                                            std::shared_ptr<const skel::Rig> rig,
                                            const skel::RigCatalog& catalog,
                                            const BindingOptions& options = {});
  ~SourceBinding();
  SourceBinding(SourceBinding&&) noexcept;
  SourceBinding& operator=(SourceBinding&&) noexcept;

  // Sampled values in the header's order, one span a track; an empty span: nothing known of it.
  struct Sample {
    absl::Span<const float> track[kPoseTracks];
  };
  // Writes what the sample says into `out` (of the rig's size) with presence; the rest is absent.
  void Apply(const Sample& sample, const skel::PoseSpan& out);

  int ignored_joints() const;
  int ignored_shapes() const;
  // Up to 5 names that were ignored, quoted and cut short.
  const std::vector<std::string>& ignored_examples() const;
  // The rig that the names were recognised as ("ace_biped"), or "" when matched name by name.
  const std::string& recognized_rig() const;
  // True when any mapped shape or joint belongs to the mouth (jaw, lips, tongue).
  bool owns_mouth() const;

 private:
  struct Impl;
  explicit SourceBinding(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_SOURCE_BINDING_H_
