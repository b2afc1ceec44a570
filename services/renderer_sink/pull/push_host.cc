#include "services/renderer_sink/pull/push_host.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::renderer_sink {

absl::Status PushHost::Start(std::shared_ptr<const stream::Authorizer> authorizer) {
  if (settings_.grpc.listen.empty()) return absl::OkStatus();
  service::StreamServiceParts parts;
  parts.pushes = pushes_;
  parts.log = log_;
  parts.limits.message_bytes = static_cast<size_t>(settings_.grpc.max_message_bytes);
  parts.elsewhere = pushes_
                        ? "renderer_sink accepts only pushes; pull from anim_graph or a2f_source"
                        : absl::StrCat("this renderer_sink pulls from ", settings_.from,
                                       ", and accepts pushes only with --from none; to pull, call "
                                       "anim_graph or a2f_source");
  parts.authorizer = std::move(authorizer);
  service_.emplace(std::move(parts));
  auto host = service::GrpcHost::Start(settings_.grpc, {service_->service()}, log_);
  if (!host.ok()) return host.status();
  host_ = *std::move(host);
  if (pushes_ != nullptr) log_.Info("waits for pushes");
  return absl::OkStatus();
}

void PushHost::Close(bool enough) {
  if (host_ == nullptr || pushes_ == nullptr) return;
  stream::PushAnswer answer{absl::OkStatus(),
                            {wire::StatusChunk::kInfo, "the sink has all that it wants"}};
  if (!enough) answer.status = absl::UnavailableError("the sink is shutting down; connect again");
  // At once, because pushes accepted from now on would be lost.
  pushes_->Close(answer);
  host_->Drain([](double) {});
}

}  // namespace posewire::renderer_sink
