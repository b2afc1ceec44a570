// What every program tells of itself at /metrics, beside its own.
#ifndef POSEWIRE_LIBS_SERVICE_METRICS_PROCESS_METRICS_H_
#define POSEWIRE_LIBS_SERVICE_METRICS_PROCESS_METRICS_H_

#include <string>
#include <vector>

#include "libs/service/logger.h"
#include "libs/service/metrics/metrics_text.h"
#include "libs/wire/traffic.h"

namespace posewire::service {

// Lines that are missing in the log, and the process's memory, CPU time and open files, by the
// names that Prometheus has for them. Any thread.
std::vector<Metric> ProcessMetrics(const LogCounts& log);

// `first`, and then these, as the text that Prometheus reads.
std::string ProcessMetricsText(const LogCounts& log, std::vector<Metric> first);

// Of clients that `verb`, "push" or "pull". Any thread.
std::vector<Metric> TrafficMetrics(const std::string& verb, const wire::Traffic& traffic);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_METRICS_PROCESS_METRICS_H_
