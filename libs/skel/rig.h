// A rig: joints with names, parents and a rest pose, blend shapes, and sites on the body.
//
// A Rig is immutable, and shared as std::shared_ptr<const Rig> by all threads.
#ifndef POSEWIRE_LIBS_SKEL_RIG_H_
#define POSEWIRE_LIBS_SKEL_RIG_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/humanoid.h"
#include "libs/skel/path_index.h"
#include "libs/skel/pose.h"
#include "libs/skel/topology.h"

namespace posewire::skel {

// A named place on a joint (a fingertip, the top of the skull), in the joint's space. With a
// rotation it also has a direction: an attached object is rotated by it, and an eye looks along its
// +Z.
struct Site {
  std::string name;
  int joint = -1;
  Vec3 offset;
  std::optional<Quat> rotation = std::nullopt;
};

// Bounds on a joint's rotation from rest, split as by SwingTwist, in radians. Long bones are along
// Y: a forearm may twist far while its hinge only allows swing about X.
struct JointLimit {
  Vec3 min, max;
};

// The stance of the rest pose; RigMap needs it for rest corrections. kAsItStands: unknown, so limbs
// are compared by their directions at rest.
enum class Stance { kArmsDown, kTPose, kAsItStands };

struct RigParts {
  std::string name;
  Stance stance = Stance::kArmsDown;
  std::vector<std::string> joint_paths;  // "HumanoidRoot/sacroiliac/l_hip"; parents first
  std::vector<std::string>
      joint_aliases;  // other names (H-Anim V2), "" for none; empty or one per joint
  std::vector<Vec3> rest_translations;  // parent-local, metres
  std::vector<Quat> rest_rotations;     // empty: identity
  // Which bone each joint is, without duplicates; empty: derived from their names.
  std::vector<std::optional<HumanBone>> bones;
  std::vector<std::string> shapes;
  std::vector<Site> sites;
  std::vector<JointLimit> limits;  // empty: unknown
  // Resistance of each joint to rotation about its own X, Y and Z at rest when inverse kinematics
  // distributes a motion, as in H-Anim's `stiffness`: 0 rotates freely, 1 not at all. Empty: all
  // free.
  std::vector<Vec3> stiffness;
};

class Rig {
 public:
  // INVALID_ARGUMENT names joint and index: forward parent, cycle, duplicate path, wrong length,
  // more than 1024 joints or 512 shapes.
  static absl::StatusOr<std::shared_ptr<const Rig>> Make(RigParts parts);

  // Parses the rig file format of docs/formats.md. Errors contain the line number.
  static absl::StatusOr<std::shared_ptr<const Rig>> Parse(absl::string_view text);

  // The parts it was made from, to make a similar rig.
  const RigParts& parts() const { return parts_; }
  const std::string& name() const { return parts_.name; }
  Stance stance() const { return parts_.stance; }
  int joints() const { return static_cast<int>(parts_.joint_paths.size()); }
  int shapes() const { return static_cast<int>(parts_.shapes.size()); }
  absl::Span<const std::string> joint_paths() const { return parts_.joint_paths; }
  // The last elements of the paths. If several joints share one, as much more of the path as needed
  // to distinguish them. FindJoint finds the joint by this name.
  absl::Span<const std::string> joint_names() const { return joint_names_; }
  // Other names of the joints, "" for none; empty if the rig has none.
  absl::Span<const std::string> joint_aliases() const { return parts_.joint_aliases; }
  absl::Span<const std::string> shape_names() const { return parts_.shapes; }
  absl::Span<const Site> sites() const { return parts_.sites; }
  absl::Span<const JointLimit> limits() const { return parts_.limits; }
  // One per joint, each axis within 0..1; empty if all rotate freely. See RigParts.
  absl::Span<const Vec3> stiffness() const { return parts_.stiffness; }
  const Topology& topology() const { return topology_; }
  // The joints of hips, head, hands...
  const Humanoid& humanoid() const { return humanoid_; }
  // Every element present; weights 0, scales 1.
  PoseView rest() const { return rest_.view(); }

  // Finds a joint by path, by an end of it that only one joint has (see PathIndex), or else by an
  // alias equal to the last element; -1 if there is none, or several.
  int FindJoint(absl::string_view path) const { return MatchJoint(path).index; }
  // Also returns how many elements match: 0 for an alias.
  PathIndex::Match MatchJoint(absl::string_view path) const;
  // Ignores case; -1 if there is none.
  int FindShape(absl::string_view name) const;

  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

 private:
  Rig(RigParts parts, absl::Span<const NamingConvention> conventions);

  RigParts parts_;
  std::vector<std::string> joint_names_;
  Topology topology_;
  Humanoid humanoid_;
  Pose rest_;
  PathIndex joint_by_path_;
  absl::flat_hash_map<absl::string_view, int> joint_by_alias_;
  absl::flat_hash_map<std::string, int> shape_by_name_;  // lower case
};

// The built-in rigs, made once at startup and passed on: hanim_loa1, hanim_loa2, hanim_loa3 (the
// standard rig), hanim_loa4, ace_biped, vrm, hanim_loa0 (only the root).
class RigCatalog {
 public:
  // `shapes` is "arkit52" or "arkit68" (with the 16 tongue shapes).
  static absl::StatusOr<RigCatalog> Builtin(absl::string_view shapes = "arkit52");

  // NOT_FOUND lists the known names.
  absl::StatusOr<std::shared_ptr<const Rig>> Find(absl::string_view name) const;
  std::vector<std::string> names() const;
  // Adds a rig read from a file; ALREADY_EXISTS if the name is in use.
  absl::Status Add(std::shared_ptr<const Rig> rig);

 private:
  std::vector<std::shared_ptr<const Rig>> rigs_;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_RIG_H_
