// Asks an anim_graph which avatars a stream has, and whether a request plays on one.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_GRPC_REQUEST_PROBE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_GRPC_REQUEST_PROBE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/asset/scene.h"
#include "libs/client/connection.h"
#include "libs/wire/chunk.h"
#include "posewire.control.v1.pb.h"

namespace posewire::renderer_sink {

// Returns true while a request plays, starves or blends out on the avatar; a queued one does not
// count. `ids` are those of a pull's header: an empty target is the stream's first avatar.
bool IsPlaying(const posewire::control::v1::ListStreamsResponse& streams,
               const wire::StreamIds& ids);

// An avatar of a stream.
struct AvatarThere {
  std::string target;
  asset::GroundPlace place;
};
// Returns those of the stream, the default one first; none if it does not exist.
std::vector<AvatarThere> AvatarsOf(const posewire::control::v1::ListStreamsResponse& streams,
                                   const std::string& stream_id);

// One thread.
class RequestProbe {
 public:
  // Makes no call yet.
  explicit RequestProbe(const client::ConnectionOptions& connection);
  ~RequestProbe();

  // Blocks for at most a second. UNIMPLEMENTED: the server is not an anim_graph of ours;
  // UNAVAILABLE or DEADLINE_EXCEEDED: it does not respond.
  absl::StatusOr<bool> Playing(const wire::StreamIds& ids);
  // Likewise.
  absl::StatusOr<std::vector<AvatarThere>> Avatars(const std::string& stream_id);

 private:
  absl::StatusOr<posewire::control::v1::ListStreamsResponse> List(const std::string& stream_id);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_GRPC_REQUEST_PROBE_H_
