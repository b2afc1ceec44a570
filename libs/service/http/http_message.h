// HTTP requests and replies as handlers see them, independent of the HTTP library.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_HTTP_MESSAGE_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_HTTP_MESSAGE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::service {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;  // "GET"
  std::string target;  // As it was sent: "/streams/a%2Fb?wait=1".
  HttpFields path;     // The {name} segments of the route's pattern, percent-decoded once.
  HttpFields query;    // In order, decoded; a name without "=" has an empty value.
  HttpFields headers;  // Names in lower case, values as sent.
  std::string body;    // Of any content type.
  std::string peer;    // "127.0.0.1:40000"

  // Returns the first value of that name, or an empty string. Header names are in lower case.
  absl::string_view Path(absl::string_view name) const;
  absl::string_view Query(absl::string_view name) const;
  absl::string_view Header(absl::string_view name) const;
  bool HasQuery(absl::string_view name) const;
};

// The bytes of a reply. Copies share them, so that a large file is in memory once for any number of
// clients.
class HttpBody {
 public:
  HttpBody(std::string bytes)  // NOLINT(google-explicit-constructor)
      : bytes_(std::make_shared<const std::string>(std::move(bytes))) {}
  HttpBody(const char* text)
      : HttpBody(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  const std::string& bytes() const { return *bytes_; }

 private:
  std::shared_ptr<const std::string> bytes_;
};

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  HttpBody body = "{}";
  HttpFields headers = {};

  // {"error": message} with the status of HttpStatusOf. An OK status gives {}.
  static HttpReply Error(const absl::Status& status);
  static HttpReply Error(int status, absl::string_view message);
};

// INVALID_ARGUMENT and OUT_OF_RANGE 400, UNAUTHENTICATED 401, PERMISSION_DENIED 403, NOT_FOUND 404,
// ALREADY_EXISTS, ABORTED and FAILED_PRECONDITION 409, RESOURCE_EXHAUSTED 429, UNIMPLEMENTED 501,
// UNAVAILABLE 503, DEADLINE_EXCEEDED 504, OK 200, all else 500.
int HttpStatusOf(absl::StatusCode code);

// Converts each %XX to its byte, once. With `plus_is_space`, as in queries, "+" becomes a space.
// INVALID_ARGUMENT for a "%" without two hexadecimal digits. The result may contain any bytes, even
// 0.
absl::StatusOr<std::string> PercentDecode(absl::string_view text, bool plus_is_space = false);

struct HttpTarget {
  std::vector<std::string> segments;  // Decoded; "/a/b%2Fc" is {"a", "b/c"}, "/" is {""}.
  HttpFields query;
};
// Splits "/path?query" or "http://host/path?query" at each "/" of the raw text and decodes
// afterwards. "." and ".." are ordinary segments. INVALID_ARGUMENT describes the problem.
absl::StatusOr<HttpTarget> ParseHttpTarget(absl::string_view target);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_HTTP_MESSAGE_H_
