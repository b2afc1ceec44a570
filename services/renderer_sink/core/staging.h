// The light and background that a stream requests by VMC messages in its metadata
// (wire::VmcBundleIn).
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_STAGING_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_STAGING_H_

#include <optional>
#include <vector>

#include "libs/skel/math.h"
#include "libs/wire/chunk.h"

namespace posewire::renderer_sink {

// Absent values were never requested.
struct Staging {
  struct Light {
    skel::Vec3 way;    // towards the light, in the avatar's space
    skel::Vec3 color;  // 1 is white
  };
  std::optional<Light> light;
  std::optional<skel::Vec3> background;  // sRGB
};

bool operator==(const Staging& a, const Staging& b);

// Updates `staging` from these entries. Returns whether it changed. Of several lights, the last one
// counts.
bool TakeStaging(const std::vector<wire::MetadataEntry>& entries, Staging& staging);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_STAGING_H_
