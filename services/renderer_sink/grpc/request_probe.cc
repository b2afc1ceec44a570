#include "services/renderer_sink/grpc/request_probe.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "libs/client/call_metadata.h"
#include "libs/client/channel.h"
#include "posewire.control.v1.grpc.pb.h"

namespace posewire::renderer_sink {
namespace {

namespace cv1 = posewire::control::v1;

constexpr std::chrono::seconds kTimeout{1};

}  // namespace

bool IsPlaying(const cv1::ListStreamsResponse& streams, const wire::StreamIds& ids) {
  const auto stream = std::find_if(streams.streams().begin(), streams.streams().end(),
                                   [&](const auto& s) { return s.stream_id() == ids.stream_id; });
  if (stream == streams.streams().end()) return false;
  const std::string& target = ids.target_object_id;
  const auto avatar =
      std::find_if(stream->avatars().begin(), stream->avatars().end(),
                   [&](const auto& a) { return target.empty() || a.target_object_id() == target; });
  if (avatar == stream->avatars().end()) return false;
  return std::any_of(avatar->requests().begin(), avatar->requests().end(), [](const auto& r) {
    return r.state() != "queued" && r.state() != "prebuffering";
  });
}

std::vector<AvatarThere> AvatarsOf(const cv1::ListStreamsResponse& streams,
                                   const std::string& stream_id) {
  std::vector<AvatarThere> out;
  for (const auto& stream : streams.streams()) {
    if (stream.stream_id() != stream_id) continue;
    for (const auto& avatar : stream.avatars()) {
      out.push_back({avatar.target_object_id(),
                     {static_cast<float>(avatar.x_m()), static_cast<float>(avatar.z_m()),
                      static_cast<float>(avatar.turn_deg())}});
    }
  }
  return out;
}

struct RequestProbe::Impl {
  std::unique_ptr<cv1::ControlService::Stub> stub;
};

RequestProbe::RequestProbe(const client::ConnectionOptions& connection)
    : impl_(std::make_unique<Impl>()) {
  impl_->stub = cv1::ControlService::NewStub(client::MakeCallChannel(connection));
}

RequestProbe::~RequestProbe() = default;

absl::StatusOr<bool> RequestProbe::Playing(const wire::StreamIds& ids) {
  const auto streams = List(ids.stream_id);
  if (streams.ok()) return IsPlaying(*streams, ids);
  return absl::Status(streams.status().code(),
                      absl::StrCat("posewire.control.v1.ControlService/ListStreams, which says "
                                   "when a request is over: ",
                                   streams.status().message()));
}

absl::StatusOr<std::vector<AvatarThere>> RequestProbe::Avatars(const std::string& stream_id) {
  const auto streams = List(stream_id);
  if (streams.ok()) return AvatarsOf(*streams, stream_id);
  return absl::Status(streams.status().code(),
                      absl::StrCat("posewire.control.v1.ControlService/ListStreams, which says "
                                   "which avatars a stream has: ",
                                   streams.status().message()));
}

absl::StatusOr<cv1::ListStreamsResponse> RequestProbe::List(const std::string& stream_id) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kTimeout);
  // Behind a proxy, the node that has the stream must answer.
  client::Metadata metadata;
  client::AddStreamId(stream_id, metadata);
  for (const auto& [key, value] : metadata) context.AddMetadata(key, value);
  cv1::ListStreamsResponse streams;
  const grpc::Status status =
      impl_->stub->ListStreams(&context, cv1::ListStreamsRequest(), &streams);
  if (status.ok()) return streams;
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace posewire::renderer_sink
