// Finds the handler for a request by its method and path.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_HTTP_ROUTER_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_HTTP_ROUTER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/service/http/http_message.h"

namespace posewire::service {

class WebSocketEndpoint;

// Receives the reply to a request, on any thread, immediately or later. Copies share the request:
// the first reply counts, and later ones are ignored, as are replies after the connection or the
// host has gone. If the last copy is destroyed without a reply, the client gets 500.
class HttpReplier {
 public:
  explicit HttpReplier(std::function<void(HttpReply)> send);
  void operator()(HttpReply reply) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Called on a thread of the host; must return soon. Exceptions are logged and answered with 500.
using HttpHandler = std::function<void(const HttpRequest& request, HttpReplier reply)>;

// Makes a handler that answers before it returns; an error becomes HttpReply::Error.
HttpHandler AtOnce(std::function<absl::StatusOr<HttpReply>(const HttpRequest& request)> handler);
// Makes a handler that always sends these bytes.
HttpHandler Fixed(std::string content_type, HttpBody body, HttpFields headers = {});

// `pattern` is "/streams/{stream_id}/requests/{request_id}": literal segments, and {name} for one
// non-empty segment. Exactly one of `handler` and `web_socket` is set. A WebSocket is a GET, and
// its endpoint must outlive the host.
struct HttpRoute {
  std::string method;
  std::string pattern;
  HttpHandler handler;
  WebSocketEndpoint* web_socket = nullptr;
  // Also answered when all connections are busy. For probes, which must answer soon.
  bool when_full = false;
  // Called before the handler, or before a WebSocket is opened, on a thread of the host; must
  // return soon. An error becomes the reply, see HttpReply::Error. Null: admits every request.
  std::function<absl::Status(const HttpRequest& request)> admit = nullptr;
};

// Immutable; thread-safe.
class HttpRouter {
 public:
  // INVALID_ARGUMENT names the route if its pattern does not begin with "/", a brace is not closed,
  // a name occurs twice, it has no handler, or another route has the same method and pattern.
  static absl::StatusOr<HttpRouter> Make(std::vector<HttpRoute> routes);

  struct Match {
    const HttpRoute* route = nullptr;  // Null: see allowed.
    HttpFields path;
    // The methods of this path, sorted, with HEAD if there is GET, and OPTIONS. Empty: no such
    // path.
    std::vector<std::string> allowed;
  };
  // From the left, a literal segment takes precedence over a {name}. HEAD is answered by GET.
  Match Find(absl::string_view method, const std::vector<std::string>& segments) const;

 private:
  struct Segment {
    bool is_name = false;
    std::string text;
  };
  struct Entry {
    HttpRoute route;
    std::vector<Segment> segments;
  };
  static bool Fits(const Entry& entry, const std::vector<std::string>& segments);
  static bool GoesBefore(const Entry& a, const Entry& b);

  std::vector<Entry> entries_;  // The most literal first.
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_HTTP_ROUTER_H_
