// The jobs' inner loops, many joints at once. For libs/skel alone: a job checks its arguments and
// calls its kernel; see targets.h for what all of them promise. No allocation; any thread.
#ifndef POSEWIRE_LIBS_SKEL_KERNELS_KERNELS_H_
#define POSEWIRE_LIBS_SKEL_KERNELS_KERNELS_H_

#include "libs/skel/blend_job.h"

namespace posewire::skel::kernels {

// As the job's header says; each takes a job that is valid.
void Blend(const BlendJob& job);

}  // namespace posewire::skel::kernels

#endif  // POSEWIRE_LIBS_SKEL_KERNELS_KERNELS_H_
