#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/asset/whole_file_reader.h"
#include "libs/formats/x3d/humanoid.h"
#include "libs/formats/x3d/inline.h"
#include "libs/formats/x3d/motion.h"
#include "libs/formats/x3d/read_scene.h"
#include "libs/formats/x3d/x3d.h"
#include "libs/skel/body.h"
#include "libs/skel/rig.h"

namespace posewire::x3d {
namespace {

class X3dClipReader : public asset::WholeFileReader {
 public:
  X3dClipReader(std::unique_ptr<files::ByteSource> source, const asset::ReadOptions& options)
      : WholeFileReader(std::move(source), options) {
    opened_ = Open();
    if (!doubts_.empty()) Doubt(absl::StrJoin(doubts_, "; "));
  }

  absl::StatusOr<asset::MotionNames> Start() override {
    if (!opened_.ok()) return opened_;
    asset::MotionNames names;
    if (motion_->moves_joints()) names.joints = motion_->joints();
    if (motion_->moves_shapes()) names.shapes = motion_->shapes();
    return names;
  }

  absl::StatusOr<bool> Next(wire::DataChunk* keys) override {
    if (next_ == motion_->times().size()) return false;
    place_ = motion_->times()[next_++];
    if (motion_->moves_shapes()) asset::PutWeights(place_, motion_->WeightsAt(place_), *keys);
    if (!motion_->moves_joints()) return true;
    const std::vector<X3dMotion::Place>& pose = motion_->PoseAt(place_);
    asset::PutPlaces(place_, pose, *keys);
    asset::PutTurns(place_, pose, *keys);
    return true;
  }

  std::string place() const override { return absl::StrCat("time ", place_, " s"); }
  std::shared_ptr<const skel::Rig> skeleton() const override {
    return motion_ == nullptr ? nullptr : motion_->skeleton();
  }

 private:
  absl::Status Open() {
    Limits limits;
    absl::StatusOr<std::string> text = ReadWhole(bytes_, limits.bytes);
    if (!text.ok()) return text.status();
    const absl::StatusOr<Scene> scene = ReadSceneWithInlines(*text, limits, options_.sidecar);
    if (!scene.ok()) return scene.status();
    text->clear();
    absl::StatusOr<X3dMotion> motion = X3dMotion::Read(*scene, options_.prim);
    if (!motion.ok()) return motion.status();
    doubts_ = motion->assumed();
    doubts_.insert(doubts_.end(), scene->inline_notes.begin(), scene->inline_notes.end());
    motion_ = std::make_unique<X3dMotion>(*std::move(motion));
    return absl::OkStatus();
  }

  std::unique_ptr<X3dMotion> motion_;
  absl::Status opened_;
  std::vector<std::string> doubts_;
  size_t next_ = 0;
  double place_ = 0;
};

}  // namespace

absl::StatusOr<asset::SkeletonAtRest> ReadX3dSkeleton(absl::string_view bytes) {
  const absl::StatusOr<skel::RigCatalog> catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return catalog.status();
  const auto standard = catalog->Find("hanim_loa4");
  if (!standard.ok()) return standard.status();
  const absl::StatusOr<Scene> scene = ReadScene(bytes);
  if (!scene.ok()) return scene.status();
  const absl::StatusOr<HAnimHumanoid> humanoid = ReadHumanoid(*scene, **standard);
  if (!humanoid.ok()) return humanoid.status();
  return asset::SkeletonAtRest{skel::RestRig(RigOf(*humanoid)), {}};
}

std::unique_ptr<asset::MotionReader> OpenX3d(std::unique_ptr<files::ByteSource> source,
                                             const asset::ReadOptions& options) {
  return std::make_unique<X3dClipReader>(std::move(source), options);
}

}  // namespace posewire::x3d
