#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/clipio/block_reader.h"
#include "libs/clipio/x3d.h"
#include "libs/clipio/x3d_motion.h"
#include "libs/x3d/read_scene.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::clipio {
namespace {

class X3dReader : public ClipReader {
 public:
  X3dReader(std::unique_ptr<ByteSource> source, const ReadOptions& options)
      : bytes_(std::move(source)), options_(options) {
    opened_ = Open();
    if (motion_ == nullptr || motion_->assumed().empty()) return;
    Warn(absl::StrCat(bytes_.name(), ": ", absl::StrJoin(motion_->assumed(), "; ")));
  }

  std::string place_of_last() const override { return absl::StrCat("time ", place_, " s"); }
  int64_t size() const override { return bytes_.size(); }
  std::shared_ptr<const skel::Rig> skeleton() const override {
    return motion_ == nullptr ? nullptr : motion_->skeleton();
  }

 private:
  absl::StatusOr<std::optional<Message>> DoNext() override {
    Message message;
    if (!opened_.ok()) {
      if (absl::StartsWith(opened_.message(), bytes_.name())) return opened_;
      return absl::Status(opened_.code(), absl::StrCat(bytes_.name(), ": ", opened_.message()));
    }
    if (!std::exchange(begun_, true)) {
      end_of_last_ = bytes_.offset();
      auto& names =
          *message.mutable_animation_data_stream_header()->mutable_skel_animation_header();
      if (motion_->moves_joints()) {
        for (const std::string& joint : motion_->joints()) names.add_joints(joint);
      }
      if (motion_->moves_shapes()) {
        for (const std::string& shape : motion_->shapes()) names.add_blend_shapes(shape);
      }
      return message;
    }
    if (next_ < motion_->times().size()) {
      Fill(motion_->times()[next_++], message);
      return message;
    }
    if (ended_) return std::nullopt;
    ended_ = true;
    message.mutable_status()->set_code(nvidia_ace::status::v1::Status::SUCCESS);
    return message;
  }

  absl::Status Open() {
    x3d::Limits limits;
    absl::StatusOr<std::string> text = ReadWhole(bytes_, limits.bytes);
    if (!text.ok()) return text.status();
    const absl::StatusOr<x3d::Scene> scene = x3d::ReadScene(*text, limits);
    if (!scene.ok()) return scene.status();
    text->clear();
    absl::StatusOr<X3dMotion> motion = X3dMotion::Read(*scene, options_.prim);
    if (!motion.ok()) return motion.status();
    motion_ = std::make_unique<X3dMotion>(*std::move(motion));
    return absl::OkStatus();
  }

  void Fill(double time_s, Message& message) {
    place_ = time_s;
    auto& out = *message.mutable_animation_data()->mutable_skel_animation();
    if (motion_->moves_shapes()) {
      auto& key = *out.add_blend_shape_weights();
      key.set_time_code(time_s);
      for (const float weight : motion_->WeightsAt(time_s)) key.add_values(weight);
    }
    if (!motion_->moves_joints()) return;
    auto& places = *out.add_translations();
    auto& turns = *out.add_rotations();
    places.set_time_code(time_s), turns.set_time_code(time_s);
    for (const X3dMotion::Place& place : motion_->PoseAt(time_s)) {
      auto& t = *places.add_values();
      t.set_x(place.translation.x), t.set_y(place.translation.y), t.set_z(place.translation.z);
      auto& q = *turns.add_values();
      q.set_real(place.rotation.w);
      q.set_i(place.rotation.x), q.set_j(place.rotation.y), q.set_k(place.rotation.z);
    }
  }

  BlockReader bytes_;
  const ReadOptions options_;
  std::unique_ptr<X3dMotion> motion_;
  absl::Status opened_;
  size_t next_ = 0;
  double place_ = 0;
  bool begun_ = false, ended_ = false;
};

}  // namespace

std::unique_ptr<ClipReader> OpenX3d(std::unique_ptr<ByteSource> source,
                                    const ReadOptions& options) {
  return std::make_unique<X3dReader>(std::move(source), options);
}

}  // namespace posewire::clipio
