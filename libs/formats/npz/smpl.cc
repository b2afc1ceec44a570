#include "libs/formats/npz/smpl.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/skel/body.h"
#include "libs/skel/humanoid.h"
#include "libs/skel/naming.h"

namespace posewire::npz {
namespace {

struct SmplJoint {
  absl::string_view name, parent;
};

// Parents come first, and SMPL's own hands last.
constexpr SmplJoint kJoints[] = {
    {"pelvis", ""},
    {"left_hip", "pelvis"},
    {"right_hip", "pelvis"},
    {"spine1", "pelvis"},
    {"left_knee", "left_hip"},
    {"right_knee", "right_hip"},
    {"spine2", "spine1"},
    {"left_ankle", "left_knee"},
    {"right_ankle", "right_knee"},
    {"spine3", "spine2"},
    {"left_foot", "left_ankle"},
    {"right_foot", "right_ankle"},
    {"neck", "spine3"},
    {"left_collar", "spine3"},
    {"right_collar", "spine3"},
    {"head", "neck"},
    {"left_shoulder", "left_collar"},
    {"right_shoulder", "right_collar"},
    {"left_elbow", "left_shoulder"},
    {"right_elbow", "right_shoulder"},
    {"left_wrist", "left_elbow"},
    {"right_wrist", "right_elbow"},
    {"jaw", "head"},
    {"left_eye_smplhf", "head"},
    {"right_eye_smplhf", "head"},
    {"left_index1", "left_wrist"},
    {"left_index2", "left_index1"},
    {"left_index3", "left_index2"},
    {"left_middle1", "left_wrist"},
    {"left_middle2", "left_middle1"},
    {"left_middle3", "left_middle2"},
    {"left_pinky1", "left_wrist"},
    {"left_pinky2", "left_pinky1"},
    {"left_pinky3", "left_pinky2"},
    {"left_ring1", "left_wrist"},
    {"left_ring2", "left_ring1"},
    {"left_ring3", "left_ring2"},
    {"left_thumb1", "left_wrist"},
    {"left_thumb2", "left_thumb1"},
    {"left_thumb3", "left_thumb2"},
    {"right_index1", "right_wrist"},
    {"right_index2", "right_index1"},
    {"right_index3", "right_index2"},
    {"right_middle1", "right_wrist"},
    {"right_middle2", "right_middle1"},
    {"right_middle3", "right_middle2"},
    {"right_pinky1", "right_wrist"},
    {"right_pinky2", "right_pinky1"},
    {"right_pinky3", "right_pinky2"},
    {"right_ring1", "right_wrist"},
    {"right_ring2", "right_ring1"},
    {"right_ring3", "right_ring2"},
    {"right_thumb1", "right_wrist"},
    {"right_thumb2", "right_thumb1"},
    {"right_thumb3", "right_thumb2"},
    {"left_hand", "left_wrist"},
    {"right_hand", "right_wrist"},
};
constexpr size_t kBody = 22, kFace = 3, kHands = 30, kOwnHands = 2;
// The distance from the wrist to SMPL's hand joint.
constexpr float kHand_m = 0.08f;

const SmplJoint* Find(absl::string_view name) {
  const auto* const it = std::find_if(std::begin(kJoints), std::end(kJoints),
                                      [&](const SmplJoint& j) { return j.name == name; });
  return it == std::end(kJoints) ? nullptr : it;
}

// The positions of the vrm rig's joints, by their names in SMPL-X.
class SmplPlaces {
 public:
  SmplPlaces() {
    auto rigs = skel::RigCatalog::Builtin();
    if (rigs.ok()) {
      if (auto found = rigs->Find("vrm"); found.ok()) vrm_ = *std::move(found);
    }
    for (const skel::NamingConvention& convention : *skel::BuiltinNamings()) {
      if (convention.id == "smpl") smpl_ = &convention;
    }
    for (int j = 0; vrm_ != nullptr && j < vrm_->joints(); ++j) {
      const int above = vrm_->topology().parent(j);
      const skel::Vec3 t = vrm_->rest().translation(j);
      at_.push_back(above < 0 ? t : at_[static_cast<size_t>(above)] + t);
    }
  }

  skel::Vec3 Of(absl::string_view name) const {
    if (name == "left_hand") return Of("left_wrist") + skel::Vec3{kHand_m, 0, 0};
    if (name == "right_hand") return Of("right_wrist") + skel::Vec3{-kHand_m, 0, 0};
    if (smpl_ == nullptr || vrm_ == nullptr) return {};
    for (const skel::NamingConvention::Name& known : smpl_->names) {
      if (known.text != name) continue;
      const int joint = vrm_->humanoid().joint(known.bone);
      if (joint >= 0) return at_[static_cast<size_t>(joint)];
    }
    return {};
  }

 private:
  std::shared_ptr<const skel::Rig> vrm_;
  const skel::NamingConvention* smpl_ = nullptr;
  std::vector<skel::Vec3> at_;
};

}  // namespace

std::vector<std::string> SmplJoints(size_t count) {
  const auto add = [](size_t from, size_t n, std::vector<std::string>& out) {
    for (size_t i = from; i < from + n; ++i) out.emplace_back(kJoints[i].name);
  };
  std::vector<std::string> out;
  add(0, kBody, out);
  if (count == kBody) return out;
  if (count == kBody + kOwnHands) {
    add(kBody + kFace + kHands, kOwnHands, out);
  } else if (count == kBody + kHands) {
    add(kBody + kFace, kHands, out);
  } else if (count == kBody + kFace + kHands) {
    add(kBody, kFace + kHands, out);
  } else {
    out.clear();
  }
  return out;
}

float SmplPelvis(size_t count) { return count == kBody + kFace + kHands ? -0.35f : -0.24f; }

std::shared_ptr<const skel::Rig> SmplRest(absl::Span<const std::string> joints) {
  const SmplPlaces places;
  skel::RigParts parts;
  std::vector<std::string> seen;
  for (const std::string& name : joints) {
    const SmplJoint* const joint = Find(name);
    if (joint == nullptr) return nullptr;
    // Finds the nearest ancestor that the file has.
    const SmplJoint* above = Find(joint->parent);
    auto at = seen.end();
    while (above != nullptr &&
           (at = std::find(seen.begin(), seen.end(), above->name)) == seen.end()) {
      const bool later = std::find(joints.begin(), joints.end(), above->name) != joints.end();
      if (later) return nullptr;
      above = Find(above->parent);
    }
    const skel::Vec3 place = places.Of(name);
    if (at == seen.end()) {
      parts.joint_paths.push_back(name);
      parts.rest_translations.push_back(place);
    } else {
      const auto index = static_cast<size_t>(at - seen.begin());
      parts.joint_paths.push_back(absl::StrCat(parts.joint_paths[index], "/", name));
      parts.rest_translations.push_back(place - places.Of(*at));
    }
    seen.push_back(name);
  }
  return skel::RestRig(std::move(parts));
}

}  // namespace posewire::npz
