#include "libs/wire/source_binding.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/skel/rig_map.h"
#include "libs/wire/text_check.h"

namespace posewire::wire {
namespace {

constexpr size_t kExamples = 5;
constexpr size_t kExamplesOfRig = 3;

// A value of the header's order and where it goes.
struct Pair {
  int from = -1;
  int to = -1;
};

bool IsRootOrHips(const skel::Rig& rig, int joint) {
  if (rig.topology().parent(joint) < 0) return true;
  const std::string name = absl::AsciiStrToLower(rig.joint_names()[static_cast<size_t>(joint)]);
  return name == "hips" || name == "pelvis";
}

bool IsMouthShape(absl::string_view shape) {
  const std::string name = absl::AsciiStrToLower(shape);
  return absl::StartsWith(name, "jaw") || absl::StartsWith(name, "mouth") ||
         absl::StartsWith(name, "tongue") || absl::StartsWith(name, "viseme");
}

bool IsMouthJoint(absl::string_view joint) {
  const std::string name = absl::AsciiStrToLower(joint);
  return name == "jaw" || absl::StrContains(name, "mandib") || absl::StrContains(name, "tongue") ||
         absl::StrContains(name, "lip_") || absl::EndsWith(name, "lip");
}

// Gives each name its place, or -1; of two names for one place the first counts.
template <typename Find>
std::vector<int> Places(const std::vector<std::string>& names, size_t places, Find find) {
  std::vector<int> out;
  std::vector<bool> taken(places, false);
  for (const std::string& name : names) {
    int at = find(LastPathElement(name));
    if (at >= 0 && taken[static_cast<size_t>(at)]) at = -1;
    if (at >= 0) taken[static_cast<size_t>(at)] = true;
    out.push_back(at);
  }
  return out;
}

std::vector<int> JointPlaces(const std::vector<std::string>& names, const skel::Rig& rig) {
  return Places(names, static_cast<size_t>(rig.joints()),
                [&](absl::string_view leaf) { return rig.FindJoint(leaf); });
}

ptrdiff_t CountKnown(const std::vector<int>& places) {
  return std::count_if(places.begin(), places.end(), [](int p) { return p >= 0; });
}

std::string SomeOf(absl::Span<const std::string> names) {
  if (names.empty()) return "none";
  return absl::StrJoin(names.subspan(0, kExamplesOfRig), ", ",
                       [](std::string* out, const std::string& n) { *out += Quoted(n); });
}

}  // namespace

struct SourceBinding::Impl {
  void BindJoints(const StreamHeader& header, const skel::RigCatalog& catalog);
  void BindShapes(const StreamHeader& header);
  void Ignore(const std::string& name);
  void Fill(const Sample& sample, const skel::PoseSpan& out) const;

  std::shared_ptr<const skel::Rig> rig;
  BindingOptions options;
  size_t header_joints = 0, header_shapes = 0;
  std::vector<Pair> joints;        // to the rig's joints, or to those of the map's source rig
  std::vector<Pair> translations;  // those of `joints` whose translations count
  std::vector<Pair> shapes;
  std::optional<skel::RigMap> map;  // when the names are those of another rig
  skel::Pose source;                // of that rig
  std::string recognized;
  int ignored_joints = 0, ignored_shapes = 0;
  std::vector<std::string> examples;
  bool owns_mouth = false;
};

void SourceBinding::Impl::Ignore(const std::string& name) {
  if (examples.size() < kExamples) examples.push_back(Quoted(name));
}

void SourceBinding::Impl::BindJoints(const StreamHeader& header, const skel::RigCatalog& catalog) {
  std::vector<int> places = JointPlaces(header.joints, *rig);
  const std::shared_ptr<const skel::Rig> known = skel::RecognizeRig(header.joints, catalog);
  if (known != nullptr && known != rig) {
    std::vector<int> other = JointPlaces(header.joints, *known);
    // Names that the rig itself bears as many of need no map, unless they mean another stance.
    if (CountKnown(other) > CountKnown(places) || known->stance() != rig->stance()) {
      absl::StatusOr<skel::RigMap> made = skel::RigMap::Make(known, rig);
      if (made.ok()) {
        map.emplace(*std::move(made));
        source.Resize(known->joints(), known->shapes());
        recognized = known->name();
        places = std::move(other);
      }
    }
  }

  const skel::Rig& target = map ? *map->from() : *rig;
  for (size_t i = 0; i < places.size(); ++i) {
    const int to = places[i];
    if (to < 0 || (map && !map->UsesJoint(to))) {
      ++ignored_joints;
      Ignore(header.joints[i]);
      continue;
    }
    const Pair pair = {static_cast<int>(i), to};
    joints.push_back(pair);
    if (options.all_translations || IsRootOrHips(target, to)) translations.push_back(pair);
    owns_mouth = owns_mouth || IsMouthJoint(target.joint_names()[static_cast<size_t>(to)]);
  }
}

void SourceBinding::Impl::BindShapes(const StreamHeader& header) {
  const std::vector<int> places =
      Places(header.shapes, static_cast<size_t>(rig->shapes()),
             [&](absl::string_view leaf) { return rig->FindShape(leaf); });
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) {
      ++ignored_shapes;
      Ignore(header.shapes[i]);
      continue;
    }
    shapes.push_back({static_cast<int>(i), places[i]});
    owns_mouth = owns_mouth || IsMouthShape(rig->shape_names()[static_cast<size_t>(places[i])]);
  }
}

absl::StatusOr<SourceBinding> SourceBinding::Make(const StreamHeader& header,
                                                  std::shared_ptr<const skel::Rig> rig,
                                                  const skel::RigCatalog& catalog,
                                                  const BindingOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->rig = std::move(rig);
  impl->options = options;
  impl->header_joints = header.joints.size();
  impl->header_shapes = header.shapes.size();
  impl->BindJoints(header, catalog);
  impl->BindShapes(header);
  const bool names = !header.joints.empty() || !header.shapes.empty();
  if (names && impl->joints.empty() && impl->shapes.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "header.skel_animation_header names nothing that rig ", impl->rig->name(),
        " has: the header's joints are ", SomeOf(header.joints), " and its blend_shapes ",
        SomeOf(header.shapes), "; the rig's joints are ", SomeOf(impl->rig->joint_names()),
        " and its shapes ", SomeOf(impl->rig->shape_names())));
  }
  return SourceBinding(std::move(impl));
}

SourceBinding::SourceBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SourceBinding::~SourceBinding() = default;
SourceBinding::SourceBinding(SourceBinding&&) noexcept = default;
SourceBinding& SourceBinding::operator=(SourceBinding&&) noexcept = default;

// Tracks of another length than the header's say nothing.
void SourceBinding::Impl::Fill(const Sample& sample, const skel::PoseSpan& out) const {
  const auto& track = sample.track;
  const auto at = [](absl::Span<const float> values, const Pair& p, int width) {
    return values.data() + ptrdiff_t{p.from} * width;
  };
  if (track[kTranslations].size() == 3 * header_joints) {
    for (const Pair& p : translations) {
      const float* v = at(track[kTranslations], p, 3);
      out.SetTranslation(p.to, skel::Vec3{v[0], v[1], v[2]} * options.translation_scale);
    }
  }
  if (track[kRotations].size() == 4 * header_joints) {
    for (const Pair& p : joints) {
      const float* q = at(track[kRotations], p, 4);
      out.SetRotation(p.to, skel::Normalized(skel::Quat{q[0], q[1], q[2], q[3]}));
    }
  }
  if (track[kScales].size() == 3 * header_joints) {
    for (const Pair& p : joints) {
      const float* v = at(track[kScales], p, 3);
      out.SetScale(p.to, {v[0], v[1], v[2]});
    }
  }
}

void SourceBinding::Apply(const Sample& sample, const skel::PoseSpan& out) {
  if (impl_->map) {
    impl_->source.span().ClearPresence();
    impl_->Fill(sample, impl_->source.span());
    impl_->map->Apply(impl_->source.view(), out);
  } else {
    out.ClearPresence();
    impl_->Fill(sample, out);
  }
  const absl::Span<const float> weights = sample.track[kWeights];
  if (weights.size() != impl_->header_shapes) return;
  for (const Pair& p : impl_->shapes) out.SetWeight(p.to, weights[static_cast<size_t>(p.from)]);
}

int SourceBinding::ignored_joints() const { return impl_->ignored_joints; }
int SourceBinding::ignored_shapes() const { return impl_->ignored_shapes; }
const std::vector<std::string>& SourceBinding::ignored_examples() const { return impl_->examples; }
const std::string& SourceBinding::recognized_rig() const { return impl_->recognized; }
bool SourceBinding::owns_mouth() const { return impl_->owns_mouth; }

}  // namespace posewire::wire
