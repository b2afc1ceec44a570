#include "libs/client/place_avatars.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "grpcpp/client_context.h"
#include "libs/client/channel.h"
#include "libs/rpc/grpc_status.h"
#include "posewire.control.v1.grpc.pb.h"

namespace posewire::client {
namespace {

namespace cv1 = posewire::control::v1;

constexpr double kPoll_s = 0.02;
constexpr std::chrono::seconds kCall{2};

}  // namespace

absl::Status PlaceAvatars(const ConnectionOptions& connection, const std::string& stream_id,
                          const std::vector<AvatarOnGround>& avatars, double give_up_s,
                          const std::function<bool(double seconds)>& wait) {
  const auto stub = cv1::ControlService::NewStub(MakeChannel(connection));
  const double end_s = SteadySeconds() + give_up_s;
  absl::Status failure;
  const auto fail = [&](const AvatarOnGround& avatar, const absl::Status& status) {
    if (!failure.ok()) {
      failure = absl::Status(failure.code(), absl::StrCat(failure.message(), "; ", avatar.target,
                                                          ": ", status.message()));
    } else {
      failure = absl::Status(status.code(), absl::StrCat(avatar.target, ": ", status.message()));
    }
  };
  std::vector<AvatarOnGround> left = avatars;
  while (true) {
    const bool last = SteadySeconds() >= end_s;
    std::vector<AvatarOnGround> later;
    for (const AvatarOnGround& avatar : left) {
      cv1::PlaceAvatarRequest request;
      request.set_stream_id(stream_id);
      request.set_target_object_id(avatar.target);
      request.set_x_m(avatar.x_m);
      request.set_z_m(avatar.z_m);
      request.set_turn_deg(avatar.turn_deg);
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + kCall);
      cv1::PlaceAvatarResponse response;
      const absl::Status status = rpc::FromGrpc(stub->PlaceAvatar(&context, request, &response));
      if (status.ok()) continue;
      const bool passes = absl::IsNotFound(status) || absl::IsUnavailable(status) ||
                          absl::IsDeadlineExceeded(status);
      if (passes && !last) {
        later.push_back(avatar);
      } else {
        fail(avatar, status);
      }
    }
    left = std::move(later);
    if (left.empty()) return failure;
    if (!wait(kPoll_s)) return absl::CancelledError("told to stop");
  }
}

}  // namespace posewire::client
