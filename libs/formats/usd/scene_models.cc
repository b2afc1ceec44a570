#include "libs/formats/usd/scene_models.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "libs/formats/usd/character_reader.h"
#include "libs/formats/usd/compose.h"
#include "libs/formats/usd/skeleton.h"
#include "libs/formats/usd/stage.h"
#include "libs/formats/usd/stage_scene.h"

namespace posewire::usd {
namespace {

using character::Character;
using character::SceneModels;
using skel::Affine;
using skel::Trs;

constexpr int kScenery = -1;

class StageModels {
 public:
  StageModels(const Stage& stage, const StageScene& scene) : stage_(stage), scene_(scene) {}

  absl::StatusOr<SceneModels> Read(const character::Limits& limits,
                                   const asset::ReadSidecar& read_sidecar,
                                   const BindingRules& rules) {
    absl::Status s = ReadStageParts(stage_, limits, read_sidecar, rules, whole_, parts_);
    if (!s.ok()) return s;
    const size_t characters = scene_.characters.size();
    // The owner of each mesh: a character, a prop after these, or none.
    std::vector<int> owners;
    for (size_t m = 0; m < whole_.meshes.size(); ++m) owners.push_back(OwnerOf(m));
    SceneModels out;
    for (size_t c = 0; c < characters; ++c) {
      auto model = Model(c, owners);
      if (!model.ok()) return model.status();
      out.characters.push_back(*std::move(model));
    }
    for (size_t p = 0; p < scene_.prop_prims.size(); ++p) {
      const Affine into = character::PlaceOf(scene_.scene.props[p].places[0]);
      out.props.push_back(
          Fixed(static_cast<int>(characters + p), owners, skel::Inverse(into).value_or(Affine{})));
    }
    out.scenery = Fixed(kScenery, owners, {});
    out.notes = std::move(whole_.notes);
    return out;
  }

 private:
  int OwnerOf(size_t mesh) const {
    const int skin = whole_.meshes[mesh].skin;
    const int prim = parts_.mesh_prims[mesh];
    const Skeleton* const bound =
        skin < 0 ? nullptr : &parts_.skeletons.all[static_cast<size_t>(skin)];
    const int character = CharacterOf(stage_, scene_, prim, bound);
    if (character >= 0) return character;
    const size_t characters = scene_.characters.size();
    for (size_t p = 0; p < scene_.prop_prims.size(); ++p) {
      if (IsBelow(stage_, prim, scene_.prop_prims[p])) return static_cast<int>(characters + p);
    }
    return kScenery;
  }

  // Without joints, in another space than the world.
  Character Fixed(int owner, const std::vector<int>& owners, const Affine& into) {
    Character out = character::TakeFixed(owner, owners, whole_);
    character::MoveMeshes(into, out);
    return out;
  }

  absl::StatusOr<SceneModels::Model> Model(size_t c, const std::vector<int>& owners) {
    SceneModels::Model out;
    Character& who = out.character;
    who = character::TakeOwn(static_cast<int>(c), owners, whole_);
    who.name = scene_.scene.characters[c].name;
    who.ace_mouth = stage_.Text(scene_.characters[c].root, kMouthClose) == "ace";
    const Affine into = asset::Into(scene_.scene.characters[c].place);
    const auto put = [&](int node, const Trs& place) {
      character::CharacterNode& to = who.nodes[static_cast<size_t>(node)];
      to.translation = place.translation;
      to.rotation = place.rotation;
      to.scale = place.scale;
    };
    put(0, skel::Decompose(into));  // meshes that no skeleton moves
    // Its own skeleton, and such as those of clothes.
    std::vector<Skeleton> skeletons;
    std::vector<const std::vector<int>*> nodes;
    for (size_t s = 0; s < parts_.skeletons.all.size(); ++s) {
      const Skeleton& each = parts_.skeletons.all[s];
      if (CharacterOf(stage_, scene_, each.prim, &each) != static_cast<int>(c)) continue;
      Skeleton& skeleton = skeletons.emplace_back(each);
      PutInto(into, skeleton);
      const std::vector<int>& joints = whole_.skins[s].nodes;
      for (size_t j = 0; j < skeleton.rest.size(); ++j) put(joints[j], skeleton.rest[j]);
      if (joints.size() > skeleton.rest.size()) {
        const Trs& space = skeleton.space;
        const Affine held = skel::FromTrs(space.translation, space.rotation, space.scale);
        put(joints.back(), skel::Decompose(skel::Mul(held, into)));
      }
      nodes.push_back(&joints);
    }
    std::vector<double> times;
    std::vector<SkeletonMotion> motions;
    motions.reserve(skeletons.size());
    for (const Skeleton& skeleton : skeletons) {
      motions.emplace_back(stage_, skeleton);
      for (const char* of : {"blendShapeWeights", "translations", "rotations", "scales"}) {
        for (const double time : motions.back().Times(of)) {
          times.push_back(time == kEarliest ? scene_.first : time);
        }
      }
    }
    character::KeepDistinct(times);
    if (times.size() * who.nodes.size() > character::kMostNodePlaces) {
      return character::OverLimit("places of nodes of one character", character::kMostNodePlaces);
    }
    character::CharacterMotion& motion = out.motion;
    motion.name = "scene";
    motion.weights.resize(who.meshes.size());
    // Of each mesh and skeleton: the mesh's shape of each shape of the animation.
    std::vector<std::vector<std::vector<int>>> shapes;
    for (const character::Mesh& mesh : who.meshes) {
      std::vector<std::string> names;
      for (const mesh::BlendShape& shape : mesh.shapes) names.push_back(shape.name());
      auto& of = shapes.emplace_back();
      for (const SkeletonMotion& one : motions) of.push_back(MapNames(one.shapes(), names));
    }
    for (const double time : times) {
      motion.times_s.push_back((time + scene_.shift) / stage_.time_codes_per_second());
      std::vector<Trs>& now = motion.nodes.emplace_back();
      for (const character::CharacterNode& node : who.nodes) {
        now.push_back({node.translation, node.rotation, node.scale});
      }
      for (size_t s = 0; s < skeletons.size(); ++s) {
        const std::vector<JointPlace>& pose = motions[s].PoseAt(time);
        for (size_t j = 0; j < pose.size(); ++j) {
          Trs& to = now[static_cast<size_t>((*nodes[s])[j])];
          to.translation = pose[j].translation;
          to.rotation = skel::Normalized(pose[j].rotation);
          const skel::Vec3 by = pose[j].scale;
          to.scale = {to.scale.x * by.x, to.scale.y * by.y, to.scale.z * by.z};
        }
      }
      for (size_t m = 0; m < who.meshes.size(); ++m) {
        const std::vector<float>& rest = who.meshes[m].shape_weights;
        motion.weights[m].insert(motion.weights[m].end(), rest.begin(), rest.end());
      }
      for (size_t s = 0; s < motions.size(); ++s) {
        const std::vector<double> weights = motions[s].WeightsAt(time);
        for (size_t m = 0; m < who.meshes.size(); ++m) {
          const size_t first = motion.weights[m].size() - who.meshes[m].shapes.size();
          for (size_t i = 0; i < weights.size(); ++i) {
            const int shape = shapes[m][s][i];
            if (shape < 0) continue;
            motion.weights[m][first + static_cast<size_t>(shape)] = static_cast<float>(weights[i]);
          }
        }
      }
    }
    return out;
  }

  const Stage& stage_;
  const StageScene& scene_;
  Character whole_;
  StageParts parts_;
};

}  // namespace

absl::StatusOr<SceneModels> ReadSceneModels(absl::string_view bytes,
                                            const character::Limits& limits,
                                            const asset::ReadSidecar& read_sidecar,
                                            const BindingRules& rules) {
  absl::StatusOr<Layer> layer = Compose(bytes, read_sidecar, {.bytes = limits.bytes});
  if (!layer.ok()) return layer.status();
  const Stage stage(*std::move(layer));
  const absl::StatusOr<StageScene> scene = FindScene(stage, rules);
  if (!scene.ok()) return scene.status();
  return StageModels(stage, *scene).Read(limits, read_sidecar, rules);
}

}  // namespace posewire::usd
