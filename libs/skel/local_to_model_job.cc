#include "libs/skel/local_to_model_job.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "libs/skel/job_check.h"

namespace posewire::skel {
namespace {

constexpr size_t kMostJoints = 1024;  // of a Rig

struct LocalTransforms {
  PoseView local, rest;

  Vec3 t(int j) const { return local.has_t[j] ? local.translation(j) : rest.translation(j); }
  Quat r(int j) const { return local.has_r[j] ? local.rotation(j) : rest.rotation(j); }
  Vec3 s(int j) const { return local.has_s[j] ? local.scale(j) : rest.scale(j); }
};

absl::Status CheckOutput(absl::string_view field, size_t size, int joints) {
  if (size == 0 || size == static_cast<size_t>(joints)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " has ", size, " entries, expected ", joints, " or none"));
}

}  // namespace

absl::Status LocalToModelJob::Validate() const {
  if (rig == nullptr) return absl::InvalidArgumentError("rig is missing");
  if (absl::Status s = CheckPoseSize("local", local, rig->joints(), local.shapes); !s.ok())
    return s;
  for (absl::Status s : {CheckOutput("positions", positions.size(), rig->joints()),
                         CheckOutput("rotations", rotations.size(), rig->joints()),
                         CheckOutput("matrices", matrices.size(), rig->joints())}) {
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

bool LocalToModelJob::Run() const {
  if (!Validate().ok()) return false;
  const LocalTransforms at{local, rig->rest()};
  const Topology& topology = rig->topology();
  const int joints = rig->joints();
  if (!rotations.empty()) {
    for (int j = 0; j < joints; ++j) {
      const int p = topology.parent(j);
      rotations[static_cast<size_t>(j)] =
          p < 0 ? at.r(j) : Mul(rotations[static_cast<size_t>(p)], at.r(j));
    }
  }
  if (positions.empty() && matrices.empty()) return true;

  // Scales shear what hangs below them, which only matrices can say.
  std::array<Affine, kMostJoints> scratch;
  const absl::Span<Affine> model =
      matrices.empty() ? absl::MakeSpan(scratch).first(static_cast<size_t>(joints)) : matrices;
  for (int j = 0; j < joints; ++j) {
    const auto i = static_cast<size_t>(j);
    const int p = topology.parent(j);
    const Affine m = FromTrs(at.t(j), at.r(j), at.s(j));
    model[i] = p < 0 ? m : Mul(m, model[static_cast<size_t>(p)]);
    if (!positions.empty()) positions[i] = model[i].row[3];
  }
  return true;
}

}  // namespace posewire::skel
