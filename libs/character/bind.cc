#include "libs/character/bind.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/character/bone_names.h"
#include "libs/character/expressions.h"
#include "libs/mesh/blend_shapes.h"
#include "libs/skel/local_to_model_job.h"
#include "libs/skel/rig_limits.h"
#include "libs/skel/shape_names.h"

namespace posewire::character {
namespace {

using skel::Affine;
using skel::HumanBone;
using skel::Quat;
using skel::Vec3;

// A file has the joints of a rig if it has at least this fraction of them, and nearly all of these
// have the rig's rest rotations.
constexpr double kSameSkeleton = 0.6;
constexpr float kSameTurn = 0.15f;  // radians
// Arms that differ from those of the rig by more than this angle are in another stance.
constexpr float kSameStance = 0.35f;  // radians
// The smallest yaw that is corrected, in radians: in files whose format defines the front, and in
// others.
constexpr float kFarYaw = 0.5f, kLeastYaw = 0.02f;
// Plausible heights of a person or an object. Files outside of them are in other units.
constexpr float kLeastM = 0.1f, kMostM = 20, kPersonM = 1.7f;
// Fraction of the height. Characters this close to the ground count as on it and are not moved.
constexpr float kOffGround = 0.02f;
constexpr size_t kNamedJoints = 3;  // in a note

// The model transforms and rotations of the nodes at rest, below `root`.
struct Rest {
  std::vector<Affine> places;
  std::vector<Quat> turns;
};

Rest RestOf(const Character& c) {
  Rest out;
  out.places.resize(c.nodes.size());
  out.turns.resize(c.nodes.size());
  const Affine root = skel::FromTrs(c.root.translation, c.root.rotation, c.root.scale);
  for (const int n : c.order) {
    const auto i = static_cast<size_t>(n);
    const CharacterNode& node = c.nodes[i];
    const bool top = node.parent < 0;
    const auto above = static_cast<size_t>(std::max(node.parent, 0));
    out.places[i] = skel::Mul(skel::FromTrs(node.translation, node.rotation, node.scale),
                              top ? root : out.places[above]);
    out.turns[i] =
        skel::Normalized(skel::Mul(top ? c.root.rotation : out.turns[above], node.rotation));
  }
  return out;
}

absl::string_view Last(absl::string_view name) {
  const size_t at = name.find_last_of(":|/");
  return at == absl::string_view::npos ? name : name.substr(at + 1);
}

// Returns the node of each joint of the rig; -1 for none.
std::vector<int> JointNodes(const skel::Rig& rig,
                            const absl::flat_hash_map<absl::string_view, int>& by_name) {
  std::vector<int> out;
  for (int j = 0; j < rig.joints(); ++j) {
    auto at = by_name.find(rig.joint_names()[static_cast<size_t>(j)]);
    if (at == by_name.end() && !rig.joint_aliases().empty() &&
        !rig.joint_aliases()[static_cast<size_t>(j)].empty()) {
      at = by_name.find(rig.joint_aliases()[static_cast<size_t>(j)]);
    }
    out.push_back(at == by_name.end() ? -1 : at->second);
  }
  return out;
}

class Binder {
 public:
  Binder(const PersonOfFile& file, const skel::RigCatalog& rigs, Character& out)
      : file_(file), own_(file.own), rigs_(rigs), out_(out) {}

  absl::Status Run() {
    FindNames();
    if (!file_.bones) FindSameRig();
    if (out_.rig == nullptr) {
      bones_ = file_.bones ? *file_.bones : FindBones(names_);
      known_ = static_cast<int>(
          std::count_if(bones_.begin(), bones_.end(), [](int n) { return n >= 0; }));
      const bool person = known_ >= skel::kLeastBones;
      auto rig = rigs_.Find(person ? "vrm" : "hanim_loa3");
      if (!rig.ok()) return rig.status();
      if (!person && file_.make_own != nullptr) own_ = file_.make_own(**rig, out_);
      out_.rig = *std::move(rig);
      if (!person && own_.rig != nullptr) TakeOwnRig();
    }
    Place();
    if (out_.rig == own_.rig) {
      LinkOwn();
    } else if (out_.same_joints) {
      LinkSame();
      if (StandsElsewhere()) LinkStances();
    } else if (known_ >= skel::kLeastBones) {
      LinkHumanoid();
    } else {
      Still();
    }
    DriveShapes();
    return absl::OkStatus();
  }

 private:
  bool IsPerson() const {
    return known_ >= skel::kLeastBones || (out_.same_joints && out_.rig != own_.rig);
  }

  void TakeOwnRig() {
    out_.rig = own_.rig;
    out_.same_joints = true;
    bones_.fill(-1);
  }

  void FindNames() {
    std::vector<bool> has_mesh(out_.nodes.size(), false);
    for (const Mesh& mesh : out_.meshes) has_mesh[static_cast<size_t>(mesh.node)] = true;
    names_.resize(out_.nodes.size());
    for (size_t i = 0; i < names_.size(); ++i) {
      if (!has_mesh[i]) names_[i] = out_.nodes[i].name;
    }
  }

  // Finds the catalog rig that has the file's joints and their rest rotations.
  void FindSameRig() {
    absl::flat_hash_map<absl::string_view, int> by_name;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (!names_[i].empty()) by_name.try_emplace(Last(names_[i]), static_cast<int>(i));
    }
    long best = 1;  // a single joint is no skeleton: many files have a HumanoidRoot
    for (const std::string& name : rigs_.names()) {
      const auto rig = rigs_.Find(name);
      if (!rig.ok()) continue;
      std::vector<int> nodes = JointNodes(**rig, by_name);
      const long same = std::count_if(nodes.begin(), nodes.end(), [](int n) { return n >= 0; });
      if (same <= best || static_cast<double>(same) < kSameSkeleton * (*rig)->joints()) continue;
      const skel::PoseView rest = (*rig)->rest();
      long alike = 0;
      for (size_t j = 0; j < nodes.size(); ++j) {
        if (nodes[j] < 0) continue;
        const Quat turn = out_.nodes[static_cast<size_t>(nodes[j])].rotation;
        if (skel::AngleBetween(turn, rest.rotation(static_cast<int>(j))) < kSameTurn) ++alike;
      }
      if (alike * 10 < same * 9) continue;
      best = same;
      out_.rig = *rig;
      out_.same_joints = true;
      joint_nodes_ = std::move(nodes);
    }
    if (!out_.same_joints) return;
    bones_.fill(-1);
    for (int b = 0; b < skel::kHumanBones; ++b) {
      const int joint = out_.rig->humanoid().joint(static_cast<HumanBone>(b));
      if (joint >= 0) bones_[static_cast<size_t>(b)] = joint_nodes_[static_cast<size_t>(joint)];
    }
  }

  int NodeOf(HumanBone bone) const { return bones_[static_cast<size_t>(bone)]; }
  Vec3 At(const Rest& rest, int node) const {
    return rest.places[static_cast<size_t>(node)].row[3];
  }

  mesh::Extent ExtentOf(const Rest& rest) const {
    mesh::Extent out{{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}};
    for (const Mesh& mesh : out_.meshes) {
      std::vector<Affine> transforms;
      if (mesh.skin < 0) {
        transforms.push_back(rest.places[static_cast<size_t>(mesh.node)]);
      } else {
        const Skin& skin = out_.skins[static_cast<size_t>(mesh.skin)];
        for (size_t j = 0; j < skin.nodes.size(); ++j) {
          transforms.push_back(
              skel::Mul(skin.inverse_bind[j], rest.places[static_cast<size_t>(skin.nodes[j])]));
        }
      }
      const auto per = static_cast<size_t>(mesh.per_point);
      for (size_t i = 0; i < mesh.points.size(); ++i) {
        Vec3 p;
        for (size_t k = 0; k < per; ++k) {
          const float w = mesh.weights[i * per + k];
          if (w == 0) continue;
          p = p + skel::TransformPoint(transforms[static_cast<size_t>(mesh.joints[i * per + k])],
                                       mesh.points[i]) *
                      w;
        }
        out.low = {std::min(out.low.x, p.x), std::min(out.low.y, p.y), std::min(out.low.z, p.z)};
        out.high = {std::max(out.high.x, p.x), std::max(out.high.y, p.y),
                    std::max(out.high.z, p.z)};
      }
    }
    return out;
  }

  // Rotates, scales and moves the file's space into ours.
  void Place() {
    Rest rest = RestOf(out_);
    if (IsPerson()) {
      const int hips = NodeOf(HumanBone::kHips), head = NodeOf(HumanBone::kHead);
      if (hips >= 0 && head >= 0) {
        const Vec3 up = At(rest, head) - At(rest, hips);
        const float x = std::fabs(up.x), y = std::fabs(up.y), z = std::fabs(up.z);
        if (x > y || z > y || up.y < 0) {
          // Takes the nearest axis of the file as up.
          const Vec3 axis = x > y && x > z ? Vec3{std::copysign(1.0f, up.x), 0, 0}
                            : z > y        ? Vec3{0, 0, std::copysign(1.0f, up.z)}
                                           : Vec3{0, -1, 0};
          out_.root.rotation = skel::BetweenDirections(axis, {0, 1, 0});
          out_.notes.emplace_back("the file's person does not stand along +Y, and is turned");
          rest = RestOf(out_);
        }
      }
      const float least_yaw = own_.faces_z ? kFarYaw : kLeastYaw;
      if (const std::optional<float> yaw = YawOf(rest); yaw && std::fabs(*yaw) > least_yaw) {
        out_.root.rotation = skel::Mul(skel::FromAxisAngle({0, 1, 0}, -*yaw), out_.root.rotation);
        out_.notes.push_back(absl::StrCat("the file's person looks ", std::lround(*yaw * 57.29578f),
                                          " degrees away from +Z, and is turned"));
        rest = RestOf(out_);
      }
    }
    mesh::Extent extent = ExtentOf(rest);
    float tall = extent.high.y - extent.low.y;
    const bool person = IsPerson();
    if (!person) {
      tall = std::max({tall, extent.high.x - extent.low.x, extent.high.z - extent.low.z});
    }
    if (tall > 0 && (tall < kLeastM || tall > kMostM)) {
      const float centimetres = tall * 0.01f;
      const float scale = centimetres > 0.5f && centimetres < 3 ? 0.01f : kPersonM / tall;
      out_.root.scale = {scale, scale, scale};
      out_.notes.push_back(absl::StrCat("the file's ", person ? "person" : "thing", " is ", tall,
                                        " m high, and is drawn at ", tall * scale, " m"));
      rest = RestOf(out_);
      extent = ExtentOf(rest);
      tall = extent.high.y - extent.low.y;
    }
    const int hips = person ? NodeOf(HumanBone::kHips) : -1;
    const Vec3 middle = hips >= 0 ? At(rest, hips) : (extent.low + extent.high) * 0.5f;
    if (std::fabs(middle.x) > 0.1f * tall) out_.root.translation.x = -middle.x;
    if (std::fabs(middle.z) > 0.1f * tall) out_.root.translation.z = -middle.z;
    if (std::fabs(extent.low.y) > kOffGround * tall) out_.root.translation.y = -extent.low.y;
    rest_ = RestOf(out_);
  }

  // Returns the angle about Y by which the person is turned away from +Z. A person who faces +Z has
  // the left side at +X.
  std::optional<float> YawOf(const Rest& rest) const {
    float x = 0, z = 0;
    for (int b = 0; b < skel::kHumanBones; ++b) {
      const absl::string_view name = skel::NameOf(static_cast<HumanBone>(b));
      if (!absl::StartsWith(name, "Left")) continue;
      const auto right = skel::FindHumanBone(absl::StrCat("Right", name.substr(4)));
      const int l = bones_[static_cast<size_t>(b)], r = right ? NodeOf(*right) : -1;
      if (l < 0 || r < 0) continue;
      x += At(rest, l).x - At(rest, r).x;
      z += At(rest, l).z - At(rest, r).z;
    }
    if (std::hypot(x, z) < 1e-6f) return std::nullopt;
    return std::atan2(-z, x);
  }

  void LinkOwn() {
    for (size_t k = 0; k < own_.nodes.size(); ++k) {
      Link link{own_.nodes[k], own_.first + static_cast<int>(k), {}, true};
      if (!own_.ways.empty()) link.stance = own_.ways[k].turn, link.scale = own_.ways[k].scale;
      out_.links.push_back(link);
    }
    if (file_.make_own == nullptr) return;
    const absl::Span<const std::string> all = out_.rig->joint_paths();
    const auto from = static_cast<size_t>(own_.first);
    const std::vector<std::string> some(
        all.begin() + own_.first,
        all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), from + kNamedJoints)));
    out_.notes.push_back(
        some.empty()
            ? "no joint moves the character: its file has no skin; streams move its shapes"
            : absl::StrCat("it is moved by its file's own joints, by streams that name them: ",
                           absl::StrJoin(some, ", "),
                           all.size() > from + kNamedJoints ? " and others" : "", ". ", known_,
                           " are known as a humanoid's bones, and with ", skel::kLeastBones,
                           " it would follow any person's stream: name them as VRM, Mixamo, Unity "
                           "or Unreal do"));
  }

  void LinkSame() {
    double own = 0, rigs = 0;
    const skel::PoseView rest = out_.rig->rest();
    for (int j = 0; j < out_.rig->joints(); ++j) {
      const int node = joint_nodes_[static_cast<size_t>(j)];
      if (node < 0) {
        out_.missing_joints.push_back(out_.rig->joint_names()[static_cast<size_t>(j)]);
        continue;
      }
      out_.links.push_back({node, j, {}, true});
      own += static_cast<double>(skel::Length(out_.nodes[static_cast<size_t>(node)].translation));
      rigs += static_cast<double>(skel::Length(rest.translation(j)));
    }
    const auto scale = static_cast<float>(rigs > 0 ? own / rigs : 1);
    out_.length_scale = std::fabs(scale - 1) < 0.01f ? 1 : scale;
  }

  std::vector<Vec3> RigPlaces() const {
    std::vector<Vec3> places(static_cast<size_t>(out_.rig->joints()));
    skel::LocalToModelJob walk;
    walk.rig = out_.rig.get();
    walk.local = out_.rig->rest();
    walk.positions = absl::MakeSpan(places);
    walk.Run();
    return places;
  }

  // Returns, by node, the rotations of limbs from the file's stance to the rig's.
  std::vector<std::optional<Quat>> Stances(const std::vector<Vec3>& places) const {
    const skel::Humanoid& humanoid = out_.rig->humanoid();
    std::vector<std::optional<Quat>> stances(out_.nodes.size());
    // Only the arms differ: legs hang in every stance.
    for (const auto& [bone, end] : absl::MakeConstSpan(skel::kLimbSegments).first(4)) {
      const int a = NodeOf(bone), b = NodeOf(end);
      if (a < 0 || b < 0 || humanoid.joint(bone) < 0 || humanoid.joint(end) < 0) continue;
      const Vec3 is = At(rest_, b) - At(rest_, a);
      const Vec3 should = places[static_cast<size_t>(humanoid.joint(end))] -
                          places[static_cast<size_t>(humanoid.joint(bone))];
      if (skel::Length(is) < 1e-6f || skel::Length(should) < 1e-6f) continue;
      stances[static_cast<size_t>(a)] =
          skel::BetweenDirections(skel::Normalized(is), skel::Normalized(should));
    }
    return stances;
  }

  // A file with the rig's joints and rest rotations may still have been made in a T-pose.
  bool StandsElsewhere() const {
    const std::vector<std::optional<Quat>> stances = Stances(RigPlaces());
    return std::any_of(stances.begin(), stances.end(), [](const std::optional<Quat>& s) {
      return s && skel::AngleBetween({}, *s) > kSameStance;
    });
  }

  void LinkStances() {
    std::vector<std::optional<Quat>> stances = Stances(RigPlaces());
    std::vector<int> link_of(out_.nodes.size(), -1);
    for (size_t l = 0; l < out_.links.size(); ++l) {
      link_of[static_cast<size_t>(out_.links[l].node)] = static_cast<int>(l);
    }
    std::vector<Link> links;
    for (const int n : out_.order) {
      const auto i = static_cast<size_t>(n);
      const int parent = out_.nodes[i].parent;
      if (!stances[i] && parent >= 0) stances[i] = stances[static_cast<size_t>(parent)];
      if (link_of[i] < 0) continue;
      Link link = out_.links[static_cast<size_t>(link_of[i])];
      link.stance = stances[i] ? skel::Mul(*stances[i], rest_.turns[i]) : rest_.turns[i];
      link.moves = out_.rig->topology().parent(link.joint) < 0;
      links.push_back(link);
    }
    out_.links = std::move(links);
    out_.same_joints = false;
    out_.notes.emplace_back(
        "the file's arms stand elsewhere than its rig's, and are brought there");
  }

  void LinkHumanoid() {
    const std::vector<Vec3> places = RigPlaces();
    const skel::Humanoid& humanoid = out_.rig->humanoid();
    const auto place = [&](HumanBone bone) {
      return places[static_cast<size_t>(humanoid.joint(bone))];
    };
    // The rig is in a T-pose. Everything below a limb rotates with it.
    std::vector<std::optional<Quat>> stances = Stances(places);
    std::vector<int> joint_of(out_.nodes.size(), -1);
    for (int j = 0; j < out_.rig->joints(); ++j) {
      const auto bone = humanoid.BoneOf(j);
      const int node = bone ? NodeOf(*bone) : -1;
      if (node >= 0) {
        joint_of[static_cast<size_t>(node)] = j;
      } else {
        out_.missing_joints.push_back(out_.rig->joint_names()[static_cast<size_t>(j)]);
      }
    }
    const int hips = NodeOf(HumanBone::kHips);
    for (const int n : out_.order) {
      const auto i = static_cast<size_t>(n);
      const int parent = out_.nodes[i].parent;
      if (!stances[i] && parent >= 0) stances[i] = stances[static_cast<size_t>(parent)];
      if (joint_of[i] < 0) continue;
      const Quat stance = stances[i] ? skel::Mul(*stances[i], rest_.turns[i]) : rest_.turns[i];
      out_.links.push_back({n, joint_of[i], stance, n == hips});
    }
    if (hips >= 0)
      out_.length_scale = At(rest_, hips).y / std::max(place(HumanBone::kHips).y, 0.1f);
  }

  void Still() {
    out_.notes.emplace_back(
        out_.skins.empty()
            ? "no joint moves the character: its file has no skin; it is shown as it stands"
            : "no joint moves the character: its skin has none; it is shown as it stands");
    const absl::Span<const std::string> joints = out_.rig->joint_names();
    out_.missing_joints.assign(joints.begin(), joints.end());
  }

  void DriveShapes() {
    const absl::Span<const std::string> names = out_.rig->shape_names();
    std::vector<std::string> keys;
    for (const std::string& name : names) keys.push_back(skel::ShapeKeyOf(name));
    std::vector<bool> found(names.size(), false);
    for (size_t m = 0; m < out_.meshes.size(); ++m) {
      for (size_t s = 0; s < out_.meshes[m].shapes.size(); ++s) {
        Drive drive;
        drive.mesh = static_cast<int>(m);
        drive.shape = static_cast<int>(s);
        drive.sources = SourcesOf(out_.meshes[m].shapes[s].name(), keys);
        if (drive.sources.empty()) continue;
        for (const int shape : drive.sources) found[static_cast<size_t>(shape)] = true;
        out_.drives.push_back(std::move(drive));
      }
    }
    const std::vector<bool> by_name = found;
    for (const ExpressionOfFile& expression : file_.expressions) {
      Drive drive;
      const std::vector<int> own = SourcesOf(expression.name, keys);
      const int preset = FindExpression(expression.preset);
      if (own.size() == 1 &&
          skel::ShapeKeyOf(expression.name) == keys[static_cast<size_t>(own[0])]) {
        if (by_name[static_cast<size_t>(own[0])]) continue;
        drive.sources = own;
      } else if (preset >= 0) {
        const Expression& of = Expressions()[static_cast<size_t>(preset)];
        drive.kind = Drive::Kind::kExpression;
        drive.sources = {preset};
        for (const absl::string_view shape :
             {of.shapes[0], of.shapes[1], absl::string_view("mouthPucker"),
              absl::string_view("mouthFunnel")}) {
          drive.sources.push_back(shape.empty() ? -1 : out_.rig->FindShape(shape));
        }
        // The file's own shapes of this name are finer than its preset.
        if (drive.sources[1] >= 0 && by_name[static_cast<size_t>(drive.sources[1])]) continue;
      } else {
        continue;
      }
      if (AddBinds(expression, drive)) {
        if (drive.kind == Drive::Kind::kMean) found[static_cast<size_t>(drive.sources[0])] = true;
        for (size_t k = 1; drive.kind == Drive::Kind::kExpression && k < 3; ++k) {
          if (drive.sources[k] >= 0) found[static_cast<size_t>(drive.sources[k])] = true;
        }
      }
    }
    for (size_t s = 0; s < names.size(); ++s) {
      if (!found[s]) out_.missing_shapes.push_back(names[s]);
    }
    out_.ace_mouth = false;
  }

  bool AddBinds(const ExpressionOfFile& expression, Drive drive) {
    bool any = false;
    for (const TargetOfFile& bind : expression.binds) {
      for (size_t m = 0; m < out_.meshes.size(); ++m) {
        const bool here = bind.node >= 0 ? file_.origins[m].node == bind.node
                                         : file_.origins[m].mesh == bind.mesh;
        if (!here || static_cast<size_t>(bind.index) >= out_.meshes[m].shapes.size()) continue;
        drive.mesh = static_cast<int>(m);
        drive.shape = bind.index;
        drive.gain = bind.gain;
        out_.drives.push_back(drive);
        any = true;
      }
    }
    return any;
  }

  const PersonOfFile& file_;
  OwnRig own_;
  const skel::RigCatalog& rigs_;
  Character& out_;
  std::vector<std::string> names_;  // of nodes that may be bones
  BoneNodes bones_{};
  std::vector<int> joint_nodes_;
  int known_ = 0;
  Rest rest_;
};

}  // namespace

std::vector<std::string> ShapesOf(const Character& scene) {
  std::vector<std::string> out;
  absl::flat_hash_set<std::string> seen;
  for (const Mesh& mesh : scene.meshes) {
    for (const mesh::BlendShape& shape : mesh.shapes) {
      if (out.size() == skel::kMostShapes) return out;
      if (seen.insert(absl::AsciiStrToLower(shape.name())).second) out.push_back(shape.name());
    }
  }
  return out;
}

absl::Status Bind(const PersonOfFile& person, const skel::RigCatalog& rigs, Character& out) {
  return Binder(person, rigs, out).Run();
}

}  // namespace posewire::character
