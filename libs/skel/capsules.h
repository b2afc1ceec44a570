// The volume of a human body, roughly: capsules on the bones of a rig.
//
// A pose says where joints are, and not where flesh is: a hand can be drawn inside the chest, and
// no joint is out of its limits. So the parts that come into each other's way have capsules, which
// are all points within a radius of a line between two points of the body. Trunk and hips are wider
// than they are deep, and have one capsule on each side; their upper ends go with the chest and
// their lower ones with the hips, so that they bend with the spine.
//
// Sizes are shares of the rig's own lengths. They were measured on the built-in woman, whose mesh
// has at rest: a forearm of 27 cm and 2.6 to 2.9 cm about its bone (median and mean of 239 points),
// a wrist of 2.2 cm, a chest of 30 by 24 cm, a waist of 28 by 21 cm, hips of 36 by 27 cm (buttocks
// and clothes within), and a skull of 19 by 22 cm; between her shoulders are 41 cm, and from there
// to her hips 53. Capsules stay a little inside of hips and chest: who touches is no error.
// Distances of lines are by Ericson, Real-Time Collision Detection (2005), section 5.1.9.
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
// "left hand".
absl::string_view NameOf(BodyVolume volume);

// Each end goes with a joint, and lies at an offset in that joint's space, in metres.
struct Capsule {
  BodyVolume volume = BodyVolume::kTrunk;
  std::array<int, 2> joint{-1, -1};
  std::array<Vec3, 2> offset;
  float radius_m = 0;
};

// From its first to its second point; metres. It may be a point.
using Line = std::array<Vec3, 2>;
// Where two lines are nearest to each other: a point of each.
struct NearestPoints {
  Vec3 a, b;
};
NearestPoints NearestOfLines(const Line& a, const Line& b);

// Where one volume is deepest in another.
struct Overlap {
  float depth_m;  // below 0: that far apart; minus infinity where the rig lacks one of the two
  Vec3 at;        // on the first one's line, in model space
  Vec3 away;      // unit: from the second one's line to the first one's
};

// The capsules of a rig. Immutable; any thread.
class Capsules {
 public:
  static constexpr size_t kMost = 9;
  // Of all(), in its order, in model space.
  using Lines = std::array<Line, kMost>;

  // Volumes whose bones the rig lacks have no capsule. Bones are those of rig->humanoid().
  explicit Capsules(std::shared_ptr<const Rig> rig);

  // Where a volume has two capsules, the left one comes first.
  absl::Span<const Capsule> all() const { return capsules_; }

  // What may not be in each other: hands in trunk, hips and each other, forearms in hips and head.
  // A forearm at the side of the trunk is where arms hang.
  struct Pair {
    BodyVolume a, b;
  };
  static absl::Span<const Pair> Pairs();

  // Where a pose has the capsules. A pose's absent components are those of the rig's rest. No
  // allocation. False, and nothing written, unless the pose is of the rig's size.
  bool Place(const PoseView& pose, Lines& lines) const;
  // Of one pair's volumes, wherever they were placed or moved to. Less than `least_m` may be told
  // as minus infinity, which is cheaper.
  Overlap DeepestOf(const Lines& lines, Pair pair,
                    float least_m = -std::numeric_limits<float>::infinity()) const;

  // How deep each of Pairs() is in each other, in its order, as in Overlap. No allocation. False,
  // and nothing written, unless `depth_m` has as many entries as Pairs() and the pose is of the
  // rig's size.
  bool Depths(const PoseView& pose, absl::Span<float> depth_m) const;

 private:
  void Add(BodyVolume volume, std::array<int, 2> joint, std::array<Vec3, 2> at_rest, float radius);
  void AddTrunk();
  void AddHead();
  void AddArm(bool left);
  void ListJoints();

  // A joint that has capsules, or one above such a joint; `parent` counts in the list.
  struct Walked {
    int joint, parent;
  };
  std::shared_ptr<const Rig> rig_;
  std::vector<Capsule> capsules_;
  std::vector<Walked> walk_;                       // parents first
  std::array<float, kMost> lengths_{};             // of the lines at rest, and a quarter more
  std::array<std::array<size_t, 2>, kMost> on_{};  // the entry of walk_ of each capsule's ends
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_CAPSULES_H_
