#include "services/renderer_sink/draw/range_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "libs/client/connection.h"

namespace posewire::renderer_sink {
namespace {

constexpr size_t kMostValidatorBytes = 512;
// A date with whole seconds does not tell two versions of one second apart.
constexpr absl::Duration kYoung = absl::Seconds(2);
// The time of a confirmation is written at most that often.
constexpr double kConfirmAgain_s = 3600;
// Of clocks that were set back.
constexpr double kMostFuture_s = 3600;

bool IsPrintable(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 127; });
}

std::optional<absl::Time> ParseHttpDate(absl::string_view text) {
  absl::Time time;
  if (!absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT", text, &time, nullptr)) return std::nullopt;
  return time;
}

std::string VersionKey(const std::string& url) { return absl::StrCat("version\n", url); }

std::string RangeKey(const std::string& url, const RemoteVersion& version, int64_t offset,
                     size_t size) {
  return absl::StrCat("range\n", url, "\n", version.validator, "\n", version.size, "\n", offset,
                      "+", size);
}

// The value of VersionKey: validator, size and time of the last confirmation, a line each.
struct VersionRecord {
  RemoteVersion version;
  double confirmed_s = 0;
};
std::optional<VersionRecord> ParseRecord(absl::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  VersionRecord out;
  if (lines.size() != 3 || lines[0].empty() || !absl::SimpleAtoi(lines[1], &out.version.size) ||
      out.version.size < 0 || !absl::SimpleAtod(lines[2], &out.confirmed_s) ||
      !IsPrintable(lines[0])) {
    return std::nullopt;
  }
  out.version.validator = std::string(lines[0]);
  return out;
}

}  // namespace

std::optional<RemoteVersion> RemoteVersion::Of(const VersionHeaders& headers, int64_t size) {
  if (absl::StrContains(absl::AsciiStrToLower(headers.cache_control), "no-store"))
    return std::nullopt;
  const absl::string_view etag = headers.etag;
  if (etag.size() > 2 && etag.size() <= kMostValidatorBytes && etag.front() == '"' &&
      etag.back() == '"' && IsPrintable(etag)) {
    return RemoteVersion{std::string(etag), size};
  }
  const auto changed = ParseHttpDate(headers.last_modified), now = ParseHttpDate(headers.date);
  if (!changed || !now || *now - *changed < kYoung) return std::nullopt;
  return RemoteVersion{std::string(headers.last_modified), size};
}

RangeCache::RangeCache(RangeCacheOptions options, service::Logger log)
    : options_([&] {
        if (options.unix_s == nullptr) options.unix_s = &client::UnixSeconds;
        return std::move(options);
      }()),
      log_(std::move(log)),
      disk_(options_.folder, options_.budget_bytes) {
  if (const absl::Status opened = disk_.Open(); !opened.ok()) {
    writes_ = false;
    log_.Warning("offsets are not cached on disk", {{"why", opened.message()}});
  }
}

RangeCache::~RangeCache() {
  const Counts all = counts();
  if (all.disk_ranges + all.server_ranges == 0) return;
  log_.Info("cache of offsets", {{"ranges_from_disk", all.disk_ranges},
                                 {"bytes_from_disk", all.disk_bytes},
                                 {"ranges_from_servers", all.server_ranges},
                                 {"bytes_from_servers", all.server_bytes},
                                 {"damaged", all.damaged}});
}

std::optional<RangeCache::Known> RangeCache::LastOf(const std::string& url) {
  std::string text(kMostValidatorBytes + 100, '\0');
  const auto size = disk_.Get(VersionKey(url), absl::MakeSpan(text));
  if (!size) return std::nullopt;
  const auto record = ParseRecord(absl::string_view(text).substr(0, *size));
  if (!record) return std::nullopt;
  const double age_s = Now() - record->confirmed_s;
  return Known{record->version, age_s > -kMostFuture_s && age_s < kUnconfirmedLife_s};
}

void RangeCache::Confirm(const std::string& url, const RemoteVersion& version) {
  std::string text(kMostValidatorBytes + 100, '\0');
  if (const auto size = disk_.Get(VersionKey(url), absl::MakeSpan(text))) {
    const auto record = ParseRecord(absl::string_view(text).substr(0, *size));
    const double age_s = record ? Now() - record->confirmed_s : 0;
    if (record && record->version == version && age_s >= 0 && age_s < kConfirmAgain_s) return;
  }
  Put(VersionKey(url),
      absl::StrCat(version.validator, "\n", version.size, "\n", static_cast<int64_t>(Now())));
}

std::optional<size_t> RangeCache::Read(const std::string& url, const RemoteVersion& version,
                                       int64_t offset, absl::Span<char> to) {
  const auto size = disk_.Get(RangeKey(url, version, offset, to.size()), to);
  const auto most = std::min<int64_t>(version.size - offset, static_cast<int64_t>(to.size()));
  if (!size || static_cast<int64_t>(*size) != std::max<int64_t>(0, most)) return std::nullopt;
  return size;
}

void RangeCache::Write(const std::string& url, const RemoteVersion& version, int64_t offset,
                       size_t asked, absl::string_view bytes) {
  Put(RangeKey(url, version, offset, asked), bytes);
}

void RangeCache::Put(absl::string_view key, absl::string_view value) {
  {
    const std::lock_guard lock(mutex_);
    if (!writes_) return;
  }
  const absl::Status status = disk_.Put(key, value);
  if (status.ok()) return;
  const std::lock_guard lock(mutex_);
  if (!std::exchange(writes_, false)) return;
  log_.Warning("no more offsets are cached on disk", {{"why", status.message()}});
}

bool RangeCache::IsAway(const std::string& server) {
  const std::lock_guard lock(mutex_);
  const auto found = away_until_s_.find(server);
  return found != away_until_s_.end() && Now() < found->second;
}

void RangeCache::SetAway(const std::string& server, const absl::Status& why) {
  const std::lock_guard lock(mutex_);
  const bool first = away_until_s_.insert_or_assign(server, Now() + kAway_s).second;
  if (!first) return;
  log_.Warning("a server of offsets does not answer; its files are shown as they are on disk",
               {{"server", server}, {"why", why.message()}});
}

void RangeCache::SetBack(const std::string& server) {
  const std::lock_guard lock(mutex_);
  away_until_s_.erase(server);
}

void RangeCache::ReportNoVersion(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (!without_version_.insert(name).second) return;
  log_.Warning(
      "offsets are not cached: their server sends no ETag and no Last-Modified, or forbids it",
      {{"offsets", name}});
}

RangeCache::Counts RangeCache::counts() const {
  const std::lock_guard lock(mutex_);
  Counts out = counts_;
  out.damaged = disk_.damaged();
  return out;
}

void RangeCache::CountFromDisk(size_t bytes) {
  const std::lock_guard lock(mutex_);
  ++counts_.disk_ranges;
  counts_.disk_bytes += static_cast<int64_t>(bytes);
}

void RangeCache::CountFromServer(size_t bytes) {
  const std::lock_guard lock(mutex_);
  ++counts_.server_ranges;
  counts_.server_bytes += static_cast<int64_t>(bytes);
}

}  // namespace posewire::renderer_sink
