// A place that nodes look at, reach for or turn to.
#ifndef POSEWIRE_LIBS_GRAPH_TARGET_H_
#define POSEWIRE_LIBS_GRAPH_TARGET_H_

#include <optional>
#include <string>

#include "libs/graph/body_parts.h"
#include "libs/graph/node.h"
#include "libs/graph/number.h"
#include "libs/skel/math.h"

namespace posewire::graph {

struct Target {
  enum class Kind : uint8_t {
    kNone,
    kUserHead,
    kUserLeftHand,
    kUserRightHand,
    kUserHips,
    kUserLeftFoot,
    kUserRightFoot,
    kUserPoint,
    kUserGaze,
    kAvatar,
    kSite,
    kVariable,
    kPoint,
    kProp,
  };
  Kind kind = Kind::kNone;
  std::string name;  // its name in a choice
  std::string who;   // a user, avatar or prop; empty: the first user
  std::string part;  // a point of the user; a site of the prop; empty: the prop itself
  int nth = -1;      // at least 0: the user or avatar with that index, regardless of its name
  int joint = -1;    // of a site, with its offset
  skel::Vec3 offset;
  int variable = -1;  // a vector
  skel::Vec3 point;
  Number weight = 1;

  bool of_user() const { return kind >= Kind::kUserHead && kind <= Kind::kUserGaze; }
};

// Number of users, or other avatars, that a target for each of them ("*") supports.
inline constexpr int kMostOfAll = 4;

// Returns the named user, or the first for an empty name; null if there is none.
const UserInput* FindUser(const Inputs& inputs, absl::string_view name);

// Returns the named prop; null if there is none.
const PropInput* FindProp(const Inputs& inputs, absl::string_view name);
// Returns its first site with that name; null if it has none.
const PropSiteInput* FindSite(const PropInput& prop, absl::string_view name);

// Returns the target's place in the avatar's space; nothing if it is unknown at this tick or not
// finite. `pose` is the avatar's own, for sites.
std::optional<skel::Vec3> Locate(const Target& target, const TickContext& ctx, const skel::Rig& rig,
                                 const skel::PoseView& pose);

// Removes tremor from a moving place without lagging in steady motion: a critically damped
// alpha-beta filter (Brookner, "Tracking and Kalman Filtering Made Easy", 1998).
class PlaceFilter {
 public:
  // `smooth_s`: the time constant.
  explicit PlaceFilter(double smooth_s = 0.05) : smooth_s_(smooth_s) {}
  // Moves to `at` immediately.
  void Jump(skel::Vec3 at) { at_ = at, speed_ = {}; }
  // Moves towards a new measurement, no faster than `most_m_s`.
  skel::Vec3 Step(skel::Vec3 at, double dt_s, float most_m_s = 1e6f);
  skel::Vec3 at() const { return at_; }

 private:
  double smooth_s_;
  skel::Vec3 at_, speed_;
};

// A target that appears and disappears: its last position, and its smoothed presence.
class TargetFollower {
 public:
  TargetFollower() = default;
  // If the place jumps by more than `jump_m`, follows immediately, and otherwise no faster than
  // `most_m_s`.
  TargetFollower(double smooth_s, float most_m_s, float jump_m = 1e6f)
      : filter_(smooth_s), most_m_s_(most_m_s), jump_m_(jump_m) {}
  // Call once per tick, with the result of Locate.
  void Step(const std::optional<skel::Vec3>& seen, double dt_s);
  // 0 absent .. 1 present, eased in and out over 0.4 s.
  float presence() const { return presence_ * presence_ * (3 - 2 * presence_); }
  skel::Vec3 at() const { return filter_.at(); }

 private:
  PlaceFilter filter_{0.06};
  float most_m_s_ = 3, jump_m_ = 1e6f, presence_ = 0;
};

// A weight that takes at least `full_s` from 0 to 1, eased in and out.
class EasedWeight {
 public:
  explicit EasedWeight(float full_s = 0.4f) : full_s_(full_s) {}
  float Step(double target, double dt_s);
  float value() const { return value_ * value_ * (3 - 2 * value_); }

 private:
  float full_s_, value_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_TARGET_H_
