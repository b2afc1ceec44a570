// Remembers requests that are over.
//
// A request that is over may still be named by a call: a late pull gets its header and final
// status, and a resumed push must not play it again. Servers therefore remember requests that have
// ended for ten minutes, at most 1024 of them, and forget the oldest first. When the process
// reaches its limit on remembered requests, each memory is reduced to its last 16. Running requests
// are held by their owner, not here.
#ifndef POSEWIRE_LIBS_STREAM_REQUEST_MEMORY_H_
#define POSEWIRE_LIBS_STREAM_REQUEST_MEMORY_H_

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "libs/stream/budget.h"
#include "libs/stream/request_end.h"

namespace posewire::stream {

// Maps ids to `Ended`, the owner's data about an ended request. Times are seconds of a monotonic
// clock. One thread.
template <typename Ended>
class RequestMemory {
 public:
  // `all` (may be null) is the process's budget of remembered requests. It must outlive this.
  explicit RequestMemory(double remember_s = kRemember_s, int most = kMaxRememberedRequests,
                         Budget* all = nullptr)
      : remember_s_(remember_s), most_(static_cast<size_t>(most)), share_(all) {}

  // The request is over now. Replaces an older one with the same id.
  void Add(absl::string_view id, Ended ended, double now_s) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.id == id; });
    entries_.push_back({std::string(id), now_s, std::move(ended)});
    Trim();
  }
  // Returns null if the request is not remembered. Valid until the next non-const call.
  const Ended* Find(absl::string_view id) const {
    const auto it = std::find_if(entries_.begin(), entries_.end(),
                                 [&](const Entry& entry) { return entry.id == id; });
    return it == entries_.end() ? nullptr : &it->ended;
  }
  void ForgetOld(double now_s) {
    while (!entries_.empty() && now_s - entries_.front().over_s > remember_s_) {
      entries_.pop_front();
    }
    Trim();
  }
  bool empty() const { return entries_.empty(); }
  // Calls `visit(id, ended)` for the last `most` entries, oldest first.
  template <typename Visit>
  void EachOfLast(size_t most, const Visit& visit) const {
    for (size_t i = entries_.size() - std::min(most, entries_.size()); i < entries_.size(); ++i) {
      visit(entries_[i].id, entries_[i].ended);
    }
  }

 private:
  struct Entry {
    std::string id;
    double over_s;
    Ended ended;
  };

  void Trim() {
    // Updated for each one, so that another memory can use it immediately.
    share_.Set(static_cast<int64_t>(entries_.size()));
    while (entries_.size() > most_ || (entries_.size() > kLeast && share_.over())) {
      entries_.pop_front();
      share_.Set(static_cast<int64_t>(entries_.size()));
    }
  }

  static constexpr size_t kLeast = 16;

  double remember_s_;
  size_t most_;
  std::deque<Entry> entries_;  // oldest first
  Reservation share_;
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_REQUEST_MEMORY_H_
