#include "libs/mesh/subdivision.h"

#include <opensubdiv/far/stencilTable.h>
#include <opensubdiv/far/stencilTableFactory.h>
#include <opensubdiv/far/topologyDescriptor.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "libs/mesh/check_size.h"

namespace posewire::mesh {
namespace {

namespace Far = OpenSubdiv::Far;
namespace Sdc = OpenSubdiv::Sdc;
using skel::Vec3;

constexpr double kMostCorners = 16 << 20;

std::unique_ptr<Far::TopologyRefiner> Refine(const Faces& faces, int levels) {
  Far::TopologyDescriptor descriptor;
  descriptor.numVertices = static_cast<int>(faces.points);
  descriptor.numFaces = static_cast<int>(faces.sizes.size());
  descriptor.numVertsPerFace = faces.sizes.data();
  descriptor.vertIndicesPerFace = faces.corners.data();
  using Factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
  Sdc::Options options;
  options.SetVtxBoundaryInterpolation(Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER);
  std::unique_ptr<Far::TopologyRefiner> refiner(
      Factory::Create(descriptor, Factory::Options(Sdc::SCHEME_CATMARK, options)));
  if (refiner != nullptr) {
    Far::TopologyRefiner::UniformOptions uniform(levels);
    uniform.fullTopologyInLastLevel = false;
    refiner->RefineUniform(uniform);
  }
  return refiner;
}

// Makes the faces of the last level from those of the level before.
Faces FacesOf(const Far::TopologyLevel& before, const Far::TopologyLevel& level) {
  Faces out;
  out.points = static_cast<size_t>(level.GetNumVertices());
  for (int f = 0; f < before.GetNumFaces(); ++f) {
    const auto children = before.GetFaceChildFaces(f);
    const auto parents = before.GetFaceVertices(f);
    for (int k = 0; k < children.size(); ++k) {
      const auto corners = level.GetFaceVertices(children[k]);
      const int n = corners.size(),
                begin = corners.FindIndex(before.GetVertexChildVertex(parents[k]));
      out.sizes.push_back(n);
      for (int c = 0; c < n; ++c) out.corners.push_back(corners[(begin + c) % n]);
    }
  }
  return out;
}

Vec3 Sum(absl::Span<const Vec3> points, const int32_t* sources, const float* weights, size_t n) {
  Vec3 sum;
  for (size_t k = 0; k < n; ++k) {
    sum = sum + points[static_cast<size_t>(sources[k])] * weights[k];
  }
  return sum;
}

}  // namespace

absl::StatusOr<Subdivision> Subdivision::Make(const Faces& faces, absl::Span<const Vec3> rest,
                                              const SubdivisionOptions& options) {
  if (absl::Status s = faces.Validate(); !s.ok()) return s;
  if (absl::Status s = CheckSize("rest", rest.size(), faces.points); !s.ok()) return s;
  if (options.levels < 1 || options.levels > 4 || options.most_weights < 0) {
    return absl::InvalidArgumentError(absl::StrCat("levels is ", options.levels,
                                                   " and most_weights ", options.most_weights,
                                                   ", expected 1 to 4 and at least 0"));
  }
  const double refined = static_cast<double>(faces.corners.size()) * std::pow(4.0, options.levels);
  if (refined > kMostCorners) {
    return absl::ResourceExhaustedError(absl::StrCat(faces.corners.size(), " corners become ",
                                                     refined, " after ", options.levels,
                                                     " levels, expected at most ", kMostCorners));
  }
  const auto refiner = Refine(faces, options.levels);
  if (refiner == nullptr) {
    return absl::InvalidArgumentError("OpenSubdiv cannot make a topology of these faces");
  }
  // The names without Real cast their argument to a class that it does not have.
  using Factory = Far::StencilTableFactoryReal<float>;
  Factory::Options wanted;
  wanted.generateIntermediateLevels = false;
  wanted.generateOffsets = true;
  const std::unique_ptr<const Far::StencilTableReal<float>> table(
      Factory::Create(*refiner, wanted));

  Subdivision out;
  out.coarse_ = faces.points;
  out.faces_ = FacesOf(refiner->GetLevel(options.levels - 1), refiner->GetLevel(options.levels));
  out.begin_.push_back(0);
  std::vector<size_t> order;
  double sum_m = 0;
  for (int i = 0; i < table->GetNumStencils(); ++i) {
    const auto stencil = table->GetStencil(i);
    const auto n = static_cast<size_t>(stencil.GetSize());
    const float* const weights = stencil.GetWeights();
    order.resize(n);
    std::iota(order.begin(), order.end(), size_t{0});
    const size_t kept =
        options.most_weights == 0 ? n : std::min(n, static_cast<size_t>(options.most_weights));
    if (kept < n) {
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return std::fabs(weights[a]) > std::fabs(weights[b]);
      });
    }
    float sum = 0;
    for (size_t k = 0; k < kept; ++k) sum += weights[order[k]];
    for (size_t k = 0; k < kept; ++k) {
      out.sources_.push_back(stencil.GetVertexIndices()[order[k]]);
      out.weights_.push_back(kept < n ? weights[order[k]] / sum : weights[order[k]]);
    }
    const size_t begin = out.begin_.back();
    out.begin_.push_back(static_cast<uint32_t>(out.sources_.size()));
    if (kept == n) continue;
    const Vec3 whole = Sum(rest, stencil.GetVertexIndices(), weights, n);
    const Vec3 cut = Sum(rest, &out.sources_[begin], &out.weights_[begin], kept);
    const double away = skel::Length(whole - cut);
    ++out.truncation_.points;
    out.truncation_.largest_share =
        std::max(out.truncation_.largest_share, 1 - static_cast<double>(sum));
    out.truncation_.worst_m = std::max(out.truncation_.worst_m, away);
    sum_m += away;
  }
  if (out.points() > 0) out.truncation_.mean_m = sum_m / static_cast<double>(out.points());
  return out;
}

absl::Status Subdivision::Run(absl::Span<const Vec3> coarse, absl::Span<Vec3> out) const {
  if (coarse.size() != coarse_ || out.size() != points()) {
    return absl::InvalidArgumentError(absl::StrCat("coarse and out have ", coarse.size(), " and ",
                                                   out.size(), " entries, expected ", coarse_,
                                                   " and ", points()));
  }
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = Sum(coarse, &sources_[begin_[i]], &weights_[begin_[i]], begin_[i + 1] - begin_[i]);
  }
  return absl::OkStatus();
}

}  // namespace posewire::mesh
