// Ranges of files on HTTP servers, kept on disk: the policy of libs/disk_cache for RangeSource.
//
// A range is kept under its URL, the version of the file, its offset and its length: .offsets files
// are always read in the same ranges (the header, the index, each chunk), so what was asked for is
// what is kept, and no byte is fetched that was not. A version is the file's size and its strong
// ETag, or else its Last-Modified date if that is at least two seconds older than the answer (the
// date has no fractions). Ranges of two versions are never mixed.
//
// Each source asks the server once, with its first range, whether the version on disk is current
// (304). After that it reads the ranges of that version from disk without asking. If the server
// cannot be reached or answers 5xx, the version on disk is used unconfirmed, up to
// kUnconfirmedLife_s after it was last confirmed.
//
// No URL gets on the disk, because its query may be a secret: names of files are hashes, and one
// small file for each URL has the version that its server last had.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_RANGE_CACHE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_RANGE_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/disk_cache/disk_cache.h"
#include "libs/service/logger.h"

namespace posewire::renderer_sink {

// The headers of an answer that say which version of a file it has.
struct VersionHeaders {
  absl::string_view etag, last_modified, date, cache_control;
};

struct RemoteVersion {
  std::string validator;  // an ETag with its quotes, or a date
  int64_t size = 0;       // of the whole file

  // Returns nothing if the headers have no validator that tells versions apart, or no-store.
  static std::optional<RemoteVersion> Of(const VersionHeaders& headers, int64_t size);
  bool is_etag() const { return validator.front() == '"'; }
  bool operator==(const RemoteVersion&) const = default;
};

struct RangeCacheOptions {
  std::string folder;
  uint64_t budget_bytes = 0;
  std::function<double()> unix_s = nullptr;  // the time; null: the system's
};

// Thread-safe. Errors of the disk never reach a caller: the first one is logged, and after it
// nothing more is written.
class RangeCache {
 public:
  // A week: as long as a server may be away.
  static constexpr double kUnconfirmedLife_s = 7 * 86400;
  // While a server is away, new sources do not ask it for that long.
  static constexpr double kAway_s = 30;

  RangeCache(RangeCacheOptions options, service::Logger log);
  // Logs the counts, if anything was read.
  ~RangeCache();
  RangeCache(const RangeCache&) = delete;
  RangeCache& operator=(const RangeCache&) = delete;

  // The version that the server last had.
  struct Known {
    RemoteVersion version;
    bool usable_unconfirmed = false;
  };
  std::optional<Known> LastOf(const std::string& url);
  // The server has this version now.
  void Confirm(const std::string& url, const RemoteVersion& version);

  // Returns how many bytes are at the beginning of `to`, fewer than to.size() only at the end of
  // the file; nothing if the range is not on disk.
  std::optional<size_t> Read(const std::string& url, const RemoteVersion& version, int64_t offset,
                             absl::Span<char> to);
  // Keeps the answer to a request for `asked` bytes.
  void Write(const std::string& url, const RemoteVersion& version, int64_t offset, size_t asked,
             absl::string_view bytes);

  // `server` is the scheme, host and port of a URL.
  bool IsAway(const std::string& server);
  void SetAway(const std::string& server, const absl::Status& why);
  void SetBack(const std::string& server);
  // Logs once for each `name` that its ranges are not kept.
  void ReportNoVersion(const std::string& name);

  struct Counts {
    int64_t disk_ranges = 0, disk_bytes = 0;      // read from disk
    int64_t server_ranges = 0, server_bytes = 0;  // received from servers
    int64_t damaged = 0;                          // damaged files, which were read again
  };
  Counts counts() const;
  void CountFromDisk(size_t bytes);
  void CountFromServer(size_t bytes);

 private:
  double Now() const { return options_.unix_s(); }
  void Put(absl::string_view key, absl::string_view value);

  const RangeCacheOptions options_;
  const service::Logger log_;
  disk_cache::DiskCache disk_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  bool writes_ = true;
  std::map<std::string, double> away_until_s_;  // by server
  std::set<std::string> without_version_;
  Counts counts_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_RANGE_CACHE_H_
