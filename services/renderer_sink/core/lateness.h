// How late frames came, as a histogram.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_LATENESS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_LATENESS_H_

#include <cstdint>
#include <vector>

namespace posewire::renderer_sink {

// A frame's offset is its receive time less its code; its lateness is its offset less the smallest
// one. Resolution 0.1 ms, up to 10 s; later ones count as 10 s. Takes at most 800 KB, however long
// it runs. A server that starts anew has another offset: Restart begins a new smallest, and keeps
// what was counted. One thread.
class Lateness {
 public:
  static constexpr double kResolution_s = 1e-4;
  static constexpr int64_t kBuckets = 100'001;

  void Add(double offset_s);
  void Restart();

  int64_t count() const;
  // Frames that were later than `limit_s`.
  int64_t LaterThan(double limit_s) const;
  // Lateness that a share (0..1) of the frames did not pass; 0 without frames.
  double Percentile(double share) const;

 private:
  // Frames by lateness, old and current together.
  std::vector<int64_t> Total() const;

  // Of the current smallest offset, which lies in the first bucket.
  int64_t smallest_ = 0;
  std::vector<int64_t> current_;
  std::vector<int64_t> before_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_LATENESS_H_
