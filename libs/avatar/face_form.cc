#include "libs/avatar/face_form.h"

#include <algorithm>
#include <cmath>

#include "libs/avatar/isosurface.h"

namespace posewire::avatar {
namespace {

using skel::Vec3;

constexpr float kPi = 3.14159265f;

float Fall(float distance, float reach) { return 1 - SmoothStep(0, reach, std::fabs(distance)); }

// Lines of the left eye's opening over s, -1 at the nose to 1 at the temple: closed, and the edges
// of the lids at rest.
float Round(float s) { return std::max(0.0f, 1 - s * s); }
float ClosedY(float s) { return kEye.y + 0.0011f * s - 0.0028f * Round(s); }
float UpperRise(float s) { return 0.0092f * std::pow(Round(s - 0.06f * Round(s)), 0.70f); }
float LowerDrop(float s) { return 0.0026f * std::pow(Round(s), 0.8f); }

// How far the nose stands out over the loft, and how wide, over y.
const Spline& NoseHeight() {
  static const Spline spline{{1.574f, 0},        {1.5795f, 0.0016f}, {1.5835f, 0.0085f},
                             {1.5880f, 0.0168f}, {1.5925f, 0.0192f}, {1.5975f, 0.0180f},
                             {1.612f, 0.0115f},  {1.625f, 0.0060f},  {1.637f, 0.0026f},
                             {1.648f, 0.0005f},  {1.656f, 0}};
  return spline;
}
const Spline& NoseWidth() {
  static const Spline spline{{1.576f, 0.0125f}, {1.586f, 0.0118f}, {1.593f, 0.0108f},
                             {1.601f, 0.0096f}, {1.614f, 0.0088f}, {1.630f, 0.0092f},
                             {1.648f, 0.0125f}};
  return spline;
}

float NoseRelief(float x, float y) {
  const float t = x / NoseWidth()(y);
  float z = NoseHeight()(y) * std::exp(-std::pow(t * t, 1.0f));
  z += 0.0080f * Bell(x - 0.0130f, y - 1.5880f, 0.0060f, 0.0066f);  // wings
  z -= 0.0050f * Bell(x - 0.0066f, y - 1.5822f, 0.0034f, 0.0026f);  // nostrils
  z += 0.0016f * Bell(x, y - 1.5915f, 0.0085f, 0.0070f);            // tip
  return z;
}

// Lips over the distance from the slit, and the hollows round them.
float LipRelief(float x, float h, Lip side) {
  const float t = std::min(1.0f, x / (kMouthHalfWidth * 1.04f));
  const float taper = std::pow(std::max(0.0f, 1 - t * t), 0.65f);
  static const Spline upper{{0, -0.0006f},      {0.0012f, 0.0020f}, {0.0036f, 0.0040f},
                            {0.0062f, 0.0038f}, {0.0080f, 0.0028f}, {0.0120f, 0.0012f},
                            {0.0200f, 0}};
  static const Spline lower{{0, -0.0006f},       {0.0014f, 0.0022f}, {0.0045f, 0.0047f},
                            {0.0080f, 0.0036f},  {0.0110f, 0.0004f}, {0.0145f, -0.0022f},
                            {0.0190f, -0.0018f}, {0.0260f, 0}};
  float z = taper * (side == Lip::kUpper ? upper(h) : lower(-h));
  if (side == Lip::kUpper) {
    // The groove below the nose with its two ridges.
    const float below_nose = SmoothStep(0.006f, 0.010f, h) * (1 - SmoothStep(0.017f, 0.022f, h));
    z += below_nose *
         (0.0010f * Bell(x - 0.0052f, 0, 0.0026f, 1) - 0.0011f * Bell(x, 0, 0.0028f, 1));
  }
  // Corners lie a little deeper.
  z -= 0.0022f * Bell(x - kMouthHalfWidth * 1.06f, h, 0.0060f, 0.0060f);
  return z;
}

}  // namespace

float SkullShare(float row, float angle) {
  // Below the chin in front; behind, the nape reaches higher.
  const float behind = SmoothStep(0.8f, 2.6f, std::fabs(angle));
  return SmoothStep(0.8f + 0.4f * behind, 4.0f + 3.5f * behind, row);
}

float Bell(float x, float y, float rx, float ry) {
  return std::exp(-(x * x) / (rx * rx) - (y * y) / (ry * ry));
}

// Rows: 0 neck, 2 throat, 4 under the chin, 8 mouth, 10 below the nose, 13 eyes, 14 brows, 20
// crown.
FaceForm::FaceForm()
    : front_y_({{0, 1.455f},   {1, 1.490f},   {2, 1.5165f},  {3, 1.5185f},  {4, 1.5195f},
                {5, 1.5300f},  {6, 1.5430f},  {7, 1.5510f},  {8, kMouthY},  {9, 1.5705f},
                {10, 1.5820f}, {11, 1.6020f}, {12, 1.6180f}, {13, kEye.y},  {14, 1.6530f},
                {15, 1.6760f}, {16, 1.7000f}, {17, 1.7220f}, {18, 1.7385f}, {19, 1.7475f},
                {20, 1.7504f}}),
      front_z_({{0, 0.0330f},  {1, 0.0300f},  {2, 0.0300f},  {3, 0.0500f},  {4, 0.0690f},
                {5, 0.0795f},  {6, 0.0780f},  {7, 0.0788f},  {8, 0.0800f},  {9, 0.0803f},
                {10, 0.0795f}, {11, 0.0785f}, {12, 0.0765f}, {13, 0.0740f}, {14, 0.0790f},
                {15, 0.0820f}, {16, 0.0755f}, {17, 0.0600f}, {18, 0.0390f}, {19, 0.0140f},
                {20, -0.0120f}}),
      back_y_({{0, 1.490f},
               {2, 1.560f},
               {4, 1.588f},
               {6, 1.608f},
               {8, 1.625f},
               {10, 1.642f},
               {13, 1.668f},
               {15, 1.692f},
               {16, 1.706f},
               {17, 1.722f},
               {18, 1.7365f},
               {19, 1.7465f},
               {20, 1.7504f}}),
      back_z_({{0, -0.0760f},
               {1, -0.0680f},
               {2, -0.0660f},
               {4, -0.0760f},
               {6, -0.0910f},
               {8, -0.1020f},
               {10, -0.1085f},
               {13, -0.1110f},
               {15, -0.1080f},
               {16, -0.1030f},
               {17, -0.0920f},
               {18, -0.0740f},
               {19, -0.0470f},
               {20, -0.0120f}}),
      side_y_({{0, 1.465f},
               {1, 1.500f},
               {2, 1.530f},
               {3, 1.5440f},
               {4, 1.5560f},
               {5, 1.5650f},
               {6, 1.5730f},
               {7, 1.5805f},
               {8, 1.5880f},
               {10, 1.6030f},
               {12, 1.6220f},
               {13, 1.6350f},
               {14, 1.6560f},
               {15, 1.6800f},
               {16, 1.7030f},
               {17, 1.7235f},
               {18, 1.7385f},
               {19, 1.7475f},
               {20, 1.7504f}}),
      width_({{0, 0.0560f},
              {1, 0.0500f},
              {2, 0.0490f},
              {3, 0.0505f},
              {4, 0.0535f},
              {5, 0.0560f},
              {6, 0.0585f},
              {7, 0.0608f},
              {8, 0.0630f},
              {10, 0.0675f},
              {12, 0.0712f},
              {13, 0.0726f},
              {14, 0.0742f},
              {15, 0.0755f},
              {16, 0.0738f},
              {17, 0.0668f},
              {18, 0.0540f},
              {19, 0.0340f},
              {20, 0.0f}}),
      squareness_({{0, 2.0f},
                   {2, 2.0f},
                   {4, 1.95f},
                   {6, 2.0f},
                   {8, 2.12f},
                   {10, 2.2f},
                   {13, 2.3f},
                   {15, 2.3f},
                   {17, 2.15f},
                   {20, 2.0f}}) {}

Vec3 FaceForm::Loft(float row, float angle) const {
  const float f = front_z_(row), b = back_z_(row), a = width_(row);
  const float s = std::max(0.0f, std::sin(std::fabs(angle))), c = std::cos(angle);
  const float middle = b + (f - b) * 0.46f;
  const float half = c >= 0 ? f - middle : middle - b;
  float x = 0, z = 0;
  if (a > 1e-6f) {
    const float n = squareness_(row);
    const float r = std::pow(std::pow(s / a, n) + std::pow(std::fabs(c) / half, n), -1 / n);
    x = r * s;
    z = r * c;
  }
  // Heights pass from front to side to back.
  const float side = side_y_(row), end = c >= 0 ? front_y_(row) : back_y_(row);
  const float way = half > 1e-6f ? std::min(1.0f, std::fabs(z) / half) : 1;
  const float y = side + (end - side) * way * way * (1.6f - 0.6f * way);
  return {angle < 0 ? -x : x, y, middle + z};
}

float FaceForm::AngleOfX(float row, float x) const {
  float low = 0, high = kPi / 2;
  for (int i = 0; i < 40; ++i) {
    const float middle = (low + high) / 2;
    (Loft(row, middle).x < x ? low : high) = middle;
  }
  return (low + high) / 2;
}

Vec3 FaceForm::WithLids(const FacePoint& point, Vec3 p, Lids lids) const {
  const float s = (p.x - kEye.x) / kEyeHalfWidth;
  const float row_y = Loft(kEyeRow, point.angle).y;
  const float h = p.y - row_y;
  const float beyond = Fall(std::max(0.0f, std::fabs(s) - 1), 0.75f);
  float y = p.y + (ClosedY(s) - row_y) * beyond * Fall(h, 0.020f);
  if (point.eye == Lip::kUpper) y += lids.upper * UpperRise(s) * Fall(h, 0.0185f);
  if (point.eye == Lip::kLower) y -= lids.lower * LowerDrop(s) * Fall(h, 0.0150f);
  return {p.x, y, p.z};
}

Vec3 FaceForm::WithRelief(const FacePoint& point, Vec3 p) const {
  const float x = p.x, y = p.y;
  const float front = SmoothStep(0.0f, 0.035f, p.z);
  float z = 0;
  // Socket, deepest beside the nose; brow; temple; cheekbone; hollow of the cheek; jaw; chin.
  z -= 0.0085f * Bell(x - 0.0330f, y - 1.6340f, 0.0215f, 0.0150f);
  z -= 0.0045f * Bell(x - 0.0150f, y - 1.6370f, 0.0070f, 0.0100f);
  z += 0.0042f * Bell(x - 0.0270f, y - 1.6520f, 0.0210f, 0.0075f);
  z -= 0.0020f * Bell(x, y - 1.6510f, 0.0070f, 0.0090f);
  z += 0.0050f * Bell(x - 0.0450f, y - 1.6060f, 0.0170f, 0.0130f);
  z -= 0.0030f * Bell(x - 0.0470f, y - 1.5720f, 0.0150f, 0.0160f);
  z += 0.0040f * Bell(x, y - 1.5290f, 0.0150f, 0.0095f);
  z -= 0.0016f * Bell(x - 0.0250f, y - 1.5400f, 0.0100f, 0.0100f);
  // The fold from nose to mouth.
  const float fold = x - (0.0190f + (1.588f - y) * 0.42f);
  z -= 0.0016f * std::exp(-fold * fold / (0.0032f * 0.0032f)) * Bell(0, y - 1.578f, 1, 0.0120f);
  z += NoseRelief(x, y);
  if (point.mouth != Lip::kNone) {
    // Heights over the slit's own row, which bows a little.
    const float h = y - Loft(kMouthRow, point.angle).y;
    z += LipRelief(x, h, point.mouth) * Bell(0, y - kMouthY, 1, 0.030f);
  }
  Vec3 out{x, y, p.z + z * front};
  // The tip hangs over the lip.
  out.y -= front * 0.0030f * Bell(x, y - 1.5905f, 0.0085f, 0.0070f);
  // Lids lie on the ball.
  const float u = (x - kEye.x) / kLidRadii.x, w = (y - kEye.y) / kLidRadii.y;
  const float inside = 1 - u * u - w * w;
  if (inside > -1.2f && out.z > 0.02f) {
    const float ball = kEye.z + kLidRadii.z * (inside > 0 ? std::sqrt(inside) : -0.9f * -inside) +
                       0.0016f * SmoothStep(-0.5f, -1.1f, u);
    out.z = SmoothMax(out.z, ball, 0.0035f);
  }
  return out;
}

Vec3 FaceForm::OnSkin(const FacePoint& point, Lids lids) const {
  Vec3 p = Loft(point.row, std::fabs(point.angle));
  if (std::fabs(point.angle) < 1.5f) p = WithRelief(point, WithLids(point, p, lids));
  return p;
}

Vec3 FaceForm::At(const FacePoint& point, Lids left, Lids right) const {
  const bool mirrored = point.angle < 0;
  FacePoint own = point;
  own.angle = std::fabs(point.angle);
  Vec3 p = OnSkin(own, mirrored ? right : left);
  if (point.depth > 0 && point.row == kEyeRow) {
    // The lid's edge, and its inner side along the eyeball.
    const float up = point.eye == Lip::kUpper ? 1.0f : -1.0f;
    const Vec3 from = p - kEye;
    const float keep = point.depth == 1 ? 0.955f : 0.91f;
    p = kEye + from * keep;
    if (point.depth > 1) p = p + Vec3{0, up * 0.0040f, -0.0030f};
  } else if (point.depth > 0) {
    const float up = point.mouth == Lip::kUpper ? 1.0f : -1.0f;
    const float t = std::min(1.0f, p.x / kMouthHalfWidth), taper = std::sqrt(1 - t * t);
    static const Spline rise{{0, 0}, {1, 0.0006f}, {2, 0.0040f}, {3, 0.0085f}, {4, 0.0120f}};
    static const Spline back{{0, 0}, {1, 0.0030f}, {2, 0.0055f}, {3, 0.0062f}, {4, 0.0100f}};
    const auto k = static_cast<float>(point.depth);
    p = p + Vec3{0, up * rise(k) * taper, -back(k) * (0.4f + 0.6f * taper)};
  }
  if (mirrored) p.x = -p.x;
  return p;
}

}  // namespace posewire::avatar
