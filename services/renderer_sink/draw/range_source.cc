#include "services/renderer_sink/draw/range_source.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "libs/http_client/http_client.h"
#include "libs/http_client/http_url.h"

namespace posewire::renderer_sink {
namespace {

using http_client::HttpCall;
using http_client::HttpClient;
using http_client::HttpHead;
using http_client::HttpRequest;

constexpr int kMostRedirects = 3;

// "bytes 5-9/200" or "bytes */200".
struct ContentRange {
  std::optional<int64_t> first, last;
  int64_t all = 0;
};
std::optional<ContentRange> ParseContentRange(absl::string_view text) {
  constexpr absl::string_view kUnit = "bytes ";
  if (!absl::StartsWith(text, kUnit)) return std::nullopt;
  const std::vector<std::string> parts = absl::StrSplit(text.substr(kUnit.size()), '/');
  ContentRange out;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &out.all) || out.all < 0)
    return std::nullopt;
  if (parts[0] == "*") return out;
  const std::vector<std::string> ends = absl::StrSplit(parts[0], '-');
  int64_t first = 0, last = 0;
  if (ends.size() != 2 || !absl::SimpleAtoi(ends[0], &first) || !absl::SimpleAtoi(ends[1], &last) ||
      first > last || last >= out.all) {
    return std::nullopt;
  }
  out.first = first;
  out.last = last;
  return out;
}

class RangeSource : public files::ByteSource {
 public:
  RangeSource(std::shared_ptr<HttpClient> client, std::string url,
              const RangeSourceOptions& options)
      : client_(std::move(client)),
        url_(std::move(url)),
        name_(url_.substr(0, url_.find('?'))),
        options_(options) {}

  const std::string& name() const override { return name_; }
  int64_t Size() const override { return size_; }

  absl::StatusOr<size_t> Read(int64_t offset, absl::Span<char> to) override {
    if (to.empty()) return 0;  // no range is that short
    absl::StatusOr<std::unique_ptr<HttpCall>> call = client_->Open(Request(offset, to.size()));
    if (!call.ok()) return call.status();
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) (*call)->Cancel();
      calls_.insert(call->get());
    }
    const absl::StatusOr<size_t> got = ReadAnswer(**call, offset, to);
    const std::lock_guard lock(mutex_);
    calls_.erase(call->get());
    return got;
  }

  void Stop() override {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (HttpCall* const call : calls_) call->Cancel();
  }

 private:
  HttpRequest Request(int64_t offset, size_t size) const {
    HttpRequest request;
    request.url = url_;
    request.headers = {
        {"Range", absl::StrCat("bytes=", offset, "-", offset + static_cast<int64_t>(size) - 1)}};
    const double deadline_s = options_.deadline_s;
    request.limits = {deadline_s, deadline_s, deadline_s, deadline_s};
    request.redirects = kMostRedirects;
    return request;
  }

  absl::StatusOr<size_t> ReadAnswer(HttpCall& call, int64_t offset, absl::Span<char> to) {
    const absl::StatusOr<HttpHead> head = call.ReadHead();
    if (!head.ok()) return head.status();
    const absl::string_view header = head->Find("content-range");
    const std::optional<ContentRange> range = ParseContentRange(header);
    if (head->status == 416 && range && offset >= range->all) {
      size_ = range->all;
      return 0;
    }
    if (head->status != 206) return Rejected(call, head->status);
    const auto size = static_cast<int64_t>(to.size());
    if (!range || range->first != offset || *range->last - offset >= size) {
      return absl::DataLossError(absl::StrCat(call.shown_url(), " answers with the range \"",
                                              header, "\", expected ", size, " bytes from ",
                                              offset));
    }
    size_ = range->all;
    const auto bytes = static_cast<size_t>(*range->last - offset + 1);
    size_t got = 0;
    char more = 0;  // one byte too many would be read to it
    while (got <= bytes) {
      const absl::StatusOr<size_t> n =
          call.Read(got < bytes ? to.subspan(got, bytes - got) : absl::MakeSpan(&more, 1));
      if (!n.ok()) return n.status();
      if (*n == 0) break;
      got += *n;
    }
    if (got != bytes) {
      return absl::DataLossError(absl::StrCat(call.shown_url(), " sends ",
                                              got > bytes ? "more" : "fewer", " than the ", bytes,
                                              " bytes of its range \"", header, "\""));
    }
    return bytes;
  }

  static absl::Status Rejected(const HttpCall& call, int status) {
    const std::string message = absl::StrCat(call.shown_url(), " answers ", status);
    if (status == 200) {
      return absl::FailedPreconditionError(absl::StrCat(
          message, " with the whole file, expected 206: its server does not support ranges"));
    }
    if (status == 404 || status == 410) return absl::NotFoundError(message);
    if (status == 401 || status == 403) return absl::PermissionDeniedError(message);
    if (status >= 500) return absl::UnavailableError(message);
    return absl::FailedPreconditionError(absl::StrCat(message, ", expected 206"));
  }

  const std::shared_ptr<HttpClient> client_;
  const std::string url_, name_;
  const RangeSourceOptions options_;
  std::atomic<int64_t> size_ = 0;
  std::mutex mutex_;
  bool stopped_ = false;       // guarded by mutex_
  std::set<HttpCall*> calls_;  // that are under way; guarded by mutex_
};

// One for all, so that many files need few connections.
std::shared_ptr<HttpClient> SharedClient() {
  static const auto* const client =
      new std::shared_ptr<HttpClient>(HttpClient::Create({}).value_or(nullptr));
  return *client;
}

}  // namespace

absl::StatusOr<std::shared_ptr<files::ByteSource>> MakeRangeSource(
    const std::string& url, const RangeSourceOptions& options) {
  const std::shared_ptr<HttpClient> client = SharedClient();
  if (client == nullptr) return absl::ResourceExhaustedError("no HTTP client can be made");
  if (const auto parsed = http_client::ParseHttpUrl(url); !parsed.ok()) return parsed.status();
  return std::make_shared<RangeSource>(client, url, options);
}

}  // namespace posewire::renderer_sink
