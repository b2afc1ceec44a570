// Blends inputs that have positions in a plane.
#ifndef POSEWIRE_LIBS_GRAPH_BLEND_SPACE_2D_NODE_H_
#define POSEWIRE_LIBS_GRAPH_BLEND_SPACE_2D_NODE_H_

#include <memory>
#include <vector>

#include "libs/graph/mix_node.h"
#include "libs/graph/number.h"
#include "libs/graph/triangulation.h"

namespace posewire::graph {

// Mixes the corners of the triangle that contains (x, y); outside, the ends of the nearest edge
// (see Triangulation).
class BlendSpace2DNode : public MixNode {
 public:
  // Takes one position per input, without duplicates.
  BlendSpace2DNode(const skel::Rig& rig, std::vector<std::unique_ptr<Node>> inputs,
                   std::vector<PlanePoint> places, Number x, Number y, bool sync);

  void Adopt(const Node& old) override;

 protected:
  void Weigh(const TickContext& ctx, absl::Span<float> weights) override;

 private:
  Triangulation triangles_;
  Number x_, y_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_BLEND_SPACE_2D_NODE_H_
