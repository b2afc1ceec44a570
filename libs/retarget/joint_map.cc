#include "libs/retarget/joint_map.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/files/read.h"
#include "libs/names/known_names.h"

namespace posewire::retarget {
namespace {

constexpr size_t kMostJointMapBytes = 1 << 20;
// A skeleton has no more joints than this, and names in a stream are no longer than this.
constexpr size_t kMostLines = 1024;
constexpr size_t kMostJointNameBytes = 256;
constexpr size_t kMostFaults = 20;

class Faults {
 public:
  explicit Faults(absl::string_view name) : name_(name) {}

  template <typename... What>
  void Add(int line, const What&... what) {
    ++all_;
    if (all_ <= kMostFaults) said_.push_back(absl::StrCat(name_, ":", line, ": ", what...));
  }

  absl::Status status() const {
    if (all_ == 0) return absl::OkStatus();
    std::string text = absl::StrJoin(said_, "\n");
    if (all_ > said_.size()) absl::StrAppend(&text, "\nand ", all_ - said_.size(), " more");
    return absl::InvalidArgumentError(text);
  }

 private:
  const std::string name_;
  size_t all_ = 0;
  std::vector<std::string> said_;
};

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", absl::Utf8SafeCEscape(text), "\"");
}

absl::string_view WithoutRemark(absl::string_view line) {
  for (size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1)) {
    if (at == 0 || absl::ascii_isspace(static_cast<unsigned char>(line[at - 1]))) {
      return line.substr(0, at);
    }
  }
  return line;
}

std::vector<std::string> BonesAndJoints(const skel::Rig& rig) {
  std::vector<std::string> out;
  for (const absl::string_view bone : skel::HumanBoneNames()) out.emplace_back(bone);
  out.insert(out.end(), rig.joint_names().begin(), rig.joint_names().end());
  return out;
}

}  // namespace

absl::StatusOr<JointMap> JointMap::Read(const std::string& path) {
  const absl::StatusOr<std::string> text = files::ReadWhole(path, kMostJointMapBytes);
  if (!text.ok()) return text.status();
  return Parse(*text, path);
}

absl::StatusOr<JointMap> JointMap::Parse(absl::string_view text, absl::string_view name) {
  JointMap map;
  map.name_ = std::string(name);
  Faults faults(name);
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(WithoutRemark(line));
    if (line.empty()) continue;
    // Splits at the last "=", because a bone's name never contains one.
    const size_t equals = line.rfind('=');
    const absl::string_view joint = absl::StripAsciiWhitespace(line.substr(0, equals));
    const absl::string_view bone =
        equals == line.npos ? "" : absl::StripAsciiWhitespace(line.substr(equals + 1));
    if (joint.empty() || bone.empty()) {
      faults.Add(number, "write JOINT = BONE, or JOINT = - for none");
    } else if (joint.size() > kMostJointNameBytes || bone.size() > kMostJointNameBytes) {
      faults.Add(number, "a name has more than ", kMostJointNameBytes, " bytes");
    } else if (map.lines_.size() == kMostLines) {
      faults.Add(number, "more than ", kMostLines, " joints");
      break;
    } else {
      map.lines_.push_back({number, std::string(joint), bone == "-" ? "" : std::string(bone)});
    }
  }
  if (absl::Status s = faults.status(); !s.ok()) return s;
  if (map.lines_.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": has no line JOINT = BONE"));
  }
  return map;
}

absl::StatusOr<std::shared_ptr<const skel::Rig>> JointMap::NameBones(const skel::Rig& skeleton,
                                                                     const skel::Rig& rig) const {
  Faults faults(name_);
  const auto joints = static_cast<size_t>(skeleton.joints());
  std::vector<int> line_of_joint(joints, 0);
  std::vector<int> line_of_bone(skel::kHumanBones, 0);
  std::vector<std::optional<skel::HumanBone>> bone_of(joints);
  for (const Line& line : lines_) {
    const int joint = skeleton.FindJoint(line.joint);
    if (joint < 0) {
      faults.Add(line.number, "the clip's skeleton has no joint ", Quoted(line.joint),
                 KnownNames(line.joint, skeleton.joint_names()));
    }
    std::optional<skel::HumanBone> bone = skel::FindHumanBone(line.bone);
    if (!bone && !line.bone.empty()) {
      const int target = rig.FindJoint(line.bone);
      if (target >= 0) bone = rig.humanoid().BoneOf(target);
      if (target < 0) {
        faults.Add(line.number, Quoted(line.bone), " is no bone of a human and no joint of rig ",
                   rig.name(), KnownNames(line.bone, BonesAndJoints(rig)));
      } else if (!bone) {
        faults.Add(line.number, "joint ", Quoted(line.bone), " of rig ", rig.name(),
                   " is none of a human's bones");
      }
    }
    if (joint >= 0) {
      int& first = line_of_joint[static_cast<size_t>(joint)];
      if (first > 0) faults.Add(line.number, Quoted(line.joint), " stands in line ", first, " too");
      first = line.number;
      bone_of[static_cast<size_t>(joint)] = bone;
    }
    if (bone) {
      int& first = line_of_bone[static_cast<size_t>(*bone)];
      if (first > 0) {
        faults.Add(line.number, skel::NameOf(*bone), " is given in line ", first, " too");
      }
      first = line.number;
    }
  }
  if (absl::Status s = faults.status(); !s.ok()) return s;

  skel::RigParts parts;
  parts.name = skeleton.name();
  parts.stance = skeleton.stance();
  parts.joint_paths.assign(skeleton.joint_paths().begin(), skeleton.joint_paths().end());
  parts.joint_aliases.assign(skeleton.joint_aliases().begin(), skeleton.joint_aliases().end());
  parts.shapes.assign(skeleton.shape_names().begin(), skeleton.shape_names().end());
  for (int j = 0; j < skeleton.joints(); ++j) {
    auto& bone = bone_of[static_cast<size_t>(j)];
    if (line_of_joint[static_cast<size_t>(j)] == 0) {
      bone = skeleton.humanoid().BoneOf(j);
      if (bone && line_of_bone[static_cast<size_t>(*bone)] > 0) bone.reset();
    }
    parts.rest_translations.push_back(skeleton.rest().translation(j));
    parts.rest_rotations.push_back(skeleton.rest().rotation(j));
  }
  parts.bones = std::move(bone_of);
  return skel::Rig::Make(std::move(parts));
}

}  // namespace posewire::retarget
