#include "services/renderer_sink/view/login.h"

#include <arpa/inet.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "libs/service/access/token_file.h"
#include "libs/service/access/token_table.h"
#include "services/renderer_sink/view/page.h"

namespace posewire::renderer_sink {
namespace {

namespace pb = google::protobuf;
using service::HttpReply;
using service::HttpRequest;
using stream::Permission;

// A token has at most 4096 characters, of which a form escapes some.
constexpr size_t kMostBody_bytes = 16 << 10;
constexpr absl::Duration kCodeLife = absl::Minutes(1);
constexpr absl::string_view kSecurePrefix = "__Host-";
constexpr char kForm[] = "application/x-www-form-urlencoded";

bool IsForm(const HttpRequest& request) {
  return absl::StartsWithIgnoreCase(request.Header("content-type"), kForm);
}

// Browsers send a cookie to all ports of a host: each server there has a name of its own.
std::string CookieName(const HttpRequest& request) {
  const absl::string_view host = request.Header("host");
  const size_t colon = host.rfind(':');
  const absl::string_view port = colon == absl::string_view::npos ? "" : host.substr(colon + 1);
  const bool is_port = !port.empty() && std::all_of(port.begin(), port.end(), absl::ascii_isdigit);
  return absl::StrCat("posewire", is_port ? "_" : "", is_port ? port : "");
}

// Returns "" if there is none.
std::string SessionOf(const HttpRequest& request) {
  const std::string name = CookieName(request);
  for (absl::string_view cookie : absl::StrSplit(request.Header("cookie"), ';')) {
    cookie = absl::StripAsciiWhitespace(cookie);
    absl::ConsumePrefix(&cookie, kSecurePrefix);
    if (absl::ConsumePrefix(&cookie, name) && absl::ConsumePrefix(&cookie, "=")) {
      return std::string(cookie);
    }
  }
  return "";
}

// Empty if a reverse proxy requires a password of its own.
absl::string_view BearerOf(const HttpRequest& request) {
  const absl::string_view shown = request.Header("authorization");
  return absl::StartsWithIgnoreCase(shown, "Bearer ") ? shown : "";
}

bool ShowsNothing(const HttpRequest& request) {
  return BearerOf(request).empty() && SessionOf(request).empty();
}

// Returns everything from the "?" on; empty if there is none.
absl::string_view QueryOf(const HttpRequest& request) {
  const absl::string_view target = request.target;
  const size_t mark = target.find('?');
  return mark == absl::string_view::npos ? "" : target.substr(mark);
}

bool IsAddress(const std::string& text) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

// "[::1]:8080" -> "::1", "[::ffff:10.0.0.1]:8080" -> "10.0.0.1".
std::string WithoutPort(absl::string_view peer) {
  peer = peer.substr(0, peer.rfind(':'));
  absl::ConsumePrefix(&peer, "[");
  absl::ConsumeSuffix(&peer, "]");
  absl::ConsumePrefix(&peer, "::ffff:");
  return std::string(peer);
}

std::string Html(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

absl::StatusOr<std::string> TokenIn(const HttpRequest& request) {
  if (request.body.size() > kMostBody_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the body has ", request.body.size(), " bytes; at most ", kMostBody_bytes));
  }
  std::string token;
  if (IsForm(request)) {
    const auto form = service::ParseHttpTarget(absl::StrCat("/?", request.body));
    if (!form.ok()) return absl::InvalidArgumentError("the body is no form");
    for (const auto& [name, value] : form->query) {
      if (name == "token") token = value;
    }
  } else if (absl::StartsWithIgnoreCase(request.Header("content-type"), "application/json")) {
    pb::Struct json;
    if (!pb::util::JsonStringToMessage(request.body, &json).ok()) {
      return absl::InvalidArgumentError("the body is no JSON object");
    }
    token = (*json.mutable_fields())["token"].string_value();
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("the Content-Type must be ", kForm, " or application/json"));
  }
  if (token.empty()) return absl::InvalidArgumentError("the field token is missing or empty");
  return token;
}

const char* NameOf(Permission permission) {
  if (permission == Permission::kPull) return "pull";
  return permission == Permission::kWatch ? "watch" : "control";
}

}  // namespace

Login::Login(LoginOptions options, service::HttpFields headers, service::Logger log)
    : options_(std::move(options)),
      headers_(std::move(headers)),
      log_(std::move(log)),
      sessions_({.life = options_.life}),
      codes_({.life = kCodeLife}) {}

// Behind a proxy, the last address is the proxy's report; earlier ones may be forged by the client.
std::string Login::AddressOf(const HttpRequest& request) const {
  std::string peer = WithoutPort(request.peer);
  const bool is_door =
      absl::StartsWith(peer, "127.") || peer == "::1" ||
      std::find(options_.doors.begin(), options_.doors.end(), peer) != options_.doors.end();
  if (!is_door) return peer;
  const absl::string_view said = request.Header("x-forwarded-for");
  std::string last(absl::StripAsciiWhitespace(said.substr(said.rfind(',') + 1)));
  return IsAddress(last) ? last : peer;
}

std::string Login::PeerOf(const HttpRequest& request) const {
  std::string address = AddressOf(request);
  return address == WithoutPort(request.peer) ? request.peer : address;
}

absl::StatusOr<std::string> Login::CheckToken(const HttpRequest& request,
                                              const stream::Caller& caller) {
  const std::string address = AddressOf(request);
  const absl::Time now = absl::Now();
  std::lock_guard lock(mutex_);
  if (absl::Status s = failed_.MayTry(address, now); !s.ok()) return s;
  auto name = options_.authorizer->Check(caller, "", Permission::kPull);
  if (absl::IsUnauthenticated(name.status())) failed_.Count(address, now);
  return name;
}

absl::StatusOr<Visitor> Login::Enter(const HttpRequest& request) {
  const absl::string_view shown = BearerOf(request);
  if (!shown.empty()) {
    Visitor visitor{service::CallerOf(PeerOf(request), shown)};
    const absl::Status known = CheckToken(request, visitor.caller).status();
    if (known.ok() || absl::IsPermissionDenied(known)) return visitor;
    return known;
  }
  const std::string session = SessionOf(request);
  if (session.empty()) {
    return absl::UnauthenticatedError(
        "log in at / of this server, or send a token: \"authorization: Bearer TOKEN\"");
  }
  std::lock_guard lock(mutex_);
  const auto token = sessions_.Use(session, absl::Now());
  if (!token) return absl::UnauthenticatedError("the session has ended; log in again");
  return Visitor{{PeerOf(request), token}, session};
}

absl::StatusOr<std::string> Login::Check(const Visitor& visitor, absl::string_view stream_id,
                                         Permission permission) {
  std::lock_guard lock(mutex_);
  if (!visitor.session.empty() && !sessions_.Use(visitor.session, absl::Now())) {
    return absl::UnauthenticatedError("the session has ended; log in again");
  }
  auto name = options_.authorizer->Check(visitor.caller, stream_id, permission);
  if (absl::IsUnauthenticated(name.status())) sessions_.Close(visitor.session);
  if (!absl::IsPermissionDenied(name.status())) return name;
  const std::string of = stream_id.empty() ? ""
                         : stream_id == stream::kAllStreams
                             ? " of all streams"
                             : absl::StrCat(" of the stream \"", absl::CHexEscape(stream_id), "\"");
  return absl::PermissionDeniedError(
      absl::StrCat(NameOf(permission), of, ": ", name.status().message()));
}

absl::Status Login::Admit(const HttpRequest& request, absl::string_view stream_id,
                          Permission permission) {
  const auto visitor = Enter(request);
  absl::Status status =
      visitor.ok() ? Check(*visitor, stream_id, permission).status() : visitor.status();
  if (!status.ok() && !ShowsNothing(request)) {
    log_.Warning("request refused", {{"method", request.method},
                                     {"path", absl::StripSuffix(request.target, QueryOf(request))},
                                     {"why", status.message()},
                                     {"peer", PeerOf(request)}});
  }
  return status;
}

JsonCalls::MayCall Login::MayCall(Visitor visitor, const std::string& method) {
  return [this, visitor = std::move(visitor), method](const std::optional<std::string>& named) {
    const Permission permission =
        absl::StartsWith(method, "List") ? Permission::kWatch : Permission::kControl;
    // The called server resolves an empty id.
    std::string stream_id = named.value_or("");
    const bool all = named ? named->empty() : method == "ListStreams";
    if (all) stream_id = stream::kAllStreams;
    const auto name = Check(visitor, stream_id, permission);
    if (!name.ok()) {
      log_.Warning(
          "call refused",
          {{"call", method}, {"why", name.status().message()}, {"peer", visitor.caller.peer}});
    } else if (permission == Permission::kControl && method != "SetUser") {
      service::LogAdmitted(log_, method, *name, stream_id, visitor.caller.peer);
    }
    return name.status();
  };
}

std::string Login::Cookie(const HttpRequest& request, absl::string_view session,
                          absl::Duration life) const {
  const bool https = options_.tls || request.Header("x-forwarded-proto") == "https";
  const std::vector<std::string>& origins = options_.origins;
  // A frame in a page of another site gets none but by SameSite=None, which browsers take from
  // https alone. Not where every page may call: each could act for whoever is logged in.
  const bool framed =
      https && !origins.empty() && std::find(origins.begin(), origins.end(), "*") == origins.end();
  return absl::StrCat(https ? kSecurePrefix : "", CookieName(request), "=", session,
                      "; Path=/; HttpOnly; Max-Age=", absl::ToInt64Seconds(life),
                      https ? "; Secure" : "",
                      framed ? "; SameSite=None; Partitioned" : "; SameSite=Strict");
}

HttpReply Login::Form(const HttpRequest& request, const absl::Status& why) const {
  const bool first = request.method == "GET" && ShowsNothing(request);
  return {.status = service::HttpStatusOf(why.code()),
          .content_type = "text/html; charset=utf-8",
          .body = absl::StrReplaceAll(PageFile("login.html"),
                                      {{"@QUERY@", Html(QueryOf(request))},
                                       {"@REASON@", first ? "" : Html(why.message())}}),
          .headers = headers_};
}

service::HttpHandler Login::Before(service::HttpHandler page) {
  return [this, page = std::move(page)](const HttpRequest& request,
                                        const service::HttpReplier& reply) {
    const absl::Status may = Admit(request, request.Query("stream"), Permission::kPull);
    if (!may.ok()) return reply(Form(request, may));
    page(request, reply);
  };
}

absl::StatusOr<std::string> Login::Identify(const HttpRequest& request, absl::string_view token,
                                            stream::Caller* caller) {
  {
    std::lock_guard lock(mutex_);
    const auto of_code = codes_.Use(token, absl::Now());
    if (of_code) {
      codes_.Close(token);
      *caller = {PeerOf(request), of_code};
      return options_.authorizer->Check(*caller, "", Permission::kPull);
    }
  }
  *caller = service::CallerOf(PeerOf(request), absl::StrCat("Bearer ", token));
  return CheckToken(request, *caller);
}

absl::StatusOr<std::string> Login::LogIn(const HttpRequest& request, std::string* session) {
  const auto token = TokenIn(request);
  if (!token.ok()) return token.status();
  stream::Caller caller;
  auto name = Identify(request, *token, &caller);
  if (!name.ok()) {
    log_.Warning("login refused", {{"why", name.status().message()}, {"peer", caller.peer}});
    return name;
  }
  std::lock_guard lock(mutex_);
  sessions_.Close(SessionOf(request));  // the browser forgets it
  auto id = sessions_.Open(*caller.token, absl::Now());
  if (!id.ok()) return id.status();
  *session = *std::move(id);
  service::LogAdmitted(log_, "log in", *name, "", caller.peer);
  return name;
}

absl::StatusOr<HttpReply> Login::AnswerCode(const HttpRequest& request) {
  // Sessions cannot request one: a page could create codes that outlive it.
  if (BearerOf(request).empty()) {
    return absl::UnauthenticatedError(
        "login codes are for programs that send a token: \"authorization: Bearer TOKEN\"");
  }
  if (absl::Status s = Admit(request, "", Permission::kPull); !s.ok()) return s;
  const auto token = service::CallerOf("", BearerOf(request)).token;
  std::lock_guard lock(mutex_);
  const auto code = codes_.Open(*token, absl::Now());
  if (!code.ok()) return code.status();
  return HttpReply{.body = absl::StrCat("{\"code\":\"", *code,
                                        "\",\"expires_s\":", absl::ToInt64Seconds(kCodeLife), "}")};
}

HttpReply Login::AnswerLogin(const HttpRequest& request) {
  std::string session;
  const auto name = LogIn(request, &session);
  if (!name.ok() && IsForm(request)) return Form(request, name.status());
  if (!name.ok()) return HttpReply::Error(name.status());
  HttpReply reply{.body = absl::StrCat("{\"name\":", service::QuoteText(*name), "}"),
                  .headers = {{"Set-Cookie", Cookie(request, session, options_.life)}}};
  if (IsForm(request)) {
    reply.status = 303;
    reply.headers.emplace_back("Location", absl::StrCat("/", QueryOf(request)));
  }
  return reply;
}

HttpReply Login::AnswerLogout(const HttpRequest& request) {
  std::lock_guard lock(mutex_);
  sessions_.Close(SessionOf(request));
  return {.headers = {{"Set-Cookie", Cookie(request, "", absl::ZeroDuration())}}};
}

absl::StatusOr<HttpReply> Login::AnswerSession(const HttpRequest& request) {
  const auto visitor = Enter(request);
  if (!visitor.ok()) return visitor.status();
  const auto name = Check(*visitor, "", Permission::kPull);
  if (!name.ok()) return name.status();
  return HttpReply{.body = absl::StrCat("{\"name\":", service::QuoteText(*name), "}")};
}

std::vector<service::HttpRoute> Login::Routes() {
  return {{"POST", "/login",
           service::AtOnce([this](const HttpRequest& request) { return AnswerLogin(request); })},
          {"POST", "/login/code",
           service::AtOnce([this](const HttpRequest& request) { return AnswerCode(request); })},
          {"POST", "/logout",
           service::AtOnce([this](const HttpRequest& request) { return AnswerLogout(request); })},
          {"GET", "/session",
           service::AtOnce([this](const HttpRequest& request) { return AnswerSession(request); })},
          {"GET", "/login.js",
           service::Fixed("text/javascript; charset=utf-8", std::string(PageFile("login.js")),
                          headers_)}};
}

}  // namespace posewire::renderer_sink
