// The avatar that a live film shows.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_AVATAR_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_AVATAR_H_

#include <memory>

#include "absl/status/statusor.h"
#include "libs/avatar/model.h"
#include "libs/skel/rig.h"

namespace posewire::renderer_sink {

using LiveAvatar = std::shared_ptr<const avatar::Model>;

// The built-in one, on a rig of the catalogue.
absl::StatusOr<LiveAvatar> MakeLiveAvatar(const skel::RigCatalog& catalog);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_STREAM_LIVE_AVATAR_H_
