#include "libs/character/read_character.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/bind.h"
#include "libs/character/builtin.h"
#include "libs/character/extras.h"
#include "libs/character/gltf_reader.h"

namespace posewire::character {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path, uint64_t most) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat(path, ": there is no such file"));
  }
  if (!std::filesystem::is_regular_file(path, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is no file"));
  }
  if (const auto size = std::filesystem::file_size(path, error); !error && size > most) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": has ", size, " bytes, and at most ", most, " are read"));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::PermissionDeniedError(absl::StrCat(path, ": ", std::strerror(errno)));
  }
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) return absl::UnavailableError(absl::StrCat(path, ": cannot be read"));
  return bytes;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Character>> ReadCharacter(absl::string_view bytes,
                                                               const std::string& name,
                                                               const skel::RigCatalog& rigs,
                                                               const Limits& limits,
                                                               const ReadBeside& beside) {
  const auto read = [&]() -> absl::StatusOr<std::shared_ptr<const Character>> {
    auto document = GltfDocument::Parse(bytes, limits, beside);
    if (!document.ok()) return document.status();
    auto out = std::make_shared<Character>();
    out->name = name;
    std::vector<MeshOrigin> origins;
    const std::vector<Inbetween> inbetweens = ReadInbetweens(**document);
    if (absl::Status s = ReadScene(**document, limits, inbetweens, *out, origins); !s.ok())
      return s;
    if (absl::Status s = Bind(**document, rigs, origins, *out); !s.ok()) return s;
    if (absl::Status s = ReadExtras(**document, *out); !s.ok()) return s;
    if (absl::Status s = Frame(*out); !s.ok()) return s;
    return out;
  };
  auto out = read();
  if (out.ok()) return out;
  return absl::Status(out.status().code(), absl::StrCat(name, ": ", out.status().message()));
}

absl::StatusOr<std::shared_ptr<const Character>> OpenCharacter(const std::string& which,
                                                               const skel::RigCatalog& rigs) {
  const bool builtin = which.empty() || which == "woman" || which == "man";
  if (builtin) {
    const std::string name = which.empty() ? "woman" : which;
    const absl::string_view bytes = BuiltinFile(name);
    if (bytes.empty()) return PlainFigure(rigs);
    return ReadCharacter(bytes, name, rigs);
  }
  const Limits limits;
  absl::StatusOr<std::string> bytes = ReadFile(which, limits.bytes);
  if (!bytes.ok()) return bytes.status();
  const std::filesystem::path folder = std::filesystem::path(which).parent_path();
  return ReadCharacter(*bytes, which, rigs, limits, [&](const std::string& file) {
    return ReadFile((folder / file).string(), limits.bytes);
  });
}

}  // namespace posewire::character
