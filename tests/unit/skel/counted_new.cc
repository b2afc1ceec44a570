#include "tests/unit/skel/counted_new.h"

#include <cstdlib>
#include <new>

namespace {
int g_allocations = 0;
}

void* operator new(std::size_t size) {
  ++g_allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace posewire::skel {

int AllocationCount() { return g_allocations; }

}  // namespace posewire::skel
