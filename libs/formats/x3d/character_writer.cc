#include "libs/formats/x3d/character_writer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/linear_shapes.h"
#include "libs/formats/x3d/joint_names.h"
#include "libs/formats/x3d/keys.h"
#include "libs/formats/x3d/materials.h"
#include "libs/formats/x3d/scene_parts.h"
#include "libs/formats/x3d/write_scene.h"
#include "libs/image/image.h"

namespace posewire::x3d {
namespace {

using Kind = Field::Kind;
using character::Character;
using character::CharacterMotion;
using character::LinearShapes;
using character::Material;
using character::SceneMember;
using skel::Affine;
using skel::Quat;
using skel::Trs;
using skel::Vec3;

constexpr float kStays = 1e-6f;  // metres, parts of a quaternion, weights
constexpr float kNoWay_m = 1e-7f;

// Writes the members of a scene one after the other.
class CharacterScene : private SceneParts {
 public:
  CharacterScene(absl::string_view stem, const X3dOptions& options)
      : stem_(stem), options_(options) {
    AddSceneHead();
  }

  // The clock runs once through all motions.
  void Start(double first_s, double last_s) {
    first_s_ = first_s;
    cycle_s_ = last_s > first_s ? last_s - first_s : 1;
    AddClock(cycle_s_);
  }

  absl::Status Add(const SceneMember& member, size_t place) {
    of_ = member.character;
    motion_ = member.motion;
    prefix_ = place == 0 ? "" : absl::StrCat("m", place, "_");
    if (motion_ != nullptr) {
      if (absl::Status s = CheckMotion(*motion_, *of_); !s.ok()) return s;
    }
    joints_.clear(), joint_of_.assign(of_->nodes.size(), -1), models_.clear();
    FindJoints();
    if (absl::Status s = AddHumanoid(member); !s.ok()) return s;
    if (absl::Status s = AddLooks(); !s.ok()) return s;
    AddSkin();
    AddDisplacers();
    // The standard requires the humanoid to list the joints of its skeleton.
    for (const int joint : joint_nodes_) Put(human_, "joints", joint);
    return motion_ == nullptr ? absl::OkStatus() : AddPoses();
  }

  WrittenX3d Finish() {
    if (clock_ >= 0) scene_.roots.push_back({"children", clock_});
    return {WriteXml(scene_), std::move(pictures_)};
  }

 private:
  Affine Root() const {
    return skel::FromTrs(of_->root.translation, of_->root.rotation, of_->root.scale);
  }

  std::vector<Affine> Models(const std::vector<Trs>& locals) const {
    std::vector<Affine> out(of_->nodes.size());
    for (const int n : of_->order) {
      const auto node = static_cast<size_t>(n);
      const int parent = of_->nodes[node].parent;
      const Trs& t = locals[node];
      out[node] = skel::Mul(skel::FromTrs(t.translation, t.rotation, t.scale),
                            parent < 0 ? Root() : out[static_cast<size_t>(parent)]);
    }
    return out;
  }

  // Joints of the body, parents first; a character without any gets one.
  void FindJoints() {
    std::vector<Trs> rest;
    for (const character::CharacterNode& node : of_->nodes) {
      rest.push_back({node.translation, node.rotation, node.scale});
    }
    models_ = Models(rest);
    const std::vector<bool> body = WrittenNodes(*of_);
    labels_.clear(), parents_.clear(), centers_.clear();
    for (const int n : of_->order) {
      const auto node = static_cast<size_t>(n);
      if (!body[node]) continue;
      const int parent = of_->nodes[node].parent;
      joint_of_[node] = static_cast<int>(joints_.size());
      joints_.push_back(n);
      parents_.push_back(parent < 0 ? -1 : joint_of_[static_cast<size_t>(parent)]);
      const std::string& name = of_->nodes[node].name;
      labels_.push_back(name.empty() ? absl::StrCat("joint_", joints_.size()) : name);
      centers_.push_back(models_[node].row[3]);
    }
    if (!joints_.empty()) return;
    joints_ = {-1}, parents_ = {-1}, labels_ = {"HumanoidRoot"}, centers_ = {{}};
  }

  absl::Status AddHumanoid(const SceneMember& member) {
    const absl::StatusOr<JointNames> named = NameJoints(labels_, parents_, options_.version);
    if (!named.ok()) return named.status();
    human_ = SceneParts::Add("HAnimHumanoid", absl::StrCat(prefix_, kHumanoidDef));
    Set(human_, "name", Kind::kString, member.name.empty() ? "humanoid" : member.name);
    Set(human_, "version", Kind::kString, options_.version == HAnimVersion::k1 ? "1.0" : "2.0");
    if (named->level >= 0) Set(human_, "loa", Kind::kOne, absl::StrCat(named->level));
    if (!named->is_hanim) Set(human_, "skeletalConfiguration", Kind::kString, "SOURCE");
    joint_nodes_.clear(), defs_.clear(), names_ = named->names;
    for (size_t j = 0; j < joints_.size(); ++j) {
      defs_.push_back(absl::StrCat(prefix_, named->defs[j]));
      joint_nodes_.push_back(SceneParts::Add("HAnimJoint", defs_.back()));
      Set(joint_nodes_[j], "name", Kind::kString, named->names[j]);
      Set(joint_nodes_[j], "center", Kind::kOne, TextOf(centers_[j]));
      if (parents_[j] < 0) Put(human_, "skeleton", joint_nodes_[j]);
      if (parents_[j] >= 0) {
        Put(joint_nodes_[static_cast<size_t>(parents_[j])], "children", joint_nodes_[j]);
      }
    }
    AddSegments(*named);
    const Trs& p = member.place;
    const Quat q = skel::Normalized(p.rotation);
    const bool moved = skel::Length(p.translation) > 0 || std::fabs(q.w) < 1 || p.scale.x != 1 ||
                       p.scale.y != 1 || p.scale.z != 1;
    if (!moved) {
      scene_.roots.push_back({"children", human_});
      return absl::OkStatus();
    }
    const int place = SceneParts::Add("Transform");
    Set(place, "translation", Kind::kOne, TextOf(p.translation));
    Set(place, "rotation", Kind::kOne, TextOf(q));
    Set(place, "scale", Kind::kOne, TextOf(p.scale));
    Put(place, "children", human_);
    scene_.roots.push_back({"children", place});
    return absl::OkStatus();
  }

  // Segments of the file that the character is from, or else with estimated masses.
  void AddSegments(const JointNames& named) {
    const bool known = std::any_of(of_->segments.begin(), of_->segments.end(),
                                   [](const auto& segment) { return segment.mass_kg > 0; });
    const std::vector<SegmentMass> estimated =
        known ? std::vector<SegmentMass>(joints_.size())
              : EstimateMasses(named.known, parents_, centers_);
    std::vector<int> nodes(joints_.size(), -1);
    for (const character::BodySegment& segment : of_->segments) {
      const int joint = segment.node < 0 ? -1 : joint_of_[static_cast<size_t>(segment.node)];
      if (joint < 0) continue;
      const auto j = static_cast<size_t>(joint);
      const bool own = !named.segments[j].empty() && nodes[j] < 0;
      SegmentMass mass = own ? estimated[j] : SegmentMass{};
      if (known) {
        mass = {segment.mass_kg, skel::TransformPoint(Root(), segment.center_of_mass),
                segment.moments_of_inertia};
      }
      nodes[j] = AddSegment(joint_nodes_[j], own ? named.segments[j] : segment.name, mass);
    }
    for (size_t j = 0; j < joints_.size(); ++j) {
      if (nodes[j] >= 0 || named.segments[j].empty()) continue;
      nodes[j] = AddSegment(joint_nodes_[j], named.segments[j], estimated[j]);
    }
    AddBodyParts(CharacterBody(*of_, joint_of_, models_, joints_.size()), joint_nodes_, names_,
                 nodes);
  }

  std::string Def(absl::string_view wanted) {
    std::string name = prefix_;
    for (const char c : wanted) name += IsPlainName(absl::string_view(&c, 1)) ? c : '_';
    const std::string first = name;
    for (int i = 1; name.empty() || !taken_.insert(name).second; ++i) {
      name = absl::StrCat(first, "_", i);
    }
    return name;
  }

  absl::Status AddLooks() {
    std::vector<bool> used(of_->materials.size(), false);
    for (const character::Mesh& mesh : of_->meshes) used[static_cast<size_t>(mesh.material)] = true;
    looks_.assign(of_->materials.size(), -1);
    textures_.assign(of_->textures.size(), -1);
    for (size_t m = 0; m < of_->materials.size(); ++m) {
      if (!used[m]) continue;
      if (absl::Status s = AddLook(of_->materials[m], looks_[m]); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status AddLook(const Material& from, int& look) {
    const std::string name = Def(from.name.empty() ? "material" : from.name);
    look = SceneParts::Add("Appearance", absl::StrCat("look_", name));
    const bool bare = from.unlit;
    const int material = SceneParts::Add(bare ? "UnlitMaterial" : "PhysicalMaterial", name);
    const auto share = [](Vec3 c) {
      return TextOf(Vec3{std::clamp(c.x, 0.0f, 1.0f), std::clamp(c.y, 0.0f, 1.0f),
                         std::clamp(c.z, 0.0f, 1.0f)});
    };
    Set(material, bare ? "emissiveColor" : "baseColor", Kind::kOne, share(from.color));
    Set(material, "transparency", Kind::kOne, TextOf(std::clamp(1 - from.alpha, 0.0f, 1.0f)));
    if (!bare) {
      Set(material, "emissiveColor", Kind::kOne, share(from.emissive));
      Set(material, "metallic", Kind::kOne, "0");
      Set(material, "roughness", Kind::kOne, TextOf(std::clamp(from.roughness, 0.0f, 1.0f)));
      if (from.normal_map >= 0) Set(material, "normalScale", Kind::kOne, TextOf(from.normal_scale));
    }
    for (const auto& [texture, field, what] :
         {std::tuple{from.texture, bare ? "emissiveTexture" : "baseTexture", ""},
          std::tuple{bare ? -1 : from.normal_map, "normalTexture", "_normal"},
          std::tuple{bare ? -1 : from.emissive_texture, "emissiveTexture", "_emissive"}}) {
      if (texture < 0) continue;
      if (absl::Status s = AddPicture(texture, absl::StrCat(name, what)); !s.ok()) return s;
      Put(material, field, textures_[static_cast<size_t>(texture)]);
    }
    Put(look, "material", material);
    const char* const mode = from.mode == Material::Alpha::kBlend  ? "BLEND"
                             : from.mode == Material::Alpha::kMask ? "MASK"
                                                                   : "OPAQUE";
    Set(look, "alphaMode", Kind::kString, mode);
    if (from.mode == Material::Alpha::kMask) {
      Set(look, "alphaCutoff", Kind::kOne, TextOf(from.cutoff));
    }
    return absl::OkStatus();
  }

  absl::Status AddPicture(int texture, const std::string& name) {
    int& at = textures_[static_cast<size_t>(texture)];
    if (at >= 0) return absl::OkStatus();
    const character::Texture& picture = of_->textures[static_cast<size_t>(texture)];
    auto png = image::EncodePng(picture.width, picture.height, picture.rgba);
    if (!png.ok()) return png.status();
    const std::string file = absl::StrCat(stem_, ".", name, ".png");
    at = SceneParts::Add("ImageTexture", Def(absl::StrCat("picture_", name)));
    Set(at, "url", Kind::kStrings, absl::StrCat("\"", file, "\""));
    if (!picture.repeats) {
      Set(at, "repeatS", Kind::kOne, "false");
      Set(at, "repeatT", Kind::kOne, "false");
    }
    pictures_.emplace_back(file, *std::move(png));
    return absl::OkStatus();
  }

  // The transform of each influence of a mesh, from its points to the body at rest.
  std::vector<Affine> BoundAt(const character::Mesh& mesh) const {
    if (mesh.skin < 0) {
      return {mesh.node < 0 ? Root() : models_[static_cast<size_t>(mesh.node)]};
    }
    std::vector<Affine> out;
    const character::Skin& skin = of_->skins[static_cast<size_t>(mesh.skin)];
    for (size_t j = 0; j < skin.nodes.size(); ++j) {
      out.push_back(skel::Mul(skin.inverse_bind[j], models_[static_cast<size_t>(skin.nodes[j])]));
    }
    return out;
  }

  // Returns the joint and the weight of an influence.
  std::pair<size_t, float> Influence(const character::Mesh& mesh, size_t i) const {
    if (mesh.skin < 0) {
      return {mesh.node < 0 ? 0 : static_cast<size_t>(joint_of_[static_cast<size_t>(mesh.node)]),
              1};
    }
    const std::vector<int>& nodes = of_->skins[static_cast<size_t>(mesh.skin)].nodes;
    const int node = nodes[static_cast<size_t>(mesh.joints[i])];
    return {static_cast<size_t>(joint_of_[static_cast<size_t>(node)]), mesh.weights[i]};
  }
  static size_t PerPoint(const character::Mesh& mesh) {
    return mesh.skin < 0 ? 1 : static_cast<size_t>(mesh.per_point);
  }

  // How a mesh's points and vectors come to the body at rest.
  Affine AtRest(const character::Mesh& mesh, const std::vector<Affine>& bound, size_t point) const {
    if (mesh.skin < 0) return bound[0];
    const size_t per = PerPoint(mesh);
    Affine out;
    for (Vec3& row : out.row) row = {};
    for (size_t i = point * per; i < (point + 1) * per; ++i) {
      const Affine& m = bound[static_cast<size_t>(mesh.joints[i])];
      for (size_t r = 0; r < 4; ++r) out.row[r] = out.row[r] + m.row[r] * mesh.weights[i];
    }
    return out;
  }

  void AddSkin() {
    const int coord = SceneParts::Add("Coordinate", Def("skin_points"));
    const int normal = SceneParts::Add("Normal", Def("skin_normals"));
    std::vector<Vec3> points, normals;
    std::vector<std::string> index(joints_.size()), weight(joints_.size());
    first_point_.clear();
    for (const character::Mesh& mesh : of_->meshes) {
      const size_t first = points.size(), per = PerPoint(mesh);
      first_point_.push_back(first);
      const std::vector<Affine> bound = BoundAt(mesh);
      for (size_t p = 0; p < mesh.points.size(); ++p) {
        const Affine place = AtRest(mesh, bound, p);
        points.push_back(skel::TransformPoint(place, mesh.points[p]));
        const Vec3 n = p < mesh.normals.size()
                           ? skel::TransformVector(skel::NormalTransform(place), mesh.normals[p])
                           : Vec3{};
        normals.push_back(skel::Length(n) > 1e-9f ? skel::Normalized(n) : Vec3{0, 1, 0});
        std::map<size_t, float> shares;
        for (size_t i = p * per; i < (p + 1) * per; ++i) {
          const auto [joint, share] = Influence(mesh, i);
          if (share != 0) shares[joint] += share;
        }
        for (const auto& [joint, share] : shares) {
          absl::StrAppend(&index[joint], index[joint].empty() ? "" : " ", first + p);
          absl::StrAppend(&weight[joint], weight[joint].empty() ? "" : " ", TextOf(share));
        }
      }
    }
    Set(coord, "point", Kind::kList, Join(points));
    Set(normal, "vector", Kind::kList, Join(normals));
    for (size_t j = 0; j < joints_.size(); ++j) {
      if (index[j].empty()) continue;
      Set(joint_nodes_[j], "skinCoordIndex", Kind::kList, std::move(index[j]));
      Set(joint_nodes_[j], "skinCoordWeight", Kind::kList, std::move(weight[j]));
    }
    Put(human_, "skinCoord", coord);
    Put(human_, "skinNormal", normal);
    for (size_t m = 0; m < of_->meshes.size(); ++m) AddShape(m, coord, normal);
  }

  void AddShape(size_t place, int coord, int normal) {
    const character::Mesh& mesh = of_->meshes[place];
    const size_t first = first_point_[place];
    const int shape = SceneParts::Add("Shape", Def(mesh.name.empty() ? "mesh" : mesh.name));
    const int faces = SceneParts::Add("IndexedFaceSet");
    const auto corners = [&](size_t offset) {
      std::string out;
      for (size_t t = 0; t + 3 <= mesh.triangles.size(); t += 3) {
        absl::StrAppend(&out, t == 0 ? "" : " ", offset + mesh.triangles[t], " ",
                        offset + mesh.triangles[t + 1], " ", offset + mesh.triangles[t + 2], " -1");
      }
      return out;
    };
    Set(faces, "coordIndex", Kind::kList, corners(first));
    if (of_->materials[static_cast<size_t>(mesh.material)].double_sided) {
      Set(faces, "solid", Kind::kOne, "false");
    }
    Put(faces, "coord", coord);
    Put(faces, "normal", normal);
    if (mesh.uv.size() == mesh.points.size()) {
      std::string uv;
      for (const auto& at : mesh.uv) {
        absl::StrAppend(&uv, uv.empty() ? "" : " ", TextOf(at[0]), " ", TextOf(1 - at[1]));
      }
      const int picture = SceneParts::Add("TextureCoordinate");
      Set(picture, "point", Kind::kList, std::move(uv));
      Set(faces, "texCoordIndex", Kind::kList, corners(0));
      Put(faces, "texCoord", picture);
    }
    if (mesh.colors.size() == mesh.points.size()) {
      // They replace the material's colour, and are sRGB.
      const Vec3 tint = of_->materials[static_cast<size_t>(mesh.material)].color;
      std::vector<Vec3> colors;
      for (const auto& c : mesh.colors) {
        const auto painted = [&](size_t k, float by) {
          return SrgbOf(static_cast<float>(c[k]) / 255 * by);
        };
        colors.push_back({painted(0, tint.x), painted(1, tint.y), painted(2, tint.z)});
      }
      const int color = SceneParts::Add("Color");
      Set(color, "color", Kind::kList, Join(colors));
      Set(faces, "colorIndex", Kind::kList, corners(0));
      Put(faces, "color", color);
    }
    Put(shape, "appearance", looks_[static_cast<size_t>(mesh.material)]);
    Put(shape, "geometry", faces);
    Put(human_, "skin", shape);
  }

  // A shape of one or several meshes whose weights are the same. It is a displacer of each joint
  // that moves its points, with that joint's share, because displacements turn with their joint.
  struct Displacer {
    struct Part {
      std::string index, ways;
    };
    std::string name;
    std::vector<Part> parts;     // by joint
    std::vector<float> weights;  // by frame
  };

  size_t frames() const { return motion_ == nullptr ? 1 : motion_->times_s.size(); }

  void AddDisplacers() {
    std::vector<Displacer> all;
    for (size_t m = 0; m < of_->meshes.size(); ++m) {
      const character::Mesh& mesh = of_->meshes[m];
      const LinearShapes shapes(*of_, m);
      const size_t count = shapes.names().size();
      std::vector<std::vector<float>> weights(count);
      const bool moves =
          motion_ != nullptr && !motion_->weights.empty() && !motion_->weights[m].empty();
      for (size_t f = 0; f < frames(); ++f) {
        const size_t own = mesh.shapes.size();
        const auto given = moves ? absl::MakeConstSpan(motion_->weights[m]).subspan(f * own, own)
                                 : absl::MakeConstSpan(mesh.shape_weights);
        const std::vector<float> now = shapes.WeightsOf(given);
        for (size_t s = 0; s < count; ++s) weights[s].push_back(now[s]);
      }
      const std::vector<Affine> bound = BoundAt(mesh);
      for (size_t s = 0; s < count; ++s) {
        AddTo(FindDisplacer(shapes.names()[s], weights[s], mesh.name, all), m, bound,
              shapes.Offsets(s));
      }
    }
    std::string keys;
    if (motion_ != nullptr) keys = Keys();
    for (Displacer& one : all) {
      const bool moves = std::any_of(one.weights.begin(), one.weights.end(), [&](float w) {
        return std::fabs(w - one.weights[0]) > kStays;
      });
      int mover = -1;
      for (size_t j = 0; j < one.parts.size(); ++j) {
        Displacer::Part& part = one.parts[j];
        if (part.index.empty()) continue;
        const int node = SceneParts::Add("HAnimDisplacer", Def(absl::StrCat("shape_", one.name)));
        Set(node, "name", Kind::kString, one.name);
        Set(node, "coordIndex", Kind::kList, std::move(part.index));
        Set(node, "displacements", Kind::kList, std::move(part.ways));
        Put(joint_nodes_[j], "displacers", node);
        if (!moves && one.weights[0] != 0) Set(node, "weight", Kind::kOne, TextOf(one.weights[0]));
        if (!moves) continue;
        if (mover >= 0) {
          Route(mover, "value_changed", node, "set_weight");
        } else {
          mover = Drive("ScalarInterpolator", absl::StrCat(this->node(node).def, "_weights"), keys,
                        Join(one.weights), node, "weight");
        }
      }
    }
  }

  static Displacer& FindDisplacer(const std::string& name, const std::vector<float>& weights,
                                  const std::string& mesh, std::vector<Displacer>& all) {
    std::string wanted = name;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].name != wanted) continue;
      const bool same = std::equal(weights.begin(), weights.end(), all[i].weights.begin(),
                                   [](float a, float b) { return std::fabs(a - b) <= kStays; });
      if (same) return all[i];
      absl::StrAppend(&wanted, "_", mesh);
      i = static_cast<size_t>(-1);
    }
    Displacer& out = all.emplace_back();
    out.name = std::move(wanted);
    out.weights = weights;
    return out;
  }

  void AddTo(Displacer& out, size_t m, const std::vector<Affine>& bound,
             const std::vector<Vec3>& offsets) const {
    const character::Mesh& mesh = of_->meshes[m];
    const size_t per = PerPoint(mesh);
    out.parts.resize(joints_.size());
    for (size_t p = 0; p < offsets.size(); ++p) {
      if (skel::Dot(offsets[p], offsets[p]) == 0) continue;
      const Vec3 way = skel::TransformVector(AtRest(mesh, bound, p), offsets[p]);
      for (size_t i = p * per; i < (p + 1) * per; ++i) {
        const auto [joint, share] = Influence(mesh, i);
        if (!(std::fabs(share) * skel::Length(way) > kNoWay_m)) continue;
        Displacer::Part& part = out.parts[joint];
        absl::StrAppend(&part.index, part.index.empty() ? "" : " ", first_point_[m] + p);
        absl::StrAppend(&part.ways, part.ways.empty() ? "" : " ", TextOf(way * share));
      }
    }
  }

  std::string Keys() const {
    std::vector<double> seconds;
    for (const double time_s : motion_->times_s) {
      seconds.push_back(std::clamp(time_s - first_s_, 0.0, cycle_s_));
    }
    return X3dKeys(seconds, cycle_s_);
  }

  // H-Anim's joints turn, grow and move about their centres, from a rest without rotation.
  absl::Status AddPoses() {
    if (joints_[0] < 0) return absl::OkStatus();
    std::vector<std::vector<Quat>> turns(joints_.size());
    std::vector<std::vector<Vec3>> ways(joints_.size()), sizes(joints_.size());
    std::vector<Affine> back;
    for (const int n : joints_) {
      back.push_back(skel::Inverse(models_[static_cast<size_t>(n)]).value_or(Affine{}));
    }
    for (size_t f = 0; f < frames(); ++f) {
      const std::vector<Affine> now = Models(motion_->nodes[f]);
      std::vector<Affine> moved;  // from the body at rest to the body
      for (size_t j = 0; j < joints_.size(); ++j) {
        moved.push_back(skel::Mul(back[j], now[static_cast<size_t>(joints_[j])]));
        const Affine own =
            parents_[j] < 0
                ? moved[j]
                : skel::Mul(
                      moved[j],
                      skel::Inverse(moved[static_cast<size_t>(parents_[j])]).value_or(Affine{}));
        const Trs parts = skel::Decompose(own);
        turns[j].push_back(parts.rotation);
        sizes[j].push_back(parts.scale);
        ways[j].push_back(skel::TransformPoint(own, centers_[j]) - centers_[j]);
      }
    }
    const std::string keys = Keys();
    if (options_.frames) {
      if (absl::Status s = AddFrames(turns, ways); !s.ok()) return s;
    }
    for (size_t j = 0; j < joints_.size(); ++j) {
      MoveJoint(j, "OrientationInterpolator", "turns_", keys, turns[j], Quat{}, "rotation");
      MoveJoint(j, "PositionInterpolator", "ways_", keys, ways[j], Vec3{}, "translation");
      MoveJoint(j, "PositionInterpolator", "sizes_", keys, sizes[j], Vec3{1, 1, 1}, "scale");
    }
    return absl::OkStatus();
  }

  // Takes the joints that are not at rest, and leaves them without keys.
  absl::Status AddFrames(std::vector<std::vector<Quat>>& turns,
                         std::vector<std::vector<Vec3>>& ways) {
    std::vector<std::vector<Quat>> turning(joints_.size());
    std::vector<std::vector<Vec3>> going(joints_.size());
    for (size_t j = 0; j < joints_.size(); ++j) {
      const bool turned =
          std::any_of(turns[j].begin(), turns[j].end(), [](Quat q) { return Apart(q, Quat{}); });
      const bool moved =
          std::any_of(ways[j].begin(), ways[j].end(), [](Vec3 way) { return Apart(way, Vec3{}); });
      // The first joint keeps the motion where no joint moves.
      if (turned || j == 0) turning[j] = std::exchange(turns[j], {Quat{}});
      if (moved) going[j] = std::exchange(ways[j], {Vec3{}});
    }
    absl::StatusOr<MotionFrames> frames = FramesOf(names_, motion_->times_s, turning, going);
    if (!frames.ok()) return frames.status();
    AddMotion(human_, Def("take"), *std::move(frames));
    return absl::OkStatus();
  }

  template <typename T>
  void MoveJoint(size_t j, const char* type, const char* def, const std::string& keys,
                 const std::vector<T>& values, const T& rest, const char* field) {
    const bool moves = std::any_of(values.begin(), values.end(),
                                   [&](const T& value) { return Apart(value, values[0]); });
    const std::string name = absl::StrCat(def, defs_[j]);
    if (moves) {
      Drive(type, name, keys, Join(values), joint_nodes_[j], field);
    } else if (Apart(values[0], rest)) {
      // The fields of joints are those of rest.
      Drive(type, name, X3dKeys({0, cycle_s_}, cycle_s_), Join(std::vector<T>(2, values[0])),
            joint_nodes_[j], field);
    }
  }

  const absl::string_view stem_;
  const X3dOptions options_;
  double first_s_ = 0, cycle_s_ = 1;
  std::vector<std::pair<std::string, std::string>> pictures_;
  std::set<std::string> taken_;  // DEFs
  // Of the member that is written.
  const Character* of_ = nullptr;
  const CharacterMotion* motion_ = nullptr;
  std::string prefix_;
  int human_ = -1;
  std::vector<int> joints_, joint_of_, parents_, joint_nodes_, looks_, textures_;
  std::vector<std::string> labels_, names_, defs_;
  std::vector<Vec3> centers_;
  std::vector<Affine> models_;  // of the nodes at rest
  std::vector<size_t> first_point_;
};

}  // namespace

absl::StatusOr<WrittenX3d> WriteScene(absl::Span<const SceneMember> members, absl::string_view stem,
                                      const X3dOptions& options) {
  CharacterScene scene(stem, options);
  std::optional<std::pair<double, double>> span_s;
  for (const SceneMember& member : members) {
    if (member.motion == nullptr || member.motion->times_s.empty()) continue;
    const std::vector<double>& times_s = member.motion->times_s;
    if (!span_s) span_s = std::pair(times_s.front(), times_s.back());
    span_s->first = std::min(span_s->first, times_s.front());
    span_s->second = std::max(span_s->second, times_s.back());
  }
  if (span_s) scene.Start(span_s->first, span_s->second);
  for (size_t m = 0; m < members.size(); ++m) {
    if (absl::Status s = scene.Add(members[m], m); !s.ok()) return s;
  }
  return scene.Finish();
}

}  // namespace posewire::x3d
