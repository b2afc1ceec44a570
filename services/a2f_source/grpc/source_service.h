// Serves posewire.source.v1 over gRPC.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SOURCE_SERVICE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SOURCE_SERVICE_H_

#include <memory>
#include <utility>

#include "libs/service/logger.h"
#include "libs/stream/access.h"
#include "posewire.source.v1.grpc.pb.h"
#include "services/a2f_source/grpc/say_streams.h"
#include "services/a2f_source/speaker/say_text.h"
#include "services/a2f_source/speaker/speaker.h"
#include "services/a2f_source/voices/voice_catalog.h"

namespace posewire::a2f_source {

namespace sv1 = posewire::source::v1;

// Raw, because SayStreams reads and writes the messages of SayStream.
using SourceServiceBase = sv1::SourceService::WithRawCallbackMethod_SayStream<
    sv1::SourceService::WithCallbackMethod_Say<sv1::SourceService::WithCallbackMethod_Stop<
        sv1::SourceService::WithCallbackMethod_ListTexts<
            sv1::SourceService::WithCallbackMethod_ListVoices<sv1::SourceService::Service>>>>>;

class SourceService : public SourceServiceBase {
 public:
  // `speaker` and `voices` must outlive this. Close the speaker before this, and both before the
  // server is shut down.
  SourceService(Speaker* speaker, VoiceCatalog* voices, SayDefaults defaults,
                const SayStreamOptions& streams,
                std::shared_ptr<const stream::Authorizer> authorizer, service::Logger log)
      : speaker_(speaker),
        voices_(voices),
        defaults_(std::move(defaults)),
        authorizer_(std::move(authorizer)),
        log_(std::move(log)),
        streams_(speaker, &defaults_, streams,
                 [this](const grpc::CallbackServerContext& context, const std::string& stream_id) {
                   return Admit(context, "SayStream", stream_id, stream::Permission::kControl);
                 }) {}

  // Ends the calls of SayStream. The speaker must have stopped all texts before.
  void Close(double budget_s) { streams_.Close(budget_s); }

  grpc::ServerUnaryReactor* Say(grpc::CallbackServerContext* context,
                                const sv1::SayRequest* request,
                                sv1::SayResponse* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* SayStream(
      grpc::CallbackServerContext* context) override {
    return streams_.Start(context);
  }
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
                     absl::string_view stream_id, stream::Permission permission) const;

  Speaker* const speaker_;
  VoiceCatalog* const voices_;
  const SayDefaults defaults_;
  const std::shared_ptr<const stream::Authorizer> authorizer_;
  const service::Logger log_;
  SayStreams streams_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SOURCE_SERVICE_H_
