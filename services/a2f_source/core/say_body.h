// The speaking body: head and neck that nod, tilt and drift, and hands that beat time.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_BODY_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_BODY_H_

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/random/random.h"
#include "libs/skel/math.h"
#include "libs/speech/face_track.h"
#include "libs/speech/head_track.h"
#include "libs/speech/phrase.h"
#include "libs/speech/pulse_track.h"
#include "services/a2f_source/core/say_arm.h"

namespace posewire::a2f_source {

// H-Anim V1 names: neck and head first, then left arm and right arm (shoulder, elbow, wrist).
inline constexpr size_t kHeadJoints = 3;
inline constexpr size_t kBodyJoints = 9;
using BodyPose = std::array<skel::Quat, kBodyJoints>;
absl::Span<const absl::string_view> BodyJointNames();

// The local rotations of the first kHeadJoints: neck and head share a turn.
void PoseHead(const speech::HeadAngles& head, absl::Span<skel::Quat> joints);

// One thread; the same seed and phrases give the same motion. Phrases come in order, each before
// the times it touches are asked for (it acts up to 0.3 s before its start).
class BodyTrack {
 public:
  BodyTrack(uint64_t seed, ArmPoser arms);

  void Add(const speech::Phrase& phrase);
  // Nothing is added any more: everything has come to rest at `end_s`.
  void Finish(double end_s);
  // Local rotations at t. Times do not go back.
  void At(double t_s, BodyPose& out);
  // The head's part of the pose that At gave last.
  const speech::HeadLook& look() const { return look_; }

 private:
  struct Unit {  // of one arm: raised, some beats, lowered
    double from_s, up_s, down_s, to_s;
    float size, offer;
    std::vector<speech::Pulse> strokes;
  };

  void PlanHands(const speech::Phrase& phrase);
  void AddUnit(int arm, const speech::Phrase& phrase, absl::Span<const double> beats_s);
  ArmBeat BeatAt(const std::deque<Unit>& units, double t_s) const;

  Random random_;
  ArmPoser arms_;
  speech::HeadTrack head_;
  double end_s_ = 1e30;
  int next_arm_ = 0;
  std::array<double, 2> arm_free_s_{};
  std::array<std::deque<Unit>, 2> units_;
  speech::HeadLook look_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_BODY_H_
