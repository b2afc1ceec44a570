// An HTTP client over libcurl, with streamed responses and deadlines. http and https only; HTTP/2
// if TLS negotiates it.
//
//   auto client = HttpClient::Create({});
//   auto call = (*client)->Open({.url = "http://127.0.0.1:8880/v1/models"});
//   auto head = (*call)->ReadHead();
//   while ((n = (*call)->Read(buffer)).ok() && *n > 0) ...
//
// It follows no redirects unless the request allows them, does not read ~/.netrc, keeps no cookies,
// and sends headers only to the host of the URL. The proxies of the environment (https_proxy,
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

// The status line and the headers of a response together.
inline constexpr size_t kMostHeaderBytes = 64 * 1024;

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// In seconds; 0: no limit. Only time spent in ReadHead and Read counts, so that a caller may pause
// between reads.
struct HttpLimits {
  double connect_s = 2;      // DNS, connection and TLS handshake
  double first_byte_s = 10;  // from the request to `first_bytes` of the body
  double stall_s = 3;        // after that, time without a byte
  double whole_s = 30;       // the whole call
  // Servers may send headers, or a file's header, long before the first content.
  size_t first_bytes = 1;
};

enum class HttpMethod { kGet, kPost };

struct HttpRequest {
  HttpMethod method = HttpMethod::kGet;
  std::string url = {};
  HttpHeaders headers = {};  // may contain secrets; never part of a message
  std::string body = {};     // for a POST; its Content-Type is one of the headers
  HttpLimits limits = {};
  // Maximum number of redirects to follow, never to another scheme. The headers are sent there too,
  // so requests with secrets must not allow redirects.
  int redirects = 0;
};

struct HttpHead {
  int status = 0;            // 200; never 1xx, or a 3xx other than 304
  std::string content_type;  // lower case, without parameters; empty if there is none
  HttpHeaders headers;       // names in lower case

  // The value of the first header with this lower-case name; empty if there is none.
  absl::string_view Find(absl::string_view name) const;
};

// One request. Destroying it closes the connection if the response was not read to its end, so the
// server learns that the rest is not needed. ReadHead and Read must be called on one thread at a
// time, which does all of the work: there is no other thread, except for libcurl's DNS lookups.
//
// Errors begin with the URL, without its query. After an error, all further reads return it.
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

  // Connects, sends the request and blocks until all headers have arrived. Statuses such as 404 are
  // not errors here; the body may explain them.
  absl::StatusOr<HttpHead> ReadHead();

  // Blocks until bytes of the body arrive. Returns how many it put into `buffer`, 0 at the end.
  // `buffer` must not be empty. Memory is bounded: unread bytes stay with the server.
  absl::StatusOr<size_t> Read(absl::Span<char> buffer);

  // Ends a blocked ReadHead or Read within 20 ms, and all later ones. Any thread, at any time.
  void Cancel();

  // HttpUrl::shown, for messages.
  const std::string& shown_url() const;

 private:
  friend class HttpClient;
  struct Transfer;
  explicit HttpCall(std::unique_ptr<Transfer> transfer);

  std::unique_ptr<Transfer> transfer_;
};

struct HttpClientOptions {
  // PEM file with the authorities to trust instead of the system's. Empty: the file that the
  // environment names (CURL_CA_BUNDLE, SSL_CERT_FILE), as for other programs; without one, the
  // system's.
  std::string ca_file = {};
};

// Keeps up to four connections open between calls. Thread-safe. Calls may outlive it.
class HttpClient {
 public:
  // Reads ca_file. Errors: see files::ReadWhole. If the environment's file cannot be read, calls of
  // https:// fail with FAILED_PRECONDITION.
  static absl::StatusOr<std::unique_ptr<HttpClient>> Create(const HttpClientOptions& options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Checks the request without using the network. INVALID_ARGUMENT names the problem: the URL, a
  // limit, or a header with a line break (by its index, without its value).
  absl::StatusOr<std::unique_ptr<HttpCall>> Open(HttpRequest request);

 private:
  friend class HttpCall;
  struct Shared;
  explicit HttpClient(std::shared_ptr<Shared> shared);

  std::shared_ptr<Shared> shared_;
};

}  // namespace posewire::http_client

#endif  // POSEWIRE_LIBS_HTTP_CLIENT_HTTP_CLIENT_H_
