#include <memory>
#include <utility>
#include <vector>

#include "libs/clipio/clip_writer.h"
#include "libs/clipio/load_clip.h"
#include "libs/wire/frame_writer.h"

namespace posewire::clipio {
namespace {

// The elements of a rig that a pose has values for.
struct Named {
  std::vector<int> joints, shapes;

  explicit Named(const skel::PoseView& pose) {
    for (int j = 0; j < pose.joints; ++j) {
      if (pose.has_t[j] || pose.has_r[j] || pose.has_s[j]) joints.push_back(j);
    }
    for (int s = 0; s < pose.shapes; ++s) {
      if (pose.has_w[s]) shapes.push_back(s);
    }
  }
};

void Gather(const Named& named, const skel::PoseView& pose, const skel::PoseView& rest,
            const skel::PoseSpan& out) {
  for (int i = 0; i < out.joints; ++i) {
    const int j = named.joints[static_cast<size_t>(i)];
    out.SetTranslation(i, pose.has_t[j] ? pose.translation(j) : rest.translation(j));
    out.SetRotation(i, pose.has_r[j] ? pose.rotation(j) : rest.rotation(j));
    out.SetScale(i, pose.has_s[j] ? pose.scale(j) : rest.scale(j));
  }
  for (int i = 0; i < out.shapes; ++i) {
    out.SetWeight(i, pose.weights[named.shapes[static_cast<size_t>(i)]]);
  }
}

absl::Status WriteFrame(const wire::EncodedFrame& frame, ClipWriter* file) {
  return file->WriteSerialized(frame.Whole());
}

}  // namespace

absl::Status WriteClip(const clip::Clip& clip, const std::string& path,
                       const SaveOptions& options) {
  const skel::Rig& rig = *clip.rig();
  const Named named(clip.frames() > 0 ? clip.frame(0) : skel::PoseView{});
  wire::StreamHeader header;
  header.ids.request_id = options.request_id.empty() ? clip.name() : options.request_id;
  header.ids.stream_id = options.stream_id;
  header.source_service_id = options.source_service_id;
  for (const int j : named.joints) {
    header.joints.push_back(rig.joint_paths()[static_cast<size_t>(j)]);
  }
  for (const int s : named.shapes) {
    header.shapes.push_back(rig.shape_names()[static_cast<size_t>(s)]);
  }
  absl::StatusOr<std::unique_ptr<ClipWriter>> file = ClipWriter::Open(path);
  if (!file.ok()) return file.status();
  if (absl::Status s = WriteFrame(wire::EncodeHeader(header), file->get()); !s.ok()) return s;

  skel::Pose pose(static_cast<int>(named.joints.size()), static_cast<int>(named.shapes.size()));
  skel::Pose whole(rig.joints(), rig.shapes());
  wire::FrameWriter writer(pose.joints(), pose.shapes());
  for (int k = 0; k < clip.frames(); ++k) {
    clip.CopyFrame(k, whole.span());
    Gather(named, whole.view(), rig.rest(), pose.span());
    wire::OutputFrame frame;
    frame.time_code_s = clip.rate().SecondsAt(k);
    frame.pose = pose.view();
    if (absl::Status s = WriteFrame(writer.Write(frame), file->get()); !s.ok()) return s;
  }
  const wire::EncodedFrame last = wire::EncodeStatus(wire::StatusChunk::kSuccess, "");
  if (absl::Status s = WriteFrame(last, file->get()); !s.ok()) return s;
  return (*file)->Close();
}

}  // namespace posewire::clipio
