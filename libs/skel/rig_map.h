// Retargets poses from one rig to another: ACE, H-Anim (any level of articulation), Unity / VRM,
// and rigs with the same joint names.
#ifndef POSEWIRE_LIBS_SKEL_RIG_MAP_H_
#define POSEWIRE_LIBS_SKEL_RIG_MAP_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// Joints are matched by the built-in table, or by name or alias if that finds more of them.
//
// Rotations: each joint rotates the body in the same way from both stances. With W the model-space
// rotation of a joint and A the rotation from arms down to T-pose (+90 degrees about Z on the left
// arm, -90 on the right), W_arms_down = W_t_pose A from the shoulder down, and W is equal
// elsewhere; the rest rotations of one rig are removed and those of the other applied. If a rig's
// stance is kAsItStands, A is for each limb the smallest rotation from its direction at rest in one
// rig to that in the other, in addition to that of the limb above; hands are also rotated about
// their own axis, so that the knuckles match, and feet only about Y. Limbs of both rigs therefore
// have the same directions in all poses. Joints of `from` without a partner are multiplied, in
// chain order, into the next joints below that have one; joints of `to` without a partner stay at
// rest.
//
// Translation: only the hips'. The midpoint between the hip joints moves as in `from`, in
// proportion to its height above the floor. Between rigs with equal names, all translations are
// copied, joint by joint. Scales are copied between partners.
//
// Shapes are matched by name, ignoring case.
//
// Immutable; Apply may run on any thread and does not allocate.
class RigMap {
 public:
  // INVALID_ARGUMENT if no joint and no shape of the rigs match.
  static absl::StatusOr<RigMap> Make(std::shared_ptr<const Rig> from,
                                     std::shared_ptr<const Rig> to);

  // Writes everything that `in` determines, with presence; the rest of `out` is absent. A joint is
  // determined if any joint of its chain has a rotation (the others count as at rest). A joint that
  // stays at rest is determined if both ends of its chain are. If the poses' sizes differ from the
  // rigs', nothing is written.
  void Apply(const PoseView& in, const PoseSpan& out) const;

  const std::shared_ptr<const Rig>& from() const { return from_; }
  const std::shared_ptr<const Rig>& to() const { return to_; }
  // Whether the rotation of a joint of `from` affects any joint of `to`.
  bool UsesJoint(int from_joint) const { return used_[static_cast<size_t>(from_joint)]; }

 private:
  friend class RigMapBuilder;

  // A factor of a rotation: a joint of `from`, inverted where the path goes up the tree.
  struct Link {
    int joint = -1;
    bool inverse = false;
  };
  // A joint of `to` and the formula for its rotation: before * product(links) * after.
  struct Joint {
    int to = -1;
    int from = -1;
    int above = -1;                 // index in joints_ of the nearest ancestor with a partner, or
                                    // -1
    int first = 0, links = 0;       // in links_
    int first_rest = 0, rests = 0;  // in rests_: joints of `to` between it and that ancestor
    Quat before, after;
    bool copies_translation = false;
    bool copies_scale = false;
    Vec3 translation_shift;  // rest of `to` minus rest of `from`
  };
  struct Hips {
    int joint = -1;               // index in joints_, or -1
    float scale = 1;              // of lengths
    Vec3 point_from, point_to;    // midway between the hip joints at rest, in model space
    Vec3 offset_from, offset_to;  // from the hips joint to that point, in the hips joint's space
    Vec3 above_to;                // rest position of the parent of the hips joint of `to`
    Quat above_turn;              // and its rotation
  };

  RigMap() = default;
  absl::Span<const Link> LinksOf(const Joint& joint) const {
    return absl::MakeConstSpan(links_).subspan(static_cast<size_t>(joint.first),
                                               static_cast<size_t>(joint.links));
  }
  absl::Span<const int> RestsOf(const Joint& joint) const {
    return absl::MakeConstSpan(rests_).subspan(static_cast<size_t>(joint.first_rest),
                                               static_cast<size_t>(joint.rests));
  }
  bool ApplyRotation(const Joint& joint, const PoseView& in, const PoseSpan& out) const;
  void ApplyHips(const PoseView& in, const PoseSpan& out) const;

  std::shared_ptr<const Rig> from_, to_;
  std::vector<Joint> joints_;  // in the order of `to`
  std::vector<Link> links_;
  std::vector<int> rests_;
  std::vector<std::pair<int, int>> shapes_;  // from, to
  std::vector<bool> used_;
  Hips hips_;
};

// Returns the rig in the catalog that has most of `names` as joint names (or aliases), comparing
// only last path elements. Of equal rigs, the first in the catalog: the simplest level of H-Anim,
// and ACE before Unity. Returns null if none has more than half, and if the names are more bones in
// another naming convention than in the rig's.
std::shared_ptr<const Rig> RecognizeRig(absl::Span<const std::string> names,
                                        const RigCatalog& catalog);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_RIG_MAP_H_
