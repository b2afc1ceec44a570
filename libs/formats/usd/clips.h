// Value clips: attributes of a prim, and of those below it, whose samples are in other files, each
// of which applies for a part of the time (OpenUSD's "clips" metadata).
//
// A clip set names files, the times when each is active, and a mapping from the stage's time codes
// to those of the active one. Here it is converted to plain samples, so that later stages need no
// support for clips: at each sample of an active clip, where another one becomes active, and at
// each entry of the time mapping; values between these are linear, as in OpenUSD.
#ifndef POSEWIRE_LIBS_FORMATS_USD_CLIPS_H_
#define POSEWIRE_LIBS_FORMATS_USD_CLIPS_H_

#include <cstddef>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/formats/usd/layer.h"

namespace posewire::usd {

// Opens a file by its path relative to the stage's folder. The layer must stay valid. NOT_FOUND if
// there is no such file.
using OpenClipLayer = absl::FunctionRef<absl::StatusOr<const Layer*>(const std::string& file)>;
// Called before memory is allocated; an error ends the work.
using TakeMemory = absl::FunctionRef<absl::Status(size_t bytes)>;

// Removes the clip sets from a prim's metadata, and returns a prim with their samples, to be merged
// beneath it. INVALID_ARGUMENT, without a line: active or times that are not pairs of finite
// numbers, or of a clip that is not listed; a template without its times; unsupported parts. Other
// errors are those of `open` and `take`.
absl::StatusOr<Prim> TakeClips(Prim& prim, OpenClipLayer open, TakeMemory take);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_CLIPS_H_
