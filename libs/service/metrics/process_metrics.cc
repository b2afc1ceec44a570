#include "libs/service/metrics/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace posewire::service {
namespace {

double ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double CpuSeconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double OpenFiles() {
  std::error_code error;
  double files = -1;  // the one that is open to count
  for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
       at.increment(error)) {
    ++files;
  }
  return files;
}

}  // namespace

std::vector<Metric> ProcessMetrics(const LogCounts& log) {
  using Kind = Metric::Kind;
  return {
      {"posewire_log_lines_left_out_total",
       "Lines that are missing in the log: nobody read them in time, or one message came too "
       "often.",
       Kind::kCounter,
       {{static_cast<double>(log.dropped), {{"why", "unread"}}},
        {static_cast<double>(log.held_back), {{"why", "limit"}}}}},
      {"process_resident_memory_bytes", "Memory in use.", Kind::kGauge, {{ResidentBytes()}}},
      {"process_cpu_seconds_total", "CPU time of all threads.", Kind::kCounter, {{CpuSeconds()}}},
      {"process_open_fds", "Open files and sockets.", Kind::kGauge, {{OpenFiles()}}},
  };
}

}  // namespace posewire::service
