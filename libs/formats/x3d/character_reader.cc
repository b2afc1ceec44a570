#include "libs/formats/x3d/character_reader.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/character/bind.h"
#include "libs/formats/x3d/displacers.h"
#include "libs/formats/x3d/humanoid.h"
#include "libs/formats/x3d/inline.h"
#include "libs/formats/x3d/materials.h"
#include "libs/formats/x3d/shapes.h"
#include "libs/formats/x3d/skin.h"
#include "libs/formats/x3d/surface_fields.h"
#include "libs/skel/affine.h"

namespace posewire::x3d {
namespace {

using skel::Affine;
using skel::Vec3;

constexpr size_t kMostCharacterSites = 4096;

class X3dReader {
 public:
  X3dReader(const Scene& scene, const skel::Rig& standard, const character::Limits& limits,
            const asset::ReadSidecar& read_sidecar, character::Character& out,
            character::OwnRig& own)
      : scene_(scene),
        standard_(standard),
        limits_(limits),
        out_(out),
        own_(own),
        looks_(scene, limits, read_sidecar, out),
        numbers_(limits.numbers) {}

  absl::Status Read() {
    absl::StatusOr<HAnimHumanoid> humanoid = ReadHumanoid(scene_, standard_);
    if (!humanoid.ok()) return humanoid.status();
    humanoid_ = *std::move(humanoid);
    out_.notes = humanoid_.notes;
    radians_ = scene_.UnitOf("angle");
    if (absl::Status s = ReadScaleAbove(); !s.ok()) return s;
    if (absl::Status s = CheckJoints(); !s.ok()) return s;
    if (absl::Status s = AddJoints(); !s.ok()) return s;
    if (absl::Status s = ReadSkin(); !s.ok()) return s;
    if (absl::Status s = ReadSegments(); !s.ok()) return s;
    if (out_.meshes.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "line ", node(humanoid_.node).line,
          ": the humanoid has nothing to draw: no shape in its skin and its segments"));
    }
    looks_.Finish();
    MakeRig();
    return absl::OkStatus();
  }

  // Adds the file's sites, and its features, to the joints of the rig that the character is bound
  // to.
  void AddSites() {
    for (const HumanoidSite& site : humanoid_.sites) {
      const HumanoidJoint& joint = humanoid_.joints[static_cast<size_t>(site.joint)];
      const int at = out_.rig->FindJoint(joint.name);
      if (at < 0 || out_.sites.size() >= kMostCharacterSites) continue;
      out_.sites.push_back({site.name, at, site.place - joint.center, site.rotation});
    }
    for (const HumanoidFeature& feature : humanoid_.features) {
      const HumanoidJoint& joint = humanoid_.joints[static_cast<size_t>(feature.joint)];
      const int at = out_.rig->FindJoint(joint.name);
      if (at < 0 || out_.sites.size() >= kMostCharacterSites ||
          std::any_of(out_.sites.begin(), out_.sites.end(),
                      [&](const skel::Site& site) { return site.name == feature.name; })) {
        continue;
      }
      out_.sites.push_back({feature.name, at, feature.place - joint.center, {}});
    }
  }

 private:
  const X3dNode& node(int index) const { return scene_.nodes[static_cast<size_t>(index)]; }

  void Note(const X3dNode& of, absl::string_view what) {
    if (out_.notes.size() < 64) out_.notes.push_back(absl::StrCat("line ", of.line, ": ", what));
  }

  // Ignores the humanoid's position in its scene, which is not part of its body, but not its scale.
  absl::Status ReadScaleAbove() {
    float scale = 1;
    for (const Child& root : scene_.roots) {
      const absl::StatusOr<bool> found = FindHumanoid(root.node, scale);
      if (!found.ok()) return found.status();
      if (*found) break;
    }
    humanoid_.unit_m *= scale;
    for (HumanoidJoint& joint : humanoid_.joints) {
      joint.center = joint.center * scale;
      joint.rest.translation = joint.rest.translation * scale;
    }
    for (HumanoidSite& site : humanoid_.sites) site.place = site.place * scale;
    for (HumanoidFeature& feature : humanoid_.features) feature.place = feature.place * scale;
    for (HumanoidSegment& segment : humanoid_.segments) {
      segment.center_of_mass = segment.center_of_mass * scale;
      for (float& moment : segment.moments_of_inertia) moment *= scale * scale;
    }
    return absl::OkStatus();
  }

  // Multiplies `scale` by those of the nodes from `index` down to the humanoid.
  absl::StatusOr<bool> FindHumanoid(int index, float& scale) {
    if (index == humanoid_.node) return true;
    if (!seen_.insert(index).second) return false;
    const X3dNode& at = node(index);
    for (const Child& child : at.children) {
      absl::StatusOr<bool> found = FindHumanoid(child.node, scale);
      if (!found.ok() || !*found) {
        if (!found.ok()) return found;
        continue;
      }
      const absl::StatusOr<Vec3> s = Vector(at, "scale", {1, 1, 1});
      if (!s.ok()) return s.status();
      const float mean = std::cbrt(std::fabs(s->x * s->y * s->z));
      if (!(mean > 1e-9f) || !(mean < 1e9f)) return X3dFault(at, "scale", "is 0 or beyond 1e9");
      if (std::fabs(s->x - mean) + std::fabs(s->y - mean) + std::fabs(s->z - mean) > 1e-3f * mean) {
        Note(at, absl::StrCat("the scale above the humanoid is not the same above 0 on all axes, ",
                              "and is taken as ", mean));
      }
      scale *= mean;
      return true;
    }
    return false;
  }

  absl::Status AddJoints() {
    if (humanoid_.joints.size() > limits_.joints || humanoid_.joints.size() >= limits_.nodes) {
      return character::OverLimit("joints", std::min(limits_.joints, limits_.nodes));
    }
    // The first node carries the points that no joint moves.
    out_.nodes.emplace_back();
    character::Skin skin;
    skin.nodes.push_back(0);
    skin.inverse_bind.emplace_back();
    for (const HumanoidJoint& joint : humanoid_.joints) {
      character::CharacterNode n;
      n.name = joint.name;
      n.parent = joint.parent < 0 ? -1 : joint.parent + 1;
      n.translation = joint.rest.translation;
      n.rotation = joint.rest.rotation;
      n.scale = joint.rest.scale;
      skin.nodes.push_back(static_cast<int>(out_.nodes.size()));
      skin.inverse_bind.push_back(skel::FromTrs(joint.center * -1, {}, {1, 1, 1}));
      out_.nodes.push_back(std::move(n));
    }
    for (size_t n = 0; n < out_.nodes.size(); ++n) out_.order.push_back(static_cast<int>(n));
    out_.skins.push_back(std::move(skin));
    for (const HumanoidSegment& segment : humanoid_.segments) {
      out_.segments.push_back({segment.name, segment.joint + 1, segment.mass_kg,
                               segment.center_of_mass, segment.moments_of_inertia});
    }
    return absl::OkStatus();
  }

  // What a shape is attached to.
  struct Carrier {
    int joint = 0;  // among the skin's nodes; with `skin` the influences decide
    bool skin = false;
    const X3dNode* segment = nullptr;
  };

  // The skin may be bound to joints that are not in their rest positions.
  absl::Status Bind() {
    const absl::StatusOr<std::vector<Affine>> binding =
        ReadX3dBinding(scene_, humanoid_, radians_, numbers_);
    if (!binding.ok()) return binding.status();
    if (binding->empty()) return absl::OkStatus();
    character::Skin skin = out_.skins[0];
    for (size_t j = 0; j < binding->size(); ++j) {
      Affine& inverse = skin.inverse_bind[j + 1];
      inverse = skel::Mul((*binding)[j], inverse);
      if (character::AllFit(inverse.row)) continue;
      return X3dFault(node(humanoid_.node), "jointBindingPositions", "reaches over 1e9 m away");
    }
    out_.skins.push_back(std::move(skin));
    return absl::OkStatus();
  }

  absl::Status ReadSkin() {
    const X3dNode& human = node(humanoid_.node);
    if (absl::Status s = Bind(); !s.ok()) return s;
    const X3dNode* const coord = X3dChild(scene_, human, "skinCoord");
    if (coord != nullptr) {
      const absl::StatusOr<std::vector<Vec3>> points = numbers_.ReadPoints(*coord, "point");
      if (!points.ok()) return points.status();
      if (points->size() > limits_.points) return character::OverLimit("points", limits_.points);
      absl::StatusOr<X3dInfluences> influences =
          ReadX3dInfluences(scene_, humanoid_, points->size(), numbers_, out_.notes);
      if (!influences.ok()) return influences.status();
      influences_ = *std::move(influences);
      skin_coord_ = coord;
    }
    for (const Child& child : human.children) {
      if (child.field != "skin") continue;
      if (absl::Status s = Walk(child.node, {}, {0, true}); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status ReadSegments() {
    for (size_t j = 0; j < humanoid_.joints.size(); ++j) {
      joint_of_[humanoid_.joints[j].node] = static_cast<int>(j) + 1;
    }
    for (const Child& child : node(humanoid_.node).children) {
      if (child.field != "skeleton") continue;
      if (absl::Status s = Walk(child.node, {}, {}); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  // Reads the shapes at and below a node. `place` transforms from its space to the body's.
  absl::Status Walk(int index, const Affine& place, Carrier on) {
    const X3dNode& at = node(index);
    if (!X3dFlag(at, "visible", true)) return absl::OkStatus();
    if (at.type == "Shape") return AddShape(at, place, on);
    Affine here = place;
    if (at.type == "HAnimJoint") {
      const auto joint = joint_of_.find(index);
      if (joint != joint_of_.end()) on = {joint->second, false, nullptr};
    } else if (at.type == "HAnimSegment") {
      on.segment = &at;
    } else if (at.type == "Transform" || at.type == "HAnimSite") {
      const absl::StatusOr<Affine> m = X3dTransform(at, radians_);
      if (!m.ok()) return m.status();
      here = skel::Mul(*m, place);
    }
    // Takes the child that a Switch chooses, and the first of a LOD, which is the finest.
    int only = at.type == "LOD" ? 0 : -1;
    if (at.type == "Switch") {
      const absl::StatusOr<float> which = X3dNumber(at, "whichChoice", -1);
      if (!which.ok()) return which.status();
      if (*which < 0) return absl::OkStatus();
      only = static_cast<int>(std::min(*which, 1e6f));
    }
    int number = 0;
    for (const Child& child : at.children) {
      if (child.field != "children" && child.field != "choice" && child.field != "level") continue;
      if (only >= 0 && number++ != only) continue;
      if (absl::Status s = Walk(child.node, here, on); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status AddShape(const X3dNode& shape, const Affine& place, const Carrier& on) {
    const X3dNode* const geometry = X3dChild(scene_, shape, "geometry");
    if (geometry == nullptr) return absl::OkStatus();
    if (!HasX3dSurface(geometry->type)) {
      if (left_out_.insert(geometry->type).second) {
        Note(*geometry, absl::StrCat(geometry->type, " is not drawn"));
      }
      return absl::OkStatus();
    }
    const absl::StatusOr<int> material = looks_.Of(shape, *geometry);
    if (!material.ok()) return material.status();
    const character::Material& look = out_.materials[static_cast<size_t>(*material)];
    const bool textured = look.texture >= 0 || look.normal_map >= 0 || look.emissive_texture >= 0;
    const bool skinned =
        on.skin && skin_coord_ != nullptr && X3dChild(scene_, *geometry, "coord") == skin_coord_;
    absl::StatusOr<X3dSurface> surface =
        ReadX3dSurface(scene_, *geometry, textured, limits_, numbers_,
                       skinned ? X3dChild(scene_, node(humanoid_.node), "skinNormal") : nullptr);
    if (!surface.ok()) return surface.status();
    if (surface->triangles.empty()) return absl::OkStatus();
    points_ += surface->points.size();
    triangles_ += surface->triangles.size() / 3;
    if (points_ > limits_.points) return character::OverLimit("points", limits_.points);
    if (triangles_ > limits_.triangles) return character::OverLimit("triangles", limits_.triangles);
    character::Mesh mesh;
    mesh.name = shape.def;
    mesh.node = 0;
    mesh.skin = 0;
    mesh.material = *material;
    const Affine metres = skel::Mul(
        place, skel::FromTrs({}, {}, {humanoid_.unit_m, humanoid_.unit_m, humanoid_.unit_m}));
    Carry(*surface, metres, mesh);
    if (!character::AllFit(mesh.points)) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", geometry->line, ": ", geometry->type, " reaches over 1e9 m away"));
    }
    if (absl::Status s = looks_.MovePicture(shape, surface->uv); !s.ok()) return s;
    if (absl::Status s = Influence(*geometry, *surface, on, mesh); !s.ok()) return s;
    mesh.point_of = std::move(surface->point_of);
    mesh.file_points = surface->file_points;
    mesh.colors = std::move(surface->colors);
    if (textured) mesh.uv = std::move(surface->uv);
    if (absl::Status s = Displace(*geometry, metres, on, mesh); !s.ok()) return s;
    out_.meshes.push_back(std::move(mesh));
    return absl::OkStatus();
  }

  static void Carry(const X3dSurface& surface, const Affine& place, character::Mesh& mesh) {
    const Affine normal_place = skel::NormalTransform(place);
    for (const Vec3 p : surface.points) mesh.points.push_back(skel::TransformPoint(place, p));
    for (const Vec3 n : surface.normals) {
      const Vec3 there = skel::TransformVector(normal_place, n);
      mesh.normals.push_back(skel::Length(there) > 0 ? skel::Normalized(there) : Vec3{0, 1, 0});
    }
    mesh.triangles = surface.triangles;
    const std::array<Vec3, 4>& r = place.row;
    if (skel::Dot(skel::Cross(r[0], r[1]), r[2]) >= 0) return;
    for (size_t t = 0; t + 3 <= mesh.triangles.size(); t += 3) {
      std::swap(mesh.triangles[t + 1], mesh.triangles[t + 2]);
    }
  }

  absl::Status Influence(const X3dNode& geometry, const X3dSurface& surface, const Carrier& on,
                         character::Mesh& mesh) {
    if (!on.skin || !influences_.exists()) {
      mesh.per_point = 1;
      mesh.joints.assign(surface.points.size(), on.joint);
      mesh.weights.assign(surface.points.size(), 1.0f);
      return absl::OkStatus();
    }
    if (surface.file_points > influences_.points) {
      return X3dFault(geometry, "coord",
                      absl::StrCat("has ", surface.file_points,
                                   " points, and the skinCoord of its "
                                   "humanoid has ",
                                   influences_.points));
    }
    if (X3dChild(scene_, geometry, "coord") != skin_coord_) {
      Note(geometry, "its points are not the skinCoord of its humanoid, and move as those do");
    }
    mesh.skin = static_cast<int>(out_.skins.size()) - 1;
    mesh.per_point = influences_.per_point;
    const auto per = static_cast<size_t>(mesh.per_point);
    if (absl::Status s = numbers_.Take(surface.points.size() * per * 2); !s.ok()) return s;
    for (const uint32_t point : surface.point_of) {
      for (size_t k = 0; k < per; ++k) {
        mesh.joints.push_back(influences_.joints[point * per + k]);
        mesh.weights.push_back(influences_.weights[point * per + k]);
      }
    }
    return absl::OkStatus();
  }

  // The displacers of a segment move its coord. Those of joints move the skin.
  absl::Status Displace(const X3dNode& geometry, const Affine& place, const Carrier& on,
                        character::Mesh& mesh) {
    const auto add = [&](const X3dNode& owner, int joint) {
      return AddX3dDisplacers(scene_, owner, joint, place, standard_, limits_, numbers_, out_.notes,
                              mesh);
    };
    if (on.skin && influences_.exists()) {
      // Indices are those of skinCoord, which may have more points than the shape.
      mesh.file_points = influences_.points;
      for (size_t j = 0; j < humanoid_.joints.size(); ++j) {
        const absl::Status s = add(node(humanoid_.joints[j].node), static_cast<int>(j) + 1);
        if (!s.ok()) return s;
      }
      if (!mesh.shape_joints.empty()) mesh.shape_joints.resize(mesh.shapes.size(), -1);
    } else if (on.segment != nullptr) {
      const X3dNode* const coord = X3dChild(scene_, *on.segment, "coord");
      if (coord != nullptr && coord == X3dChild(scene_, geometry, "coord")) {
        return add(*on.segment, -1);
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckJoints() const {
    for (const HumanoidJoint& joint : humanoid_.joints) {
      const std::array<Vec3, 3> place = {joint.center, joint.rest.translation, joint.rest.scale};
      if (!character::AllFit(place)) {
        const bool center = !character::AllFit({&joint.center, 1});
        return X3dFault(node(joint.node), center ? "center" : "translation", "is over 1e9 m away");
      }
    }
    return absl::OkStatus();
  }

  void MakeRig() {
    skel::RigParts parts = RigOf(humanoid_);
    parts.shapes = character::ShapesOf(out_);
    auto rig = skel::Rig::Make(std::move(parts));
    if (!rig.ok()) {
      out_.notes.push_back(absl::StrCat("its joints cannot be a rig: ", rig.status().message()));
      own_.faces_z = true;
      return;
    }
    const std::vector<int>& nodes = out_.skins[0].nodes;
    own_ = {*std::move(rig), {nodes.begin() + 1, nodes.end()}, true};
  }

  const Scene& scene_;
  const skel::Rig& standard_;
  const character::Limits& limits_;
  character::Character& out_;
  character::OwnRig& own_;
  X3dLooks looks_;
  X3dNumbers numbers_;
  HAnimHumanoid humanoid_;
  float radians_ = 1;  // per unit of angle
  absl::flat_hash_set<int> seen_;
  absl::flat_hash_map<int, int> joint_of_;  // by node: index among the skin's nodes
  const X3dNode* skin_coord_ = nullptr;
  X3dInfluences influences_;
  absl::flat_hash_set<std::string> left_out_;  // geometry already noted
  size_t points_ = 0, triangles_ = 0;
};

}  // namespace

absl::Status ReadCharacter(absl::string_view bytes, const skel::RigCatalog& rigs,
                           const character::Limits& limits, const asset::ReadSidecar& read_sidecar,
                           character::Character& out) {
  Limits most;
  most.bytes = std::min<uint64_t>(most.bytes, limits.bytes);
  const absl::StatusOr<Scene> scene = ReadSceneWithInlines(bytes, most, read_sidecar);
  if (!scene.ok()) return scene.status();
  const auto standard = rigs.Find("hanim_loa4");
  if (!standard.ok()) return standard.status();
  character::PersonOfFile person;
  X3dReader reader(*scene, **standard, limits, read_sidecar, out, person.own);
  if (absl::Status s = reader.Read(); !s.ok()) return s;
  if (absl::Status s = character::Bind(person, rigs, out); !s.ok()) return s;
  if (out.same_joints) reader.AddSites();
  return absl::OkStatus();
}

}  // namespace posewire::x3d
