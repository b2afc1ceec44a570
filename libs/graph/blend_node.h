// Blends inputs by weights, or along a line.
#ifndef POSEWIRE_LIBS_GRAPH_BLEND_NODE_H_
#define POSEWIRE_LIBS_GRAPH_BLEND_NODE_H_

#include <memory>
#include <vector>

#include "libs/graph/mix_node.h"
#include "libs/graph/number.h"

namespace posewire::graph {

// Each input has its own weight, clamped to 0..1.
class BlendNode : public MixNode {
 public:
  // Takes one weight per input.
  BlendNode(const skel::Rig& rig, std::vector<std::unique_ptr<Node>> inputs,
            std::vector<Number> weights, bool sync);

  void Adopt(const Node& old) override;

 protected:
  void Weigh(const TickContext& ctx, absl::Span<float> weights) override;

 private:
  std::vector<Number> numbers_;
};

// Each input has a position on a line. The two neighbours of x are mixed linearly; outside the
// range, only the nearest one counts.
class BlendSpace1DNode : public MixNode {
 public:
  // Takes one position per input, in any order and without duplicates.
  BlendSpace1DNode(const skel::Rig& rig, std::vector<std::unique_ptr<Node>> inputs,
                   std::vector<double> places, Number x, bool sync);

  void Adopt(const Node& old) override;

 protected:
  void Weigh(const TickContext& ctx, absl::Span<float> weights) override;

 private:
  struct Place {
    double x;
    size_t input;
  };
  std::vector<Place> places_;  // rising
  Number x_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_BLEND_NODE_H_
