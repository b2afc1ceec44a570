#include "libs/formats/gltf/scene_nodes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/types/span.h"
#include "libs/skel/key_track.h"
#include "libs/wire/chunk.h"

namespace posewire::gltf {

using skel::Quat;

void AddPlaces(int node, const std::vector<double>& times_s,
               const std::vector<asset::RigidPlace>& places, DocumentWriter& out) {
  const std::vector<double> distinct_s = DocumentWriter::DistinctTimes(times_s);
  std::vector<float> at, turns;
  Quat last = skel::Normalized(places[0].turn);
  for (const double time_s : distinct_s) {
    const auto i = static_cast<size_t>(std::lower_bound(times_s.begin(), times_s.end(), time_s) -
                                       times_s.begin());
    Quat q = skel::Normalized(places[i].turn);
    if (skel::Dot(q, last) < 0) q = -q;
    last = q;
    at.insert(at.end(), {places[i].at.x, places[i].at.y, places[i].at.z});
    turns.insert(turns.end(), {q.x, q.y, q.z, q.w});
  }
  out.nodes[static_cast<size_t>(node)].translation = places[0].at;
  out.nodes[static_cast<size_t>(node)].rotation = skel::Normalized(places[0].turn);
  if (distinct_s.size() < 2) return;
  const int input = out.AddTimes(distinct_s);
  out.channels.push_back({node, input, out.Add(at, 3), "translation"});
  out.channels.push_back({node, input, out.Add(turns, 4), "rotation"});
}

void AddCamera(const asset::Motion& motion, const skel::Trs& place, DocumentWriter& out) {
  const skel::KeyTrack& at = motion.camera[wire::kCameraPosition];
  const skel::KeyTrack& turn = motion.camera[wire::kCameraRotation];
  const skel::KeyTrack& focal = motion.camera[wire::kFocalLength];
  const std::vector<double>& times_s =
      motion.camera_time_codes_s[at.empty() ? wire::kCameraRotation : wire::kCameraPosition];
  if (times_s.empty()) return;
  const skel::Affine into_world = skel::FromTrs(place.translation, place.rotation, {1, 1, 1});
  std::vector<asset::RigidPlace> places;
  float three[3] = {}, four[4] = {}, one[1] = {};
  for (const double time_s : times_s) {
    asset::RigidPlace seen;
    if (!at.empty()) {
      const auto v = at.Sample(time_s, absl::MakeSpan(three));
      seen.at = {v[0], v[1], v[2]};
    }
    if (!turn.empty()) {
      const auto v = turn.Sample(time_s, absl::MakeSpan(four));
      seen.turn = {v[0], v[1], v[2], v[3]};
    }
    places.push_back({skel::TransformPoint(into_world, seen.at),
                      skel::Normalized(skel::Mul(place.rotation, seen.turn))});
  }
  AddPlaces(
      out.AddNode({.name = "Camera", .camera = static_cast<int>(out.camera_angles_rad.size())}, -1),
      times_s, places, out);
  float focal_mm = 35;
  if (!focal.empty()) focal_mm = focal.Sample(times_s[0], absl::MakeSpan(one))[0];
  out.camera_angles_rad.push_back(2 * std::atan(12.0f / focal_mm));
}

}  // namespace posewire::gltf
