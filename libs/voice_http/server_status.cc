#include "libs/voice_http/server_status.h"

#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/voice_http/server_json.h"

namespace posewire::voice_http {
namespace {

constexpr size_t kMostErrorBytes = 64 * 1024;
constexpr size_t kMostQuoted = 200;
constexpr double kUsualWait_s = 0.25;

absl::StatusCode CodeOf(int status) {
  switch (status) {
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
      return absl::StatusCode::kNotFound;
    case 429:
      return absl::StatusCode::kResourceExhausted;
    default:
      return status < 500 ? absl::StatusCode::kInvalidArgument : absl::StatusCode::kUnavailable;
  }
}

absl::string_view AdviceFor(int status) {
  switch (status) {
    case 401:
    case 403:
      return "; check the key";
    case 404:
      return "; check the URL, the model and the voice";
    case 429:
      return "; it allows no more requests now";
    default:
      return "";
  }
}

}  // namespace

std::string QuoteServer(absl::string_view words, absl::string_view key) {
  std::string text(absl::StripAsciiWhitespace(words));
  if (!key.empty()) text = absl::StrReplaceAll(text, {{key, "***"}});
  return absl::StrCat("\"", absl::Utf8SafeCEscape(text.substr(0, kMostQuoted)), "\"");
}

std::optional<double> RetryAfter_s(const http_client::HttpHead& head) {
  if (head.status != 429 && head.status != 503) return std::nullopt;
  const absl::string_view after = head.Find("retry-after");
  if (after.empty()) return kUsualWait_s;
  double seconds = 0;
  // The other form is a date, in whole seconds of the server's clock.
  if (!absl::SimpleAtod(after, &seconds) || !(seconds >= 0 && seconds <= 1)) return std::nullopt;
  return seconds;
}

std::string ReadSome(http_client::HttpCall& call) {
  std::string body;
  std::array<char, 4096> buffer{};
  while (body.size() < kMostErrorBytes) {
    const absl::StatusOr<size_t> n = call.Read(absl::MakeSpan(buffer));
    if (!n.ok() || *n == 0) break;
    body.append(buffer.data(), *n);
  }
  return body;
}

absl::Status ReadRejection(http_client::HttpCall& call, const http_client::HttpHead& head,
                           absl::string_view key) {
  const std::string body = ReadSome(call);
  std::string after;
  if (const absl::string_view wait = head.Find("retry-after"); !wait.empty()) {
    after = absl::StrCat(", to be tried again after ", QuoteServer(wait, key));
  }
  return absl::Status(
      CodeOf(head.status),
      absl::StrCat(call.shown_url(), ": the server answers ", head.status, " ",
                   QuoteServer(ReadErrorMessage(body), key), after, AdviceFor(head.status)));
}

}  // namespace posewire::voice_http
