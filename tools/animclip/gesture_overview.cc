#include "tools/animclip/gesture_overview.h"

#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "libs/diagram/model_pose.h"
#include "libs/diagram/overview.h"
#include "libs/gesture/neutral_stance.h"
#include "libs/skel/humanoid.h"
#include "libs/skel/layer_job.h"

namespace posewire::animclip {
namespace {

// Layers the clip's frame over the stance in which gestures start.
skel::Pose OnStance(const skel::Pose& stance, const skel::PoseView& frame) {
  skel::Pose pose = stance;
  skel::LayerJob job;
  job.below = pose.view();
  job.layer = frame;
  job.out = pose.span();
  job.Run();
  return pose;
}

// Returns how far the hands (metres) and the head (radians) are from their pose in `start`.
float BodyAway(const skel::Rig& rig, const diagram::ModelPose& start,
               const diagram::ModelPose& now) {
  float away = 0;
  for (const auto hand : {skel::HumanBone::kLeftHand, skel::HumanBone::kRightHand}) {
    const auto j = static_cast<size_t>(rig.humanoid().joint(hand));
    away += Length(now.position[j] - start.position[j]);
  }
  const auto head = static_cast<size_t>(rig.humanoid().joint(skel::HumanBone::kHead));
  return away + 0.5f * AngleBetween(now.rotation[head], start.rotation[head]);
}

float FaceAway(const skel::PoseView& frame) {
  float sum = 0;
  for (int s = 0; s < frame.shapes; ++s) sum += frame.has_w[s] ? frame.weights[s] : 0;
  return sum;
}

int FarthestFrame(const clip::Clip& clip, const skel::Pose& stance) {
  if (clip.loops()) return 0;
  const skel::Rig& rig = *clip.rig();
  const diagram::ModelPose start = diagram::ToModel(rig, OnStance(stance, clip.frame(0)).view());
  int best = 0;
  float most = -1;
  for (int f = 0; f < clip.frames(); ++f) {
    const float away =
        clip.kind() == clip::ClipKind::kFacialGesture
            ? FaceAway(clip.frame(f))
            : BodyAway(rig, start, diagram::ToModel(rig, OnStance(stance, clip.frame(f)).view()));
    if (away <= most) continue;
    most = away;
    best = f;
  }
  return best;
}

}  // namespace

absl::Status WriteGestureOverview(const clip::ClipLibrary& library, const std::string& path) {
  const auto clips = library.clips();
  if (clips.empty()) return absl::InvalidArgumentError("there is no gesture");
  const skel::Rig& rig = *clips[0]->rig();
  const auto stance = gesture::NeutralStance(rig);
  if (!stance.ok()) return stance.status();
  const std::pair<clip::ClipKind, const char*> kinds[] = {
      {clip::ClipKind::kPosture, "Postures"},
      {clip::ClipKind::kGesture, "Gestures"},
      {clip::ClipKind::kFacialGesture, "Facial gestures"}};
  std::vector<diagram::OverviewGroup> groups;
  for (const auto& [kind, title] : kinds) {
    diagram::OverviewGroup group{title, {}};
    for (const auto& clip : clips) {
      if (clip->kind() != kind) continue;
      group.cells.push_back({clip->name(), absl::StrFormat("%.1f s", clip->duration_s()),
                             OnStance(*stance, clip->frame(FarthestFrame(*clip, *stance))),
                             kind == clip::ClipKind::kFacialGesture});
    }
    groups.push_back(std::move(group));
  }
  return diagram::WriteOverview(rig, "Built-in postures and gestures", groups, path);
}

}  // namespace posewire::animclip
