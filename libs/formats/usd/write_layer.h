// Writes .usda text.
#ifndef POSEWIRE_LIBS_FORMATS_USD_WRITE_LAYER_H_
#define POSEWIRE_LIBS_FORMATS_USD_WRITE_LAYER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "libs/formats/usd/layer.h"

namespace posewire::usd {

// Reading the text gives the layer again, each number with the same bits. Names are written as
// they are.
std::string WriteLayer(const Layer& layer);

// A text as it stands in a layer.
std::string Quoted(absl::string_view text);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_WRITE_LAYER_H_
