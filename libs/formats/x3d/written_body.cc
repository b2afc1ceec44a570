#include "libs/formats/x3d/written_body.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "libs/character/scene.h"
#include "libs/formats/x3d/scene_parts.h"
#include "libs/skel/model_place.h"

namespace posewire::x3d {
namespace {

using skel::Quat;
using skel::Vec3;

constexpr float kUnmoved = 1e-6f;
constexpr float kSamePlace_m = 2e-3f;
constexpr double kSameTime_s = 1e-6;
constexpr float kDegrees = 180 / std::numbers::pi_v<float>;
constexpr float kGimbal = 0.999999f;

// q = Rz(a) Rx(b) Ry(c).
Vec3 AnglesZxy(Quat q) {
  const Vec3 x = skel::Rotate(q, {1, 0, 0}), y = skel::Rotate(q, {0, 1, 0}),
             z = skel::Rotate(q, {0, 0, 1});
  const float sine = std::clamp(y.z, -1.0f, 1.0f);
  if (std::fabs(sine) > kGimbal) {
    return Vec3{std::atan2(x.y, x.x), std::asin(sine), 0} * kDegrees;
  }
  return Vec3{std::atan2(-y.x, y.y), std::asin(sine), std::atan2(-x.z, z.z)} * kDegrees;
}

}  // namespace

bool Apart(Vec3 a, Vec3 b) { return skel::Length(a - b) > kUnmoved; }

bool Apart(Quat a, Quat b) {
  const auto apart = [&](float sign) {
    return std::fabs(a.w - sign * b.w) + std::fabs(a.x - sign * b.x) + std::fabs(a.y - sign * b.y) +
           std::fabs(a.z - sign * b.z);
  };
  return std::min(apart(1), apart(-1)) > kUnmoved;
}

absl::StatusOr<WrittenBody> StandardBody(const JointNames& named,
                                         const std::vector<Vec3>& centers) {
  WrittenBody out;
  if (!named.is_hanim) return out;
  const absl::StatusOr<skel::RigCatalog> catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return catalog.status();
  const auto found = catalog->Find(absl::StrCat("hanim_loa", named.level < 0 ? 4 : named.level));
  if (!found.ok()) return found.status();
  const skel::Rig& rig = **found;
  const size_t joints = named.known.size();
  out.limits.resize(joints), out.stiffness.resize(joints);
  std::vector<int> joint_of(static_cast<size_t>(rig.joints()), -1);
  bool same = true;
  for (size_t j = 0; j < joints; ++j) {
    const int at = named.known[j].empty() ? -1 : rig.FindJoint(named.known[j]);
    if (at < 0) continue;
    const auto r = static_cast<size_t>(at);
    joint_of[r] = static_cast<int>(j);
    if (!rig.limits().empty()) out.limits[j] = rig.limits()[r];
    if (!rig.stiffness().empty()) out.stiffness[j] = rig.stiffness()[r];
    const Vec3 rest = skel::PlaceOf(rig, rig.rest(), at).at;
    same = same && skel::Length(rest - centers[j]) < kSamePlace_m;
  }
  if (!same) return out;
  for (const skel::Site& site : rig.sites()) {
    const int j = joint_of[static_cast<size_t>(site.joint)];
    if (j < 0) continue;
    const auto joint = static_cast<size_t>(j);
    out.sites.push_back({site.name, joint, centers[joint] + site.offset, site.rotation});
  }
  return out;
}

WrittenBody CharacterBody(const character::Character& of, const std::vector<int>& joint_of,
                          const std::vector<skel::Affine>& models, size_t joints) {
  WrittenBody out;
  if (!of.same_joints) return out;
  const skel::Rig& rig = *of.rig;
  std::vector<int> node_of(static_cast<size_t>(rig.joints()), -1);
  for (const character::Link& link : of.links) node_of[static_cast<size_t>(link.joint)] = link.node;
  out.limits.resize(joints), out.stiffness.resize(joints);
  for (size_t r = 0; r < node_of.size(); ++r) {
    const int j = node_of[r] < 0 ? -1 : joint_of[static_cast<size_t>(node_of[r])];
    if (j < 0) continue;
    if (!rig.limits().empty()) out.limits[static_cast<size_t>(j)] = rig.limits()[r];
    if (!rig.stiffness().empty()) out.stiffness[static_cast<size_t>(j)] = rig.stiffness()[r];
  }
  const bool own = !of.sites.empty();
  const absl::Span<const skel::Site> sites = own ? absl::MakeConstSpan(of.sites) : rig.sites();
  for (const skel::Site& site : sites) {
    const int node = node_of[static_cast<size_t>(site.joint)];
    const int j = node < 0 ? -1 : joint_of[static_cast<size_t>(node)];
    if (j < 0) continue;
    const skel::Affine& model = models[static_cast<size_t>(node)];
    std::optional<Quat> turn = site.rotation;
    if (turn) turn = skel::Mul(skel::Decompose(model).rotation, *turn);
    out.sites.push_back(
        {site.name, static_cast<size_t>(j), skel::TransformPoint(model, site.offset), turn});
  }
  return out;
}

std::vector<bool> WrittenNodes(const character::Character& of) {
  std::vector<bool> out = character::BodyNodes(of), needed(of.nodes.size(), false);
  const auto need = [&](int node) {
    if (node >= 0) needed[static_cast<size_t>(node)] = true;
  };
  for (const character::CharacterNode& node : of.nodes) need(node.parent);
  for (const character::Link& link : of.links) need(link.node);
  for (const auto& lattice : of.after_skin.lattices) need(lattice.node);
  for (const character::Mesh& mesh : of.meshes) {
    if (mesh.skin < 0) need(mesh.node);
    if (mesh.skin < 0) continue;
    const std::vector<int>& nodes = of.skins[static_cast<size_t>(mesh.skin)].nodes;
    for (size_t i = 0; i < mesh.joints.size(); ++i) {
      if (mesh.weights[i] != 0) need(nodes[static_cast<size_t>(mesh.joints[i])]);
    }
  }
  for (size_t n = 0; n < out.size(); ++n) {
    out[n] = out[n] && (needed[n] || !of.nodes[n].name.empty());
  }
  return out;
}

absl::StatusOr<MotionFrames> FramesOf(const std::vector<std::string>& joints,
                                      absl::Span<const double> times_s,
                                      const std::vector<std::vector<Quat>>& turns,
                                      const std::vector<std::vector<Vec3>>& ways) {
  MotionFrames out;
  const size_t frames = times_s.size();
  out.frame_s =
      frames < 2 ? 1.0 / 30 : (times_s.back() - times_s.front()) / static_cast<double>(frames - 1);
  for (size_t f = 0; f < frames; ++f) {
    const double even = times_s.front() + out.frame_s * static_cast<double>(f);
    if (std::fabs(times_s[f] - even) <= kSameTime_s) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("an HAnimMotion has frames of one rate, and time ", f, " of the motion is ",
                     times_s[f], " s, not ", even, ": give a rate"));
  }
  for (size_t j = 0; j < joints.size(); ++j) {
    absl::StrAppend(&out.joints, j == 0 ? "" : " ", joints[j]);
    const bool moves = !ways[j].empty(), turned = !turns[j].empty();
    absl::StrAppend(&out.channels, j == 0 ? "" : ", ", (moves ? 3 : 0) + (turned ? 3 : 0),
                    moves ? " Xposition Yposition Zposition" : "",
                    turned ? " Zrotation Xrotation Yrotation" : "");
  }
  for (size_t f = 0; f < frames; ++f) {
    for (size_t j = 0; j < joints.size(); ++j) {
      if (!ways[j].empty()) {
        absl::StrAppend(&out.values, out.values.empty() ? "" : " ", TextOf(ways[j][f]));
      }
      if (!turns[j].empty()) {
        absl::StrAppend(&out.values, out.values.empty() ? "" : " ", TextOf(AnglesZxy(turns[j][f])));
      }
    }
  }
  return out;
}

}  // namespace posewire::x3d
