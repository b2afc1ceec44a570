#include "libs/asset/prop_history.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

namespace posewire::asset {
namespace {

// A prop that is put elsewhere at once is there within this time.
constexpr double kJump_s = 1e-3;

bool Same(const RigidPlace& a, const RigidPlace& b) {
  return skel::Length(a.at - b.at) < 1e-6f && skel::AngleBetween(a.turn, b.turn) < 1e-5f;
}

void AddKey(double time_s, const RigidPlace& place, SceneProp& prop) {
  std::vector<RigidPlace>& places = prop.places;
  const size_t n = places.size();
  if (n > 0 && time_s <= prop.times_s.back()) return;
  // Of several equal places, the first and the last are enough.
  if (n > 1 && Same(places[n - 1], place) && Same(places[n - 2], place)) {
    prop.times_s.back() = time_s;
    return;
  }
  prop.times_s.push_back(time_s);
  places.push_back(place);
}

}  // namespace

std::vector<SceneProp> PropsOver(
    absl::Span<const std::pair<double, std::vector<wire::Prop>>> states) {
  std::vector<SceneProp> out;
  std::map<std::string, size_t> places;
  std::vector<double> seen_s;  // when each was there last
  for (const auto& [time_s, props] : states) {
    for (const wire::Prop& prop : props) {
      const auto [it, is_new] = places.try_emplace(prop.name, out.size());
      if (is_new) {
        SceneProp& one = out.emplace_back();
        one.name = prop.name;
        one.shape = prop.shape.empty() ? "box" : prop.shape;
        one.size = prop.size;
        seen_s.push_back(time_s);
      }
      SceneProp& to = out[it->second];
      double& last_s = seen_s[it->second];
      const RigidPlace place{prop.position, prop.rotation};
      if (!is_new && time_s - last_s > kLongestPropStep_s) {
        const RigidPlace held = to.places.back();
        AddKey(std::max(last_s, time_s - kJump_s), held, to);
      }
      AddKey(time_s, place, to);
      last_s = time_s;
    }
  }
  for (SceneProp& prop : out) {
    const bool moves = !std::all_of(prop.places.begin(), prop.places.end(),
                                    [&](const RigidPlace& p) { return Same(p, prop.places[0]); });
    if (moves) continue;
    prop.places.resize(1);
    prop.times_s.resize(1);
  }
  return out;
}

}  // namespace posewire::asset
