// Value clips: attributes of a prim, and of those below it, whose samples stand in other files,
// each of which counts for a part of the time (OpenUSD's "clips" metadata).
//
// A clip set names files, when each of them is active, and how the stage's time codes become those
// of the active one. What that gives is written out as plain samples here, so that nobody behind
// needs to know of clips: at each sample of an active clip, where another one becomes active, and
// at each entry of the map of times; between these the values are linear, as OpenUSD has them.
#ifndef POSEWIRE_LIBS_FORMATS_USD_CLIPS_H_
#define POSEWIRE_LIBS_FORMATS_USD_CLIPS_H_

#include <cstddef>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/formats/usd/layer.h"

namespace posewire::usd {

// Of a file by its path from the folder of the stage; it stays. NOT_FOUND for a file that is not
// there.
using OpenClipLayer = absl::FunctionRef<absl::StatusOr<const Layer*>(const std::string& file)>;
// Told of memory before it is taken; what it returns ends the work.
using TakeMemory = absl::FunctionRef<absl::Status(size_t bytes)>;

// Moves the clip sets out of a prim's metadata; returns a prim to be laid beneath it with their
// samples. INVALID_ARGUMENT, without a line: active or times that are no pairs of finite numbers,
// or of a clip that is not listed; a template without its times; what is not read of it. Others are
// those of `open` and `take`.
absl::StatusOr<Prim> TakeClips(Prim& prim, OpenClipLayer open, TakeMemory take);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_CLIPS_H_
