// Login of the page of `renderer_sink view --tokens`: accepts tokens of the file as bearer tokens,
// and sessions of browsers that have exchanged a token for one.
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
  // Null: no login, and all visitors may do everything.
  std::shared_ptr<const stream::Authorizer> authorizer = nullptr;
  absl::Duration life = absl::Hours(12);  // of a session
  // IP addresses of reverse proxies whose X-Forwarded-For is trusted; loopback always is.
  std::vector<std::string> doors = {};
  bool tls = false;  // the browser's TLS connection ends here
  // Origins whose pages may embed this page in a frame, as in --http-allow-origin.
  std::vector<std::string> origins = {};
};

// A request or a WebSocket whose token was valid when it arrived.
struct Visitor {
  stream::Caller caller;
  std::string session = "";  // id; empty: a bearer token was used
};

// Thread-safe.
class Login {
 public:
  // `headers` are sent with the form. `options.authorizer` must not be null.
  Login(LoginOptions options, service::HttpFields headers, service::Logger log);

  // UNAUTHENTICATED without a session or a valid token. RESOURCE_EXHAUSTED while the address has
  // sent too many wrong tokens; sessions are not affected.
  absl::StatusOr<Visitor> Enter(const service::HttpRequest& request);
  // Returns the visitor's name, if it has the permission now. UNAUTHENTICATED: its session or its
  // token has expired; PERMISSION_DENIED names the stream and the permission. As in Authorizer, an
  // empty `stream_id` checks the permission for any stream.
  absl::StatusOr<std::string> Check(const Visitor& visitor, absl::string_view stream_id,
                                    stream::Permission permission);
  // Takes one of the pulls that the visitor may have at once, as in Authorizer::Enter.
  absl::StatusOr<std::shared_ptr<const void>> TakePlace(const Visitor& visitor) const {
    return options_.authorizer->Enter(visitor.caller, stream::Permission::kPull);
  }
  // Enter and Check. Logs rejections, except of requests without credentials.
  absl::Status Admit(const service::HttpRequest& request, absl::string_view stream_id,
                     stream::Permission permission);
  // Returns a check whether the visitor may make a call: List... needs `watch`, any other
  // `control`. Logs both.
  JsonCalls::MayCall MayCall(Visitor visitor, const std::string& method);

  // Calls `page` for visitors who may see the stream in ?stream=, or any; others get the form.
  service::HttpHandler Before(service::HttpHandler page);
  // POST /login, /login/code and /logout, GET /session and /login.js.
  std::vector<service::HttpRoute> Routes();

 private:
  // Returns the form, with the reason why the page is not shown.
  service::HttpReply Form(const service::HttpRequest& request, const absl::Status& why) const;
  // Returns the visitor's name, and its new session.
  absl::StatusOr<std::string> LogIn(const service::HttpRequest& request, std::string* session);
  // Returns the owner of a token, or code; UNAUTHENTICATED and other errors as in Enter.
  absl::StatusOr<std::string> Identify(const service::HttpRequest& request, absl::string_view token,
                                       stream::Caller* caller);
  service::HttpReply AnswerLogin(const service::HttpRequest& request);
  absl::StatusOr<service::HttpReply> AnswerCode(const service::HttpRequest& request);
  service::HttpReply AnswerLogout(const service::HttpRequest& request);
  absl::StatusOr<service::HttpReply> AnswerSession(const service::HttpRequest& request);
  // Checks a token that is not in a cookie; counts unknown ones.
  absl::StatusOr<std::string> CheckToken(const service::HttpRequest& request,
                                         const stream::Caller& caller);
  // Returns the client's address, as reported by a trusted reverse proxy: without a port, and in
  // the form that is logged.
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
