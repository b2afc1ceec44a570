// Text to a flag's value and back, with the rules of FlagRules.
#ifndef POSEWIRE_LIBS_SERVICE_FLAGS_FLAG_VALUES_H_
#define POSEWIRE_LIBS_SERVICE_FLAGS_FLAG_VALUES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/service/flags/flags.h"

namespace posewire::service::internal {

// Sets `target` from `texts` (one for a scalar; the last counts). The target is left as it was on
// an error, which names the value and what would be right.
absl::Status SetTarget(const Flags::Target& target, const FlagRules& rules,
                       const std::vector<std::string>& texts);
std::string ShowTarget(const Flags::Target& target);
FlagValue::Value ValueOf(const Flags::Target& target);
// In the help: "INT", "NUMBER" and so on.
std::string TypeName(const Flags::Target& target, const FlagRules& rules);
bool IsBool(const Flags::Target& target);
bool IsList(const Flags::Target& target);

}  // namespace posewire::service::internal

#endif  // POSEWIRE_LIBS_SERVICE_FLAGS_FLAG_VALUES_H_
