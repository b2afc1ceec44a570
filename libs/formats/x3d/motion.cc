#include "libs/formats/x3d/motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/asset/motion.h"
#include "libs/formats/x3d/fields.h"
#include "libs/formats/x3d/keys.h"
#include "libs/formats/x3d/spline.h"
#include "libs/skel/body.h"
#include "libs/skel/rig_limits.h"

namespace posewire::x3d {
namespace {

using skel::Quat;
using skel::Vec3;

// Limit for all tracks together. An interpolator that moves many joints has as many tracks.
constexpr size_t kMostKeys = size_t{8} << 20;
constexpr size_t kListedMotions = 20;
// In a file, a jump is two keys at the same time. The first of them is moved back by this.
constexpr double kJump_s = 1e-4;
// The last key is at the end of the cycle if it differs by at most this.
constexpr double kSameEnd_s = 4e-6;
// If a rotating transform carries the root, keys are added, because the root moves in a curve
// between the file's keys.
constexpr double kCarriedRate_hz = 60, kMostCarriedParts = 64;
constexpr float kDegree = 3.14159265f / 180;
constexpr float kSameScale = 1e-3f;

// Returns the numbers in a key of an interpolator that moves a field of a humanoid; 0 for others.
size_t WidthOf(absl::string_view interpolator, absl::string_view field) {
  interpolator = StraightType(interpolator);
  if (interpolator == "OrientationInterpolator" && field == "rotation") return 4;
  if (interpolator == "PositionInterpolator" && field == "translation") return 3;
  if (interpolator == "ScalarInterpolator" && field == "weight") return 1;
  return 0;  // scales and colours
}

}  // namespace

class X3dMotionReader {
 public:
  explicit X3dMotionReader(const Scene& scene) : scene_(scene) {}

  absl::StatusOr<X3dMotion> Read(absl::string_view which) {
    const auto catalog = skel::RigCatalog::Builtin();
    if (!catalog.ok()) return catalog.status();
    const auto standard = catalog->Find("hanim_loa4");
    if (!standard.ok()) return standard.status();
    standard_ = *standard;
    absl::StatusOr<HAnimHumanoid> humanoid = ReadHumanoid(scene_, *standard_);
    if (!humanoid.ok()) return humanoid.status();
    out_.humanoid_ = *std::move(humanoid);
    radians_ = scene_.UnitOf("angle"), length_m_ = scene_.UnitOf("length");
    for (const auto& find : {&X3dMotionReader::FindJoints, &X3dMotionReader::FindAbove,
                             &X3dMotionReader::FindShapes}) {
      if (absl::Status s = (this->*find)(); !s.ok()) return s;
    }
    const absl::StatusOr<int> source = Choose(which);
    if (!source.ok()) return source.status();
    absl::Status s =
        node(*source).type == "TimeSensor" ? ReadSensor(*source) : ReadFrames(node(*source));
    // A clock that moves displacers alone plays together with the frames of the joints.
    if (s.ok() && which.empty() && !out_.moves_joints_ && motion_ >= 0) {
      s = ReadFrames(node(motion_));
    }
    if (!s.ok()) return s;
    Finish();
    return std::move(out_);
  }

 private:
  using Mover = X3dMotion::Mover;
  const X3dNode& node(int index) const { return scene_.nodes[static_cast<size_t>(index)]; }

  // Metres per unit of the fields of a joint.
  float unit_m() const { return out_.humanoid_.unit_m; }

  absl::StatusOr<Mover> MoverOf(const X3dNode& of, float unit_m) const {
    Mover mover;
    const auto center = Vector(of, "center", {}), translation = Vector(of, "translation", {});
    const auto rotation = Numbers(of, "rotation", 4);
    for (const absl::Status& s : {center.status(), translation.status(), rotation.status()}) {
      if (!s.ok()) return s;
    }
    mover.center = *center * unit_m;
    mover.translation = *translation * unit_m;
    if (!rotation->empty()) {
      std::array<float, 4> v{(*rotation)[0], (*rotation)[1], (*rotation)[2],
                             (*rotation)[3] * radians_};
      mover.rotation = TurnOf(v.data());
    }
    return mover;
  }

  absl::Status FindJoints() {
    size_t bytes = 0;
    for (const HumanoidJoint& joint : out_.humanoid_.joints) {
      absl::StatusOr<Mover> mover = MoverOf(node(joint.node), unit_m());
      if (!mover.ok()) return mover.status();
      joint_of_[joint.node] = out_.mover_.size();
      by_name_.try_emplace(joint.name, out_.mover_.size());
      by_name_.try_emplace(joint.other_name, out_.mover_.size());
      by_name_.try_emplace(NameOf(node(joint.node)), out_.mover_.size());
      out_.mover_.push_back(*std::move(mover));
      out_.joints_.push_back(
          joint.parent < 0
              ? joint.name
              : absl::StrCat(out_.joints_[static_cast<size_t>(joint.parent)], "/", joint.name));
      bytes += out_.joints_.back().size();
      if (bytes > asset::kMostPathBytes) {
        return AtNode(node(joint.node), ": the joints' paths are over 1 MiB together");
      }
    }
    by_name_.erase("");
    return absl::OkStatus();
  }

  // Finds the transforms that the humanoid is in, the outermost first, and the humanoid itself.
  absl::Status FindAbove() {
    std::vector<int> way;
    for (const Child& root : scene_.roots) {
      if (Seek(root.node, way)) break;
    }
    std::reverse(way.begin(), way.end());
    for (const int index : way) {
      const X3dNode& at = node(index);
      const bool human = index == out_.humanoid_.node;
      if (!human && at.type != "Transform") continue;
      absl::StatusOr<Mover> mover = MoverOf(at, length_m_);
      if (!mover.ok()) return mover.status();
      const auto scale = Vector(at, "scale", {1, 1, 1});
      if (!scale.ok()) return scale.status();
      mover->scale = scale->x;
      if (!(scale->x > 0) || std::fabs(scale->y - scale->x) > kSameScale * scale->x ||
          std::fabs(scale->z - scale->x) > kSameScale * scale->x) {
        return AtNode(at, ".scale is not the same above 0 on all axes");
      }
      above_of_[index] = out_.above_.size();
      out_.above_.push_back(*std::move(mover));
    }
    return absl::OkStatus();
  }

  // Returns true if the humanoid is at or below a node. Then `way` leads from it up to the node.
  bool Seek(int index, std::vector<int>& way) {
    if (!seen_.insert(index).second) return false;
    bool found = index == out_.humanoid_.node;
    for (const Child& child : node(index).children) {
      if (found) break;
      found = Seek(child.node, way);
    }
    if (found) way.push_back(index);
    return found;
  }

  absl::Status FindShapes() {
    for (size_t i = 0; i < scene_.nodes.size(); ++i) {
      const X3dNode& at = scene_.nodes[i];
      if (at.type != "HAnimDisplacer") continue;
      const std::string name = ShapeName(NameOf(at));
      if (name.empty() || name.size() > 128) continue;
      const auto [place, fresh] = shape_by_name_.try_emplace(name, out_.shapes_.size());
      shape_of_[static_cast<int>(i)] = place->second;
      if (!fresh) continue;
      if (out_.shapes_.size() == skel::kMostShapes) {
        return AtNode(at, absl::StrCat(": there are over ", skel::kMostShapes, " displacers"));
      }
      const auto weight = Numbers(at, "weight", 1);
      if (!weight.ok()) return weight.status();
      out_.shapes_.push_back(name);
      out_.weight_.push_back(weight->empty() ? 0 : (*weight)[0]);
      out_.weights_.emplace_back();
    }
    return absl::OkStatus();
  }

  // Names that are not those of the rig's shapes stay unchanged.
  std::string ShapeName(const std::string& name) const {
    const absl::string_view bare = BareDisplacer(name);
    if (bare.size() == name.size()) return name;
    const int shape = standard_->FindShape(bare);
    return shape < 0 ? name : standard_->shape_names()[static_cast<size_t>(shape)];
  }

  bool IsTarget(int index) const {
    return joint_of_.contains(index) || above_of_.contains(index) || shape_of_.contains(index);
  }

  // Returns true if the route leads from a clock to an interpolator that moves the humanoid.
  bool IsTick(const Route& r) const {
    return node(r.from).type == "TimeSensor" && BareField(r.to_field) == "fraction" &&
           moved_.contains(r.to);
  }

  // Finds the humanoid's motions, and the clocks that reach it through interpolators. Returns the
  // node of the chosen one.
  absl::StatusOr<int> Choose(absl::string_view which) {
    for (const Route& r : scene_.routes) {
      if (BareField(r.from_field) == "value" && IsTarget(r.to) &&
          WidthOf(node(r.from).type, BareField(r.to_field)) > 0) {
        moved_[r.from].push_back(&r);
      }
    }
    std::vector<int> found;
    absl::flat_hash_set<int> clocks;
    for (const Route& r : scene_.routes) {
      if (IsTick(r) && clocks.insert(r.from).second) found.push_back(r.from);
    }
    const X3dNode& human = node(out_.humanoid_.node);
    const auto on = Words(human, "motionsEnabled");
    if (!on.ok()) return on.status();
    size_t motions = 0, first = found.empty() ? SIZE_MAX : 0;
    for (const Child& child : human.children) {
      if (node(child.node).type != "HAnimMotion") continue;
      const bool off = motions < on->size() && !absl::EqualsIgnoreCase((*on)[motions], "true");
      if (!off && !absl::EqualsIgnoreCase(String(node(child.node), "enabled"), "false")) {
        first = std::min(first, found.size());
        if (motion_ < 0) motion_ = child.node;
      }
      found.push_back(child.node);
      ++motions;
    }
    if (found.empty()) {
      return AtNode(
          node(out_.humanoid_.node),
          ": nothing moves it: no TimeSensor reaches its joints over interpolators, and it "
          "has no HAnimMotion");
    }
    if (which.empty()) return found[first < found.size() ? first : 0];
    std::vector<std::string> names;
    for (const int index : found) {
      const X3dNode& at = node(index);
      if (at.def == which || NameOf(at) == which) return index;
      names.push_back(absl::StrCat("\"", NameOf(at).substr(0, 128), "\""));
    }
    size_t number = 0;
    if (absl::SimpleAtoi(which, &number) && number < found.size()) return found[number];
    const bool all = names.size() <= kListedMotions;
    if (!all) names.resize(kListedMotions);
    return absl::InvalidArgumentError(absl::StrCat(
        "there is no motion \"", which, "\"; there ", found.size() == 1 ? "is " : "are ",
        found.size(), ": ", absl::StrJoin(names, ", "), all ? "" : ", ..."));
  }

  absl::Status ReadSensor(int sensor) {
    const auto cycle_s = Number(node(sensor), "cycleInterval", 1);
    if (!cycle_s.ok()) return cycle_s.status();
    if (!(*cycle_s > 0) || !(*cycle_s < 1e7)) {
      return AtNode(node(sensor), absl::StrCat(".cycleInterval is ", *cycle_s,
                                               ": write seconds, above 0 and below 1e7"));
    }
    absl::flat_hash_set<int> read;
    for (const Route& r : scene_.routes) {
      if (r.from != sensor || !IsTick(r) || !read.insert(r.to).second) continue;
      if (absl::Status s = ReadInterpolator(r.to, *cycle_s); !s.ok()) return s;
    }
    // A pause at the end of a cycle that loops is part of its rhythm.
    const Field* const loop = node(sensor).Find("loop");
    std::vector<double>& times = out_.times_;
    SortTimes();
    if (loop != nullptr && absl::EqualsIgnoreCase(loop->text, "true") && times.size() > 1 &&
        times.back() < *cycle_s - kSameEnd_s) {
      times.push_back(*cycle_s);
    }
    return absl::OkStatus();
  }

  // Counts the keys of a track.
  absl::Status Spend(const X3dNode& of, size_t keys) {
    keys_ += keys;
    if (keys_ <= kMostKeys) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(
        "line ", of.line, ": ", of.type, ": all that moves has over ", kMostKeys, " keys"));
  }

  absl::Status ReadInterpolator(int interpolator, double cycle_s) {
    const X3dNode& of = node(interpolator);
    const std::vector<const Route*>& moved = moved_[interpolator];
    const size_t width = WidthOf(of.type, BareField(moved[0]->to_field));
    auto times = X3dSeconds(of, cycle_s);
    if (!times.ok()) return times.status();
    auto values = Numbers(of, "keyValue");
    if (!values.ok()) return values.status();
    if (values->size() != width * times->size()) {
      return AtNode(of, absl::StrCat(".keyValue has ", values->size(), " numbers for ",
                                     times->size(), " keys: write ", width, " for each"));
    }
    if (times->empty()) return absl::OkStatus();
    // The later of two keys at the same time counts from then on.
    for (size_t k = 0; k + 1 < times->size(); ++k) {
      const double before = k == 0 ? std::min(0.0, (*times)[0]) : (*times)[k - 1];
      if ((*times)[k + 1] <= (*times)[k]) (*times)[k] = std::max(before, (*times)[k] - kJump_s);
    }
    if (width == 4) *values = Turns(*values);
    if (of.type != StraightType(of.type)) {
      absl::StatusOr<CurveKeys> curve = SampleSpline(of, width, *times, *values, kMostKeys);
      if (!curve.ok()) return curve.status();
      *times = std::move(curve->times), *values = std::move(curve->values);
    }
    for (const Route* const route : moved) {
      if (absl::Status s = Spend(of, times->size()); !s.ok()) return s;
      Move(route->to, width, *times, *values);
    }
    return absl::OkStatus();
  }

  void Move(int target, size_t width, const std::vector<double>& times,
            const std::vector<float>& values) {
    if (const auto shape = shape_of_.find(target); shape != shape_of_.end()) {
      auto& track = out_.weights_[shape->second];
      if (width == 1 && track == nullptr) track = Track(1, false, times, values);
      return;
    }
    if (width == 1) return;
    const auto joint = joint_of_.find(target);
    const bool inside = joint != joint_of_.end();
    Mover& mover = inside ? out_.mover_[joint->second] : out_.above_[above_of_[target]];
    if (width == 4) {
      mover.rotations = Track(4, true, times, values);
      return;
    }
    std::vector<float> ways = values;
    const float unit = inside ? unit_m() : length_m_;
    for (float& v : ways) v *= unit;
    mover.translations = Track(3, false, times, ways);
  }

  // Converts to quaternions, each in the same hemisphere as the one before.
  std::vector<float> Turns(const std::vector<float>& values) const {
    std::vector<float> out;
    Quat last;
    for (size_t i = 0; i + 3 < values.size(); i += 4) {
      const std::array<float, 4> v{values[i], values[i + 1], values[i + 2],
                                   values[i + 3] * radians_};
      Quat q = TurnOf(v.data());
      if (skel::Dot(q, last) < 0) q = -q;
      last = q;
      out.insert(out.end(), {q.w, q.x, q.y, q.z});
    }
    return out;
  }

  std::unique_ptr<skel::KeyTrack> Track(int width, bool rotations, const std::vector<double>& times,
                                        const std::vector<float>& values) {
    auto track = std::make_unique<skel::KeyTrack>(width, rotations);
    const auto w = static_cast<size_t>(width);
    for (size_t k = 0; k < times.size(); ++k) {
      if (track->ever() && times[k] <= track->newest_s()) continue;
      track->Append({&times[k], 1}, absl::MakeConstSpan(values).subspan(k * w, w));
      out_.times_.push_back(times[k]);
    }
    (width == 1 ? out_.moves_shapes_ : out_.moves_joints_) = true;
    return track;
  }

  // Reads the frames of an HAnimMotion, in the order of its channels: "6 Xposition Yposition
  // Zposition Zrotation Xrotation Yrotation, 3 Zrotation ...", one group for each joint of
  // `joints`.
  absl::Status ReadFrames(const X3dNode& of) {
    const auto joints = Words(of, "joints"), channels = Words(of, "channels");
    const auto enabled = Words(of, "channelsEnabled");
    for (const absl::Status& s : {joints.status(), channels.status(), enabled.status()}) {
      if (!s.ok()) return s;
    }
    const auto frame_s = Number(of, "frameDuration", 0.1);
    if (!frame_s.ok()) return frame_s.status();
    if (!(*frame_s > 1e-6) || !(*frame_s < 1e4)) {
      return AtNode(of, absl::StrCat(".frameDuration is ", *frame_s,
                                     ": write seconds, above 1e-6 and below 1e4"));
    }
    std::vector<std::vector<std::string>> groups;
    size_t width = 0, left = 0;
    for (const std::string& word : *channels) {
      int count = 0;
      if (left == 0) {
        if (!absl::SimpleAtoi(word, &count) || count < 0 || count > 9) {
          return AtNode(of,
                        absl::StrCat(".channels: \"", word.substr(0, 40),
                                     "\" stands where the number of a joint's channels belongs"));
        }
        left = static_cast<size_t>(count);
        groups.emplace_back();
        continue;
      }
      groups.back().push_back(word);
      --left, ++width;
    }
    if (left > 0 || width == 0 || groups.size() != joints->size()) {
      return AtNode(of,
                    absl::StrCat(".channels has ", groups.size(), " groups for ", joints->size(),
                                 " joints: write one each, such as 3 Zrotation Xrotation "
                                 "Yrotation"));
    }
    const auto values = Numbers(of, "values");
    if (!values.ok()) return values.status();
    if (values->empty() || values->size() % width != 0) {
      return AtNode(of, absl::StrCat(".values has ", values->size(), " numbers: write ", width,
                                     " for each frame, one a channel"));
    }
    const size_t frames = values->size() / width;
    std::vector<double> times(frames);
    const asset::FrameClock clock(*frame_s, 1e-9);
    for (size_t k = 0; k < frames; ++k) times[k] = clock.Seconds(static_cast<int64_t>(k));
    size_t first = 0;
    for (size_t g = 0; g < groups.size(); first += groups[g].size(), ++g) {
      const std::string& name = (*joints)[g];
      if (g < enabled->size() && !absl::EqualsIgnoreCase((*enabled)[g], "true")) continue;
      if (groups[g].empty() || name == "IGNORED") continue;
      const auto joint = by_name_.find(name == "humanoid_root" ? "HumanoidRoot" : name);
      if (joint == by_name_.end()) continue;
      if (absl::Status s = Spend(of, frames); !s.ok()) return s;
      Fill(groups[g], *values, first, width, times, out_.mover_[joint->second]);
    }
    if (!out_.moves_joints_) return AtNode(of, ".joints names none of the humanoid's");
    return absl::OkStatus();
  }

  void Fill(const std::vector<std::string>& group, const std::vector<float>& values, size_t first,
            size_t width, const std::vector<double>& times, Mover& mover) {
    std::vector<float> ways, turns;
    bool moves = false, turned = false;
    Quat last;
    for (size_t k = 0; k < times.size(); ++k) {
      Vec3 way;
      Quat q;
      for (size_t c = 0; c < group.size(); ++c) {
        const float v = values[k * width + first + c];
        const absl::string_view channel = group[c];
        if (channel.size() < 2) continue;
        const char axis = channel[0];
        if (channel.substr(1) == "position") {
          moves = true;
          (axis == 'X' ? way.x : axis == 'Y' ? way.y : way.z) = v * unit_m();
        } else if (channel.substr(1) == "rotation") {
          turned = true;
          const Vec3 about = axis == 'X'   ? Vec3{1, 0, 0}
                             : axis == 'Y' ? Vec3{0, 1, 0}
                                           : Vec3{0, 0, 1};
          q = skel::Mul(q, skel::FromAxisAngle(about, v * kDegree));
        }
      }
      q = skel::Normalized(q);
      if (skel::Dot(q, last) < 0) q = -q;
      last = q;
      ways.insert(ways.end(), {way.x, way.y, way.z});
      turns.insert(turns.end(), {q.w, q.x, q.y, q.z});
    }
    if (moves) mover.translations = Track(3, false, times, ways);
    if (turned) mover.rotations = Track(4, true, times, turns);
  }

  void SortTimes() {
    std::sort(out_.times_.begin(), out_.times_.end());
    out_.times_.erase(std::unique(out_.times_.begin(), out_.times_.end()), out_.times_.end());
  }

  void AddBetween() {
    const std::vector<double> keys = out_.times_;
    for (size_t k = 1; k < keys.size() && out_.times_.size() < asset::kMostTurns; ++k) {
      const double span = keys[k] - keys[k - 1];
      const double parts =
          std::clamp(std::ceil(span * kCarriedRate_hz - 1e-3), 1.0, kMostCarriedParts);
      for (double i = 1; i < parts; ++i) out_.times_.push_back(keys[k - 1] + span * i / parts);
    }
    SortTimes();
  }

  void Finish() {
    SortTimes();
    if (std::any_of(out_.above_.begin(), out_.above_.end(),
                    [](const Mover& above) { return above.rotations != nullptr; })) {
      AddBetween();
    }
    // If the humanoid is scaled in its scene, its bones are too.
    float scale = 1;
    for (Mover& above : out_.above_) {
      above.around = scale;
      if (&above != &out_.above_.back()) scale *= above.scale;
    }
    for (HumanoidJoint& joint : out_.humanoid_.joints) {
      joint.center = joint.center * scale;
      joint.rest.translation = joint.rest.translation * scale;
    }
    for (Mover& mover : out_.mover_) mover.around = scale;
  }

  const Scene& scene_;
  std::shared_ptr<const skel::Rig> standard_;
  X3dMotion out_;
  float radians_ = 1, length_m_ = 1;  // per unit of the file's angles and lengths
  absl::flat_hash_map<int, size_t> joint_of_, above_of_, shape_of_;  // by node
  absl::flat_hash_map<std::string, size_t> by_name_, shape_by_name_;
  absl::flat_hash_map<int, std::vector<const Route*>> moved_;  // by interpolator
  size_t keys_ = 0;
  int motion_ = -1;  // the first HAnimMotion that is on
  absl::flat_hash_set<int> seen_;
};

absl::StatusOr<X3dMotion> X3dMotion::Read(const Scene& scene, absl::string_view which) {
  absl::StatusOr<X3dMotion> motion = X3dMotionReader(scene).Read(which);
  if (motion.ok() && motion->times_.size() * motion->joints_.size() > asset::kMostTurns) {
    return absl::ResourceExhaustedError(
        absl::StrCat(motion->times_.size(), " keys of ", motion->joints_.size(),
                     " joints are more than ", asset::kMostTurns, " turns"));
  }
  return motion;
}

std::shared_ptr<const skel::Rig> X3dMotion::skeleton() const {
  if (!moves_joints_) return nullptr;
  skel::RigParts parts;
  for (const HumanoidJoint& joint : humanoid_.joints) {
    parts.rest_translations.push_back(joint.rest.translation);
    parts.rest_rotations.push_back(joint.rest.rotation);
  }
  parts.joint_paths = joints_;
  return skel::RestRig(std::move(parts));
}

X3dMotion::Place X3dMotion::PlaceOf(const Mover& mover, double time_s) {
  Place place{mover.translation, mover.rotation};
  std::array<float, 4> between;
  if (mover.translations != nullptr) {
    const auto v = mover.translations->Sample(time_s, absl::MakeSpan(between).subspan(0, 3));
    place.translation = {v[0], v[1], v[2]};
  }
  if (mover.rotations != nullptr) {
    const auto v = mover.rotations->Sample(time_s, absl::MakeSpan(between));
    place.rotation = {v[0], v[1], v[2], v[3]};
  }
  return place;
}

const std::vector<X3dMotion::Place>& X3dMotion::PoseAt(double time_s) {
  pose_.clear();
  for (size_t j = 0; j < mover_.size(); ++j) {
    const HumanoidJoint& joint = humanoid_.joints[j];
    Place place = PlaceOf(mover_[j], time_s);
    place.translation = place.translation * mover_[j].around + joint.center;
    if (joint.parent >= 0) {
      place.translation =
          place.translation - humanoid_.joints[static_cast<size_t>(joint.parent)].center;
    } else {
      // p' = T + C + R S (p - C), from the humanoid outwards.
      for (size_t i = above_.size(); i-- > 0;) {
        const Mover& above = above_[i];
        const Place moved = PlaceOf(above, time_s);
        const Vec3 from_center = place.translation - above.center * (above.around * above.scale);
        place.translation = (moved.translation + above.center) * above.around +
                            skel::Rotate(moved.rotation, from_center);
        place.rotation = skel::Mul(moved.rotation, place.rotation);
      }
    }
    pose_.push_back(place);
  }
  return pose_;
}

const std::vector<float>& X3dMotion::WeightsAt(double time_s) {
  now_ = weight_;
  for (size_t s = 0; s < now_.size(); ++s) {
    float between = 0;
    if (weights_[s] != nullptr) now_[s] = weights_[s]->Sample(time_s, {&between, 1})[0];
  }
  return now_;
}

}  // namespace posewire::x3d
