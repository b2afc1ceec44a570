// The sizes and sites of the props whose files are known (--props).
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PROP_CATALOG_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PROP_CATALOG_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "libs/skel/math.h"
#include "services/anim_graph/core/prop_scene.h"

namespace posewire::anim_graph {

struct KnownProp {
  skel::Vec3 size;  // metres, each above 0
  std::vector<PropSite> sites;
};

// By shape. Immutable, shared by all threads.
using PropCatalog = absl::flat_hash_map<std::string, KnownProp>;

// Gives a prop of a known shape the size of its file, if it has none, and the file's sites that it
// does not name itself, scaled to its size; at most PropScene::kMostSites in all. Leaves out sites
// that CheckSite rejects.
void Complete(const PropCatalog& catalog, SceneProp& prop);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PROP_CATALOG_H_
