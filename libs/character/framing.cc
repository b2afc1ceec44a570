#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/character/bind.h"
#include "libs/character/deformer.h"

namespace posewire::character {
namespace {

using skel::HumanBone;
using skel::Vec3;

// Height of the middle of the face above the head's joint, as a fraction of the head's height.
constexpr float kFaceShare = 0.4f;
// Least height of a head, as a fraction of the character's.
constexpr float kLeastHead = 0.1f;
// Used if no head is known: its fraction of the character's height, and the height below which the
// whole character is a head.
constexpr float kHeadShare = 0.14f, kHeadAloneM = 0.6f;

}  // namespace

absl::Status Frame(Character& out) {
  // Does not own the character, which outlives the deformer.
  Deformer deformer(std::shared_ptr<const Character>(std::shared_ptr<void>(), &out));
  if (absl::Status s = deformer.Pose(out.rig->rest()); !s.ok()) return s;
  int head = -1;
  const int head_joint = out.rig->humanoid().joint(HumanBone::kHead);
  for (const Link& link : out.links) {
    if (link.joint == head_joint) head = link.node;
  }
  std::vector<bool> of_head(out.nodes.size(), false);
  for (const int n : out.order) {
    const int parent = out.nodes[static_cast<size_t>(n)].parent;
    of_head[static_cast<size_t>(n)] =
        n == head || (parent >= 0 && of_head[static_cast<size_t>(parent)]);
  }
  mesh::Extent all{{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}};
  float top = -1e30f;
  for (size_t m = 0; m < out.meshes.size(); ++m) {
    if (!deformer.shown(m)) continue;
    const Mesh& mesh = out.meshes[m];
    const auto per = static_cast<size_t>(mesh.per_point);
    for (size_t i = 0; i < mesh.points.size(); ++i) {
      const Vec3 p = deformer.points(m)[i];
      all.low = {std::min(all.low.x, p.x), std::min(all.low.y, p.y), std::min(all.low.z, p.z)};
      all.high = {std::max(all.high.x, p.x), std::max(all.high.y, p.y), std::max(all.high.z, p.z)};
      if (p.y <= top || head < 0) continue;
      const auto heaviest = static_cast<size_t>(
          std::max_element(mesh.weights.begin() + static_cast<std::ptrdiff_t>(i * per),
                           mesh.weights.begin() + static_cast<std::ptrdiff_t>((i + 1) * per)) -
          mesh.weights.begin());
      const int node = mesh.skin < 0 ? mesh.node
                                     : out.skins[static_cast<size_t>(mesh.skin)]
                                           .nodes[static_cast<size_t>(mesh.joints[heaviest])];
      if (of_head[static_cast<size_t>(node)]) top = p.y;
    }
  }
  if (all.low.x > all.high.x) return absl::InvalidArgumentError("nothing of its scene is shown");
  for (const float v : {all.low.x, all.low.y, all.low.z, all.high.x, all.high.y, all.high.z}) {
    if (!std::isfinite(v) || std::fabs(v) > 1e6f) {
      return absl::InvalidArgumentError(absl::StrCat("its points reach to ", v, " m"));
    }
  }
  out.framing.extent = all;
  const float high = all.high.y - all.low.y;
  if (head >= 0) {
    const auto at = [&](int node) { return deformer.nodes()[static_cast<size_t>(node)].row[3]; };
    const Vec3 base = at(head);
    std::vector<Vec3> eyes;
    for (const Link& link : out.links) {
      const auto bone = out.rig->humanoid().BoneOf(link.joint);
      if (bone == HumanBone::kLeftEye || bone == HumanBone::kRightEye)
        eyes.push_back(at(link.node));
    }
    // Eyes are halfway up a head. If they are unknown, the head's joint is taken as the chin.
    if (eyes.size() == 2 && top > (eyes[0].y + eyes[1].y) / 2) {
      const Vec3 middle = (eyes[0] + eyes[1]) * 0.5f;
      out.framing.head_m = std::max(2 * (top - middle.y), kLeastHead * high);
      out.framing.face = {middle.x, middle.y - Framing::kBelowEyes * out.framing.head_m, base.z};
      return absl::OkStatus();
    }
    if (top > base.y) {
      out.framing.head_m = std::max(top - base.y, kLeastHead * high);
      out.framing.face = base + Vec3{0, kFaceShare * out.framing.head_m, 0};
      return absl::OkStatus();
    }
  }
  out.framing.head_m = high < kHeadAloneM ? high : kHeadShare * high;
  out.framing.face = (all.low + all.high) * 0.5f;
  out.framing.face.y = all.high.y - (1 - kFaceShare) * out.framing.head_m;
  return absl::OkStatus();
}

}  // namespace posewire::character
