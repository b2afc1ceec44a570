// What waits for an encoder: pictures and voice as bytes, bounded.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_FILM_QUEUE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_FILM_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/types/span.h"
#include "services/renderer_sink/core/picture_pacer.h"

namespace posewire::renderer_sink {

// Nobody who pushes ever waits. An encoder that falls behind first gets the picture before once
// more instead of a new one (pictures that are alike cost it little), when `most_pictures`
// different ones wait; then, when `most_slots` wait, slots are left out whole, picture and voice,
// so that both stay together. One thread.
class FilmQueue {
 public:
  FilmQueue(size_t most_pictures, size_t most_slots)
      : most_pictures_(most_pictures), most_slots_(most_slots) {}

  // The next slot: its picture, and its samples.
  void Push(PictureBytes picture, absl::Span<const int16_t> voice);

  // The bytes to give next; empty: none. They stay until they were taken.
  absl::Span<const uint8_t> picture() const;
  absl::Span<const uint8_t> voice() const;
  void TakePicture(size_t bytes);
  void TakeVoice(size_t bytes);
  bool empty() const { return pictures_.empty() && voice_.empty(); }

  int64_t repeated() const { return repeated_; }  // in place of another picture
  int64_t left_out() const { return left_out_; }  // slots

 private:
  const size_t most_pictures_, most_slots_;
  std::deque<PictureBytes> pictures_;
  size_t picture_at_ = 0;  // bytes of the first that were taken
  size_t different_ = 0;   // of them
  PictureBytes last_;      // that was pushed
  std::deque<std::vector<int16_t>> voice_;
  size_t voice_at_ = 0;
  int64_t repeated_ = 0, left_out_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_FILM_QUEUE_H_
