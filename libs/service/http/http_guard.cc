#include "libs/service/http/http_guard.h"

#include <arpa/inet.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace posewire::service {
namespace {

// "http://Host:80" -> "host"; empty for text that is not an origin.
std::string AuthorityOf(absl::string_view origin) {
  const bool plain = absl::ConsumePrefix(&origin, "http://");
  if (!plain && !absl::ConsumePrefix(&origin, "https://")) return "";
  absl::ConsumeSuffix(&origin, "/");  // users may copy the slash
  absl::ConsumeSuffix(&origin, plain ? ":80" : ":443");
  return absl::AsciiStrToLower(origin);
}

// "[::1]:8020" -> "[::1]", "a.example:80" -> "a.example".
absl::string_view WithoutPort(absl::string_view host) {
  const size_t colon = host.rfind(':');
  const size_t bracket = host.rfind(']');
  if (colon == absl::string_view::npos) return host;
  if (bracket != absl::string_view::npos && colon < bracket) return host;
  return host.substr(0, colon);
}

// "Avatars.example.org.:8020" -> "avatars.example.org".
std::string NameOf(absl::string_view host) {
  host = WithoutPort(host);
  absl::ConsumeSuffix(&host, ".");
  return absl::AsciiStrToLower(host);
}

bool IsNumeric(absl::string_view host) {
  unsigned char bytes[sizeof(in6_addr)];
  if (absl::ConsumePrefix(&host, "[")) {
    return absl::ConsumeSuffix(&host, "]") &&
           inet_pton(AF_INET6, std::string(host).c_str(), bytes) == 1;
  }
  return inet_pton(AF_INET, std::string(host).c_str(), bytes) == 1;
}

}  // namespace

bool IsOrigin(absl::string_view text) {
  if (text == "*") return true;
  const std::string authority = AuthorityOf(text);
  return !authority.empty() && authority.find_first_of("/?#@ \t,;\"'*") == std::string::npos;
}

bool IsHostName(absl::string_view text) {
  return text == "*" ||
         (!text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '-' || c == '.' || c == '_';
         }));
}

bool HttpGuard::HostIsOurs(absl::string_view host) const {
  if (host.empty()) return true;
  const std::string name = NameOf(host);
  if (name == "localhost" || name == NameOf(own_host) || IsNumeric(name)) return true;
  const auto is = [&](absl::string_view known) { return known == "*" || NameOf(known) == name; };
  return std::any_of(allowed_hosts.begin(), allowed_hosts.end(), is) ||
         std::any_of(allowed_origins.begin(), allowed_origins.end(),
                     [&](const std::string& o) { return o == "*" || is(AuthorityOf(o)); });
}

bool HttpGuard::IsSameOrigin(absl::string_view origin, absl::string_view host) {
  const std::string authority = AuthorityOf(origin);
  if (authority.empty()) return false;
  absl::ConsumeSuffix(&host, absl::StartsWith(origin, "https:") ? ":443" : ":80");
  return authority == absl::AsciiStrToLower(host);
}

bool HttpGuard::IsAllowed(absl::string_view origin) const {
  const std::string authority = AuthorityOf(origin);
  const bool tls = absl::StartsWith(origin, "https:");
  return std::any_of(allowed_origins.begin(), allowed_origins.end(), [&](const std::string& o) {
    if (o == "*") return true;
    return !authority.empty() && AuthorityOf(o) == authority &&
           absl::StartsWith(o, "https:") == tls;
  });
}

}  // namespace posewire::service
