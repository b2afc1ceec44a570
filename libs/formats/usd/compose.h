// Composes a file and the files that it refers to into one layer, as USD stages do.
//
// Sublayers are merged beneath the file that names them; value clips, inherited classes, selected
// variants, references, payloads and specialised classes beneath the prim that names them, in that
// order and each with its time offset. The result needs no other file: paths are absolute, clips
// are plain samples, there are no variant sets, and inactive prims are removed. A stronger file's
// value hides everything that a weaker one has for an attribute, including samples.
#ifndef POSEWIRE_LIBS_FORMATS_USD_COMPOSE_H_
#define POSEWIRE_LIBS_FORMATS_USD_COMPOSE_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/usd/layer.h"
#include "libs/formats/usd/read_layer.h"

namespace posewire::usd {

// Returns the text of a file by its path, relative to the folder of the first one. Null: a file
// that refers to others is rejected.
using OpenLayer = std::function<absl::StatusOr<std::string>(const std::string& path)>;

// INVALID_ARGUMENT begins with the line of this file, or with the path of another and the line
// there: for what ReadLayer rejects, missing prims, and files or prims that refer back to
// themselves. RESOURCE_EXHAUSTED: over the limits of ReadLayer, 256 files, or repeated use takes
// over 64 times the bytes of all files. Other errors are those of `open`, after the path.
absl::StatusOr<Layer> Compose(absl::string_view text, const OpenLayer& open,
                              const ReadLimits& limits = {});

// Finds metadata by name; nullptr if there is none.
const Value* FindMetadata(const std::vector<Entry>& metadata, absl::string_view name);
// Returns the first number of such a value, or `otherwise`.
double NumberOf(const std::vector<Entry>& metadata, absl::string_view name, double otherwise);
// Returns timeCodesPerSecond, or else framesPerSecond, or else 24.
double TimeCodesPerSecond(const Layer& layer);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_COMPOSE_H_
