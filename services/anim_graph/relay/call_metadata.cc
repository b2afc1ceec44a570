#include "services/anim_graph/relay/call_metadata.h"

#include <grpc/grpc.h>
#include <grpc/slice.h>

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace posewire::anim_graph {
namespace {

bool IsOfOneHop(absl::string_view key) {
  constexpr std::array<absl::string_view, 12> kKeys = {"accept-encoding",
                                                       "connection",
                                                       "content-length",
                                                       "content-type",
                                                       "date",
                                                       "host",
                                                       "keep-alive",
                                                       "server",
                                                       "te",
                                                       "trailer",
                                                       "transfer-encoding",
                                                       "user-agent"};
  if (key == "grpc-retry-pushback-ms") return false;
  return key == kRelayedKey || absl::StartsWith(key, "grpc-") ||
         std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

bool MaySend(grpc::string_ref key, grpc::string_ref value) {
  const grpc_slice k = grpc_slice_from_static_buffer(key.data(), key.size());
  const grpc_slice v = grpc_slice_from_static_buffer(value.data(), value.size());
  return grpc_header_key_is_legal(k) != 0 &&
         (grpc_is_binary_header(k) != 0 || grpc_header_nonbin_value_is_legal(v) != 0);
}

}  // namespace

void PassOn(const std::multimap<grpc::string_ref, grpc::string_ref>& metadata,
            absl::FunctionRef<void(const std::string&, const std::string&)> add) {
  for (const auto& [key, value] : metadata) {
    if (IsOfOneHop({key.data(), key.size()}) || !MaySend(key, value)) continue;
    add({key.data(), key.size()}, {value.data(), value.size()});
  }
}

}  // namespace posewire::anim_graph
