// Copies values from one order of names to another, by UsdSkel's rules for animation mapping.
#ifndef POSEWIRE_LIBS_SKEL_POSE_MAPPER_H_
#define POSEWIRE_LIBS_SKEL_POSE_MAPPER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// Names are compared as whole tokens: "/A" and "A" do not match. If a name occurs twice in the
// target order, its last index counts. Immutable once made.
class PoseMapper {
 public:
  // A null map.
  PoseMapper() = default;
  PoseMapper(absl::Span<const std::string> source, absl::Span<const std::string> target);

  // Maps one program's joint names to another's, leniently: a path that is not in the target
  // matches the one joint with which it shares the longest end (see PathIndex). If several would
  // match one joint, the longest end wins, and with equally long ones none.
  static PoseMapper ByPath(absl::Span<const std::string> source,
                           absl::Span<const std::string> target);
  // The same, to the joints of a rig or their aliases.
  static PoseMapper ToRig(absl::Span<const std::string> source, const Rig& rig);

  // Returns whether either order is empty. Orders with no common name are not null: they map
  // nothing.
  bool IsNull() const { return kind_ == Kind::kNull; }
  // Returns whether both have the same names in the same order.
  bool IsIdentity() const { return kind_ == Kind::kIdentity; }
  // Returns whether the whole source is one contiguous run within the target (also true of an
  // identity map).
  bool IsOrdered() const { return kind_ == Kind::kIdentity || kind_ == Kind::kOrdered; }
  // Returns whether some elements of the target are not written.
  bool IsSparse() const { return sparse_; }

  int source_size() const { return source_size_; }
  int target_size() const { return target_size_; }
  // Returns the index of a source element in the target, or -1.
  int TargetOf(int source) const;

  // Resizes `target` to target_size() elements of `element_size` floats. Existing elements keep
  // their values, new ones get `fallback`, and then the mapped elements of `source` are written; a
  // short source is used as far as it goes. INVALID_ARGUMENT for an element size below 1.
  absl::Status Remap(absl::Span<const float> source, int element_size, std::vector<float>& target,
                     float fallback = 0) const;

  // The same for the joints, and for the shapes, of poses: writes the mapped values that are
  // present in `in`, and leaves the rest of `out` unchanged. Returns false and writes nothing
  // unless the sizes match. No allocation.
  bool MapJoints(const PoseView& in, const PoseSpan& out) const;
  bool MapShapes(const PoseView& in, const PoseSpan& out) const;

 private:
  PoseMapper(std::vector<int> indices, int target_size);

  enum class Kind { kNull, kIdentity, kOrdered, kIndexed };

  Kind kind_ = Kind::kNull;
  bool sparse_ = true;
  int source_size_ = 0, target_size_ = 0;
  int offset_ = 0;            // of an ordered map
  std::vector<int> indices_;  // of an indexed map: source -> target or -1
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_POSE_MAPPER_H_
