// Decides whether the time tags of a sender's bundles can serve as its clock.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_TAGS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_TAGS_H_

#include <optional>

namespace posewire::a2f_source {

// A tag counts if it is within 0.2 s of where the earlier ones put it: tags are then as good as
// VMC's own time, without its loss of resolution. Other tags are ignored, until three in a row
// agree with each other. A sender that also sends VMC's time is timed by that alone. One thread.
class VmcTags {
 public:
  // Returns the time at which a datagram was sent, by the clock of its tags; none if arrival
  // counts. `has_time`: it contains VMC's time.
  std::optional<double> Use(std::optional<double> tag_s, bool has_time, double now_s);

 private:
  bool sends_time_ = false;
  std::optional<double> offset_s_;  // least arrival - tag, roughly
  std::optional<double> stray_s_;   // of the latest tag that was ignored
  int strays_ = 0;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_TAGS_H_
