// Finds the places of one order of names in another, by UsdSkel's rules for animation mapping.
#ifndef POSEWIRE_LIBS_SKEL_POSE_MAPPER_H_
#define POSEWIRE_LIBS_SKEL_POSE_MAPPER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// Names are compared as whole tokens: "/A" and "A" do not match. If a name occurs twice in the
// target order, its last index counts. Immutable once made.
class PoseMapper {
 public:
  // Maps nothing.
  PoseMapper() = default;
  PoseMapper(absl::Span<const std::string> source, absl::Span<const std::string> target);

  // Maps one program's joint names to another's, leniently: a path that is not in the target
  // matches the one joint with which it shares the longest end (see PathIndex). If several would
  // match one joint, the longest end wins, and with equally long ones none.
  static PoseMapper ByPath(absl::Span<const std::string> source,
                           absl::Span<const std::string> target);
  // The same, to the joints of a rig or their aliases.
  static PoseMapper ToRig(absl::Span<const std::string> source, const Rig& rig);

  int source_size() const { return static_cast<int>(targets_.size()); }
  // Returns the index of a source element in the target, or -1.
  int TargetOf(int source) const;

 private:
  explicit PoseMapper(std::vector<int> targets) : targets_(std::move(targets)) {}

  std::vector<int> targets_;  // of each source element
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_POSE_MAPPER_H_
