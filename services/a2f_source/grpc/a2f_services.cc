#include "services/a2f_source/grpc/a2f_services.h"

#include <grpcpp/grpcpp.h>

#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/client/uuid.h"
#include "libs/service/access/token_file.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/stream/stream_bytes.h"
#include "libs/service/traced_log.h"
#include "libs/stream/trace.h"
#include "nvidia_ace.services.a2f.v1.grpc.pb.h"
#include "nvidia_ace.services.a2f_controller.v1.grpc.pb.h"
#include "services/a2f_source/grpc/answering_sink.h"
#include "services/a2f_source/grpc/call_reader.h"
#include "services/a2f_source/grpc/open_requests.h"
#include "services/a2f_source/grpc/waiting_call.h"
#include "services/a2f_source/speaker/utterance.h"

namespace posewire::a2f_source {
namespace {

namespace a2f = nvidia_ace::a2f::v1;
namespace ctl = nvidia_ace::controller::v1;
namespace a2fs = nvidia_ace::services::a2f::v1;
namespace ctls = nvidia_ace::services::a2f_controller::v1;

// A clock that ends with the call.
template <typename Call>
class CallClock : public Clock {
 public:
  explicit CallClock(Call* call) : call_(call) {}
  double Now() override { return client::SteadySeconds(); }
  bool SleepUntil(double time_s) override { return call_->Sleep(time_s - Now()); }

 private:
  Call* const call_;
};

// A stopped run returns only CANCELLED. Its call knows the reason.
template <typename Call>
absl::Status OutcomeOf(const Call& call, const absl::Status& status) {
  const absl::Status why = call.why();
  return absl::IsCancelled(status) && !why.ok() ? why : status;
}

RunIds IdsOf(const RunIds& own, const wire::StreamIds& given) {
  const auto or_own = [](const std::string& id, const std::string& other) {
    return id.empty() ? other : id;
  };
  return {or_own(given.stream_id, own.stream_id), or_own(given.request_id, client::MakeUuid()),
          or_own(given.target_object_id, own.target_id), own.source_id, own.appearance};
}

// Sending a voice requires permission to push. Without a stream: to any stream.
absl::Status Admit(const A2fParts& parts, const grpc::CallbackServerContext& context,
                   absl::string_view stream_id) {
  const stream::Caller caller = service::CallerOf(context);
  const auto name = parts.authorizer->Check(caller, stream_id, stream::Permission::kPush);
  if (!name.ok()) return name.status();
  service::LogAdmitted(parts.log, "voice", *name, stream_id, caller.peer);
  return absl::OkStatus();
}

absl::Status Process(const A2fOptions& options, const A2fParts& parts, const std::string& peer,
                     WritingCall& call) {
  CallReader<ctl::AudioStream, WritingCall> reader(&call, options.idle_s);
  auto source = AceSource::Open(&reader, parts.network, options.source);
  if (!source.ok()) return source.status();
  AnsweringSink sink(&call, source->get(), options.idle_s);
  CallClock clock(&call);
  const Pacer at_once(std::numeric_limits<double>::infinity(), 0);
  const auto result = Run(**source, sink, at_once, clock, {}, client::UnixSeconds(), {});
  if (!result.ok()) return result.status();
  parts.log.Info("face returned", {{"peer", peer}, {"made", (*source)->Answer().message}});
  return absl::OkStatus();
}

absl::StatusOr<wire::StatusChunk> Push(const A2fOptions& options, const A2fParts& parts,
                                       OpenRequests& requests, WaitingPush& call,
                                       const std::shared_ptr<Utterance>& utterance) {
  CallReader<a2f::AudioStream, WaitingPush> reader(&call, options.idle_s);
  AceSourceOptions with_head = options.source;
  with_head.head = options.head;
  auto source = AceSource::Open(&reader, parts.network, with_head);
  if (!source.ok()) return source.status();
  const RunIds ids = IdsOf(options.ids, (*source)->ids());
  absl::Status admitted =
      stream::CheckStreamIdMetadata(service::LookupIn(*call.context()), ids.stream_id);
  if (admitted.ok()) admitted = Admit(parts, *call.context(), ids.stream_id);
  if (!admitted.ok()) return admitted;
  const auto claim = requests.Open(ids);
  if (!claim.ok()) return claim.status();
  const std::string trace = stream::TraceparentOf(service::LookupIn(*call.context()));
  const SpeakerOutput output = parts.make_output(
      trace, [utterance, first_contact_s = options.first_contact_s](const auto& event) {
        utterance->OnConnection(event, first_contact_s);
      });
  utterance->SetCancel(output.cancel);
  CallClock clock(&call);
  const auto result =
      Run(**source, *output.sink, options.pace, clock, ids, client::UnixSeconds(), {});
  // Breaks the cycle: the sink keeps the utterance through its callbacks, and the utterance the
  // sink.
  utterance->SetCancel([] {});
  if (const absl::Status why = utterance->why(); !why.ok()) {
    return absl::UnavailableError(
        absl::StrCat("the compositor cannot be reached: ", why.message()));
  }
  if (!result.ok()) return result.status();
  wire::StatusChunk answer = (*source)->Answer();
  service::WriteTraced(
      parts.log, service::LogLevel::kInfo, "face sent on", trace,
      {{"stream_id", ids.stream_id}, {"request_id", ids.request_id}, {"made", answer.message}});
  absl::StrAppend(&answer.message, "; sent on: ", result->answer);
  return answer;
}

// Ends the call with the result of its work, or with the exception that it threw.
template <typename Call, typename Work>
void Serve(const A2fParts& parts, Call& call, Work work) {
  const std::string peer = call.context()->peer();
  absl::Status status;
  const absl::Status thrown = service::CatchExceptions(parts.log, "sound", [&] {
    status = Admit(parts, *call.context(), "");
    if (status.ok()) status = work(peer);
  });
  status = OutcomeOf(call, thrown.ok() ? status : thrown);
  if (!status.ok()) {
    parts.log.Warning("no face", {{"peer", peer}, {"why", status.ToString()}});
  }
  call.Finish(status);
}

template <typename Call>
void End(CallThreads::End end, Call& call) {
  const absl::Status why = absl::UnavailableError("the source is stopping");
  end == CallThreads::End::kInOrder ? call.Stop(why) : call.Cut(why);
}

}  // namespace

class A2fServices::Controller final
    : public ctls::A2FControllerService::WithRawCallbackMethod_ProcessAudioStream<
          ctls::A2FControllerService::Service> {
 public:
  explicit Controller(A2fServices* of) : of_(*of) {}

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ProcessAudioStream(
      grpc::CallbackServerContext* context) override {
    const auto call = std::make_shared<WritingCall>(context);
    call->Keep(call);
    const absl::Status started = of_.threads_.Start(
        [this, call] {
          Serve(of_.parts_, *call, [&](const std::string& peer) {
            return Process(of_.options_, of_.parts_, peer, *call);
          });
        },
        [call](CallThreads::End end) { End(end, *call); });
    if (!started.ok()) call->Finish(started);
    return call.get();
  }

 private:
  A2fServices& of_;
};

class A2fServices::Pusher final
    : public a2fs::A2FService::WithRawCallbackMethod_PushAudioStream<a2fs::A2FService::Service> {
 public:
  explicit Pusher(A2fServices* of) : of_(*of) {}

  grpc::ServerReadReactor<grpc::ByteBuffer>* PushAudioStream(grpc::CallbackServerContext* context,
                                                             grpc::ByteBuffer* response) override {
    const auto call = std::make_shared<WaitingPush>(context);
    call->Keep(call);
    const auto utterance =
        std::make_shared<Utterance>(SayText{}, std::vector<std::string>{}, nullptr);
    const auto run = [this, call, utterance, response] {
      Serve(of_.parts_, *call, [&](const std::string&) {
        const auto answer = Push(of_.options_, of_.parts_, requests_, *call, utterance);
        if (answer.ok()) *response = Serialize(ToAce(*answer));
        return answer.status();
      });
    };
    const absl::Status started = of_.threads_.Start(run, [call, utterance](CallThreads::End end) {
      End(end, *call);
      if (end == CallThreads::End::kAtOnce) utterance->Cancel(call->why());
    });
    if (!started.ok()) call->Finish(started);
    return call.get();
  }

 private:
  A2fServices& of_;
  OpenRequests requests_;
};

A2fServices::A2fServices(const A2fOptions& options, A2fParts parts)
    : options_(options),
      parts_(std::move(parts)),
      threads_(options.max_sounds, "sound"),
      controller_(std::make_unique<Controller>(this)),
      pusher_(std::make_unique<Pusher>(this)) {}

A2fServices::~A2fServices() = default;

std::vector<grpc::Service*> A2fServices::services() { return {controller_.get(), pusher_.get()}; }

void A2fServices::Close(double budget_s) { threads_.Close(budget_s); }

}  // namespace posewire::a2f_source
