// Counts what operator new hands out. Include in one source file of a test program only: it
// replaces the global operators.
#ifndef POSEWIRE_TESTS_UNIT_WIRE_COUNTING_NEW_H_
#define POSEWIRE_TESTS_UNIT_WIRE_COUNTING_NEW_H_

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace posewire {

inline std::atomic<int64_t> allocations{0};
inline std::atomic<int64_t> allocated_bytes{0};

inline void* CountedAlloc(std::size_t n) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  allocated_bytes.fetch_add(static_cast<int64_t>(n), std::memory_order_relaxed);
  void* p = std::malloc(n == 0 ? 1 : n);
  if (p == nullptr) std::abort();
  return p;
}

// What happens between its construction and a call.
class AllocationCount {
 public:
  int64_t count() const { return allocations.load() - count_; }
  int64_t bytes() const { return allocated_bytes.load() - bytes_; }

 private:
  int64_t count_ = allocations.load();
  int64_t bytes_ = allocated_bytes.load();
};

}  // namespace posewire

void* operator new(std::size_t n) { return posewire::CountedAlloc(n); }
void* operator new[](std::size_t n) { return posewire::CountedAlloc(n); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

#endif  // POSEWIRE_TESTS_UNIT_WIRE_COUNTING_NEW_H_
