// Metrics that every program reports at /metrics in addition to its own.
#ifndef POSEWIRE_LIBS_SERVICE_METRICS_PROCESS_METRICS_H_
#define POSEWIRE_LIBS_SERVICE_METRICS_PROCESS_METRICS_H_

#include <string>
#include <vector>

#include "libs/service/logger.h"
#include "libs/service/metrics/metrics_text.h"
#include "libs/wire/traffic.h"

namespace posewire::service {

// Returns the number of missing log lines, and the process's memory, CPU time and open files, with
// Prometheus's names for them. Any thread.
std::vector<Metric> ProcessMetrics(const LogCounts& log);

// Returns `first`, followed by these, in Prometheus's text format.
std::string ProcessMetricsText(const LogCounts& log, std::vector<Metric> first);

// Returns metrics of clients that `verb`, "push" or "pull". Any thread.
std::vector<Metric> TrafficMetrics(const std::string& verb, const wire::Traffic& traffic);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_METRICS_PROCESS_METRICS_H_
