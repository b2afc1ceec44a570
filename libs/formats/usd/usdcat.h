// Reads binary stages (.usdc, .usdz) through OpenUSD's own programs, if they are installed.
#ifndef POSEWIRE_LIBS_FORMATS_USD_USDCAT_H_
#define POSEWIRE_LIBS_FORMATS_USD_USDCAT_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::usd {

// Returns true for .usd, .usda, .usdc or .usdz, ignoring case.
bool IsStageName(absl::string_view path);
// Returns true if a file's first bytes are those of a crate or of a package.
bool IsBinaryStage(absl::string_view bytes);

// Returns the text of a stage with everything that it refers to, from `usdcat --flatten`, or else
// from a python3 that has usd-core. UNIMPLEMENTED, with advice, if there is neither;
// INVALID_ARGUMENT if they cannot read it; RESOURCE_EXHAUSTED over `most` bytes; DEADLINE_EXCEEDED
// after kMostUsdcat_s; CANCELLED soon after `stopped` returns true. Waits for the program to end,
// and kills it in the last three cases. The program opens the files that the stage refers to by
// itself.
inline constexpr double kMostUsdcat_s = 60;
absl::StatusOr<std::string> ReadBinaryStage(
    const std::string& path, size_t most,
    const std::function<bool()>& stopped = [] { return false; }, double most_s = kMostUsdcat_s);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_USDCAT_H_
