// The last minutes of a pull, for downloading as a clip.
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

// Keeps the received bytes, within a limit of time and one of memory; the oldest are removed first.
// Thread-safe.
class History {
 public:
  explicit History(const HistoryLimits& limits) : limits_(limits) {}

  // Begins a connection. With `anew`, the joints, shapes or audio differ, and the history is
  // cleared.
  void OnHeader(const wire::MessageBytes& bytes, bool anew);
  // Adds data, or a message that violates the protocol. `at_s` is Unix time by epoch and time code.
  void OnMessage(const wire::MessageBytes& bytes, double at_s, double receive_s);

  // Returns the messages in from_s <= at_s < to_s as the bytes of a clip file. `extension` is
  // "animdata", "jsonl", "glb", "bvh", "vrma" or "wav". NOT_FOUND if there are none,
  // INVALID_ARGUMENT for another extension, and for a clip that its format cannot represent. Works
  // in memory, and takes too long for a thread of the HTTP host.
  absl::StatusOr<std::string> Clip(absl::string_view extension, double from_s, double to_s) const;

 private:
  struct Entry {
    bool is_header = false;
    double at_s = 0;
    double receive_s = 0;
    wire::MessageBytes bytes;
  };

  // Requires mutex_.
  void Add(Entry entry);

  const HistoryLimits limits_;
  mutable std::mutex mutex_;  // guards all below
  Entry header_;              // of the oldest entry
  std::deque<Entry> entries_;
  size_t bytes_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_HISTORY_H_
