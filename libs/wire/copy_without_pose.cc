#include <algorithm>
#include <memory>
#include <utility>

#include "libs/wire/encoded_rep.h"
#include "libs/wire/frame_writer.h"

namespace posewire::wire {

EncodedFrame EncodedFrame::CopyWithoutPose() const {
  if (!has_pose()) return *this;
  EncodedFrame bare;
  bare.rep_ = rep_->bare.lock();
  if (bare.rep_ != nullptr) return bare;
  auto rep = std::make_shared<Rep>(rep_->meter);
  size_t size = 0;
  const auto parts = WithoutPose();
  for (const Slice& part : parts) size += part.size();
  rep->Resize(size);
  uint8_t* to = rep->bytes.data();
  for (const Slice& part : parts) to = std::copy(part.begin(), part.end(), to);
  rep->end = size;
  rep->is_data = is_data();
  rep->time_code_s = time_code_s();
  rep_->bare = rep;
  bare.rep_ = std::move(rep);
  return bare;
}

}  // namespace posewire::wire
