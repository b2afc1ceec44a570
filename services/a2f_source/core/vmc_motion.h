// Smooths a performer's motion over a network that delays, reorders and loses packets.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_MOTION_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_MOTION_H_

#include <array>
#include <optional>

#include "absl/types/span.h"
#include "libs/vmc/performer.h"
#include "services/a2f_source/core/vmc_channel.h"
#include "services/a2f_source/core/vmc_clock.h"

namespace posewire::a2f_source {

// Bones and root take effect when they arrive, and expressions with their Apply (if a sender never
// applies, a fifth of a second after they arrive). Messages in a datagram with the sender's time
// are ordered by that, others by their arrival. See VmcChannel for the values between and after
// packets. Times are seconds of one clock that does not go back. Allocates only as much as
// vmc::Performer does. One thread.
class VmcMotion {
 public:
  // Takes the messages of one datagram, in their order. `sent_s` is the time by the sender's clock;
  // without it, that of a vmc::Time among the messages.
  void Take(absl::Span<const vmc::Message> messages, double now_s,
            std::optional<double> sent_s = std::nullopt);
  // Forgets the sender's clock: what was received counts as received now.
  void ForgetClock(double now_s);
  // Forgets everything but the performer's counts.
  void Forget();

  // The received values, not smoothed.
  const vmc::Performer& performer() const { return performer_; }
  // Returns the smoothed motion at `now_s`: bones, root and expressions. Valid until the next call.
  const vmc::Performer& Show(double now_s);

 private:
  // When a datagram was sent and when it arrived, by the sender's clock.
  struct Stamped {
    double sent_s = 0, now_s = 0;
    Stamp stamp = Stamp::kArrival;
  };
  // The newest value of an expression that waits for its Apply.
  struct Waiting {
    float weight = 0;
    Stamped at;
    bool any = false;
  };
  void Place(const vmc::Message& message, const Stamped& at);
  void Wait(const vmc::BlendValue& value, const Stamped& at);
  void AddWeights(double sender_now_s);
  void ForgetLostModel();
  void RestartChannels(double sender_now_s);

  vmc::Performer performer_, shown_;
  VmcClock clock_;
  std::array<RotationChannel, vmc::kBones> bones_;
  PlaceChannel hips_place_;
  RotationChannel root_turn_;
  PlaceChannel root_place_;
  std::array<WeightChannel, vmc::kArkitShapes> arkit_;
  std::array<WeightChannel, vmc::kPresets> presets_;
  std::array<Waiting, vmc::kArkitShapes> arkit_waits_;
  std::array<Waiting, vmc::kPresets> presets_wait_;
  double waiting_since_s_ = -1;  // arrival of the first expression that was not applied
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_MOTION_H_
