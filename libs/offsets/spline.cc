#include "libs/offsets/spline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/offsets/bytes.h"

namespace posewire::offsets {
namespace {

using skel::Vec3;

// Fractions of the tolerance: for the fit of the curve, and for the lattice of its knots.
constexpr float kForCurve = 0.7f, kLatticeStep = 0.25f;
constexpr int64_t kMostSteps = 1 << 30;

Vec3 Tangent(absl::Span<const Knot> knots, size_t i) {
  const Knot& before = knots[i == 0 ? 0 : i - 1];
  const Knot& after = knots[std::min(i + 1, knots.size() - 1)];
  return (after.at - before.at) * (1 / static_cast<float>(after.frame - before.frame));
}

Vec3 PieceAt(absl::Span<const Knot> knots, size_t piece, int frame) {
  const Knot &a = knots[piece], &d = knots[piece + 1];
  const auto length = static_cast<float>(d.frame - a.frame);
  const Vec3 b = a.at + Tangent(knots, piece) * (length / 3);
  const Vec3 c = d.at - Tangent(knots, piece + 1) * (length / 3);
  const float t = static_cast<float>(frame - a.frame) / length, s = 1 - t;
  return a.at * (s * s * s) + b * (3 * s * s * t) + c * (3 * s * t * t) + d.at * (t * t * t);
}

// Moves the knots on both sides of a removed one, `left` and `left` + 1, unless they are the ends
// of the curve. Returns true if the curve then keeps the tolerance.
bool MoveNeighbours(absl::Span<const Vec3> series, std::vector<Knot>& knots, size_t left,
                    float tolerance) {
  const size_t right = left + 1, last = knots.size() - 1;
  const size_t from = left < 2 ? 0 : left - 2, to = std::min(right + 2, last);
  const bool moves_left = left > 0, moves_right = right < last;
  // The share of each neighbour's position in a frame. The curve is linear in its knots, and a knot
  // has no influence beyond the second knot from it.
  std::array<Knot, 6> unit;
  const auto window = absl::MakeSpan(unit).subspan(0, to - from + 1);
  for (size_t k = from; k <= to; ++k) {
    unit[k - from] = {knots[k].frame, {k == left ? 1.0f : 0.0f, k == right ? 1.0f : 0.0f, 0}};
  }
  float ll = 0, lr = 0, rr = 0;
  Vec3 l, r;
  const auto for_frames = [&](const auto& use) {
    for (size_t piece = from; piece < to; ++piece) {
      for (int f = knots[piece].frame; f < knots[piece + 1].frame; ++f) use(piece, f);
    }
  };
  for_frames([&](size_t piece, int f) {
    const Vec3 share = PieceAt(window, piece - from, f);
    const Vec3 off = series[static_cast<size_t>(f)] - PieceAt(knots, piece, f);
    const float wl = moves_left ? share.x : 0, wr = moves_right ? share.y : 0;
    ll += wl * wl;
    lr += wl * wr;
    rr += wr * wr;
    l = l + off * wl;
    r = r + off * wr;
  });
  const float det = ll * rr - lr * lr;
  if (moves_left && moves_right && det > 1e-6f) {
    knots[left].at = knots[left].at + (l * rr - r * lr) * (1 / det);
    knots[right].at = knots[right].at + (r * ll - l * lr) * (1 / det);
  } else if (moves_left && ll > 1e-6f) {
    knots[left].at = knots[left].at + l * (1 / ll);
  } else if (moves_right && rr > 1e-6f) {
    knots[right].at = knots[right].at + r * (1 / rr);
  }
  bool within = true;
  for_frames([&](size_t piece, int f) {
    const Vec3 off = series[static_cast<size_t>(f)] - PieceAt(knots, piece, f);
    within = within && skel::Dot(off, off) <= tolerance * tolerance;
  });
  return within;
}

struct Curve {
  uint32_t begin = 0, end = 0;  // range of its knots
};

class SplineChunk : public Chunk {
 public:
  SplineChunk(std::vector<Knot> knots, std::vector<Curve> curves)
      : knots_(std::move(knots)), curves_(std::move(curves)) {}

  void Frame(size_t frame, absl::Span<Vec3> out) const override {
    for (size_t i = 0; i < out.size(); ++i) {
      const Curve c = curves_[i];
      out[i] = SplineAt(absl::MakeConstSpan(knots_).subspan(c.begin, c.end - c.begin),
                        static_cast<int>(frame));
    }
  }
  size_t held_bytes() const override {
    return sizeof *this + knots_.capacity() * sizeof(Knot) + curves_.capacity() * sizeof(Curve);
  }

 private:
  std::vector<Knot> knots_;
  std::vector<Curve> curves_;
};

absl::Status BrokenSpline(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("splines are cut off or broken at ", what));
}

}  // namespace

Vec3 SplineAt(absl::Span<const Knot> knots, int frame) {
  if (knots.size() == 1 || frame <= knots.front().frame) return knots.front().at;
  if (frame >= knots.back().frame) return knots.back().at;
  const auto after = std::upper_bound(knots.begin(), knots.end(), frame,
                                      [](int f, const Knot& knot) { return f < knot.frame; });
  return PieceAt(knots, static_cast<size_t>(after - knots.begin()) - 1, frame);
}

std::vector<Knot> FitSpline(absl::Span<const Vec3> series, float tolerance_m) {
  Vec3 middle;
  for (const Vec3 p : series) middle = middle + p * (1 / static_cast<float>(series.size()));
  bool still = true;
  for (const Vec3 p : series) still = still && skel::Length(p - middle) <= tolerance_m;
  if (still) return {{0, middle}};
  std::vector<Knot> knots;
  for (size_t f = 0; f < series.size(); ++f) knots.push_back({static_cast<int>(f), series[f]});
  std::vector<Knot> fewer;
  for (bool removed = true; removed;) {
    removed = false;
    // A removal moves both neighbours, so the next candidate is the knot after them.
    for (size_t i = 1; i + 1 < knots.size(); ++i) {
      fewer = knots;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (!MoveNeighbours(series, fewer, i - 1, tolerance_m)) continue;
      knots.swap(fewer);
      removed = true;
    }
  }
  return knots;
}

// Writes three lists of similar numbers, which compress better: counts of knots, frames between
// knots, and differences of successive knots in lattice steps.
std::string EncodeSplines(const Offsets& offsets, const Settings& settings) {
  const auto tolerance = static_cast<float>(settings.tolerance_m);
  const float step = tolerance * kLatticeStep;
  ByteWriter counts, gaps, ways;
  std::vector<Vec3> series(offsets.frames());
  for (size_t i = 0; i < offsets.points; ++i) {
    for (size_t f = 0; f < series.size(); ++f) series[f] = offsets.at(f, i);
    const std::vector<Knot> knots = FitSpline(series, tolerance * kForCurve);
    counts.Varint(knots.size());
    std::array<int64_t, 3> last{};
    for (size_t k = 0; k < knots.size(); ++k) {
      if (k > 0) gaps.Varint(static_cast<uint64_t>(knots[k].frame - knots[k - 1].frame));
      const std::array xyz = {knots[k].at.x, knots[k].at.y, knots[k].at.z};
      for (size_t axis = 0; axis < 3; ++axis) {
        const int64_t at =
            std::clamp<int64_t>(std::llround(xyz[axis] / step), -kMostSteps, kMostSteps);
        ways.Signed(at - last[axis]);
        last[axis] = at;
      }
    }
  }
  ByteWriter out;
  out.Put(step);
  for (const ByteWriter* list : {&counts, &gaps, &ways}) {
    out.Put(static_cast<uint32_t>(list->bytes().size()));
    out.Bytes(list->bytes());
  }
  return out.Take();
}

absl::StatusOr<std::unique_ptr<Chunk>> OpenSplines(absl::string_view bytes, size_t points,
                                                   size_t frames) {
  ByteReader in(bytes);
  const auto step = in.Get<float>();
  if (!(step > 0) || step > 1) return BrokenSpline("the step of its places");
  ByteReader counts(in.Bytes(in.Get<uint32_t>()));
  ByteReader gaps(in.Bytes(in.Get<uint32_t>()));
  ByteReader ways(in.Bytes(in.Get<uint32_t>()));
  if (!in.Done() || counts.left() < points) return BrokenSpline("its lists");
  size_t all = 0;
  ByteReader ahead = counts;
  for (size_t i = 0; i < points; ++i) {
    const uint64_t n = ahead.Varint();
    if (n < 1 || n > frames) return BrokenSpline("a number of knots");
    all += n;
  }
  if (ways.left() / 3 < all || gaps.left() < all - points) return BrokenSpline("its knots");
  std::vector<Knot> knots;
  std::vector<Curve> curves;
  knots.reserve(all);
  curves.reserve(points);
  for (size_t i = 0; i < points; ++i) {
    const uint64_t n = counts.Varint();
    Curve curve{static_cast<uint32_t>(knots.size()), 0};
    std::array<int64_t, 3> at{};
    int frame = 0;
    for (uint64_t k = 0; k < n; ++k) {
      if (k > 0) {
        const uint64_t gap = gaps.Varint();
        if (gap < 1 || gap >= frames) return BrokenSpline("a gap between knots");
        frame += static_cast<int>(gap);
      }
      for (int64_t& axis : at) {
        const int64_t way = ways.Signed();
        if (way < -2 * kMostSteps || way > 2 * kMostSteps) return BrokenSpline("a knot's place");
        axis += way;
        if (axis < -kMostSteps || axis > kMostSteps) return BrokenSpline("a knot's place");
      }
      if (frame >= static_cast<int>(frames) || !ways.ok()) return BrokenSpline("a knot");
      knots.push_back({frame,
                       {static_cast<float>(at[0]) * step, static_cast<float>(at[1]) * step,
                        static_cast<float>(at[2]) * step}});
    }
    curve.end = static_cast<uint32_t>(knots.size());
    curves.push_back(curve);
  }
  if (!counts.Done() || !gaps.Done() || !ways.Done()) return BrokenSpline("its end");
  return std::make_unique<SplineChunk>(std::move(knots), std::move(curves));
}

// A knot takes at least three bytes for its position and one for a gap or a count.
size_t OpenSplinesBytes(size_t bytes, size_t points, size_t) {
  return sizeof(SplineChunk) + bytes / 4 * sizeof(Knot) + points * sizeof(Curve);
}

}  // namespace posewire::offsets
