// What is remembered of requests that are over.
//
// A request that is over may still be asked for: a late pull gets its header and last status, and a
// push that would go on with it must not play it twice. So whoever serves requests remembers those
// that ended, for ten minutes and 1024 of them, and forgets the oldest first. When the process
// remembers as many as it may, the last 16 of each stay. Requests that go on are their owner's, and
// not in here.
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

// By id; `Ended` is what the owner wants to know of one. Times are seconds of a clock that does not
// go back. One thread.
template <typename Ended>
class RequestMemory {
 public:
  // `all` (may be null) counts those of the process, and outlives this.
  explicit RequestMemory(double remember_s = kRemember_s, int most = kMaxRememberedRequests,
                         Budget* all = nullptr)
      : remember_s_(remember_s), most_(static_cast<size_t>(most)), share_(all) {}

  // The request is over now. What stood under its id is forgotten.
  void Add(absl::string_view id, Ended ended, double now_s) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.id == id; });
    entries_.push_back({std::string(id), now_s, std::move(ended)});
    Trim();
  }
  // Null when it is not remembered. Until the next call of another kind.
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

 private:
  struct Entry {
    std::string id;
    double over_s;
    Ended ended;
  };

  void Trim() {
    // What one has given up is another's at once.
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
  Share share_;
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_REQUEST_MEMORY_H_
