// Decides when a live film's pictures are drawn, and what is shown while one is not ready.
//
// A film is a sequence of slots, one per frame period. The picture of a slot may be drawn from the
// slot's own time on, and is shown `lead` periods later. If it is not ready then, the newest ready
// picture is shown again, and the slot counts as dropped. The renderer always takes the newest slot
// whose time has come, so a slow one skips slots evenly and never falls behind.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_PICTURE_PACER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_PICTURE_PACER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "libs/timecode/frame_rate.h"

namespace posewire::renderer_sink {

// The pixels of one picture.
using PictureBytes = std::shared_ptr<const std::vector<uint8_t>>;

// Times are seconds of the film, from 0. One thread.
class PicturePacer {
 public:
  // `first` is shown until there is another picture.
  PicturePacer(const timecode::FrameRate& rate, int lead, PictureBytes first)
      : rate_(rate), lead_(lead), newest_(std::move(first)) {}

  // Returns the slot to draw now; none while there is nothing to draw. Slots increase.
  std::optional<int64_t> NextToDraw(double now_s);
  // Time of the next call.
  double next_draw_s() const { return rate_.SecondsAt(next_draw_); }
  // Adds the picture of a slot. Call in the order of NextToDraw.
  void Drawn(int64_t slot, PictureBytes picture) { drawn_.push_back({slot, std::move(picture)}); }

  // Returns what is shown next. Call once for each slot; none before its time.
  struct Shown {
    int64_t slot = 0;
    PictureBytes picture;
  };
  std::optional<Shown> NextToShow(double now_s);
  double next_show_s() const { return rate_.SecondsAt(next_show_ + lead_); }

  // Slots shown, and those of them whose own picture was not ready.
  int64_t shown() const { return next_show_; }
  int64_t dropped() const { return dropped_; }

 private:
  const timecode::FrameRate rate_;
  const int lead_;
  int64_t next_draw_ = 0, next_show_ = 0;
  std::deque<Shown> drawn_;  // not shown yet; at most lead_ + 1
  PictureBytes newest_;
  int64_t dropped_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_PICTURE_PACER_H_
