#include "libs/diagram/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace posewire::diagram {

absl::Status WriteWhole(const std::string& path, const std::string& bytes) {
  const std::string part = path + ".part";
  const auto failed = [&](absl::string_view what) {
    const std::string why = std::strerror(errno);
    std::remove(part.c_str());
    return absl::UnavailableError(absl::StrCat("picture \"", path, "\": ", what, ": ", why));
  };
  {
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    if (!out) return failed("cannot be created");
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.flush();
    if (!out) return failed("cannot be written");
  }
  if (std::rename(part.c_str(), path.c_str()) != 0) return failed("cannot be replaced");
  return absl::OkStatus();
}

}  // namespace posewire::diagram
