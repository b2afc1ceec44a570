#include "libs/clipio/key_track.h"

#include "libs/skel/sample_job.h"

namespace posewire::clipio {

void KeyTrack::Append(const wire::KeyBlock& keys) {
  if (keys.empty()) return;
  width_ = static_cast<size_t>(keys.width);
  codes_s_.insert(codes_s_.end(), keys.codes_s.begin(), keys.codes_s.end());
  values_.insert(values_.end(), keys.values.begin(), keys.values.end());
}

absl::Span<const float> KeyTrack::Sample(double t_s) {
  if (empty()) return {};
  sample_.resize(width_);
  skel::SampleJob job;
  job.times_s = codes_s_;
  job.values = values_;
  if (rotations_) job.interpolation = skel::SampleJob::Interpolation::kSlerp;
  job.at_s = t_s;
  job.out = absl::MakeSpan(sample_);
  job.Run();
  return sample_;
}

}  // namespace posewire::clipio
