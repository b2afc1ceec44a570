#include "tools/animclip/clip_messages.h"

#include <algorithm>
#include <vector>

#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::animclip {
namespace {

namespace pb = nvidia_ace::animation_data::v1;

// What the clip moves, by its first frame.
struct Layout {
  explicit Layout(const clip::Clip& clip) {
    const skel::PoseView p = clip.frame(0);
    for (int j = 0; j < p.joints; ++j) {
      if (!p.has_t[j] && !p.has_r[j] && !p.has_s[j]) continue;
      joints.push_back(j);
      translations = translations || p.has_t[j];
      rotations = rotations || p.has_r[j];
      scales = scales || p.has_s[j];
    }
    for (int s = 0; s < p.shapes; ++s) {
      if (p.has_w[s]) shapes.push_back(s);
    }
  }
  std::vector<int> joints, shapes;
  bool translations = false, rotations = false, scales = false;
};

std::string Header(const clip::Clip& clip, const Layout& layout, const std::string& source) {
  pb::AnimationDataStream message;
  pb::AnimationDataStreamHeader& header = *message.mutable_animation_data_stream_header();
  header.set_source_service_id(source);
  pb::SkelAnimationHeader& names = *header.mutable_skel_animation_header();
  for (int j : layout.joints) names.add_joints(clip.rig()->joint_paths()[static_cast<size_t>(j)]);
  for (int s : layout.shapes) {
    names.add_blend_shapes(clip.rig()->shape_names()[static_cast<size_t>(s)]);
  }
  return message.SerializeAsString();
}

void SetFloat3(skel::Vec3 v, pb::Float3* out) { out->set_x(v.x), out->set_y(v.y), out->set_z(v.z); }

std::string Frame(const clip::Clip& clip, const Layout& layout, int frame) {
  const skel::PoseView p = clip.frame(frame), rest = clip.rig()->rest();
  const double code = clip.rate().SecondsAt(frame);
  pb::AnimationDataStream message;
  pb::SkelAnimation& skel = *message.mutable_animation_data()->mutable_skel_animation();
  if (!layout.shapes.empty()) {
    auto* key = skel.add_blend_shape_weights();
    key->set_time_code(code);
    for (int s : layout.shapes) key->add_values(p.weights[s]);
  }
  if (layout.translations) {
    auto* key = skel.add_translations();
    key->set_time_code(code);
    for (int j : layout.joints) {
      SetFloat3((p.has_t[j] ? p : rest).translation(j), key->add_values());
    }
  }
  if (layout.rotations) {
    auto* key = skel.add_rotations();
    key->set_time_code(code);
    for (int j : layout.joints) {
      const skel::Quat q = (p.has_r[j] ? p : rest).rotation(j);
      auto* value = key->add_values();
      value->set_real(q.w), value->set_i(q.x), value->set_j(q.y), value->set_k(q.z);
    }
  }
  if (layout.scales) {
    auto* key = skel.add_scales();
    key->set_time_code(code);
    for (int j : layout.joints) SetFloat3((p.has_s[j] ? p : rest).scale(j), key->add_values());
  }
  return message.SerializeAsString();
}

}  // namespace

absl::Status WriteClip(const clip::Clip& clip, const std::string& source_service_id,
                       absl::FunctionRef<absl::Status(const std::string& bytes)> write) {
  const Layout layout(clip);
  if (absl::Status s = write(Header(clip, layout, source_service_id)); !s.ok()) return s;
  for (int f = 0; f < clip.frames(); ++f) {
    if (absl::Status s = write(Frame(clip, layout, f)); !s.ok()) return s;
  }
  pb::AnimationDataStream last;
  last.mutable_status()->set_code(nvidia_ace::status::v1::Status::SUCCESS);
  return write(last.SerializeAsString());
}

}  // namespace posewire::animclip
