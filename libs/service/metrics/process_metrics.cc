#include "libs/service/metrics/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

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
  double files = -1;  // does not count the descriptor of this directory
  for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
       at.increment(error)) {
    ++files;
  }
  return files;
}

double MostFiles() {
  rlimit most{};
  getrlimit(RLIMIT_NOFILE, &most);
  return static_cast<double>(most.rlim_cur);
}

}  // namespace

std::vector<Metric> ProcessMetrics(const LogCounts& log) {
  using Kind = Metric::Kind;
  return {
      {"posewire_log_lines_left_out_total",
       "Lines that are missing in the log: standard error was not read in time, or one message "
       "came too often.",
       Kind::kCounter,
       {{static_cast<double>(log.dropped), {{"why", "unread"}}},
        {static_cast<double>(log.held_back), {{"why", "limit"}}}}},
      {"process_resident_memory_bytes", "Memory in use.", Kind::kGauge, {{ResidentBytes()}}},
      {"process_cpu_seconds_total", "CPU time of all threads.", Kind::kCounter, {{CpuSeconds()}}},
      {"process_open_fds", "Open files and sockets.", Kind::kGauge, {{OpenFiles()}}},
      {"process_max_fds", "Limit on open files and sockets.", Kind::kGauge, {{MostFiles()}}},
  };
}

std::string ProcessMetricsText(const LogCounts& log, std::vector<Metric> first) {
  for (Metric& metric : ProcessMetrics(log)) first.push_back(std::move(metric));
  return MetricsText(first);
}

std::vector<Metric> TrafficMetrics(const std::string& verb, const wire::Traffic& t) {
  const auto counter = [](const std::string& name, const char* help, int64_t value) {
    return Metric{name, help, Metric::Kind::kCounter, {{static_cast<double>(value)}}};
  };
  const auto seconds = [](const std::string& name, const char* help, int64_t us) {
    return Metric{name, help, Metric::Kind::kCounter, {{static_cast<double>(us) * 1e-6}}};
  };
  const std::string start = absl::StrCat("posewire_", verb, "_");
  std::vector<Metric> metrics = {
      counter(start + "connections_total", "Calls that a server accepted.", t.connections),
      counter(start + "losses_total", "Calls that broke, and attempts that reached no server.",
              t.losses),
      counter(start + "messages_total", "Messages, each once.", t.messages),
      counter(start + "bytes_total", "Bytes of these messages.", t.bytes)};
  if (verb == "push") {
    metrics.push_back(counter(start + "resent_messages_total",
                              "Messages that were sent again after a loss.", t.resent_messages));
    metrics.push_back(seconds("posewire_push_voice_seconds_total",
                              "Voice that was sent, without silence.", t.voice_us));
    return metrics;
  }
  metrics.push_back(counter("posewire_taken_frames_total", "Frames that arrived.", t.frames));
  metrics.push_back(counter(
      "posewire_taken_poseless_frames_total",
      "Frames that arrived without their pose, because this consumer is slow.", t.poseless_frames));
  metrics.push_back(seconds("posewire_taken_voice_seconds_total",
                            "Voice that arrived, without silence.", t.voice_us));
  metrics.push_back(counter("posewire_taken_gaps_total", "Steps over missing frames.", t.gaps));
  metrics.push_back(counter("posewire_taken_faulty_messages_total",
                            "Messages that break the rules.", t.faulty_messages));
  return metrics;
}

}  // namespace posewire::service
