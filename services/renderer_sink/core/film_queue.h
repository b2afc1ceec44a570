// Bounded queue of pictures and audio, as bytes, between a live film and its encoder.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_FILM_QUEUE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_FILM_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/types/span.h"
#include "services/renderer_sink/core/picture_pacer.h"

namespace posewire::renderer_sink {

// Push never blocks. When `most_pictures` different pictures are queued, a slow encoder gets the
// previous picture again instead of a new one (identical pictures cost it little). When
// `most_slots` are queued, whole slots are dropped, picture and audio, so that both stay together.
// repeated() and left_out() count these. One thread.
class FilmQueue {
 public:
  FilmQueue(size_t most_pictures, size_t most_slots)
      : most_pictures_(most_pictures), most_slots_(most_slots) {}

  // Adds the next slot: its picture and its samples.
  void Push(PictureBytes picture, absl::Span<const int16_t> voice);

  // The next bytes to write; empty: none. Valid until they are taken.
  absl::Span<const uint8_t> picture() const;
  absl::Span<const uint8_t> voice() const;
  void TakePicture(size_t bytes);
  void TakeVoice(size_t bytes);
  bool empty() const { return pictures_.empty() && voice_.empty(); }

  int64_t repeated() const { return repeated_; }  // slots with the previous picture
  int64_t left_out() const { return left_out_; }  // dropped slots

 private:
  const size_t most_pictures_, most_slots_;
  std::deque<PictureBytes> pictures_;
  size_t picture_at_ = 0;  // bytes of the first picture already taken
  size_t different_ = 0;   // number of different pictures
  PictureBytes last_;      // the last one pushed
  std::deque<std::vector<int16_t>> voice_;
  size_t voice_at_ = 0;
  int64_t repeated_ = 0, left_out_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_FILM_QUEUE_H_
