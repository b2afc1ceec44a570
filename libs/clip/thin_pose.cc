#include "libs/clip/thin_pose.h"

#include <algorithm>
#include <initializer_list>

namespace posewire::clip {
namespace {

using Row = const float* skel::PoseView::*;

constexpr size_t kRowFloats = 16;  // rows are 64-byte aligned, like those of a Pose

size_t RoundUp(size_t n) { return (n + kRowFloats - 1) / kRowFloats * kRowFloats; }

struct Kind {
  std::initializer_list<Row> rows;
  const uint8_t* skel::PoseView::*presence;
  int size;
};

bool AnyPresent(const skel::PoseView& pose, const Kind& kind) {
  const uint8_t* present = pose.*kind.presence;
  return std::find(present, present + kind.size, 1) != present + kind.size;
}

}  // namespace

ThinPose::ThinPose(const skel::PoseView& pose, const skel::PoseView& rest) : view_(pose) {
  using V = skel::PoseView;
  const Kind kinds[] = {{{&V::tx, &V::ty, &V::tz}, &V::has_t, pose.joints},
                        {{&V::qw, &V::qx, &V::qy, &V::qz}, &V::has_r, pose.joints},
                        {{&V::sx, &V::sy, &V::sz}, &V::has_s, pose.joints},
                        {{&V::weights}, &V::has_w, pose.shapes}};
  size_t floats = 0, presence = 0;
  for (const Kind& kind : kinds) {
    const auto size = static_cast<size_t>(kind.size);
    if (AnyPresent(pose, kind)) floats += kind.rows.size() * RoundUp(size);
    presence += size;
  }
  floats_.resize(floats + kRowFloats);
  presence_.resize(presence);
  float* row_at = floats_.data();
  while (reinterpret_cast<uintptr_t>(row_at) % (kRowFloats * sizeof(float)) != 0) ++row_at;
  uint8_t* presence_at = presence_.data();
  for (const Kind& kind : kinds) {
    const bool any = AnyPresent(pose, kind);
    for (const Row row : kind.rows) {
      view_.*row = rest.*row;
      if (!any) continue;
      std::copy_n(pose.*row, kind.size, row_at);
      view_.*row = row_at;
      row_at += RoundUp(static_cast<size_t>(kind.size));
    }
    view_.*kind.presence = presence_at;
    presence_at = std::copy_n(pose.*kind.presence, kind.size, presence_at);
  }
}

}  // namespace posewire::clip
