// A clip out of a BVH file, as far as tests of real motion need one.
#ifndef POSEWIRE_TESTS_UNIT_CLIP_BVH_CLIP_H_
#define POSEWIRE_TESTS_UNIT_CLIP_BVH_CLIP_H_

#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/clip/clip.h"

namespace posewire::clip {

// Of a well-formed file in centimetres; null when there is no such file.
inline std::shared_ptr<const Clip> ReadBvhClip(const std::string& path) {
  std::ifstream in(path);
  if (!in) return nullptr;
  skel::RigParts parts;
  parts.name = "bvh";
  std::vector<std::vector<std::string>> channels;
  std::vector<std::string> open;
  bool end = false;
  for (std::string word; in >> word && word != "MOTION";) {
    if (word == "ROOT" || word == "JOINT") {
      in >> word;
      open.push_back(open.empty() ? word : absl::StrCat(open.back(), "/", word));
      parts.joint_paths.push_back(open.back());
      parts.rest_translations.emplace_back();
      channels.emplace_back();
      end = false;
    } else if (word == "End") {
      open.emplace_back("end");
      end = true;
    } else if (word == "OFFSET") {
      skel::Vec3 v;
      in >> v.x >> v.y >> v.z;
      if (!end) parts.rest_translations.back() = v * 0.01f;
    } else if (word == "CHANNELS") {
      size_t n = 0;
      in >> n;
      channels.back().resize(n);
      for (std::string& channel : channels.back()) in >> channel;
    } else if (word == "}") {
      open.pop_back();
      end = false;
    }
  }
  std::string word;
  int frames = 0;
  double period_s = 1;
  in >> word >> frames >> word >> word >> period_s;
  const std::shared_ptr<const skel::Rig> rig = *skel::Rig::Make(std::move(parts));
  std::vector<skel::Pose> poses;
  for (int f = 0; f < frames; ++f) {
    skel::Pose pose(rig->joints(), rig->shapes());
    for (int j = 0; j < rig->joints(); ++j) {
      skel::Quat turn;
      skel::Vec3 place;
      for (const std::string& channel : channels[static_cast<size_t>(j)]) {
        float v = 0;
        in >> v;
        const float angle = v * 3.14159265f / 180;
        if (channel == "Xposition") place.x = v * 0.01f;
        if (channel == "Yposition") place.y = v * 0.01f;
        if (channel == "Zposition") place.z = v * 0.01f;
        if (channel == "Xrotation") turn = Mul(turn, skel::FromAxisAngle({1, 0, 0}, angle));
        if (channel == "Yrotation") turn = Mul(turn, skel::FromAxisAngle({0, 1, 0}, angle));
        if (channel == "Zrotation") turn = Mul(turn, skel::FromAxisAngle({0, 0, 1}, angle));
      }
      pose.span().SetRotation(j, Normalized(turn));
      if (channels[static_cast<size_t>(j)].size() == 6) pose.span().SetTranslation(j, place);
    }
    poses.push_back(std::move(pose));
  }
  const timecode::FrameRate rate{static_cast<int>(std::lround(1 / period_s)), 1};
  return std::make_shared<Clip>("bvh", rig, rate, std::move(poses));
}

}  // namespace posewire::clip

#endif  // POSEWIRE_TESTS_UNIT_CLIP_BVH_CLIP_H_
