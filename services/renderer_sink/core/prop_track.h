// The things of a scene over time: states as they were told, and what lies between them.
//
// Things are told at each frame while something moves, and not at all while nothing does. So two
// states a frame or so apart are two moments of one movement, and between them a thing is on its
// way, as the hand that holds it is; after a longer silence the earlier state counts up to the
// later one.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_PROP_TRACK_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_PROP_TRACK_H_

#include <cstddef>
#include <limits>
#include <map>
#include <vector>

#include "libs/wire/props.h"

namespace posewire::renderer_sink {

// One thread.
class PropTrack {
 public:
  static constexpr double kLongestStep_s = 0.12;  // of one movement

  // Keeps at most so many states: of more, the newest takes the place of the one before it.
  explicit PropTrack(size_t most = std::numeric_limits<size_t>::max()) : most_(most) {}

  // All of the scene from `at_s` on.
  void Add(double at_s, std::vector<wire::Prop> props);
  // Nothing before the first state.
  std::vector<wire::Prop> At(double at_s) const;
  // Forgets what no later At needs.
  void DiscardBefore(double at_s);

  size_t size() const { return states_.size(); }

 private:
  size_t most_;
  std::map<double, std::vector<wire::Prop>> states_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_PROP_TRACK_H_
