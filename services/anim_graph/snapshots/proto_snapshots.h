// Snapshots of streams as posewire.snapshot.v1.Stream messages.
//
// The position of a request that plays is given by the time at which it began, so it changes only
// when the request stalls. Requests whose headers do not fit into
// StreamDirectory::kMostSnapshotBytes are left out.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_SNAPSHOTS_PROTO_SNAPSHOTS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_SNAPSHOTS_PROTO_SNAPSHOTS_H_

#include <memory>

#include "services/anim_graph/core/stream_snapshots.h"

namespace posewire::anim_graph {

// For EngineParts::snapshots. `parts->directory` saves the snapshots. All arguments must outlive
// the result.
std::unique_ptr<StreamSnapshots> MakeProtoSnapshots(const EngineParts* parts, Streams* streams,
                                                    PushLedger* pushes);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_SNAPSHOTS_PROTO_SNAPSHOTS_H_
