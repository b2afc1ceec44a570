#include "libs/formats/gltf/scene_models.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/asset/read_options.h"
#include "libs/formats/gltf/document.h"
#include "libs/formats/gltf/extras.h"
#include "libs/formats/gltf/joints.h"
#include "libs/formats/gltf/node_motion.h"
#include "libs/formats/gltf/node_scene.h"
#include "libs/formats/gltf/scene.h"

namespace posewire::gltf {
namespace {

using character::Character;
using character::CharacterMotion;
using character::SceneModels;
using skel::Affine;
using skel::Trs;

constexpr int kScenery = -1, kOfNone = -2;

class ModelsReader {
 public:
  ModelsReader(Document& document, const NodeScene& scene)
      : document_(document),
        scene_(scene),
        tree_(ReadJointNodes(document)),
        motion_(document, tree_, std::nullopt) {}

  absl::StatusOr<SceneModels> Read(const character::Limits& limits) {
    const absl::Status read =
        ReadScene(document_, limits, ReadInbetweens(document_), whole_, origins_);
    if (!read.ok()) return read;
    if (!document_.status().ok()) return document_.status();
    const auto characters = static_cast<int>(scene_.characters.size());
    const auto props = static_cast<int>(scene_.prop_nodes.size());
    // The owner of each mesh: a character, a prop after these, or one of the last two.
    std::vector<int> owners;
    for (const character::MeshOrigin& origin : origins_) {
      int owner = scene_.owners[static_cast<size_t>(origin.node)];
      for (int at = origin.node; owner < 0 && at >= 0; at = ParentOf(at)) {
        const auto prop = std::find(scene_.prop_nodes.begin(), scene_.prop_nodes.end(), at);
        if (prop == scene_.prop_nodes.end()) continue;
        owner = characters + static_cast<int>(prop - scene_.prop_nodes.begin());
      }
      const bool skinned = whole_.meshes[owners.size()].skin >= 0;
      owners.push_back(owner >= 0 ? owner : skinned ? kOfNone : kScenery);
      if (owners.back() != kOfNone) continue;
      whole_.notes.push_back(
          absl::StrCat("nodes[", origin.node, "] has the skin of no character, and is left out"));
    }
    SceneModels out;
    for (int c = 0; c < characters; ++c) {
      auto model = Model(c, owners);
      if (!model.ok()) return model.status();
      out.characters.push_back(*std::move(model));
    }
    for (int p = 0; p < props; ++p) {
      const asset::SceneProp& prop = scene_.scene.props[static_cast<size_t>(p)];
      const Affine into = skel::Inverse(character::PlaceOf(prop.places[0])).value_or(Affine{});
      out.props.push_back(Fixed(characters + p, owners, prop.times_s[0], into));
    }
    out.scenery = Fixed(kScenery, owners, 0, {});
    out.notes = std::move(whole_.notes);
    if (!document_.status().ok()) return document_.status();
    return out;
  }

 private:
  int ParentOf(int node) const { return tree_[static_cast<size_t>(node)].parent; }

  // The meshes of one owner as they are at a time, in another space.
  Character Fixed(int owner, const std::vector<int>& owners, double time_s, const Affine& into) {
    Character out = character::TakeFixed(owner, owners, whole_);
    for (character::Mesh& mesh : out.meshes) {
      const Affine here = skel::Mul(motion_.WorldAt(mesh.node, time_s), into);
      Character one;
      one.meshes.push_back(std::move(mesh));
      character::MoveMeshes(here, one);
      mesh = std::move(one.meshes[0]);
    }
    return out;
  }

  // A character's own nodes keep their numbers; those above them are merged into its roots.
  absl::StatusOr<SceneModels::Model> Model(int c, const std::vector<int>& owners) {
    SceneModels::Model out;
    Character& who = out.character;
    who = character::TakeOwn(c, owners, whole_);
    who.name = scene_.scene.characters[static_cast<size_t>(c)].name;
    const Affine into = asset::Into(scene_.scene.characters[static_cast<size_t>(c)].place);
    std::vector<int> above(tree_.size(), -1);  // of each own node: the nearest one of its own
    std::vector<double>& times_s = out.motion.times_s;
    for (size_t n = 0; n < tree_.size(); ++n) {
      if (scene_.owners[n] != c) continue;
      int at = tree_[n].parent;
      while (at >= 0 && scene_.owners[static_cast<size_t>(at)] != c) at = ParentOf(at);
      above[n] = at;
      const std::vector<double> own = motion_.Times(static_cast<int>(n));
      times_s.insert(times_s.end(), own.begin(), own.end());
    }
    std::vector<const Sampler*> weights;  // of each mesh
    for (size_t m = 0; m < owners.size(); ++m) {
      if (owners[m] != c) continue;
      const size_t shapes = who.meshes[weights.size()].shapes.size();
      const Sampler* sampler = motion_.Weights(origins_[m].node);
      if (sampler != nullptr && sampler->width != shapes) sampler = nullptr;
      if (sampler != nullptr) sampler->AddTimes(times_s);
      weights.push_back(sampler);
    }
    character::KeepDistinct(times_s);
    if (times_s.empty()) times_s.push_back(0);
    if (times_s.size() * tree_.size() > character::kMostNodePlaces) {
      return character::OverLimit("places of nodes of one character", character::kMostNodePlaces);
    }
    const auto place_at = [&](size_t n, const auto& local_of) -> Trs {
      if (above[n] >= 0 && above[n] == tree_[n].parent) return local_of(static_cast<int>(n));
      Affine all;
      for (int at = static_cast<int>(n); at != above[n]; at = ParentOf(at)) {
        const Trs local = local_of(at);
        all = skel::Mul(all, skel::FromTrs(local.translation, local.rotation, local.scale));
      }
      return skel::Decompose(above[n] < 0 ? skel::Mul(all, into) : all);
    };
    for (const double time_s : times_s) {
      std::vector<Trs>& now = out.motion.nodes.emplace_back(tree_.size());
      for (size_t n = 0; n < tree_.size(); ++n) {
        if (scene_.owners[n] != c) continue;
        now[n] = place_at(n, [&](int at) { return motion_.LocalAt(at, time_s); });
      }
    }
    for (size_t n = 0; n < tree_.size(); ++n) {
      character::CharacterNode& node = who.nodes[n];
      if (scene_.owners[n] != c) {
        node = {};
        continue;
      }
      const Trs rest = place_at(n, [&](int at) -> Trs {
        const character::CharacterNode& of = whole_.nodes[static_cast<size_t>(at)];
        return {of.translation, of.rotation, of.scale};
      });
      node.parent = above[n];
      node.translation = rest.translation;
      node.rotation = rest.rotation;
      node.scale = rest.scale;
    }
    for (size_t m = 0; m < weights.size(); ++m) {
      std::vector<float>& all = out.motion.weights.emplace_back();
      if (weights[m] == nullptr) continue;
      std::vector<float> now(weights[m]->width);
      for (const double time_s : times_s) {
        weights[m]->At(time_s, now.data());
        all.insert(all.end(), now.begin(), now.end());
      }
    }
    out.motion.name = "scene";
    return out;
  }

  Document& document_;
  const NodeScene& scene_;
  const std::vector<JointNode> tree_;
  NodeMotion motion_;
  Character whole_;
  std::vector<character::MeshOrigin> origins_;
};

}  // namespace

absl::StatusOr<SceneModels> ReadSceneModels(absl::string_view bytes,
                                            const character::Limits& limits,
                                            const asset::ReadSidecar& read_sidecar) {
  auto document = Document::Parse(bytes, limits, read_sidecar);
  if (!document.ok()) return document.status();
  const absl::StatusOr<NodeScene> scene = FindScene(**document, "", asset::ReadOptions().stopped);
  if (!scene.ok()) return scene.status();
  return ModelsReader(**document, *scene).Read(limits);
}

}  // namespace posewire::gltf
