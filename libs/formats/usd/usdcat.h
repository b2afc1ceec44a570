// Binary stages (.usdc, .usdz) by way of OpenUSD's own programs, where they are installed.
#ifndef POSEWIRE_LIBS_FORMATS_USD_USDCAT_H_
#define POSEWIRE_LIBS_FORMATS_USD_USDCAT_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::usd {

// .usd, .usda, .usdc or .usdz, ignoring case.
bool IsStageName(absl::string_view path);
// Whether a file's first bytes are those of a crate or of a package.
bool IsBinaryStage(absl::string_view bytes);

// The text of a stage with all that it names in it, from `usdcat --flatten`, or else from a python3
// that has usd-core. UNIMPLEMENTED when neither is there, and says how to go on; INVALID_ARGUMENT
// for what they cannot read; RESOURCE_EXHAUSTED over `most` bytes; DEADLINE_EXCEEDED after
// kMostUsdcat_s; CANCELLED soon after `stopped` returns true. Waits for their end, which it brings
// about in the last three cases. They open the files that the stage names by themselves.
inline constexpr double kMostUsdcat_s = 60;
absl::StatusOr<std::string> ReadBinaryStage(
    const std::string& path, size_t most,
    const std::function<bool()>& stopped = [] { return false; }, double most_s = kMostUsdcat_s);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_USDCAT_H_
