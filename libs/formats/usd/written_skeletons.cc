#include "libs/formats/usd/written_skeletons.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "libs/character/scene.h"
#include "libs/formats/usd/usda_text.h"

namespace posewire::usd {
namespace {

using character::CharacterMotion;
using mesh::Extent;
using skel::Affine;
using skel::Trs;
using skel::Vec3;

constexpr float kSameBind = 1e-4f;

float UniformScale(const Affine& m) {
  const float volume = skel::Dot(skel::Cross(m.row[0], m.row[1]), m.row[2]);
  const float scale = std::cbrt(std::fabs(volume));
  return scale > 0 && std::isfinite(scale) ? scale : 1;
}

bool Alike(const Affine& a, const Affine& b) {
  for (size_t r = 0; r < 4; ++r) {
    if (skel::Length(a.row[r] - b.row[r]) > kSameBind * (1 + skel::Length(a.row[r]))) return false;
  }
  return true;
}

}  // namespace

WrittenSkeletons::WrittenSkeletons(const character::Character& character)
    : of_(character),
      root_(skel::FromTrs(of_.root.translation, of_.root.rotation, of_.root.scale)) {
  FindNodes();
  if (!joints_.empty()) MakeSkeletons();
}

void WrittenSkeletons::FindNodes() {
  const std::vector<bool> body = character::BodyNodes(of_);
  joint_of_.assign(of_.nodes.size(), -1);
  sizes_.assign(of_.nodes.size(), 1);
  std::vector<Affine> models(of_.nodes.size());
  for (const int n : of_.order) {
    const auto node = static_cast<size_t>(n);
    const character::CharacterNode& at = of_.nodes[node];
    models[node] = skel::Mul(skel::FromTrs(at.translation, at.rotation, at.scale),
                             at.parent < 0 ? root_ : models[static_cast<size_t>(at.parent)]);
    sizes_[node] = UniformScale(models[node]);
    if (!body[node]) continue;
    joint_of_[node] = static_cast<int>(joints_.size());
    joints_.push_back(n);
  }
}

Trs WrittenSkeletons::Local(size_t node, const Trs& own) const {
  const int parent = of_.nodes[node].parent;
  Trs out = own;
  if (parent < 0) {
    out =
        skel::Decompose(skel::Mul(skel::FromTrs(own.translation, own.rotation, own.scale), root_));
  }
  const float above = parent < 0 ? 1 : sizes_[static_cast<size_t>(parent)];
  if (parent >= 0) out.translation = out.translation * above;
  out.scale = out.scale * (above / sizes_[node]);
  // Rounding would be kept in half floats.
  const auto one = [](float s) { return std::fabs(s - 1) < 1e-5f ? 1.0f : s; };
  out.scale = {one(out.scale.x), one(out.scale.y), one(out.scale.z)};
  out.rotation = skel::Normalized(out.rotation);
  return out;
}

// Returns the bind transform of a skin's joint, in metres; nothing if it has no inverse.
std::optional<Affine> WrittenSkeletons::BindOf(const character::Skin& skin, size_t joint) const {
  const float size = sizes_[static_cast<size_t>(skin.nodes[joint])];
  const auto back = skel::Inverse(skin.inverse_bind[joint]);
  if (!back) return std::nullopt;
  return skel::Mul(skel::Mul(skel::FromTrs({}, {}, {1 / size, 1 / size, 1 / size}), *back), root_);
}

void WrittenSkeletons::MakeSkeletons() {
  skeleton_of_.assign(of_.skins.size(), 0);
  std::vector<std::vector<std::optional<Affine>>> binds(1);
  binds[0].resize(joints_.size());
  for (size_t s = 0; s < of_.skins.size(); ++s) {
    const character::Skin& skin = of_.skins[s];
    std::vector<std::optional<Affine>> own(joints_.size());
    for (size_t j = 0; j < skin.nodes.size(); ++j) {
      own[static_cast<size_t>(joint_of_[static_cast<size_t>(skin.nodes[j])])] = BindOf(skin, j);
    }
    size_t k = 0;
    for (; k < binds.size(); ++k) {
      bool fits = true;
      for (size_t j = 0; j < own.size() && fits; ++j) {
        fits = !own[j] || !binds[k][j] || Alike(*own[j], *binds[k][j]);
      }
      if (fits) break;
    }
    if (k == binds.size()) binds.emplace_back(joints_.size());
    for (size_t j = 0; j < own.size(); ++j) {
      if (!binds[k][j]) binds[k][j] = own[j];
    }
    skeleton_of_[s] = k;
  }
  WrittenSkeleton first;
  PrimNames tokens;
  for (size_t j = 0; j < joints_.size(); ++j) {
    const auto node = static_cast<size_t>(joints_[j]);
    const character::CharacterNode& at = of_.nodes[node];
    const int parent = at.parent < 0 ? -1 : joint_of_[static_cast<size_t>(at.parent)];
    first.rest.push_back(Local(node, {at.translation, at.rotation, at.scale}));
    const Trs& rest = first.rest.back();
    const Affine own = skel::FromTrs(rest.translation, rest.rotation, rest.scale);
    first.model.push_back(parent < 0 ? own
                                     : skel::Mul(own, first.model[static_cast<size_t>(parent)]));
    first.labels.push_back(at.name);
    const std::string name = tokens.Take(at.name.empty() ? "joint" : at.name);
    first.tokens.push_back(
        parent < 0 ? name : absl::StrCat(first.tokens[static_cast<size_t>(parent)], "/", name));
  }
  for (const auto& bind : binds) {
    WrittenSkeleton& out = skeletons_.emplace_back(first);
    for (size_t j = 0; j < bind.size(); ++j) out.bind.push_back(bind[j].value_or(out.model[j]));
  }
}

Extent WrittenSkeletons::PointsAtRest() const {
  std::optional<Extent> out;
  for (const character::Mesh& mesh : of_.meshes) {
    std::vector<Affine> moved;
    if (mesh.skin >= 0) {
      const character::Skin& skin = of_.skins[static_cast<size_t>(mesh.skin)];
      const WrittenSkeleton& on = skeletons_[skeleton_of_[static_cast<size_t>(mesh.skin)]];
      for (const int n : skin.nodes) {
        const auto j = static_cast<size_t>(joint_of_[static_cast<size_t>(n)]);
        moved.push_back(skel::Mul(skel::Inverse(on.bind[j]).value_or(Affine{}), on.model[j]));
      }
    }
    const auto per = static_cast<size_t>(mesh.per_point);
    const Affine place = PlaceOf(mesh);
    for (size_t i = 0; i < mesh.points.size(); ++i) {
      const Vec3 p = skel::TransformPoint(place, mesh.points[i]);
      Vec3 at = mesh.skin < 0 ? p : Vec3{};
      for (size_t k = 0; mesh.skin >= 0 && k < per; ++k) {
        const size_t i_k = i * per + k;
        at = at + skel::TransformPoint(moved[static_cast<size_t>(mesh.joints[i_k])], p) *
                      mesh.weights[i_k];
      }
      mesh::Include(at, out);
    }
  }
  return out.value_or(Extent{});
}

std::vector<Extent> WrittenSkeletons::PointExtents(const CharacterMotion* motion) const {
  if (motion != nullptr && !motion->extents.empty()) return motion->extents;
  const Extent rest = PointsAtRest();
  std::vector<Extent> out = {rest};
  if (motion == nullptr || joints_.empty()) return out;
  const float padding = mesh::ExtentPadding(JointExtents(nullptr)[0], rest);
  out = JointExtents(motion);
  for (Extent& extent : out) extent = mesh::Padded(extent, padding);
  return out;
}

Affine WrittenSkeletons::PlaceOf(const character::Mesh& mesh) const {
  if (mesh.skin >= 0 || mesh.node < 0) return root_;
  const auto j = static_cast<size_t>(joint_of_[static_cast<size_t>(mesh.node)]);
  const float size = sizes_[static_cast<size_t>(mesh.node)];
  return skel::Mul(skel::FromTrs({}, {}, {size, size, size}), skeletons_[0].model[j]);
}

std::vector<Extent> WrittenSkeletons::JointExtents(const CharacterMotion* motion) const {
  if (motion == nullptr) return {mesh::JointExtent(skeletons_[0].model)};
  std::vector<Extent> out;
  std::vector<Affine> models(joints_.size());
  for (const std::vector<Trs>& pose : motion->nodes) {
    for (size_t j = 0; j < joints_.size(); ++j) {
      const auto node = static_cast<size_t>(joints_[j]);
      const int parent = of_.nodes[node].parent;
      const Trs t = Local(node, pose[node]);
      const Affine own = skel::FromTrs(t.translation, t.rotation, t.scale);
      models[j] =
          parent < 0
              ? own
              : skel::Mul(own, models[static_cast<size_t>(joint_of_[static_cast<size_t>(parent)])]);
    }
    out.push_back(mesh::JointExtent(models));
  }
  return out;
}

}  // namespace posewire::usd
