// The approximate volume of a human body: capsules on the bones of a rig.
//
// A pose contains positions of joints, but not the flesh around them: a hand may be inside the
// chest while all joints are within their limits. Therefore the parts that may collide have
// capsules; a capsule is all points within a radius of a line between two points of the body. Trunk
// and hips are wider than they are deep, and have one capsule on each side. Their upper ends move
// with the chest and their lower ends with the hips, so that they bend with the spine.
//
// Sizes are fractions of the rig's own lengths. They were measured on the built-in woman, whose
// mesh has at rest: a forearm of 27 cm with 2.6 to 2.9 cm around its bone (median and mean of 239
// points), a wrist of 2.2 cm, a chest of 30 by 24 cm, a waist of 28 by 21 cm, hips of 36 by 27 cm
// (including buttocks and clothes), and a skull of 19 by 22 cm. Her shoulders are 41 cm apart, and
// 53 cm above her hips. Capsules are slightly smaller than hips and chest, because touching is not
// an error. Distances of lines are computed as in Ericson, Real-Time Collision Detection (2005),
// section 5.1.9.
#ifndef POSEWIRE_LIBS_SKEL_CAPSULES_H_
#define POSEWIRE_LIBS_SKEL_CAPSULES_H_

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

enum class BodyVolume : uint8_t {
  kTrunk,
  kHips,
  kHead,
  kLeftForearm,
  kRightForearm,
  kLeftHand,
  kRightHand,
};
inline constexpr size_t kBodyVolumes = static_cast<size_t>(BodyVolume::kRightHand) + 1;
// Returns a name such as "left hand".
absl::string_view NameOf(BodyVolume volume);

// Each end moves with a joint, at an offset in that joint's space, in metres.
struct Capsule {
  BodyVolume volume = BodyVolume::kTrunk;
  std::array<int, 2> joint{-1, -1};
  std::array<Vec3, 2> offset;
  float radius_m = 0;
};

// From its first to its second point, in metres. They may coincide.
using Line = std::array<Vec3, 2>;
// The nearest points of two lines, one on each.
struct NearestPoints {
  Vec3 a, b;
};
NearestPoints NearestOfLines(const Line& a, const Line& b);

// The place where one volume is deepest in another.
struct Overlap {
  float depth_m;  // below 0: distance between them; minus infinity if the rig lacks one of the two
  Vec3 at;        // on the first one's line, in model space
  Vec3 away;      // unit vector from the second one's line to the first one's
};

// The capsules of a rig. Immutable; any thread.
class Capsules {
 public:
  static constexpr size_t kMost = 9;
  // Lines of all(), in its order, in model space.
  using Lines = std::array<Line, kMost>;

  // Volumes whose bones the rig lacks have no capsule. Bones are found by rig->humanoid().
  explicit Capsules(std::shared_ptr<const Rig> rig);

  // If a volume has two capsules, the left one comes first.
  absl::Span<const Capsule> all() const { return capsules_; }

  // Pairs that must not overlap: hands with trunk, hips and each other, forearms with hips and
  // head. Forearms next to the trunk are normal for hanging arms.
  struct Pair {
    BodyVolume a, b;
  };
  static absl::Span<const Pair> Pairs();

  // Computes the capsules' lines in a pose. Absent components are those of the rig's rest. No
  // allocation. Returns false and writes nothing unless the pose has the rig's size.
  bool Place(const PoseView& pose, Lines& lines) const;
  // Returns the deepest overlap of one pair's volumes, for any lines. A depth below `least_m` may
  // be returned as minus infinity, which is faster.
  Overlap DeepestOf(const Lines& lines, Pair pair,
                    float least_m = -std::numeric_limits<float>::infinity()) const;

  // Computes the depth of each of Pairs(), in its order, as in Overlap. No allocation. Returns
  // false and writes nothing unless `depth_m` has as many entries as Pairs() and the pose has the
  // rig's size.
  bool Depths(const PoseView& pose, absl::Span<float> depth_m) const;

 private:
  void Add(BodyVolume volume, std::array<int, 2> joint, std::array<Vec3, 2> at_rest, float radius);
  void AddTrunk();
  void AddHead();
  void AddArm(bool left);
  void ListJoints();

  // A joint that has capsules, or an ancestor of one; `parent` is an index in the list.
  struct Walked {
    int joint, parent;
  };
  std::shared_ptr<const Rig> rig_;
  std::vector<Capsule> capsules_;
  std::vector<Walked> walk_;                       // parents first
  std::array<float, kMost> lengths_{};             // of the lines at rest, plus a quarter
  std::array<std::array<size_t, 2>, kMost> on_{};  // index in walk_ of each end of each capsule
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_CAPSULES_H_
