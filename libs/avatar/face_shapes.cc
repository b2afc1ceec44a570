#include "libs/avatar/face_shapes.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "libs/avatar/isosurface.h"

namespace posewire::avatar {
namespace {

using skel::Vec3;

constexpr float kMm = 0.001f;

// How strongly a lip follows a corner or its middle: 1 at the slit, fading upwards and downwards.
float NearSlit(float h, float reach) { return std::exp(-(h * h) / (reach * reach)); }

}  // namespace

Vec3 JawOffset(absl::string_view shape, Vec3 p) {
  if (shape == "jawOpen" || shape == "mouthClose") {
    const Vec3 r = p - kJawPivot;
    const float c = std::cos(kJawOpenAngle), s = std::sin(kJawOpenAngle);
    return {0, r.y * c - r.z * s - r.y, r.y * s + r.z * c - r.z};
  }
  if (shape == "jawForward") return {0, -0.5f * kMm, 6 * kMm};
  const float side = shape == "jawLeft" ? 1.0f : shape == "jawRight" ? -1.0f : 0.0f;
  // The chin swings about an axis behind the jaw.
  const float lever = std::clamp((p.z + 0.01f) / 0.09f, 0.0f, 1.1f);
  return {side * 7.5f * kMm * lever, 0, -std::fabs(side) * 0.6f * kMm * lever};
}

FaceShapes::FaceShapes(const FaceForm& form, const FaceGrid& grid) : form_(form), grid_(grid) {
  for (const FacePoint& point : grid.points) {
    neutral_.push_back(form.At(point));
    slit_y_.push_back(form.Loft(kMouthRow, point.angle).y);
  }
  for (size_t i = 0; i < grid.points.size(); ++i) {
    const auto rim = static_cast<size_t>(grid.rim[i]);
    jaw_.push_back(JawShare(grid.points[rim], neutral_[rim]));
  }
}

float FaceShapes::JawShare(const FacePoint& point, Vec3 p) const {
  const float x = std::fabs(p.x),
              h = p.y - slit_y_[static_cast<size_t>(&point - grid_.points.data())];
  constexpr float kCorner = 0.42f;
  const float t = std::min(1.0f, x / kMouthHalfWidth);
  float share = 0;
  if (point.mouth == Lip::kUpper) {
    share = kCorner * t * t * t * (1 - SmoothStep(0, 0.045f, h));
  } else {
    const float at_slit = 1 - (1 - kCorner) * t * t * t;
    share = at_slit + (1 - at_slit) * SmoothStep(0, 0.026f, -h);
  }
  // Throat and neck follow less and less; the back of the head not at all.
  share *= SmoothStep(0.4f, 4.4f, point.row);
  return share * (1 - SmoothStep(1.15f, 1.9f, std::fabs(point.angle)));
}

float FaceShapes::UpperLid(size_t i, bool left) const {
  const FacePoint& point = grid_.points[i];
  if (point.eye != Lip::kUpper || (point.angle > 0) != left) return 0;
  const Vec3 p = form_.At(point);
  const float s = (std::fabs(p.x) - kEye.x) / kEyeHalfWidth;
  if (std::fabs(s) > 1) return 0;
  return std::sqrt(1 - s * s) * (1 - SmoothStep(0.0055f, 0.013f, p.y - kEye.y));
}

FaceShapes::Spot FaceShapes::SpotOf(size_t i, Side side) const {
  const auto rim = static_cast<size_t>(grid_.rim[i]);
  const Vec3 p = neutral_[rim];
  Spot s;
  const float sign = side == Side::kRight ? -1.0f : 1.0f;
  s.x = side == Side::kBoth ? std::fabs(p.x) : p.x * sign;
  s.y = p.y;
  s.z = p.z;
  s.h = p.y - slit_y_[rim];
  s.share = side == Side::kBoth ? 1 : SmoothStep(-0.007f, 0.007f, s.x);
  s.x = std::fabs(s.x);
  s.front = SmoothStep(-0.02f, 0.03f, p.z) * SmoothStep(2.5f, 4.5f, grid_.points[rim].row);
  s.mouth = grid_.points[rim].mouth;
  return s;
}

std::vector<Vec3> FaceShapes::LidOffsets(Lids left, Lids right) const {
  std::vector<Vec3> out;
  for (size_t i = 0; i < neutral_.size(); ++i) {
    out.push_back(form_.At(grid_.points[i], left, right) - neutral_[i]);
  }
  return out;
}

std::vector<Vec3> FaceShapes::JawOffsets(absl::string_view shape) const {
  std::vector<Vec3> out;
  for (size_t i = 0; i < neutral_.size(); ++i) {
    out.push_back(JawOffset(shape, neutral_[i]) * jaw_[i]);
  }
  return out;
}

// The open jaw with closed lips: both edges of the slit meet between where the open jaw leaves
// them, and the skin above and below is drawn along.
std::vector<Vec3> FaceShapes::CloseOffsets() const {
  std::vector<Vec3> out = JawOffsets("jawOpen");
  const std::vector<Vec3> open = out;
  constexpr float kMeet = 0.60f;  // nearer to the upper lip
  const FaceGrid::Edge& mouth = grid_.mouth;
  const auto gap_at = [&](float x) {
    // Between the two edges, at this distance from the middle.
    Vec3 gap;
    for (size_t k = 0; k + 1 < mouth.upper.size(); ++k) {
      const auto a = static_cast<size_t>(mouth.upper[k]);
      const auto b = static_cast<size_t>(mouth.upper[k + 1]);
      const float xa = neutral_[a].x, xb = neutral_[b].x;
      if (x < xa || x > xb) continue;
      const float t = xb > xa ? (x - xa) / (xb - xa) : 0;
      const auto la = static_cast<size_t>(mouth.lower[k]);
      const auto lb = static_cast<size_t>(mouth.lower[k + 1]);
      gap = skel::Lerp(open[a] - open[la], open[b] - open[lb], t);
    }
    return gap;
  };
  for (size_t i = 0; i < neutral_.size(); ++i) {
    const auto rim = static_cast<size_t>(grid_.rim[i]);
    const Vec3 p = neutral_[rim];
    if (std::fabs(p.x) > kMouthHalfWidth) continue;
    const float h = p.y - slit_y_[rim];
    const Vec3 gap = gap_at(p.x);
    if (grid_.points[rim].mouth == Lip::kUpper) {
      out[i] = out[i] - gap * ((1 - kMeet) * (1 - SmoothStep(0.001f, 0.030f, h)));
    } else {
      out[i] = out[i] + gap * (kMeet * (1 - SmoothStep(0.002f, 0.040f, -h)));
    }
  }
  return out;
}

Vec3 FaceShapes::MouthOffset(absl::string_view stem, const Spot& s) const {
  const float corner = Bell(s.x - 0.0255f, s.h, 0.0130f, 0.0135f);
  const float wide = Bell(s.x - 0.0300f, s.h - 0.004f, 0.0200f, 0.0200f);
  if (stem == "mouthSmile") {
    const float cheek = Bell(s.x - 0.0430f, s.y - 1.6000f, 0.0170f, 0.0150f);
    const float lip = NearSlit(s.h, 0.011f) * SmoothStep(0, 0.024f, s.x) * (1 - corner);
    const Vec3 pull = Vec3{5.5f, 6.0f, -4.5f} * (0.70f * corner + 0.35f * wide + 0.25f * lip);
    return (pull + Vec3{1.2f, 3.6f, 2.2f} * cheek) * kMm;
  }
  if (stem == "mouthFrown") {
    const float chin = Bell(s.x - 0.010f, s.y - 1.538f, 0.012f, 0.010f);
    return (Vec3{0.8f, -6.5f, -1.0f} * (0.75f * corner + 0.35f * wide) +
            Vec3{0, 1.0f, 0.8f} * chin) *
           kMm;
  }
  if (stem == "mouthDimple") {
    const float pit = Bell(s.x - 0.0320f, s.h, 0.0075f, 0.0090f);
    return (Vec3{3.5f, 1.0f, -3.5f} * corner + Vec3{1.0f, 0, -2.6f} * pit) * kMm;
  }
  if (stem == "mouthStretch") {
    return Vec3{6.5f, -3.0f, -4.0f} * ((0.75f * corner + 0.40f * wide) * kMm);
  }
  return {};
}

Vec3 FaceShapes::LipOffset(absl::string_view stem, const Spot& s) const {
  const bool upper = s.mouth == Lip::kUpper;
  const float t = std::min(1.0f, s.x / (kMouthHalfWidth * 1.05f));
  const float middle = 1 - t * t;            // along the lip
  const float lip = NearSlit(s.h, 0.0105f);  // the red of it
  const float round = NearSlit(s.h, 0.0190f) * (1 - SmoothStep(0.022f, 0.042f, s.x));
  const float up = upper ? 1.0f : -1.0f;
  if (stem == "mouthFunnel") {
    const Vec3 out{-s.x * 190, up * (upper ? 2.4f : 4.0f) * middle * lip,
                   6.5f * (0.4f + 0.6f * middle)};
    return Vec3{out.x * round, out.y, out.z * round} * kMm;
  }
  if (stem == "mouthPucker") {
    // Towards the middle in x; fuller lips that stay closed.
    return Vec3{-s.x * 360 * round,
                0.8f * up * middle * lip * SmoothStep(0.002f, 0.008f, std::fabs(s.h)),
                (2.0f + 5.5f * middle) * round} *
           kMm;
  }
  if (stem == "mouthRollLower" || stem == "mouthRollUpper") {
    if ((stem == "mouthRollUpper") != upper) return {};
    const float edge = NearSlit(s.h, 0.0060f);
    const float rest = NearSlit(s.h, 0.0140f);
    return Vec3{0, -up * (3.4f * SmoothStep(0.001f, 0.007f, std::fabs(s.h)) * lip),
                -2.6f * edge - 1.4f * rest} *
           ((0.25f + 0.75f * middle) * (1 - SmoothStep(0.024f, 0.032f, s.x)) * kMm);
  }
  if (stem == "mouthShrugLower") {
    const float boss = Bell(s.x, s.y - 1.541f, 0.020f, 0.014f);
    const float lower = upper ? 0.85f * lip : std::max(lip, boss);
    return Vec3{0, 3.6f, 1.8f} *
           (lower * (0.35f + 0.65f * middle) * (1 - SmoothStep(0.022f, 0.036f, s.x)) * kMm);
  }
  if (stem == "mouthShrugUpper") {
    const float whole = upper ? NearSlit(s.h, 0.0150f) : 0.80f * lip;
    return Vec3{0, 2.8f, 2.0f} *
           (whole * (0.35f + 0.65f * middle) * (1 - SmoothStep(0.022f, 0.036f, s.x)) * kMm);
  }
  if (stem == "mouthPress") {
    const float body = lip * SmoothStep(0.0005f, 0.007f, std::fabs(s.h));
    const float puff = Bell(s.x - 0.020f, s.h, 0.010f, 0.012f);
    return Vec3{0.4f * puff, -up * 2.3f * body, -2.2f * lip + 0.9f * puff} *
           ((1 - SmoothStep(0.022f, 0.034f, s.x)) * kMm);
  }
  if (stem == "mouthLowerDown" && !upper) {
    const float belly = std::max(0.0f, 1 - t * t) * (0.55f + 0.45f * SmoothStep(0, 0.010f, s.x));
    return Vec3{0.5f, -5.8f, -0.4f} * (belly * (1 - SmoothStep(0.001f, 0.024f, -s.h)) * kMm);
  }
  if (stem == "mouthUpperUp" && upper) {
    const float belly = std::max(0.0f, 1 - t * t) * (0.55f + 0.45f * SmoothStep(0, 0.010f, s.x));
    const float fold = Bell(s.x - 0.021f, s.y - 1.585f, 0.010f, 0.010f);
    return (Vec3{0.3f, 4.8f, 0.3f} * (belly * (1 - SmoothStep(0.001f, 0.021f, s.h))) +
            Vec3{0.3f, 1.3f, 1.0f} * fold) *
           kMm;
  }
  return {};
}

Vec3 FaceShapes::BrowAndCheekOffset(absl::string_view stem, const Spot& s) const {
  if (stem == "browDown") {
    const float brow = Bell(s.x - 0.0260f, s.y - 1.6560f, 0.0190f, 0.0110f);
    const float knot = Bell(s.x - 0.0100f, s.y - 1.6560f, 0.0090f, 0.0120f);
    return (Vec3{-1.5f, -4.6f, 0.6f} * brow + Vec3{-1.4f, -1.6f, 1.4f} * knot) * kMm;
  }
  if (stem == "browInnerUp") {
    const float inner = Bell(s.x - 0.0110f, s.y - 1.6600f, 0.0150f, 0.0160f);
    return Vec3{0.4f, 6.2f, 0.6f} * (inner * kMm);
  }
  if (stem == "browOuterUp") {
    const float outer = Bell(s.x - 0.0400f, s.y - 1.6600f, 0.0150f, 0.0150f);
    return Vec3{0.3f, 5.6f, 0.2f} * (outer * kMm);
  }
  if (stem == "cheekPuff") {
    const float cheek = Bell(s.x - 0.0440f, s.y - 1.5700f, 0.0200f, 0.0210f);
    const float lips = NearSlit(s.h, 0.016f) * (1 - SmoothStep(0.018f, 0.034f, s.x));
    return (Vec3{6.5f, 0, 7.5f} * cheek + Vec3{0, 0, 1.6f} * lips) * kMm;
  }
  if (stem == "cheekSquint") {
    const float cheek = Bell(s.x - 0.0400f, s.y - 1.6080f, 0.0170f, 0.0120f);
    return Vec3{0.4f, 4.0f, 2.0f} * (cheek * kMm);
  }
  if (stem == "noseSneer") {
    const float wing = Bell(s.x - 0.0130f, s.y - 1.5900f, 0.0085f, 0.0100f);
    const float bridge = Bell(s.x - 0.0090f, s.y - 1.6180f, 0.0080f, 0.0120f);
    const float lip = s.mouth == Lip::kUpper ? Bell(s.x - 0.0130f, s.h - 0.008f, 0.0090f, 0.0080f) *
                                                   SmoothStep(0, 0.006f, s.h)
                                             : 0;
    return (Vec3{1.0f, 4.6f, 0.6f} * wing + Vec3{-0.5f, 2.2f, 2.0f} * bridge +
            Vec3{0, 2.2f, 0.4f} * lip) *
           kMm;
  }
  return {};
}

std::vector<Vec3> FaceShapes::Offsets(absl::string_view shape) const {
  absl::string_view stem = shape;
  Side side = Side::kBoth;
  const bool across =
      shape == "mouthLeft" || shape == "mouthRight" || shape == "jawLeft" || shape == "jawRight";
  if (!across && absl::ConsumeSuffix(&stem, "Left")) side = Side::kLeft;
  if (!across && absl::ConsumeSuffix(&stem, "Right")) side = Side::kRight;
  if (shape == "mouthClose") return CloseOffsets();
  if (absl::StartsWith(shape, "jaw")) return JawOffsets(shape);

  // Lids: upper and lower, as shares of their opening at rest.
  std::vector<Vec3> out(neutral_.size());
  const auto lids = [&](Lids own) {
    return side == Side::kLeft ? LidOffsets(own, {}) : LidOffsets({}, own);
  };
  if (stem == "eyeBlink") return lids({0, 0});
  if (stem == "eyeLookDown") out = lids({0.46f, 1.30f});
  if (stem == "eyeLookUp") out = lids({1.14f, 0.75f});
  if (stem == "eyeLookIn" || stem == "eyeLookOut") out = lids({0.985f, 1});
  if (stem == "eyeSquint") out = lids({0.85f, 0.25f});
  if (stem == "eyeWide") out = lids({1.24f, 1.35f});

  for (size_t i = 0; i < out.size(); ++i) {
    const Spot s = SpotOf(i, side);
    Vec3 d;
    if (across) {
      const float whole = NearSlit(s.h, 0.020f) * (1 - SmoothStep(0.026f, 0.052f, s.x));
      d = Vec3{shape == "mouthLeft" ? 6.5f : -6.5f, 0, -0.6f} * (whole * kMm);
      out[i] = out[i] + d * s.front;
      continue;
    }
    d = MouthOffset(stem, s) + LipOffset(stem, s) + BrowAndCheekOffset(stem, s);
    if (stem == "eyeSquint") {
      d = d + Vec3{0, 1.6f, 0.8f} * (Bell(s.x - 0.036f, s.y - 1.6120f, 0.016f, 0.008f) * kMm);
    }
    if (stem == "tongueOut" && s.mouth == Lip::kLower) {
      const float t = std::min(1.0f, s.x / (kMouthHalfWidth * 0.95f));
      d = Vec3{0, -7.0f, 1.0f} * ((1 - t * t) * (1 - SmoothStep(0.001f, 0.026f, -s.h)) * kMm);
    }
    if (stem == "tongueOut" && s.mouth == Lip::kUpper) {
      const float t = std::min(1.0f, s.x / (kMouthHalfWidth * 0.95f));
      d = Vec3{0, 1.8f, 0.3f} * ((1 - t * t) * (1 - SmoothStep(0.001f, 0.016f, s.h)) * kMm);
    }
    // Outward is away from the middle on either side.
    if (side == Side::kRight ||
        (side == Side::kBoth && neutral_[static_cast<size_t>(grid_.rim[i])].x < 0)) {
      d.x = -d.x;
    }
    out[i] = out[i] + d * (s.share * s.front);
  }
  return out;
}

}  // namespace posewire::avatar
