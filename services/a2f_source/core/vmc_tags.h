// Decides whether the time tags of a sender's bundles can serve as its clock.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_TAGS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_TAGS_H_

#include <optional>

namespace posewire::a2f_source {

// Many senders have tags that stand still, or count whole seconds, so tags are on trial first: half
// a second in which each is within 0.2 s of where arrival puts it. Then they are as good as VMC's
// own time, without its loss of resolution; one further off is ignored. When many are, as after the
// clock was set, a new trial begins. A sender that also sends VMC's time is timed by that alone.
// One thread.
class VmcTags {
 public:
  // Returns the time at which a datagram was sent, by the clock of its tags; none if arrival
  // counts. `has_time`: it contains VMC's time.
  std::optional<double> Use(std::optional<double> tag_s, bool has_time, double now_s);
  // Whether the last Use ended the trust in tags: times by them mean nothing any more.
  bool lost_trust() const { return lost_trust_; }

 private:
  bool sends_time_ = false, trusted_ = false, lost_trust_ = false;
  std::optional<double> trial_s_;  // its beginning
  double offset_s_ = 0;            // arrival - tag: of the trial's first, then roughly the least
  double strays_ = 0;              // their recent share
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_TAGS_H_
