// Catmull-Clark subdivision as weights of the coarse mesh's points.
//
// Refinement is linear in the points, and its weights depend only on the faces. OpenSubdiv
// therefore computes them once, and a frame costs one weighted sum per point. Beyond a few levels,
// or around vertices with many edges, a point depends on dozens of others by small amounts. Only
// the heaviest weights are kept, scaled to sum 1, and the resulting error is reported.
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
  int levels = 1;         // 1 to 4; each level makes four faces from a quad
  int most_weights = 10;  // kept per point; 0: all
};

// Immutable once made; any thread.
class Subdivision {
 public:
  // Borders are creases, and corners of a single face stay fixed. The truncation's error is
  // measured on `rest`. INVALID_ARGUMENT: see Faces::Validate, `rest` not of one entry per point,
  // levels out of range; RESOURCE_EXHAUSTED for more than 16 million refined corners.
  static absl::StatusOr<Subdivision> Make(const Faces& faces, absl::Span<const skel::Vec3> rest,
                                          const SubdivisionOptions& options = {});

  // The refined mesh: quads. A face of the previous level (the coarse mesh, if there is one level)
  // has one quad for each of its corners, in their order. Each quad begins with the point that the
  // corner has become, followed by those of the next edge, of the face, and of the previous edge.
  const Faces& faces() const { return faces_; }
  size_t points() const { return begin_.size() - 1; }
  size_t weights() const { return weights_.size(); }
  // The rule that Run applies, for others to apply: refined point i is the sum of coarse points
  // rule_points()[k] times rule_weights()[k], for k from rule_begins()[i] to rule_begins()[i + 1].
  absl::Span<const uint32_t> rule_begins() const { return begin_; }
  absl::Span<const int32_t> rule_points() const { return sources_; }
  absl::Span<const float> rule_weights() const { return weights_; }

  // The cost of omitting weights: points that lost some, the largest share that one lost, and the
  // distance of the points at rest from their positions with all weights.
  struct Truncation {
    size_t points = 0;
    double largest_share = 0, worst_m = 0, mean_m = 0;
  };
  const Truncation& truncation() const { return truncation_; }

  // Refines the points of a pose. INVALID_ARGUMENT: counts that differ from the meshes'. No
  // allocation.
  absl::Status Run(absl::Span<const skel::Vec3> coarse, absl::Span<skel::Vec3> out) const;

 private:
  Faces faces_;
  size_t coarse_ = 0;
  std::vector<uint32_t> begin_;  // index of each point's first weight, and one past the last
  std::vector<int32_t> sources_;
  std::vector<float> weights_;
  Truncation truncation_;
};

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_SUBDIVISION_H_
