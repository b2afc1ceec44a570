// Detects acts of a person in front of the avatar from the places of their head and hands.
//
// Appears and disappears, looks and looks away, waves, nods, shakes the head, speaks. A wave, a nod
// and a shake are detected in the same way in three numbers: the number reverses three times within
// a second and a half, by more than people move unintentionally. Waves of adults have 2 to 5
// reversals per second, nods 3 to 6 (Hadar, Steiner, Clifford Rose, 1985: ordinary nods at 1.8 to
// 3.7 Hz).
#ifndef POSEWIRE_LIBS_GRAPH_USER_WATCH_H_
#define POSEWIRE_LIBS_GRAPH_USER_WATCH_H_

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "libs/graph/node.h"
#include "libs/skel/math.h"

namespace posewire::graph {

enum class UserAct : uint8_t {
  kComes,
  kGoes,
  kNears,   // comes within a distance
  kLeaves,  // and leaves it
  kLooks,
  kLooksAway,
  kTouches,
  kWaves,
  kNods,
  kShakesHead,
  kSpeaks,
  kFallsSilent,
};
// Returns "comes", "looks_away" and so on.
absl::string_view NameOf(UserAct act);

using UserActs = uint32_t;  // one bit per act
constexpr UserActs BitOf(UserAct act) { return UserActs{1} << static_cast<int>(act); }

// A number that oscillates. One thread; no allocation.
class Swing {
 public:
  // Returns true when `value` has reversed for the third time in 1.6 s, by at least `least` each
  // time.
  bool Step(float value, float least, float dt_s);
  void Forget() { *this = Swing(); }

 private:
  static constexpr int kTurns = 3;
  bool begun_ = false;
  float low_ = 0, high_ = 0;  // since the last reversal
  int way_ = 0;               // up or down; 0 before the first reversal
  std::array<float, kTurns> ago_s_{};
  int turns_ = 0;
};

// One person. kNears, kLeaves and kTouches are detected elsewhere, because they depend on a
// distance or joint. One thread; no allocation.
class UserWatch {
 public:
  // Returns the acts that begin at this tick. `user` is null if absent; `head` is the avatar's.
  // Acts are reported once, when they begin: a look after half a second, its end after one, a
  // departure after half a second.
  UserActs Step(const UserInput* user, skel::Vec3 head, float dt_s);

  bool here() const { return here_; }
  bool looks() const { return looks_; }

 private:
  void Looks(const UserInput& user, skel::Vec3 head, float dt_s, UserActs& acts);

  bool here_ = false, looks_ = false, speaks_ = false;
  float away_s_ = 0, look_s_ = 0, off_s_ = 0;
  std::array<Swing, 2> hands_;
  Swing nod_, shake_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_USER_WATCH_H_
