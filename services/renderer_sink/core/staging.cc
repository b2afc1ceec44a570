#include "services/renderer_sink/core/staging.h"

#include <algorithm>
#include <variant>

#include "libs/vmc/coordinates.h"
#include "libs/vmc/datagram_reader.h"
#include "libs/vmc/messages.h"
#include "libs/wire/vmc_entry.h"

namespace posewire::renderer_sink {
namespace {

constexpr float kBrightest = 8;

skel::Vec3 ColorOf(const std::array<float, 4>& rgba, float most) {
  return {std::clamp(rgba[0], 0.0f, most), std::clamp(rgba[1], 0.0f, most),
          std::clamp(rgba[2], 0.0f, most)};
}

bool Same(skel::Vec3 a, skel::Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

}  // namespace

bool operator==(const Staging& a, const Staging& b) {
  if (a.light.has_value() != b.light.has_value() ||
      a.background.has_value() != b.background.has_value()) {
    return false;
  }
  return (!a.light || (Same(a.light->way, b.light->way) && Same(a.light->color, b.light->color))) &&
         (!a.background || Same(*a.background, *b.background));
}

bool TakeStaging(const std::vector<wire::MetadataEntry>& entries, Staging& staging) {
  const Staging before = staging;
  vmc::DatagramReader reader;
  for (const wire::MetadataEntry& entry : entries) {
    const auto bundle = wire::VmcBundleIn(entry);
    if (!bundle) continue;
    reader.Read(*bundle, [&staging](const vmc::Message& m) {
      if (const auto* light = std::get_if<vmc::Light>(&m)) {
        // A light of Unity shines along its Z.
        const skel::Vec3 along = skel::Rotate(vmc::FromUnity(light->pose).turn, {0, 0, 1});
        staging.light = {along * -1, ColorOf(light->color, kBrightest)};
      } else if (const auto* background = std::get_if<vmc::BackgroundColor>(&m)) {
        staging.background = ColorOf(background->color, 1);
      }
    });
  }
  return !(staging == before);
}

}  // namespace posewire::renderer_sink
