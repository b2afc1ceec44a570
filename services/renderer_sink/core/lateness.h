// Histogram of how late frames arrived.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_LATENESS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_LATENESS_H_

#include <cstdint>
#include <vector>

namespace posewire::renderer_sink {

// A frame's offset is its receive time minus its time code; its lateness is its offset minus the
// smallest one. Resolution 0.1 ms, up to 10 s; later frames count as 10 s. Takes at most 800 KB,
// however long it runs. A restarted server has another offset: Restart begins a new smallest
// offset, and keeps the counts. One thread.
class Lateness {
 public:
  static constexpr double kResolution_s = 1e-4;
  static constexpr int64_t kBuckets = 100'001;

  void Add(double offset_s);
  void Restart();

  int64_t count() const;
  // Number of frames later than `limit_s`.
  int64_t LaterThan(double limit_s) const;
  // The lateness that a share (0..1) of the frames did not exceed; 0 without frames.
  double Percentile(double share) const;

 private:
  // Frames by lateness, old and current ones.
  std::vector<int64_t> Total() const;

  // Bucket of the current smallest offset.
  int64_t smallest_ = 0;
  std::vector<int64_t> current_;
  std::vector<int64_t> before_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_LATENESS_H_
