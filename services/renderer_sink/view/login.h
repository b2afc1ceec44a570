// Who may use the page of `renderer_sink view --tokens`: those who show a token of the file as a
// bearer token, and browsers that have exchanged one for a session.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_LOGIN_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_LOGIN_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/service/access/failed_logins.h"
#include "libs/service/access/session_table.h"
#include "libs/service/http/http_message.h"
#include "libs/service/http/http_router.h"
#include "libs/service/logger.h"
#include "libs/stream/access.h"
#include "services/renderer_sink/grpc/json_calls.h"

namespace posewire::renderer_sink {

struct LoginOptions {
  // Null: there is no login, and everyone may do everything.
  std::shared_ptr<const stream::Authorizer> authorizer = nullptr;
  absl::Duration life = absl::Hours(12);  // of a session
  // IP addresses of front doors, whose X-Forwarded-For names the caller; loopback is always one.
  std::vector<std::string> doors = {};
  bool tls = false;  // the browser's connection ends here, by TLS
  // Whose pages may show the page in a frame, as of --http-allow-origin.
  std::vector<std::string> origins = {};
};

// A request or a WebSocket whose token was known when it came.
struct Visitor {
  stream::Caller caller;
  std::string session = "";  // id; empty: by a bearer token
};

// Thread-safe.
class Login {
 public:
  // `headers` go with the form. `options.authorizer` is not null.
  Login(LoginOptions options, service::HttpFields headers, service::Logger log);

  // UNAUTHENTICATED without a session or a known token. RESOURCE_EXHAUSTED while the address has
  // sent too many wrong tokens; sessions are not affected.
  absl::StatusOr<Visitor> Enter(const service::HttpRequest& request);
  // The visitor's name, if it may do that now. UNAUTHENTICATED: its session or its token has ended;
  // PERMISSION_DENIED names the stream and the permission. As of Authorizer, an empty `stream_id`
  // asks whether it may do so at all.
  absl::StatusOr<std::string> Check(const Visitor& visitor, absl::string_view stream_id,
                                    stream::Permission permission);
  // A place among the pulls that the visitor may have at once, as of Authorizer::Enter.
  absl::StatusOr<std::shared_ptr<const void>> TakePlace(const Visitor& visitor) const {
    return options_.authorizer->Enter(visitor.caller, stream::Permission::kPull);
  }
  // Enter and Check; logs what is refused, but for requests that show nothing.
  absl::Status Admit(const service::HttpRequest& request, absl::string_view stream_id,
                     stream::Permission permission);
  // Whether the visitor may make a call: List... needs `watch`, any other `control`. Logs both.
  JsonCalls::MayCall MayCall(Visitor visitor, const std::string& method);

  // Calls `page` for those who may see the stream that ?stream= names, or any; the others get the
  // form.
  service::HttpHandler Before(service::HttpHandler page);
  // POST /login, /login/code and /logout, GET /session and /login.js.
  std::vector<service::HttpRoute> Routes();

 private:
  // The form, with the reason why there is no page.
  service::HttpReply Form(const service::HttpRequest& request, const absl::Status& why) const;
  // The visitor's name, and its new session.
  absl::StatusOr<std::string> LogIn(const service::HttpRequest& request, std::string* session);
  // Whose token, or code, that is; UNAUTHENTICATED and others as of Enter.
  absl::StatusOr<std::string> Identify(const service::HttpRequest& request, absl::string_view token,
                                       stream::Caller* caller);
  service::HttpReply AnswerLogin(const service::HttpRequest& request);
  absl::StatusOr<service::HttpReply> AnswerCode(const service::HttpRequest& request);
  service::HttpReply AnswerLogout(const service::HttpRequest& request);
  absl::StatusOr<service::HttpReply> AnswerSession(const service::HttpRequest& request);
  // By a token that is not in a cookie; counts those that are unknown.
  absl::StatusOr<std::string> CheckToken(const service::HttpRequest& request,
                                         const stream::Caller& caller);
  // Of the caller, by the word of a front door where it comes through one: without a port, and as
  // it is logged.
  std::string AddressOf(const service::HttpRequest& request) const;
  std::string PeerOf(const service::HttpRequest& request) const;
  std::string Cookie(const service::HttpRequest& request, absl::string_view session,
                     absl::Duration life) const;

  const LoginOptions options_;
  const service::HttpFields headers_;
  const service::Logger log_;
  std::mutex mutex_;
  service::SessionTable sessions_;  // guarded by mutex_
  service::SessionTable codes_;     // guarded by mutex_; each ends when it is used
  service::FailedLogins failed_;    // guarded by mutex_
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_LOGIN_H_
