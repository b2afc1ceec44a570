#include "services/anim_graph/runtime/admission.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

namespace posewire::anim_graph {

void Admit(const CallParts& parts, const stream::Caller& caller, absl::string_view stream_id,
           stream::Permission permission, absl::AnyInvocable<void(absl::StatusOr<Admitted>)> done) {
  auto name = parts.authorizer->Check(caller, stream_id, permission);
  if (!name.ok()) return done(name.status());
  const bool may_relay = parts.peers != nullptr && !caller.relayed;
  parts.directory->Locate(
      stream_id, [id = std::string(stream_id), name = *std::move(name), may_relay,
                  done = std::move(done)](const absl::StatusOr<Location>& location) mutable {
        if (!location.ok()) return done(location.status());
        const auto* at = std::get_if<At>(&*location);
        if (at != nullptr && !may_relay) {
          return done(absl::UnavailableError(
              absl::StrCat("stream_id \"", id, "\" is served by ", at->address)));
        }
        done(Admitted{std::move(name), at == nullptr ? "" : at->address});
      });
}

}  // namespace posewire::anim_graph
