#include "services/a2f_source/grpc/source_service.h"

#include <grpcpp/grpcpp.h>

#include <string>
#include <vector>

#include "libs/rpc/grpc_status.h"
#include "libs/speech/flite_voice.h"

namespace posewire::a2f_source {
namespace {

grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context, const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(rpc::ToGrpc(status));
  return reactor;
}

}  // namespace

grpc::ServerUnaryReactor* SourceService::Say(grpc::CallbackServerContext* context,
                                             const sv1::SayRequest* request,
                                             sv1::SayResponse* response) {
  SayText text{{request->stream_id(), request->request_id(), request->target_object_id(), ""},
               request->text(),
               request->voice(),
               request->speed(),
               request->policy()};
  std::vector<std::string> notes;
  if (absl::Status s = CompleteSayText(defaults_, text, notes); !s.ok()) return Finish(context, s);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  speaker_->Say(std::move(text), std::move(notes),
                [reactor, response](const absl::StatusOr<Said>& said) {
                  if (!said.ok()) return reactor->Finish(rpc::ToGrpc(said.status()));
                  response->set_request_id(said->request_id);
                  response->set_duration_s(said->duration_s);
                  response->set_ahead(static_cast<uint32_t>(said->ahead));
                  for (const std::string& note : said->notes) response->add_notes(note);
                  reactor->Finish(grpc::Status::OK);
                });
  return reactor;
}

grpc::ServerUnaryReactor* SourceService::Stop(grpc::CallbackServerContext* context,
                                              const sv1::StopRequest* request,
                                              sv1::StopResponse* response) {
  const RunIds& own = defaults_.text.ids;
  const auto or_own = [](const std::string& id, const std::string& other) {
    return id.empty() ? other : id;
  };
  const int texts =
      speaker_->Stop(or_own(request->stream_id(), own.stream_id),
                     or_own(request->target_object_id(), own.target_id), request->request_id());
  response->set_texts(static_cast<uint32_t>(texts));
  return Finish(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* SourceService::ListVoices(grpc::CallbackServerContext* context,
                                                    const sv1::ListVoicesRequest*,
                                                    sv1::ListVoicesResponse* response) {
  for (const std::string& voice : speech::FliteVoices()) response->add_voices(voice);
  response->set_default_voice(defaults_.text.voice);
  response->set_max_text_bytes(static_cast<uint32_t>(defaults_.max_text_bytes));
  return Finish(context, absl::OkStatus());
}

}  // namespace posewire::a2f_source
