#include "libs/service/stream/stream_bytes.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "libs/rpc/message_bytes.h"
#include "libs/service/access/token_table.h"
#include "libs/wire/pull_ids.h"
#include "nvidia_ace.status.v1.pb.h"

namespace posewire::service {

stream::MetadataLookup LookupIn(const grpc::ServerContextBase& context) {
  return [&context](absl::string_view key) -> std::optional<std::string> {
    const auto& all = context.client_metadata();
    const auto it = all.find(grpc::string_ref(key.data(), key.size()));
    if (it == all.end()) return std::nullopt;
    return std::string(it->second.data(), it->second.size());
  };
}

stream::Caller CallerOf(const grpc::ServerContextBase& context) {
  return CallerOf(context.peer(), LookupIn(context)("authorization").value_or(""));
}

grpc::ByteBuffer Wrap(const wire::EncodedFrame& frame, bool without_pose) {
  std::array<grpc::Slice, 3> slices;
  size_t n = 0;
  for (const auto& part : without_pose ? frame.WithoutPose() : frame.Whole()) {
    if (!part.empty()) slices[n++] = rpc::Wrap(part.data(), part.size(), frame.owner());
  }
  return grpc::ByteBuffer(slices.data(), n);
}

grpc::ByteBuffer SerializeStatus(const wire::StatusChunk& status) {
  nvidia_ace::status::v1::Status message;
  message.set_code(static_cast<nvidia_ace::status::v1::Status::Code>(status.code));
  message.set_message(status.message);
  const grpc::Slice slice(message.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

absl::StatusOr<wire::StreamIds> ParsePullIds(const grpc::ByteBuffer& request) {
  std::vector<grpc::Slice> slices;
  if (!request.Valid() || !request.Dump(&slices).ok()) {
    return absl::InvalidArgumentError("the request could not be read");
  }
  std::vector<uint8_t> bytes;
  for (const auto& s : slices) bytes.insert(bytes.end(), s.begin(), s.end());
  return wire::ParsePullIds(bytes);
}

}  // namespace posewire::service
