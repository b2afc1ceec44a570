#include "libs/skel/mirror.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::skel {
namespace {

constexpr Quat Flip(Quat q) { return {q.w, q.x, -q.y, -q.z}; }
constexpr Vec3 Flip(Vec3 v) { return {-v.x, v.y, v.z}; }

}  // namespace

std::string OtherSide(absl::string_view name) {
  constexpr std::pair<const char*, const char*> kFront[] = {{"l_", "r_"}, {"L_", "R_"}};
  constexpr std::pair<const char*, const char*> kEnd[] = {
      {"_l", "_r"}, {"_L", "_R"}, {".L", ".R"}, {".l", ".r"}};
  constexpr std::pair<const char*, const char*> kWithin[] = {
      {"Left", "Right"}, {"left", "right"}, {"_L_", "_R_"}};
  for (const auto& [left, right] : kFront) {
    if (absl::StartsWith(name, left)) return absl::StrCat(right, name.substr(2));
    if (absl::StartsWith(name, right)) return absl::StrCat(left, name.substr(2));
  }
  for (const auto& [left, right] : kEnd) {
    if (absl::EndsWith(name, left)) return absl::StrCat(name.substr(0, name.size() - 2), right);
    if (absl::EndsWith(name, right)) return absl::StrCat(name.substr(0, name.size() - 2), left);
  }
  for (const auto& [left, right] : kWithin) {
    for (const auto& [from, to] : {std::pair(left, right), std::pair(right, left)}) {
      const size_t at = name.find(from);
      if (at == absl::string_view::npos) continue;
      return absl::StrCat(name.substr(0, at), to, name.substr(at + absl::string_view(from).size()));
    }
  }
  return std::string(name);
}

Mirror::Mirror(const Rig& rig) {
  for (int j = 0; j < rig.joints(); ++j) {
    const auto name = rig.joint_names()[static_cast<size_t>(j)];
    const int other = rig.FindJoint(OtherSide(name));
    const int up = rig.topology().parent(j);
    const Quat parent = up < 0 ? Quat{} : joints_[static_cast<size_t>(up)].self;
    joints_.push_back({other < 0 ? j : other, rig.rest().translation(j), parent,
                       Normalized(Mul(parent, rig.rest().rotation(j)))});
  }
  for (int s = 0; s < rig.shapes(); ++s) {
    const int other = rig.FindShape(OtherSide(rig.shape_names()[static_cast<size_t>(s)]));
    shapes_.push_back(other < 0 ? s : other);
  }
}

void Mirror::Run(const PoseView& in, const PoseSpan& out) const {
  out.ClearPresence();
  for (int to = 0; to < out.joints; ++to) {
    const Joint& there = joints_[static_cast<size_t>(to)];
    const int from = there.partner;
    const Joint& here = joints_[static_cast<size_t>(from)];
    if (in.has_t[from]) {
      const Vec3 way = Rotate(here.parent, in.translation(from) - here.rest);
      out.SetTranslation(to, there.rest + Rotate(Conjugate(there.parent), Flip(way)));
    }
    if (in.has_r[from]) {
      // The rotation away from rest, in model axes.
      const Quat turn = Mul(Mul(here.parent, in.rotation(from)), Conjugate(here.self));
      out.SetRotation(to, Normalized(Mul(Mul(Conjugate(there.parent), Flip(turn)), there.self)));
    }
    if (in.has_s[from]) out.SetScale(to, in.scale(from));
  }
  for (int to = 0; to < out.shapes; ++to) {
    const int from = shapes_[static_cast<size_t>(to)];
    if (in.has_w[from]) out.SetWeight(to, in.weights[from]);
  }
}

}  // namespace posewire::skel
