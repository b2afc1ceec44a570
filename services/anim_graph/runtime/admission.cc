#include "services/anim_graph/runtime/admission.h"

#include <variant>

#include "absl/strings/str_cat.h"

namespace posewire::anim_graph {

absl::Status Admit(const CallParts& parts, const CallContext& context, Verb verb) {
  if (absl::Status s = parts.authorizer->Check(context, verb); !s.ok()) return s;
  const Location location = parts.directory->Locate(context.ids.stream_id);
  if (const auto* at = std::get_if<At>(&location)) {
    return absl::UnavailableError(absl::StrCat("this stream lives at ", at->address));
  }
  if (std::holds_alternative<Nowhere>(location)) {
    return absl::NotFoundError(
        absl::StrCat("no server has stream_id \"", context.ids.stream_id, "\""));
  }
  return absl::OkStatus();
}

}  // namespace posewire::anim_graph
