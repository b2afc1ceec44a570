// Where the points of a character's file are in poses, for tests that hold them against others'.
//   character_points FILE [refined] <POSES
// A pose is a line of words: JOINT qw qx qy qz turns a joint from its rest, JOINT tx ty tz moves
// one by metres, SHAPE w weighs one; each behind "turn", "move" or "shape". Answers in JSON: the
// rig, its joints' paths, the camera of `render --camera body`, and for each pose the points of
// each mesh in the file's order and in the file's space, metres; null for those of no face. With
// "refined": the points that `render --subdivide` draws of each mesh; none of one that is not
// refined.
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "libs/character/deformer.h"
#include "libs/character/refined_surface.h"
#include "libs/character_file/read_character.h"
#include "libs/render/camera.h"
#include "libs/skel/affine.h"
#include "libs/skel/pose.h"

namespace {

using posewire::character::Character;
using posewire::character::Deformer;
using posewire::character::RefinedSurface;
using posewire::skel::Affine;
using posewire::skel::Quat;
using posewire::skel::Vec3;

int Fail(const std::string& why) {
  std::fprintf(stderr, "character_points: %s\n", why.c_str());
  return 1;
}

// "" or what is wrong.
std::string ReadPose(const std::string& line, const Character& c, posewire::skel::Pose& pose) {
  std::istringstream words(line);
  std::string kind, name;
  while (words >> kind >> name) {
    if (kind == "shape") {
      float weight = 0;
      const int shape = c.rig->FindShape(name);
      if (!(words >> weight) || shape < 0) return "no shape " + name;
      pose.span().SetWeight(shape, weight);
      continue;
    }
    const int joint = c.rig->FindJoint(name);
    if (joint < 0) return "no joint " + name;
    if (kind == "turn") {
      Quat q;
      if (!(words >> q.w >> q.x >> q.y >> q.z)) return "four numbers are to follow " + name;
      pose.span().SetRotation(joint, posewire::skel::Mul(c.rig->rest().rotation(joint), q));
    } else {
      Vec3 t;
      if (!(words >> t.x >> t.y >> t.z)) return "three numbers are to follow " + name;
      pose.span().SetTranslation(joint,
                                 c.rig->rest().translation(joint) + t * (1 / c.length_scale));
    }
  }
  return "";
}

std::vector<std::optional<Vec3>> FilePoints(const Deformer& deformer, size_t m) {
  const posewire::character::Mesh& mesh = deformer.character().meshes[m];
  if (mesh.point_of.empty()) return {deformer.points(m).begin(), deformer.points(m).end()};
  std::vector<std::optional<Vec3>> points(mesh.file_points);
  for (size_t i = 0; i < mesh.points.size(); ++i) {
    points[mesh.point_of[i]] = deformer.points(m)[i];
  }
  return points;
}

std::vector<std::optional<Vec3>> RefinedPoints(const RefinedSurface& surface, size_t m) {
  if (!surface.has(m)) return {};
  const std::vector<Vec3>& points = surface.part(m).points;
  return {points.begin(), points.end()};
}

// `surface`: null for the file's points.
void PrintPoints(const Deformer& deformer, const RefinedSurface* surface, const Affine& back) {
  for (size_t m = 0; m < deformer.character().meshes.size(); ++m) {
    auto points = surface == nullptr ? FilePoints(deformer, m) : RefinedPoints(*surface, m);
    for (std::optional<Vec3>& p : points) {
      if (p) p = posewire::skel::TransformPoint(back, *p);
    }
    std::printf("%s[", m > 0 ? "," : "");
    for (size_t i = 0; i < points.size(); ++i) {
      if (i > 0) std::printf(",");
      if (!points[i]) {
        std::printf("null");
        continue;
      }
      std::printf("[%.8g,%.8g,%.8g]", static_cast<double>(points[i]->x),
                  static_cast<double>(points[i]->y), static_cast<double>(points[i]->z));
    }
    std::printf("]");
  }
}

void PrintVec(const char* name, Vec3 v) {
  std::printf("\"%s\":[%.8g,%.8g,%.8g],", name, static_cast<double>(v.x), static_cast<double>(v.y),
              static_cast<double>(v.z));
}

}  // namespace

int main(int count, char** words) {
  const bool refined = count == 3 && std::string(words[2]) == "refined";
  if (count != 2 && !refined) return Fail("character_points FILE [refined] <POSES");
  const auto rigs = posewire::skel::RigCatalog::Builtin();
  if (!rigs.ok()) return Fail(std::string(rigs.status().message()));
  const auto read = posewire::character_file::OpenCharacter(words[1], *rigs);
  if (!read.ok()) return Fail(std::string(read.status().message()));
  const Character& c = **read;
  const auto back = posewire::skel::Inverse(
      posewire::skel::FromTrs(c.root.translation, c.root.rotation, c.root.scale));
  const auto camera = posewire::render::CameraPreset("body", c.framing);
  if (!back || !camera.ok()) return Fail("no camera");
  std::printf("{\"rig\":\"%s\",\"joints\":[", c.rig->name().c_str());
  for (int j = 0; j < c.rig->joints(); ++j) {
    std::printf("%s\"%s\"", j > 0 ? "," : "", c.rig->joint_paths()[static_cast<size_t>(j)].c_str());
  }
  std::printf("],");
  // The camera stands in the character's space; the points are the file's.
  PrintVec("eye", posewire::skel::TransformPoint(*back, camera->eye));
  PrintVec("target", posewire::skel::TransformPoint(*back, camera->target));
  std::printf("\"view_rad\":%.8g,\"poses\":[", static_cast<double>(camera->view_rad));
  Deformer deformer(*read);
  std::unique_ptr<RefinedSurface> surface;
  if (refined) {
    auto made = RefinedSurface::Make(deformer);
    if (!made.ok()) return Fail(std::string(made.status().message()));
    surface = *std::move(made);
  }
  posewire::skel::Pose pose(c.rig->joints(), c.rig->shapes());
  std::string line;
  for (bool first = true; std::getline(std::cin, line); first = false) {
    pose.span().CopyFrom(c.rig->rest());
    if (const std::string why = ReadPose(line, c, pose); !why.empty()) return Fail(why);
    if (const absl::Status s = deformer.Pose(pose.view()); !s.ok()) {
      return Fail(std::string(s.message()));
    }
    const auto points_of = [&](size_t m) { return deformer.points(m); };
    if (surface != nullptr && !surface->Pose(points_of).ok()) return Fail("no refined pose");
    std::printf("%s[", first ? "" : ",");
    PrintPoints(deformer, surface.get(), *back);
    std::printf("]");
  }
  std::printf("]}\n");
  return 0;
}
