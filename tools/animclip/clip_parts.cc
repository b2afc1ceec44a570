#include "tools/animclip/clip_parts.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/names/known_names.h"
#include "libs/skel/mask.h"
#include "libs/skel/path_index.h"
#include "tools/animclip/rig_choice.h"

namespace posewire::animclip {
namespace {

namespace pb = nvidia_ace::animation_data::v1;

constexpr const char* kWholes[] = {"joints", "shapes", "translations",
                                   "audio",  "camera", "metadata"};

// Finds the joints of a clip by name. Uses a rig because a clip's names need not contain the
// hierarchy.
class PartFinder {
 public:
  PartFinder(const wire::StreamHeader& header, const skel::Rig& rig) : header_(header), rig_(rig) {
    for (const std::string& path : header.joints) {
      by_path_.Add(path);
      rig_joint_.push_back(NearestInRig(path));
    }
    parts_.joints.resize(header.joints.size());
    parts_.shapes.resize(header.shapes.size());
  }

  absl::Status Add(const std::string& name) {
    if (AddWhole(name) || AddRegion(name)) return absl::OkStatus();
    const bool joint = AddJoint(name), shape = AddShape(name);
    if (joint || shape) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("\"", name, "\" is no part of this clip", KnownNames(name, Known())));
  }

  ClipParts& parts() { return parts_; }

 private:
  // A joint that the rig lacks, such as the tip of a finger, counts as its closest ancestor in the
  // rig.
  int NearestInRig(absl::string_view path) const {
    for (;;) {
      if (const int j = rig_.FindJoint(path); j >= 0) return j;
      const size_t slash = path.rfind('/');
      if (slash == absl::string_view::npos) return -1;
      path = path.substr(0, slash);
    }
  }

  bool AddWhole(absl::string_view name) {
    if (name == "joints") {
      parts_.joints.assign(parts_.joints.size(), true);
    } else if (name == "shapes") {
      parts_.shapes.assign(parts_.shapes.size(), true);
    } else if (name == "translations") {
      parts_.translations = true;
    } else if (name == "audio") {
      parts_.audio = true;
    } else if (name == "camera") {
      parts_.camera = true;
    } else if (name == "metadata") {
      parts_.metadata = true;
    } else {
      return false;
    }
    return true;
  }

  bool AddRegion(absl::string_view name) {
    const absl::StatusOr<skel::Mask> region = skel::Mask::Region(rig_, name);
    if (!region.ok()) return false;
    AddMasked(*region);
    // A region contains either all shapes or none.
    if (region->shapes() > 0 && region->shape(0) > 0) AddWhole("shapes");
    return true;
  }

  bool AddJoint(absl::string_view name) {
    const int i = by_path_.Find(name).index;
    if (i >= 0) name = header_.joints[static_cast<size_t>(i)], AddBelow(static_cast<size_t>(i));
    const int j = rig_.FindJoint(name);
    if (j < 0) return i >= 0;
    skel::Mask mask(rig_, 0);
    if (!mask.SetSubtree(rig_, rig_.joint_paths()[static_cast<size_t>(j)], 1).ok()) return false;
    AddMasked(mask);
    return true;
  }

  // Adds a joint and its descendants by the clip's own paths.
  void AddBelow(size_t i) {
    const std::string below = absl::StrCat(header_.joints[i], "/");
    for (size_t k = 0; k < header_.joints.size(); ++k) {
      if (k == i || absl::StartsWith(header_.joints[k], below)) parts_.joints[k] = true;
    }
  }

  bool AddShape(absl::string_view name) {
    bool found = false;
    for (size_t s = 0; s < header_.shapes.size(); ++s) {
      if (!absl::EqualsIgnoreCase(skel::LastPathElement(header_.shapes[s]), name)) continue;
      parts_.shapes[s] = true;
      found = true;
    }
    return found;
  }

  void AddMasked(const skel::Mask& mask) {
    for (size_t i = 0; i < rig_joint_.size(); ++i) {
      if (rig_joint_[i] >= 0 && mask.joint(rig_joint_[i]) > 0) parts_.joints[i] = true;
    }
  }

  std::vector<std::string> Known() const {
    std::vector<std::string> known(std::begin(kWholes), std::end(kWholes));
    for (const std::string& region : skel::Mask::RegionNames()) known.push_back(region);
    for (size_t i = 0; i < header_.joints.size(); ++i) {
      known.emplace_back(by_path_.ShortestName(static_cast<int>(i)));
    }
    for (const std::string& shape : header_.shapes) {
      known.emplace_back(skel::LastPathElement(shape));
    }
    return known;
  }

  const wire::StreamHeader& header_;
  const skel::Rig& rig_;
  skel::PathIndex by_path_;
  std::vector<int> rig_joint_;  // by joint of the clip
  ClipParts parts_;
};

// Keeps the elements of a repeated field whose entry in `kept` is true.
template <typename Field>
void Keep(const std::vector<bool>& kept, Field* field) {
  int to = 0;
  for (int from = 0; from < field->size(); ++from) {
    if (!kept[static_cast<size_t>(from)]) continue;
    if (to != from) field->SwapElements(to, from);
    ++to;
  }
  field->erase(field->begin() + to, field->end());
}

template <typename Keys>
void KeepValues(const std::vector<bool>& kept, Keys* keys) {
  const bool any = std::find(kept.begin(), kept.end(), true) != kept.end();
  if (!any) return keys->Clear();
  for (auto& key : *keys) Keep(kept, key.mutable_values());
}

}  // namespace

wire::StreamHeader NamesOf(const pb::AnimationDataStreamHeader& header) {
  wire::StreamHeader names;
  const auto& from = header.skel_animation_header();
  names.joints.assign(from.joints().begin(), from.joints().end());
  names.shapes.assign(from.blend_shapes().begin(), from.blend_shapes().end());
  return names;
}

absl::StatusOr<ClipParts> FindParts(absl::Span<const std::string> names,
                                    const wire::StreamHeader& header, const std::string& rig) {
  const auto catalog = skel::RigCatalog::Builtin(ShapesFor(header));
  if (!catalog.ok()) return catalog.status();
  const auto chosen = ChooseRig(rig, header, *catalog);
  if (!chosen.ok()) return chosen.status();
  PartFinder finder(header, **chosen);
  for (const std::string& name : names) {
    if (absl::Status s = finder.Add(name); !s.ok()) return s;
  }
  return std::move(finder.parts());
}

absl::StatusOr<PartFilter> PartFilter::Make(absl::Span<const std::string> keep,
                                            absl::Span<const std::string> drop,
                                            const wire::StreamHeader& header,
                                            const std::string& rig) {
  absl::StatusOr<ClipParts> kept = FindParts(keep, header, rig);
  if (!kept.ok()) return kept.status();
  const absl::StatusOr<ClipParts> dropped = FindParts(drop, header, rig);
  if (!dropped.ok()) return dropped.status();
  if (kept->translations || kept->audio || kept->camera || kept->metadata) {
    return absl::InvalidArgumentError(
        "keep: names joints and shapes; translations, audio, camera and metadata stay unless they "
        "are dropped");
  }
  if (keep.empty()) kept = *FindParts({"joints", "shapes"}, header, rig);
  std::transform(kept->joints.begin(), kept->joints.end(), dropped->joints.begin(),
                 kept->joints.begin(), std::greater<bool>());
  std::transform(kept->shapes.begin(), kept->shapes.end(), dropped->shapes.begin(),
                 kept->shapes.begin(), std::greater<bool>());
  kept->translations = !dropped->translations;
  kept->audio = !dropped->audio;
  kept->camera = !dropped->camera;
  kept->metadata = !dropped->metadata;
  return PartFilter(*std::move(kept));
}

void PartFilter::Apply(pb::AnimationDataStream& message) const {
  if (message.has_animation_data_stream_header()) {
    pb::AnimationDataStreamHeader& header = *message.mutable_animation_data_stream_header();
    if (header.has_skel_animation_header()) {
      Keep(kept_.joints, header.mutable_skel_animation_header()->mutable_joints());
      Keep(kept_.shapes, header.mutable_skel_animation_header()->mutable_blend_shapes());
    }
    if (!kept_.audio) header.clear_audio_header();
  }
  if (!message.has_animation_data()) return;
  pb::AnimationData& data = *message.mutable_animation_data();
  if (data.has_skel_animation()) {
    pb::SkelAnimation& skel = *data.mutable_skel_animation();
    KeepValues(kept_.shapes, skel.mutable_blend_shape_weights());
    KeepValues(kept_.joints, skel.mutable_translations());
    KeepValues(kept_.joints, skel.mutable_rotations());
    KeepValues(kept_.joints, skel.mutable_scales());
    if (!kept_.translations) skel.clear_translations();
  }
  if (!kept_.audio) data.clear_audio();
  if (!kept_.camera) data.clear_camera();
  if (!kept_.metadata) data.clear_metadata();
}

}  // namespace posewire::animclip
