#include "libs/offsets/pixel_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace posewire::offsets {
namespace {

constexpr uint32_t kBlock = 8;
// Wider than one x265 block, as film_carriers.cc requires.
constexpr uint32_t kLeastSide = 40;
constexpr uint32_t kNone = UINT32_MAX;

uint32_t SideFor(size_t pixels) {
  const auto side = static_cast<uint32_t>(std::ceil(std::sqrt(static_cast<double>(pixels))));
  return std::max(kLeastSide, (side + kBlock - 1) / kBlock * kBlock);
}
uint32_t SideByUv(size_t points) { return SideFor(points + points / 8); }

// The free pixels of each row. Finds the nearest one on either side of a column in nearly constant
// time: links skip full stretches, and following them shortens them (union-find).
class FreePixels {
 public:
  explicit FreePixels(uint32_t side) : side_(side) {
    left_.reserve(size_t{side} * (side + 1));
    for (uint32_t row = 0; row < side; ++row) {
      for (uint32_t at = 0; at <= side; ++at) left_.push_back(at);
    }
    right_ = left_;
  }

  // Takes the nearest free pixel.
  uint32_t Take(uint32_t row, uint32_t column) {
    int64_t best = INT64_MAX;
    uint32_t found = kNone;
    const auto look = [&](int64_t y) {
      if (y < 0 || y >= side_) return;
      const int64_t dy = y - row;
      const auto at = static_cast<uint32_t>(y);
      const auto consider = [&](uint32_t x) {
        const int64_t dx = int64_t{x} - column, distance = dx * dx + dy * dy;
        const uint32_t pixel = at * side_ + x;
        if (distance < best || (distance == best && pixel < found)) {
          best = distance;
          found = pixel;
        }
      };
      // The left links are stored one column to the right, so that 0 means "none".
      if (const uint32_t x = Find(left_, at, column + 1); x > 0) consider(x - 1);
      if (const uint32_t x = Find(right_, at, column); x < side_) consider(x);
    };
    for (int64_t away = 0; away < side_ && away * away <= best; ++away) {
      look(row - away);
      if (away > 0) look(row + away);
    }
    const uint32_t y = found / side_, x = found % side_;
    left_[Cell(y, x + 1)] = x;
    right_[Cell(y, x)] = x + 1;
    return found;
  }

 private:
  size_t Cell(uint32_t row, uint32_t at) const { return size_t{row} * (side_ + 1) + at; }
  uint32_t Find(std::vector<uint32_t>& links, uint32_t row, uint32_t at) {
    uint32_t end = at;
    while (links[Cell(row, end)] != end) end = links[Cell(row, end)];
    while (links[Cell(row, at)] != end) {
      const uint32_t next = links[Cell(row, at)];
      links[Cell(row, at)] = end;
      at = next;
    }
    return end;
  }

  uint32_t side_;
  std::vector<uint32_t> left_, right_;
};

}  // namespace

PixelMap PixelMap::ByIndex(size_t points) {
  PixelMap out;
  out.side = SideFor(points);
  out.pixels.resize(points);
  const uint32_t blocks = out.side / kBlock;
  for (uint32_t i = 0; i < points; ++i) {
    const uint32_t block = i / (kBlock * kBlock), in = i % (kBlock * kBlock);
    out.pixels[i] =
        (block / blocks * kBlock + in / kBlock) * out.side + block % blocks * kBlock + in % kBlock;
  }
  return out;
}

PixelMap PixelMap::ByUv(absl::Span<const Uv> uv) {
  PixelMap out;
  out.side = SideByUv(uv.size());
  std::array<std::vector<float>, 2> sorted;
  for (size_t k = 0; k < 2; ++k) {
    for (const Uv& at : uv) sorted[k].push_back(at[k]);
    std::sort(sorted[k].begin(), sorted[k].end());
  }
  const auto place = [&](const Uv& at, size_t k) {
    const auto rank = std::lower_bound(sorted[k].begin(), sorted[k].end(), at[k]);
    return static_cast<uint32_t>(static_cast<size_t>(rank - sorted[k].begin()) * out.side /
                                 uv.size());
  };
  FreePixels free(out.side);
  out.pixels.reserve(uv.size());
  for (const Uv& at : uv) out.pixels.push_back(free.Take(place(at, 1), place(at, 0)));
  return out;
}

std::vector<uint32_t> PixelMap::Order() const {
  std::vector<uint32_t> out(pixels.size());
  std::iota(out.begin(), out.end(), 0u);
  const auto way = [&](uint32_t point) {
    const uint32_t row = pixels[point] / side, column = pixels[point] % side;
    const uint32_t block = row / kBlock * (side / kBlock) + column / kBlock;
    return (block * kBlock + row % kBlock) * kBlock + column % kBlock;
  };
  std::sort(out.begin(), out.end(), [&](uint32_t a, uint32_t b) { return way(a) < way(b); });
  return out;
}

// Fills the empty pixels in rings around those that have points.
std::vector<uint32_t> PixelMap::Shown() const {
  std::vector<uint32_t> out(size_t{side} * side, kNone);
  std::vector<uint32_t> ring;
  for (uint32_t i = 0; i < pixels.size(); ++i) out[pixels[i]] = i;
  for (uint32_t i = 0; i < out.size(); ++i) {
    if (out[i] != kNone) ring.push_back(i);
  }
  for (std::vector<uint32_t> next; !ring.empty(); ring.swap(next), next.clear()) {
    for (const uint32_t at : ring) {
      const uint32_t row = at / side, column = at % side;
      const auto spread = [&](uint32_t to) {
        if (out[to] != kNone) return;
        out[to] = out[at];
        next.push_back(to);
      };
      if (column > 0) spread(at - 1);
      if (column + 1 < side) spread(at + 1);
      if (row > 0) spread(at - side);
      if (row + 1 < side) spread(at + side);
    }
  }
  return out;
}

void PixelMap::Write(ByteWriter& out) const {
  int64_t last = 0;
  for (const uint32_t pixel : pixels) {
    out.Signed(int64_t{pixel / side} - last);
    last = pixel / side;
  }
  last = 0;
  for (const uint32_t pixel : pixels) {
    out.Signed(int64_t{pixel % side} - last);
    last = pixel % side;
  }
}

bool PixelMap::Read(ByteReader& in, size_t points) {
  if (in.left() / 2 < points) return false;
  side = SideByUv(points);
  pixels.assign(points, 0);
  for (const uint32_t stride : {side, 1u}) {
    int64_t at = 0;
    for (uint32_t& pixel : pixels) {
      const int64_t step = in.Signed();
      if (step <= -int64_t{side} || step >= side) return false;
      at += step;
      if (at < 0 || at >= side) return false;
      pixel += static_cast<uint32_t>(at) * stride;
    }
  }
  std::vector<bool> taken(size_t{side} * side, false);
  for (const uint32_t pixel : pixels) {
    if (taken[pixel]) return false;
    taken[pixel] = true;
  }
  return in.ok();
}

}  // namespace posewire::offsets
