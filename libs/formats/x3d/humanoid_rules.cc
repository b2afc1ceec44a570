#include "libs/formats/x3d/humanoid_rules.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/formats/x3d/fields.h"
#include "libs/formats/x3d/humanoid.h"
#include "libs/formats/x3d/segment_names.h"

namespace posewire::x3d {
namespace {

using skel::Vec3;

constexpr float kLeastHeight_m = 0.5f, kMostHeight_m = 3;
// A limb hangs straight within 20 degrees.
constexpr float kStraight = 0.94f;
constexpr float kSoleJoint_m = 0.15f, kMiddle_m = 0.05f;
constexpr float kWeightSum = 1e-2f;

class RuleChecker {
 public:
  RuleChecker(const Scene& scene, const skel::Rig& standard, const HAnimHumanoid& human)
      : scene_(scene), standard_(standard), human_(human) {
    for (const HumanoidJoint& joint : human.joints) {
      known_.push_back(standard.FindJoint(joint.name));
      by_name_.try_emplace(joint.name, known_.size() - 1);
      const skel::Affine rest =
          skel::FromTrs(joint.rest.translation, joint.rest.rotation, joint.rest.scale);
      models_.push_back(
          joint.parent < 0 ? rest : skel::Mul(rest, models_[static_cast<size_t>(joint.parent)]));
    }
  }

  std::vector<RuleBreak> Check() {
    CheckNames();
    CheckOrder();
    CheckDefaults();
    CheckLimits();
    CheckSegments();
    Walk(human_.node, 0);
    CheckLists();
    CheckSkin();
    CheckStance();
    std::stable_sort(out_.begin(), out_.end(), [](const RuleBreak& a, const RuleBreak& b) {
      return std::tie(a.file, a.line) < std::tie(b.file, b.line);
    });
    return std::move(out_);
  }

 private:
  const X3dNode& node(int index) const { return scene_.nodes[static_cast<size_t>(index)]; }

  void Break(const X3dNode& at, std::string what) {
    if (out_.size() >= kMostBreaks) return;
    const auto index = static_cast<int>(&at - scene_.nodes.data());
    out_.push_back({at.line, std::move(what), std::string(scene_.FileOf(index))});
  }

  bool basic() const {
    const std::string kind = String(node(human_.node), "skeletalConfiguration");
    return kind.empty() || kind == "BASIC";
  }

  void CheckNames() {
    absl::flat_hash_set<std::string> seen;
    for (size_t j = 0; j < human_.joints.size(); ++j) {
      const HumanoidJoint& joint = human_.joints[j];
      if (joint.parent < 0 && joint.name != "HumanoidRoot" && basic()) {
        Break(node(joint.node),
              absl::StrCat("the root joint is ", joint.name, ", not HumanoidRoot"));
      }
      if (!seen.insert(joint.name).second) {
        Break(node(joint.node), absl::StrCat("another joint is called ", joint.name));
      }
      if (known_[j] < 0 && !absl::StartsWith(joint.name, "x_") && basic()) {
        Break(node(joint.node),
              absl::StrCat("joint ", joint.name, " is not the standard's, and has no prefix x_"));
      }
    }
  }

  // Standard joints keep their order, and none may be put between them.
  void CheckOrder() {
    std::vector<bool> holds(human_.joints.size(), false);
    for (size_t j = human_.joints.size(); j-- > 0;) {
      const HumanoidJoint& joint = human_.joints[j];
      if (joint.parent < 0) continue;
      const auto parent = static_cast<size_t>(joint.parent);
      if (known_[j] >= 0 || holds[j]) holds[parent] = true;
      if (known_[j] < 0 && holds[j]) {
        Break(node(joint.node),
              absl::StrCat("joint ", joint.name, " is within a chain of the standard's"));
      }
      if (known_[j] < 0 || known_[parent] < 0) continue;
      int above = known_[j];
      while (above >= 0 && above != known_[parent]) above = standard_.topology().parent(above);
      if (above < 0) {
        Break(node(joint.node),
              absl::StrCat("joint ", joint.name, " is below ", human_.joints[parent].name,
                           ", which the standard does not have above it"));
        continue;
      }
      // A joint that the humanoid has between the two is passed over.
      for (int between = standard_.topology().parent(known_[j]);
           between >= 0 && between != known_[parent];
           between = standard_.topology().parent(between)) {
        const std::string& name = standard_.joint_names()[static_cast<size_t>(between)];
        if (!by_name_.contains(name)) continue;
        Break(node(joint.node), absl::StrCat("joint ", joint.name, " is below ",
                                             human_.joints[parent].name, ", not below ", name));
        break;
      }
    }
  }

  void CheckDefaults() {
    for (const HumanoidJoint& joint : human_.joints) {
      const X3dNode& at = node(joint.node);
      const auto turn = Numbers(at, "rotation", 4), way = Numbers(at, "translation", 3),
                 size = Numbers(at, "scale", 3);
      const bool turned = turn.ok() && !turn->empty() && (*turn)[3] != 0;
      const bool moved =
          way.ok() && std::any_of(way->begin(), way->end(), [](float v) { return v != 0; });
      const bool sized =
          size.ok() && std::any_of(size->begin(), size->end(), [](float v) { return v != 1; });
      if (!turned && !moved && !sized) continue;
      Break(at, absl::StrCat("joint ", joint.name, " is modelled with a ",
                             turned  ? "rotation"
                             : moved ? "translation"
                                     : "scale",
                             turned || moved ? ", which is 0 at rest" : ", which is 1 at rest",
                             "; only its center is set"));
    }
  }

  void CheckLimits() {
    for (const HumanoidJoint& joint : human_.joints) {
      const X3dNode& at = node(joint.node);
      const auto low = Numbers(at, "llimit"), high = Numbers(at, "ulimit");
      const bool any = (low.ok() && !low->empty()) || (high.ok() && !high->empty());
      if (any && !joint.limit) {
        Break(at, absl::StrCat("joint ", joint.name,
                               " has llimit and ulimit that are not three numbers each, the lower "
                               "ones in llimit"));
      }
      const auto stiffness = Numbers(at, "stiffness");
      if (!stiffness.ok() || stiffness->empty()) continue;
      if (stiffness->size() != 3 || std::any_of(stiffness->begin(), stiffness->end(),
                                                [](float v) { return !(v >= 0) || v > 1; })) {
        Break(at, absl::StrCat("joint ", joint.name,
                               " has a stiffness that is not three numbers from 0 to 1"));
      }
    }
  }

  void CheckSegments() {
    absl::flat_hash_map<int, std::string> of_joint;
    for (const HumanoidSegment& segment : human_.segments) {
      const auto j = static_cast<size_t>(segment.joint);
      const std::string& joint = human_.joints[j].name;
      const auto [it, fresh] = of_joint.try_emplace(segment.joint, segment.name);
      if (!fresh) {
        Break(node(segment.node), absl::StrCat("joint ", joint, " has segment ", segment.name,
                                               ", and ", it->second, " already"));
      }
      if (segment.mass_kg < 0) {
        Break(node(segment.node), absl::StrCat("segment ", segment.name, " has a mass below 0"));
      }
      if (known_[j] < 0 || !basic()) continue;
      const absl::string_view v1 = SegmentOf(joint, HAnimVersion::k1), v2 = SegmentOf(joint);
      if (segment.name == v1 || segment.name == v2) continue;
      Break(node(segment.node),
            absl::StrCat("the segment of joint ", joint, " is ", segment.name, ", not ", v2,
                         v1 == v2 ? "" : absl::StrCat(" or ", v1)));
    }
  }

  // What holds what: joints hold joints and segments, segments hold sites.
  void Walk(int index, int depth) {
    const X3dNode& at = node(index);
    if (depth > 256 || !seen_.insert(index).second) return;
    for (const Child& child : at.children) {
      const X3dNode& below = node(child.node);
      const absl::string_view type = below.type, of = at.type;
      if (child.field == "joints" || child.field == "segments" || child.field == "sites" ||
          child.field == "viewpoints") {
        continue;
      }
      const bool joint = type == "HAnimJoint", segment = type == "HAnimSegment";
      if (joint && of != "HAnimJoint" && of != "HAnimHumanoid") {
        Break(below, absl::StrCat("a joint is in a ", of, ", not in a joint or the skeleton"));
      }
      if (segment && of != "HAnimJoint") {
        Break(below, absl::StrCat("a segment is in a ", of, ", not in a joint"));
      }
      if (type == "HAnimSite") {
        if (!seen_.contains(child.node)) site_nodes_.push_back(child.node);
        CheckSite(below, of);
      }
      if (type == "HAnimDisplacer") CheckDisplacer(below, at);
      if (of == "HAnimJoint" && !joint && !segment && child.field == "children" &&
          type != "HAnimSite") {
        Break(below, absl::StrCat("a joint holds a ", type, ", which belongs in its segment"));
      }
      Walk(child.node, depth + 1);
    }
  }

  void CheckSite(const X3dNode& site, absl::string_view of) {
    const std::string name = NameOf(site);
    if (of != "HAnimSegment") {
      Break(site, absl::StrCat("site ", name, " is in a ", of, ", not in a segment"));
    }
    const absl::string_view bare =
        absl::StartsWith(name, "hanim_") ? absl::string_view(name).substr(6) : name;
    if (name.empty()) {
      Break(site, "a site has no name");
      return;
    }
    const bool suffix = absl::EndsWith(bare, "_tip") || absl::EndsWith(bare, "_view") ||
                        absl::EndsWith(bare, "_pt");
    const bool known = std::any_of(
        standard_.sites().begin(), standard_.sites().end(),
        [&](const skel::Site& s) { return s.name == bare || absl::StrCat(bare, "_pt") == s.name; });
    // Version 2 has names without suffixes.
    if (!suffix && !known && !absl::StartsWith(human_.version, "2") && basic()) {
      Break(site, absl::StrCat("site ", name, " does not end in _tip, _view or _pt"));
    }
  }

  void CheckDisplacer(const X3dNode& displacer, const X3dNode& of) {
    const std::string name = NameOf(displacer);
    if (of.type != "HAnimSegment" && of.type != "HAnimJoint") {
      Break(displacer, absl::StrCat("displacer ", name, " is in a ", of.type,
                                    ", not in a segment or a joint"));
      return;
    }
    const bool on_joint = of.type == "HAnimJoint";
    const X3dNode& owner = on_joint ? node(human_.node) : of;
    size_t points = 0;
    for (const Child& child : owner.children) {
      if (child.field != (on_joint ? "skinCoord" : "coord")) continue;
      const auto found = counts_.find(child.node);
      if (found != counts_.end()) {
        points = found->second;
        continue;
      }
      const auto numbers = Numbers(node(child.node), "point");
      points = counts_[child.node] = numbers.ok() ? numbers->size() / 3 : 0;
    }
    const auto index = Numbers(displacer, "coordIndex"), ways = Numbers(displacer, "displacements");
    if (!index.ok() || !ways.ok()) return;
    for (size_t i = 0; i < index->size(); ++i) {
      if ((*index)[i] >= 0 && (*index)[i] < static_cast<float>(points)) continue;
      Break(displacer, absl::StrCat("displacer ", name, ": coordIndex[", i, "] is ", (*index)[i],
                                    ", and there are ", points, " points"));
      break;
    }
    if (!ways->empty() && ways->size() != 3 * index->size()) {
      Break(displacer, absl::StrCat("displacer ", name, " has ", ways->size() / 3,
                                    " displacements for ", index->size(), " points"));
    }
    const bool feature = absl::EndsWith(name, "_feature");
    if (feature && !ways->empty()) {
      Break(displacer, absl::StrCat("displacer ", name, " is a feature, and moves points"));
    }
  }

  // The humanoid lists what its skeleton has, if it lists anything of the kind.
  void CheckLists() {
    std::vector<std::pair<int, std::string>> joints, segments, sites;
    for (const HumanoidJoint& joint : human_.joints) joints.emplace_back(joint.node, joint.name);
    for (const HumanoidSegment& segment : human_.segments) {
      segments.emplace_back(segment.node, segment.name);
    }
    for (const int site : site_nodes_) sites.emplace_back(site, NameOf(node(site)));
    CheckList("joint", joints);
    CheckList("segment", segments);
    CheckList("site", sites);
  }

  void CheckList(absl::string_view kind, const std::vector<std::pair<int, std::string>>& has) {
    absl::flat_hash_set<int> listed, there;
    for (const auto& [index, name] : has) there.insert(index);
    const std::string field = absl::StrCat(kind, "s");
    for (const Child& child : node(human_.node).children) {
      if (child.field != field) continue;
      listed.insert(child.node);
      if (there.contains(child.node)) continue;
      const X3dNode& at = node(child.node);
      Break(at, absl::StrCat("the humanoid lists ", kind, " ", NameOf(at),
                             ", which its skeleton lacks"));
    }
    if (listed.empty()) return;
    for (const auto& [index, name] : has) {
      if (listed.contains(index)) continue;
      Break(node(index), absl::StrCat("the humanoid's ", field, " do not list ", name));
    }
  }

  void CheckSkin() {
    size_t points = 0;
    for (const Child& child : node(human_.node).children) {
      if (child.field != "skinCoord") continue;
      const auto numbers = Numbers(node(child.node), "point");
      points = numbers.ok() ? numbers->size() / 3 : 0;
    }
    std::vector<float> sums(points);
    for (const HumanoidJoint& joint : human_.joints) {
      const X3dNode& at = node(joint.node);
      const auto index = Numbers(at, "skinCoordIndex"), weight = Numbers(at, "skinCoordWeight");
      if (!index.ok() || !weight.ok()) continue;
      if (index->size() != weight->size()) {
        Break(at, absl::StrCat("joint ", joint.name, " has ", index->size(), " skinCoordIndex and ",
                               weight->size(), " skinCoordWeight"));
        continue;
      }
      bool named = false;
      for (size_t i = 0; i < index->size(); ++i) {
        const float p = (*index)[i];
        if (p >= 0 && p < static_cast<float>(points)) {
          sums[static_cast<size_t>(p)] += (*weight)[i];
        } else if (!std::exchange(named, true)) {
          Break(at, absl::StrCat("joint ", joint.name, ": skinCoordIndex[", i, "] is ", p,
                                 ", and there are ", points, " points"));
        }
      }
    }
    const auto off = std::count_if(sums.begin(), sums.end(),
                                   [](float sum) { return std::fabs(sum - 1) > kWeightSum; });
    if (off > 0) {
      Break(node(human_.node), absl::StrCat(off, " of ", points,
                                            " points of the skin have weights that are not 1 "
                                            "together"));
    }
  }

  // Returns the place of a joint; -1: there is none.
  int Joint(absl::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? -1 : static_cast<int>(found->second);
  }
  Vec3 At(int joint) const { return models_[static_cast<size_t>(joint)].row[3]; }
  const X3dNode& NodeOf(int joint) const {
    return node(human_.joints[static_cast<size_t>(joint)].node);
  }

  void CheckHangs(absl::string_view upper, absl::string_view lower) {
    const int a = Joint(upper), b = Joint(lower);
    if (a < 0 || b < 0) return;
    const Vec3 way = At(b) - At(a);
    const float length = skel::Length(way);
    if (!(length > 1e-4f) || -way.y > kStraight * length) return;
    Break(NodeOf(b),
          absl::StrCat("from ", upper, " to ", lower, " the limb does not hang straight down"));
  }

  void CheckStance() {
    const X3dNode& human = node(human_.node);
    float low = 1e9f, high = -1e9f;
    for (const skel::Affine& model : models_) {
      low = std::min(low, model.row[3].y), high = std::max(high, model.row[3].y);
    }
    if (human_.joints.size() < 8 || !basic()) return;
    if (high - low < kLeastHeight_m || high - low > kMostHeight_m) {
      Break(human, absl::StrCat("its joints are within ", high - low,
                                " m of height; a person is about 1.75 m tall, in metres"));
    }
    if (std::fabs(low) > kSoleJoint_m) {
      Break(human, absl::StrCat("its lowest joint is at Y ", low, " m; the soles are at Y = 0"));
    }
    for (const char* side : {"l_", "r_"}) {
      for (const auto& [upper, lower] : {std::pair("shoulder", "elbow"),
                                         {"elbow", "wrist"},
                                         {"hip", "knee"},
                                         {"knee", "ankle"}}) {
        CheckHangs(absl::StrCat(side, upper), absl::StrCat(side, lower));
      }
    }
    const int left = Joint("l_hip"), right = Joint("r_hip");
    if (left < 0 || right < 0) return;
    if (!(At(left).x > At(right).x)) {
      Break(NodeOf(left), "its left hip is not at +X of its right one: it does not face +Z");
    }
    const Vec3 middle = (At(left) + At(right)) * 0.5f;
    if (std::fabs(middle.x) > kMiddle_m) {
      Break(NodeOf(left), absl::StrCat("the middle of its hips is at X ", middle.x,
                                       " m; the origin is between the feet"));
    }
  }

  const Scene& scene_;
  const skel::Rig& standard_;
  const HAnimHumanoid& human_;
  std::vector<int> known_;            // of each joint, that of the standard
  std::vector<skel::Affine> models_;  // at rest
  absl::flat_hash_set<int> seen_;
  std::vector<int> site_nodes_;
  absl::flat_hash_map<std::string, size_t> by_name_;
  absl::flat_hash_map<int, size_t> counts_;  // of points, by node
  std::vector<RuleBreak> out_;
};

}  // namespace

absl::StatusOr<std::vector<RuleBreak>> CheckHumanoidRules(const Scene& scene,
                                                          const skel::Rig& standard) {
  const absl::StatusOr<HAnimHumanoid> human = ReadHumanoid(scene, standard);
  if (!human.ok()) return human.status();
  return RuleChecker(scene, standard, *human).Check();
}

}  // namespace posewire::x3d
