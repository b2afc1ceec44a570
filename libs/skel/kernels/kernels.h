// The jobs' inner loops, many joints at once. Only for libs/skel: a job checks its arguments and
// calls its kernel. targets.h lists the rules for all kernels. No allocation; any thread.
#ifndef POSEWIRE_LIBS_SKEL_KERNELS_KERNELS_H_
#define POSEWIRE_LIBS_SKEL_KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "libs/skel/additive_job.h"
#include "libs/skel/blend_job.h"
#include "libs/skel/layer_job.h"
#include "libs/skel/local_to_model_job.h"
#include "libs/skel/rig.h"
#include "libs/skel/unpack_job.h"

namespace posewire::skel::kernels {

// See the jobs' headers. Each requires a valid job.
void Blend(const BlendJob& job);
void Layer(const LayerJob& job);
void MakeAdditive(const MakeAdditiveJob& job);
// Adds a delta to the contents of `out`; the weight is 0..1.
void Add(const PoseView& delta, float weight, const Mask* mask, const PoseSpan& out);
// Computes positions and matrices; the job computes rotations itself.
void LocalToModel(const LocalToModelJob& job);
// Sets doubtful[j] to 1 for joints for which SurelyWithin returns false, and else to 0. The rig
// must have limits.
void FindDoubtful(const Rig& rig, const PoseView& pose, uint8_t* doubtful);
void Unpack(const UnpackJob& job);
// Like InterpolateKeys, for `n` floats; `out` may be `a` or `b`.
void Interpolate(const float* a, const float* b, float t, bool rotations, size_t n, float* out);

}  // namespace posewire::skel::kernels

#endif  // POSEWIRE_LIBS_SKEL_KERNELS_KERNELS_H_
