// posewire.scene.v1.Props between plain values and a metadata entry.
#ifndef POSEWIRE_LIBS_WIRE_PROPS_H_
#define POSEWIRE_LIBS_WIRE_PROPS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/skel/math.h"
#include "libs/wire/chunk.h"

namespace posewire::wire {

inline constexpr absl::string_view kPropsKey = "posewire.props";
inline constexpr size_t kMostProps = 32;

// Fields as in the .proto file.
struct Prop {
  std::string name;
  skel::Vec3 position;
  skel::Quat rotation;
  std::string shape;
  skel::Vec3 size{0.1f, 0.1f, 0.1f};
  bool held = false;
  std::string held_by = "";
  bool usual_size = false;
};

// Metres, for adults: a cup of 0.25 l, a table for two; a small box for other shapes.
skel::Vec3 UsualSize(absl::string_view shape);
// Returns true if the shape's origin is at the middle of its bottom; that of a box is its centre.
bool StandsOnItsOrigin(absl::string_view shape);

MetadataEntry ToMetadata(const std::vector<Prop>& props);

// Returns nothing if the entry has another key, cannot be parsed, or has more props, longer names
// or other numbers than the .proto file allows. Returned rotations have unit length.
std::optional<std::vector<Prop>> ReadProps(const MetadataEntry& entry);

// Returns the last props in these entries.
std::optional<std::vector<Prop>> PropsIn(const std::vector<MetadataEntry>& entries);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_PROPS_H_
