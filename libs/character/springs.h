// Spring joints: hair and clothes that swing by themselves.
//
// The motion is that of VRMC_springBone: the end of each joint keeps a share of its speed, is
// pulled to its rest position, falls, keeps its distance from the joint, and is pushed out of
// colliders. The page uses @pixiv/three-vrm, which works alike; both take steps of about 1/60 s
// (Springs::StepsOf), so that a film shows what the page shows.
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

// A sphere around `offset`, or a capsule from there to `tail`; both in the space of `node`.
struct SpringCollider {
  int node = -1;
  skel::Vec3 offset, tail;
  float radius = 0;
};

// A node that rotates so that its end swings. Units are the file's; strengths are those of VRM.
struct SpringJoint {
  int node = -1;
  skel::Vec3 end;                    // in its space, not zero
  float hit = 0;                     // radius of the end
  float stiffness = 1, drag = 0.4f;  // drag: the share of the speed lost in each step
  skel::Vec3 gravity;
  int center = -1;  // speed is relative to this node; -1: to the character
  std::vector<int> colliders;
};

struct SpringSet {
  std::vector<SpringJoint> joints;  // parents first
  std::vector<SpringCollider> colliders;
};

// The springs of one character in motion. One thread at a time; allocates only in the constructor.
class Springs {
 public:
  explicit Springs(const Character& character);

  bool empty() const { return set_->joints.empty(); }

  // Rotates the joints for the time `at_s`, and moves the nodes below them. `models` has the
  // transform of each node by the pose alone. The first time, a time before the last, and one more
  // than 0.25 s after it restart at rest, as if the pose had been held long.
  void Move(double at_s, absl::Span<skel::Affine> models);

  // Returns how many steps a picture takes that comes `step_s` after the previous one.
  static int StepsOf(double step_s);

 private:
  struct Affected {
    int node, parent;
    int joint;  // in the set; -1: only follows its parent
  };
  void Step(float step_s, absl::Span<skel::Affine> models);
  skel::Vec3 Collide(const SpringJoint& joint, skel::Vec3 at, float length, skel::Vec3 tail,
                     absl::Span<const skel::Affine> models) const;

  const SpringSet* set_;
  std::vector<Affected> affected_;          // parents first
  std::vector<skel::Affine> locals_;        // of these, in the pose
  std::vector<skel::Vec3> tails_, before_;  // of the joints, in the space of their centers
  std::optional<double> at_s_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_SPRINGS_H_
