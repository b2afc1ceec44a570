#include "services/renderer_sink/core/film_queue.h"

#include <utility>

namespace posewire::renderer_sink {

void FilmQueue::Push(PictureBytes picture, absl::Span<const int16_t> voice) {
  if (pictures_.size() >= most_slots_ || voice_.size() >= most_slots_) {
    ++left_out_;
    return;
  }
  if (picture != last_ && !pictures_.empty() && different_ >= most_pictures_) {
    picture = last_;
    ++repeated_;
  }
  if (pictures_.empty() || picture != last_) ++different_;
  last_ = picture;
  pictures_.push_back(std::move(picture));
  if (!voice.empty()) voice_.emplace_back(voice.begin(), voice.end());
}

absl::Span<const uint8_t> FilmQueue::picture() const {
  if (pictures_.empty()) return {};
  return absl::MakeConstSpan(*pictures_.front()).subspan(picture_at_);
}

absl::Span<const uint8_t> FilmQueue::voice() const {
  if (voice_.empty()) return {};
  const std::vector<int16_t>& first = voice_.front();
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(first.data()),
                             first.size() * sizeof(int16_t))
      .subspan(voice_at_);
}

void FilmQueue::TakePicture(size_t bytes) {
  picture_at_ += bytes;
  if (picture_at_ < pictures_.front()->size()) return;
  picture_at_ = 0;
  const PictureBytes gone = std::move(pictures_.front());
  pictures_.pop_front();
  if (pictures_.empty() || pictures_.front() != gone) --different_;
}

void FilmQueue::TakeVoice(size_t bytes) {
  voice_at_ += bytes;
  if (voice_at_ < voice_.front().size() * sizeof(int16_t)) return;
  voice_at_ = 0;
  voice_.pop_front();
}

}  // namespace posewire::renderer_sink
