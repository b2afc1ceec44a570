#include "services/anim_graph/runtime/admission.h"

#include <variant>

#include "absl/strings/str_cat.h"

namespace posewire::anim_graph {

absl::StatusOr<std::string> Admit(const CallParts& parts, const stream::Caller& caller,
                                  absl::string_view stream_id, stream::Permission permission) {
  auto name = parts.authorizer->Check(caller, stream_id, permission);
  if (!name.ok()) return name;
  const Location location = parts.directory->Locate(stream_id);
  if (const auto* at = std::get_if<At>(&location)) {
    return absl::UnavailableError(absl::StrCat("this stream lives at ", at->address));
  }
  if (std::holds_alternative<Nowhere>(location)) {
    return absl::NotFoundError(absl::StrCat("no server has stream_id \"", stream_id, "\""));
  }
  return name;
}

}  // namespace posewire::anim_graph
