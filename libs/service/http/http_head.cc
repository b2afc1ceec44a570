#include "libs/service/http/http_head.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace posewire::service {
namespace {

std::vector<absl::string_view> ValuesOf(const HttpFields& headers, absl::string_view name) {
  std::vector<absl::string_view> values;
  for (const auto& [key, value] : headers) {
    if (key == name) values.push_back(value);
  }
  return values;
}

// Accepts the characters of RFC 3986's host and port.
bool IsHostAndPort(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::StrContains("-._~!$&'()*+,;=%:[]", c);
  });
}

std::optional<HttpReply> RejectHost(int minor_version, const HttpFields& headers) {
  const std::vector<absl::string_view> hosts = ValuesOf(headers, "host");
  if (hosts.empty() && minor_version >= 1) {
    return HttpReply::Error(400, "the request has no Host header, which HTTP/1.1 needs");
  }
  if (hosts.size() > 1) {
    return HttpReply::Error(
        400, absl::StrCat("the request has ", hosts.size(), " Host headers; must be one"));
  }
  if (!hosts.empty() && !IsHostAndPort(hosts[0])) {
    return HttpReply::Error(400, "the Host header is not HOST or HOST:PORT");
  }
  return std::nullopt;
}

std::optional<HttpReply> RejectLength(int minor_version, const HttpFields& headers) {
  const std::vector<absl::string_view> lengths = ValuesOf(headers, "content-length");
  if (lengths.size() > 1 || (!lengths.empty() && absl::StrContains(lengths[0], ','))) {
    return HttpReply::Error(400, "the request has several values of Content-Length; must be one");
  }
  std::vector<absl::string_view> codings;
  for (const absl::string_view value : ValuesOf(headers, "transfer-encoding")) {
    for (const absl::string_view coding : absl::StrSplit(value, ',')) {
      codings.push_back(absl::StripAsciiWhitespace(coding));
    }
  }
  if (codings.empty()) return std::nullopt;
  if (minor_version < 1) {
    return HttpReply::Error(400, "the request has Transfer-Encoding, which HTTP/1.0 does not know");
  }
  if (!lengths.empty()) {
    return HttpReply::Error(400, "the request has both Transfer-Encoding and Content-Length");
  }
  if (codings.size() == 1 && absl::EqualsIgnoreCase(codings[0], "chunked")) return std::nullopt;
  const bool known = std::all_of(codings.begin(), codings.end(), [](absl::string_view coding) {
    return coding.empty() || absl::EqualsIgnoreCase(coding, "chunked");
  });
  return known ? HttpReply::Error(400, "Transfer-Encoding must be chunked, once")
               : HttpReply::Error(501, "Transfer-Encoding has a coding other than chunked");
}

}  // namespace

std::optional<HttpReply> RejectHead(int minor_version, const HttpFields& headers) {
  if (std::optional<HttpReply> rejection = RejectHost(minor_version, headers)) return rejection;
  return RejectLength(minor_version, headers);
}

absl::string_view TargetAuthority(absl::string_view target) {
  const size_t scheme = target.find("://");
  if (scheme == absl::string_view::npos || scheme >= target.find('/')) return "";
  const absl::string_view rest = target.substr(scheme + 3);
  return rest.substr(0, rest.find_first_of("/?#"));
}

}  // namespace posewire::service
