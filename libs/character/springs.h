// What swings by itself: hair and clothes on joints that follow as springs do.
//
// The motion is that of VRMC_springBone: the end of each joint keeps a share of its speed, is drawn
// to where the joint rests, falls, stays as far from the joint as it is, and is pushed out of
// colliders. The page has it from @pixiv/three-vrm, which works alike; both take steps of about
// 1/60 s (Springs::StepsOf), so that a film shows what the page shows.
#ifndef POSEWIRE_LIBS_CHARACTER_SPRINGS_H_
#define POSEWIRE_LIBS_CHARACTER_SPRINGS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::character {

struct Character;

// A sphere round `offset`, or a capsule from there to `tail`; both in the space of `node`.
struct SpringCollider {
  int node = -1;
  skel::Vec3 offset, tail;
  float radius = 0;
};

// A node that turns so that its end swings. Units are the file's; strengths are those of VRM.
struct SpringJoint {
  int node = -1;
  skel::Vec3 end;                    // in its space, not zero
  float hit = 0;                     // how thick the end is
  float stiffness = 1, drag = 0.4f;  // drag: the share of the speed that is lost with each step
  skel::Vec3 gravity;
  int center = -1;  // speed counts in the space of this node; -1: in that of the character
  std::vector<int> colliders;
};

struct SpringSet {
  std::vector<SpringJoint> joints;  // those above come first
  std::vector<SpringCollider> colliders;
};

// The springs of one character in motion. One thread at a time; allocates only when it is made.
class Springs {
 public:
  explicit Springs(const Character& character);

  bool empty() const { return set_->joints.empty(); }

  // Turns the joints for the moment `at_s`, and takes along what hangs on them. `models` has each
  // node where the pose alone puts it. A first moment, one before the last and one more than 0.25 s
  // after it begin at rest: as if the pose had been held long.
  void Move(double at_s, absl::Span<skel::Affine> models);

  // How many steps a picture takes that comes `step_s` after the one before.
  static int StepsOf(double step_s);

 private:
  struct Affected {
    int node, parent;
    int joint;  // of the set; -1: is only taken along
  };
  void Step(float step_s, absl::Span<skel::Affine> models);
  skel::Vec3 Collide(const SpringJoint& joint, skel::Vec3 at, float length, skel::Vec3 tail,
                     absl::Span<const skel::Affine> models) const;

  const SpringSet* set_;
  std::vector<Affected> affected_;          // those above come first
  std::vector<skel::Affine> locals_;        // of these, as the pose has them
  std::vector<skel::Vec3> tails_, before_;  // of the joints, in the space of their centers
  std::optional<double> at_s_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_SPRINGS_H_
