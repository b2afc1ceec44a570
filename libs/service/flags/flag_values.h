// Converts a flag's value from and to text, by the rules in FlagRules.
#ifndef POSEWIRE_LIBS_SERVICE_FLAGS_FLAG_VALUES_H_
#define POSEWIRE_LIBS_SERVICE_FLAGS_FLAG_VALUES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/service/flags/flags.h"

namespace posewire::service::internal {

// Sets `target` from `texts` (one for a scalar; the last counts). On error, which names the value
// and valid values, the target is unchanged.
absl::Status SetTarget(const Flags::Target& target, const FlagRules& rules,
                       const std::vector<std::string>& texts);
std::string ShowTarget(const Flags::Target& target);
FlagValue::Value ValueOf(const Flags::Target& target);
// Returns the type for the help: "INT", "NUMBER" and so on.
std::string TypeName(const Flags::Target& target, const FlagRules& rules);
bool IsBool(const Flags::Target& target);
bool IsList(const Flags::Target& target);

}  // namespace posewire::service::internal

#endif  // POSEWIRE_LIBS_SERVICE_FLAGS_FLAG_VALUES_H_
