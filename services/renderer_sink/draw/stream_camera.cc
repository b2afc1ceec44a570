#include "services/renderer_sink/draw/stream_camera.h"

#include <algorithm>
#include <cmath>

namespace posewire::renderer_sink {
namespace {

constexpr float kUsualFocal_mm = 35, kHalfPictureHeight_mm = 12, kNearest_m = 0.3f;

// Returns the keys around a time and how far it is between them; the same one twice outside.
template <typename Key>
struct Between {
  const Key* from;
  const Key* to;
  float share;
};
template <typename Key>
Between<Key> Around(const std::vector<Key>& keys, double t_s) {
  const auto next = std::upper_bound(keys.begin(), keys.end(), t_s,
                                     [](double t, const Key& key) { return t < key.t_s; });
  if (next == keys.begin()) return {&*next, &*next, 0};
  const Key& from = *(next - 1);
  if (next == keys.end()) return {&from, &from, 0};
  return {&from, &*next, static_cast<float>((t_s - from.t_s) / (next->t_s - from.t_s))};
}

template <typename Key>
void MoveKeys(std::vector<Key>& keys, double zero_s) {
  for (Key& key : keys) key.t_s -= zero_s;
}

// Keeps the last key before the time.
template <typename Key>
void DiscardKeys(std::vector<Key>& keys, double t_s) {
  const auto next = std::upper_bound(keys.begin(), keys.end(), t_s,
                                     [](double t, const Key& key) { return t < key.t_s; });
  if (next - keys.begin() > 1) keys.erase(keys.begin(), next - 1);
}

}  // namespace

void StreamCamera::Add(const wire::DataChunk& data, double later_s) {
  const wire::KeyBlock& at = data.camera[wire::kCameraPosition];
  for (size_t i = 0; i < at.time_codes_s.size() && 3 * i + 2 < at.values.size(); ++i) {
    const float* const v = at.values.data() + 3 * i;
    places_.push_back({at.time_codes_s[i] + later_s, {v[0], v[1], v[2]}});
  }
  const wire::KeyBlock& turn = data.camera[wire::kCameraRotation];
  for (size_t i = 0; i < turn.time_codes_s.size() && 4 * i + 3 < turn.values.size(); ++i) {
    const float* const v = turn.values.data() + 4 * i;
    turns_.push_back({turn.time_codes_s[i] + later_s, {v[0], v[1], v[2], v[3]}});
  }
  const wire::KeyBlock& focal = data.camera[wire::kFocalLength];
  for (size_t i = 0; i < focal.time_codes_s.size() && i < focal.values.size(); ++i) {
    if (focal.values[i] > 0) lenses_.push_back({focal.time_codes_s[i] + later_s, focal.values[i]});
  }
}

void StreamCamera::MoveTo(double zero_s) {
  MoveKeys(places_, zero_s);
  MoveKeys(turns_, zero_s);
  MoveKeys(lenses_, zero_s);
}

void StreamCamera::DiscardBefore(double t_s) {
  DiscardKeys(places_, t_s);
  DiscardKeys(turns_, t_s);
  DiscardKeys(lenses_, t_s);
}

render::Camera StreamCamera::At(double t_s, skel::Vec3 subject) const {
  const auto place = Around(places_, t_s);
  skel::Quat turn;
  if (!turns_.empty()) {
    const auto around = Around(turns_, t_s);
    turn = skel::Nlerp(around.from->turn, around.to->turn, around.share);
  }
  float focal_mm = kUsualFocal_mm;
  if (!lenses_.empty()) {
    const auto around = Around(lenses_, t_s);
    focal_mm = std::lerp(around.from->focal_mm, around.to->focal_mm, around.share);
  }
  render::Camera out;
  out.eye = skel::Lerp(place.from->at, place.to->at, place.share);
  const skel::Vec3 way = skel::Rotate(turn, {0, 0, -1});
  const float far = std::max(skel::Dot(subject - out.eye, way), kNearest_m);
  out.target = out.eye + way * far;
  out.view_rad = 2 * std::atan(kHalfPictureHeight_mm / focal_mm);
  out.height_m = 2 * far * std::tan(out.view_rad / 2);
  return out;
}

}  // namespace posewire::renderer_sink
