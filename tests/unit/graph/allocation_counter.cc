#include "tests/unit/graph/allocation_counter.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace posewire::graph {
namespace {

std::atomic<long> allocations{0};

}  // namespace

long Allocations() { return allocations.load(); }

}  // namespace posewire::graph

// Of its own translation unit, so that no call of the pair is inlined apart.
void* operator new(size_t size) {
  posewire::graph::allocations.fetch_add(1);
  void* p = std::malloc(size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
