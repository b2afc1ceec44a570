// Which function builds which kind of node.
#include "absl/strings/str_cat.h"
#include "libs/graph_loader/builder.h"

namespace posewire::graph {

std::unique_ptr<Node> Builder::Build(const v1::Node& node) {
  using Kind = v1::Node;
  switch (node.kind_case()) {
    case Kind::kProvider:
      return BuildNode(node.provider(), *this);
    case Kind::kGesture:
      return BuildNode(node.gesture(), *this);
    case Kind::kIdle:
      return BuildNode(node.idle(), *this);
    case Kind::kBlink:
      return BuildNode(node.blink(), *this);
    default:
      break;
  }
  Error("kind", "one kind of node must be given (clip, provider, layer, ...)");
  return nullptr;
}

}  // namespace posewire::graph
