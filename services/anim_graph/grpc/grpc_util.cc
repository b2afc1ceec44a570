#include "services/anim_graph/grpc/grpc_util.h"

#include <memory>
#include <string>
#include <vector>

#include "libs/wire/frame_reader.h"
#include "nvidia_ace.animation_id.v1.pb.h"
#include "nvidia_ace.status.v1.pb.h"

namespace posewire::anim_graph {
bool IsFaultOfData(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status) ||
         absl::IsOutOfRange(status);
}

MetadataLookup LookupIn(const grpc::ServerContextBase& context) {
  return [&context](absl::string_view key) -> std::optional<std::string> {
    const auto& all = context.client_metadata();
    const auto it = all.find(grpc::string_ref(key.data(), key.size()));
    if (it == all.end()) return std::nullopt;
    return std::string(it->second.data(), it->second.size());
  };
}

grpc::ByteBuffer Wrap(const wire::EncodedFrame& frame, bool without_pose) {
  using Owner = std::shared_ptr<const void>;
  std::array<grpc::Slice, 3> slices;
  size_t n = 0;
  for (const auto& part : without_pose ? frame.WithoutPose() : frame.Whole()) {
    if (part.empty()) continue;
    auto* owner = new Owner(frame.owner());
    slices[n++] = grpc::Slice(
        const_cast<uint8_t*>(part.data()), part.size(),
        [](void* p) { delete static_cast<Owner*>(p); }, owner);
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
  std::string bytes;
  for (const auto& s : slices) bytes.append(reinterpret_cast<const char*>(s.begin()), s.size());
  nvidia_ace::animation_id::v1::AnimationIds message;
  if (!message.ParseFromString(bytes)) {
    return absl::InvalidArgumentError(
        "the request is no AnimationIds message, or one of its ids is not UTF-8");
  }
  wire::StreamIds ids{message.request_id(), message.stream_id(), message.target_object_id()};
  if (absl::Status s = wire::CheckId("stream_id", ids.stream_id); !s.ok()) return s;
  if (!ids.request_id.empty()) {
    if (absl::Status s = wire::CheckId("request_id", ids.request_id); !s.ok()) return s;
  }
  if (!ids.target_object_id.empty()) {
    if (absl::Status s = wire::CheckId("target_object_id", ids.target_object_id); !s.ok()) return s;
  }
  return ids;
}

}  // namespace posewire::anim_graph
