#include "tests/support/allocation_count.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace posewire {
namespace {

std::atomic<int64_t> g_count{0};
std::atomic<int64_t> g_bytes{0};
std::atomic<int64_t> g_live{0};

void* Counted(size_t n, void* p) {
  g_count.fetch_add(1, std::memory_order_relaxed);
  g_bytes.fetch_add(static_cast<int64_t>(n), std::memory_order_relaxed);
  g_live.fetch_add(static_cast<int64_t>(malloc_usable_size(p)), std::memory_order_relaxed);
  return p;
}

void Free(void* p) {
  g_live.fetch_sub(static_cast<int64_t>(malloc_usable_size(p)), std::memory_order_relaxed);
  std::free(p);
}

}  // namespace

AllocationCount::AllocationCount() : count_(g_count.load()), bytes_(g_bytes.load()) {}
int64_t AllocationCount::count() const { return g_count.load() - count_; }
int64_t AllocationCount::bytes() const { return g_bytes.load() - bytes_; }
int64_t LiveBytes() { return g_live.load(); }

}  // namespace posewire

// In a translation unit of its own, so that no call of a pair is inlined apart from the other.
void* operator new(size_t n) {
  if (void* p = std::malloc(n == 0 ? 1 : n)) return posewire::Counted(n, p);
  throw std::bad_alloc();
}
void* operator new(size_t n, std::align_val_t align) {
  const auto a = static_cast<size_t>(align);
  if (void* p = std::aligned_alloc(a, (n + a - 1) / a * a)) return posewire::Counted(n, p);
  throw std::bad_alloc();
}
// The library's own call the above, but those of a sanitizer do not: they would go with a free that
// is not theirs.
void* operator new(size_t n, const std::nothrow_t&) noexcept {
  return posewire::Counted(n, std::malloc(n == 0 ? 1 : n));
}
void operator delete(void* p) noexcept { posewire::Free(p); }
void operator delete(void* p, size_t) noexcept { posewire::Free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { posewire::Free(p); }
void operator delete(void* p, std::align_val_t) noexcept { posewire::Free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { posewire::Free(p); }
