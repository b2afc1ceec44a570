#include "tests/unit/offsets/counted_memory.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace posewire::offsets {

std::atomic<size_t> counted_bytes{0}, most_counted_bytes{0}, counted_calls{0};

namespace {

constexpr size_t kCountedHead = 16;

void* CountedNew(size_t size) {
  char* const at = static_cast<char*>(std::malloc(size + kCountedHead));
  if (at == nullptr) std::abort();
  std::memcpy(at, &size, sizeof size);
  const size_t now = counted_bytes.fetch_add(size) + size;
  size_t most = most_counted_bytes.load();
  while (now > most && !most_counted_bytes.compare_exchange_weak(most, now)) {
  }
  counted_calls.fetch_add(1);
  return at + kCountedHead;
}

void CountedDelete(void* p) {
  if (p == nullptr) return;
  char* const at = static_cast<char*>(p) - kCountedHead;
  size_t size = 0;
  std::memcpy(&size, at, sizeof size);
  counted_bytes.fetch_sub(size);
  counted_calls.fetch_add(1);
  std::free(at);
}

}  // namespace
}  // namespace posewire::offsets

void* operator new(size_t size) { return posewire::offsets::CountedNew(size); }
void* operator new[](size_t size) { return posewire::offsets::CountedNew(size); }
// The library's own call the above, but those of a sanitizer do not: their memory would go to a
// delete that is not theirs.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return posewire::offsets::CountedNew(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return posewire::offsets::CountedNew(size);
}
void operator delete(void* p) noexcept { posewire::offsets::CountedDelete(p); }
void operator delete[](void* p) noexcept { posewire::offsets::CountedDelete(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept {
  posewire::offsets::CountedDelete(p);
}
void operator delete[](void* p, const std::nothrow_t&) noexcept {
  posewire::offsets::CountedDelete(p);
}
void operator delete(void* p, size_t) noexcept { posewire::offsets::CountedDelete(p); }
void operator delete[](void* p, size_t) noexcept { posewire::offsets::CountedDelete(p); }
