// Props of a recording as those of a scene that is written.
#ifndef POSEWIRE_LIBS_ASSET_PROP_HISTORY_H_
#define POSEWIRE_LIBS_ASSET_PROP_HISTORY_H_

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "libs/asset/scene.h"
#include "libs/wire/props.h"

namespace posewire::asset {

// States this far apart are moments of one movement. After a longer silence, the earlier state
// applies up to the later one.
inline constexpr double kLongestPropStep_s = 0.12;

// Returns each prop of these states, which are in the order of their times, with its places as keys
// between which programs interpolate. A prop has the shape and size that it has first; it is there
// from the beginning, and stays where it was last.
std::vector<SceneProp> PropsOver(
    absl::Span<const std::pair<double, std::vector<wire::Prop>>> states);

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_PROP_HISTORY_H_
