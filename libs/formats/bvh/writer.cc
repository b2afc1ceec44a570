#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/asset/motion_skeleton.h"
#include "libs/formats/bvh/bvh.h"
#include "libs/formats/bvh/frame_time.h"
#include "libs/formats/bvh/limits.h"
#include "libs/skel/path_index.h"
#include "libs/skel/rig_limits.h"
#include "libs/wire/text_check.h"

namespace posewire::bvh {
namespace {

constexpr double kDegrees = 180 / 3.14159265358979323846;
constexpr double kFullTurn = 360;
constexpr float kWanders_m = 1e-6f;

// Returns z, y and x in degrees, for q = Rz(z) Ry(y) Rx(x).
std::array<double, 3> AnglesOf(const skel::Quat& q) {
  const double n =
      std::sqrt(double{q.w} * q.w + double{q.x} * q.x + double{q.y} * q.y + double{q.z} * q.z);
  const double w = q.w / n, x = q.x / n, y = q.y / n, z = q.z / n;
  const double r00 = 1 - 2 * (y * y + z * z), r10 = 2 * (x * y + w * z), r20 = 2 * (x * z - w * y);
  const double r21 = 2 * (y * z + w * x), r22 = 1 - 2 * (x * x + y * y);
  const double r01 = 2 * (x * y - w * z), r11 = 1 - 2 * (x * x + z * z);
  const double flat = std::hypot(r00, r10);
  // With Y at a right angle, Z and X rotate about the same axis: Z does it alone.
  constexpr double kUpright = 1e-7;
  if (flat < kUpright) {
    return {std::atan2(-r01, r11) * kDegrees, std::atan2(-r20, flat) * kDegrees, 0};
  }
  return {std::atan2(r10, r00) * kDegrees, std::atan2(-r20, flat) * kDegrees,
          std::atan2(r21, r22) * kDegrees};
}

class BvhWriter {
 public:
  BvhWriter(const asset::Motion& motion, asset::MotionSkeleton skeleton, asset::PutBytes put)
      : motion_(motion),
        skeleton_(std::move(skeleton)),
        pose_(motion, skeleton_),
        children_(skeleton_.joints.size()),
        wanders_(skeleton_.joints.size(), false),
        shown_(skeleton_.joints.size()),
        put_(put) {
    for (size_t t = 0; t < motion.tracks.size(); ++t) {
      if (t != wire::kTranslations && t != wire::kRotations) continue;
      if (motion.time_codes_s[t].size() >= codes_s_.size()) codes_s_ = motion.time_codes_s[t];
    }
  }

  absl::Status Write() {
    if (absl::Status s = CheckSize(); !s.ok()) return s;
    if (absl::Status s = CheckNames(); !s.ok()) return s;
    FindUnit();
    FindWanderers();
    out_ = "HIERARCHY\n";
    for (size_t j = 0; j < skeleton_.joints.size(); ++j) {
      if (skeleton_.joints[j].parent < 0) WriteJoint(static_cast<int>(j), 0);
    }
    const asset::EvenKeys keys = asset::EvenKeysOf(codes_s_);
    // A frame of 30 s would be read as 30 frames per second.
    int finer = 1;
    while (IsMisreadBvhFrameTime(keys.clock.frame_s() / finer)) finer *= 2;
    const int64_t frames = (keys.frames - 1) * finer + 1;
    absl::StrAppendFormat(&out_, "MOTION\nFrames: %d\nFrame Time: %.17g\n", frames,
                          keys.clock.frame_s() / finer);
    for (int64_t k = 0; k < frames; ++k) {
      pose_.Sample(keys.first_s + keys.clock.Seconds(k) / finer);
      for (const int j : order_) WriteChannels(static_cast<size_t>(j));
      out_.back() = '\n';
      if (absl::Status s = Flush(asset::kPutBytes); !s.ok()) return s;
    }
    return Flush(0);
  }

 private:
  absl::Status CheckSize() {
    const auto& joints = skeleton_.joints;
    std::vector<size_t> level(joints.size(), 1);
    for (size_t j = 0; j < joints.size(); ++j) {
      if (joints[j].parent < 0) continue;
      const auto parent = static_cast<size_t>(joints[j].parent);
      level[j] = level[parent] + 1;
      children_[parent].push_back(static_cast<int>(j));
    }
    if (joints.size() > skel::kMostJoints ||
        *std::max_element(level.begin(), level.end()) > kMostBvhLevels) {
      return absl::InvalidArgumentError(
          absl::StrCat("the clip has ", joints.size(),
                       " joints; BVH is written of at most 1024, 256 within each other"));
    }
    return absl::OkStatus();
  }

  // Checks the paths that a reader will see.
  absl::Status CheckNames() {
    std::vector<std::string> paths;
    absl::flat_hash_set<std::string> seen;
    size_t path_bytes = 0;
    for (const asset::MotionSkeleton::Joint& joint : skeleton_.joints) {
      const absl::string_view name = skel::LastPathElement(joint.path);
      if (name.empty() || wire::HasControlCharacter(name) ||
          absl::StripAsciiWhitespace(name) != name || absl::StrContains(name, '{') ||
          absl::StrContains(name, '}') || name.size() > kMostBvhNameBytes) {
        return absl::InvalidArgumentError(absl::StrCat(
            "joint ", wire::Quoted(name),
            " cannot be named in BVH: 1 to 1024 bytes on a line, without \"{\" and \"}\""));
      }
      std::string path = joint.parent < 0
                             ? std::string(name)
                             : absl::StrCat(paths[static_cast<size_t>(joint.parent)], "/", name);
      path_bytes += path.size();
      if (path_bytes > asset::kMostPathBytes) {
        return absl::InvalidArgumentError("the joints' paths are over 1 MiB");
      }
      if (!seen.insert(path).second) {
        return absl::InvalidArgumentError(
            absl::StrCat("there would be two joints ", wire::Quoted(name), " below the same one"));
      }
      paths.push_back(std::move(path));
    }
    return absl::OkStatus();
  }

  void FindUnit() {
    const auto& joints = skeleton_.joints;
    std::vector<skel::Vec3> at(joints.size());
    skel::Vec3 low, high;
    for (size_t j = 0; j < joints.size(); ++j) {
      if (joints[j].parent < 0) continue;
      at[j] = at[static_cast<size_t>(joints[j].parent)] + joints[j].translation;
      low = {std::min(low.x, at[j].x), std::min(low.y, at[j].y), std::min(low.z, at[j].z)};
      high = {std::max(high.x, at[j].x), std::max(high.y, at[j].y), std::max(high.z, at[j].z)};
    }
    const skel::Vec3 box = high - low;
    const double extent_m = std::max({box.x, box.y, box.z});
    for (const double units_per_m : {100.0, 1.0, 1000.0}) {
      units_per_m_ = units_per_m;
      if (std::abs(BvhUnit(extent_m * units_per_m) * units_per_m - 1) < 1e-9) return;
    }
  }

  // Finds the joints whose translations change.
  void FindWanderers() {
    for (size_t j = 0; j < wanders_.size(); ++j) wanders_[j] = skeleton_.joints[j].parent < 0;
    for (const double time_code_s : motion_.time_codes_s[wire::kTranslations]) {
      pose_.Sample(time_code_s);
      for (size_t j = 0; j < wanders_.size(); ++j) {
        const skel::Vec3 way = pose_.translations()[j] - skeleton_.joints[j].translation;
        if (skel::Length(way) > kWanders_m) wanders_[j] = true;
      }
    }
  }

  void WriteJoint(int index, size_t level) {
    const auto j = static_cast<size_t>(index);
    const asset::MotionSkeleton::Joint& joint = skeleton_.joints[j];
    const std::string indent(level, '\t');
    order_.push_back(index);
    // Readers differ in whether position channels replace the OFFSET of a root or add to it.
    const skel::Vec3 offset = joint.parent < 0 ? skel::Vec3{} : joint.translation;
    absl::StrAppend(&out_, indent, level == 0 ? "ROOT " : "JOINT ",
                    std::string(skel::LastPathElement(joint.path)), "\n", indent, "{\n");
    WriteOffset(indent, offset);
    absl::StrAppend(&out_, indent, "\tCHANNELS ",
                    wanders_[j] ? "6 Xposition Yposition Zposition" : "3",
                    " Zrotation Yrotation Xrotation\n");
    for (const int child : children_[j]) WriteJoint(child, level + 1);
    if (children_[j].empty()) {
      absl::StrAppend(&out_, indent, "\tEnd Site\n", indent, "\t{\n");
      WriteOffset(indent + "\t", {});
      absl::StrAppend(&out_, indent, "\t}\n");
    }
    absl::StrAppend(&out_, indent, "}\n");
  }

  void WriteOffset(const std::string& indent, const skel::Vec3& v) {
    absl::StrAppend(&out_, indent, "\tOFFSET ");
    WriteLengths(v);
    out_.back() = '\n';
  }

  void WriteLengths(const skel::Vec3& v) {
    for (const float part : {v.x, v.y, v.z}) {
      absl::StrAppendFormat(&out_, "%.6f ", part * units_per_m_);
    }
  }

  void WriteChannels(size_t j) {
    if (wanders_[j]) {
      WriteLengths(pose_.translations()[j]);
    }
    std::array<double, 3> angles = AnglesOf(pose_.rotations()[j]);
    // Keeps angles continuous, because programs interpolate them.
    for (size_t i = 0; i < 3; ++i) {
      angles[i] += kFullTurn * std::round((shown_[j][i] - angles[i]) / kFullTurn);
    }
    shown_[j] = angles;
    absl::StrAppendFormat(&out_, "%.6f %.6f %.6f ", angles[0], angles[1], angles[2]);
  }

  absl::Status Flush(size_t least) {
    if (out_.size() < least) return absl::OkStatus();
    const absl::Status s = put_(out_);
    out_.clear();
    return s;
  }

  const asset::Motion& motion_;
  const asset::MotionSkeleton skeleton_;
  asset::MotionPose pose_;
  std::vector<double> codes_s_;  // of the track with more keys
  std::vector<std::vector<int>> children_;
  std::vector<bool> wanders_;
  std::vector<std::array<double, 3>> shown_;  // the angles of the previous frame
  std::vector<int> order_;                    // the order of the joints in the file
  double units_per_m_ = 100;
  std::string out_;
  const asset::PutBytes put_;
};

}  // namespace

absl::Status WriteBvh(const asset::Motion& motion, asset::PutBytes put) {
  absl::StatusOr<asset::MotionSkeleton> skeleton = asset::MotionSkeleton::Of(motion);
  if (!skeleton.ok()) return skeleton.status();
  return BvhWriter(motion, *std::move(skeleton), put).Write();
}

}  // namespace posewire::bvh
