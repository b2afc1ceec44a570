#include "services/renderer_sink/core/offset_frame.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "services/renderer_sink/core/put.h"

namespace posewire::renderer_sink {
namespace {

using skel::Vec3;

constexpr uint8_t kOffsets = 2;
constexpr float kSteps = 65535, kTurnSteps = 127;

void PutVec(Vec3 v, std::string* out) {
  for (const float f : {v.x, v.y, v.z}) Put(f, out);
}

// Where `v` lies on a lattice; one of no width has everything at 0.
uint16_t Code(float v, float low, float step) {
  if (step <= 0) return 0;
  return static_cast<uint16_t>(std::lround(std::clamp((v - low) / step, 0.0f, kSteps)));
}

int8_t TurnCode(float v, float step) {
  if (step <= 0) return 0;
  return static_cast<int8_t>(std::lround(std::clamp(v / step, -kTurnSteps, kTurnSteps)));
}

struct Box {
  Vec3 low, step;
  float turn_step = 0;
};

Box BoxOf(const PointOffsets& points, const std::vector<size_t>& moved) {
  Box box;
  if (moved.empty()) return box;
  Vec3 low = points.offsets[moved[0]], high = low;
  float turn = 0;
  for (const size_t i : moved) {
    const Vec3 o = points.offsets[i], t = points.turns[i];
    low = {std::min(low.x, o.x), std::min(low.y, o.y), std::min(low.z, o.z)};
    high = {std::max(high.x, o.x), std::max(high.y, o.y), std::max(high.z, o.z)};
    turn = std::max({turn, std::abs(t.x), std::abs(t.y), std::abs(t.z)});
  }
  box.low = low;
  box.step = (high - low) * (1 / kSteps);
  box.turn_step = turn / kTurnSteps;
  return box;
}

}  // namespace

std::shared_ptr<const std::string> OffsetFrameWriter::Write(const PointOffsets& points,
                                                            const ViewFrameTag& tag,
                                                            double time_code_s) {
  const size_t n = points.offsets.size();
  // In squares of the least that is told.
  const auto change = [&](size_t i) {
    const skel::Vec3 o = points.offsets[i] * (1 / kLeast_m), t = points.turns[i] * (1 / kLeastTurn);
    return std::max(skel::Dot(o, o), skel::Dot(t, t));
  };
  moved_.clear();
  for (size_t i = 0; i < n; ++i) {
    if (change(i) >= 1) moved_.push_back(i);
  }
  if (moved_.size() > kMostPoints) {
    const auto end = moved_.begin() + kMostPoints;
    std::nth_element(moved_.begin(), end, moved_.end(),
                     [&](size_t a, size_t b) { return change(a) > change(b); });
    moved_.resize(kMostPoints);
    std::sort(moved_.begin(), moved_.end());
  }
  const Box box = BoxOf(points, moved_);
  std::string out;
  out.reserve(256 + n / 8 + 9 * moved_.size());
  PutFrameHead(kOffsets, tag, time_code_s, &out);
  Put(static_cast<uint32_t>(moved_.size()), &out);
  PutVec(box.low, &out);
  PutVec(box.step, &out);
  Put(box.turn_step, &out);
  const size_t bits_at = out.size();
  out.append((n + 31) / 32 * 4, '\0');
  for (const size_t i : moved_) {
    char& byte = out[bits_at + i / 8];
    byte = static_cast<char>(static_cast<uint8_t>(byte) | 1u << i % 8);
  }
  for (const size_t i : moved_) {
    const Vec3 o = points.offsets[i];
    Put(Code(o.x, box.low.x, box.step.x), &out);
    Put(Code(o.y, box.low.y, box.step.y), &out);
    Put(Code(o.z, box.low.z, box.step.z), &out);
  }
  for (const size_t i : moved_) {
    const Vec3 t = points.turns[i];
    for (const float v : {t.x, t.y, t.z}) Put(TurnCode(v, box.turn_step), &out);
  }
  return std::make_shared<const std::string>(std::move(out));
}

}  // namespace posewire::renderer_sink
