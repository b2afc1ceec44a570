// Makes one layer of a file and of those that it names: what a stage says.
//
// Sublayers are laid beneath the file that names them; value clips, inherited classes, the variants
// that are chosen, references, payloads and specialised classes beneath the prim that names them,
// in that order and each with its time offset. What remains needs no other file: paths are
// absolute, clips are plain samples, there are no variant sets, and prims that are not active are
// left out. A stronger file's value hides all that a weaker one says of an attribute, samples
// included.
#ifndef POSEWIRE_LIBS_FORMATS_USD_COMPOSE_H_
#define POSEWIRE_LIBS_FORMATS_USD_COMPOSE_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/usd/layer.h"
#include "libs/formats/usd/read_layer.h"

namespace posewire::usd {

// The text of a file by its path, which counts from the folder of the first one. Null: a file that
// names others is refused.
using OpenLayer = std::function<absl::StatusOr<std::string>(const std::string& path)>;

// INVALID_ARGUMENT begins with the line of this file, or with the path of another and the line
// there: for what ReadLayer refuses, prims that are not there, and files or prims that lead back
// to themselves. RESOURCE_EXHAUSTED: over the limits of ReadLayer, 256 files, or what is used
// again and again takes over 64 times the bytes of all files. Others are those of `open`, behind
// the path.
absl::StatusOr<Layer> Compose(absl::string_view text, const OpenLayer& open,
                              const ReadLimits& limits = {});

// Of metadata, by name; nullptr if it is not there.
const Value* FindMetadata(const std::vector<Entry>& metadata, absl::string_view name);
// The first number of such a value, or `otherwise`.
double NumberOf(const std::vector<Entry>& metadata, absl::string_view name, double otherwise);
// timeCodesPerSecond, or else framesPerSecond, or else 24.
double TimeCodesPerSecond(const Layer& layer);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_COMPOSE_H_
