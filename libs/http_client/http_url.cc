#include "libs/http_client/http_url.h"

#include <arpa/inet.h>
#include <curl/curl.h>

#include <array>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace posewire::http_client {
namespace {

struct UrlCloser {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using UrlHandle = std::unique_ptr<CURLU, UrlCloser>;

// Returns an empty string if the URL has no such part.
std::string Part(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return "";
  std::string out = text;
  curl_free(text);
  return out;
}

bool IsLoopback(const std::string& host) {
  if (absl::AsciiStrToLower(host) == "localhost") return true;
  std::array<unsigned char, 16> address{};
  if (inet_pton(AF_INET, host.c_str(), address.data()) == 1) return address[0] == 127;
  if (inet_pton(AF_INET6, host.c_str(), address.data()) != 1) return false;
  const std::array<unsigned char, 16> one = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return address == one;
}

}  // namespace

absl::StatusOr<HttpUrl> ParseHttpUrl(absl::string_view url) {
  constexpr absl::string_view kExpected = "expected http://HOST[:PORT][/PATH] or https://";
  const UrlHandle handle(curl_url());
  if (handle == nullptr) return absl::ResourceExhaustedError("no memory is left for a URL");
  const CURLUcode code =
      curl_url_set(handle.get(), CURLUPART_URL, std::string(url).c_str(), CURLU_PATH_AS_IS);
  // A URL that cannot be parsed may still contain a password.
  const std::string quoted =
      url.find('@') == absl::string_view::npos
          ? absl::StrCat("the URL \"", absl::CEscape(url.substr(0, 200)), "\"")
          : "the URL";
  if (code != CURLUE_OK || url.find('\0') != absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(quoted, " is not valid (",
                     code == CURLUE_OK ? "a NUL byte" : curl_url_strerror(code), "); ", kExpected));
  }
  const std::string scheme = Part(handle.get(), CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    return absl::InvalidArgumentError(
        absl::StrCat(quoted, " has the scheme \"", scheme, "\"; ", kExpected));
  }
  // libcurl accepts "http:///x" as the host x.
  if (Part(handle.get(), CURLUPART_PORT) == "0" || url.find(":///") != absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(quoted, " has no host, or the port 0; ", kExpected));
  }
  if (!Part(handle.get(), CURLUPART_USER).empty() ||
      !Part(handle.get(), CURLUPART_PASSWORD).empty()) {
    return absl::InvalidArgumentError(
        "the URL has a user or password, which logs and process lists would show; give the URL "
        "without it, and a key in a file");
  }
  (void)curl_url_set(handle.get(), CURLUPART_FRAGMENT, nullptr, 0);
  HttpUrl out;
  out.is_https = scheme == "https";
  out.host = Part(handle.get(), CURLUPART_HOST);
  if (out.host.size() > 2 && out.host.front() == '[') {
    out.host = out.host.substr(1, out.host.size() - 2);
  }
  out.is_loopback = IsLoopback(out.host);
  out.text = Part(handle.get(), CURLUPART_URL);
  (void)curl_url_set(handle.get(), CURLUPART_QUERY, nullptr, 0);
  out.shown = Part(handle.get(), CURLUPART_URL);
  return out;
}

std::string EscapeSegment(absl::string_view text) {
  if (text.empty()) return "";  // with a length of 0, libcurl searches for the end
  char* const escaped = curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size()));
  if (escaped == nullptr) return "";
  std::string out = escaped;
  curl_free(escaped);
  return out;
}

}  // namespace posewire::http_client
