// The walk down the hierarchy as its definition says it, joint by joint: what the kernel must agree
// with, and what it is timed against.
#ifndef POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_LOCAL_TO_MODEL_H_
#define POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_LOCAL_TO_MODEL_H_

#include "libs/skel/local_to_model_job.h"

namespace posewire::skel::scalar {

// Fills the matrices, which must be there.
inline void LocalToModel(const LocalToModelJob& job) {
  const PoseView &local = job.local, rest = job.rig->rest();
  for (int j = 0; j < local.joints; ++j) {
    const Affine own = FromTrs((local.has_t[j] ? local : rest).translation(j),
                               (local.has_r[j] ? local : rest).rotation(j),
                               (local.has_s[j] ? local : rest).scale(j));
    const int p = job.rig->topology().parent(j);
    job.matrices[static_cast<size_t>(j)] =
        p < 0 ? own : Mul(own, job.matrices[static_cast<size_t>(p)]);
  }
}

}  // namespace posewire::skel::scalar

#endif  // POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_LOCAL_TO_MODEL_H_
