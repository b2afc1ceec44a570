#include "libs/service/http/http_message.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/service/http/http_head.h"
#include "libs/service/logger.h"

namespace posewire::service {
namespace {

const std::string* Find(const HttpFields& fields, absl::string_view name) {
  for (const auto& [key, value] : fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

absl::string_view ValueOf(const HttpFields& fields, absl::string_view name) {
  const std::string* value = Find(fields, name);
  return value == nullptr ? absl::string_view() : absl::string_view(*value);
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

absl::string_view HttpRequest::Path(absl::string_view name) const { return ValueOf(path, name); }
absl::string_view HttpRequest::Query(absl::string_view name) const { return ValueOf(query, name); }
absl::string_view HttpRequest::Header(absl::string_view name) const {
  return ValueOf(headers, name);
}
bool HttpRequest::HasQuery(absl::string_view name) const { return Find(query, name) != nullptr; }

HttpReply HttpReply::Error(const absl::Status& status) {
  if (status.ok()) return {};
  HttpReply reply = Error(HttpStatusOf(status.code()), status.message());
  if (absl::IsUnauthenticated(status)) reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

HttpReply HttpReply::Error(int status, absl::string_view message) {
  return {.status = status, .body = absl::StrCat("{\"error\": ", QuoteText(message), "}")};
}

int HttpStatusOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return 400;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kFailedPrecondition:
      return 409;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnimplemented:
      return 501;
    case absl::StatusCode::kUnavailable:
      return 503;
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    default:
      return 500;
  }
}

absl::StatusOr<std::string> PercentDecode(absl::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("\"", text, "\": the % at byte ", i,
                         " is not followed by two hexadecimal digits; write %25 for a % sign"));
      }
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return out;
}

absl::StatusOr<HttpTarget> ParseHttpTarget(absl::string_view target) {
  absl::string_view rest = target;
  if (const absl::string_view authority = TargetAuthority(rest); !authority.empty()) {
    rest.remove_prefix(static_cast<size_t>(authority.end() - rest.begin()));
    if (rest.empty()) rest = "/";
  }
  const size_t mark = rest.find('?');
  absl::string_view path = rest.substr(0, mark);
  if (path.empty() && mark == 0) path = "/";
  if (path.empty() || path[0] != '/') {
    return absl::InvalidArgumentError(
        absl::StrCat("target \"", target, "\": a path that begins with / is expected"));
  }
  HttpTarget out;
  for (absl::string_view segment : absl::StrSplit(path.substr(1), '/')) {
    absl::StatusOr<std::string> text = PercentDecode(segment);
    if (!text.ok()) return text.status();
    out.segments.push_back(*std::move(text));
  }
  if (mark == absl::string_view::npos) return out;
  for (absl::string_view pair : absl::StrSplit(rest.substr(mark + 1), '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(pair, absl::MaxSplits('=', 1));
    absl::StatusOr<std::string> name = PercentDecode(parts.first, true);
    absl::StatusOr<std::string> value = PercentDecode(parts.second, true);
    if (!name.ok()) return name.status();
    if (!value.ok()) return value.status();
    out.query.emplace_back(*std::move(name), *std::move(value));
  }
  return out;
}

}  // namespace posewire::service
