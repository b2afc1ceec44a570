#include "services/a2f_source/grpc/activity_tempo.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "absl/strings/numbers.h"
#include "libs/client/call_metadata.h"
#include "libs/client/channel.h"
#include "posewire.control.v1.grpc.pb.h"

namespace posewire::a2f_source {
namespace {

namespace cv1 = posewire::control::v1;

constexpr std::chrono::milliseconds kTempoTimeout{1000};
constexpr double kTempoPerActivity = 0.3;
constexpr double kSlowest = 0.5, kFastest = 2;

}  // namespace

struct ActivityTempo::Impl {
  std::unique_ptr<cv1::ControlService::Stub> stub;
};

ActivityTempo::ActivityTempo(const client::ConnectionOptions& options)
    : impl_(std::make_unique<Impl>(
          Impl{cv1::ControlService::NewStub(client::MakeCallChannel(options))})) {}

ActivityTempo::~ActivityTempo() = default;

double ActivityTempo::Of(const std::string& stream_id, const std::string& target_id,
                         double speed) const {
  cv1::ListVariablesRequest request;
  request.set_stream_id(stream_id);
  request.set_target_object_id(target_id);
  cv1::ListVariablesResponse response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kTempoTimeout);
  client::Metadata metadata;
  client::AddStreamId(stream_id, metadata);
  for (const auto& [key, value] : metadata) context.AddMetadata(key, value);
  if (!impl_->stub->ListVariables(&context, request, &response).ok()) return speed;
  for (const cv1::VariableInfo& variable : response.variables()) {
    double value = 0, usual = 0;
    if (variable.name() != "activity" || variable.type() != "number") continue;
    if (!absl::SimpleAtod(variable.value(), &value)) break;
    if (!absl::SimpleAtod(variable.default_value(), &usual)) break;
    const double tempo = 1 + kTempoPerActivity * (value - usual);
    if (std::isfinite(tempo)) return std::clamp(speed * tempo, kSlowest, kFastest);
  }
  return speed;
}

}  // namespace posewire::a2f_source
