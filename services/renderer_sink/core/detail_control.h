// Chooses how finely a live film is drawn, by the size of the character in the picture and by the
// time that pictures take.
//
// When pictures take longer than their budget, first the second level of subdivision goes, then the
// first, then the offsets. They come back in reverse order when there is time for them. A step that
// had to be taken back soon is tried again later each time, so that a machine at its limit does not
// alternate.
//
// Subdivision is of no use where edges are shorter than a pixel or two; there it is left out,
// whatever the load.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_DETAIL_CONTROL_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_DETAIL_CONTROL_H_

#include <cstdint>

namespace posewire::renderer_sink {

struct Detail {
  int subdivide = 0;  // levels
  bool offsets = false;
  bool operator==(const Detail&) const = default;
};

// Times are seconds of one clock that never goes back. One thread.
class DetailControl {
 public:
  // A window of pictures is judged by its mean, once it is that long and has that many.
  static constexpr double kWindow_s = 1;
  static constexpr int kWindowPictures = 8;
  // Seconds before more detail is tried: at first, and at most.
  static constexpr double kFirstWait_s = 5, kLongestWait_s = 160;
  // A step that held that long was right.
  static constexpr double kHeld_s = 60;
  // Shares of the budget below which one more level of subdivision, or the offsets, are tried.
  static constexpr double kRoomForLevel = 0.4, kRoomForOffsets = 0.75;
  // Length in pixels of an edge that is worth dividing; to go on, and to begin.
  static constexpr double kShortEdge_px = 1.8, kLongEdge_px = 2.2;

  // `most` is what was asked for; `budget_s` the time of a picture.
  DetailControl(const Detail& most, double budget_s);

  Detail detail() const;

  // The mean length in pixels of the unrefined surface's edges in the next picture.
  void SetEdge(double edge_px);

  // A picture with detail() was drawn, from `begin_s` to `end_s`. Not `judged`: it had other work,
  // as the first picture of a detail has; a new window begins after it.
  void Add(double begin_s, double end_s, bool judged = true);

  // How often detail was lowered and raised because of the time.
  int64_t lowered() const { return lowered_; }
  int64_t raised() const { return raised_; }

 private:
  // Each step below the first leaves out one more level, the last the offsets.
  int LastStep() const { return most_.subdivide + (most_.offsets ? 1 : 0); }
  void Lower(double now_s);
  void Raise(double now_s);
  void BeginWindow(double now_s);

  const Detail most_;
  const double budget_s_;
  int useful_levels_;  // by the size
  int step_ = 0;
  int pictures_ = 0;
  double window_begin_s_ = 0, sum_s_ = 0;
  bool in_window_ = false;
  double changed_s_ = 0, wait_s_ = kFirstWait_s;
  bool was_raised_ = false;  // by the last change
  int64_t lowered_ = 0, raised_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_DETAIL_CONTROL_H_
