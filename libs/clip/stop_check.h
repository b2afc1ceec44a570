// How what takes long is told to give up.
#ifndef POSEWIRE_LIBS_CLIP_STOP_CHECK_H_
#define POSEWIRE_LIBS_CLIP_STOP_CHECK_H_

#include "absl/functional/function_ref.h"

namespace posewire::clip {

// Asked every few milliseconds, on the thread that works: true, and it gives up. Stays true then.
using StopCheck = absl::FunctionRef<bool()>;

inline bool NeverStop() { return false; }

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_STOP_CHECK_H_
