#include "services/a2f_source/core/vmc_characters.h"

#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/wire/appearance.h"

namespace posewire::a2f_source {

absl::StatusOr<VmcCharacters> VmcCharacters::Parse(const std::vector<std::string>& lines) {
  VmcCharacters out;
  for (const std::string& line : lines) {
    const size_t equals = line.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "model \"", line, "\" is not of the form TITLE=CHARACTER or SERVICE:TEXT=CHARACTER"));
    }
    std::string character = line.substr(equals + 1);
    if (absl::Status s = wire::CheckCharacter(character); !s.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("model \"", line, "\": ", s.message()));
    }
    out.characters_.emplace_back(line.substr(0, equals), std::move(character));
  }
  return out;
}

void VmcCharacters::Take(const vmc::Message& message) {
  const auto* vrm = std::get_if<vmc::VrmFile>(&message);
  const auto* remote = std::get_if<vmc::RemoteAvatar>(&message);
  if (vrm == nullptr && remote == nullptr) return;
  for (const auto& [model, character] : characters_) {
    bool is = vrm != nullptr && vrm->title == model;
    const size_t colon = model.find(':');
    if (remote != nullptr && colon != std::string::npos) {
      is = remote->service == absl::string_view(model).substr(0, colon) &&
           absl::StrContains(remote->json, absl::StrCat("\"", model.substr(colon + 1), "\""));
    }
    if (!is) continue;
    chosen_ = character;
    return;
  }
}

}  // namespace posewire::a2f_source
