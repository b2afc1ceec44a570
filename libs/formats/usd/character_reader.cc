#include "libs/formats/usd/character_reader.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/character/bind.h"
#include "libs/formats/usd/compose.h"
#include "libs/formats/usd/materials.h"
#include "libs/formats/usd/shapes.h"
#include "libs/formats/usd/skeleton.h"
#include "libs/formats/usd/stage.h"
#include "libs/formats/usd/stage_scene.h"
#include "libs/mesh/blend_shapes.h"
#include "libs/mesh/influences.h"
#include "libs/mesh/skin_job.h"
#include "libs/skel/affine.h"

namespace posewire::usd {
namespace {

using skel::Affine;
using skel::Vec3;

// The joints that move the points of a mesh.
struct Influences {
  int skeleton = -1;  // in the list of skeletons; -1: none
  int per_point = 1;
  bool constant = false;
  std::vector<int> joints;  // of the skeleton
  std::vector<float> weights;
  Affine geom_bind;
  mesh::SkinningMethod method = mesh::SkinningMethod::kClassicLinear;
};

class StageReader {
 public:
  StageReader(const Stage& stage, const character::Limits& limits,
              const asset::ReadSidecar& read_sidecar, const CharacterOptions& options,
              character::Character& out, StageParts& parts)
      : stage_(stage),
        limits_(limits),
        options_(options),
        out_(out),
        parts_(parts),
        skeletons_(parts.skeletons),
        looks_(stage, limits, read_sidecar, out) {}

  absl::Status Read() {
    absl::StatusOr<SkeletonInstances> skeletons = ReadSkeletons(stage_, options_.rules);
    if (!skeletons.ok()) return skeletons.status();
    skeletons_ = *std::move(skeletons);
    if (!skeletons_.ignored.empty()) out_.notes.push_back(skeletons_.ignored);
    if (absl::Status s = ChooseOne(); !s.ok()) return s;
    // The first node carries the meshes that no skeleton moves.
    out_.nodes.emplace_back();
    for (const Skeleton& skeleton : skeletons_.all) {
      if (absl::Status s = AddSkeleton(skeleton); !s.ok()) return s;
    }
    for (size_t n = 0; n < out_.nodes.size(); ++n) out_.order.push_back(static_cast<int>(n));
    const std::vector<Stage::Node>& nodes = stage_.nodes();
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!nodes[i].defined || !HasSurface(nodes[i].prim->type)) continue;
      if (!IsShown(stage_, static_cast<int>(i)) || (!kept_.empty() && !kept_[i])) continue;
      if (absl::Status s = AddMesh(static_cast<int>(i)); !s.ok()) return s;
    }
    looks_.Finish();
    return CheckNumbers();
  }

  // Makes the rig from the skeleton that moves a mesh and from the shapes of all meshes.
  character::OwnRig MakeRig() {
    if (moving_ < 0) moving_ = skeletons_.all.empty() ? -1 : 0;
    skel::RigParts parts;
    parts.name = "stage";
    std::vector<int> nodes;
    if (moving_ >= 0) {
      const Skeleton& skeleton = skeletons_.all[static_cast<size_t>(moving_)];
      parts.joint_paths = skeleton.names;
      for (const JointPlace& place : skeleton.rest) {
        parts.rest_translations.push_back(place.translation);
        parts.rest_rotations.push_back(place.rotation);
      }
      nodes = out_.skins[static_cast<size_t>(moving_)].nodes;
      nodes.resize(skeleton.joints.size());
    }
    if (nodes.empty()) {
      parts.joint_paths = {"Root"};
      parts.rest_translations = {{}};
      parts.rest_rotations = {{}};
      nodes = {0};
    }
    parts.shapes = character::ShapesOf(out_);
    auto rig = skel::Rig::Make(std::move(parts));
    if (!rig.ok()) {
      out_.notes.push_back(absl::StrCat("its skeleton cannot be a rig: ", rig.status().message()));
      return {};
    }
    return {*std::move(rig), std::move(nodes)};
  }

 private:
  // Leaves only what options_.one has.
  absl::Status ChooseOne() {
    if (options_.one.empty()) return absl::OkStatus();
    const absl::StatusOr<StageScene> scene = FindScene(stage_, options_.rules);
    if (!scene.ok()) return scene.status();
    std::vector<std::string> names;
    for (const asset::SceneCharacter& one : scene->scene.characters) names.push_back(one.name);
    const auto chosen = std::find(names.begin(), names.end(), options_.one) - names.begin();
    if (static_cast<size_t>(chosen) == names.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "there is no character \"", options_.one, "\"; ",
          !names.empty()                ? absl::StrCat("there are ", asset::FirstFew(names))
          : !skeletons_.ignored.empty() ? absl::StrCat("the stage has none; ", skeletons_.ignored)
                                        : "the stage has none"));
    }
    const auto owner = [&](int prim, const Skeleton* bound) {
      return CharacterOf(stage_, *scene, prim, bound);
    };
    for (size_t i = 0; i < stage_.nodes().size(); ++i) {
      const auto prim = static_cast<int>(i);
      const int bound = SkeletonOf(prim);
      kept_.push_back(
          owner(prim, bound < 0 ? nullptr : &skeletons_.all[static_cast<size_t>(bound)]) == chosen);
    }
    const auto at = static_cast<size_t>(chosen);
    into_ = asset::Into(scene->scene.characters[at].place);
    SkeletonInstances left;
    for (Skeleton& skeleton : skeletons_.all) {
      if (owner(skeleton.prim, &skeleton) != chosen) continue;
      const bool own = skeleton.prim == scene->characters[at].skeleton.prim &&
                       skeleton.animation == scene->characters[at].skeleton.animation;
      if (own) moving_ = static_cast<int>(left.all.size());
      for (const int site : skeleton.sites) {
        left.by_site[site] = static_cast<int>(left.all.size());
      }
      PutInto(into_, skeleton);
      left.all.push_back(std::move(skeleton));
    }
    skeletons_ = std::move(left);
    return absl::OkStatus();
  }

  void Note(int prim, absl::string_view why) {
    if (out_.notes.size() < 64) out_.notes.push_back(absl::StrCat(stage_.path(prim), " ", why));
  }

  // Text may contain inf, nan and numbers outside the range of float.
  absl::Status CheckNumbers() const {
    for (const character::CharacterNode& node : out_.nodes) {
      const std::array<Vec3, 2> place = {node.translation, node.scale};
      const skel::Quat q = node.rotation;
      if (character::AllFit(place) && character::Fits(skel::Dot(q, q))) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the rest of joint \"", node.name, "\" is no number, or over 1e9"));
    }
    for (const character::Skin& skin : out_.skins) {
      for (size_t j = 0; j < skin.inverse_bind.size(); ++j) {
        if (character::AllFit(skin.inverse_bind[j].row)) continue;
        return absl::InvalidArgumentError(
            absl::StrCat("bindTransforms[", j, "] has no inverse of numbers up to 1e9"));
      }
    }
    for (const character::Mesh& mesh : out_.meshes) {
      const bool weights = std::all_of(mesh.weights.begin(), mesh.weights.end(), character::Fits);
      if (weights && character::AllFit(mesh.points) && character::AllFit(mesh.normals)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "mesh ", mesh.name, " has points or weights that are no number, or over 1e9"));
    }
    return absl::OkStatus();
  }

  absl::Status AddSkeleton(const Skeleton& skeleton) {
    for (const std::string& warning : skeleton.warnings) out_.notes.push_back(warning);
    character::Skin skin;
    const auto first = static_cast<int>(out_.nodes.size());
    if (out_.nodes.size() + skeleton.joints.size() > limits_.nodes) {
      return character::OverLimit("joints and nodes", limits_.nodes);
    }
    for (size_t j = 0; j < skeleton.joints.size(); ++j) {
      character::CharacterNode node;
      const std::string& name = skeleton.names[j];
      node.name = name.substr(name.rfind('/') + 1);
      node.parent = skeleton.parents[j] < 0 ? -1 : first + skeleton.parents[j];
      node.translation = skeleton.rest[j].translation;
      node.rotation = skeleton.rest[j].rotation;
      node.scale = skeleton.rest[j].scale;
      skin.nodes.push_back(first + static_cast<int>(j));
      out_.nodes.push_back(std::move(node));
    }
    skin.inverse_bind = skeleton.inverse_bind;
    if (skin.inverse_bind.empty()) skin.inverse_bind.resize(skin.nodes.size());
    out_.skins.push_back(std::move(skin));
    return absl::OkStatus();
  }

  // Returns true if bindings at a prim count.
  bool Counts(int prim) const {
    return options_.rules.outside_skel_root || SkelRootOf(stage_, prim) >= 0;
  }

  // Returns the index in skeletons_; -1 for none.
  int SkeletonOf(int prim) const { return Counts(prim) ? skeletons_.BoundAt(stage_, prim) : -1; }

  // The default in USD is "constant".
  std::string Interpolation(int prim, absl::string_view name) const {
    const Value* const value = stage_.Metadata(prim, name, "interpolation");
    return value == nullptr || value->texts.empty() ? "constant" : value->texts[0];
  }
  // Returns 0 for an invalid size.
  int ElementSize(int prim, absl::string_view name) const {
    const Value* const value = stage_.Metadata(prim, name, "elementSize");
    const double size = value == nullptr || value->numbers.empty() ? 1 : value->numbers[0];
    return size >= 1 && size <= 1e6 ? static_cast<int>(size) : 0;
  }

  // Adds a node at the origin of the skeleton's space after the skin's joints. Returns false if
  // there are too many nodes.
  bool HoldStill(size_t skeleton) {
    character::Skin& skin = out_.skins[skeleton];
    const Skeleton& of = skeletons_.all[skeleton];
    if (skin.nodes.size() > of.joints.size()) return true;
    if (out_.nodes.size() >= limits_.nodes) return false;
    skin.nodes.push_back(static_cast<int>(out_.nodes.size()));
    skin.inverse_bind.emplace_back();
    out_.order.push_back(skin.nodes.back());
    character::CharacterNode& node = out_.nodes.emplace_back();
    node.translation = of.space.translation;
    node.rotation = of.space.rotation;
    node.scale = of.space.scale;
    return true;
  }

  // Invalid influences leave a mesh without a skin, with a note, as in OpenUSD.
  Influences ReadInfluences(int prim, size_t points) {
    Influences out;
    const int skeleton = SkeletonOf(prim);
    const char* const kIndices = "primvars:skel:jointIndices";
    const char* const kWeights = "primvars:skel:jointWeights";
    const int i = stage_.Inherited(prim, kIndices), w = stage_.Inherited(prim, kWeights);
    if (skeleton < 0 || i < 0 || w < 0) return out;
    const Skeleton& skel = skeletons_.all[static_cast<size_t>(skeleton)];
    const std::vector<double> indices = stage_.Numbers(i, kIndices);
    const std::vector<double> weights = stage_.Numbers(w, kWeights);
    const int size = ElementSize(i, kIndices);
    const std::string by = Interpolation(i, kIndices);
    const auto per = static_cast<size_t>(size);
    const char* why = nullptr;
    if (skel.inverse_bind.empty()) {
      why = "its skeleton has no bindTransforms";
    } else if (size < 1 || size != ElementSize(w, kWeights) || by != Interpolation(w, kWeights) ||
               indices.size() != weights.size()) {
      why = "jointIndices and jointWeights do not agree";
    } else if (by != "vertex" && by != "constant") {
      why = "jointIndices are neither vertex nor constant";
    } else if (indices.size() != (by == "constant" ? per : per * points)) {
      why = "jointIndices are not as many as points times elementSize";
    }
    // Joints that the skeleton lacks do not move in its space, as in OpenUSD.
    const auto still = static_cast<int>(skel.joints.size());
    const std::string* lacking = nullptr;
    std::vector<int> place;
    const int own = stage_.Inherited(prim, "skel:joints");
    if (own >= 0) {
      place = MapNames(stage_.Texts(own, "skel:joints"), skel.joints);
    } else {
      for (auto j = skel.added; j < still; ++j) place.push_back(j);
    }
    for (size_t k = 0; why == nullptr && k < indices.size(); ++k) {
      const bool there = indices[k] >= 0 && indices[k] < static_cast<double>(place.size());
      if (!there) why = "a joint index is no joint";
      int joint = there ? place[static_cast<size_t>(indices[k])] : 0;
      if (joint < 0 && weights[k] == 0) joint = 0;
      if (joint < 0) {
        joint = still;
        lacking = &stage_.Texts(own, "skel:joints")[static_cast<size_t>(indices[k])];
      }
      out.joints.push_back(joint);
      out.weights.push_back(static_cast<float>(weights[k]));
    }
    if (const int m = stage_.Inherited(prim, "primvars:skel:skinningMethod"); m >= 0) {
      const std::string word = stage_.Text(m, "primvars:skel:skinningMethod");
      const auto method = mesh::ParseSkinningMethod(word);
      if (method.ok()) {
        out.method = *method;
      } else if (!word.empty()) {
        why = "its skinningMethod is not known";
      }
    }
    if (why == nullptr && lacking != nullptr && !HoldStill(static_cast<size_t>(skeleton))) {
      why = "its skeleton lacks joints of its skel:joints, and has no room for one more";
    }
    if (why != nullptr) {
      Note(prim, absl::StrCat("is not skinned: ", why));
      return {};
    }
    if (lacking != nullptr) {
      Note(prim, absl::StrCat("has skel:joints that ", stage_.path(skel.prim), " lacks, such as \"",
                              lacking->substr(0, 80),
                              "\": they keep their points where those are "
                              "bound"));
    }
    out.skeleton = skeleton;
    out.per_point = size;
    out.constant = by == "constant";
    if (const int g = stage_.Inherited(prim, "primvars:skel:geomBindTransform"); g >= 0) {
      out.geom_bind = AffineOf(stage_.Numbers(g, "primvars:skel:geomBindTransform"));
    }
    return out;
  }

  absl::Status AddMesh(int prim) {
    absl::StatusOr<Surface> surface = ReadSurface(stage_, prim);
    if (!surface.ok()) return surface.status();
    if (surface->triangles.empty()) return absl::OkStatus();
    Influences influences = ReadInfluences(prim, surface->file_points);
    const bool skinned = influences.skeleton >= 0;
    const Affine place =
        skinned
            ? influences.geom_bind
            : skel::Mul(skel::Mul(stage_.ToStage(prim, kEarliest), stage_.to_our_space()), into_);
    const Affine normal_place = skel::NormalTransform(place);
    const bool mirrored =
        skinned ? skeletons_.all[static_cast<size_t>(influences.skeleton)].mirrored()
                : skel::Dot(skel::Cross(place.row[0], place.row[1]), place.row[2]) < 0;
    for (size_t t = 0; mirrored && t + 2 < surface->triangles.size(); t += 3) {
      std::swap(surface->triangles[t], surface->triangles[t + 1]);
    }
    character::Mesh mesh;
    mesh.name = stage_.prim(prim).name;
    mesh.node = 0;  // A node with a mesh would not be a bone.
    mesh.skin = influences.skeleton;
    mesh.method = influences.method;
    for (const Vec3 p : surface->points) mesh.points.push_back(skel::TransformPoint(place, p));
    for (const Vec3 n : surface->normals) {
      mesh.normals.push_back(skel::Normalized(skel::TransformVector(normal_place, n)));
    }
    mesh.per_point = skinned ? influences.per_point : 1;
    const auto per = static_cast<size_t>(mesh.per_point);
    if (per * std::max(surface->points.size(), surface->file_points) > limits_.numbers)
      return character::OverLimit("numbers", limits_.numbers);
    if (influences.constant) {
      const auto points = static_cast<int>(surface->file_points);
      influences.joints = mesh::ExpandConstant(influences.joints, points);
      influences.weights = mesh::ExpandConstant(influences.weights, points);
    }
    for (const uint32_t point : surface->point_of) {
      for (size_t k = 0; k < per; ++k) {
        const size_t i = point * per + k;
        mesh.joints.push_back(skinned ? influences.joints[i] : 0);
        mesh.weights.push_back(skinned ? influences.weights[i] : 1.0f);
      }
    }
    if (absl::Status s = AddShapes(prim, *surface, place, normal_place, mesh); !s.ok()) return s;
    mesh.point_of = surface->point_of;
    mesh.file_points = surface->file_points;
    mesh.colors = std::move(surface->colors);
    mesh.uv = std::move(surface->uv);
    if (skinned && moving_ < 0) moving_ = influences.skeleton;
    return AddByMaterial(prim, *surface, std::move(mesh));
  }

  absl::Status AddByMaterial(int prim, const Surface& surface, character::Mesh whole) {
    std::map<int, std::vector<uint32_t>> triangles;
    const absl::flat_hash_map<uint32_t, int> of_faces = looks_.OfFaces(prim);
    const int otherwise = looks_.Of(prim, prim);
    for (size_t t = 0; t < surface.face_of.size(); ++t) {
      const auto it = of_faces.find(surface.face_of[t]);
      std::vector<uint32_t>& list = triangles[it == of_faces.end() ? otherwise : it->second];
      list.insert(list.end(), surface.triangles.begin() + static_cast<std::ptrdiff_t>(3 * t),
                  surface.triangles.begin() + static_cast<std::ptrdiff_t>(3 * t + 3));
    }
    for (auto it = triangles.begin(); it != triangles.end(); ++it) {
      points_ += whole.points.size();
      triangles_ += it->second.size() / 3;
      if (points_ > limits_.points) return character::OverLimit("points", limits_.points);
      if (triangles_ > limits_.triangles)
        return character::OverLimit("triangles", limits_.triangles);
      character::Mesh mesh = std::next(it) == triangles.end() ? std::move(whole) : whole;
      mesh.material = it->first;
      mesh.triangles = std::move(it->second);
      out_.meshes.push_back(std::move(mesh));
      parts_.mesh_prims.push_back(prim);
    }
    return absl::OkStatus();
  }

  // Transforms a shape's offsets into the space of the points.
  static std::vector<Vec3> Carried(const std::vector<double>& offsets, const Affine& place) {
    std::vector<Vec3> out;
    for (size_t i = 0; i + 3 <= offsets.size(); i += 3) {
      out.push_back(skel::TransformVector(
          place, {static_cast<float>(offsets[i]), static_cast<float>(offsets[i + 1]),
                  static_cast<float>(offsets[i + 2])}));
    }
    return out;
  }

  absl::Status AddShapes(int prim, const Surface& surface, const Affine& place,
                         const Affine& normal_place, character::Mesh& mesh) {
    const std::vector<std::string>& names = stage_.Texts(prim, "skel:blendShapes");
    const std::vector<int> targets = stage_.Targets(prim, "skel:blendShapeTargets");
    if (names.size() != targets.size()) {
      Note(prim, absl::StrCat("has ", names.size(), " skel:blendShapes and ", targets.size(),
                              " skel:blendShapeTargets, and none is read"));
      return absl::OkStatus();
    }
    if (names.size() > limits_.targets)
      return character::OverLimit("shapes of a mesh", limits_.targets);
    if (names.empty() || !Counts(prim)) return absl::OkStatus();
    // By point of the file: its points on the surface.
    std::vector<std::vector<int32_t>> places(surface.file_points);
    for (size_t i = 0; i < surface.point_of.size(); ++i) {
      places[surface.point_of[i]].push_back(static_cast<int32_t>(i));
    }
    for (size_t s = 0; s < names.size(); ++s) {
      if (targets[s] < 0 || stage_.prim(targets[s]).type != "BlendShape") continue;
      absl::StatusOr<mesh::BlendShape> shape =
          ReadShape(targets[s], names[s], places, place, normal_place);
      if (!shape.ok()) return shape.status();
      mesh.shapes.push_back(*std::move(shape));
      mesh.shape_weights.push_back(0);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<mesh::BlendShape> ReadShape(int prim, const std::string& name,
                                             const std::vector<std::vector<int32_t>>& places,
                                             const Affine& place, const Affine& normal_place) {
    const std::vector<double> indices = stage_.Numbers(prim, "pointIndices");
    const std::vector<Vec3> offsets = Carried(stage_.Numbers(prim, "offsets"), place);
    const size_t moved = indices.empty() ? places.size() : indices.size();
    mesh::BlendShapeParts parts;
    parts.name = name;
    std::vector<size_t> from;  // for each offset, its index in the file's list
    for (size_t i = 0; i < moved; ++i) {
      const double point = indices.empty() ? static_cast<double>(i) : indices[i];
      if (!(point >= 0 && point < static_cast<double>(places.size()))) {
        return AtPrim(stage_, prim,
                      absl::StrCat("pointIndices[", i, "] is ", point, ", expected 0 to ",
                                   places.size(), " - 1"));
      }
      for (const int32_t at : places[static_cast<size_t>(point)]) {
        parts.indices.push_back(at);
        from.push_back(i);
      }
    }
    numbers_ += from.size() * 4;
    if (numbers_ > limits_.numbers) return character::OverLimit("numbers", limits_.numbers);
    const auto spread = [&](const std::vector<Vec3>& all, absl::string_view what,
                            std::vector<Vec3>& to) {
      if (all.empty()) return absl::OkStatus();
      if (all.size() != moved) {
        return AtPrim(stage_, prim,
                      absl::StrCat(what, " has ", all.size(), " entries, expected ", moved));
      }
      for (const size_t i : from) to.push_back(all[i]);
      return absl::OkStatus();
    };
    if (absl::Status s = spread(offsets, "offsets", parts.offsets); !s.ok()) return s;
    const std::vector<Vec3> normals = Carried(stage_.Numbers(prim, "normalOffsets"), normal_place);
    if (absl::Status s = spread(normals, "normalOffsets", parts.normal_offsets); !s.ok()) return s;
    for (const Property& p : stage_.prim(prim).properties) {
      if (!absl::StartsWith(p.name, "inbetweens:") || absl::EndsWith(p.name, ":normalOffsets")) {
        continue;
      }
      const Value* const weight = stage_.Metadata(prim, p.name, "weight");
      if (weight == nullptr || weight->numbers.empty()) continue;
      mesh::ShapeKey& key = parts.inbetweens.emplace_back();
      key.weight = static_cast<float>(weight->numbers[0]);
      numbers_ += from.size() * 3;
      if (numbers_ > limits_.numbers) return character::OverLimit("numbers", limits_.numbers);
      if (absl::Status s =
              spread(Carried(stage_.Numbers(prim, p.name), place), p.name, key.offsets);
          !s.ok()) {
        return s;
      }
      const std::vector<Vec3> turned =
          Carried(stage_.Numbers(prim, absl::StrCat(p.name, ":normalOffsets")), normal_place);
      if (absl::Status s = spread(turned, p.name, key.normal_offsets); !s.ok()) return s;
    }
    // A shape without offsets moves nothing, even if it has indices.
    if (parts.offsets.empty()) parts = {name, {}, {}, {}, {}};
    std::vector<std::string> warnings;
    auto shape = mesh::BlendShape::Make(std::move(parts), &warnings);
    for (const std::string& warning : warnings) Note(prim, warning);
    if (!shape.ok()) return AtPrim(stage_, prim, shape.status().message());
    return shape;
  }

  const Stage& stage_;
  const character::Limits& limits_;
  const CharacterOptions& options_;
  character::Character& out_;
  StageParts& parts_;
  SkeletonInstances& skeletons_;
  StageLooks looks_;
  int moving_ = -1;         // the skeleton that moves a mesh
  std::vector<bool> kept_;  // by prim; empty: all are
  Affine into_;             // the space of the one character's place
  size_t points_ = 0, triangles_ = 0, numbers_ = 0;
};

}  // namespace

absl::Status ReadStageParts(const Stage& stage, const character::Limits& limits,
                            const asset::ReadSidecar& read_sidecar, const BindingRules& rules,
                            character::Character& out, StageParts& parts) {
  const CharacterOptions all = {.rules = rules};
  return StageReader(stage, limits, read_sidecar, all, out, parts).Read();
}

absl::Status ReadCharacter(absl::string_view bytes, const skel::RigCatalog& rigs,
                           const character::Limits& limits, const asset::ReadSidecar& read_sidecar,
                           const CharacterOptions& options, character::Character& out) {
  absl::StatusOr<Layer> layer = Compose(bytes, read_sidecar, {.bytes = limits.bytes});
  if (!layer.ok()) return layer.status();
  const Stage stage(*std::move(layer));
  character::PersonOfFile person;
  StageParts parts;
  StageReader reader(stage, limits, read_sidecar, options, out, parts);
  if (absl::Status s = reader.Read(); !s.ok()) return s;
  person.own = reader.MakeRig();
  if (absl::Status s = character::Bind(person, rigs, out); !s.ok()) return s;
  for (size_t i = 0; i < stage.nodes().size(); ++i) {
    if (stage.prim(static_cast<int>(i)).type != "SkelRoot") continue;
    out.ace_mouth = stage.Text(static_cast<int>(i), kMouthClose) == "ace";
    break;
  }
  return absl::OkStatus();
}

}  // namespace posewire::usd
