#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "libs/asset/motion_skeleton.h"
#include "libs/asset/spike.h"
#include "libs/formats/x3d/joint_names.h"
#include "libs/formats/x3d/keys.h"
#include "libs/formats/x3d/read_scene.h"
#include "libs/formats/x3d/scene.h"
#include "libs/formats/x3d/scene_parts.h"
#include "libs/formats/x3d/write_scene.h"
#include "libs/formats/x3d/x3d.h"
#include "libs/skel/path_index.h"
#include "libs/skel/rig_limits.h"

namespace posewire::x3d {
namespace {

using Kind = Field::Kind;
using skel::Quat;
using skel::Vec3;

constexpr float kMoves = 1e-6f;  // metres, parts of a quaternion, weights
// The limits of X3dMotion.
constexpr int kMostDeep = 200;
constexpr double kLongest_s = 1e7;

// If keys do not change, the first one suffices.
template <typename T, typename Apart>
bool Changes(const std::vector<T>& keys, Apart apart) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const T& key) { return apart(key, keys[0]) > kMoves; });
}

class SceneMaker : private SceneParts {
 public:
  explicit SceneMaker(const asset::Motion& motion) : motion_(motion) {}

  absl::StatusOr<Scene> Make() {
    if (!motion_.header) return absl::InvalidArgumentError("the clip has no header");
    const bool joints =
        !motion_.tracks[wire::kTranslations].empty() || !motion_.tracks[wire::kRotations].empty();
    const bool shapes = !motion_.tracks[wire::kWeights].empty();
    if (!joints && !shapes) {
      return absl::InvalidArgumentError("the clip has neither poses nor weights");
    }
    if (joints) {
      absl::StatusOr<asset::MotionSkeleton> skeleton = asset::MotionSkeleton::Of(motion_);
      if (!skeleton.ok()) return skeleton.status();
      skeleton_ = *std::move(skeleton);
    } else {
      skeleton_.joints.push_back({"HumanoidRoot", -1, -1, {}, {}});
    }
    for (const auto& find : {&SceneMaker::CheckSize, &SceneMaker::FindNames, &SceneMaker::FindSpan,
                             &SceneMaker::FindShapes}) {
      if (absl::Status s = (this->*find)(); !s.ok()) return s;
    }
    FindRest();
    AddHead();
    if (absl::Status s = AddBody(); !s.ok()) return s;
    if (joints) AddPoses();
    if (shapes) AddShapes();
    return std::move(scene_);
  }

 private:
  // A written file must be within the reader's limits.
  absl::Status CheckSize() {
    std::vector<int> deep(skeleton_.joints.size());
    for (size_t j = 0; j < deep.size(); ++j) {
      const int parent = skeleton_.joints[j].parent;
      deep[j] = parent < 0 ? 1 : deep[static_cast<size_t>(parent)] + 1;
      if (j < skel::kMostJoints && deep[j] <= kMostDeep) continue;
      return absl::ResourceExhaustedError(absl::StrCat("the clip has over ", skel::kMostJoints,
                                                       " joints, or over ", kMostDeep,
                                                       " of them below each other"));
    }
    return absl::OkStatus();
  }

  // Uses the last elements of their names, which are unique.
  absl::Status FindShapes() {
    if (motion_.tracks[wire::kWeights].empty()) return absl::OkStatus();
    const std::vector<std::string>& shapes = motion_.header->shapes;
    if (shapes.size() > skel::kMostShapes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the clip has ", shapes.size(), " shapes; X3D takes ", skel::kMostShapes));
    }
    for (const std::string& shape : shapes) {
      std::string name(skel::LastPathElement(shape));
      if (absl::Status s = CheckX3dName("shape ", name); !s.ok()) return s;
      shapes_.push_back(std::move(name));
    }
    return absl::OkStatus();
  }

  absl::Status FindNames() {
    std::vector<std::string> labels;
    std::vector<int> parents;
    for (const auto& joint : skeleton_.joints) {
      labels.emplace_back(skel::LastPathElement(joint.path));
      parents.push_back(joint.parent);
    }
    absl::StatusOr<JointNames> found = NameJoints(labels, parents);
    if (!found.ok()) return found.status();
    named_ = *std::move(found);
    return absl::OkStatus();
  }

  // Computes the rest positions and rotations in the model. H-Anim has no rest rotations.
  void FindRest() {
    for (const asset::MotionSkeleton::Joint& joint : skeleton_.joints) {
      const auto p = static_cast<size_t>(std::max(joint.parent, 0));
      const bool root = joint.parent < 0;
      centers_.push_back(root ? joint.translation
                              : centers_[p] + skel::Rotate(turns_[p], joint.translation));
      turns_.push_back(root ? joint.rotation
                            : skel::Normalized(skel::Mul(turns_[p], joint.rotation)));
    }
  }

  absl::Status FindSpan() {
    first_s_ = motion_.first_s();
    cycle_s_ = motion_.last_s() - first_s_;
    if (!(cycle_s_ > 0)) cycle_s_ = 1;
    if (cycle_s_ < kLongest_s) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("the clip lasts ", cycle_s_, " s; X3D takes less than ", kLongest_s));
  }

  std::string Keys(const std::vector<double>& time_codes_s) const {
    std::vector<double> seconds;
    for (const double time_code_s : time_codes_s) {
      seconds.push_back(std::clamp(time_code_s - first_s_, 0.0, cycle_s_));
    }
    return X3dKeys(seconds, cycle_s_);
  }

  void AddHead() {
    AddSceneHead();
    AddClock(cycle_s_);
  }

  absl::Status AddBody() {
    human_ = Add("HAnimHumanoid", kHumanoidDef);
    Set(human_, "name", Kind::kString, "humanoid");
    Set(human_, "version", Kind::kString, "2.0");
    if (named_.level >= 0) Set(human_, "loa", Kind::kOne, absl::StrCat(named_.level));
    if (!named_.is_hanim) Set(human_, "skeletalConfiguration", Kind::kString, "SOURCE");
    std::vector<std::vector<size_t>> children(skeleton_.joints.size());
    std::vector<int> parents;
    for (const auto& joint : skeleton_.joints) parents.push_back(joint.parent);
    std::vector<int> segments(skeleton_.joints.size(), -1);
    const std::vector<SegmentMass> masses = EstimateMasses(named_.known, parents, centers_);
    for (size_t j = 0; j < skeleton_.joints.size(); ++j) {
      const int parent = skeleton_.joints[j].parent;
      if (parent >= 0) children[static_cast<size_t>(parent)].push_back(j);
    }
    look_ = Add("Appearance", "Bones");
    const int material = Add("Material");
    Set(material, "diffuseColor", Kind::kOne, "0.6 0.65 0.7");
    Put(look_, "material", material);
    for (size_t j = 0; j < skeleton_.joints.size(); ++j) {
      joints_.push_back(Add("HAnimJoint", named_.defs[j]));
      Set(joints_[j], "name", Kind::kString, named_.names[j]);
      Set(joints_[j], "center", Kind::kOne, TextOf(centers_[j]));
      const int parent = skeleton_.joints[j].parent;
      if (parent < 0) Put(human_, "skeleton", joints_[j]);
      if (parent >= 0) Put(joints_[static_cast<size_t>(parent)], "children", joints_[j]);
    }
    for (size_t j = 0; j < joints_.size(); ++j) {
      if (named_.segments[j].empty() && children[j].empty()) continue;
      const std::string name = named_.segments[j].empty()
                                   ? absl::StrCat("x_segment_", named_.names[j])
                                   : named_.segments[j];
      const int segment = AddSegment(joints_[j], name, masses[j]);
      AddBones(segment, j, children[j]);
      segments[j] = segment;
      if (first_segment_ < 0) first_segment_ = segment;
      if (named_.names[j] == "skullbase") skull_ = segment;
    }
    const absl::StatusOr<WrittenBody> body = StandardBody(named_, centers_);
    if (!body.ok()) return body.status();
    AddBodyParts(*body, joints_, named_.names, segments);
    // The standard requires the humanoid to list the joints of its skeleton.
    for (const int joint : joints_) Put(human_, "joints", joint);
    scene_.roots.push_back({"children", human_});
    scene_.roots.push_back({"children", clock_});
    return absl::OkStatus();
  }

  // Adds a spike towards each joint below.
  void AddBones(int segment, size_t joint, const std::vector<size_t>& below) {
    std::string points, index;
    int first = 0;
    for (const size_t child : below) {
      if (!(skel::Length(centers_[child] - centers_[joint]) > 1e-4f)) continue;
      for (const Vec3 p : asset::SpikePoints(centers_[joint], centers_[child])) {
        absl::StrAppend(&points, points.empty() ? "" : " ", TextOf(p));
      }
      for (const auto& [a, b, c] : asset::kSpikeTriangles) {
        absl::StrAppend(&index, index.empty() ? "" : " ", first + a, " ", first + b, " ", first + c,
                        " -1");
      }
      first += 6;
    }
    if (points.empty()) return;
    const int shape = Add("Shape"), faces = Add("IndexedFaceSet"), coord = Add("Coordinate");
    Set(coord, "point", Kind::kList, points);
    Set(faces, "coordIndex", Kind::kList, index);
    Put(faces, "coord", coord);
    Put(shape, "appearance", look_);
    Put(shape, "geometry", faces);
    Put(segment, "children", shape);
  }

  void AddPoses() {
    std::vector<double> time_codes_s = motion_.time_codes_s[wire::kRotations];
    const std::vector<double>& ways_s = motion_.time_codes_s[wire::kTranslations];
    const size_t joints = skeleton_.joints.size();
    std::vector<std::vector<Quat>> turns(joints);
    std::vector<std::vector<Vec3>> ways(joints);
    asset::MotionPose pose(motion_, skeleton_);
    std::vector<Quat> deviation(joints);
    // x_j = D_parent^-1 D_j, where D is a joint's rotation from its rest in the model.
    for (const double time_code_s : time_codes_s) {
      pose.Sample(time_code_s);
      std::vector<Quat> model(joints);
      for (size_t j = 0; j < joints; ++j) {
        const int parent = skeleton_.joints[j].parent;
        const auto p = static_cast<size_t>(std::max(parent, 0));
        model[j] = parent < 0 ? pose.rotations()[j] : skel::Mul(model[p], pose.rotations()[j]);
        deviation[j] = skel::Mul(model[j], skel::Conjugate(turns_[j]));
        turns[j].push_back(skel::Normalized(
            parent < 0 ? deviation[j] : skel::Mul(skel::Conjugate(deviation[p]), deviation[j])));
      }
    }
    for (const double time_code_s : ways_s) {
      pose.Sample(time_code_s);
      for (size_t j = 0; j < joints; ++j) {
        const int parent = skeleton_.joints[j].parent;
        const Vec3 way = pose.translations()[j] - skeleton_.joints[j].translation;
        ways[j].push_back(parent < 0 ? way
                                     : skel::Rotate(turns_[static_cast<size_t>(parent)], way));
      }
    }
    const std::string turn_keys = Keys(time_codes_s), way_keys = Keys(ways_s);
    bool any = false;
    for (size_t j = 0; j < joints; ++j) {
      if (!turns[j].empty()) {
        // The first joint's rotations keep the motion in a clip in which no joint moves.
        if (j == 0 || Changes(turns[j], [](Quat a, Quat b) { return 1 - std::fabs(Dot(a, b)); }) ||
            Changes(turns[j], [](Quat a, Quat b) {
              return std::fabs(a.x - b.x) + std::fabs(a.y - b.y) + std::fabs(a.z - b.z);
            })) {
          Drive("OrientationInterpolator", absl::StrCat("turns_", named_.defs[j]), turn_keys,
                Join(turns[j]), joints_[j], "rotation");
          any = true;
        } else if (1 - std::fabs(turns[j][0].w) > 0) {
          Set(joints_[j], "rotation", Kind::kOne, TextOf(turns[j][0]));
        }
      }
      if (ways[j].empty()) continue;
      const bool moves = Changes(ways[j], [](Vec3 a, Vec3 b) { return skel::Length(a - b); });
      if (moves || (j == 0 && !any)) {
        Drive("PositionInterpolator", absl::StrCat("ways_", named_.defs[j]), way_keys,
              Join(ways[j]), joints_[j], "translation");
      } else if (skel::Length(ways[j][0]) > kMoves) {
        Set(joints_[j], "translation", Kind::kOne, TextOf(ways[j][0]));
      }
    }
  }

  void AddShapes() {
    const skel::KeyTrack& track = motion_.tracks[wire::kWeights];
    const std::vector<double>& time_codes_s = motion_.time_codes_s[wire::kWeights];
    std::vector<std::string> values(shapes_.size());
    std::vector<float> between(static_cast<size_t>(track.width()));
    for (const double time_code_s : time_codes_s) {
      const auto weights = track.Sample(time_code_s, absl::MakeSpan(between));
      for (size_t s = 0; s < shapes_.size(); ++s) {
        absl::StrAppendFormat(&values[s], "%s%.9g", values[s].empty() ? "" : " ",
                              static_cast<double>(weights[s]));
      }
    }
    int segment = skull_ >= 0 ? skull_ : first_segment_;
    if (segment < 0) {
      segment = Add("HAnimSegment");
      Set(segment, "name", Kind::kString, "x_segment");
      Put(joints_[0], "children", segment);
    }
    const std::string keys = Keys(time_codes_s);
    for (size_t s = 0; s < shapes_.size(); ++s) {
      const int displacer = Add("HAnimDisplacer", absl::StrCat("shape_", s));
      Set(displacer, "name", Kind::kString, shapes_[s]);
      Put(segment, "displacers", displacer);
      Drive("ScalarInterpolator", absl::StrCat("shape_", s, "_weights"), keys, values[s], displacer,
            "weight");
    }
  }

  const asset::Motion& motion_;
  asset::MotionSkeleton skeleton_;
  JointNames named_;
  std::vector<std::string> shapes_;
  std::vector<Vec3> centers_;
  std::vector<Quat> turns_;  // in the model, at rest
  std::vector<int> joints_;  // nodes
  double first_s_ = 0, cycle_s_ = 1;
  int human_ = -1, look_ = -1, first_segment_ = -1, skull_ = -1;
};

absl::Status Write(const asset::Motion& motion, asset::PutBytes put,
                   std::string (*write)(const Scene&)) {
  const absl::StatusOr<Scene> scene = SceneMaker(motion).Make();
  if (!scene.ok()) return scene.status();
  const std::string text = write(*scene);
  if (const size_t most = Limits().bytes; text.size() > most) {
    return absl::ResourceExhaustedError(absl::StrCat("the clip would have ", text.size(),
                                                     " bytes as X3D, of which we read at most ",
                                                     most, "; cut it first"));
  }
  return put(text);
}

}  // namespace

absl::Status WriteX3d(const asset::Motion& motion, asset::PutBytes put) {
  return Write(motion, put, WriteXml);
}

absl::Status WriteX3dv(const asset::Motion& motion, asset::PutBytes put) {
  return Write(motion, put, WriteClassic);
}

}  // namespace posewire::x3d
