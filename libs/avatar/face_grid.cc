#include "libs/avatar/face_grid.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace posewire::avatar {
namespace {

constexpr float kPi = 3.14159265f;
constexpr int kLidDepth = 2, kLipDepth = 4;

// `count` values from `from` (left out) to `to` (included).
void Extend(std::vector<float>& values, float to, int count) {
  const float from = values.back();
  for (int i = 1; i <= count; ++i) {
    values.push_back(from + (to - from) * static_cast<float>(i) / static_cast<float>(count));
  }
}

// Builds the grid. Angles run from the back over the right, the front and the left to the back.
class Builder {
 public:
  explicit Builder(const FaceForm& form) {
    std::vector<float> half{0};
    const float nose = form.AngleOfX(kEyeRow, kEye.x - kEyeHalfWidth);
    const float corner = form.AngleOfX(kMouthRow, kMouthHalfWidth);
    const float temple = form.AngleOfX(kEyeRow, kEye.x + kEyeHalfWidth);
    Extend(half, nose, 10);
    Extend(half, corner, std::max(1, static_cast<int>((corner - nose) / 0.026f)));
    Extend(half, temple, 12);
    Extend(half, 1.1f, 8);
    Extend(half, kPi / 2, 5);
    Extend(half, kPi, 14);
    for (size_t i = half.size() - 1; i > 0; --i) angles_.push_back(-half[i]);
    for (size_t i = 0; i + 1 < half.size(); ++i) angles_.push_back(half[i]);
    columns_ = static_cast<int>(angles_.size());
    nose_ = nose;
    corner_ = corner;
    temple_ = temple;
    rows_ = {0};
    const std::array<int, 20> steps = {3, 3, 3, 4, 4, 4, 4, 5, 6, 6, 9, 6, 8, 10, 6, 4, 3, 3, 3, 3};
    for (size_t i = 0; i < steps.size(); ++i) {
      Extend(rows_, static_cast<float>(i + 1), steps[i]);
      rows_.back() = static_cast<float>(i + 1);
    }
  }

  FaceGrid Build() {
    for (size_t r = 0; r + 1 < rows_.size(); ++r) AddRow(rows_[r]);
    for (size_t r = 0; r + 1 < low_.size(); ++r) {
      // The upper side of a row is the lower edge of the band above it.
      for (int c = 0; c < columns_; ++c) {
        Quad(high_[r][At(c)], high_[r][At(c + 1)], low_[r + 1][At(c + 1)], low_[r + 1][At(c)]);
      }
    }
    FacePoint crown{kCrownRow, 0, Lip::kUpper, Lip::kUpper, 0};
    const int32_t top = Add(crown);
    for (int c = 0; c < columns_; ++c) {
      grid_.triangles.insert(grid_.triangles.end(),
                             {high_.back()[At(c)], high_.back()[At(c + 1)], top});
    }
    return std::move(grid_);
  }

 private:
  size_t At(int c) const { return static_cast<size_t>(c % columns_); }
  bool InMouth(float angle) const { return std::fabs(angle) < corner_ - 1e-5f; }
  bool InEye(float angle) const {
    return std::fabs(angle) > nose_ + 1e-5f && std::fabs(angle) < temple_ - 1e-5f;
  }

  int32_t Add(const FacePoint& p, int32_t rim = -1) {
    const auto index = static_cast<int32_t>(grid_.points.size());
    grid_.points.push_back(p);
    grid_.rim.push_back(rim < 0 ? index : rim);
    return index;
  }

  void Quad(int32_t a, int32_t b, int32_t c, int32_t d) {
    // Beside the corner of a slit two of the four are one.
    if (a == d || b == c) {
      grid_.triangles.insert(grid_.triangles.end(), {a, b, a == d ? c : d});
      return;
    }
    grid_.triangles.insert(grid_.triangles.end(), {a, b, c, a, c, d});
  }

  void AddRow(float row) {
    std::vector<int32_t> low, high;
    for (float angle : angles_) {
      FacePoint p{row, angle, row < kMouthRow ? Lip::kLower : Lip::kUpper,
                  row < kEyeRow ? Lip::kLower : Lip::kUpper, 0};
      const bool slit = (row == kMouthRow && InMouth(angle)) || (row == kEyeRow && InEye(angle));
      if (slit) {
        FacePoint under = p;
        (row == kMouthRow ? under.mouth : under.eye) = Lip::kLower;
        low.push_back(Add(under));
        high.push_back(Add(p));
      } else {
        low.push_back(Add(p));
        high.push_back(low.back());
      }
    }
    low_.push_back(low);
    high_.push_back(high);
    if (row == kMouthRow) {
      const auto inside = [this](float a) { return InMouth(a); };
      AddSlit(low, high, inside, kLipDepth, grid_.mouth);
    }
    if (row == kEyeRow) {
      const auto left = [this](float a) { return a > 0 && InEye(a); };
      const auto right = [this](float a) { return a < 0 && InEye(a); };
      AddSlit(low, high, left, kLidDepth, grid_.left_eye);
      AddSlit(low, high, right, kLidDepth, grid_.right_eye);
    }
  }

  // Rows that go inwards from both edges of a slit; at its corners they end in the corner point.
  template <typename Inside>
  void AddSlit(const std::vector<int32_t>& low, const std::vector<int32_t>& high, Inside inside,
               int depth, FaceGrid::Edge& edge) {
    std::vector<int32_t> lower, upper;
    for (int c = 0; c < columns_; ++c) {
      const bool here = inside(angles_[At(c)]);
      const bool next_to = inside(angles_[At(c + 1)]) || inside(angles_[At(c + columns_ - 1)]);
      if (!here && !next_to) continue;
      lower.push_back(low[At(c)]);
      upper.push_back(high[At(c)]);
    }
    edge.lower = lower;
    edge.upper = upper;
    for (int k = 1; k <= depth; ++k) {
      std::vector<int32_t> deeper_low = lower, deeper_high = upper;
      for (size_t i = 1; i + 1 < lower.size(); ++i) {
        deeper_low[i] = Deeper(edge.lower[i], k);
        deeper_high[i] = Deeper(edge.upper[i], k);
      }
      for (size_t i = 0; i + 1 < lower.size(); ++i) {
        Quad(lower[i], lower[i + 1], deeper_low[i + 1], deeper_low[i]);
        Quad(deeper_high[i], deeper_high[i + 1], upper[i + 1], upper[i]);
      }
      lower = deeper_low;
      upper = deeper_high;
    }
  }

  int32_t Deeper(int32_t rim, int depth) {
    FacePoint p = grid_.points[static_cast<size_t>(rim)];
    p.depth = depth;
    return Add(p, rim);
  }

  std::vector<float> angles_, rows_;
  int columns_ = 0;
  float nose_ = 0, corner_ = 0, temple_ = 0;
  std::vector<std::vector<int32_t>> low_, high_;
  FaceGrid grid_;
};

}  // namespace

FaceGrid MakeFaceGrid(const FaceForm& form) { return Builder(form).Build(); }

}  // namespace posewire::avatar
