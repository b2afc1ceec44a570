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

// Without scales a position is that of the parent and the offset as the parent turns it.
void WalkUnscaled(const LocalToModelJob& job, const LocalTransforms& at) {
  std::array<Quat, kMostJoints> scratch;
  const int joints = job.rig->joints();
  const absl::Span<Quat> turns = job.rotations.empty() ? absl::MakeSpan(scratch) : job.rotations;
  for (int j = 0; j < joints; ++j) {
    const auto i = static_cast<size_t>(j);
    const int p = job.rig->topology().parent(j);
    const auto above = static_cast<size_t>(p);
    turns[i] = p < 0 ? at.r(j) : Mul(turns[above], at.r(j));
    if (job.positions.empty()) continue;
    job.positions[i] = p < 0 ? at.t(j) : job.positions[above] + Rotate(turns[above], at.t(j));
  }
}

bool HasScales(const LocalTransforms& at, int joints) {
  for (int j = 0; j < joints; ++j) {
    const Vec3 s = at.s(j);
    if (s.x != 1 || s.y != 1 || s.z != 1) return true;
  }
  return false;
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
  const bool scaled = HasScales(at, joints);
  if (!rotations.empty() || !scaled) WalkUnscaled(*this, at);
  if (matrices.empty() && (positions.empty() || !scaled)) return true;

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
