#include "libs/graph/node.h"

#include <algorithm>
#include <iterator>

namespace posewire::graph {

void Contributions::Add(const Contribution& c) {
  if (count < kMost) {
    items[static_cast<size_t>(count++)] = c;
    return;
  }
  auto least = std::min_element(items.begin(), items.end(),
                                [](const auto& a, const auto& b) { return a.weight < b.weight; });
  if (least->weight < c.weight) *least = c;
}

}  // namespace posewire::graph
