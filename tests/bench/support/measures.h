// What a benchmark found, by name, as text and for the report.
#ifndef POSEWIRE_TESTS_BENCH_SUPPORT_MEASURES_H_
#define POSEWIRE_TESTS_BENCH_SUPPORT_MEASURES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::bench {

class Measures {
 public:
  // Names are lower case with underscores and carry no unit: ("live_latency_p50", 17.2, "ms").
  void Add(absl::string_view name, double value, absl::string_view unit);

  // One line a measure, in the order of adding.
  std::string ToText() const;
  // Writes {"NAME": {"value": v, "unit": "u"}, ...}.
  absl::Status WriteJson(const std::string& path) const;

 private:
  struct Measure {
    std::string name;
    double value;
    std::string unit;
  };
  std::vector<Measure> measures_;
};

}  // namespace posewire::bench

#endif  // POSEWIRE_TESTS_BENCH_SUPPORT_MEASURES_H_
