#include "libs/formats/x3d/humanoid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "libs/formats/x3d/segment_names.h"
#include "libs/skel/rig_limits.h"

namespace posewire::x3d {
namespace {

using skel::Quat;
using skel::Vec3;

constexpr float kHalfTurn = 3.14159265f;
constexpr size_t kNamed = 5;  // of the unnamed joints, in a note
constexpr size_t kMostFeaturePoints = size_t{4} << 20;

class HumanoidReader {
 public:
  HumanoidReader(const Scene& scene, const skel::Rig& standard)
      : scene_(scene), standard_(standard) {}

  absl::StatusOr<HAnimHumanoid> Read() {
    const auto is_humanoid = [](const X3dNode& node) { return node.type == "HAnimHumanoid"; };
    const auto found = std::find_if(scene_.nodes.begin(), scene_.nodes.end(), is_humanoid);
    if (found == scene_.nodes.end()) {
      const auto& left_out = scene_.inline_notes;
      return absl::NotFoundError(absl::StrCat("there is no HAnimHumanoid in the file",
                                              left_out.empty() ? "" : "; ",
                                              left_out.empty() ? "" : left_out.front()));
    }
    const X3dNode& node = *found;
    out_.node = static_cast<int>(found - scene_.nodes.begin());
    out_.name = String(node, "name");
    out_.version = String(node, "version");
    out_.info = Strings(node, "info");
    out_.assumed = scene_.notes;
    out_.notes = scene_.inline_notes;
    if (absl::Status s = ReadScale(node); !s.ok()) return s;
    for (const Child& child : node.children) {
      if (child.field != "skeleton") continue;
      if (absl::Status s = ReadBelow(child.node, -1); !s.ok()) return s;
    }
    if (out_.joints.empty()) {
      return At(node,
                "the humanoid has no joint in its skeleton: write its root as an HAnimJoint with "
                "containerField=\"skeleton\"");
    }
    NameTheNameless();
    CheckExtras();
    CheckSegments();
    if (absl::Status s = PlaceRest(); !s.ok()) return s;
    out_.notes.insert(out_.notes.begin(), out_.assumed.begin(), out_.assumed.end());
    return std::move(out_);
  }

 private:
  static absl::Status At(const X3dNode& node, absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("line ", node.line, ": ", what));
  }

  void Remark(const X3dNode& node, absl::string_view what) {
    out_.notes.push_back(absl::StrCat("line ", node.line, ": ", what));
  }

  // Reads the size of the file's unit, in metres.
  absl::Status ReadScale(const X3dNode& node) {
    scale_ = scene_.UnitOf("length");
    const auto scale = Numbers(node, "scale", 3);
    if (!scale.ok()) return scale.status();
    out_.unit_m = scale_;
    if (scale->empty()) return absl::OkStatus();
    const float s = (*scale)[0];
    if (!(s > 0) || std::fabs((*scale)[1] - s) > 1e-3f * s ||
        std::fabs((*scale)[2] - s) > 1e-3f * s) {
      return At(node, "HAnimHumanoid.scale is not the same above 0 on all axes");
    }
    scale_ *= s;
    out_.unit_m = scale_;
    return absl::OkStatus();
  }

  absl::StatusOr<Vec3> Point(const X3dNode& node, absl::string_view field) const {
    auto v = Vector(node, field, {});
    if (v.ok()) *v = *v * scale_;
    return v;
  }

  // Returns the points of a Coordinate, in metres.
  absl::StatusOr<const std::vector<Vec3>*> Points(int coord) {
    const auto [it, fresh] = coords_.try_emplace(coord);
    if (!fresh) return &it->second;
    const auto numbers = Numbers(scene_.nodes[static_cast<size_t>(coord)], "point");
    if (!numbers.ok()) return numbers.status();
    for (size_t i = 0; i + 2 < numbers->size(); i += 3) {
      it->second.push_back(Vec3{(*numbers)[i], (*numbers)[i + 1], (*numbers)[i + 2]} * scale_);
    }
    return &it->second;
  }

  // Displacers without displacements mark points of `coords`, a child of `owner`.
  absl::Status ReadFeatures(const X3dNode& node, int joint, const X3dNode& owner,
                            absl::string_view coords) {
    int coord = -1;
    for (const Child& child : owner.children) {
      if (child.field == coords) coord = child.node;
    }
    for (const Child& child : node.children) {
      const X3dNode& displacer = scene_.nodes[static_cast<size_t>(child.node)];
      if (child.field != "displacers" || displacer.type != "HAnimDisplacer") continue;
      const Field* const ways = displacer.Find("displacements");
      HumanoidFeature feature;
      feature.name = Bare(displacer);
      if ((ways != nullptr && !ways->text.empty()) || coord < 0 || feature.name.empty()) continue;
      const auto points = Points(coord);
      if (!points.ok()) return points.status();
      const auto index = Numbers(displacer, "coordIndex");
      if (!index.ok()) return index.status();
      feature_points_ += index->size();
      if (feature_points_ > kMostFeaturePoints) {
        return absl::ResourceExhaustedError(absl::StrCat(
            "line ", displacer.line, ": features have over ", kMostFeaturePoints, " points"));
      }
      for (const float i : *index) {
        if (!(i >= 0) || !(i < static_cast<float>((*points)->size())) || i != std::floor(i)) {
          Remark(displacer, absl::StrCat("HAnimDisplacer.coordIndex has ", i, ", and there are ",
                                         (*points)->size(), " points: it is left out"));
          continue;
        }
        feature.points.push_back(static_cast<int>(i));
        feature.place = feature.place + (**points)[static_cast<size_t>(i)];
      }
      if (feature.points.empty()) continue;
      feature.joint = joint;
      feature.place = feature.place * (1 / static_cast<float>(feature.points.size()));
      out_.features.push_back(std::move(feature));
    }
    return absl::OkStatus();
  }

  static std::string Bare(const X3dNode& node) {
    std::string name = String(node, "name");
    if (name.empty()) name = node.def;
    if (absl::StartsWith(name, "hanim_")) name.erase(0, 6);
    return name;
  }

  static std::string WithoutNumber(const std::string& def) {
    const size_t end = def.find('_');
    if (end == std::string::npos || end < 2 || (def[0] != 'p' && def[0] != 'f') ||
        def.find_first_not_of("0123456789", 1) != end) {
      return def;
    }
    const std::string bare = def.substr(end + 1);
    return absl::StartsWith(bare, "hanim_") ? bare.substr(6) : bare;
  }

  // Returns true for a node that changes nothing of what it holds.
  static bool IsPlainGroup(const X3dNode& node) {
    if (node.type == "Group" || node.type == "StaticGroup") return true;
    return node.type == "Transform" &&
           std::none_of(node.fields.begin(), node.fields.end(), [](const Field& field) {
             return field.name == "translation" || field.name == "rotation" ||
                    field.name == "scale";
           });
  }

  // Returns true for a node with parts of a humanoid below it, once for each.
  bool HasParts(int index) {
    if (!searched_.insert(index).second) return false;
    for (const Child& child : scene_.nodes[static_cast<size_t>(index)].children) {
      const std::string& type = scene_.nodes[static_cast<size_t>(child.node)].type;
      if (type == "HAnimHumanoid") continue;
      if (type == "HAnimJoint" || type == "HAnimSegment" || type == "HAnimSite" ||
          HasParts(child.node)) {
        return true;
      }
    }
    return false;
  }

  absl::Status ReadBelow(int index, int joint) {
    const X3dNode& node = scene_.nodes[static_cast<size_t>(index)];
    absl::Status s = absl::OkStatus();
    if (node.type == "HAnimJoint") {
      s = ReadJoint(node, index, joint);
      joint = static_cast<int>(out_.joints.size()) - 1;
      if (s.ok()) {
        s = ReadFeatures(node, joint, scene_.nodes[static_cast<size_t>(out_.node)], "skinCoord");
      }
    } else if (joint >= 0 && node.type == "HAnimSegment") {
      s = ReadSegment(node, index, joint);
    } else if (!IsPlainGroup(node)) {  // as an Inline or an instance of a prototype may be
      if (node.type == "Transform" && HasParts(index)) {
        Remark(node, "joints, segments and sites in a Transform with values are left out");
      }
      return joint >= 0 && node.type == "HAnimSite" ? ReadSite(node, joint) : s;
    }
    for (const Child& child : node.children) {
      if (s.ok()) s = ReadBelow(child.node, joint);
    }
    return s;
  }

  absl::Status ReadJoint(const X3dNode& node, int index, int parent) {
    if (out_.joints.size() >= skel::kMostJoints) {
      return At(node, absl::StrCat("there are over ", skel::kMostJoints, " joints"));
    }
    if (!seen_.insert(index).second) return At(node, "the skeleton has this joint twice");
    HumanoidJoint joint;
    joint.name = Bare(node);
    if (joint.name.size() > 128 || absl::StrContains(joint.name, '/')) {
      return At(node, absl::StrCat("HAnimJoint.name is \"", joint.name.substr(0, 128),
                                   "\": write at most 128 letters, none of them /"));
    }
    if (String(node, "name").empty()) nameless_.push_back(out_.joints.size());
    int known = standard_.FindJoint(joint.name);
    if (known < 0 && String(node, "name").empty()) {
      // An instance of a prototype or an Inline has put a number before its DEF: p3_l_hip.
      known = standard_.FindJoint(WithoutNumber(joint.name));
    }
    if (known >= 0) {
      joint.name = standard_.joint_names()[static_cast<size_t>(known)];
      joint.other_name = standard_.joint_aliases()[static_cast<size_t>(known)];
    } else if (!absl::StartsWith(joint.name, "x_") && !joint.name.empty()) {
      Remark(node, absl::StrCat("joint ", joint.name,
                                " is none of the standard's, and has no x_ before its name"));
    }
    joint.parent = parent;
    joint.node = index;
    const auto center = Point(node, "center");
    if (!center.ok()) return center.status();
    joint.center = *center;
    const auto stiffness = Numbers(node, "stiffness");
    if (!stiffness.ok()) return stiffness.status();
    for (size_t i = 0; i < 3 && i < stiffness->size(); ++i) joint.stiffness[i] = (*stiffness)[i];
    if (absl::Status s = ReadLimit(node, joint); !s.ok()) return s;
    known_.push_back(known);
    out_.joints.push_back(std::move(joint));
    return absl::OkStatus();
  }

  absl::Status ReadLimit(const X3dNode& node, HumanoidJoint& joint) {
    const auto low = Numbers(node, "llimit"), high = Numbers(node, "ulimit");
    if (!low.ok()) return low.status();
    if (!high.ok()) return high.status();
    if (low->empty() && high->empty()) return absl::OkStatus();
    const auto turned = Numbers(node, "limitOrientation", 4);
    if (!turned.ok()) return turned.status();
    bool ordered = low->size() == 3 && high->size() == 3;
    for (size_t i = 0; ordered && i < 3; ++i) ordered = (*low)[i] <= (*high)[i];
    if (!ordered) {
      Remark(node, absl::StrCat("the limits of joint ", joint.name,
                                " are left out: llimit and ulimit take three numbers each, the "
                                "lower ones in llimit"));
      return absl::OkStatus();
    }
    const float unit = scene_.UnitOf("angle");
    joint.limit = skel::JointLimit{Vec3{(*low)[0], (*low)[1], (*low)[2]} * unit,
                                   Vec3{(*high)[0], (*high)[1], (*high)[2]} * unit};
    if (turned->empty() || (*turned)[3] == 0) return absl::OkStatus();
    const Vec3 axis{(*turned)[0], (*turned)[1], (*turned)[2]};
    const float length = skel::Length(axis);
    if (!(length > 1e-6f) || !std::isfinite(length)) return absl::OkStatus();
    if (!TurnLimit(skel::Normalized(skel::FromAxisAngle(axis * (1 / length), (*turned)[3] * unit)),
                   *joint.limit)) {
      Remark(node, absl::StrCat(
                       "the limits of joint ", joint.name,
                       " are widened: the angle of limitOrientation is no multiple of 90 degrees"));
    }
    return absl::OkStatus();
  }

  // Takes the box around the turned one. Returns whether that is the same.
  static bool TurnLimit(Quat turn, skel::JointLimit& limit) {
    const Vec3 x = skel::Rotate(turn, {1, 0, 0}), y = skel::Rotate(turn, {0, 1, 0}),
               z = skel::Rotate(turn, {0, 0, 1});
    const Vec3 low = limit.min, high = limit.max;
    bool same = true;
    const auto bound = [&](float a, float b, float c, float& least, float& most) {
      least = most = 0;
      for (const auto& [share, from, to] :
           {std::array<float, 3>{a, low.x, high.x}, {b, low.y, high.y}, {c, low.z, high.z}}) {
        const float size = std::fabs(share);
        same = same && (size < 1e-3f || size > 1 - 1e-3f);
        if (size < 1e-3f) continue;
        least += std::min(share * from, share * to);
        most += std::max(share * from, share * to);
      }
    };
    bound(x.x, y.x, z.x, limit.min.x, limit.max.x);
    bound(x.y, y.y, z.y, limit.min.y, limit.max.y);
    bound(x.z, y.z, z.z, limit.min.z, limit.max.z);
    return same;
  }

  absl::Status ReadSegment(const X3dNode& node, int index, int joint) {
    HumanoidSegment segment;
    segment.name = Bare(node);
    segment.joint = joint;
    segment.node = index;
    const auto mass = Numbers(node, "mass", 1), moments = Numbers(node, "momentsOfInertia", 9);
    const auto center = Point(node, "centerOfMass");
    for (const absl::Status& s : {mass.status(), moments.status(), center.status()}) {
      if (!s.ok()) return s;
    }
    if (!mass->empty()) segment.mass_kg = (*mass)[0];
    for (size_t i = 0; i < moments->size(); ++i) {
      segment.moments_of_inertia[i] = (*moments)[i] * scale_ * scale_;
    }
    segment.center_of_mass = *center;
    out_.segments.push_back(std::move(segment));
    return ReadFeatures(node, joint, node, "coord");
  }

  absl::Status ReadSite(const X3dNode& node, int joint) {
    HumanoidSite site;
    site.name = Bare(node);
    site.joint = joint;
    const auto place = Point(node, "translation");
    if (!place.ok()) return place.status();
    site.place = *place;
    const auto turn = Numbers(node, "rotation", 4);
    if (!turn.ok()) return turn.status();
    if (!turn->empty()) {
      const Vec3 axis{(*turn)[0], (*turn)[1], (*turn)[2]};
      const float length = skel::Length(axis);
      if (!(length > 1e-6f) || !std::isfinite(length)) {
        return At(node, "HAnimSite.rotation has no axis: its first three numbers are 0");
      }
      site.rotation = skel::Normalized(
          skel::FromAxisAngle(axis * (1 / length), (*turn)[3] * scene_.UnitOf("angle")));
    }
    if (!site.name.empty()) out_.sites.push_back(std::move(site));
    return absl::OkStatus();
  }

  // Gives unnamed joints names that no joint has, in the order of the file.
  void NameTheNameless() {
    if (nameless_.empty()) return;
    absl::flat_hash_set<std::string> taken;
    for (const HumanoidJoint& joint : out_.joints) taken.insert(joint.name);
    std::vector<std::string> names;
    for (const size_t j : nameless_) {
      std::string& name = out_.joints[j].name;
      if (name.empty()) {
        name = absl::StrCat("joint_", j + 1);
        while (!taken.insert(name).second) name += '_';
      }
      if (names.size() < kNamed) names.push_back(name);
    }
    const HumanoidJoint& first = out_.joints[nameless_[0]];
    out_.assumed.push_back(
        absl::StrCat("line ", scene_.nodes[static_cast<size_t>(first.node)].line, ": ",
                     nameless_.size(), nameless_.size() == 1 ? " joint has" : " joints have",
                     " no name, and are called by DEF or by their place in the file: ",
                     absl::StrJoin(names, ", "), nameless_.size() > names.size() ? ", ..." : ""));
  }

  // Joints rest at their centres, or else where their transforms place them.
  absl::Status PlaceRest() {
    const HumanoidJoint* first = nullptr;  // the first one placed by its translation
    size_t placed = 0, centered = 0;
    for (HumanoidJoint& joint : out_.joints) {
      const bool root = joint.parent < 0;
      joint.rest.translation =
          root ? joint.center
               : joint.center - out_.joints[static_cast<size_t>(joint.parent)].center;
      if (root) continue;
      const auto way = Point(scene_.nodes[static_cast<size_t>(joint.node)], "translation");
      if (!way.ok()) return way.status();
      if (skel::Length(joint.center) > 0) {
        ++centered;
      } else if (skel::Length(*way) > 0) {
        if (placed++ == 0) first = &joint;
      }
    }
    if (placed <= centered) return absl::OkStatus();
    const float radians = scene_.UnitOf("angle");
    for (HumanoidJoint& joint : out_.joints) {
      const X3dNode& node = scene_.nodes[static_cast<size_t>(joint.node)];
      const auto way = Point(node, "translation"), size = Vector(node, "scale", {1, 1, 1});
      const auto turn = Numbers(node, "rotation", 4);
      for (const absl::Status& s : {way.status(), size.status(), turn.status()}) {
        if (!s.ok()) return s;
      }
      joint.rest.translation = joint.rest.translation + *way;
      if (size->x != 0 && size->y != 0 && size->z != 0) joint.rest.scale = *size;
      if (turn->empty()) continue;
      const Vec3 axis{(*turn)[0], (*turn)[1], (*turn)[2]};
      const float length = skel::Length(axis);
      if (!(length > 1e-6f) || !std::isfinite(length)) continue;
      joint.rest.rotation =
          skel::Normalized(skel::FromAxisAngle(axis * (1 / length), (*turn)[3] * radians));
    }
    out_.assumed.push_back(absl::StrCat(
        "line ", scene_.nodes[static_cast<size_t>(first->node)].line, ": ", placed,
        placed == 1 ? " joint has" : " joints have", " a translation and no center, and ",
        centered == 0 ? "none" : absl::StrCat(centered),
        " a center, so they rest where translation, rotation and scale place them; H-Anim asks for "
        "centers"));
    return absl::OkStatus();
  }

  // The standard allows additional joints at the ends of its chains, but not within them.
  void CheckExtras() {
    std::vector<bool> holds(out_.joints.size());
    for (size_t j = out_.joints.size(); j-- > 0;) {
      const HumanoidJoint& joint = out_.joints[j];
      if (known_[j] < 0 && holds[j]) {
        Remark(scene_.nodes[static_cast<size_t>(joint.node)],
               absl::StrCat("joint ", joint.name, " is within a chain of the standard's"));
      }
      if (joint.parent >= 0 && (known_[j] >= 0 || holds[j])) {
        holds[static_cast<size_t>(joint.parent)] = true;
      }
    }
  }

  // Notes segments whose names are those of other joints.
  void CheckSegments() {
    size_t wrong = 0;
    std::string first;
    for (const HumanoidSegment& segment : out_.segments) {
      const absl::string_view own = JointOfSegment(segment.name);
      const auto joint = static_cast<size_t>(segment.joint);
      if (own.empty() || known_[joint] < 0 || own == out_.joints[joint].name) continue;
      if (wrong++ > 0) continue;
      first = absl::StrCat("line ", scene_.nodes[static_cast<size_t>(segment.node)].line,
                           ": segment ", segment.name, " is a child of joint ",
                           out_.joints[joint].name, ", and the standard has it at ", own);
    }
    if (wrong == 0) return;
    out_.notes.push_back(wrong == 1 ? first
                                    : absl::StrCat(first, "; ", wrong - 1,
                                                   wrong == 2 ? " more segment is" : " more are",
                                                   " at other joints than the standard's"));
  }

  const Scene& scene_;
  const skel::Rig& standard_;
  HAnimHumanoid out_;
  std::vector<int> known_;  // for each joint, that of the standard
  absl::flat_hash_set<int> seen_, searched_;
  std::vector<size_t> nameless_;                        // joints
  absl::flat_hash_map<int, std::vector<Vec3>> coords_;  // by node
  size_t feature_points_ = 0;
  float scale_ = 1;
};

}  // namespace

absl::StatusOr<HAnimHumanoid> ReadHumanoid(const Scene& scene, const skel::Rig& standard) {
  return HumanoidReader(scene, standard).Read();
}

absl::string_view BareDisplacer(absl::string_view name) {
  absl::ConsumePrefix(&name, "hanim_");
  absl::ConsumePrefix(&name, "x_");
  for (const absl::string_view level : {"_feature", "_action", "_config"}) {
    if (absl::ConsumeSuffix(&name, level)) break;
  }
  return name;
}

skel::RigParts RigOf(const HAnimHumanoid& humanoid) {
  skel::RigParts rig;
  rig.name = humanoid.name.empty() ? "humanoid" : humanoid.name;
  bool limited = false, stiff = false, turned = false;
  std::vector<skel::Affine> places;
  size_t shoulder = 0, elbow = 0;  // their positions in the list, counted from 1
  for (const HumanoidJoint& joint : humanoid.joints) {
    const auto up = static_cast<size_t>(joint.parent);
    const bool root = joint.parent < 0;
    rig.joint_paths.push_back(root ? joint.name
                                   : absl::StrCat(rig.joint_paths[up], "/", joint.name));
    rig.joint_aliases.push_back(joint.other_name);
    rig.rest_translations.push_back(joint.rest.translation);
    rig.rest_rotations.push_back(joint.rest.rotation);
    turned = turned || joint.rest.rotation.w != 1;
    places.push_back(
        skel::Mul(skel::FromTrs(joint.rest.translation, joint.rest.rotation, joint.rest.scale),
                  root ? skel::Affine{} : places[up]));
    rig.limits.push_back(joint.limit.value_or(
        skel::JointLimit{{-kHalfTurn, -kHalfTurn, -kHalfTurn}, {kHalfTurn, kHalfTurn, kHalfTurn}}));
    limited = limited || joint.limit;
    const auto share = [&](size_t axis) { return std::clamp(joint.stiffness[axis], 0.0f, 1.0f); };
    rig.stiffness.push_back({share(0), share(1), share(2)});
    stiff = stiff || share(0) > 0 || share(1) > 0 || share(2) > 0;
    if (joint.name == "l_shoulder") shoulder = places.size();
    if (joint.name == "l_elbow") elbow = places.size();
  }
  if (!limited) rig.limits.clear();
  if (!stiff) rig.stiffness.clear();
  if (!turned) rig.rest_rotations.clear();
  if (shoulder > 0 && elbow > 0) {
    const Vec3 arm = places[elbow - 1].row[3] - places[shoulder - 1].row[3];
    if (std::fabs(arm.x) > std::fabs(arm.y)) rig.stance = skel::Stance::kTPose;
  }
  for (const HumanoidSite& site : humanoid.sites) {
    const Vec3 offset = site.place - humanoid.joints[static_cast<size_t>(site.joint)].center;
    rig.sites.push_back({site.name, site.joint, offset, site.rotation});
  }
  absl::flat_hash_set<absl::string_view> taken;
  for (const HumanoidSite& site : humanoid.sites) taken.insert(site.name);
  for (const HumanoidFeature& feature : humanoid.features) {
    if (!taken.insert(feature.name).second) continue;
    rig.sites.push_back(
        {feature.name, feature.joint,
         feature.place - humanoid.joints[static_cast<size_t>(feature.joint)].center});
  }
  return rig;
}

}  // namespace posewire::x3d
