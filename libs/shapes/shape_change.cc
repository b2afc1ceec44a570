#include "libs/shapes/shape_change.h"

#include <algorithm>
#include <utility>

#include "libs/skel/arkit_mouth.h"
#include "libs/skel/arkit_shapes.h"

namespace posewire::shapes {
namespace {

size_t Slot(int i) { return static_cast<size_t>(i); }

// Returns the target of a name in any spelling; -1 if there is none.
int TargetOf(absl::string_view name) {
  static const ShapeSet& targets = *FindSet("a2f");  // in their order
  return targets.Find(name);
}

}  // namespace

std::optional<ShapeChange> ShapeChange::Make(absl::Span<const std::string> names,
                                             const ShapeSet* to) {
  ShapeChange change;
  Detected found = Detect(names);
  if (found.set != nullptr && !found.set->is_arkit()) change.from_ = found;
  if (to == nullptr ? change.from_.set == nullptr : found.set == nullptr || found.set == to) {
    return std::nullopt;
  }
  change.to_ = to;
  change.FindSources(names);
  if (to == nullptr) {
    change.NameTargets();
  } else {
    change.NameShapes();
  }
  return change;
}

void ShapeChange::FindSources(absl::Span<const std::string> names) {
  for (const std::string& name : names) {
    Source source;
    if (from_.set != nullptr) source.shape = from_.set->Find(name);
    if (source.shape < 0) source.target = TargetOf(name);
    if (source.shape >= 0) {
      for (const Shape::Part& part : from_.set->shape(source.shape).parts) {
        reached_[Slot(part.target)] = true;
      }
    } else if (source.target >= 0) {
      reached_[Slot(source.target)] = true;
    } else {
      names_.push_back(name);
    }
    sources_.push_back(source);
  }
  // ACE's jawOpen depends on mouthClose.
  if (reached_[skel::kArkitMouthClose]) reached_[skel::kArkitJawOpen] = true;
  if (from_.set != nullptr) set_weights_.resize(Slot(from_.set->size()));
}

void ShapeChange::NameTargets() {
  for (int t = 0; t < kTargets; ++t) {
    if (!reached_[Slot(t)]) continue;
    sent_.push_back(t);
    names_.push_back(TargetNames()[Slot(t)]);
  }
}

void ShapeChange::NameShapes() {
  for (int s = 0; s < to_->size(); ++s) {
    if (to_->shape(s).sent == Shape::Sent::kNo) continue;
    sent_.push_back(s);
    names_.push_back(to_->shape(s).name);
  }
  to_weights_.resize(Slot(to_->size()));
}

void ShapeChange::Apply(absl::Span<const float> in, std::vector<float>& out) {
  TargetWeights face{};
  float& jaw_open = face[skel::kArkitJawOpen];
  const float& mouth_close = face[skel::kArkitMouthClose];
  const size_t size = std::min(in.size(), sources_.size());
  if (from_.set != nullptr) {
    std::fill(set_weights_.begin(), set_weights_.end(), 0.0f);
    for (size_t i = 0; i < size; ++i) {
      if (sources_[i].shape >= 0) set_weights_[Slot(sources_[i].shape)] = in[i];
    }
    from_.set->ToArkit(set_weights_, face);
    jaw_open = skel::AceJawOpen(jaw_open, mouth_close);
  }
  for (size_t i = 0; i < size; ++i) {
    if (sources_[i].target >= 0) face[Slot(sources_[i].target)] = in[i];
    if (sources_[i].shape < 0 && sources_[i].target < 0) out.push_back(in[i]);
  }
  if (to_ == nullptr) {
    for (const int t : sent_) out.push_back(face[Slot(t)]);
    return;
  }
  if (!to_->is_arkit()) jaw_open = skel::ArkitJawOpen(jaw_open, mouth_close);
  to_->FromArkit(face, absl::MakeSpan(to_weights_));
  for (const int s : sent_) out.push_back(to_weights_[Slot(s)]);
}

}  // namespace posewire::shapes
