#include "libs/service/http/http_router.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace posewire::service {

struct HttpReplier::State {
  explicit State(std::function<void(HttpReply)> take) : send(std::move(take)) {}
  ~State() {
    if (send) send(HttpReply::Error(500, "the server gave no answer"));
  }
  std::mutex mutex;
  std::function<void(HttpReply)> send;  // Empty after it was called.
};

HttpReplier::HttpReplier(std::function<void(HttpReply)> send)
    : state_(std::make_shared<State>(std::move(send))) {}

void HttpReplier::operator()(HttpReply reply) const {
  std::function<void(HttpReply)> send;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    send.swap(state_->send);
  }
  if (send) send(std::move(reply));
}

HttpHandler AtOnce(std::function<absl::StatusOr<HttpReply>(const HttpRequest& request)> handler) {
  return [handler = std::move(handler)](const HttpRequest& request, const HttpReplier& reply) {
    absl::StatusOr<HttpReply> answer = handler(request);
    reply(answer.ok() ? *std::move(answer) : HttpReply::Error(answer.status()));
  };
}

HttpHandler Fixed(std::string content_type, HttpBody body, HttpFields headers) {
  HttpReply answer{.content_type = std::move(content_type),
                   .body = std::move(body),
                   .headers = std::move(headers)};
  return
      [answer = std::move(answer)](const HttpRequest&, const HttpReplier& reply) { reply(answer); };
}

absl::StatusOr<HttpRouter> HttpRouter::Make(std::vector<HttpRoute> routes) {
  HttpRouter router;
  std::set<std::string> taken;
  for (HttpRoute& route : routes) {
    const auto bad = [&](absl::string_view why) {
      return absl::InvalidArgumentError(
          absl::StrCat("route ", route.method, " \"", route.pattern, "\": ", why));
    };
    if (route.method.empty()) return bad("the method is missing");
    if (!absl::StartsWith(route.pattern, "/")) return bad("it must begin with /");
    if ((route.handler == nullptr) == (route.web_socket == nullptr)) {
      return bad("it needs a handler or a WebSocket endpoint, and not both");
    }
    if (route.web_socket != nullptr && route.method != "GET") return bad("a WebSocket is a GET");
    Entry entry;
    std::set<std::string> names;
    std::string shape = route.method;
    for (absl::string_view text : absl::StrSplit(route.pattern.substr(1), '/')) {
      const bool opens = absl::StartsWith(text, "{");
      if (opens != absl::EndsWith(text, "}")) return bad("a brace has no partner");
      if (opens) text = text.substr(1, text.size() - 2);
      if (opens && (text.empty() || !names.insert(std::string(text)).second)) {
        return bad("each {name} must be there and be different");
      }
      entry.segments.push_back({opens, std::string(text)});
      absl::StrAppend(&shape, "/", opens ? "{}" : text);
    }
    if (!taken.insert(shape).second) return bad("another route has this method and pattern");
    entry.route = std::move(route);
    router.entries_.push_back(std::move(entry));
  }
  std::stable_sort(router.entries_.begin(), router.entries_.end(), GoesBefore);
  return router;
}

bool HttpRouter::Fits(const Entry& entry, const std::vector<std::string>& segments) {
  return std::equal(entry.segments.begin(), entry.segments.end(), segments.begin(), segments.end(),
                    [](const Segment& expected, const std::string& text) {
                      return expected.is_name ? !text.empty() : expected.text == text;
                    });
}

bool HttpRouter::GoesBefore(const Entry& a, const Entry& b) {
  return std::lexicographical_compare(
      a.segments.begin(), a.segments.end(), b.segments.begin(), b.segments.end(),
      [](const Segment& x, const Segment& y) { return x.is_name < y.is_name; });
}

HttpRouter::Match HttpRouter::Find(absl::string_view method,
                                   const std::vector<std::string>& segments) const {
  Match match;
  std::set<std::string> allowed;
  const Entry* found = nullptr;
  const Entry* by_get = nullptr;
  for (const Entry& entry : entries_) {
    if (!Fits(entry, segments)) continue;
    allowed.insert(entry.route.method);
    if (found == nullptr && entry.route.method == method) found = &entry;
    if (by_get == nullptr && entry.route.method == "GET") by_get = &entry;
  }
  if (allowed.empty()) return match;
  if (found == nullptr && method == "HEAD") found = by_get;
  if (by_get != nullptr) allowed.insert("HEAD");
  allowed.insert("OPTIONS");
  match.allowed.assign(allowed.begin(), allowed.end());
  if (found == nullptr) return match;
  match.route = &found->route;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (found->segments[i].is_name) match.path.emplace_back(found->segments[i].text, segments[i]);
  }
  return match;
}

}  // namespace posewire::service
