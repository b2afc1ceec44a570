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

// Offsets that stand at their full strength when the weight is `weight`.
struct ShapeKey {
  float weight = 1;
  std::vector<skel::Vec3> offsets;
  std::vector<skel::Vec3> normal_offsets;  // empty, or one an offset
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
  // In-betweens of a weight within 1e-6 of 0 or 1 are left out, and so are those of one and the
  // same weight; `warnings`, when not null, gets a line for each. INVALID_ARGUMENT that names the
  // shape and the place: counts that do not agree, values that are no numbers. Without offsets a
  // shape moves nothing.
  static absl::StatusOr<BlendShape> Make(BlendShapeParts parts,
                                         std::vector<std::string>* warnings = nullptr);

  const std::string& name() const { return name_; }
  absl::Span<const int32_t> indices() const { return indices_; }

  // The two keys between which a weight lies, and their parts; a null key contributes nothing.
  struct Blend {
    const ShapeKey* low = nullptr;
    const ShapeKey* high = nullptr;
    float low_part = 0, high_part = 0;
  };
  // Neighbours low <= weight < high, the outermost two beyond the ends, so that weights past them
  // go on in a straight line. A part within 1e-6 of 0 is dropped with its key.
  Blend Find(float weight) const;

 private:
  std::string name_;
  std::vector<int32_t> indices_;
  std::vector<ShapeKey> keys_;  // by weight; the null shape at 0 has no offsets
};

// Adds shapes to points, and to normals where given: p' = p + sum of parts times offsets, in the
// mesh's own space, before skinning. Shapes of |weight| < 1e-6 are skipped. Normals that change are
// made unit again. Fill in, Run(). No allocation; any thread.
struct BlendShapesJob {
  absl::Span<const BlendShape> shapes;
  absl::Span<const float> weights;  // one a shape
  absl::Span<skel::Vec3> points;    // in and out
  absl::Span<skel::Vec3> normals;   // in and out; may be empty

  // INVALID_ARGUMENT: weights not as many as shapes, normals not as many as points, an index that
  // is no point (named), offsets for all points that are not as many, of a shape that has a weight.
  absl::Status Validate() const;
  // Nothing is written when Validate() fails.
  absl::Status Run() const;
};

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_BLEND_SHAPES_H_
