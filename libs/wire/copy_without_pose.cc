#include <memory>
#include <utility>

#include "libs/wire/encoded_rep.h"
#include "libs/wire/frame_writer.h"

namespace posewire::wire {

EncodedFrame EncodedFrame::CopyWithoutPose() const {
  if (!has_pose()) return *this;
  auto rep = std::make_shared<Rep>();
  size_t size = 0;
  const auto parts = WithoutPose();
  for (const Slice& part : parts) size += part.size();
  rep->bytes.reserve(size);
  for (const Slice& part : parts) rep->bytes.insert(rep->bytes.end(), part.begin(), part.end());
  rep->end = size;
  rep->is_data = is_data();
  rep->code_s = code_s();
  EncodedFrame bare;
  bare.rep_ = std::move(rep);
  return bare;
}

}  // namespace posewire::wire
