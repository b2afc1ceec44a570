// The last minutes of a pull, to be downloaded as a clip.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_HISTORY_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_HISTORY_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/wire/message.h"

namespace posewire::renderer_sink {

struct HistoryLimits {
  double seconds = 180;
  size_t bytes = 128 << 20;
};

// Holds the bytes that came, back to a bound of time and one of memory; the oldest goes first.
// Thread-safe.
class History {
 public:
  explicit History(const HistoryLimits& limits) : limits_(limits) {}

  // A connection's header. With `anew` the joints, shapes or voice are others: what was held goes.
  void OnHeader(const wire::MessageBytes& bytes, bool anew);
  // Data, or a message that breaks the rules. `at_s` is Unix time by epoch and code.
  void OnMessage(const wire::MessageBytes& bytes, double at_s, double receive_s);

  // What lies in from_s <= at_s < to_s as the bytes of a clip file, `extension` one of "animdata",
  // "jsonl", "glb", "bvh", "vrma" and "wav". NOT_FOUND when nothing does, INVALID_ARGUMENT for
  // another extension, and for a clip that its format cannot hold. Is made in memory, which takes
  // longer than a thread of the HTTP host may be held.
  absl::StatusOr<std::string> Clip(absl::string_view extension, double from_s, double to_s) const;

 private:
  struct Entry {
    bool is_header = false;
    double at_s = 0;
    double receive_s = 0;
    wire::MessageBytes bytes;
  };

  // With mutex_ held.
  void Add(Entry entry);

  const HistoryLimits limits_;
  mutable std::mutex mutex_;  // Guards what follows.
  Entry header_;              // Of the oldest entry that is still there.
  std::deque<Entry> entries_;
  size_t bytes_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_HISTORY_H_
