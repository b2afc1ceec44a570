// Snapshots of streams, from which another process continues them.
//
// A snapshot has what a stream's calls have set and how far its requests have played, but no data
// of a request: its source sends that again when it resumes. The directory saves the snapshot of
// each leased stream when it changes. After a crash, a request continues where it is known to have
// been, so up to half a second may be repeated, and nothing is lost. HandOver gives the exact
// position. docs/scale.md, State of a stream.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAM_SNAPSHOTS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAM_SNAPSHOTS_H_

#include <cstddef>

#include "services/anim_graph/core/push_ledger.h"
#include "services/anim_graph/core/streams.h"

namespace posewire::anim_graph {

// One thread.
class StreamSnapshots {
 public:
  virtual ~StreamSnapshots() = default;
  // Saves the snapshots that have changed, of every `parts`-th stream from `part` on.
  virtual void SaveChanged(size_t part, size_t parts) = 0;
  // Saves the state of a leased stream and gives its lease away. Remove the stream afterwards.
  virtual void HandOver(Stream& stream, Now now) = 0;
  // Fills a new stream. Leaves out what this process cannot continue.
  virtual void Continue(Stream& stream, const StreamDirectory::SavedStream& saved, Now now) = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAM_SNAPSHOTS_H_
