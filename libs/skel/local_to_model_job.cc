#include "libs/skel/local_to_model_job.h"

#include "absl/strings/str_cat.h"
#include "libs/skel/job_check.h"
#include "libs/skel/kernels/kernels.h"

namespace posewire::skel {
namespace {

absl::Status CheckOutput(absl::string_view field, size_t size, int joints) {
  if (size == 0 || size == static_cast<size_t>(joints)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " has ", size, " entries, expected ", joints, " or none"));
}

void MultiplyRotations(const LocalToModelJob& job) {
  const PoseView &local = job.local, rest = job.rig->rest();
  for (size_t i = 0; i < job.rotations.size(); ++i) {
    const auto j = static_cast<int>(i);
    const int p = job.rig->topology().parent(j);
    const Quat q = local.has_r[j] ? local.rotation(j) : rest.rotation(j);
    job.rotations[i] = p < 0 ? q : Mul(job.rotations[static_cast<size_t>(p)], q);
  }
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
  MultiplyRotations(*this);
  if (!positions.empty() || !matrices.empty()) kernels::LocalToModel(*this);
  return true;
}

}  // namespace posewire::skel
