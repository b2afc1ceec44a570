// Counts what a test program takes from the heap, by replacing the global operator new. Link
// posewire::allocation_count into the programs that use it, and into no others.
#ifndef POSEWIRE_TESTS_SUPPORT_ALLOCATION_COUNT_H_
#define POSEWIRE_TESTS_SUPPORT_ALLOCATION_COUNT_H_

#include <cstdint>

namespace posewire {

// What was allocated since its construction, by all threads. Thread-safe.
class AllocationCount {
 public:
  AllocationCount();
  int64_t count() const;
  int64_t bytes() const;

 private:
  int64_t count_;
  int64_t bytes_;
};

// What the heap holds at the moment by operator new: what the allocator has set aside for it, its
// own heads left out. Thread-safe.
int64_t LiveBytes();

}  // namespace posewire

#endif  // POSEWIRE_TESTS_SUPPORT_ALLOCATION_COUNT_H_
