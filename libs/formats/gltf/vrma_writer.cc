// Writes VRM animations (VRMC_vrm_animation 1.0). A glTF animation moves the bones of the vrm rig
// from its T-pose. Each expression is a node whose translation along X is the weight. The gaze is
// the rotation of another node.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/formats/gltf/animation.h"
#include "libs/formats/gltf/document_writer.h"
#include "libs/formats/gltf/gltf.h"
#include "libs/skel/pose_mapper.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_map.h"
#include "libs/vmc/expressions.h"

namespace posewire::gltf {
namespace {

using skel::HumanBone;
using skel::Quat;
using skel::Vec3;

// The angles of the eyes if a shape eyeLook... is 1, as in libs/graph/eye_angles.h.
constexpr float kGazeAcross = 35 * skel::kDeg, kGazeUp = 30 * skel::kDeg;

bool IsGazePreset(int preset) { return preset >= static_cast<int>(vmc::Preset::kLookUp); }

// Converts the poses of a clip to those of the vrm rig.
class VrmPoses {
 public:
  static absl::StatusOr<VrmPoses> Make(const asset::Motion& motion) {
    const absl::StatusOr<skel::RigCatalog> catalog = skel::RigCatalog::Builtin();
    if (!catalog.ok()) return catalog.status();
    VrmPoses out;
    auto vrm = catalog->Find("vrm");
    if (!vrm.ok()) return vrm.status();
    out.vrm_ = *std::move(vrm);
    const std::vector<std::string>& joints = motion.header->joints;
    if (joints.empty()) return out;
    const std::shared_ptr<const skel::Rig> source = skel::RecognizeRig(joints, *catalog);
    if (source == nullptr) {
      return absl::InvalidArgumentError(
          "the clip's joints are not those of a built-in rig, and VRM's bones cannot be told among "
          "them; animclip retarget IN OUT --to vrm does it, where the file has the skeleton's "
          "rest");
    }
    absl::StatusOr<skel::RigMap> map = skel::RigMap::Make(source, out.vrm_);
    if (!map.ok()) return map.status();
    out.map_ = *std::move(map);
    out.mapper_ = skel::PoseMapper::ToRig(joints, *source);
    out.in_ = skel::Pose(source->joints(), source->shapes());
    out.out_ = skel::Pose(out.vrm_->joints(), out.vrm_->shapes());
    return out;
  }

  const skel::Rig& vrm() const { return *vrm_; }
  bool any() const { return map_.has_value(); }

  // Valid until the next call. Values that the clip does not determine are absent.
  skel::PoseView At(const asset::Motion& motion, double time_code_s) {
    in_.span().ClearPresence();
    out_.span().ClearPresence();
    const auto sample = [&](wire::PoseTrack t, std::vector<float>& between) {
      const skel::KeyTrack& track = motion.tracks[t];
      between.resize(static_cast<size_t>(track.width()));
      return track.Sample(time_code_s, absl::MakeSpan(between));
    };
    const absl::Span<const float> r = sample(wire::kRotations, rotations_);
    const absl::Span<const float> t = sample(wire::kTranslations, translations_);
    for (int i = 0; i < mapper_.source_size(); ++i) {
      const int j = mapper_.TargetOf(i);
      if (j < 0) continue;
      const auto n = static_cast<size_t>(i);
      if (!r.empty()) {
        const float* q = r.data() + 4 * n;
        in_.span().SetRotation(j, skel::Normalized(Quat{q[0], q[1], q[2], q[3]}));
      }
      if (!t.empty()) {
        in_.span().SetTranslation(j, {t[3 * n], t[3 * n + 1], t[3 * n + 2]});
      }
    }
    map_->Apply(in_.view(), out_.span());
    return out_.view();
  }

 private:
  std::shared_ptr<const skel::Rig> vrm_;
  std::optional<skel::RigMap> map_;
  skel::PoseMapper mapper_;
  skel::Pose in_, out_;
  std::vector<float> rotations_, translations_;
};

// Converts the weights of a clip to VRM's expressions.
class VrmExpressions {
 public:
  explicit VrmExpressions(const std::vector<std::string>& shapes) {
    std::set<std::string> taken;
    for (size_t s = 0; s < shapes.size(); ++s) {
      const vmc::ExpressionId id = vmc::FindExpression(shapes[s]);
      if (id.arkit >= 0) {
        arkit_.emplace(id.arkit, s);
      } else if (id.preset >= 0) {
        presets_.emplace(id.preset, s);
      } else if (taken.insert(shapes[s]).second) {
        others_.emplace_back(shapes[s], s);
      }
    }
  }

  struct Frame {
    vmc::ArkitWeights arkit{};
    vmc::PresetWeights presets{};
    std::vector<float> others;
    vmc::PresetWeights gaze{};  // from the shapes eyeLook...
  };

  Frame At(absl::Span<const float> weights) const {
    Frame out;
    for (const auto& [arkit, shape] : arkit_)
      out.arkit[static_cast<size_t>(arkit)] = weights[shape];
    vmc::FromAceMouth(kJawOfMouthClose, out.arkit);
    // Adds the presets that look most like the shapes, for avatars without ARKit's shapes.
    out.gaze = out.presets = vmc::PresetsFromArkit(out.arkit);
    for (const auto& [preset, shape] : presets_) {
      out.presets[static_cast<size_t>(preset)] = weights[shape];
    }
    for (const auto& [name, shape] : others_) out.others.push_back(weights[shape]);
    return out;
  }

  bool has_arkit() const { return !arkit_.empty(); }
  bool HasPreset(int preset) const { return presets_.contains(preset); }
  const std::vector<std::pair<std::string, size_t>>& others() const { return others_; }

 private:
  std::map<int, size_t> arkit_, presets_;  // to the clip's shape
  std::vector<std::pair<std::string, size_t>> others_;
};

class VrmaBuilder {
 public:
  VrmaBuilder(const asset::Motion& motion, DocumentWriter& out) : motion_(motion), out_(out) {}

  // The document refers to this object until it is written.
  absl::Status Build() {
    if (!motion_.header) return absl::InvalidArgumentError("the clip has no header");
    const bool poses =
        !motion_.tracks[wire::kTranslations].empty() || !motion_.tracks[wire::kRotations].empty();
    const bool weights = !motion_.tracks[wire::kWeights].empty();
    if (!poses && !weights) {
      return absl::InvalidArgumentError("the clip has neither poses nor weights");
    }
    absl::StatusOr<VrmPoses> made = VrmPoses::Make(motion_);
    if (!made.ok()) return made.status();
    AddBones(made->vrm());
    if (poses && made->any()) AddPoses(*made);
    if (weights) AddWeights();
    if (out_.channels.empty()) {
      return absl::InvalidArgumentError("the clip moves no bone of VRM's, and no shape");
    }
    out_.extensions_used = {kExtension};
    if (!motion_.header->ids.request_id.empty()) out_.animation = motion_.header->ids.request_id;
    out_.more = [this](JsonWriter& json) { WriteExtension(json); };
    return out_.CheckSize();
  }

 private:
  static constexpr char kExtension[] = "VRMC_vrm_animation";
  using Named = std::vector<std::pair<std::string, int>>;  // to the node

  int AddNode(const std::string& name, int parent, Vec3 translation = {}) {
    return out_.AddNode({.name = name, .translation = translation}, parent);
  }

  // Adds the bones in the rig's T-pose. The extension does not count eyes as bones.
  void AddBones(const skel::Rig& vrm) {
    node_of_.assign(static_cast<size_t>(vrm.joints()), -1);
    for (int j = 0; j < vrm.joints(); ++j) {
      const auto bone = vrm.humanoid().BoneOf(j);
      if (bone == HumanBone::kLeftEye || bone == HumanBone::kRightEye) continue;
      const int parent = vrm.topology().parent(j);
      const std::string& name = vrm.joint_aliases()[static_cast<size_t>(j)];
      const int node = AddNode(name, parent < 0 ? -1 : node_of_[static_cast<size_t>(parent)],
                               vrm.rest().translation(j));
      const Quat rest = vrm.rest().rotation(j);
      if (rest.w != 1) out_.nodes.back().rotation = rest;
      node_of_[static_cast<size_t>(j)] = node;
      bones_.emplace_back(name, node);
      if (bone == HumanBone::kHead) head_ = node;
    }
  }

  static bool Moves(const std::vector<float>& values, size_t width) {
    for (size_t i = width; i < values.size(); ++i) {
      if (std::fabs(values[i] - values[i % width]) > kLeastMove) return true;
    }
    return false;
  }

  void AddChannel(int node, int input, const std::vector<float>& values, const char* path) {
    out_.channels.push_back({node, input, out_.Add(values, path == kRotation ? 4 : 3), path});
  }

  void AddPoses(VrmPoses& poses) {
    const skel::Rig& vrm = poses.vrm();
    std::vector<double> time_codes_s;
    const auto& r = motion_.time_codes_s[wire::kRotations];
    const auto& t = motion_.time_codes_s[wire::kTranslations];
    std::set_union(r.begin(), r.end(), t.begin(), t.end(), std::back_inserter(time_codes_s));
    time_codes_s = DocumentWriter::DistinctTimes(time_codes_s);
    const int input = out_.AddTimes(time_codes_s);
    std::vector<std::vector<float>> turns(static_cast<size_t>(vrm.joints()));
    std::vector<float> hips;
    const int root = vrm.humanoid().joint(HumanBone::kHips);
    const int eyes[] = {vrm.humanoid().joint(HumanBone::kLeftEye),
                        vrm.humanoid().joint(HumanBone::kRightEye)};
    for (const double time_code_s : time_codes_s) {
      const skel::PoseView pose = poses.At(motion_, time_code_s);
      const auto turn_of = [&](int j) {
        return pose.has_r[j] ? pose.rotation(j) : vrm.rest().rotation(j);
      };
      for (int j = 0; j < vrm.joints(); ++j) {
        const Quat q = turn_of(j);
        auto& values = turns[static_cast<size_t>(j)];
        values.insert(values.end(), {q.x, q.y, q.z, q.w});
      }
      const Vec3 at = pose.has_t[root] ? pose.translation(root) : vrm.rest().translation(root);
      hips.insert(hips.end(), {at.x, at.y, at.z});
      const Quat gaze = skel::Slerp(turn_of(eyes[0]), turn_of(eyes[1]), 0.5f);
      gaze_.insert(gaze_.end(), {gaze.x, gaze.y, gaze.z, gaze.w});
    }
    // A bone that is still but not at rest needs a channel too, because its node has the rest pose.
    for (int j = 0; j < vrm.joints(); ++j) {
      const int node = node_of_[static_cast<size_t>(j)];
      const std::vector<float>& values = turns[static_cast<size_t>(j)];
      if (node >= 0 && (j == root || Moves(values, 4) || !AtRest(values, vrm.rest().rotation(j)))) {
        AddChannel(node, input, values, kRotation);
      }
    }
    AddChannel(node_of_[static_cast<size_t>(root)], input, hips, kTranslation);
    if (!gaze_.empty() && (Moves(gaze_, 4) || !AtRest(gaze_, {}))) AddGaze(input, gaze_);
  }

  static bool AtRest(const std::vector<float>& values, Quat rest) {
    return skel::AngleBetween(Quat{values[3], values[0], values[1], values[2]}, rest) < 1e-4f;
  }

  void AddGaze(int input, const std::vector<float>& turns) {
    look_at_ = AddNode("lookAt", head_);
    AddChannel(look_at_, input, turns, kRotation);
  }

  void AddWeights() {
    const VrmExpressions expressions(motion_.header->shapes);
    const skel::KeyTrack& track = motion_.tracks[wire::kWeights];
    const std::vector<double> time_codes_s =
        DocumentWriter::DistinctTimes(motion_.time_codes_s[wire::kWeights]);
    const int input = out_.AddTimes(time_codes_s);
    std::vector<VrmExpressions::Frame> frames;
    std::vector<float> between(static_cast<size_t>(track.width()));
    for (const double time_code_s : time_codes_s) {
      frames.push_back(expressions.At(track.Sample(time_code_s, absl::MakeSpan(between))));
    }
    const auto add = [&](const std::string& name, Named& to, auto weight_of, bool always) {
      std::vector<float> values;
      bool any = false;
      for (const VrmExpressions::Frame& frame : frames) {
        const float weight = weight_of(frame);
        any = any || weight != 0;
        values.insert(values.end(), {weight, 0, 0});
      }
      if (!any && !always) return;
      const bool first = presets_.empty() && customs_.empty();
      const int node = AddNode(name, -1);
      to.emplace_back(name, node);
      // An expression that stays 0 needs no keys. The first one has keys anyway, to keep the clip's
      // times.
      if (any || first) AddChannel(node, input, values, kTranslation);
    };
    if (expressions.has_arkit()) {
      for (size_t i = 0; i < size_t{vmc::kArkitShapes}; ++i) {
        add(
            std::string(vmc::ArkitNames()[i]), customs_,
            [i](const VrmExpressions::Frame& f) { return f.arkit[i]; }, /*always=*/true);
      }
    }
    for (size_t i = 0; i < expressions.others().size(); ++i) {
      add(
          expressions.others()[i].first, customs_,
          [i](const VrmExpressions::Frame& f) { return f.others[i]; }, /*always=*/true);
    }
    for (int p = 0; p < vmc::kPresets; ++p) {
      if (IsGazePreset(p)) continue;  // lookAt has these
      add(
          std::string(vmc::Vrm1Name(static_cast<vmc::Preset>(p))), presets_,
          [p](const VrmExpressions::Frame& f) { return f.presets[static_cast<size_t>(p)]; },
          expressions.HasPreset(p));
    }
    if (look_at_ < 0) AddGazeOfShapes(input, frames);
  }

  void AddGazeOfShapes(int input, const std::vector<VrmExpressions::Frame>& frames) {
    std::vector<float> turns;
    for (const VrmExpressions::Frame& frame : frames) {
      const auto look = [&](vmc::Preset p) { return frame.gaze[static_cast<size_t>(p)]; };
      const float left =
          kGazeAcross * (look(vmc::Preset::kLookLeft) - look(vmc::Preset::kLookRight));
      const float up = kGazeUp * (look(vmc::Preset::kLookUp) - look(vmc::Preset::kLookDown));
      const Quat q =
          skel::Mul(skel::FromAxisAngle({0, 1, 0}, left), skel::FromAxisAngle({1, 0, 0}, -up));
      turns.insert(turns.end(), {q.x, q.y, q.z, q.w});
    }
    if (!turns.empty() && (Moves(turns, 4) || !AtRest(turns, {}))) AddGaze(input, turns);
  }

  static void WriteNamed(JsonWriter& json, const char* member, const Named& all) {
    if (all.empty()) return;
    WriteObject(json, member, [&] {
      for (const auto& [name, node] : all) WriteNodeOf(json, name, node);
    });
  }
  static void WriteNodeOf(JsonWriter& json, absl::string_view member, int node) {
    WriteObject(json, member, [&] { json.Key("node"), json.Int(node); });
  }

  void WriteExtension(JsonWriter& json) const {
    WriteObject(json, "extensions", [&] {
      WriteObject(json, kExtension, [&] {
        json.Key("specVersion"), json.String("1.0");
        WriteObject(json, "humanoid", [&] { WriteNamed(json, "humanBones", bones_); });
        if (!presets_.empty() || !customs_.empty()) {
          WriteObject(json, "expressions", [&] {
            WriteNamed(json, "preset", presets_);
            WriteNamed(json, "custom", customs_);
          });
        }
        if (look_at_ >= 0) WriteNodeOf(json, "lookAt", look_at_);
      });
    });
  }

  static constexpr const char* kRotation = "rotation";
  static constexpr const char* kTranslation = "translation";

  const asset::Motion& motion_;
  DocumentWriter& out_;
  std::vector<int> node_of_;  // by joint of the vrm rig; -1: none
  Named bones_, presets_, customs_;
  int head_ = -1, look_at_ = -1;
  std::vector<float> gaze_;  // from the joints of the eyes
};

}  // namespace

absl::Status WriteVrma(const asset::Motion& motion, asset::PutBytes put) {
  DocumentWriter out;
  VrmaBuilder builder(motion, out);
  if (absl::Status s = builder.Build(); !s.ok()) return s;
  return out.PutGlb(put);
}

}  // namespace posewire::gltf
