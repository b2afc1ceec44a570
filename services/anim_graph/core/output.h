// Encodes an avatar's frames in one output format: a rig and its names.
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
#include "libs/wire/sparse_pose.h"
#include "services/anim_graph/core/settings.h"

namespace posewire::anim_graph {

// Retargets poses from the avatar's rig to the output rig, and encodes them with `writer` once for
// all pulls of that format. `writer` must outlive the output. Encode does not allocate once its
// buffers are reused. One thread.
class Output {
 public:
  static absl::StatusOr<std::unique_ptr<Output>> Make(std::shared_ptr<const skel::Rig> avatar_rig,
                                                      std::shared_ptr<const skel::Rig> rig,
                                                      const EngineSettings& settings,
                                                      wire::FrameWriter* writer);

  const skel::Rig& rig() const { return *rig_; }
  // Returns the header for a pull with these ids. `passed_on` holds fields of a pushed header that
  // this version does not know (wire::StreamHeader::unknown_fields).
  wire::EncodedFrame Header(const wire::StreamIds& ids, double epoch_s,
                            const std::string& passed_on = "") const;
  // `frame.pose` is on the avatar's rig. Each encoded rotation has the sign that is nearer to the
  // previous tick's.
  wire::EncodedFrame Encode(wire::OutputFrame frame);
  // The same with what differs from `kept`, which is updated. With `complete`, nothing is left out.
  // `whole` (may be null) gets the frame with the pose that receivers hold then.
  wire::EncodedFrame EncodeSparse(wire::OutputFrame frame, bool complete, wire::SparsePose* kept,
                                  wire::EncodedFrame* whole);

 private:
  Output(std::shared_ptr<const skel::Rig> rig, const EngineSettings& settings,
         wire::FrameWriter* writer);
  skel::PoseView PoseOf(const skel::PoseView& from);
  void Change(const skel::PoseView& from);
  void KeepSigns();

  std::shared_ptr<const skel::Rig> rig_;
  const EngineSettings& settings_;
  wire::FrameWriter* writer_;
  // Buffers for poses that differ from the avatar's pose.
  struct Changed {
    Changed(int joints, int shapes) : pose(joints, shapes), previous(joints, shapes) {}
    std::optional<skel::RigMap> map;  // none: the output rig is the avatar's rig
    skel::Pose pose;
    skel::Pose previous;  // used only with a map
  };
  std::unique_ptr<Changed> changed_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_OUTPUT_H_
