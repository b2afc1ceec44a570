// What the graph of one avatar may take.
#include <malloc.h>

#include "gtest/gtest.h"
#include "tests/unit/graph/helpers.h"
#include "tests/unit/graph_loader/composite_helpers.h"

namespace posewire::graph {
namespace {

// Bytes of heap that one more avatar's graph holds. Ticks take no more (composite_script_test), so
// this holds for avatars that play as for those that idle.
size_t BytesOf(const char* kind) {
  constexpr int kAvatars = 20;
  const auto rig = BuiltinRig();
  const auto asset = MakeBuiltinGraphAsset(kind, rig, Gestures()).value();
  std::vector<std::unique_ptr<GraphInstance>> graphs;
  graphs.reserve(kAvatars + 1);
  graphs.push_back(asset->Instantiate(asset, 0));
  const size_t before = mallinfo2().uordblks;
  for (int i = 1; i <= kAvatars; ++i) {
    graphs.push_back(asset->Instantiate(asset, static_cast<uint64_t>(i)));
  }
  return (mallinfo2().uordblks - before) / kAvatars;
}

TEST(Memory, OfAGraphStaysWithinItsBudget) {
  const size_t of_default = BytesOf("default"), of_passthrough = BytesOf("passthrough");
  if (of_default == 0) GTEST_SKIP() << "this heap does not count";
  printf("default %zu bytes, passthrough %zu bytes\n", of_default, of_passthrough);
  EXPECT_LT(of_default, 48 * 1024);
  EXPECT_LT(of_passthrough, 8 * 1024);
}

}  // namespace
}  // namespace posewire::graph
