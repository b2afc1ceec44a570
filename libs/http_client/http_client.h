// An HTTP client for one request at a time per call, with a streamed answer and deadlines, over
// libcurl. http and https only; HTTP/2 where TLS negotiates it.
//
//   auto client = HttpClient::Create({});
//   auto call = (*client)->Open({.url = "http://127.0.0.1:8880/v1/models"});
//   auto head = (*call)->ReadHead();
//   while ((n = (*call)->Read(buffer)).ok() && *n > 0) ...
//
// Nothing follows a redirect unless the request says so, reads ~/.netrc, keeps cookies or sends a
// header to another host than that of the URL. The proxies of the environment (https_proxy,
// no_proxy) are used, except for loopback addresses.
#ifndef POSEWIRE_LIBS_HTTP_CLIENT_HTTP_CLIENT_H_
#define POSEWIRE_LIBS_HTTP_CLIENT_HTTP_CLIENT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::http_client {

// The status line and the headers of an answer together.
inline constexpr size_t kMostHeaderBytes = 64 * 1024;

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// In seconds; 0: no limit. Only the time spent in ReadHead and Read counts, so that a caller that
// pauses between reads does not use it up.
struct HttpLimits {
  double connect_s = 2;      // DNS, connection and TLS handshake
  double first_byte_s = 10;  // from the request to `first_bytes` of the body
  double stall_s = 3;        // after that, without a byte
  double whole_s = 30;       // the whole call
  // Servers may send the headers, or those of a file, long before they have anything to say.
  size_t first_bytes = 1;
};

enum class HttpMethod { kGet, kPost };

struct HttpRequest {
  HttpMethod method = HttpMethod::kGet;
  std::string url = {};
  HttpHeaders headers = {};  // may hold secrets; never part of a message
  std::string body = {};     // of a POST; its Content-Type is one of the headers
  HttpLimits limits = {};
  // At most so many redirects are followed, never to another scheme. The headers go there too, so
  // that a request with secrets has none.
  int redirects = 0;
};

struct HttpHead {
  int status = 0;            // 200; never 1xx, or a 3xx
  std::string content_type;  // lower case, without parameters; empty if there is none
  HttpHeaders headers;       // names in lower case

  // The value of the first header with this lower-case name; empty if there is none.
  absl::string_view Find(absl::string_view name) const;
};

// One request. Destroying it closes the connection if the answer was not read to its end, which is
// how a server learns that the rest is not needed. ReadHead and Read belong to one thread at a
// time, which does all of the work: there is no other thread, except for libcurl's DNS lookups.
//
// Errors begin with the URL, without its query. After one, all further reads return it.
//   UNAVAILABLE          DNS, refused, reset, or closed before the end
//   DEADLINE_EXCEEDED    one of the limits, which the message names
//   CANCELLED            after Cancel
//   FAILED_PRECONDITION  a certificate that is not trusted, no TLS, no HTTP, a redirect (the
//                        message names its Location)
//   DATA_LOSS            more headers than kMostHeaderBytes
class HttpCall {
 public:
  ~HttpCall();
  HttpCall(const HttpCall&) = delete;
  HttpCall& operator=(const HttpCall&) = delete;

  // Connects, sends the request and blocks until all headers are there. Statuses such as 404 are
  // no errors here; the body may explain them.
  absl::StatusOr<HttpHead> ReadHead();

  // Blocks until there are bytes of the body; returns how many it put into `buffer`, 0 at the end.
  // `buffer` is not empty. Memory is bounded: what is not read stays with the server.
  absl::StatusOr<size_t> Read(absl::Span<char> buffer);

  // Ends a blocked ReadHead or Read within 20 ms, and all later ones. Any thread, any time.
  void Cancel();

  // For messages: HttpUrl::shown.
  const std::string& shown_url() const;

 private:
  friend class HttpClient;
  struct Transfer;
  explicit HttpCall(std::unique_ptr<Transfer> transfer);

  std::unique_ptr<Transfer> transfer_;
};

struct HttpClientOptions {
  // PEM file with the authorities to trust instead of the system's. Empty: the system's.
  std::string ca_file = {};
};

// Keeps up to four connections open between calls. Thread-safe. Calls may outlive it.
class HttpClient {
 public:
  // Reads ca_file. Errors as of files::ReadWhole.
  static absl::StatusOr<std::unique_ptr<HttpClient>> Create(const HttpClientOptions& options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Checks the request and does not touch the network. INVALID_ARGUMENT names what is wrong: the
  // URL, a limit, or a header with a line break (by its index, without its value).
  absl::StatusOr<std::unique_ptr<HttpCall>> Open(HttpRequest request);

 private:
  friend class HttpCall;
  struct Shared;
  explicit HttpClient(std::shared_ptr<Shared> shared);

  std::shared_ptr<Shared> shared_;
};

}  // namespace posewire::http_client

#endif  // POSEWIRE_LIBS_HTTP_CLIENT_HTTP_CLIENT_H_
