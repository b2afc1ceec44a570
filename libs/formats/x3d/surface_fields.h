// Reads and checks the values of X3D nodes' fields, with their defaults.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_SURFACE_FIELDS_H_
#define POSEWIRE_LIBS_FORMATS_X3D_SURFACE_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/x3d/scene.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::x3d {

// Reads lists, and rejects them once the total of numbers exceeds a limit, because a node that is
// used often is read as often. One thread.
class X3dNumbers {
 public:
  explicit X3dNumbers(size_t most) : most_(most) {}

  // See Numbers; RESOURCE_EXHAUSTED over the limit.
  absl::StatusOr<std::vector<float>> Read(const X3dNode& node, absl::string_view field);
  // The same in groups of three; INVALID_ARGUMENT for a remainder.
  absl::StatusOr<std::vector<skel::Vec3>> ReadPoints(const X3dNode& node, absl::string_view field);
  // Integers from `least` to 2^24. INVALID_ARGUMENT names line, field, index and value.
  absl::StatusOr<std::vector<int32_t>> ReadIndices(const X3dNode& node, absl::string_view field,
                                                   int32_t least);
  // Counts other data that is kept.
  absl::Status Take(size_t numbers);

  size_t effort = 0;  // of cutting polygons: see CutPolygon

 private:
  const size_t most_;
  size_t used_ = 0;
};

// INVALID_ARGUMENT: "line 7: IndexedFaceSet.coordIndex what".
absl::Status X3dFault(const X3dNode& node, absl::string_view field, absl::string_view what);
// Returns a single value; `otherwise` if the node does not have it. INVALID_ARGUMENT with the line.
absl::StatusOr<float> X3dNumber(const X3dNode& node, absl::string_view field, float otherwise);
bool X3dFlag(const X3dNode& node, absl::string_view field, bool otherwise);
// Returns the first child in a field; null for none.
const X3dNode* X3dChild(const Scene& scene, const X3dNode& node, absl::string_view field);
// Returns the transform that a Transform, an HAnimSite or an HAnimHumanoid applies to its contents.
// `radians` per unit of angle. INVALID_ARGUMENT with the line.
absl::StatusOr<skel::Affine> X3dTransform(const X3dNode& node, float radians);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SURFACE_FIELDS_H_
