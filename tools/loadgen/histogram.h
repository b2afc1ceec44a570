// Percentiles of many durations in little memory: a log-linear histogram.
#ifndef POSEWIRE_TOOLS_LOADGEN_HISTOGRAM_H_
#define POSEWIRE_TOOLS_LOADGEN_HISTOGRAM_H_

#include <array>
#include <cstdint>

namespace posewire::loadgen {

// Counts whole nanoseconds from 0 to about 18 minutes. Each doubling is cut into 128 equal steps
// (values below 128 are exact), so that a percentile is at most 1/128 above the value that it
// stands for. Negative values count as 0, greater ones as the greatest. Adding allocates nothing.
// One thread.
class Histogram {
 public:
  void Add(int64_t ns);
  void AddSeconds(double seconds);

  int64_t count() const { return count_; }
  // The upper edge of the step that holds the value of rank ceil(percent/100 x count), never above
  // the greatest value. `percent` is in 0..100. 0 when nothing was added.
  int64_t Percentile(double percent) const;
  double PercentileMs(double percent) const {
    return static_cast<double>(Percentile(percent)) * 1e-6;
  }

 private:
  static constexpr int kStepBits = 7;
  static constexpr int kMaxBits = 40;
  static constexpr int kSteps = (kMaxBits - kStepBits + 1) << kStepBits;
  static int StepOf(int64_t ns);
  static int64_t UpperEdge(int step);

  std::array<int64_t, kSteps> counts_{};
  int64_t count_ = 0;
  int64_t max_ns_ = 0;
};

}  // namespace posewire::loadgen

#endif  // POSEWIRE_TOOLS_LOADGEN_HISTOGRAM_H_
