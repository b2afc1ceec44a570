// Nods to a speaker as human listeners do: at the ends of phrases, and occasionally within long
// ones.
//
// Listeners' nods are small and come in runs: one, or two or three of decreasing size, at 1.8 to
// 3.7 per second (Hadar, Steiner and Clifford Rose, "Head movement during listening turns in
// conversation", 1985), a quarter to half a second after the end of the phrase.
#ifndef POSEWIRE_LIBS_GRAPH_LISTEN_NODE_H_
#define POSEWIRE_LIBS_GRAPH_LISTEN_NODE_H_

#include <array>
#include <cstdint>
#include <memory>

#include "libs/graph/body_parts.h"
#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/phrase_watch.h"

namespace posewire::graph {

struct ListenSettings {
  Number rate = 0.6;  // fraction of phrases that are answered
  Number size = 1;    // 1: 4 to 8 degrees
};

// Listens to the first four other avatars of the stream, by their voices, and to the first four
// users, by their `speaks` input. Head and neck nod in addition to the pose. An avatar that speaks
// does not nod, nor when two others speak at once. Costs nothing if there is no one to listen to.
class ListenNode : public PassNode {
 public:
  static constexpr size_t kMost = 4;

  // The rig must have a head.
  ListenNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
             ListenSettings settings);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

  // How far the nod lowers the head, in radians, at the last tick.
  float nod() const { return nod_; }

 private:
  struct Voice {
    uint64_t who = 0;  // 0: none
    PhraseWatch watch;
  };
  struct Nods {
    int left = 0;  // including the current one
    float size_rad = 0, period_s = 0, time_s = 0;
  };

  bool PhraseEnds(const TickContext& ctx, float dt_s);
  void Decide(const TickContext& ctx, float dt_s);
  void Nod(float dt_s);

  std::shared_ptr<const BodyParts> parts_;
  ListenSettings settings_;
  std::array<Voice, 2 * kMost> voices_;
  float spoken_s_ = 0;  // of the current speaker, since the last nod or pause
  float again_s_ = 0;   // time until another nod may be decided
  float wait_s_ = -1;   // time until the decided nod begins; below 0: none
  float long_s_ = 6;    // length of a phrase after which it is answered before its end
  Nods nods_;
  float nod_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LISTEN_NODE_H_
