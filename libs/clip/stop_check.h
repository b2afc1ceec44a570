// Lets long computations be cancelled.
#ifndef POSEWIRE_LIBS_CLIP_STOP_CHECK_H_
#define POSEWIRE_LIBS_CLIP_STOP_CHECK_H_

#include "absl/functional/function_ref.h"

namespace posewire::clip {

// Called every few milliseconds, on the working thread. When it returns true, the computation
// stops. It must then keep returning true.
using StopCheck = absl::FunctionRef<bool()>;

inline bool NeverStop() { return false; }

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_STOP_CHECK_H_
