// The objects of a scene over time: received states, and interpolation between them.
//
// Objects are sent at each frame while one of them moves, and not at all otherwise. So two states
// about a frame apart are two moments of one movement, and objects are interpolated between them,
// like the hand that holds them. After a longer silence, the earlier state applies up to the later
// one.
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
  static constexpr double kLongestStep_s = 0.12;  // within one movement

  // Keeps at most this many states: beyond that, the newest replaces the one before it.
  explicit PropTrack(size_t most = std::numeric_limits<size_t>::max()) : most_(most) {}

  // Adds the state of the whole scene from `at_s` on.
  void Add(double at_s, std::vector<wire::Prop> props);
  // Returns the state at a time; empty before the first one.
  std::vector<wire::Prop> At(double at_s) const;
  // Removes states that no later At needs.
  void DiscardBefore(double at_s);

  size_t size() const { return states_.size(); }

 private:
  size_t most_;
  std::map<double, std::vector<wire::Prop>> states_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_PROP_TRACK_H_
