// What a process has used: its CPU clock, and its memory from /proc.
#ifndef POSEWIRE_TOOLS_LOADGEN_PROCESS_STATS_H_
#define POSEWIRE_TOOLS_LOADGEN_PROCESS_STATS_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace posewire::loadgen {

struct ProcessStats {
  double cpu_s = 0;  // user and system, of all its threads
  int64_t resident_bytes = 0;
};

// NOT_FOUND when there is no such process.
absl::StatusOr<ProcessStats> ReadProcessStats(int pid);

}  // namespace posewire::loadgen

#endif  // POSEWIRE_TOOLS_LOADGEN_PROCESS_STATS_H_
