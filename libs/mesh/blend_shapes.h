// Blend shapes with in-betweens, as UsdSkel defines them.
#ifndef POSEWIRE_LIBS_MESH_BLEND_SHAPES_H_
#define POSEWIRE_LIBS_MESH_BLEND_SHAPES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

// The offsets at full strength, which apply at this weight.
struct ShapeKey {
  float weight = 1;
  std::vector<skel::Vec3> offsets;
  std::vector<skel::Vec3> normal_offsets;  // empty, or one per offset
};

// One shape as an author writes it.
struct BlendShapeParts {
  std::string name;
  std::vector<int32_t> indices;  // of points; empty: offsets cover all points
  std::vector<skel::Vec3> offsets, normal_offsets;
  std::vector<ShapeKey> inbetweens;
};

// Immutable once made; any thread.
class BlendShape {
 public:
  // In-betweens with a weight within 1e-6 of 0 or 1 are ignored, and so are those with the same
  // weight; `warnings`, if not null, gets a line for each. INVALID_ARGUMENT names the shape and the
  // place: counts that do not match, values that are not finite. A shape without offsets moves
  // nothing.
  static absl::StatusOr<BlendShape> Make(BlendShapeParts parts,
                                         std::vector<std::string>* warnings = nullptr);

  const std::string& name() const { return name_; }
  absl::Span<const int32_t> indices() const { return indices_; }
  // In ascending order of their weights. The key of weight 1 is the shape itself, and that of
  // weight 0, the mesh, has no offsets; the others are in-betweens.
  absl::Span<const ShapeKey> keys() const { return keys_; }

  // The two keys around a weight, and their shares; a null key contributes nothing.
  struct Blend {
    const ShapeKey* low = nullptr;
    const ShapeKey* high = nullptr;
    float low_part = 0, high_part = 0;
  };
  // Returns neighbours with low <= weight < high. Beyond the ends, returns the outermost two, so
  // that larger weights extrapolate linearly. A share within 1e-6 of 0 is dropped with its key.
  Blend Find(float weight) const;

 private:
  std::string name_;
  std::vector<int32_t> indices_;
  std::vector<ShapeKey> keys_;  // ordered by weight; the null shape at 0 has no offsets
};

// Adds shapes to points, and to normals if given: p' = p + sum of shares * offsets, in the mesh's
// own space, before skinning. Shapes with |weight| < 1e-6 are skipped. Changed normals are
// normalised. Set the fields, then call Run(). No allocation; any thread.
struct BlendShapesJob {
  absl::Span<const BlendShape> shapes;
  absl::Span<const float> weights;  // one per shape
  absl::Span<skel::Vec3> points;    // in and out
  absl::Span<skel::Vec3> normals;   // in and out; may be empty

  // INVALID_ARGUMENT: the number of weights differs from that of shapes, or of normals from that of
  // points; an index is not a point (named); or a weighted shape has offsets for all points, but
  // too few or too many.
  absl::Status Validate() const;
  // Writes nothing if Validate() fails.
  absl::Status Run() const;
};

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_BLEND_SHAPES_H_
