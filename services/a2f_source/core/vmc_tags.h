// Decides whether the time tags of a sender's bundles can serve as its clock.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_TAGS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_TAGS_H_

#include <optional>

namespace posewire::a2f_source {

// The tags of many senders never advance, or count whole seconds. Therefore tags are used only
// after a trial: for half a second, the time from each tag to its arrival must be constant to
// within 0.2 s. Trusted tags order datagrams as VMC's own time does, and do not lose resolution
// over time as its float does. A tag that is more than 0.2 s off is ignored. If many are off, for
// example after the sender's clock was set, a new trial begins. If a sender also sends VMC's time,
// only that is used. One thread.
class VmcTags {
 public:
  // Returns the time at which a datagram was sent, by the clock of its tags. Returns nothing if its
  // tag is not used. `has_time`: whether the datagram contains VMC's time.
  std::optional<double> Use(std::optional<double> tag_s, bool has_time, double now_s);
  // Whether the last Use ended the trust in the tags: times returned before are then meaningless.
  bool lost_trust() const { return lost_trust_; }

 private:
  bool sends_time_ = false, trusted_ = false, lost_trust_ = false;
  std::optional<double> trial_s_;  // start of the trial
  double offset_s_ = 0;            // arrival - tag: of the trial's first tag, then about the least
  double last_s_ = 0;
  double strays_ = 0;  // recent share of tags that are off
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_TAGS_H_
