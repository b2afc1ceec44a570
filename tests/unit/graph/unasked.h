// Watches what the stages of a graph take in: whatever jumps must have been asked for.
#ifndef POSEWIRE_TESTS_UNIT_GRAPH_UNASKED_H_
#define POSEWIRE_TESTS_UNIT_GRAPH_UNASKED_H_

#include <algorithm>
#include <array>

#include "gtest/gtest.h"
#include "libs/graph/ease_stage.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {

// Fails on a step at the input of a stage that nobody asked for, but for those of elements that a
// live source says: these are its own. Clips move within the limits. Allocates when made.
class UnaskedSteps : public EaseWatcher {
 public:
  static constexpr float kMostWeight = 0.5f, kMostMetres = 0.05f;

  // Weights of blends may move by a fifth in a tick before they are a switch: that takes more
  // degrees than clips do.
  explicit UnaskedSteps(const skel::Rig& rig, float most_degrees = 20)
      : rig_(rig), most_degrees_(most_degrees) {
    for (Seen& s : seen_) s.pose.Resize(rig.joints(), rig.shapes());
  }
  // The sources of the next tick; they live until it is over. After a reload all is new.
  void Expect(absl::Span<const ProviderInput> sources) { sources_ = sources; }
  void Forget() {
    for (Seen& s : seen_) s.stage = nullptr;
  }

  void OnInput(const Node& stage, const skel::PoseView& input,
               const TransitionRequests& asks) override {
    Seen* seen = nullptr;
    for (Seen& s : seen_) {
      if (s.stage == &stage || s.stage == nullptr) {
        seen = &s;
        break;
      }
    }
    ASSERT_NE(seen, nullptr) << "more stages than expected";
    const skel::PoseView last = seen->pose.view();
    for (int i = 0; seen->stage != nullptr && i < std::max(input.joints, input.shapes); ++i) {
      const auto at = static_cast<size_t>(i);
      const auto free = [&](size_t row) { return asks.at(row, at) != 0 || IsLive(row, at); };
      if (i < input.joints && !free(1)) {
        const float turn = AngleBetween(last.rotation(i), input.rotation(i)) * kDegrees;
        worst.degrees = std::max(worst.degrees, turn);
        EXPECT_LE(turn, most_degrees_) << rig_.joint_names()[at];
      }
      if (i < input.joints && !free(0)) {
        const float way = Length(last.translation(i) - input.translation(i));
        worst.metres = std::max(worst.metres, way);
        EXPECT_LE(way, kMostMetres) << rig_.joint_names()[at];
      }
      if (i < input.shapes && !free(3)) {
        const float way = std::fabs(last.weights[i] - input.weights[i]);
        worst.weight = std::max(worst.weight, way);
        EXPECT_LE(way, kMostWeight) << rig_.shape_names()[at];
      }
    }
    seen->stage = &stage;
    seen->pose.span().CopyFrom(input);
    ++ticks;
  }

  Step worst;  // that nobody asked for
  int ticks = 0;

 private:
  struct Seen {
    const Node* stage = nullptr;
    skel::Pose pose;
  };
  bool IsLive(size_t row, size_t element) const {
    return std::any_of(sources_.begin(), sources_.end(), [&](const ProviderInput& p) {
      return !p.suspended && PresenceRow(p.pose, row)[element] != 0;
    });
  }

  const skel::Rig& rig_;
  const float most_degrees_;
  std::array<Seen, 4> seen_;
  absl::Span<const ProviderInput> sources_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_TESTS_UNIT_GRAPH_UNASKED_H_
