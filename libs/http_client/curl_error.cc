#include "libs/http_client/curl_error.h"

#include <curl/curl.h>

#include <cerrno>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace posewire::http_client {
namespace {

std::string Detail(const CurlFailure& failure) {
  const absl::string_view detail = failure.detail.empty()
                                       ? curl_easy_strerror(static_cast<CURLcode>(failure.code))
                                       : absl::string_view(failure.detail);
  return absl::CEscape(detail.substr(0, 200));
}

absl::Status ConnectionError(const CurlFailure& failure) {
  if (failure.system_error == ECONNREFUSED) {
    return absl::UnavailableError(
        absl::StrCat(failure.shown_url,
                     ": the connection was refused; check that the server is "
                     "running and that this is its port"));
  }
  return absl::UnavailableError(absl::StrCat(failure.shown_url, ": no connection to the server (",
                                             Detail(failure), "); check the address"));
}

absl::Status BrokenConnection(const CurlFailure& failure) {
  return absl::UnavailableError(
      absl::StrCat(failure.shown_url, ": the server closed the connection ",
                   failure.in_answer ? "before the end of its answer" : "without an answer", " (",
                   Detail(failure), "); its log may say why"));
}

absl::Status NoHttp(const CurlFailure& failure) {
  return absl::FailedPreconditionError(
      absl::StrCat(failure.shown_url, ": the answer is not valid HTTP (", Detail(failure),
                   "); check that this is the port of an HTTP server"));
}

}  // namespace

absl::Status ExplainCurlFailure(const CurlFailure& failure) {
  const std::string& url = failure.shown_url;
  switch (static_cast<CURLcode>(failure.code)) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return absl::UnavailableError(absl::StrCat(url, ": the name of the host was not found (",
                                                 Detail(failure),
                                                 "); check its spelling and the network"));
    case CURLE_COULDNT_CONNECT:
      return ConnectionError(failure);
    case CURLE_OPERATION_TIMEDOUT:
      return absl::DeadlineExceededError(
          absl::StrCat(url, ": no connection to ", failure.host, " within ", failure.connect_s,
                       " s; check the address and that the server is running"));
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return absl::FailedPreconditionError(
          absl::StrCat(url, ": the server's certificate is not trusted (", Detail(failure),
                       "); give the certificate of its authority as the CA file"));
    case CURLE_SSL_CACERT_BADFILE:
      return absl::FailedPreconditionError(
          absl::StrCat(url, ": the CA certificates cannot be used (", Detail(failure),
                       "); give a PEM file, or install ca-certificates"));
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ENGINE_INITFAILED:
      return absl::FailedPreconditionError(absl::StrCat(url, ": no TLS connection (",
                                                        Detail(failure),
                                                        "); use http:// if the server has no TLS"));
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_SSL_SHUTDOWN_FAILED:
      return BrokenConnection(failure);
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
      return NoHttp(failure);
    case CURLE_UNSUPPORTED_PROTOCOL:
      if (!failure.redirected) return NoHttp(failure);
      return absl::FailedPreconditionError(
          absl::StrCat(url, ": the server redirects to another scheme, which is not followed (",
                       Detail(failure), "); give that URL if you trust it"));
    case CURLE_TOO_MANY_REDIRECTS:
      return absl::FailedPreconditionError(
          absl::StrCat(url, ": the server redirects too often; give the URL where it ends"));
    case CURLE_OUT_OF_MEMORY:
      return absl::ResourceExhaustedError(absl::StrCat(url, ": no memory is left for the request"));
    default:
      return absl::InternalError(absl::StrCat(url, ": the request failed (", Detail(failure), ")"));
  }
}

}  // namespace posewire::http_client
