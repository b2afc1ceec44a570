#include "tools/loadgen/process_stats.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace posewire::loadgen {

absl::StatusOr<ProcessStats> ReadProcessStats(int pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/stat"));
  std::string line;
  if (!std::getline(file, line)) return absl::NotFoundError(absl::StrCat("no process ", pid));
  // The name is the second field, in parentheses, and may hold anything.
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  int64_t user = 0, system = 0, pages = 0;
  fields >> user >> system;
  for (int i = 0; i < 8; ++i) fields >> skipped;
  fields >> pages;
  if (!fields) return absl::InternalError("/proc/PID/stat is not as expected");
  const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  return ProcessStats{static_cast<double>(user + system) / ticks_per_s,
                      pages * sysconf(_SC_PAGESIZE)};
}

}  // namespace posewire::loadgen
