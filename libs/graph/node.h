// What every node of an animation graph is.
//
// A graph belongs to one avatar and one thread. Each tick Update runs from the output towards the
// inputs, with weights; then Evaluate runs for the active nodes only. Neither allocates, locks or
// logs.
#ifndef POSEWIRE_LIBS_GRAPH_NODE_H_
#define POSEWIRE_LIBS_GRAPH_NODE_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/clip/clip_library.h"
#include "libs/graph/random.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

// What a live source says at this tick.
struct ProviderInput {
  // Unlike for every playback that ever was on this avatar; a new id is a new request.
  uint64_t playback_id = 0;
  absl::string_view source_service_id;
  skel::PoseView pose;  // in the avatar's rig, with presence
  bool owns_mouth = false;
  // Rises by one whenever the pose jumps for a reason of the stream (resumed after starving, keys
  // lost): the graph eases over it.
  uint32_t discontinuities = 0;
  // True while the source starves beyond its hold: the body has been given back to what is below.
  bool suspended = false;
};

// All live sources, in the order in which they started.
struct Inputs {
  absl::Span<const ProviderInput> providers;
};

struct TickContext {
  int64_t tick = 0;
  double time_s = 0;  // of this tick, from the avatar's start
  double dt_s = 0;    // since the last evaluated tick
  Random* rng = nullptr;
  const Inputs* inputs = nullptr;
  const clip::ClipLibrary* clips = nullptr;
};

// Which part of a clip made the pose, so that a more complex character can be driven by the same
// weights.
enum class Region : uint8_t { kBody, kFace };
struct Contribution {
  const clip::Clip* clip = nullptr;
  double clip_time_s = 0;
  float weight = 0;
  Region region = Region::kBody;
};
struct Contributions {
  static constexpr int kMost = 8;
  std::array<Contribution, kMost> items;
  int count = 0;
  // The least of a full list gives way.
  void Add(const Contribution& c);
};

class Node {
 public:
  virtual ~Node() = default;
  // Advances the node to this tick; `weight` (0..1) is how much of it will be seen.
  virtual void Update(const TickContext& ctx, float weight) = 0;
  // Writes the node's pose with presence into `out`, which has the rig's size. Only after Update.
  virtual void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) = 0;
  virtual void Contribute(float weight, Contributions& out) const { (void)weight, (void)out; }
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_NODE_H_
