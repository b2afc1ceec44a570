// Chooses who is shown by the model that a performer names, from a list of permitted characters.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CHARACTERS_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CHARACTERS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/vmc/messages.h"

namespace posewire::a2f_source {

// Parsed from lines MODEL=CHARACTER, where MODEL is
//   TITLE         title of a VRM, as its sender says it
//   SERVICE:TEXT  an avatar of an online service whose description has this text as a value
// Paths and files of the sender are never used. One thread.
class VmcCharacters {
 public:
  // INVALID_ARGUMENT for a malformed line, or a name that no character may have.
  static absl::StatusOr<VmcCharacters> Parse(const std::vector<std::string>& lines);

  void Take(const vmc::Message& message);
  // Name of the character; empty until a listed model was named.
  const std::string& chosen() const { return chosen_; }

 private:
  std::vector<std::pair<std::string, std::string>> characters_;  // model, name
  std::string chosen_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CHARACTERS_H_
