// One layout in which an avatar is sent: a rig, its names, and the encoder.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_OUTPUT_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_OUTPUT_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_map.h"
#include "libs/wire/frame_writer.h"
#include "services/anim_graph/core/settings.h"

namespace posewire::anim_graph {

// Carries poses of the avatar's rig over to the layout's rig and encodes them with `writer`, which
// outlives it, once for all pulls of that layout. Encode does not allocate once buffers circulate.
// One thread.
class Output {
 public:
  static absl::StatusOr<std::unique_ptr<Output>> Make(std::shared_ptr<const skel::Rig> avatar_rig,
                                                      std::shared_ptr<const skel::Rig> rig,
                                                      const EngineSettings& settings,
                                                      wire::FrameWriter* writer);

  const skel::Rig& rig() const { return *rig_; }
  // The header that a pull of these ids begins with. `passed_on` are fields of a pushed header that
  // are not known here (wire::StreamHeader::unknown_fields).
  wire::EncodedFrame Header(const wire::StreamIds& ids, double epoch_s,
                            const std::string& passed_on = "") const;
  // `frame.pose` is of the avatar's rig; each of its rotations has the sign that is nearer to the
  // tick before.
  wire::EncodedFrame Encode(wire::OutputFrame frame);

 private:
  Output(std::shared_ptr<const skel::Rig> rig, const EngineSettings& settings,
         wire::FrameWriter* writer);
  void Change(const skel::PoseView& from);
  void KeepSigns();

  std::shared_ptr<const skel::Rig> rig_;
  const EngineSettings& settings_;
  wire::FrameWriter* writer_;
  // Where the avatar's pose is not sent as it is.
  struct Changed {
    Changed(int joints, int shapes) : pose(joints, shapes), previous(joints, shapes) {}
    std::optional<skel::RigMap> map;  // none: same rig
    skel::Pose pose;
    skel::Pose previous;  // only with a map
  };
  std::unique_ptr<Changed> changed_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_OUTPUT_H_
