// Preserves hand contacts on characters whose proportions differ from the rig that gestures are
// made for.
//
// A character with other bones gets the directions of limbs (bind.h). With narrower shoulders,
// folded hands become crossed forearms, and a fist at the chin ends up at the ear. A stream defines
// where the hands are on the body that it was made for: the standard rig with the flesh of the
// built-in woman. skel::HandTouch places them there on the character, whose flesh is measured once,
// from its mesh at rest. The page does the same, with the same formulas: contacts.js.
#ifndef POSEWIRE_LIBS_CHARACTER_BODY_CONTACT_H_
#define POSEWIRE_LIBS_CHARACTER_BODY_CONTACT_H_

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "libs/character/bone_names.h"
#include "libs/character/character.h"
#include "libs/skel/affine.h"
#include "libs/skel/hand_touch.h"
#include "libs/skel/humanoid.h"
#include "libs/skel/math.h"
#include "libs/skel/rig.h"

namespace posewire::character {

// How far down the thighs the pelvis extends, as a fraction of their length.
inline constexpr float kPelvisShare = 0.5f;

// Measurements of a person's flesh at rest, in metres.
struct Flesh {
  // Across the trunk, from between the hip joints to between the shoulders; across the pelvis, from
  // there down to the middle of the thighs; and across the head, from the chin to the top.
  skel::HandTouch::Rings trunk, pelvis, head;
  // From the head's joint to the chin, below the middle of the skull, and from there to the top.
  skel::Vec3 chin, skull;
  float hand_m = 0;  // from the wrist to the knuckles
};

// A point of a character at rest, and the node that moves it most.
struct FleshPoint {
  skel::Vec3 at;
  int node = -1;
};
// Measures points. `nodes` has the nodes of the bones and `places` the positions of nodes at rest.
// Parts without a point have rings of zeros.
Flesh Measure(absl::Span<const FleshPoint> points, const BoneNodes& nodes,
              absl::Span<const int> parents, absl::Span<const skel::Vec3> places);

// Measures the visible meshes of a character at its rig's rest. Zeros if it does not have a
// person's bones.
Flesh FleshOf(const Character& character);

// Returns the body that gestures are made for.
const Flesh& StandardFlesh();

// Immutable. Apply may run on any thread and does not allocate.
class BodyContact {
 public:
  // Returns null for a character whose bones are not a person's on a rig in a T, or that has the
  // rig's own joints: its hands are where the stream puts them. `standard` is the rig that gestures
  // are made for.
  static std::shared_ptr<const BodyContact> Make(const Character& character,
                                                 const skel::Rig& standard);

  // `turns` has the rotation of each joint of the rig, in model space, relative to `rests`, and
  // `places` the resulting transforms of the nodes. Rotates the arms so that their hands reach
  // their targets. Returns true if anything changed.
  bool Apply(absl::Span<const skel::Quat> rests, absl::Span<const skel::Affine> places,
             absl::Span<skel::Quat> turns) const;

  const Flesh& flesh() const { return flesh_; }
  // The nodes that the arms move, parents first.
  absl::Span<const int> arm_nodes() const { return arm_nodes_; }

 private:
  // A joint of the standard rig, placed by the rotation of its parent.
  struct Standing {
    skel::HumanBone bone, above;
    int joint = -1;  // joint of the character's rig that rotates it
    skel::Vec3 way;  // from its parent, in a T
  };

  BodyContact() = default;
  void Stand(const skel::Rig& standard, const skel::Rig& rig);

  skel::HandTouch touch_;
  std::vector<Standing> standing_;
  Flesh flesh_;
  BoneNodes nodes_{};
  std::array<int, skel::kHumanBones> joints_{};
  bool has_knuckles_ = true;
  std::vector<int> arm_nodes_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_BODY_CONTACT_H_
