// Plays live sources on top of another node.
#ifndef POSEWIRE_LIBS_GRAPH_PROVIDER_NODE_H_
#define POSEWIRE_LIBS_GRAPH_PROVIDER_NODE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libs/graph/node.h"
#include "libs/graph/presence.h"
#include "libs/skel/rig_limits.h"

namespace posewire::graph {

// Providers are applied in the order of Inputs, each only with its own elements; a suspended one is
// skipped.
//
// Shapes and joints never both move the same part of the face: once a provider has rotated the eye,
// lid or jaw joints away from rest, no eye, lid or mouth shapes come from below. Nor do mouth
// shapes while a provider owns the mouth.
//
// With easing, every discontinuity requests it, for the elements that the source had before or has
// now: they come from another playback, a discontinuity count rose, a source was suspended or came
// back, or one took over a part of the face. It takes 0.3 s; the shapes of a source that resumes
// after running out of data are back within 0.1 s.
class ProviderNode : public Node {
 public:
  // `below` may be null. Elements that neither it nor a provider has are at rest with easing, and
  // otherwise absent.
  ProviderNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below, bool ease);

  // Uses the sources with one of the ids `mine`; if that is empty, all except `others`.
  void set_sources(std::vector<std::string> mine, std::vector<std::string> others);

  // Variables, by index, that receive the mood of the newest source that says one; -1: none.
  void set_mood_variables(int arousal, int valence) {
    arousal_variable_ = arousal;
    valence_variable_ = valence;
  }

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;

  // True while a provider moves the lids by joints: then no blink shape may be added.
  bool joints_drive_lids() const { return (driven_ & kLids) != 0; }
  // True while a provider moves eyes or lids by joints: then no gaze or lid shape may be added.
  bool joints_drive_eyes_or_lids() const { return (driven_ & (kEyes | kLids)) != 0; }

 private:
  enum Part : uint8_t { kEyes = 1, kLids = 2, kMouth = 4 };
  struct Joint {
    int index;
    Part part;
  };
  // Identifies a playback until it jumps. 0: none.
  using Token = uint8_t;
  static constexpr Token kTaken = 255;  // taken from below, although no source has it
  // Which parts a playback has ever moved by joints.
  struct Seen {
    uint64_t playback_id = 0;
    uint8_t parts = 0;
    bool used = false, suspended = false;
    uint32_t discontinuities = 0;
    Token token = 0;
  };
  // For elements, row by row.
  using Tokens = std::array<Token, 3 * skel::kMostJoints + skel::kMostShapes>;

  Seen& SeenOf(const ProviderInput& provider);
  Token NewToken();
  bool Takes(const ProviderInput& provider) const;
  void WriteMood(const TickContext& ctx) const;
  uint8_t PartsOf(const ProviderInput& provider);
  void Release(uint8_t parts, const skel::PoseSpan& out, Tokens& says) const;
  void Lay(const ProviderInput& provider, const skel::PoseSpan& out, Tokens& says);
  void AskForChanges(const Tokens& says, TransitionRequests& asks);
  static void AddProvider(const ProviderInput& provider, const ContributionShare& share,
                          ContributionList& out);

  std::shared_ptr<const skel::Rig> rig_;
  std::unique_ptr<Node> below_;
  bool ease_;
  int arousal_variable_ = -1, valence_variable_ = -1;
  std::vector<std::string> mine_, others_;
  std::vector<Joint> face_joints_;
  std::vector<std::pair<int, Part>> face_shapes_;
  std::array<Seen, 64> seen_;
  size_t next_seen_ = 0;
  Token last_token_ = 0;
  PresenceWatch below_said_;
  std::vector<Token> said_;  // at the last tick
  bool says_any_ = false;    // at least one of them is not 0
  bool back_ = false;
  uint8_t driven_ = 0, owned_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_PROVIDER_NODE_H_
