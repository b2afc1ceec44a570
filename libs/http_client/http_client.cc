#include "libs/http_client/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/files/read.h"
#include "libs/http_client/http_url.h"
#include "libs/http_client/transfer.h"

namespace posewire::http_client {
namespace {

constexpr uint64_t kMostCaBytes = 16 << 20;
constexpr int kNotModified = 304;

absl::Status CheckLimits(const HttpLimits& limits) {
  const std::pair<const char*, double> all[] = {{"connect_s", limits.connect_s},
                                                {"first_byte_s", limits.first_byte_s},
                                                {"stall_s", limits.stall_s},
                                                {"whole_s", limits.whole_s}};
  for (const auto& [name, value] : all) {
    if (value >= 0 && value <= kLongestLimit_s) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("limits.", name, " is ", value, ", expected 0 to ", kLongestLimit_s));
  }
  return absl::OkStatus();
}

bool IsToken(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::string_view("!#$%&'*+-.^_`|~").find(c) != absl::string_view::npos;
  });
}

absl::Status CheckHeaders(const HttpHeaders& headers) {
  for (size_t i = 0; i < headers.size(); ++i) {
    const auto& [name, value] = headers[i];
    if (IsToken(name) && std::none_of(value.begin(), value.end(), [](char c) {
          return absl::ascii_iscntrl(static_cast<unsigned char>(c)) && c != '\t';
        })) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("headers[", i,
                     "] has a line break, a control character, or a name that is no "
                     "HTTP token"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadAuthorities(const std::string& file) {
  absl::StatusOr<std::string> pem = files::ReadWhole(file, kMostCaBytes);
  if (!pem.ok() || absl::StrContains(*pem, "-----BEGIN CERTIFICATE-----")) return pem;
  return absl::InvalidArgumentError(
      absl::StrCat(file, ": has no certificate; expected a PEM file"));
}

// The variable that is set, and its file. libcurl itself reads neither; the curl program does.
std::pair<const char*, std::string> AuthoritiesOfEnvironment() {
  for (const char* variable : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* const file = std::getenv(variable);
    if (file != nullptr && *file != '\0') return {variable, file};
  }
  return {"", ""};
}

}  // namespace

absl::string_view HttpHead::Find(absl::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

HttpCall::HttpCall(std::unique_ptr<Transfer> transfer) : transfer_(std::move(transfer)) {}
HttpCall::~HttpCall() = default;

const std::string& HttpCall::shown_url() const { return transfer_->url.shown; }

absl::StatusOr<HttpHead> HttpCall::ReadHead() {
  Transfer& t = *transfer_;
  if (absl::Status s = t.WaitFor([&] { return t.head_done; }); !s.ok()) return s;
  if (!t.head_done) {
    return absl::FailedPreconditionError(absl::StrCat(t.url.shown, ": the answer has no headers"));
  }
  const HttpHead& head = t.head;
  if (head.status >= 300 && head.status < 400 && head.status != kNotModified) {
    const absl::string_view location = head.Find("location");
    t.end = absl::FailedPreconditionError(
        absl::StrCat(t.url.shown, ": the server redirects (", head.status, ") to \"",
                     absl::CEscape(location.substr(0, 200)),
                     "\", which is not followed; give that URL if you trust it"));
    t.Close();
    t.head_done = false;
    return *t.end;
  }
  HttpHead out = head;
  const absl::string_view type = head.Find("content-type");
  out.content_type =
      absl::AsciiStrToLower(absl::StripAsciiWhitespace(type.substr(0, type.find(';'))));
  return out;
}

absl::StatusOr<size_t> HttpCall::Read(absl::Span<char> buffer) {
  Transfer& t = *transfer_;
  if (!t.head_done) {
    if (auto head = ReadHead(); !head.ok()) return head.status();
  }
  if (absl::Status s = t.WaitFor([&] { return t.body_begin < t.body.size(); }); !s.ok()) return s;
  const size_t n = std::min(buffer.size(), t.body.size() - t.body_begin);
  std::memcpy(buffer.data(), t.body.data() + t.body_begin, n);
  t.body_begin += n;
  if (t.body_begin == t.body.size()) {
    t.body.clear();
    t.body_begin = 0;
  }
  return n;
}

void HttpCall::Cancel() {
  transfer_->cancelled = true;
  curl_multi_wakeup(transfer_->multi.get());
}

HttpClient::HttpClient(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
HttpClient::~HttpClient() = default;

absl::StatusOr<std::unique_ptr<HttpClient>> HttpClient::Create(const HttpClientOptions& options) {
  auto shared = std::make_shared<Shared>();
  if (!options.ca_file.empty()) {
    absl::StatusOr<std::string> pem = ReadAuthorities(options.ca_file);
    if (!pem.ok()) return pem.status();
    shared->ca_pem = *std::move(pem);
  } else if (const auto [variable, file] = AuthoritiesOfEnvironment(); !file.empty()) {
    absl::StatusOr<std::string> pem = ReadAuthorities(file);
    if (pem.ok()) {
      shared->ca_pem = *std::move(pem);
    } else {
      shared->ca_status =
          absl::FailedPreconditionError(absl::StrCat(variable, ": ", pem.status().message()));
    }
  }
  return std::unique_ptr<HttpClient>(new HttpClient(std::move(shared)));
}

absl::StatusOr<std::unique_ptr<HttpCall>> HttpClient::Open(HttpRequest request) {
  if (absl::Status s = CheckLimits(request.limits); !s.ok()) return s;
  if (absl::Status s = CheckHeaders(request.headers); !s.ok()) return s;
  absl::StatusOr<HttpUrl> url = ParseHttpUrl(request.url);
  if (!url.ok()) return url.status();
  auto transfer = std::make_unique<HttpCall::Transfer>();
  transfer->shared = shared_;
  transfer->request = std::move(request);
  transfer->url = *std::move(url);
  if (transfer->url.is_https && !shared_->ca_status.ok()) return shared_->ca_status;
  if (absl::Status s = transfer->Prepare(); !s.ok()) return s;
  return std::unique_ptr<HttpCall>(new HttpCall(std::move(transfer)));
}

}  // namespace posewire::http_client
