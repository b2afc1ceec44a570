// The sent messages that a push client stores to resume after its connection breaks.
#ifndef POSEWIRE_LIBS_CLIENT_RESUME_BUFFER_H_
#define POSEWIRE_LIBS_CLIENT_RESUME_BUFFER_H_

#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "libs/wire/message.h"

namespace posewire::client {

// Serialized messages of one request, oldest first. Capacity: the last `keep_s` seconds of time
// code or the last `keep_bytes`, whichever is more; older messages are dropped. If a server needs
// them, After reports how much is missing. One thread.
class ResumeBuffer {
 public:
  ResumeBuffer(double keep_s, size_t keep_bytes) : keep_s_(keep_s), keep_bytes_(keep_bytes) {}

  // A message without time codes counts as being at the current position of the stream, or at the
  // first time code if it comes before that.
  void Add(wire::MessageBytes message, const wire::ChunkTimes& times);

  struct Tail {
    std::vector<wire::MessageBytes> messages;
    // Seconds after received_until_s that are no longer stored.
    double lost_s = 0;
  };
  // Returns the messages that a server needs if it has every track up to `received_until_s`: every
  // message that reaches beyond it, complete. Minus infinity: all messages.
  Tail After(double received_until_s) const;

  // Smallest and largest time code ever added; infinite before the first.
  double first_time_code_s() const { return first_code_s_; }
  double last_time_code_s() const { return last_code_s_; }
  // Returns whether all added messages are still stored.
  bool complete() const { return dropped_to_s_ == -std::numeric_limits<double>::infinity(); }
  size_t size() const { return entries_.size(); }
  size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    wire::MessageBytes message;
    double end_s = 0;
    bool timeless = false;
  };
  double keep_s_;
  size_t keep_bytes_;
  std::deque<Entry> entries_;
  size_t bytes_ = 0;
  double first_code_s_ = std::numeric_limits<double>::infinity();
  double last_code_s_ = -std::numeric_limits<double>::infinity();
  // Largest end of a dropped message.
  double dropped_to_s_ = -std::numeric_limits<double>::infinity();
};

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_RESUME_BUFFER_H_
