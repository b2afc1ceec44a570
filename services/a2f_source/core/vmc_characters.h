// Chooses the character to show, from a list of permitted ones, by the model that a performer
// names.
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
//   TITLE         the title of the sender's VRM
//   SERVICE:TEXT  an avatar of an online service whose description has this text as a value
// The sender's paths and files are never used. One thread.
class VmcCharacters {
 public:
  // INVALID_ARGUMENT for a malformed line, or a name that no character may have.
  static absl::StatusOr<VmcCharacters> Parse(const std::vector<std::string>& lines);

  void Take(const vmc::Message& message);
  void Forget() { chosen_.clear(); }
  // Name of the character; empty until the performer names a listed model.
  const std::string& chosen() const { return chosen_; }

 private:
  std::vector<std::pair<std::string, std::string>> characters_;  // model, name
  std::string chosen_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_VMC_CHARACTERS_H_
