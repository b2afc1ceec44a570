// Builds the figure from balls and tapering limbs in the rest pose of the rig. Each is bound to one
// joint. The face is a few more balls, which the most common shapes squeeze and move.
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <utility>

#include "libs/character/bind.h"
#include "libs/character_file/builtin.h"
#include "libs/skel/local_to_model_job.h"

namespace posewire::character_file {
namespace {

using skel::Affine;
using skel::Vec3;

constexpr int kLimbRings = 14, kLimbSides = 24;
using Color = std::array<uint8_t, 4>;
// Linear colours, because light multiplies them.
constexpr Color kSkin{160, 84, 56, 255}, kCloth{12, 26, 50, 255}, kLegs{10, 11, 14, 255},
    kShoe{4, 4, 4, 255}, kWhite{190, 186, 180, 255}, kDark{3, 2, 2, 255}, kLip{84, 16, 14, 255},
    kHair{9, 5, 3, 255};

struct Bone {
  const char *from, *to;
  float from_m, to_m;
  Color color;
};
constexpr Bone kBones[] = {
    {"l_shoulder", "l_elbow", 0.052f, 0.042f, kCloth},
    {"l_elbow", "l_radiocarpal", 0.042f, 0.03f, kCloth},
    {"l_hip", "l_knee", 0.085f, 0.058f, kLegs},
    {"l_knee", "l_talocrural", 0.058f, 0.04f, kLegs},
};

class Modeller {
 public:
  Modeller(const skel::Rig& rig, std::vector<Affine> rest) : rig_(rig), rest_(std::move(rest)) {
    mesh_.name = "figure";
    mesh_.skin = 0;
    mesh_.per_point = 1;
  }

  Vec3 At(const char* joint) const { return rest_[Joint(joint)].row[3]; }

  // Adds a limb from `a` to `b` with round ends. Returns the index of its first point.
  size_t Limb(const char* joint, Vec3 a, Vec3 b, float ra, float rb, Color color,
              Vec3 flat = {1, 1, 1}) {
    const size_t first = mesh_.points.size();
    const Vec3 way = b - a;
    const Vec3 y = skel::Length(way) > 1e-6f ? skel::Normalized(way) : Vec3{0, 1, 0};
    const Vec3 x =
        skel::Normalized(skel::Cross(std::fabs(y.z) < 0.9f ? Vec3{0, 0, 1} : Vec3{1, 0, 0}, y));
    const Vec3 z = skel::Cross(x, y);
    for (int ring = 0; ring <= kLimbRings; ++ring) {
      const float angle =
          std::numbers::pi_v<float> * (static_cast<float>(ring) / kLimbRings - 0.5f);
      const bool upper = ring * 2 > kLimbRings;
      const float r = upper ? rb : ra;
      for (int side = 0; side < kLimbSides; ++side) {
        const float turn = 2 * std::numbers::pi_v<float> * static_cast<float>(side) / kLimbSides;
        const Vec3 n = x * (std::cos(angle) * std::cos(turn)) +
                       z * (std::cos(angle) * std::sin(turn)) + y * std::sin(angle);
        const Vec3 off{n.x * r * flat.x, n.y * r * flat.y, n.z * r * flat.z};
        mesh_.points.push_back((upper ? b : a) + off);
        mesh_.normals.push_back(skel::Normalized(Vec3{n.x / flat.x, n.y / flat.y, n.z / flat.z}));
        mesh_.colors.push_back(color);
        mesh_.joints.push_back(static_cast<int>(Joint(joint)));
        mesh_.weights.push_back(1);
      }
    }
    for (int ring = 0; ring < kLimbRings; ++ring) {
      for (int side = 0; side < kLimbSides; ++side) {
        const auto at = [&](int r, int s) {
          return static_cast<uint32_t>(first) +
                 static_cast<uint32_t>(r * kLimbSides + s % kLimbSides);
        };
        const uint32_t p = at(ring, side), q = at(ring, side + 1), r = at(ring + 1, side + 1),
                       s = at(ring + 1, side);
        mesh_.triangles.insert(mesh_.triangles.end(), {p, r, q, p, s, r});
      }
    }
    return first;
  }
  size_t Ball(const char* joint, Vec3 at, Vec3 radii, Color color) {
    return Limb(joint, at, at, 1, 1, color, radii);
  }

  // Adds a shape that moves the points of the balls that begin at `firsts`.
  template <typename Move>
  void Shape(const char* name, std::initializer_list<size_t> firsts, const Move& move) {
    mesh::BlendShapeParts parts;
    parts.name = name;
    for (const size_t first : firsts) {
      Vec3 middle;
      constexpr size_t kCount = (kLimbRings + 1) * kLimbSides;
      for (size_t i = 0; i < kCount; ++i)
        middle = middle + mesh_.points[first + i] * (1.0f / kCount);
      for (size_t i = first; i < first + kCount; ++i) {
        parts.indices.push_back(static_cast<int32_t>(i));
        parts.offsets.push_back(move(mesh_.points[i] - middle));
      }
    }
    mesh_.shapes.push_back(*mesh::BlendShape::Make(std::move(parts)));
    mesh_.shape_weights.push_back(0);
  }

  size_t Joint(const char* name) const { return static_cast<size_t>(rig_.FindJoint(name)); }
  character::Mesh Take() { return std::move(mesh_); }

 private:
  const skel::Rig& rig_;
  std::vector<Affine> rest_;
  character::Mesh mesh_;
};

void ModelBody(Modeller& m) {
  for (const bool right : {false, true}) {
    for (const Bone& bone : kBones) {
      std::string from = bone.from, to = bone.to;
      if (right) from[0] = to[0] = 'r';
      m.Limb(from.c_str(), m.At(from.c_str()), m.At(to.c_str()), bone.from_m, bone.to_m,
             bone.color);
    }
    const std::string side = right ? "r" : "l";
    const std::string wrist = side + "_radiocarpal", ankle = side + "_talocrural";
    const std::string knuckle = side + "_metacarpophalangeal_3";
    const Vec3 hand = m.At(wrist.c_str()), end = m.At(knuckle.c_str());
    m.Limb(wrist.c_str(), hand, end, 0.03f, 0.036f, kSkin, {0.55f, 1, 1});
    for (const char* finger : {"2", "3", "4", "5"}) {
      const std::string joints[] = {side + "_metacarpophalangeal_" + finger,
                                    side + "_carpal_proximal_interphalangeal_" + finger,
                                    side + "_carpal_distal_interphalangeal_" + finger};
      const Vec3 a = m.At(joints[0].c_str()), b = m.At(joints[1].c_str()),
                 c = m.At(joints[2].c_str());
      m.Limb(joints[0].c_str(), a, b, 0.011f, 0.010f, kSkin);
      m.Limb(joints[1].c_str(), b, c, 0.010f, 0.009f, kSkin);
      m.Limb(joints[2].c_str(), c, c + (c - b) * 0.8f, 0.009f, 0.008f, kSkin);
    }
    const std::string thumbs[] = {side + "_carpometacarpal_1", side + "_metacarpophalangeal_1",
                                  side + "_carpal_interphalangeal_1"};
    const Vec3 a = m.At(thumbs[0].c_str()), b = m.At(thumbs[1].c_str()),
               c = m.At(thumbs[2].c_str());
    m.Limb(thumbs[0].c_str(), a, b, 0.015f, 0.013f, kSkin);
    m.Limb(thumbs[1].c_str(), b, c, 0.013f, 0.011f, kSkin);
    m.Limb(thumbs[2].c_str(), c, c + (c - b) * 0.8f, 0.011f, 0.009f, kSkin);
    const Vec3 foot = m.At(ankle.c_str());
    m.Limb(ankle.c_str(), {foot.x, 0.045f, foot.z - 0.03f}, {foot.x, 0.038f, foot.z + 0.13f},
           0.045f, 0.038f, kShoe);
  }
  m.Ball("sacroiliac", m.At("sacroiliac") + Vec3{0, 0, 0.01f}, {0.165f, 0.12f, 0.115f}, kLegs);
  m.Ball("vl3", m.At("vl3") + Vec3{0, 0, 0.045f}, {0.145f, 0.15f, 0.10f}, kCloth);
  m.Ball("vt8", m.At("vt8") + Vec3{0, 0.02f, 0.055f}, {0.17f, 0.19f, 0.115f}, kCloth);
  const Vec3 l = m.At("l_shoulder"), r = m.At("r_shoulder");
  m.Limb("vt2", l, r, 0.062f, 0.062f, kCloth);
  m.Limb("vc4", m.At("vt1"), m.At("skullbase"), 0.06f, 0.054f, kSkin);
}

void ModelFace(Modeller& m) {
  const Vec3 eyes = (m.At("l_eyeball_joint") + m.At("r_eyeball_joint")) * 0.5f;
  const Vec3 skull = eyes + Vec3{0, 0.03f, -0.075f};
  m.Ball("skullbase", skull, {0.078f, 0.112f, 0.098f}, kSkin);
  m.Ball("skullbase", skull + Vec3{0, 0.030f, -0.024f}, {0.083f, 0.094f, 0.094f}, kHair);
  m.Ball("skullbase", eyes + Vec3{0, -0.062f, -0.045f}, {0.058f, 0.062f, 0.064f}, kSkin);
  m.Ball("skullbase", eyes + Vec3{0, -0.028f, 0.022f}, {0.011f, 0.022f, 0.014f}, kSkin);
  const Vec3 mouth = eyes + Vec3{0, -0.072f, 0.014f};
  const size_t lips = m.Ball("skullbase", mouth, {0.024f, 0.005f, 0.009f}, kLip);
  m.Shape("jawOpen", {lips}, [](Vec3 p) { return Vec3{-p.x * 0.2f, p.y * 4 - 0.012f, 0}; });
  m.Shape("mouthPucker", {lips}, [](Vec3 p) { return Vec3{-p.x * 0.5f, p.y * 0.6f, 0.006f}; });
  m.Shape("mouthFunnel", {lips}, [](Vec3 p) { return Vec3{-p.x * 0.45f, p.y * 1.4f, 0.006f}; });
  for (const float side : {1.0f, -1.0f}) {
    const bool left = side > 0;
    const char* eyeball = left ? "l_eyeball_joint" : "r_eyeball_joint";
    const Vec3 at = m.At(eyeball);
    const size_t white =
        m.Ball(eyeball, at + Vec3{0, 0, 0.006f}, {0.0145f, 0.0105f, 0.012f}, kWhite);
    const size_t iris = m.Ball(eyeball, at + Vec3{0, 0, 0.0145f}, {0.006f, 0.006f, 0.0048f}, kDark);
    m.Shape(left ? "eyeBlinkLeft" : "eyeBlinkRight", {white, iris}, [](Vec3 p) {
      return Vec3{0, -0.92f * p.y, -0.001f};
    });
    m.Shape(left ? "eyeWideLeft" : "eyeWideRight", {white}, [](Vec3 p) {
      return Vec3{0, 0.3f * p.y, 0};
    });
    const size_t brow =
        m.Ball("skullbase", at + Vec3{0, 0.021f, 0.014f}, {0.017f, 0.0026f, 0.005f}, kHair);
    m.Shape(left ? "browDownLeft" : "browDownRight", {brow}, [](Vec3) {
      return Vec3{0, -0.006f, 0};
    });
    m.Shape(left ? "browOuterUpLeft" : "browOuterUpRight", {brow}, [side](Vec3 p) {
      return Vec3{0, 0.006f + side * p.x * 0.3f, 0};
    });
    m.Shape("browInnerUp", {brow}, [side](Vec3 p) {
      return Vec3{0, 0.006f - side * p.x * 0.3f, 0};
    });
    const auto corner = [side](float up) {
      return [side, up](Vec3 p) {
        const float way = std::max(0.0f, side * p.x / 0.024f);
        return Vec3{side * 0.006f * way, up * way * way, 0};
      };
    };
    m.Shape(left ? "mouthSmileLeft" : "mouthSmileRight", {lips}, corner(0.012f));
    m.Shape(left ? "mouthFrownLeft" : "mouthFrownRight", {lips}, corner(-0.01f));
    m.Shape(left ? "mouthStretchLeft" : "mouthStretchRight", {lips}, corner(0));
  }
}

}  // namespace

absl::StatusOr<std::shared_ptr<const character::Character>> PlainFigure(
    const skel::RigCatalog& rigs) {
  auto rig = rigs.Find("hanim_loa3");
  if (!rig.ok()) return rig.status();
  auto out = std::make_shared<character::Character>();
  out->name = "plain figure";
  out->rig = *std::move(rig);
  out->same_joints = true;
  out->ace_mouth = true;
  const skel::PoseView rest = out->rig->rest();
  const auto joints = static_cast<size_t>(out->rig->joints());
  std::vector<Affine> places(joints);
  skel::LocalToModelJob walk;
  walk.rig = out->rig.get();
  walk.local = rest;
  walk.matrices = absl::MakeSpan(places);
  walk.Run();
  character::Skin skin;
  for (size_t j = 0; j < joints; ++j) {
    const auto joint = static_cast<int>(j);
    out->nodes.push_back({out->rig->joint_names()[j], out->rig->topology().parent(joint),
                          rest.translation(joint), rest.rotation(joint)});
    out->order.push_back(joint);
    out->links.push_back({joint, joint, {}, true});
    skin.nodes.push_back(joint);
    skin.inverse_bind.push_back(skel::Inverse(places[j]).value_or(Affine{}));
  }
  Modeller modeller(*out->rig, std::move(places));
  ModelBody(modeller);
  ModelFace(modeller);
  out->skins.push_back(std::move(skin));
  character::Material material;
  material.name = "figure";
  material.roughness = 0.7f;
  out->materials.push_back(material);
  out->meshes.push_back(modeller.Take());
  out->meshes.back().node = 0;
  std::vector<bool> found(static_cast<size_t>(out->rig->shapes()), false);
  const character::Mesh& mesh = out->meshes.back();
  for (size_t s = 0; s < mesh.shapes.size(); ++s) {
    character::Drive drive;
    drive.shape = static_cast<int>(s);
    drive.sources = {out->rig->FindShape(mesh.shapes[s].name())};
    if (drive.sources[0] < 0) continue;
    found[static_cast<size_t>(drive.sources[0])] = true;
    out->drives.push_back(std::move(drive));
  }
  for (size_t s = 0; s < found.size(); ++s) {
    if (!found[s]) out->missing_shapes.push_back(out->rig->shape_names()[s]);
  }
  if (absl::Status s = character::Frame(*out); !s.ok()) return s;
  return out;
}

}  // namespace posewire::character_file
