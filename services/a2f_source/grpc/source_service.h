// posewire.source.v1 over gRPC.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SOURCE_SERVICE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SOURCE_SERVICE_H_

#include <memory>
#include <utility>

#include "libs/service/logger.h"
#include "libs/stream/access.h"
#include "posewire.source.v1.grpc.pb.h"
#include "services/a2f_source/serve/say_text.h"
#include "services/a2f_source/serve/speaker.h"
#include "services/a2f_source/voices/voice_catalog.h"

namespace posewire::a2f_source {

namespace sv1 = posewire::source::v1;

class SourceService : public sv1::SourceService::CallbackService {
 public:
  // `speaker` and `voices` outlive this, and the speaker is closed before the server is shut down.
  SourceService(Speaker* speaker, VoiceCatalog* voices, SayDefaults defaults,
                std::shared_ptr<const stream::Authorizer> authorizer, service::Logger log)
      : speaker_(speaker),
        voices_(voices),
        defaults_(std::move(defaults)),
        authorizer_(std::move(authorizer)),
        log_(std::move(log)) {}

  grpc::ServerUnaryReactor* Say(grpc::CallbackServerContext* context,
                                const sv1::SayRequest* request,
                                sv1::SayResponse* response) override;
  grpc::ServerUnaryReactor* Stop(grpc::CallbackServerContext* context,
                                 const sv1::StopRequest* request,
                                 sv1::StopResponse* response) override;
  grpc::ServerUnaryReactor* ListTexts(grpc::CallbackServerContext* context,
                                      const sv1::ListTextsRequest* request,
                                      sv1::ListTextsResponse* response) override;
  grpc::ServerUnaryReactor* ListVoices(grpc::CallbackServerContext* context,
                                       const sv1::ListVoicesRequest* request,
                                       sv1::ListVoicesResponse* response) override;

 private:
  absl::Status Admit(const grpc::CallbackServerContext& context, absl::string_view call,
                     absl::string_view stream_id, stream::Verb verb) const;

  Speaker* const speaker_;
  VoiceCatalog* const voices_;
  const SayDefaults defaults_;
  const std::shared_ptr<const stream::Authorizer> authorizer_;
  const service::Logger log_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SOURCE_SERVICE_H_
