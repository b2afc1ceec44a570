// Counts what operator new has handed out, in all threads of the program, for tests of memory.
#ifndef POSEWIRE_TESTS_UNIT_OFFSETS_COUNTED_MEMORY_H_
#define POSEWIRE_TESTS_UNIT_OFFSETS_COUNTED_MEMORY_H_

#include <atomic>
#include <cstddef>

namespace posewire::offsets {

extern std::atomic<size_t> counted_bytes, most_counted_bytes, counted_calls;

}  // namespace posewire::offsets

#endif  // POSEWIRE_TESTS_UNIT_OFFSETS_COUNTED_MEMORY_H_
