// Shared by all methods that store box codes: making the codes, and a chunk that decodes them.
// Internal to libs/offsets.
#ifndef POSEWIRE_LIBS_OFFSETS_BOX_CHUNK_H_
#define POSEWIRE_LIBS_OFFSETS_BOX_CHUNK_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "libs/offsets/boxes.h"
#include "libs/offsets/method.h"

namespace posewire::offsets {

// Returns for each flexible side, in order, a series of codes over the frames.
template <typename Code, typename Places>
std::vector<Code> CodesOf(const Offsets& offsets, const Boxes& boxes, const Places& places) {
  std::vector<Code> out;
  out.reserve(boxes.flexible * offsets.frames());
  for (size_t side = 0; side < boxes.sides.size(); ++side) {
    const Boxes::Side box = boxes.sides[side];
    if (box.low == box.high) continue;
    const float low = static_cast<float>(box.low) * boxes.step_m;
    const float size = static_cast<float>(box.high - box.low) * boxes.step_m;
    for (size_t f = 0; f < offsets.frames(); ++f) {
      const skel::Vec3 o = offsets.at(f, side / 3);
      const float x = side % 3 == 0 ? o.x : side % 3 == 1 ? o.y : o.z;
      out.push_back(static_cast<Code>(places.Code((x - low) / size)));
    }
  }
  return out;
}

template <typename Code, typename Places>
class BoxChunk : public Chunk {
 public:
  // `series` is as returned by CodesOf. Stored frame by frame, the order of access.
  BoxChunk(Boxes boxes, absl::Span<const Code> series, size_t frames, Places places)
      : boxes_(std::move(boxes)), codes_(series.size()), places_(places) {
    for (size_t side = 0; side < boxes_.flexible; ++side) {
      for (size_t f = 0; f < frames; ++f) {
        codes_[f * boxes_.flexible + side] = series[side * frames + f];
      }
    }
  }

  void Frame(size_t frame, absl::Span<skel::Vec3> out) const override {
    size_t at = frame * boxes_.flexible;
    const auto value = [&](size_t side) {
      const Boxes::Side box = boxes_.sides[side];
      const float low = static_cast<float>(box.low) * boxes_.step_m;
      if (box.low == box.high) return low;
      return low +
             static_cast<float>(box.high - box.low) * boxes_.step_m * places_.Place(codes_[at++]);
    };
    for (size_t i = 0; i < out.size(); ++i) {
      out[i].x = value(3 * i);
      out[i].y = value(3 * i + 1);
      out[i].z = value(3 * i + 2);
    }
  }

  size_t held_bytes() const override {
    return sizeof *this + boxes_.sides.capacity() * sizeof(Boxes::Side) +
           codes_.capacity() * sizeof(Code);
  }

 private:
  Boxes boxes_;
  std::vector<Code> codes_;
  Places places_;
};

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_BOX_CHUNK_H_
