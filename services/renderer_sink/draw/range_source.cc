#include "services/renderer_sink/draw/range_source.h"

#include <algorithm>
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

// What is on disk of a range: the server answers 304 if it is current.
struct Condition {
  RemoteVersion version;
  size_t size = 0;  // how many bytes are in the buffer
};

// Of a URL that ParseHttpUrl accepts.
std::string ServerOf(const std::string& url) {
  return url.substr(0, url.find_first_of("/?", url.find("//") + 2));
}

class RangeSource : public files::ByteSource {
 public:
  RangeSource(std::shared_ptr<HttpClient> client, std::string url, RangeSourceOptions options)
      : client_(std::move(client)),
        url_(std::move(url)),
        name_(url_.substr(0, url_.find('?'))),
        server_(ServerOf(url_)),
        options_(std::move(options)),
        cache_(options_.cache.get()) {}

  const std::string& name() const override { return name_; }
  int64_t Size() const override { return size_; }

  absl::StatusOr<size_t> Read(int64_t offset, absl::Span<char> to) override {
    if (to.empty()) return 0;  // no range is that short
    if (cache_ == nullptr) return Ask(offset, to);
    if (const std::optional<RemoteVersion> version = Version()) {
      const std::optional<size_t> got = cache_->Read(url_, *version, offset, to);
      if (!got) return Ask(offset, to);
      cache_->CountFromDisk(*got);
      return *got;
    }
    const std::optional<RangeCache::Known> known = cache_->LastOf(url_);
    if (!known) return Ask(offset, to);
    const std::optional<size_t> got = cache_->Read(url_, known->version, offset, to);
    return got ? Confirm(*known, *got, offset, to) : Ask(offset, to);
  }

  void Stop() override {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (HttpCall* const call : calls_) call->Cancel();
  }

 private:
  // `to` has the range as it is on disk.
  absl::StatusOr<size_t> Confirm(const RangeCache::Known& known, size_t size, int64_t offset,
                                 absl::Span<char> to) {
    if (!known.usable_unconfirmed || !cache_->IsAway(server_)) {
      const Condition condition{known.version, size};
      const absl::StatusOr<size_t> got = Ask(offset, to, &condition);
      const bool away = got.status().code() == absl::StatusCode::kUnavailable ||
                        got.status().code() == absl::StatusCode::kDeadlineExceeded;
      if (got.ok() || !away || !known.usable_unconfirmed) return got;
      // A part of an answer may have arrived.
      if (!cache_->Read(url_, known.version, offset, to)) return got;
      cache_->SetAway(server_, got.status());
    }
    SetVersion(known.version);
    cache_->CountFromDisk(size);
    return size;
  }

  std::optional<RemoteVersion> Version() {
    const std::lock_guard lock(mutex_);
    return version_;
  }
  void SetVersion(const std::optional<RemoteVersion>& version) {
    const std::lock_guard lock(mutex_);
    version_ = version;
    if (version) size_ = version->size;
  }

  absl::StatusOr<size_t> Ask(int64_t offset, absl::Span<char> to,
                             const Condition* condition = nullptr) {
    absl::StatusOr<std::unique_ptr<HttpCall>> call =
        client_->Open(Request(offset, to.size(), condition));
    if (!call.ok()) return call.status();
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) (*call)->Cancel();
      calls_.insert(call->get());
    }
    const absl::StatusOr<size_t> got = ReadAnswer(**call, offset, to, condition);
    const std::lock_guard lock(mutex_);
    calls_.erase(call->get());
    return got;
  }

  HttpRequest Request(int64_t offset, size_t size, const Condition* condition) const {
    HttpRequest request;
    request.url = url_;
    request.headers = {
        {"Range", absl::StrCat("bytes=", offset, "-", offset + static_cast<int64_t>(size) - 1)}};
    if (condition != nullptr) {
      request.headers.emplace_back(
          condition->version.is_etag() ? "If-None-Match" : "If-Modified-Since",
          condition->version.validator);
    }
    const double deadline_s = options_.deadline_s;
    request.limits = {deadline_s, deadline_s, deadline_s, deadline_s};
    request.redirects = kMostRedirects;
    return request;
  }

  absl::StatusOr<size_t> ReadAnswer(HttpCall& call, int64_t offset, absl::Span<char> to,
                                    const Condition* condition) {
    const absl::StatusOr<HttpHead> head = call.ReadHead();
    if (!head.ok()) return head.status();
    if (condition != nullptr && head->status == 304) {
      cache_->SetBack(server_);
      cache_->Confirm(url_, condition->version);
      SetVersion(condition->version);
      cache_->CountFromDisk(condition->size);
      return condition->size;
    }
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
    if (cache_ != nullptr) Keep(*head, range->all, offset, to, bytes);
    return bytes;
  }

  void Keep(const HttpHead& head, int64_t size, int64_t offset, absl::Span<const char> to,
            size_t bytes) {
    cache_->SetBack(server_);
    cache_->CountFromServer(bytes);
    const std::optional<RemoteVersion> version =
        RemoteVersion::Of({head.Find("etag"), head.Find("last-modified"), head.Find("date"),
                           head.Find("cache-control")},
                          size);
    const std::optional<RemoteVersion> before = Version();
    SetVersion(version);
    if (!version) {
      cache_->ReportNoVersion(name_);
      return;
    }
    if (version != before) cache_->Confirm(url_, *version);
    // A server may send less than was asked for, which is not what the next reader expects.
    const auto most = std::min<int64_t>(size - offset, static_cast<int64_t>(to.size()));
    if (static_cast<int64_t>(bytes) == most) {
      cache_->Write(url_, *version, offset, to.size(), {to.data(), bytes});
    }
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
  const std::string url_, name_, server_;
  const RangeSourceOptions options_;
  RangeCache* const cache_;  // null: none
  std::atomic<int64_t> size_ = 0;
  std::mutex mutex_;
  // Guarded by mutex_.
  bool stopped_ = false;
  std::set<HttpCall*> calls_;             // that are under way
  std::optional<RemoteVersion> version_;  // that is read from disk without asking
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
