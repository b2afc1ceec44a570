// Counts an HTTP server's replies by status.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_HTTP_REPLIES_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_HTTP_REPLIES_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/service/metrics/metrics_text.h"

namespace posewire::service {

// Thread-safe.
class HttpReplies {
 public:
  // Counts a status from 100 to 599; ignores others.
  void Count(int status) {
    if (status >= kLowest && status < kLowest + kStatuses) {
      ++counts_[static_cast<size_t>(status - kLowest)];
    }
  }

  // Returns one sample for each status that occurred, and for 200.
  Metric Told() const {
    Metric metric{"posewire_http_replies_total",
                  "Replies to HTTP requests by status; refused connections are 503.",
                  Metric::Kind::kCounter,
                  {}};
    for (int i = 0; i < kStatuses; ++i) {
      const int64_t count = counts_[static_cast<size_t>(i)];
      if (count == 0 && kLowest + i != 200) continue;
      metric.samples.push_back({static_cast<double>(count), {{"code", absl::StrCat(kLowest + i)}}});
    }
    return metric;
  }

 private:
  static constexpr int kLowest = 100, kStatuses = 500;
  std::array<std::atomic<int64_t>, kStatuses> counts_ = {};
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_HTTP_REPLIES_H_
