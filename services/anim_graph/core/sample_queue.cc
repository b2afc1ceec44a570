#include "services/anim_graph/core/sample_queue.h"

#include <algorithm>

namespace posewire::anim_graph {
namespace {

// Removes elements before `first` once they are half of the vector, so each element moves once on
// average.
template <typename T>
void Compact(std::vector<T>& all, size_t& first) {
  if (first == 0 || first < all.size() / 2) return;
  all.erase(all.begin(), all.begin() + static_cast<ptrdiff_t>(first));
  first = 0;
}

}  // namespace

void SampleQueue::Reserve(size_t samples, size_t silences) {
  samples_.reserve(samples);
  runs_.reserve(silences + 1);
}

void SampleQueue::Append(absl::Span<const int16_t> sound) {
  if (sound.empty()) return;
  Compact(samples_, first_sample_);
  Compact(runs_, first_run_);
  samples_.insert(samples_.end(), sound.begin(), sound.end());
  if (runs() == 0) runs_.emplace_back();
  runs_.back().sound += sound.size();
  size_ += static_cast<int64_t>(sound.size());
}

void SampleQueue::AppendSilence(int64_t samples) {
  if (samples <= 0) return;
  Compact(runs_, first_run_);
  if (runs() == 0 || runs_.back().sound > 0) runs_.emplace_back();
  runs_.back().silence += samples;
  size_ += samples;
}

absl::Span<const int16_t> SampleQueue::sound() const {
  if (runs() == 0 || silence() > 0) return {};
  return absl::MakeConstSpan(samples_).subspan(first_sample_, runs_[first_run_].sound);
}

void SampleQueue::Read(absl::Span<int16_t> out) const {
  auto to = out.begin();
  auto from = samples_.begin() + static_cast<ptrdiff_t>(first_sample_);
  for (size_t r = first_run_; to != out.end(); ++r) {
    const int64_t silence = std::min<int64_t>(runs_[r].silence, out.end() - to);
    to = std::fill_n(to, silence, int16_t{0});
    const auto sound = std::min(static_cast<ptrdiff_t>(runs_[r].sound), out.end() - to);
    to = std::copy_n(from, sound, to);
    from += sound;
  }
}

void SampleQueue::Drop(int64_t samples) {
  size_ -= samples;
  while (samples > 0) {
    Run& run = runs_[first_run_];
    const int64_t silence = std::min(run.silence, samples);
    const auto sound = std::min(run.sound, static_cast<size_t>(samples - silence));
    run.silence -= silence;
    run.sound -= sound;
    first_sample_ += sound;
    samples -= silence + static_cast<int64_t>(sound);
    if (run.silence == 0 && run.sound == 0) ++first_run_;
  }
}

}  // namespace posewire::anim_graph
