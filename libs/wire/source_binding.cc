#include "libs/wire/source_binding.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/skel/humanoid.h"
#include "libs/skel/path_index.h"
#include "libs/skel/pose_mapper.h"
#include "libs/skel/rig_map.h"
#include "libs/skel/scratch_pose.h"
#include "libs/skel/unpack_job.h"
#include "libs/wire/text_check.h"

namespace posewire::wire {
namespace {

constexpr size_t kExamples = 5;
constexpr size_t kExamplesOfRig = 3;
constexpr size_t kMostNameBytes = 64 << 10;

bool IsRootOrHips(const skel::Rig& rig, int joint) {
  return rig.topology().parent(joint) < 0 || joint == rig.humanoid().joint(skel::HumanBone::kHips);
}

bool IsMouthShape(absl::string_view shape) {
  const std::string name = absl::AsciiStrToLower(shape);
  return absl::StartsWith(name, "jaw") || absl::StartsWith(name, "mouth") ||
         absl::StartsWith(name, "tongue") || absl::StartsWith(name, "viseme");
}

// Returns whether the joint is the jaw, or a tongue or lip, which are not bones of a humanoid.
bool IsMouthJoint(const skel::Rig& rig, int joint) {
  if (joint == rig.humanoid().joint(skel::HumanBone::kJaw)) return true;
  const std::string name = absl::AsciiStrToLower(rig.joint_names()[static_cast<size_t>(joint)]);
  return absl::StrContains(name, "tongue") || absl::StrContains(name, "lip_") ||
         absl::EndsWith(name, "lip");
}

// Returns the index of each shape, or -1. If two names match the same shape, the first counts.
std::vector<int> ShapePlaces(const std::vector<std::string>& names, const skel::Rig& rig) {
  std::vector<int> out;
  std::vector<bool> taken(static_cast<size_t>(rig.shapes()), false);
  for (const std::string& name : names) {
    int at = rig.FindShape(skel::LastPathElement(name));
    if (at >= 0 && taken[static_cast<size_t>(at)]) at = -1;
    if (at >= 0) taken[static_cast<size_t>(at)] = true;
    out.push_back(at);
  }
  return out;
}

int CountKnown(const skel::PoseMapper& mapper) {
  int known = 0;
  for (int i = 0; i < mapper.source_size(); ++i) known += mapper.TargetOf(i) >= 0 ? 1 : 0;
  return known;
}

std::string SomeOf(absl::Span<const std::string> names) {
  if (names.empty()) return "none";
  return absl::StrJoin(names.subspan(0, kExamplesOfRig), ", ",
                       [](std::string* out, const std::string& n) { *out += Quoted(n); });
}

}  // namespace

struct SourceBinding::Tables {
  void BindJoints(const StreamHeader& header, const skel::RigCatalog& catalog);
  void BindShapes(const StreamHeader& header);
  void Ignore(const std::string& name);
  void Fill(const Sample& sample, const skel::PoseSpan& out) const;

  std::shared_ptr<const skel::Rig> rig;
  BindingOptions options;
  skel::KeyPlaces joints;        // of the rig's joints, or of the joints of the map's source rig
  skel::KeyPlaces translations;  // of the joints whose translations are used
  skel::KeyPlaces shapes;
  std::optional<skel::RigMap> map;  // if the names are those of another rig
  bool names_something = false;     // at least one name is known
  std::string recognized;
  int ignored_joints = 0, ignored_shapes = 0;
  std::vector<std::string> examples;
  bool owns_mouth = false;
};

void SourceBinding::Tables::Ignore(const std::string& name) {
  if (examples.size() < kExamples) examples.push_back(Quoted(name));
}

void SourceBinding::Tables::BindJoints(const StreamHeader& header,
                                       const skel::RigCatalog& catalog) {
  skel::PoseMapper places = skel::PoseMapper::ToRig(header.joints, *rig);
  const std::shared_ptr<const skel::Rig> known = options.source_rig != nullptr
                                                     ? options.source_rig
                                                     : skel::RecognizeRig(header.joints, catalog);
  if (known != nullptr && known != rig) {
    skel::PoseMapper other = skel::PoseMapper::ToRig(header.joints, *known);
    // If the rig itself knows as many of the names, no map is needed, unless the stance differs.
    if (options.source_rig != nullptr || CountKnown(other) > CountKnown(places) ||
        known->stance() != rig->stance()) {
      absl::StatusOr<skel::RigMap> made = skel::RigMap::Make(known, rig);
      if (made.ok()) {
        map.emplace(*std::move(made));
        recognized = known->name();
        places = std::move(other);
      }
    }
  }

  const skel::Rig& target = map ? *map->from() : *rig;
  std::vector<int32_t> from(static_cast<size_t>(target.joints()), -1), moved = from;
  for (int i = 0; i < places.source_size(); ++i) {
    const int to = places.TargetOf(i);
    if (to < 0 || (map && !map->UsesJoint(to))) {
      ++ignored_joints;
      Ignore(header.joints[static_cast<size_t>(i)]);
      continue;
    }
    const auto at = static_cast<size_t>(to);
    from[at] = i;
    if (options.all_translations || IsRootOrHips(target, to)) moved[at] = from[at];
    owns_mouth = owns_mouth || IsMouthJoint(target, to);
    names_something = true;
  }
  joints = skel::KeyPlaces(std::move(from), places.source_size());
  translations = skel::KeyPlaces(std::move(moved), places.source_size());
}

void SourceBinding::Tables::BindShapes(const StreamHeader& header) {
  const std::vector<int> places = ShapePlaces(header.shapes, *rig);
  std::vector<int32_t> from(static_cast<size_t>(rig->shapes()), -1);
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) {
      ++ignored_shapes;
      Ignore(header.shapes[i]);
      continue;
    }
    const auto at = static_cast<size_t>(places[i]);
    from[at] = static_cast<int32_t>(i);
    owns_mouth = owns_mouth || IsMouthShape(rig->shape_names()[at]);
    names_something = true;
  }
  shapes = skel::KeyPlaces(std::move(from), static_cast<int>(places.size()));
}

absl::StatusOr<SourceBinding> SourceBinding::Make(const StreamHeader& header,
                                                  std::shared_ptr<const skel::Rig> rig,
                                                  const skel::RigCatalog& catalog,
                                                  const BindingOptions& options,
                                                  BindingCache* cache) {
  if (cache != nullptr) {
    auto known = cache->Find(header, rig.get(), options);
    if (known != nullptr) return SourceBinding(std::move(known));
  }
  auto tables = std::make_shared<Tables>();
  tables->rig = std::move(rig);
  tables->options = options;
  tables->BindJoints(header, catalog);
  tables->BindShapes(header);
  const bool names = !header.joints.empty() || !header.shapes.empty();
  if (names && !tables->names_something) {
    return absl::InvalidArgumentError(absl::StrCat(
        "header.skel_animation_header names nothing that rig ", tables->rig->name(),
        " has: the header's joints are ", SomeOf(header.joints), " and its blend_shapes ",
        SomeOf(header.shapes), "; the rig's joints are ", SomeOf(tables->rig->joint_names()),
        " and its shapes ", SomeOf(tables->rig->shape_names())));
  }
  if (cache != nullptr) cache->Keep(header, tables);
  return SourceBinding(std::move(tables));
}

// Fills the joints only.
void SourceBinding::Tables::Fill(const Sample& sample, const skel::PoseSpan& out) const {
  skel::UnpackJob job;
  job.translations = {sample.track[kTranslations], &translations};
  job.rotations = {sample.track[kRotations], &joints};
  job.scales = {sample.track[kScales], &joints};
  job.translation_scale = options.translation_scale;
  job.out = out;
  job.Run();
}

void SourceBinding::Apply(const Sample& sample, const skel::PoseSpan& out) const {
  const Tables& t = *tables_;
  if (t.map) {
    const skel::ScratchPose source(*t.map->from());
    source.span().ClearPresence();
    t.Fill(sample, source.span());
    t.map->Apply(source.view(), out);
  } else {
    t.Fill(sample, out);
  }
  skel::UnpackJob job;
  job.weights = {sample.track[kWeights], &t.shapes};
  job.out = out;
  job.Run();
}

int SourceBinding::ignored_joints() const { return tables_->ignored_joints; }
int SourceBinding::ignored_shapes() const { return tables_->ignored_shapes; }
const std::vector<std::string>& SourceBinding::ignored_examples() const {
  return tables_->examples;
}
const std::string& SourceBinding::recognized_rig() const { return tables_->recognized; }
bool SourceBinding::owns_mouth() const { return tables_->owns_mouth; }

std::shared_ptr<const SourceBinding::Tables> BindingCache::Find(const StreamHeader& header,
                                                                const skel::Rig* rig,
                                                                const BindingOptions& options) {
  const auto same = [&](const Entry& e) {
    return e.tables->rig.get() == rig && e.tables->options == options &&
           e.joints == header.joints && e.shapes == header.shapes;
  };
  const auto it = std::find_if(entries_.begin(), entries_.end(), same);
  if (it == entries_.end()) return nullptr;
  std::rotate(entries_.begin(), it, it + 1);
  return entries_.front().tables;
}

void BindingCache::Keep(const StreamHeader& header,
                        std::shared_ptr<const SourceBinding::Tables> tables) {
  size_t bytes = 0;
  for (const auto* names : {&header.joints, &header.shapes}) {
    for (const std::string& name : *names) bytes += name.size();
  }
  if (bytes > kMostNameBytes || most_ == 0) return;
  if (entries_.size() >= most_) entries_.pop_back();
  entries_.insert(entries_.begin(), {header.joints, header.shapes, std::move(tables)});
}

}  // namespace posewire::wire
