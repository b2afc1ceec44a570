#include "services/anim_graph/core/prop_catalog.h"

#include <algorithm>
#include <utility>

#include "libs/skel/box_scale.h"

namespace posewire::anim_graph {

using skel::Vec3;

void Complete(const PropCatalog& catalog, SceneProp& prop) {
  const auto known = catalog.find(prop.shape);
  if (known == catalog.end()) return;
  const Vec3 own = known->second.size;
  if (prop.usual_size) prop.size = own;
  const Vec3 scale = skel::BoxScale(own, prop.size);
  for (PropSite site : known->second.sites) {
    if (prop.sites.size() >= PropScene::kMostSites) break;
    if (std::any_of(prop.sites.begin(), prop.sites.end(),
                    [&](const PropSite& s) { return s.name == site.name; })) {
      continue;
    }
    const Vec3 at = site.place.at;
    site.place.at = {at.x * scale.x, at.y * scale.y, at.z * scale.z};
    if (CheckSite("", site).ok()) prop.sites.push_back(std::move(site));
  }
}

}  // namespace posewire::anim_graph
