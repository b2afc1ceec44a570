#include "libs/character/springs.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/formats/gltf/document.h"
#include "libs/formats/gltf/vrm.h"
#include "libs/skel/affine.h"

namespace posewire::gltf {
namespace {

using skel::Vec3;

constexpr size_t kMost = 1024;
constexpr float kLeast = 1e-6f;

Vec3 VectorOf(const Json& from, Vec3 fallback) {
  const std::vector<float> v = from.Floats(3);
  return v.empty() ? fallback : Vec3{v[0], v[1], v[2]};
}

float NumberOf(const Json& from, double fallback) {
  return static_cast<float>(from.Number(fallback, -1e6, 1e6));
}

void ReadColliders(const Json& from, const character::Character& character,
                   character::SpringSet& out) {
  for (size_t i = 0; i < from.size(); ++i) {
    const Json one = from.At(i);
    character::SpringCollider& made = out.colliders.emplace_back();
    made.node = one["node"].Index(character.nodes.size());
    const bool capsule = one["shape"]["capsule"].exists();
    const Json shape = one["shape"][capsule ? "capsule" : "sphere"];
    made.offset = VectorOf(shape["offset"], {});
    made.tail = capsule ? VectorOf(shape["tail"], {}) : made.offset;
    made.radius = NumberOf(shape["radius"], 0);
  }
}

// Returns a node's rest position in the space of the node `above`; nothing if it is not below it.
std::optional<Vec3> PlaceBelow(const character::Character& character, int above, int node) {
  Vec3 at;
  while (node >= 0 && node != above) {
    const character::CharacterNode& own = character.nodes[static_cast<size_t>(node)];
    at = skel::TransformPoint(skel::FromTrs(own.translation, own.rotation, own.scale), at);
    node = own.parent;
  }
  return node == above ? std::optional(at) : std::nullopt;
}

// Every joint of a chain but the last swings. Its end is the next joint.
void ReadChain(const Json& from, const Json& groups, const character::Character& character,
               character::SpringSet& out) {
  std::vector<int> colliders;
  for (size_t g = 0; g < from["colliderGroups"].size(); ++g) {
    const int group = from["colliderGroups"].At(g).Index(groups.size());
    if (group < 0) continue;
    const Json of = groups.At(static_cast<size_t>(group))["colliders"];
    for (size_t k = 0; k < of.size() && colliders.size() < kMost; ++k) {
      const int collider = of.At(k).Index(out.colliders.size());
      if (collider >= 0 && out.colliders[static_cast<size_t>(collider)].node >= 0) {
        colliders.push_back(collider);
      }
    }
  }
  const Json joints = from["joints"];
  const int center = from["center"].Index(character.nodes.size());
  for (size_t k = 0; k + 1 < joints.size(); ++k) {
    const Json one = joints.At(k);
    character::SpringJoint joint;
    joint.node = one["node"].Index(character.nodes.size());
    const int child = joints.At(k + 1)["node"].Index(character.nodes.size());
    if (joint.node < 0 || child < 0) continue;
    const std::optional<Vec3> end = PlaceBelow(character, joint.node, child);
    if (!end) {
      joints.At(k + 1)["node"].Wrong(
          absl::StrCat("is ", child, ", expected a node below node ", joint.node));
      return;
    }
    joint.end = *end;
    if (!(skel::Length(joint.end) > kLeast)) continue;
    joint.hit = NumberOf(one["hitRadius"], 0);
    joint.stiffness = NumberOf(one["stiffness"], 1);
    joint.drag = std::clamp(NumberOf(one["dragForce"], 0.5), 0.0f, 1.0f);
    joint.gravity = VectorOf(one["gravityDir"], {0, -1, 0}) * NumberOf(one["gravityPower"], 0);
    joint.center = center;
    joint.colliders = colliders;
    out.joints.push_back(std::move(joint));
    if (out.joints.size() > kMost) return;
  }
}

}  // namespace

void ReadSprings(Document& document, character::Character& out) {
  const Json from = document.root()["extensions"]["VRMC_springBone"];
  if (!from.exists()) return;
  const Json colliders = from["colliders"], springs = from["springs"];
  character::SpringSet set;
  if (colliders.size() > kMost || springs.size() > kMost) {
    from.Wrong(absl::StrCat("has ", colliders.size(), " colliders and ", springs.size(),
                            " springs, and at most ", kMost, " of each are read"));
    return;
  }
  ReadColliders(colliders, out, set);
  for (size_t i = 0; i < springs.size() && document.status().ok(); ++i) {
    ReadChain(springs.At(i), from["colliderGroups"], out, set);
    if (set.joints.size() > kMost) {
      springs.Wrong(absl::StrCat("has over ", kMost, " joints"));
      return;
    }
  }
  if (!document.status().ok()) return;
  std::vector<int> place(out.nodes.size());
  for (size_t i = 0; i < out.order.size(); ++i)
    place[static_cast<size_t>(out.order[i])] = static_cast<int>(i);
  std::stable_sort(set.joints.begin(), set.joints.end(),
                   [&](const character::SpringJoint& a, const character::SpringJoint& b) {
                     return place[static_cast<size_t>(a.node)] < place[static_cast<size_t>(b.node)];
                   });
  // A node that two chains name belongs to the first.
  set.joints.erase(std::unique(set.joints.begin(), set.joints.end(),
                               [](const character::SpringJoint& a,
                                  const character::SpringJoint& b) { return a.node == b.node; }),
                   set.joints.end());
  out.springs = std::move(set);
}

}  // namespace posewire::gltf
