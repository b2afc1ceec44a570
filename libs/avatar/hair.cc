#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/avatar/body.h"
#include "libs/avatar/body_weights.h"
#include "libs/avatar/face_form.h"
#include "libs/avatar/head_parts.h"
#include "libs/avatar/isosurface.h"
#include "libs/avatar/lattice.h"
#include "libs/avatar/spline.h"
#include "libs/avatar/surface.h"

namespace posewire::avatar {
namespace {

using skel::Vec3;

constexpr float kPi = 3.14159265f;
constexpr int kColumns = 120, kRows = 52;

// Where the hair begins, over the angle from the front.
float HairlineY(float angle) {
  static const Spline line{{0, 1.7070f},     {0.30f, 1.7085f}, {0.58f, 1.7070f}, {0.82f, 1.6940f},
                           {1.05f, 1.6700f}, {1.20f, 1.6460f}, {1.32f, 1.6260f}, {1.44f, 1.6180f},
                           {1.56f, 1.6300f}, {1.68f, 1.6470f}, {1.90f, 1.6420f}, {2.12f, 1.6100f},
                           {2.45f, 1.5880f}, {kPi, 1.5800f}};
  // Not drawn with a ruler.
  return line(std::fabs(angle)) + 0.0009f * std::sin(19 * angle + 1) +
         0.0006f * std::sin(47 * angle);
}

// Short at the sides and in the neck, full above, swept up from the brow to one side.
float Thickness(float above, float y, float angle) {
  if (above <= 0) return -0.0030f + std::max(above, -0.004f) * 0.3f;
  const float top = SmoothStep(1.690f, 1.745f, y);
  const float full = 0.0045f + 0.0085f * top;
  const float front = Bell(angle + 0.25f, y - 1.726f, 0.75f, 0.022f);
  const float grown = SmoothStep(-0.006f, 0.034f, above);
  return -0.0030f * (1 - grown) + grown * (full + 0.0075f * front);
}

float Strands(float row, float angle) {
  // Combed from the parting on the avatar's left over the top.
  const float sweep = angle + 0.35f * (row - 15) * 0.25f;
  return 0.55f * std::sin(34 * sweep + 1.5f * std::sin(5 * sweep)) +
         0.45f * std::sin(61 * sweep + 2.0f * std::sin(3 * sweep + row));
}

}  // namespace

void AddHair(const BindPose& bind, const FaceForm& form, Model& model) {
  Surface hair;
  hair.name = "hair";
  hair.material = kHair;
  std::vector<float> above;
  const BodyWeights weights(bind);
  for (int r = 0; r < kRows; ++r) {
    const float row = 4.0f + (kCrownRow - 0.02f - 4.0f) * static_cast<float>(r) / (kRows - 1);
    for (int c = 0; c < kColumns; ++c) {
      const float angle = 2 * kPi * static_cast<float>(c) / kColumns - kPi;
      const Vec3 p = form.Loft(row, angle);
      const float da = 0.02f, dr = 0.05f;
      const Vec3 across = form.Loft(row, angle + da) - form.Loft(row, angle - da);
      const Vec3 upward =
          form.Loft(std::min(row + dr, kCrownRow), angle) - form.Loft(row - dr, angle);
      Vec3 normal = skel::Normalized(skel::Cross(across, upward));
      if (row > 19.2f)
        normal = skel::Normalized(skel::Lerp(normal, {0, 1, 0}, (row - 19.2f) / 0.8f));
      const float over = p.y - HairlineY(angle);
      const float strands =
          Strands(row, angle) * SmoothStep(0, 0.02f, over) * (1 - SmoothStep(18.0f, 20.0f, row));
      hair.points.push_back(p + normal * (Thickness(over, p.y, angle) + 0.0007f * strands));
      const float tint = 1.0f + 0.28f * strands;
      hair.colors.push_back(Vec3{0.78f, 0.78f, 0.78f} * tint);
      hair.influences.push_back(weights.OfNeck(p, SkullShare(row, angle)));
      above.push_back(over);
    }
  }
  // What lies wholly below the hairline is left out.
  const std::vector<int32_t> woven = Weave(kRows, kColumns, true);
  for (size_t i = 0; i < woven.size(); i += 3) {
    float most = -1;
    for (size_t k = 0; k < 3; ++k) most = std::max(most, above[static_cast<size_t>(woven[i + k])]);
    if (most < -0.004f) continue;
    hair.triangles.insert(hair.triangles.end(), {woven[i], woven[i + 1], woven[i + 2]});
  }
  const auto top = static_cast<int32_t>(hair.points.size());
  hair.points.push_back(form.Loft(kCrownRow, 0) + Vec3{0, Thickness(0.1f, 1.75f, 0), 0});
  hair.colors.push_back({0.78f, 0.78f, 0.78f});
  hair.influences.push_back(weights.OfNeck(hair.points.back(), 1));
  for (int c = 0; c < kColumns; ++c) {
    const int32_t last = (kRows - 1) * kColumns;
    hair.triangles.insert(hair.triangles.end(), {last + c, last + (c + 1) % kColumns, top});
  }
  DropUnused(hair);
  hair.normals = SmoothNormals(hair.points, hair.triangles);
  model.surfaces.push_back(std::move(hair));
}

}  // namespace posewire::avatar
