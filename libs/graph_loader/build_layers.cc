// Builds idle, gestures, live sources and blinks.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/graph/blink_node.h"
#include "libs/graph/gesture_node.h"
#include "libs/graph/map_node.h"
#include "libs/graph/rests_node.h"
#include "libs/graph/speech_gesture_node.h"
#include "libs/graph_loader/builder.h"
#include "libs/skel/rig_map.h"

namespace posewire::graph {
namespace {

// How long before its stroke a hand is ready, if the unit does not set it.
constexpr double kStroke_s = 0.22;

// Writes nothing: idle on a rig that is not a human body.
class NothingNode : public Node {
 public:
  void Update(const TickContext&, float) override {}
  void Evaluate(const TickContext&, const skel::PoseSpan& out) override { out.ClearPresence(); }
};

// Idle motion is made on a rig with H-Anim's joints, and retargeted to other rigs. Returns null if
// that is impossible.
std::shared_ptr<const IdleBody> IdleBodyFor(const std::shared_ptr<const skel::Rig>& rig) {
  auto body = IdleBody::Make(rig);
  if (body.ok()) return *std::move(body);
  const auto catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return nullptr;
  const auto standard = catalog->Find("hanim_loa3");
  if (!standard.ok()) return nullptr;
  body = IdleBody::Make(*standard);
  return body.ok() ? *std::move(body) : nullptr;
}

std::vector<SpeechGestureNode::Unit> UnitsOf(const v1::SpeechGestureNode& node, Builder& b) {
  std::vector<SpeechGestureNode::Unit> units;
  v1::Mask arms;
  arms.add_regions("arms");
  for (int i = 0; i < node.units_size(); ++i) {
    const auto& from = node.units(i);
    const std::string where = absl::StrCat("units[", i, "].");
    SpeechGestureNode::Unit unit;
    unit.kind = from.kind();
    unit.number = from.number();
    unit.clip = b.Clip(absl::StrCat(where, "clip"), from.clip());
    if (unit.clip == nullptr) continue;
    const double end_s = unit.clip->duration_s();
    unit.stroke_s = b.Plain(absl::StrCat(where, "stroke_s"), from.stroke_s(), 0, end_s);
    unit.ready_s = std::max(unit.stroke_s - kStroke_s, 0.0);
    if (from.has_ready_s()) {
      unit.ready_s = b.Plain(absl::StrCat(where, "ready_s"), from.ready_s(), 0, unit.stroke_s);
    }
    unit.hold_s = b.Plain(absl::StrCat(where, "hold_s"), from.hold_s(), unit.stroke_s, end_s);
    unit.mask =
        *b.MakeMask(absl::StrCat(where, "mask"), true, from.has_mask() ? from.mask() : arms);
    for (size_t side = 0; side < 2; ++side) {
      const int hand = b.body_parts()->arms[side].end;
      unit.arms[side] =
          hand >= 0 && unit.mask.joint(hand) > 0 && unit.clip->frame(0).has_r[hand] != 0;
    }
    units.push_back(std::move(unit));
  }
  return units;
}

}  // namespace

std::unique_ptr<Node> BuildNode(const v1::IdleNode& node, Builder& b) {
  const Number tempo = b.MakeNumber("tempo", node.has_tempo(), node.tempo(), 1, IdleNode::kLeast,
                                    IdleNode::kMostTempo);
  const Number amplitude = b.MakeNumber("amplitude", node.has_amplitude(), node.amplitude(), 1,
                                        IdleNode::kLeast, IdleNode::kMostAmplitude);
  const auto body = b.Shared("idle body", [&] { return IdleBodyFor(b.rig()); });
  if (body == nullptr) return std::make_unique<NothingNode>();
  auto idle = std::make_unique<IdleNode>(body);
  IdleNode* inner = idle.get();
  inner->set_tempo(tempo);
  const auto has_feet = [](const v1::Node& other) {
    return other.has_feet() || other.has_walk_to();
  };
  const auto& all = b.stock().graph->nodes();
  inner->set_steps(node.has_steps() ? node.steps()
                                    : std::none_of(all.begin(), all.end(), has_feet));
  inner->set_jaw_shape(b.rig()->FindShape("jawOpen"));
  inner->set_amplitude(amplitude);
  if (body->rig == b.rig()) {
    b.NoteIdle(inner);
    return idle;
  }
  auto map = skel::RigMap::Make(body->rig, b.rig());
  if (!map.ok()) return std::make_unique<NothingNode>();
  b.NoteIdle(inner);
  b.NoteInner(inner);
  return std::make_unique<MapNode>(*std::move(map), std::move(idle));
}

std::unique_ptr<Node> BuildNode(const v1::GestureNode& node, Builder& b) {
  auto gesture = std::make_unique<GestureNode>(b.rig(), b.Child("below", node.below()));
  gesture->set_providers(b.providers());
  if (node.variable().empty()) b.Error("variable", "a choice must be named here");
  if (auto mask = b.MakeMask("mask", node.has_mask(), node.mask())) gesture->set_mask(*mask);
  const int variable = b.Variable("variable", node.variable(), VariableType::kChoice);
  if (variable >= 0) {
    const int none = b.ChoiceOf("variable", variable, "none");
    gesture->Follow(b.name(), variable, none, b.ClipsOfChoice(variable));
  }
  gesture->set_speed(b.MakeNumber("speed", node.has_speed(), node.speed(), 1, 0.05, 20));
  if (node.ease_s() != 0) gesture->set_ease_s(b.Plain("ease_s", node.ease_s(), 0.02, 5));
  return gesture;
}

std::unique_ptr<Node> BuildNode(const v1::RestsNode& node, Builder& b) {
  std::vector<const clip::Clip*> clips;
  for (int i = 0; i < node.clips_size(); ++i) {
    const clip::Clip* clip = b.Clip(absl::StrCat("clips[", i, "]"), node.clips(i));
    if (clip != nullptr) clips.push_back(clip);
  }
  if (node.clips().empty()) b.Error("clips", "at least one clip must be named here");
  RestsNode::Settings settings;
  if (node.least_s() != 0) settings.least_s = b.Plain("least_s", node.least_s(), 1, 600);
  if (node.most_s() != 0) settings.most_s = b.Plain("most_s", node.most_s(), 1, 600);
  settings.most_s = std::max(settings.most_s, settings.least_s);
  if (node.ease_s() != 0) settings.ease_s = b.Plain("ease_s", node.ease_s(), 0.02, 5);
  if (clips.empty()) return std::make_unique<NothingNode>();
  return std::make_unique<RestsNode>(std::move(clips), settings);
}

std::unique_ptr<Node> BuildNode(const v1::SpeechGestureNode& node, Builder& b) {
  auto below = b.Child("below", node.below());
  auto stock = b.Shared(absl::StrCat("speech gestures ", b.name()), [&] {
    return std::make_shared<const SpeechGestureNode::Stock>(
        SpeechGestureNode::Stock{UnitsOf(node, b), ArmAxes(*b.body_parts())});
  });
  auto gestures = std::make_unique<SpeechGestureNode>(b.rig(), std::move(below), std::move(stock));
  gestures->set_rate(b.MakeNumber("rate", node.has_rate(), node.rate(), 1, 0, 1));
  gestures->set_size(b.MakeNumber("size", node.has_size(), node.size(), 1, 0, 1));
  return gestures;
}

std::unique_ptr<Node> BuildNode(const v1::ProviderNode& node, Builder& b) {
  std::unique_ptr<Node> below;
  if (!node.below().empty()) {
    below = node.plain() ? b.EasedChild("below", node.below()) : b.Child("below", node.below());
  }
  auto provider = std::make_unique<ProviderNode>(b.rig(), std::move(below), !node.plain());
  std::vector<std::string> mine(node.source_service_ids().begin(), node.source_service_ids().end());
  std::vector<std::string> others;
  for (const v1::Node& other : b.stock().graph->nodes()) {
    if (!other.has_provider() || other.name() == b.name()) continue;
    const auto& ids = other.provider().source_service_ids();
    if (ids.empty() && mine.empty()) {
      b.Error("source_service_ids", absl::StrCat("empty here and in node \"", other.name(),
                                                 "\"; only one may take all that is left"));
    }
    others.insert(others.end(), ids.begin(), ids.end());
  }
  provider->set_sources(std::move(mine), std::move(others));
  provider->set_mood_variables(
      b.Variable("arousal_variable", node.arousal_variable(), VariableType::kNumber),
      b.Variable("valence_variable", node.valence_variable(), VariableType::kNumber));
  b.NoteProvider(provider.get());
  return provider;
}

std::unique_ptr<Node> BuildNode(const v1::BlinkNode& node, Builder& b) {
  auto below = b.Child("below", node.below());
  const IdleNode* idle = b.FindIdle(node.idle());
  if (idle == nullptr) {
    // On a rig that is not a body there is no idle motion to join.
    for (const v1::Node& other : b.stock().graph->nodes()) {
      if (other.name() == node.idle() && other.has_idle()) return below;
    }
    b.Error("idle", absl::StrCat("there is no idle node \"", node.idle(), "\" below this one"));
    return below;
  }
  return std::make_unique<BlinkNode>(*b.rig(), std::move(below), idle, b.providers());
}

}  // namespace posewire::graph
