// Metrics in the text format of Prometheus (exposition format 0.0.4).
#ifndef POSEWIRE_LIBS_SERVICE_METRICS_METRICS_TEXT_H_
#define POSEWIRE_LIBS_SERVICE_METRICS_METRICS_TEXT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace posewire::service {

// By Prometheus's rules, the name is in lower case with its unit, and a counter's ends in "_total".
// The help is one sentence.
struct Metric {
  enum class Kind { kCounter, kGauge, kHistogram };
  struct Sample {
    double value = 0;  // for a histogram: the sum
    std::vector<std::pair<std::string, std::string>> labels = {};
    // For a histogram: an upper bound, infinity for the last, and the count above the previous
    // bound.
    std::vector<std::pair<double, int64_t>> buckets = {};
  };

  std::string name;
  std::string help;
  Kind kind = Kind::kCounter;
  std::vector<Sample> samples;
};

inline constexpr char kMetricsContentType[] = "text/plain; version=0.0.4; charset=utf-8";

// Any thread.
std::string MetricsText(absl::Span<const Metric> metrics);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_METRICS_METRICS_TEXT_H_
