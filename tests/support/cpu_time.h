// How long the processor works on something, whatever else the machine does.
#ifndef POSEWIRE_TESTS_SUPPORT_CPU_TIME_H_
#define POSEWIRE_TESTS_SUPPORT_CPU_TIME_H_

#include <time.h>

namespace posewire::test {

template <typename Work>
double CpuSeconds(Work work) {
  const auto now_s = [] {
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const double start_s = now_s();
  work();
  return now_s() - start_s;
}

}  // namespace posewire::test

#endif  // POSEWIRE_TESTS_SUPPORT_CPU_TIME_H_
