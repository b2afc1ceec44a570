// Catmull-Clark subdivision as weights of the coarse mesh's points.
//
// Refinement is linear in the points, and its weights hang on the faces alone. So OpenSubdiv works
// them out once, and a frame costs a weighted sum a point. Beyond a few levels, or round busy
// vertices, a point hangs on dozens of others by little; only the heaviest are kept, scaled to sum
// 1, and what that costs is told.
#ifndef POSEWIRE_LIBS_MESH_SUBDIVISION_H_
#define POSEWIRE_LIBS_MESH_SUBDIVISION_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/mesh/faces.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

struct SubdivisionOptions {
  int levels = 1;         // 1 to 4; each makes four faces of a quad
  int most_weights = 10;  // kept for a point; 0: all
};

// Immutable once made; any thread.
class Subdivision {
 public:
  // Borders are creases, and corners of one face stay. `rest` is what the truncation's error is
  // measured on. INVALID_ARGUMENT: as Faces::Validate, other than one of `rest` a point, levels out
  // of range; RESOURCE_EXHAUSTED for more than 16 million refined corners.
  static absl::StatusOr<Subdivision> Make(const Faces& faces, absl::Span<const skel::Vec3> rest,
                                          const SubdivisionOptions& options = {});

  // The refined mesh: quads. A face of the level before, which is the coarse mesh where there is
  // one level, has one for each of its corners, in their order: that begins with the point that the
  // corner has become, and goes on with those of the edge after it, of the face, and of the edge
  // before it.
  const Faces& faces() const { return faces_; }
  size_t points() const { return begin_.size() - 1; }
  size_t weights() const { return weights_.size(); }

  // What leaving weights out costs: points that lost some, the largest share that one lost, and how
  // far the points at rest are from where all weights put them.
  struct Truncation {
    size_t points = 0;
    double largest_share = 0, worst_m = 0, mean_m = 0;
  };
  const Truncation& truncation() const { return truncation_; }

  // Refines the points of a pose. INVALID_ARGUMENT: other counts than the meshes have. No
  // allocation.
  absl::Status Run(absl::Span<const skel::Vec3> coarse, absl::Span<skel::Vec3> out) const;

 private:
  Faces faces_;
  size_t coarse_ = 0;
  std::vector<uint32_t> begin_;  // of each point's weights, and one past the last
  std::vector<int32_t> sources_;
  std::vector<float> weights_;
  Truncation truncation_;
};

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_SUBDIVISION_H_
