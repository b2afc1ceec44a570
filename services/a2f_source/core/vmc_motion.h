// A performer's motion over a network that stutters, reorders and loses packets, made smooth.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_MOTION_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_MOTION_H_

#include <array>

#include "absl/types/span.h"
#include "libs/vmc/performer.h"
#include "services/a2f_source/core/vmc_channel.h"
#include "services/a2f_source/core/vmc_clock.h"

namespace posewire::a2f_source {

// Bones and root count from the moment that they come, expressions from their Apply (from a sender
// that never applies, a fifth of a second after they came). What stands in one datagram with the
// sender's time is ordered by that, anything else by its arrival. See VmcChannel for what is shown
// between and after packets. Times are seconds of one clock that does not go back. Does not
// allocate beyond what vmc::Performer does. One thread.
class VmcMotion {
 public:
  // The messages of one datagram, in their order.
  void Take(absl::Span<const vmc::Message> messages, double now_s);

  // All that has come, as it came.
  const vmc::Performer& performer() const { return performer_; }
  // The motion to show at `now_s`: bones, root and expressions. Valid until the next call.
  const vmc::Performer& Show(double now_s);

 private:
  // When a datagram was sent and when it came, by the sender's clock.
  struct Stamped {
    double sent_s = 0, now_s = 0;
    Stamp stamp = Stamp::kArrival;
  };
  // The newest of an expression that waits for its Apply.
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
  double waiting_since_s_ = -1;  // the first expression that was not applied
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_MOTION_H_
