#include "libs/formats/gltf/node_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/formats/gltf/joints.h"
#include "libs/formats/gltf/node_motion.h"
#include "libs/skel/body.h"

namespace posewire::gltf {
namespace {

using asset::RigidPlace;
using skel::Affine;
using skel::Vec3;

constexpr float kHalfPicture_mm = 12;
// More than one group has joints below a node.
constexpr int kSeveral = std::numeric_limits<int>::max();

class SceneFinder {
 public:
  SceneFinder(Document& document, const std::string& animation,
              const std::function<bool()>& stopped)
      : document_(document),
        stopped_(stopped),
        asked_(animation.empty() ? std::nullopt : FindAnimation(document, animation)),
        tree_(ReadJointNodes(document)),
        structure_(document.status()),
        motion_(document, tree_, asked_) {}

  absl::StatusOr<NodeScene> Find() {
    out_.owners.assign(tree_.size(), -1);
    if (!structure_.ok()) return structure_;
    if (absl::Status s = CheckLevels(); !s.ok()) return s;
    if (absl::Status s = FindCharacters(); !s.ok()) return s;
    absl::Status s = FindProps();
    if (s.ok()) {
      FindCamera();
      s = document_.status();
    }
    if (s.ok()) return std::move(out_);
    if (out_.characters.size() > 1 || absl::IsCancelled(s)) return s;
    // It is played as a clip, which has no props.
    out_.scene.props.clear();
    out_.prop_nodes.clear();
    out_.scene.warnings.emplace_back(s.message());
    return std::move(out_);
  }

 private:
  // Nodes whose joints are in one group: see FindCharacters.
  struct Human {
    std::vector<int> nodes;  // ascending
    int top = -1;            // the topmost joint
  };

  Json NodeOf(size_t i) { return document_.root()["nodes"].At(i); }
  bool Stopped() const { return stopped_(); }

  // Later steps follow the parents of all nodes.
  absl::Status CheckLevels() {
    std::vector<int> waiting;
    std::vector<size_t> level(tree_.size(), 0);
    children_.resize(tree_.size());
    for (size_t i = 0; i < tree_.size(); ++i) {
      const int above = tree_[i].parent;
      if (above < 0) waiting.push_back(static_cast<int>(i));
      if (above >= 0) children_[static_cast<size_t>(above)].push_back(static_cast<int>(i));
    }
    while (!waiting.empty()) {
      const auto node = static_cast<size_t>(waiting.back());
      waiting.pop_back();
      if (level[node] > kMostNodeLevels) {
        return absl::ResourceExhaustedError(absl::StrCat(
            "nodes[", node, "] is more than ", kMostNodeLevels, " levels below its root"));
      }
      for (const int child : children_[node]) {
        level[static_cast<size_t>(child)] = level[node] + 1;
        waiting.push_back(child);
      }
    }
    return absl::OkStatus();
  }

  int SkinnedAbove(int node) const {
    int at = tree_[static_cast<size_t>(node)].parent;
    while (at >= 0 && !tree_[static_cast<size_t>(at)].skinned) {
      at = tree_[static_cast<size_t>(at)].parent;
    }
    return at;
  }

  int GroupOf(int node) {
    auto at = static_cast<size_t>(node);
    while (groups_[at] != static_cast<int>(at)) {
      groups_[at] = groups_[static_cast<size_t>(groups_[at])];
      at = static_cast<size_t>(groups_[at]);
    }
    return static_cast<int>(at);
  }

  // Groups joints by their skins and ancestors; the groups that are human are characters.
  absl::Status FindCharacters() {
    groups_.resize(tree_.size());
    for (size_t i = 0; i < groups_.size(); ++i) groups_[i] = static_cast<int>(i);
    const Json skins = document_.root()["skins"];
    for (size_t s = 0; s < skins.size(); ++s) {
      const Json joints = skins.At(s)["joints"];
      int first = -1;
      for (size_t k = 0; k < joints.size(); ++k) {
        const int joint = joints.At(k).Index(tree_.size());
        if (joint < 0) continue;
        if (first < 0) first = joint;
        groups_[static_cast<size_t>(GroupOf(joint))] = GroupOf(first);
      }
    }
    for (size_t i = 0; i < tree_.size(); ++i) {
      const auto node = static_cast<int>(i);
      if (!tree_[i].skinned) continue;
      if (const int above = SkinnedAbove(node); above >= 0) {
        groups_[static_cast<size_t>(GroupOf(node))] = GroupOf(above);
      }
    }
    std::map<int, int> first_of;
    std::map<int, std::vector<int>> members;  // by the group's first node
    for (size_t i = 0; i < tree_.size(); ++i) {
      if (!tree_[i].skinned) continue;
      const int first =
          first_of.try_emplace(GroupOf(static_cast<int>(i)), static_cast<int>(i)).first->second;
      members[first].push_back(static_cast<int>(i));
    }
    FindNames();
    FindAnimations();
    if (!document_.status().ok()) return document_.status();
    part_of_.assign(tree_.size(), -1);
    std::vector<std::pair<Human, size_t>> found;  // and its animation
    for (auto& [first, nodes] : members) {
      if (Stopped()) return absl::CancelledError("told to stop");
      if (nodes.size() < static_cast<size_t>(asset::kLeastCharacterBones)) continue;
      const absl::StatusOr<int> top = TopOfHuman(nodes);
      if (!top.ok()) return top.status();
      if (*top < 0) continue;
      Human human{std::move(nodes), *top};
      if (const std::optional<size_t> animation = AnimationOf(human)) {
        found.emplace_back(std::move(human), *animation);
      } else {
        out_.scene.warnings.push_back(
            absl::StrCat("no animation moves ", NameOf(human), ", which is not played"));
      }
    }
    if (absl::Status s = asset::CheckCharacterCount(found.size()); !s.ok()) return s;
    for (const auto& [human, animation] : found) AddCharacter(human, animation);
    OwnMeshes();
    return absl::OkStatus();
  }

  // Returns the topmost joint, or -1 for what is not human. Errors: those of FindJoints.
  absl::StatusOr<int> TopOfHuman(const std::vector<int>& nodes) {
    // The joints and the nodes above alone.
    std::vector<int> whole;
    for (const int joint : nodes) {
      for (int at = joint; at >= 0 && part_of_[static_cast<size_t>(at)] < 0;
           at = tree_[static_cast<size_t>(at)].parent) {
        part_of_[static_cast<size_t>(at)] = 0;
        whole.push_back(at);
      }
    }
    std::sort(whole.begin(), whole.end());
    for (size_t i = 0; i < whole.size(); ++i) {
      part_of_[static_cast<size_t>(whole[i])] = static_cast<int>(i);
    }
    std::vector<JointNode> tree;
    for (const int i : whole) {
      const JointNode& from = tree_[static_cast<size_t>(i)];
      JointNode& node = tree.emplace_back();
      node.name = from.name;
      node.parent = from.parent < 0 ? -1 : part_of_[static_cast<size_t>(from.parent)];
    }
    for (const int i : nodes) {
      tree[static_cast<size_t>(part_of_[static_cast<size_t>(i)])].skinned = true;
    }
    for (const int i : whole) part_of_[static_cast<size_t>(i)] = -1;
    const absl::StatusOr<Joints> joints = FindJoints(tree);
    if (!joints.ok()) return joints.status();
    skel::RigParts parts;
    parts.joint_paths = joints->paths;
    for (const int i : joints->nodes) {
      const auto node = static_cast<size_t>(whole[static_cast<size_t>(i)]);
      const skel::Trs at = TransformOf(NodeOf(node));
      parts.rest_translations.push_back(at.translation);
      parts.rest_rotations.push_back(at.rotation);
    }
    if (!asset::IsCharacter(skel::RestRig(std::move(parts)).get())) return -1;
    return whole[static_cast<size_t>(joints->nodes.front())];
  }

  void AddCharacter(const Human& human, size_t animation) {
    const auto character = static_cast<int>(out_.characters.size());
    for (const int i : human.nodes) out_.owners[static_cast<size_t>(i)] = character;
    out_.characters.push_back({animation});
    AddLast(animation);
    const int above = tree_[static_cast<size_t>(human.top)].parent;
    out_.scene.characters.push_back(
        {names_.Take(NameOf(human)),
         above < 0 ? asset::GroundPlace{} : asset::OnGround(motion_.WorldAt(above, 0))});
  }

  // Finds the first name of a skin of each group, and of each node the group whose joints are below
  // it, or kSeveral.
  void FindNames() {
    const Json skins = document_.root()["skins"];
    for (size_t s = 0; s < skins.size(); ++s) {
      const Json joints = skins.At(s)["joints"];
      const int joint = joints.size() == 0 ? -1 : joints.At(0).Index(tree_.size());
      if (joint < 0) continue;
      if (std::string name = skins.At(s)["name"].Text(); !name.empty()) {
        skin_names_.try_emplace(GroupOf(joint), std::move(name));
      }
    }
    below_.assign(tree_.size(), -1);
    for (size_t i = 0; i < tree_.size(); ++i) {
      if (!tree_[i].skinned) continue;
      const int group = GroupOf(static_cast<int>(i));
      for (int at = tree_[i].parent; at >= 0; at = tree_[static_cast<size_t>(at)].parent) {
        int& below = below_[static_cast<size_t>(at)];
        if (below == group || below == kSeveral) break;
        below = below < 0 ? group : kSeveral;
      }
    }
  }

  // The node above the joints is the whole character, unless it is above other things too.
  std::string NameOf(const Human& human) {
    const int above = tree_[static_cast<size_t>(human.top)].parent;
    if (above >= 0 && below_[static_cast<size_t>(above)] != kSeveral) {
      return tree_[static_cast<size_t>(above)].name;
    }
    const auto named = skin_names_.find(GroupOf(human.top));
    return named != skin_names_.end() ? named->second : tree_[static_cast<size_t>(human.top)].name;
  }

  // Finds the first animation of each node; with an answer to `asked_`, only that.
  void FindAnimations() {
    first_animation_.assign(tree_.size(), -1);
    const Json animations = document_.root()["animations"];
    for (size_t a = 0; a < animations.size(); ++a) {
      if (asked_ && *asked_ != a) continue;
      const Json channels = animations.At(a)["channels"];
      for (size_t c = 0; c < channels.size(); ++c) {
        const int node = channels.At(c)["target"]["node"].Index(tree_.size());
        if (node < 0) continue;
        int& first = first_animation_[static_cast<size_t>(node)];
        if (first < 0) first = static_cast<int>(a);
      }
    }
  }

  // Returns the first animation that moves a joint, or a node above.
  std::optional<size_t> AnimationOf(const Human& human) const {
    int out = -1;
    const auto add = [&](int node) {
      const int first = first_animation_[static_cast<size_t>(node)];
      if (first >= 0 && (out < 0 || first < out)) out = first;
    };
    for (const int i : human.nodes) add(i);
    for (int at = human.top; at >= 0; at = tree_[static_cast<size_t>(at)].parent) add(at);
    if (out < 0) return std::nullopt;
    return static_cast<size_t>(out);
  }

  // Counts the times themselves: the `max` of an accessor may be wrong.
  void AddLast(size_t animation) {
    if (!timed_animations_.insert(animation).second) return;
    const Json samplers = document_.root()["animations"].At(animation)["samplers"];
    const size_t accessors = document_.root()["accessors"].size();
    std::set<int> inputs;
    for (size_t s = 0; s < samplers.size(); ++s) {
      const int input = samplers.At(s)["input"].Index(accessors);
      if (input >= 0) inputs.insert(input);
    }
    for (const int input : inputs) {
      const std::vector<float> times = document_.Floats(input, 1);
      if (times.empty()) continue;
      out_.scene.last_s = std::max(out_.scene.last_s, static_cast<double>(times.back()));
    }
  }

  // A mesh belongs to the character of its skin, or of the joint above it.
  void OwnMeshes() {
    const Json skins = document_.root()["skins"];
    for (size_t i = 0; i < tree_.size(); ++i) {
      if (out_.owners[i] >= 0) continue;
      int joint = SkinnedAbove(static_cast<int>(i));
      const int skin = NodeOf(i)["skin"].Index(skins.size());
      if (skin >= 0) {
        const Json joints = skins.At(static_cast<size_t>(skin))["joints"];
        joint = joints.size() == 0 ? -1 : joints.At(0).Index(tree_.size());
      }
      if (joint >= 0) out_.owners[i] = out_.owners[static_cast<size_t>(joint)];
    }
  }

  absl::Status FindProps() {
    const size_t count = tree_.size();
    // Parents may follow their children in the file.
    std::vector<bool> keeps_out(count), has_mesh(count), moves_below(count), inside(count);
    for (size_t i = 0; i < count; ++i) {
      const Json node = NodeOf(i);
      const bool mesh = node["mesh"].exists() && !node["skin"].exists();
      const bool keeps = tree_[i].skinned || node["skin"].exists() || node["camera"].exists() ||
                         out_.owners[i] >= 0;
      for (int at = static_cast<int>(i); at >= 0; at = tree_[static_cast<size_t>(at)].parent) {
        const auto above = static_cast<size_t>(at);
        if (mesh) has_mesh[above] = true;
        if (keeps) keeps_out[above] = true;
        if (tree_[i].moved && above != i) moves_below[above] = true;
      }
    }
    for (size_t i = 0; i < count; ++i) {
      inside[i] = !keeps_out[i] && has_mesh[i] && !moves_below[i];
    }
    for (size_t i = 0; i < count; ++i) {
      const int above = tree_[i].parent;
      if (!inside[i] || (above >= 0 && inside[static_cast<size_t>(above)])) continue;
      if (Stopped()) return absl::CancelledError("told to stop");
      if (absl::Status s = AddProp(static_cast<int>(i)); !s.ok()) return s;
    }
    if (!scenery_.empty()) {
      out_.scene.warnings.push_back(absl::StrCat(
          scenery_.size(), " nodes that do not move are scenery, and are not sent: ",
          asset::FirstFew(scenery_), " (extras.posewire.prop in the file makes one a prop)"));
    }
    if (!left_out_.empty()) {
      out_.scene.warnings.push_back(absl::StrCat("a scene has at most ", wire::kMostProps,
                                                 " props; left out: ", asset::FirstFew(left_out_)));
    }
    return absl::OkStatus();
  }

  absl::Status AddProp(int node) {
    const std::string& name = tree_[static_cast<size_t>(node)].name;
    const Json from = NodeOf(static_cast<size_t>(node));
    const Json extras = from["extras"];
    const Json own = extras.IsObject() ? extras["posewire"] : Json();
    const Json said = own.IsObject() ? own["prop"] : Json();
    asset::SceneProp prop;
    if (said.IsObject()) prop.shape = asset::ValidText(said["shape"].Text());
    const bool named = !prop.shape.empty();
    if (prop.shape.empty()) prop.shape = asset::ShapeOfName(name);
    const std::vector<double> times = motion_.Times(node);
    if (prop.shape.empty() && !said.IsObject() && times.size() < 2) {
      scenery_.push_back(name);
      return absl::OkStatus();
    }
    if (out_.scene.props.size() == wire::kMostProps) {
      left_out_.push_back(name);
      return absl::OkStatus();
    }
    if (prop.shape.empty()) prop.shape = asset::SceneNames().Take(name);
    Vec3 origin;
    const std::vector<float> size = said.IsObject() ? said["size"].Floats(3) : std::vector<float>();
    if (!size.empty() && std::min({size[0], size[1], size[2]}) > 0) {
      prop.size = {size[0], size[1], size[2]};
    } else {
      origin = asset::FitShape(prop.shape, named, BoundsOf(node), &prop.size);
    }
    if (absl::Status s = AddPlaces(node, times, origin, prop); !s.ok()) return s;
    if (!(std::max({prop.size.x, prop.size.y, prop.size.z}) <= asset::kMostPropSize_m)) {
      scenery_.push_back(name);
      return absl::OkStatus();
    }
    out_.scene.last_s = std::max(out_.scene.last_s, prop.times_s.back());
    prop.name = prop_names_.Take(name);
    out_.prop_nodes.push_back(node);
    out_.scene.props.push_back(std::move(prop));
    return absl::OkStatus();
  }

  asset::Bounds BoundsOf(int node) {
    asset::Bounds out;
    const RigidPlace frame = motion_.PlaceAt(node, 0);
    const skel::Quat back = skel::Conjugate(frame.turn);
    const Json meshes = document_.root()["meshes"], accessors = document_.root()["accessors"];
    std::vector<int> waiting{node};
    while (!waiting.empty()) {
      const int at = waiting.back();
      waiting.pop_back();
      const std::vector<int>& below = children_[static_cast<size_t>(at)];
      waiting.insert(waiting.end(), below.begin(), below.end());
      const int mesh = NodeOf(static_cast<size_t>(at))["mesh"].Index(meshes.size());
      if (mesh < 0) continue;
      const Affine world = motion_.WorldAt(at, 0);
      const Json primitives = meshes.At(static_cast<size_t>(mesh))["primitives"];
      for (size_t p = 0; p < primitives.size(); ++p) {
        const int points = primitives.At(p)["attributes"]["POSITION"].Index(accessors.size());
        if (points < 0) continue;
        const Json accessor = accessors.At(static_cast<size_t>(points));
        const std::vector<float> low = accessor["min"].Floats(3), high = accessor["max"].Floats(3);
        if (low.empty() || high.empty()) continue;
        for (int corner = 0; corner < 8; ++corner) {
          const Vec3 point{corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1],
                           corner & 4 ? high[2] : low[2]};
          out.Add(skel::Rotate(back, skel::TransformPoint(world, point) - frame.at));
        }
      }
    }
    return out;
  }

  absl::Status AddPlaces(int node, const std::vector<double>& times, Vec3 origin,
                         asset::SceneProp& prop) {
    const auto add = [&](double time_s) {
      RigidPlace place = motion_.PlaceAt(node, time_s);
      place.at = place.at + skel::Rotate(place.turn, origin);
      prop.times_s.push_back(time_s);
      prop.places.push_back(place);
    };
    if (times.size() < 2) {
      add(0);
      return absl::OkStatus();
    }
    const auto all = asset::PlaceTimes(
        times, 1, [&](double time_s) { return motion_.PlaceAt(node, time_s); },
        absl::StrCat("nodes[", node, "]"), places_);
    if (!all.ok()) return all.status();
    for (const double time_s : *all) add(time_s);
    return absl::OkStatus();
  }

  // The first camera of a node. Cameras have no other times than those of their place.
  void FindCamera() {
    const Json cameras = document_.root()["cameras"];
    for (size_t i = 0; i < tree_.size(); ++i) {
      const int camera = NodeOf(i)["camera"].Index(cameras.size());
      if (camera < 0) continue;
      out_.scene.has_camera = true;
      const Json perspective = cameras.At(static_cast<size_t>(camera))["perspective"];
      if (perspective.IsObject()) {
        const auto angle = perspective["yfov"].Number(0, 0, 3.1);
        if (angle > 0.01) {
          out_.focal_length_mm = kHalfPicture_mm / std::tan(static_cast<float>(angle) / 2);
        }
      }
      std::vector<double> times = motion_.Times(static_cast<int>(i));
      if (times.empty()) times.push_back(0);
      for (const double time_s : times) {
        out_.camera_times_s.push_back(time_s);
        out_.camera_places.push_back(motion_.PlaceAt(static_cast<int>(i), time_s));
      }
      return;
    }
  }

  Document& document_;
  const std::function<bool()>& stopped_;
  const std::optional<size_t> asked_;
  const std::vector<JointNode> tree_;
  const absl::Status structure_;  // faults in the nodes, skins and channels
  NodeMotion motion_;
  std::vector<std::vector<int>> children_;
  std::vector<int> below_;  // see FindNames
  std::map<int, std::string> skin_names_;
  std::vector<int> first_animation_;  // of each node, or -1
  std::set<size_t> timed_animations_;
  std::vector<int> part_of_;  // scratch of TopOfHuman: -1 between calls
  NodeScene out_;
  std::vector<int> groups_;  // of each node, one that it is in a group with; itself for the first
  asset::SceneNames names_, prop_names_;
  std::vector<std::string> scenery_, left_out_;
  size_t places_ = 0;
};

}  // namespace

skel::Trs TransformOf(const Json& node) {
  if (const std::vector<float> m = node["matrix"].Floats(16); !m.empty()) {
    return skel::Decompose(
        {{Vec3{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}, {m[12], m[13], m[14]}}});
  }
  skel::Trs out;
  const auto vector = [&](const char* name, Vec3& to) {
    if (const auto v = node[name].Floats(3); !v.empty()) to = {v[0], v[1], v[2]};
  };
  vector("translation", out.translation);
  vector("scale", out.scale);
  if (const auto q = node["rotation"].Floats(4); !q.empty()) {
    out.rotation = skel::Normalized(skel::Quat{q[3], q[0], q[1], q[2]});
  }
  return out;
}

std::optional<size_t> FindAnimation(Document& document, const std::string& which) {
  const Json animations = document.root()["animations"];
  for (size_t i = 0; i < animations.size(); ++i) {
    if (animations.At(i)["name"].Text() == which) return i;
  }
  size_t number = 0;
  if (absl::SimpleAtoi(which, &number) && number < animations.size()) return number;
  return std::nullopt;
}

absl::StatusOr<NodeScene> FindScene(Document& document, const std::string& animation,
                                    const std::function<bool()>& stopped) {
  return SceneFinder(document, animation, stopped).Find();
}

}  // namespace posewire::gltf
