#include "services/a2f_source/grpc/source_service.h"

#include <grpcpp/grpcpp.h>

#include <string>
#include <vector>

#include "libs/rpc/grpc_status.h"
#include "libs/service/access/token_file.h"
#include "libs/service/stream/stream_bytes.h"
#include "libs/stream/trace.h"

namespace posewire::a2f_source {
namespace {

grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context, const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(rpc::ToGrpc(status));
  return reactor;
}

const std::string& Or(const std::string& id, const std::string& own) {
  return id.empty() ? own : id;
}

using stream::Permission;

}  // namespace

absl::Status SourceService::Admit(const grpc::CallbackServerContext& context,
                                  absl::string_view call, absl::string_view stream_id,
                                  Permission permission) const {
  const stream::Caller caller = service::CallerOf(context);
  const auto name = authorizer_->Check(caller, stream_id, permission);
  if (!name.ok()) {
    log_.Warning("call refused",
                 {{"call", call}, {"why", name.status().message()}, {"peer", caller.peer}});
    return name.status();
  }
  if (permission == Permission::kControl)
    service::LogAdmitted(log_, call, *name, stream_id, caller.peer);
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* SourceService::Say(grpc::CallbackServerContext* context,
                                             const sv1::SayRequest* request,
                                             sv1::SayResponse* response) {
  SayText text{{request->stream_id(), request->request_id(), request->target_object_id(), ""},
               request->text(),
               request->voice(),
               request->speed(),
               request->policy(),
               stream::TraceparentOf(service::LookupIn(*context)),
               request->language()};
  std::vector<std::string> notes;
  if (absl::Status s = CompleteSayText(defaults_, text, notes); !s.ok()) return Finish(context, s);
  if (absl::Status s = Admit(*context, "Say", text.ids.stream_id, Permission::kControl); !s.ok()) {
    return Finish(context, s);
  }
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
  const std::string stream_id = Or(request->stream_id(), own.stream_id);
  if (absl::Status s = Admit(*context, "Stop", stream_id, Permission::kControl); !s.ok()) {
    return Finish(context, s);
  }
  const int texts = speaker_->Stop(stream_id, Or(request->target_object_id(), own.target_id),
                                   request->request_id());
  response->set_texts(static_cast<uint32_t>(texts));
  return Finish(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* SourceService::ListTexts(grpc::CallbackServerContext* context,
                                                   const sv1::ListTextsRequest* request,
                                                   sv1::ListTextsResponse* response) {
  const RunIds& own = defaults_.text.ids;
  const std::string stream_id = Or(request->stream_id(), own.stream_id);
  if (absl::Status s = Admit(*context, "ListTexts", stream_id, Permission::kWatch); !s.ok()) {
    return Finish(context, s);
  }
  for (const Speaker::Entry& entry :
       speaker_->List(stream_id, Or(request->target_object_id(), own.target_id))) {
    sv1::ListTextsResponse::Text& text = *response->add_texts();
    text.set_request_id(entry.request_id);
    text.set_text(entry.text);
    text.set_speaking(entry.speaking);
  }
  return Finish(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* SourceService::ListVoices(grpc::CallbackServerContext* context,
                                                    const sv1::ListVoicesRequest*,
                                                    sv1::ListVoicesResponse* response) {
  if (absl::Status s = Admit(*context, "ListVoices", "", Permission::kWatch); !s.ok()) {
    return Finish(context, s);
  }
  response->set_max_text_bytes(static_cast<uint32_t>(defaults_.max_text_bytes));
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  voices_->ListSoon([reactor, response](const VoiceCatalog::Listing& listing) {
    for (const speech::VoiceInfo& voice : listing.voices) {
      response->add_voices(voice.name);
      sv1::ListVoicesResponse::Voice& details = *response->add_details();
      details.set_name(voice.name);
      details.set_description(voice.description);
      details.set_sex(voice.sex);
      for (const std::string& language : voice.languages) details.add_languages(language);
      details.set_marks(voice.marks);
      details.set_engine(voice.engine);
    }
    response->set_default_voice(listing.default_voice);
    if (!listing.server.ok()) response->add_notes(std::string(listing.server.message()));
    reactor->Finish(grpc::Status::OK);
  });
  return reactor;
}

}  // namespace posewire::a2f_source
