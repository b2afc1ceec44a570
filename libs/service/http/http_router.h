// Finds what answers a request by its method and its path.
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

// Takes the one reply to a request, from any thread, at once or later. Copies share the request:
// the first reply counts, later ones are ignored, and so is one that comes after the connection or
// the host has gone. When the last copy goes away without a reply, the client gets 500.
class HttpReplier {
 public:
  explicit HttpReplier(std::function<void(HttpReply)> send);
  void operator()(HttpReply reply) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Called on a thread of the host, must return soon. What it throws is logged and answered with 500.
using HttpHandler = std::function<void(const HttpRequest& request, HttpReplier reply)>;

// A handler that answers before it returns; an error becomes HttpReply::Error.
HttpHandler AtOnce(std::function<absl::StatusOr<HttpReply>(const HttpRequest& request)> handler);
// A handler that always gives these bytes.
HttpHandler Fixed(std::string content_type, HttpBody body, HttpFields headers = {});

// `pattern` is "/streams/{stream_id}/requests/{request_id}": literal segments, and {name} for one
// segment of any text but the empty one. Exactly one of `handler` and `web_socket` is set; a
// WebSocket is a GET, and its endpoint must outlive the host.
struct HttpRoute {
  std::string method;
  std::string pattern;
  HttpHandler handler;
  WebSocketEndpoint* web_socket = nullptr;
  // Answered also when all connections are at work: for probes, which must answer soon.
  bool when_full = false;
  // Called before the handler, or before a WebSocket is opened, on a thread of the host; must
  // return soon. An error is the reply, as of HttpReply::Error. Null: admits everyone.
  std::function<absl::Status(const HttpRequest& request)> admit = nullptr;
};

// Thread-safe once it is made.
class HttpRouter {
 public:
  // INVALID_ARGUMENT names the route: a pattern that does not begin with "/", a brace that is not
  // closed, a name twice, no handler, or a method and pattern that are there already.
  static absl::StatusOr<HttpRouter> Make(std::vector<HttpRoute> routes);

  struct Match {
    const HttpRoute* route = nullptr;  // Null: see allowed.
    HttpFields path;
    // The methods of this path, sorted, with HEAD where GET is, and OPTIONS. Empty: no such path.
    std::vector<std::string> allowed;
  };
  // A literal goes before a {name}, from the left. HEAD is answered by GET.
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
