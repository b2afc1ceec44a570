// A counter with one writing thread and any number of readers.
#ifndef POSEWIRE_LIBS_WIRE_COUNTER_H_
#define POSEWIRE_LIBS_WIRE_COUNTER_H_

#include <atomic>
#include <cstdint>

namespace posewire::wire {

// As fast as an int64_t: the writer adds without a locked instruction, and any thread may read at
// the same time. Only one thread may add.
class Counter {
 public:
  Counter() = default;
  Counter(const Counter& other) : count_(other.value()) {}
  Counter& operator=(const Counter& other) { return *this = other.value(); }
  Counter& operator=(int64_t count) {
    count_.store(count, std::memory_order_relaxed);
    return *this;
  }

  Counter& operator+=(int64_t more) { return *this = value() + more; }
  Counter& operator++() { return *this += 1; }
  int64_t value() const { return count_.load(std::memory_order_relaxed); }
  operator int64_t() const { return value(); }  // NOLINT(google-explicit-constructor)

 private:
  std::atomic<int64_t> count_{0};
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_COUNTER_H_
