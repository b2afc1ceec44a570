#include "tools/loadgen/process_stats.h"

#include <unistd.h>

#include <ctime>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace posewire::loadgen {

absl::StatusOr<ProcessStats> ReadProcessStats(int pid) {
  clockid_t clock = 0;
  timespec used = {};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) {
    return absl::NotFoundError(absl::StrCat("no process ", pid));
  }
  std::ifstream file(absl::StrCat("/proc/", pid, "/statm"));
  int64_t all_pages = 0, resident_pages = 0;
  file >> all_pages >> resident_pages;
  if (!file) return absl::InternalError("/proc/PID/statm is not as expected");
  return ProcessStats{static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9,
                      resident_pages * sysconf(_SC_PAGESIZE)};
}

}  // namespace posewire::loadgen
