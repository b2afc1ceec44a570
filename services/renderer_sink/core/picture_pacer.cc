#include "services/renderer_sink/core/picture_pacer.h"

namespace posewire::renderer_sink {

std::optional<int64_t> PicturePacer::NextToDraw(double now_s) {
  const int64_t slot = rate_.TickAtOrBefore(now_s);
  if (slot < next_draw_) return std::nullopt;
  next_draw_ = slot + 1;
  return slot;
}

std::optional<PicturePacer::Shown> PicturePacer::NextToShow(double now_s) {
  if (now_s < next_show_s()) return std::nullopt;
  const int64_t slot = next_show_++;
  bool ready = false;
  while (!drawn_.empty() && drawn_.front().slot <= slot) {
    ready = drawn_.front().slot == slot;
    newest_ = std::move(drawn_.front().picture);
    drawn_.pop_front();
  }
  if (!ready) ++dropped_;
  return Shown{slot, newest_};
}

}  // namespace posewire::renderer_sink
