// Writes .usda text.
#ifndef POSEWIRE_LIBS_USD_WRITE_LAYER_H_
#define POSEWIRE_LIBS_USD_WRITE_LAYER_H_

#include <string>

#include "libs/usd/layer.h"

namespace posewire::usd {

// Reading the text gives the layer again, each number with the same bits. Names are written as
// they are.
std::string WriteLayer(const Layer& layer);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_USD_WRITE_LAYER_H_
