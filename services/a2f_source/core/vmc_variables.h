// Maps a performer's controls and state to variables of the animation graph.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_VARIABLES_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_VARIABLES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "libs/vmc/messages.h"

namespace posewire::a2f_source {

// Parsed from lines WHAT=VARIABLE, where WHAT is one of
//   knob:N       the value of a MIDI control, 0 to 1
//   tracking     1 while the sender tracks its performer, else 0
//   calibration  0 none, 1 waiting, 2 running, 3 done
//   loaded       1 while the sender has a model, else 0
// One thread.
class VmcVariables {
 public:
  // INVALID_ARGUMENT for a malformed line.
  static absl::StatusOr<VmcVariables> Parse(const std::vector<std::string>& lines);

  // Calls `set` with the name and value of each variable that this message changes.
  void Take(const vmc::Message& message,
            absl::FunctionRef<void(const std::string& name, float value)> set);
  // Calls `set` for every variable that was ever set, because a server may have restarted.
  void Repeat(absl::FunctionRef<void(const std::string& name, float value)> set) const;

  // The performer has gone: `tracking` and `loaded` become 0 if they were set.
  void Gone(absl::FunctionRef<void(const std::string& name, float value)> set);

 private:
  enum class What : uint8_t { kKnob, kTracking, kCalibration, kLoaded };
  struct Variable {
    What what = What::kKnob;
    int32_t knob = 0;
    std::string name;
    std::optional<float> value = {};  // set last
  };
  std::vector<Variable> variables_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_VARIABLES_H_
