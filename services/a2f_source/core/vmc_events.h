// Maps keys, notes, buttons and shortcuts to events of the animation graph.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_EVENTS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_EVENTS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/vmc/messages.h"

namespace posewire::a2f_source {

// Parsed from lines WHAT=EVENT, where WHAT is one of
//   key:NAME       a key goes down (NAME as the sender says it, or #CODE for its key code)
//   button:NAME    a button of a controller goes down; left:NAME and right:NAME for one side
//   note:N         a MIDI note begins, on any channel
//   knob:N         a MIDI control rises to 0.5 or above
//   shortcut:NAME  a shortcut is triggered
//   option:TEXT    the sender's option text becomes this
//   calibration:STATE  the sender's calibration becomes none, waiting, running or done
//   tracking:STATE     the sender's tracking becomes good or lost
//   calibrate:ready, calibrate:exec  a client asks to prepare a calibration, or to begin it
// Names are compared ignoring case. One thread.
class VmcEvents {
 public:
  // INVALID_ARGUMENT for a malformed line. A later line replaces an earlier one.
  static absl::StatusOr<VmcEvents> Parse(const std::vector<std::string>& lines);

  // Calls `fire` with each event that this message triggers; usually none.
  void Take(const vmc::Message& message, absl::FunctionRef<void(const std::string&)> fire);
  // Forgets the sender's state: the next one's is new.
  void Forget() { calibration_ = tracking_ = std::nullopt; }

 private:
  std::optional<std::string> One(const vmc::Message& message);
  void OnOk(const vmc::Ok& ok, absl::FunctionRef<void(const std::string&)> fire);
  std::optional<std::string> Find(absl::string_view kind, absl::string_view name) const;
  std::optional<std::string> OnKnob(int knob, float value);

  absl::flat_hash_map<std::string, std::string> events_;
  absl::flat_hash_map<int, float> knobs_;  // of those in the table
  std::string option_;
  std::optional<int32_t> calibration_, tracking_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_EVENTS_H_
