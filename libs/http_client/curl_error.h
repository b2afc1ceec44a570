// Explains libcurl's errors. Internal to this library.
#ifndef POSEWIRE_LIBS_HTTP_CLIENT_CURL_ERROR_H_
#define POSEWIRE_LIBS_HTTP_CLIENT_CURL_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::http_client {

// Information about a failed transfer.
struct CurlFailure {
  int code = 0;             // a CURLcode
  int system_error = 0;     // errno of the connection attempt, or 0
  std::string detail;       // libcurl's own text; may be empty
  std::string shown_url;    // HttpUrl::shown
  std::string host;         // of the URL
  double connect_s = 0;     // the time limit
  bool in_answer = false;   // the response had begun
  bool redirected = false;  // the last response was a redirect, which was followed
};

// The status codes are those of HttpCall::Read.
absl::Status ExplainCurlFailure(const CurlFailure& failure);

}  // namespace posewire::http_client

#endif  // POSEWIRE_LIBS_HTTP_CLIENT_CURL_ERROR_H_
