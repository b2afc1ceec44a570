// Fills in the elements that a pose lacks.
#ifndef POSEWIRE_LIBS_GRAPH_REST_FILL_H_
#define POSEWIRE_LIBS_GRAPH_REST_FILL_H_

#include "libs/graph/presence.h"
#include "libs/skel/pose.h"

namespace posewire::graph {

// Sets absent elements of `out` to those of `rest`, which must have all elements and the same size.
inline void FillFromRest(const skel::PoseView& rest, const skel::PoseSpan& out) {
  if (SaysAll(out)) return;
  for (int j = 0; j < out.joints; ++j) {
    if (!out.has_t[j]) out.SetTranslation(j, rest.translation(j));
    if (!out.has_r[j]) out.SetRotation(j, rest.rotation(j));
    if (!out.has_s[j]) out.SetScale(j, rest.scale(j));
  }
  for (int s = 0; s < out.shapes; ++s) {
    if (!out.has_w[s]) out.SetWeight(s, rest.weights[s]);
  }
}

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_REST_FILL_H_
