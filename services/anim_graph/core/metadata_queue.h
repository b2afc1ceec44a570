// The metadata of a request that has not been shown yet, by time code.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_METADATA_QUEUE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_METADATA_QUEUE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "libs/wire/chunk.h"

namespace posewire::anim_graph {

// Append allocates; TakeDue does not, except for `out`. One thread.
class MetadataQueue {
 public:
  // Returns the time code to which the message's entries belong: its earliest, or without one that
  // of the newest entries before it. Nothing: a resumed call repeats them.
  std::optional<double> Admit(const wire::DataChunk& chunk);
  // Entries of an admitted message.
  void Append(double time_code_s, std::vector<wire::MetadataEntry> entries);
  // Adds an entry before all others.
  void AppendFirst(wire::MetadataEntry entry);
  // Messages up to this time code were sent before.
  void SetFloor(double time_code_s) { floor_s_ = time_code_s; }
  void SetNewest(double time_code_s) { newest_s_ = time_code_s; }
  double newest_s() const { return newest_s_; }

  bool empty() const { return head_ == entries_.size(); }
  // Moves what is due at a time code to `out`, oldest first. Begins no message once `most` entries
  // have been moved.
  void TakeDue(double time_code_s, size_t most, std::vector<wire::MetadataEntry>& out);

  // Memory used.
  size_t bytes() const { return bytes_; }

 private:
  struct Pending {
    double time_code_s;
    std::vector<wire::MetadataEntry> entries;
  };
  static size_t BytesOf(const Pending& pending);

  std::vector<Pending> entries_;
  size_t head_ = 0, bytes_ = 0;
  double newest_s_ = -1;
  double floor_s_ = -1;  // a resumed call repeats entries up to this time code
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_METADATA_QUEUE_H_
