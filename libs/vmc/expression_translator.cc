#include "libs/vmc/expression_translator.h"

#include <utility>
#include <variant>

namespace posewire::vmc {
namespace {

// Performer knows the presets itself.
bool IsOfVrm(const shapes::ShapeSet& set) { return set.id() == "vrm0" || set.id() == "vrm1"; }

}  // namespace

void ExpressionTranslator::Reset() {
  detector_ = {};
  Use(nullptr);
  sent_.reset();
  presets_.reset();
}

void ExpressionTranslator::Use(const shapes::ShapeSet* set) {
  set_ = set;
  weights_.assign(set == nullptr ? 0 : static_cast<size_t>(set->size()), 0);
  known_.assign(weights_.size(), false);
  reached_.reset();
  changed_ = false;
  // What was taken as ARKit's before is the set's.
  for (size_t s = 0; set != nullptr && !set->is_arkit() && s < sent_.size(); ++s) {
    if (sent_[s] && set->Find(ArkitNames()[s]) >= 0) sent_.reset(s);
  }
}

void ExpressionTranslator::Learn(const Message& message) {
  if (const auto* ok = std::get_if<Ok>(&message)) {
    if (ok->loaded == 0) Reset();
  } else if (const auto* vrm = std::get_if<VrmFile>(&message)) {
    if (vrm->title == model_) return;
    if (!model_.empty()) Reset();
    model_.assign(vrm->title.data(), vrm->title.size());
  } else if (const auto* value = std::get_if<BlendValue>(&message)) {
    detector_.Add(value->name);
  }
}

bool ExpressionTranslator::Take(const BlendValue& value) {
  const int shape = set_ == nullptr ? -1 : set_->Find(value.name);
  if (shape < 0 || set_->is_arkit()) {
    const ExpressionId id = FindExpression(value.name);
    if (id.arkit >= 0) sent_.set(static_cast<size_t>(id.arkit));
    if (id.preset >= 0) presets_.set(static_cast<size_t>(id.preset));
    if (shape < 0 || id.arkit >= 0) return false;
  }
  const auto i = static_cast<size_t>(shape);
  weights_[i] = value.value;
  changed_ = true;
  if (known_[i]) return true;
  known_[i] = true;
  for (const shapes::Shape::Part& part : set_->shape(shape).parts) {
    if (part.target < kArkitShapes) reached_.set(static_cast<size_t>(part.target));
  }
  return true;
}

void ExpressionTranslator::AddArkit(std::vector<Message>& out) {
  if (!std::exchange(changed_, false)) return;
  shapes::TargetWeights face;
  set_->ToArkit(weights_, face);
  for (size_t s = 0; s < size_t{kArkitShapes}; ++s) {
    if (reached_[s] && !sent_[s]) out.push_back(BlendValue{ArkitNames()[s], face[s]});
  }
}

void ExpressionTranslator::Translate(std::vector<Message>& messages) {
  bool any = false;
  for (const Message& message : messages) {
    Learn(message);
    any = any || std::holds_alternative<BlendValue>(message);
  }
  if (!any) return;
  const shapes::ShapeSet* set = detected().set;
  if (set != nullptr && IsOfVrm(*set)) set = nullptr;
  out_.clear();
  if (set != set_) {
    Use(set);
    // What was taken as presets before, such as a viseme "aa", is the set's.
    for (int p = 0; set != nullptr && p < kPresets; ++p) {
      const auto preset = static_cast<Preset>(p);
      const bool in_set = set->Find(Vrm0Name(preset)) >= 0 || set->Find(Vrm1Name(preset)) >= 0;
      if (presets_[static_cast<size_t>(p)] && in_set) {
        out_.push_back(BlendValue{Vrm1Name(preset), 0});
      }
    }
  }
  for (const Message& message : messages) {
    if (std::holds_alternative<BlendApply>(message)) AddArkit(out_);
    const auto* value = std::get_if<BlendValue>(&message);
    if (value == nullptr || !Take(*value)) out_.push_back(message);
  }
  AddArkit(out_);
  std::swap(messages, out_);
}

}  // namespace posewire::vmc
