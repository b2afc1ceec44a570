// Lays the live sources over what is below.
#ifndef POSEWIRE_LIBS_GRAPH_PROVIDER_NODE_H_
#define POSEWIRE_LIBS_GRAPH_PROVIDER_NODE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libs/graph/node.h"
#include "libs/graph/switch_ease.h"
#include "libs/graph/transition.h"

namespace posewire::graph {

// Providers stack in the order of Inputs, each over only what it has; a suspended one is left out.
//
// Shapes and joints never both move the same part of the face: once a provider has turned the eye,
// lid or jaw joints away from rest, what lies below lends no eye, lid or mouth shapes. Below lends
// no mouth shape either while a provider owns the mouth.
//
// With easing, one inertialisation of 0.3 s over the layered result eases every discontinuity: the
// set of playbacks changed, a discontinuity count rose, a provider was suspended or came back, or
// one took over a part of the face. Only the new input is evaluated. The shapes of one that goes on
// after it starved are back within 0.1 s.
class ProviderNode : public Node {
 public:
  // `below` may be null. What neither it nor a provider has is rest with easing, else absent.
  ProviderNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below, bool ease);

  // Takes the sources with one of the ids `mine`; none given: all but `others`.
  void set_sources(std::vector<std::string> mine, std::vector<std::string> others);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(float weight, Contributions& out) const override;
  bool says_all() const override { return ease_; }
  bool remembers() const override { return ease_; }
  Memory memory() const override;
  void Recall(int ago, const skel::PoseSpan& out) override;

  // True while a provider drives the lids by joints: then no blink shape may join.
  bool joints_drive_lids() const { return (driven_ & kLids) != 0; }
  // True while one drives eyes or lids by joints: then no gaze or lid shape may join.
  bool joints_drive_eyes_or_lids() const { return (driven_ & (kEyes | kLids)) != 0; }

 private:
  enum Part : uint8_t { kEyes = 1, kLids = 2, kMouth = 4 };
  struct Joint {
    int index;
    Part part;
  };
  // Which parts a playback has ever moved by joints.
  struct Seen {
    uint64_t playback_id = 0;
    uint8_t parts = 0;
    bool used = false, suspended = false;
    uint32_t discontinuities = 0;
  };

  Seen& SeenOf(const ProviderInput& provider);
  bool Takes(const ProviderInput& provider) const;
  uint8_t PartsOf(const ProviderInput& provider);
  void Release(uint8_t parts, const skel::PoseSpan& out) const;
  void Lay(const skel::PoseView& pose, const skel::PoseSpan& out) const;
  const ProviderInput* OnlySource(const TickContext& ctx, const skel::PoseView& out) const;
  void KeepSaid(const TickContext& ctx, const skel::PoseView& out);

  std::shared_ptr<const skel::Rig> rig_;
  std::unique_ptr<Node> below_;
  bool ease_;
  std::vector<std::string> mine_, others_;
  // Whether it may pass on what is below without a memory of its own.
  bool may_rest_ = false;
  // Over what the node below begins or ceases to say; null where it says all, or nothing is eased.
  std::unique_ptr<SwitchEase> below_ease_;
  std::unique_ptr<Transition> transition_;  // null: nothing is eased
  std::vector<Joint> face_joints_;
  std::vector<std::pair<int, Part>> face_shapes_;
  std::array<Seen, 64> seen_;
  size_t next_seen_ = 0;
  uint64_t signature_ = 0;
  bool started_ = false, jump_ = false, back_ = false;
  bool any_ = false;  // a source is there
  // Its memory is its own: while it eases, and while more than one source is there. Else what is
  // below remembers, and it keeps what the source said.
  bool awake_ = false;
  int calm_ = 0;                    // ticks that passed unchanged since the ease
  std::unique_ptr<Shown> said_;     // null: it may not rest
  std::array<uint8_t, 2> parts_{};  // taken from below at the last ticks
  size_t newest_ = 0;
  skel::Pose spare_;  // see StackPose
  uint8_t driven_ = 0, owned_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_PROVIDER_NODE_H_
