// What every program tells of itself at /metrics, beside its own.
#ifndef POSEWIRE_LIBS_SERVICE_METRICS_PROCESS_METRICS_H_
#define POSEWIRE_LIBS_SERVICE_METRICS_PROCESS_METRICS_H_

#include <vector>

#include "libs/service/logger.h"
#include "libs/service/metrics/metrics_text.h"

namespace posewire::service {

// Lines that are missing in the log, and the process's memory, CPU time and open files, by the
// names that Prometheus has for them. Any thread.
std::vector<Metric> ProcessMetrics(const LogCounts& log);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_METRICS_PROCESS_METRICS_H_
