#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/avatar/body.h"
#include "libs/avatar/face_form.h"
#include "libs/avatar/face_shapes.h"
#include "libs/avatar/head_parts.h"
#include "libs/avatar/isosurface.h"
#include "libs/avatar/lattice.h"
#include "libs/avatar/surface.h"

namespace posewire::avatar {
namespace {

using skel::Vec3;

constexpr float kPi = 3.14159265f;
constexpr std::array kJawShapes = {"jawOpen", "jawForward", "jawLeft", "jawRight", "mouthClose"};
constexpr Vec3 kGum{0.62f, 0.26f, 0.27f};

// Gives a surface the targets of the jaw, each point by its share of it, and the weights.
void BindToJaw(const BindPose& bind, const Model& model, const std::vector<float>& share,
               Surface& surface) {
  for (const char* name : kJawShapes) {
    Target target;
    target.shape = model.rig->FindShape(name);
    if (target.shape < 0) continue;
    for (size_t i = 0; i < surface.points.size(); ++i) {
      if (share[i] <= 0) continue;
      target.indices.push_back(static_cast<int32_t>(i));
      target.offsets.push_back(JawOffset(name, surface.points[i]) * share[i]);
    }
    surface.targets.push_back(std::move(target));
  }
  for (size_t i = 0; i < surface.points.size(); ++i) {
    InfluenceSum sum;
    sum.Add(bind.Joint("skullbase"), 1 - share[i]);
    sum.Add(bind.Joint("temporomandibular"), share[i]);
    surface.influences.push_back(sum.Take());
  }
}

// A row of teeth with its gum: from the gum down (or up) the front, round the edge, and back.
Surface Teeth(bool upper) {
  constexpr int kCount = 14, kPerTooth = 5, kColumns = kCount * kPerTooth + 1;
  struct Row {
    float y, out;  // towards the edge, and outwards
    float tooth;   // how much of the scallop, 0 in the gum
  };
  constexpr std::array kRows = {Row{-0.0050f, -0.0010f, 0},   Row{-0.0015f, 0.0004f, 0},
                                Row{0.0f, 0.0004f, 0},        Row{0.0008f, 0.0001f, 0.6f},
                                Row{0.0035f, 0.0004f, 1},     Row{0.0070f, 0.0000f, 1},
                                Row{0.0090f, -0.0008f, 0.9f}, Row{0.0092f, -0.0020f, 0.5f},
                                Row{0.0060f, -0.0040f, 0.2f}, Row{0.0f, -0.0055f, 0}};
  const float way = upper ? -1.0f : 1.0f;
  const float gum_y = upper ? 1.5664f : 1.5480f;
  const float depth = upper ? 0.0300f : 0.0280f, width = upper ? 0.0235f : 0.0215f;
  Surface out;
  out.material = kTeeth;
  // Columns run to the left; upper rows run down, so both kinds are woven outside out below.
  for (const Row& row : kRows) {
    for (int c = 0; c < kColumns; ++c) {
      const float u = 2.0f * static_cast<float>(c) / (kColumns - 1) - 1;
      const float angle = u * 1.45f;
      const float t = 2 * (static_cast<float>(c % kPerTooth) / kPerTooth) - 1;
      const float groove = std::pow(std::fabs(t), 5.0f) * row.tooth;
      const Vec3 normal =
          skel::Normalized(Vec3{std::sin(angle) / width, 0, std::cos(angle) / depth});
      // Back teeth stand lower, and in the shade of the cheek.
      const float tall = 1 - (upper ? 0.42f : 0.62f) * u * u - 0.05f * groove;
      const Vec3 p{width * std::sin(angle), gum_y + way * row.y * (row.y > 0 ? tall : 1.0f),
                   0.0370f + depth * std::cos(angle)};
      out.points.push_back(p + normal * (row.out - 0.0007f * groove));
      const bool gum = row.tooth == 0;
      const float front = std::cos(angle);
      const float dim = (0.12f + 0.88f * front * front) * (1 - 0.35f * groove);
      out.colors.push_back((gum ? kGum : Vec3{1, 1, 1}) * dim);
    }
  }
  out.triangles = Weave(static_cast<int>(kRows.size()), kColumns, false);
  if (upper) {
    for (size_t i = 0; i < out.triangles.size(); i += 3) {
      std::swap(out.triangles[i + 1], out.triangles[i + 2]);
    }
  }
  out.normals = SmoothNormals(out.points, out.triangles);
  return out;
}

// The dark of the mouth: a pocket behind lips and teeth, seen from inside.
Surface Pocket() {
  constexpr int kRings = 10, kAround = 32;
  Surface out;
  out.name = "mouth";
  out.material = kMouth;
  for (int r = 0; r < kRings; ++r) {
    const float v = static_cast<float>(r) / (kRings - 1) * 1.95f + 0.02f;  // from the back
    for (int k = 0; k < kAround; ++k) {
      const float a = 2 * kPi * static_cast<float>(k) / kAround;
      out.points.push_back({0.0285f * std::sin(v) * std::cos(a),
                            1.5590f + 0.0190f * std::sin(v) * std::sin(a),
                            0.0450f - 0.0420f * std::cos(v)});
      const float dim = 0.15f + 0.85f * static_cast<float>(r) / (kRings - 1);
      out.colors.push_back({dim, dim, dim});
    }
  }
  out.triangles = Weave(kRings, kAround, true);
  // Its inside is what is seen.
  for (size_t i = 0; i < out.triangles.size(); i += 3) {
    std::swap(out.triangles[i + 1], out.triangles[i + 2]);
  }
  out.normals = SmoothNormals(out.points, out.triangles);
  return out;
}

// The tongue's points carry how far along and across they lie.
struct TonguePoint {
  float along, across;
};
constexpr int kTongueRings = 18, kTongueAround = 24;

Surface Tongue(std::vector<TonguePoint>& where) {
  Surface out;
  out.name = "tongue";
  out.material = kTongue;
  for (int r = 0; r < kTongueRings; ++r) {
    const float s = static_cast<float>(r) / (kTongueRings - 1);
    // Broad behind, round at the tip.
    const float end =
        std::sqrt(std::max(0.0f, 1 - std::pow(std::max(0.0f, (s - 0.62f) / 0.38f), 2.0f)));
    const float half = 0.0160f * (1 - 0.18f * s) * end + 0.0002f;
    const float thick = 0.0062f * (1 - 0.35f * s) * std::sqrt(end) + 0.0002f;
    for (int k = 0; k < kTongueAround; ++k) {
      const float a = 2 * kPi * static_cast<float>(k) / kTongueAround;
      const float x = std::cos(a), y = std::sin(a);
      const float crease = y > 0 ? -0.0010f * Bell(x, 0, 0.22f, 1) : 0;
      out.points.push_back(
          {half * x,
           1.5460f + 0.0045f * std::sin(kPi * std::min(1.0f, s * 1.05f)) + thick * y + crease * end,
           0.0120f + 0.0440f * s});
      where.push_back({s, x});
      const float dim = 0.45f + 0.55f * s;
      out.colors.push_back({dim, dim, dim});
    }
  }
  out.triangles = Weave(kTongueRings, kTongueAround, true);
  // Rings run forward: seen from the front they turn the way that faces inwards.
  const auto tip = static_cast<int32_t>(out.points.size());
  out.points.push_back({0, 1.5460f, 0.0562f});
  out.colors.push_back({1, 1, 1});
  where.push_back({1, 0});
  const int32_t last = (kTongueRings - 1) * kTongueAround;
  for (int k = 0; k < kTongueAround; ++k) {
    out.triangles.insert(out.triangles.end(), {last + k, last + (k + 1) % kTongueAround, tip});
  }
  out.normals = SmoothNormals(out.points, out.triangles);
  return out;
}

Vec3 TongueOffset(absl::string_view shape, Vec3 p, TonguePoint at) {
  const float s = at.along, tip = s * s, bow = std::sin(kPi * std::min(1.0f, s));
  const float side = at.across * at.across;
  if (shape == "tongueOut") {
    return {p.x * 0.10f * tip, 0.0085f * SmoothStep(0.1f, 0.6f, s) - 0.0120f * std::pow(s, 4.0f),
            0.0400f * std::pow(s, 1.1f)};
  }
  if (!absl::ConsumePrefix(&shape, "tongue")) return {};
  if (shape == "TipUp") return {0, 0.0110f * tip * s, -0.0030f * tip * s};
  if (shape == "TipDown") return {0, -0.0060f * tip * s, -0.0010f * tip * s};
  if (shape == "TipLeft") return {0.0100f * tip * s, 0, -0.0015f * tip};
  if (shape == "TipRight") return {-0.0100f * tip * s, 0, -0.0015f * tip};
  if (shape == "RollUp") return {-p.x * 0.30f * side * s, 0.0070f * side * s, 0};
  if (shape == "RollDown") return {-p.x * 0.25f * side * s, -0.0050f * side * s, 0};
  if (shape == "RollLeft" || shape == "RollRight") {
    const float turn = (shape == "RollLeft" ? -0.55f : 0.55f) * s;
    const float y = p.y - 1.5485f;
    return {p.x * (std::cos(turn) - 1) - y * std::sin(turn),
            p.x * std::sin(turn) + y * (std::cos(turn) - 1), 0};
  }
  if (shape == "Up") return {0, 0.0085f * bow + 0.0040f * s, 0};
  if (shape == "Down") return {0, -0.0045f * bow - 0.0020f * s, 0};
  if (shape == "Left") return {0.0075f * s, 0, 0};
  if (shape == "Right") return {-0.0075f * s, 0, 0};
  if (shape == "In") return {0, 0.0010f * bow, -0.0120f * s};
  if (shape == "Stretch") return {-p.x * 0.20f * s, 0.0020f * s, 0.0130f * s};
  if (shape == "Wide") return {p.x * 0.22f * s, -0.0008f * bow, 0};
  if (shape == "Narrow") return {-p.x * 0.30f * s, 0.0012f * bow, 0};
  return {};
}

}  // namespace

void AddMouth(const BindPose& bind, Model& model) {
  for (const bool upper : {true, false}) {
    Surface teeth = Teeth(upper);
    teeth.name = upper ? "upper teeth" : "lower teeth";
    if (upper) {
      Influences skull;
      skull.joint[0] = static_cast<int16_t>(bind.Joint("skullbase"));
      skull.weight[0] = 1;
      teeth.influences.assign(teeth.points.size(), skull);
    } else {
      BindToJaw(bind, model, std::vector<float>(teeth.points.size(), 1.0f), teeth);
    }
    model.surfaces.push_back(std::move(teeth));
  }
  Surface pocket = Pocket();
  std::vector<float> share;
  for (const Vec3& p : pocket.points) {
    share.push_back((1 - SmoothStep(1.545f, 1.572f, p.y)) * SmoothStep(0.0f, 0.03f, p.z));
  }
  BindToJaw(bind, model, share, pocket);
  model.surfaces.push_back(std::move(pocket));

  std::vector<TonguePoint> where;
  Surface tongue = Tongue(where);
  BindToJaw(bind, model, std::vector<float>(tongue.points.size(), 1.0f), tongue);
  for (int s = 0; s < model.rig->shapes(); ++s) {
    const std::string& name = model.rig->shape_names()[static_cast<size_t>(s)];
    if (!absl::StartsWith(name, "tongue")) continue;
    Target target;
    target.shape = s;
    for (size_t i = 0; i < tongue.points.size(); ++i) {
      target.indices.push_back(static_cast<int32_t>(i));
      target.offsets.push_back(TongueOffset(name, tongue.points[i], where[i]));
    }
    tongue.targets.push_back(std::move(target));
  }
  model.surfaces.push_back(std::move(tongue));
}

}  // namespace posewire::avatar
