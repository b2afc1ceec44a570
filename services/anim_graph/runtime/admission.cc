#include "services/anim_graph/runtime/admission.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

namespace posewire::anim_graph {

void Admit(const CallParts& parts, const stream::Caller& caller, absl::string_view stream_id,
           stream::Permission permission,
           absl::AnyInvocable<void(absl::StatusOr<std::string> name)> done) {
  auto name = parts.authorizer->Check(caller, stream_id, permission);
  if (!name.ok()) return done(std::move(name));
  parts.directory->Locate(
      stream_id, [id = std::string(stream_id), name = *std::move(name),
                  done = std::move(done)](const absl::StatusOr<Location>& location) mutable {
        if (!location.ok()) return done(location.status());
        if (const auto* at = std::get_if<At>(&*location)) {
          return done(absl::UnavailableError(
              absl::StrCat("stream_id \"", id, "\" is served by ", at->address)));
        }
        done(std::move(name));
      });
}

}  // namespace posewire::anim_graph
