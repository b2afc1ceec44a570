#include "libs/service/metrics/metrics_text.h"

#include <prometheus/text_serializer.h>

namespace posewire::service {
namespace {

prometheus::ClientMetric Convert(const Metric::Sample& sample, Metric::Kind kind) {
  prometheus::ClientMetric out;
  for (const auto& [name, value] : sample.labels) out.label.push_back({name, value});
  if (kind != Metric::Kind::kHistogram) {
    (kind == Metric::Kind::kCounter ? out.counter.value : out.gauge.value) = sample.value;
    return out;
  }
  uint64_t count = 0;
  for (const auto& [bound, more] : sample.buckets) {
    count += static_cast<uint64_t>(more);
    out.histogram.bucket.push_back({count, bound});
  }
  out.histogram.sample_count = count;
  out.histogram.sample_sum = sample.value;
  return out;
}

prometheus::MetricType TypeOf(Metric::Kind kind) {
  switch (kind) {
    case Metric::Kind::kCounter:
      return prometheus::MetricType::Counter;
    case Metric::Kind::kGauge:
      return prometheus::MetricType::Gauge;
    case Metric::Kind::kHistogram:
      return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

}  // namespace

std::string MetricsText(absl::Span<const Metric> metrics) {
  std::vector<prometheus::MetricFamily> families;
  for (const Metric& metric : metrics) {
    prometheus::MetricFamily& family = families.emplace_back();
    family.name = metric.name;
    family.help = metric.help;
    family.type = TypeOf(metric.kind);
    for (const auto& sample : metric.samples) family.metric.push_back(Convert(sample, metric.kind));
  }
  const prometheus::Serializer& serializer = prometheus::TextSerializer();
  return serializer.Serialize(families);
}

}  // namespace posewire::service
