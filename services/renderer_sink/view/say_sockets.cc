#include "services/renderer_sink/view/say_sockets.h"

#include <google/protobuf/util/json_util.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/service/logger.h"
#include "posewire.source.v1.pb.h"

namespace posewire::renderer_sink {
namespace {

namespace sv1 = posewire::source::v1;

// Close codes: of RFC 6455, a normal end, a policy violation and a server error; of IANA's registry
// "try again later".
constexpr int kTextOver = 1000, kRejected = 1008, kFailed = 1011, kTryLater = 1013;
// The reason in a close frame has at most 123 bytes (RFC 6455).
constexpr size_t kMostReasonBytes = 120;

int CodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kTextOver;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kAlreadyExists:
      return kRejected;
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnavailable:
      return kTryLater;
    default:
      return kFailed;
  }
}

// Sends the error in full, and closes the socket.
void Close(service::WebSocket& socket, const absl::Status& status) {
  if (!status.ok()) {
    socket.Send(absl::StrCat("{\"error\":", service::QuoteText(status.message()), "}"));
  }
  std::string reason(status.message());
  if (reason.size() > kMostReasonBytes) reason = "see the last message";
  socket.Close(CodeOf(status), reason);
}

}  // namespace

void SaySockets::OnOpen(const std::shared_ptr<service::WebSocket>& socket) {
  auto saying = std::make_shared<Saying>();
  if (login_ != nullptr) {
    auto visitor = login_->Enter(socket->request());
    if (!visitor.ok()) return Close(*socket, visitor.status());
    saying->visitor = *std::move(visitor);
  }
  auto call = source_.Open(
      "SayStream", [socket](std::string json) { socket->Send(std::move(json)); },
      [socket](const absl::Status& status) { Close(*socket, status); });
  if (!call.ok()) return Close(*socket, call.status());
  saying->call = *std::move(call);
  saying->socket = socket;
  std::lock_guard lock(mutex_);
  sayings_[socket->id()] = std::move(saying);
}

void SaySockets::OnMessage(const std::shared_ptr<service::WebSocket>& socket, std::string message,
                           bool is_text) {
  std::shared_ptr<Saying> saying;
  {
    std::lock_guard lock(mutex_);
    const auto found = sayings_.find(socket->id());
    if (found == sayings_.end()) return;
    saying = found->second;
  }
  const absl::Status taken = Take(*saying, std::move(message), is_text);
  if (taken.ok() || absl::IsCancelled(taken)) return;
  // Messages that have already arrived are ignored.
  Forget(*socket);
  Close(*socket, taken);
  saying->call->Cancel();
}

std::shared_ptr<SaySockets::Saying> SaySockets::Forget(const service::WebSocket& socket) {
  std::lock_guard lock(mutex_);
  const auto found = sayings_.find(socket.id());
  if (found == sayings_.end()) return nullptr;
  std::shared_ptr<Saying> saying = std::move(found->second);
  sayings_.erase(found);
  return saying;
}

absl::Status SaySockets::Take(Saying& saying, std::string message, bool is_text) {
  sv1::SayPart part;
  if (!is_text) {
    part.mutable_sound()->set_samples(std::move(message));
    return saying.call->Write(part.SerializeAsString());
  }
  const auto parsed = google::protobuf::util::JsonStringToMessage(message, &part);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError("not the JSON of SayPart: " + parsed.ToString());
  }
  if (part.has_begin()) {
    const absl::Status may =
        login_ == nullptr ? absl::OkStatus()
                          : login_->MayCall(saying.visitor, "SayStream")(part.begin().stream_id());
    if (!may.ok()) return may;
    saying.begun = true;
    std::lock_guard lock(mutex_);
    saying.stream_id = part.begin().stream_id();
  }
  if (!saying.begun) {
    return absl::InvalidArgumentError("part: begin is missing; it must be the first part");
  }
  const bool ends = part.has_end();
  absl::Status written = saying.call->Write(part.SerializeAsString());
  if (ends) saying.call->End();
  return written;
}

void SaySockets::CheckRights() {
  if (login_ == nullptr) return;
  std::vector<std::pair<std::shared_ptr<Saying>, std::string>> all;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, saying] : sayings_) all.emplace_back(saying, saying->stream_id);
  }
  for (const auto& [saying, stream_id] : all) {
    const absl::Status may =
        login_->Check(saying->visitor, stream_id, stream::Permission::kControl).status();
    // If the tokens cannot be read, open sockets stay.
    if (may.ok() || absl::IsUnavailable(may)) continue;
    Forget(*saying->socket);
    Close(*saying->socket, may);
    saying->call->Cancel();
  }
}

void SaySockets::OnClose(const std::shared_ptr<service::WebSocket>& socket) {
  if (const std::shared_ptr<Saying> saying = Forget(*socket)) saying->call->Cancel();
}

}  // namespace posewire::renderer_sink
