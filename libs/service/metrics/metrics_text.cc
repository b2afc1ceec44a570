#include "libs/service/metrics/metrics_text.h"

#include <prometheus/text_serializer.h>

namespace posewire::service {
namespace {

prometheus::ClientMetric Convert(const Metric::Sample& sample, Metric::Kind kind) {
  prometheus::ClientMetric out;
  for (const auto& [name, value] : sample.labels) out.label.push_back({name, value});
  (kind == Metric::Kind::kCounter ? out.counter.value : out.gauge.value) = sample.value;
  return out;
}

}  // namespace

std::string MetricsText(absl::Span<const Metric> metrics) {
  std::vector<prometheus::MetricFamily> families;
  for (const Metric& metric : metrics) {
    const bool counter = metric.kind == Metric::Kind::kCounter;
    prometheus::MetricFamily& family = families.emplace_back();
    family.name = metric.name;
    family.help = metric.help;
    family.type = counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
    for (const auto& sample : metric.samples) family.metric.push_back(Convert(sample, metric.kind));
  }
  const prometheus::Serializer& serializer = prometheus::TextSerializer();
  return serializer.Serialize(families);
}

}  // namespace posewire::service
