// A small person in a clip, and the complex points that someone else's rig makes of it, in the
// forms in which other programs export them.
#ifndef POSEWIRE_TESTS_UNIT_ANIMCLIP_MOVING_PERSON_H_
#define POSEWIRE_TESTS_UNIT_ANIMCLIP_MOVING_PERSON_H_

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/character_file/read_character.h"
#include "libs/clipio/load_clip.h"
#include "tests/unit/animclip/clip_fixture.h"
#include "tests/unit/character/small_glb.h"
#include "tools/animclip/film_bake.h"

namespace posewire::animclip {

using skel::Vec3;

inline constexpr int kFrames = 12;

// A small person in a clip, and the complex points that someone else's rig makes of it.
class MovingPersonTest : public ::testing::Test {
 protected:
  // `bulge_m`: how far the complex points are from those of the skin.
  explicit MovingPersonTest(float bulge_m = 0.02f) : bulge_m_(bulge_m) {}

  void SetUp() override {
    Spill(hero_, character::SmallPerson().Glb());
    MakeClip();
    const auto catalog = *skel::RigCatalog::Builtin("arkit68");
    person_ = *character_file::OpenCharacter(hero_, catalog);
    played_ = *clipio::LoadClip(clip_, person_->rig, catalog);
    rig_ = std::make_unique<SimpleRig>(person_);
    const character::CharacterNode& root = person_->root;
    to_file_ = *skel::Inverse(skel::FromTrs(root.translation, root.rotation, root.scale));
    const std::vector<skel::Affine>& s = rig_->transforms;
    for (int f = 0; f < kFrames; ++f) {
      Pose(f);
      std::vector<Vec3>& frame = complex_.emplace_back();
      for (size_t i = 0; i < s.size(); ++i) {
        const float t = 0.5f * static_cast<float>(f) + static_cast<float>(i);
        const Vec3 bulge = Vec3{std::sin(t), std::cos(2 * t), std::sin(3 * t)} * bulge_m_;
        frame.push_back(skel::TransformPoint(
            to_file_, skel::TransformPoint(s[i], rig_->skin.rest()[i]) + bulge));
      }
    }
  }

  // Writes kFrames at 30 a second.
  virtual void MakeClip() { WriteClipFile(clip_, MakeTalk({.frames = kFrames, .audio_hz = 0})); }

  void Pose(int frame) {
    skel::Pose pose(person_->rig->joints(), person_->rig->shapes());
    played_->CopyFrame(frame, pose.span());
    ASSERT_TRUE(rig_->Pose(pose.view()).ok());
  }

  static std::string Tuple(Vec3 p) { return absl::StrFormat("(%.9g,%.9g,%.9g)", p.x, p.y, p.z); }
  std::string Stage(float unit = 1, size_t fewer = 0) const {
    std::string out = absl::StrFormat(
        "#usda 1.0\n( metersPerUnit = %g\n upAxis = \"Y\"\n timeCodesPerSecond = 60\n "
        "framesPerSecond = 30 )\ndef Mesh \"body\" {\n point3f[] points.timeSamples = {\n",
        unit);
    for (int f = 0; f < kFrames; ++f) {
      std::vector<std::string> points;
      for (size_t i = fewer; i < complex_[0].size(); ++i) {
        points.push_back(Tuple(complex_[static_cast<size_t>(f)][i] * (1 / unit)));
      }
      absl::StrAppend(&out, 100 + 2 * f, ": [", absl::StrJoin(points, ","), "],\n");
    }
    return absl::StrCat(out, "} }\n");
  }
  // One target a frame, of which each has its turn.
  std::string Morphs() const {
    character::GlbBytes bytes;
    const auto numbers = [&](const std::vector<Vec3>& points) {
      std::vector<float> out;
      for (const Vec3 p : points) out.insert(out.end(), {p.x, p.y, p.z});
      return out;
    };
    const int base = bytes.Points(numbers(complex_[0]));
    std::vector<std::string> targets;
    for (const std::vector<Vec3>& frame : complex_) {
      std::vector<Vec3> offsets;
      for (size_t i = 0; i < frame.size(); ++i) offsets.push_back(frame[i] - complex_[0][i]);
      targets.push_back(absl::StrCat(R"({"POSITION":)", bytes.Points(numbers(offsets)), "}"));
    }
    std::vector<uint16_t> corners;
    for (size_t i = 0; i + 2 < complex_[0].size(); ++i) {
      corners.insert(corners.end(), {static_cast<uint16_t>(i), static_cast<uint16_t>(i + 1),
                                     static_cast<uint16_t>(i + 2)});
    }
    const int index = bytes.Accessor(corners, 5123, "SCALAR", corners.size());
    std::vector<float> times, weights;
    for (int f = 0; f < kFrames; ++f) {
      times.push_back(0.5f + static_cast<float>(f) / 30);
      for (int t = 0; t < kFrames; ++t) weights.push_back(t == f ? 1.0f : 0.0f);
    }
    const int input = bytes.Accessor(times, 5126, "SCALAR", times.size());
    const int output = bytes.Accessor(weights, 5126, "SCALAR", weights.size());
    return bytes.Glb(absl::StrCat(
        R"("scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"name":"body","mesh":0}],"meshes":[)",
        R"({"primitives":[{"attributes":{"POSITION":)", base, R"(},"indices":)", index,
        R"(,"targets":[)", absl::StrJoin(targets, ","), R"(]}]}],"animations":[{"channels":[)",
        R"({"sampler":0,"target":{"node":0,"path":"weights"}}],"samplers":[{"input":)", input,
        R"(,"output":)", output, "}]}]"));
  }
  std::string ObjFolder(const std::string& name) const {
    const std::string folder = TempPath(name);
    std::filesystem::create_directories(folder);
    for (int f = 0; f < kFrames; ++f) {
      std::string text = "# a comment\no whatever\n";
      for (const Vec3 p : complex_[static_cast<size_t>(f)]) {
        absl::StrAppend(&text, absl::StrFormat("v  %.9g %.9g %.9g\r\nvn 0 1 0\n", p.x, p.y, p.z));
      }
      Spill(absl::StrCat(folder, "/f", f, ".obj"), absl::StrCat(text, "f 1 2 3\n"));
    }
    return folder;
  }

  const float bulge_m_;
  const std::string hero_ = TempPath("hero.glb"), clip_ = TempPath("take.animdata");
  std::shared_ptr<const character::Character> person_;
  std::shared_ptr<const clip::Clip> played_;
  std::unique_ptr<SimpleRig> rig_;
  skel::Affine to_file_;
  std::vector<std::vector<Vec3>> complex_;  // in the space of the character's file
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TESTS_UNIT_ANIMCLIP_MOVING_PERSON_H_
