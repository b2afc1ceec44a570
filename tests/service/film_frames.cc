// The built-in woman's complex character as others' programs would export it, for tests: an OBJ
// file a frame, and the clip.
//   film_frames FOLDER CLIP EVERY [z]
// Writes FOLDER/frames/f0.obj ... with the points of every EVERYth frame, without joints and
// weights, FOLDER/frames/look.mtl with its pictures, and FOLDER/take.animdata with those frames of
// the clip. With z, lengths are centimetres and Z is up.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/clipio/load_clip.h"
#include "libs/image/image.h"
#include "tools/animclip/film_bake.h"

namespace {

using posewire::animclip::FilmBake;
using posewire::character::Character;
using posewire::skel::Vec3;

int Fail(const std::string& why) {
  std::fprintf(stderr, "film_frames: %s\n", why.c_str());
  return 1;
}

std::string LookOf(const Character& c, const std::filesystem::path& folder) {
  std::string out;
  for (size_t m = 0; m < c.materials.size(); ++m) {
    const auto& material = c.materials[m];
    absl::StrAppendFormat(&out, "newmtl m%d_%s\nKd %g %g %g\n", m, material.name, material.color.x,
                          material.color.y, material.color.z);
    if (material.texture < 0) continue;
    const auto& picture = c.textures[static_cast<size_t>(material.texture)];
    const auto png = posewire::image::EncodePng(picture.width, picture.height, picture.rgba);
    if (!png.ok()) continue;
    const std::string name = absl::StrCat("t", material.texture, ".png");
    std::ofstream(folder / name, std::ios::binary) << *png;
    absl::StrAppend(&out, "map_Kd ", name, "\n");
  }
  return out;
}

void WriteFrame(const FilmBake& bake, size_t frame, bool z_up, const std::string& path) {
  const auto& skin = bake.rig->skin;
  const Character& c = bake.rig->deformer.character();
  std::string out = "mtllib look.mtl\n";
  for (size_t k = 0; k < skin.meshes().size(); ++k) {
    const auto& mesh = c.meshes[skin.meshes()[k]];
    const size_t first = skin.first()[k];
    absl::StrAppend(&out, "o ", mesh.name, "\n");
    for (size_t i = 0; i < mesh.points.size(); ++i) {
      Vec3 p = bake.complex[frame * skin.points() + first + i];
      if (z_up) p = Vec3{p.x, -p.z, p.y} * 100;
      absl::StrAppendFormat(&out, "v %.7g %.7g %.7g\n", p.x, p.y, p.z);
    }
    for (const auto& uv : mesh.uv) {
      absl::StrAppendFormat(&out, "vt %.6g %.6g\n", uv[0], 1 - uv[1]);
    }
    absl::StrAppendFormat(&out, "usemtl m%d_%s\n", mesh.material,
                          c.materials[static_cast<size_t>(mesh.material)].name);
    for (size_t t = 0; t < mesh.triangles.size(); t += 3) {
      absl::StrAppend(&out, "f");
      for (size_t n = t; n < t + 3; ++n) {
        // Counted from the end, as OBJ allows: each mesh has coordinates of its own.
        const auto at =
            static_cast<long>(mesh.triangles[n]) - static_cast<long>(mesh.points.size());
        absl::StrAppend(&out, " ", at, mesh.uv.empty() ? "" : absl::StrCat("/", at));
      }
      absl::StrAppend(&out, "\n");
    }
  }
  std::ofstream(path, std::ios::binary) << out;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return Fail("film_frames FOLDER CLIP EVERY [z]");
  const std::filesystem::path folder = words[1];
  const auto every = static_cast<size_t>(std::atoi(words[3]));
  const bool z_up = count > 4;
  if (every == 0) return Fail("EVERY is a number from 1 on");
  const posewire::animclip::Console console{std::cout, std::cerr};
  auto bake = posewire::animclip::BakeFilm(words[2], "woman", "", console);
  if (!bake.ok()) return Fail(std::string(bake.status().message()));
  std::filesystem::create_directories(folder / "frames");
  std::ofstream(folder / "frames/look.mtl")
      << LookOf(bake->rig->deformer.character(), folder / "frames");
  const auto& clip = *bake->clip;
  std::vector<posewire::skel::Pose> poses;
  for (int f = 0; f < clip.frames(); f += static_cast<int>(every)) {
    WriteFrame(*bake, static_cast<size_t>(f), z_up,
               (folder / absl::StrCat("frames/f", poses.size(), ".obj")).string());
    posewire::skel::Pose pose(clip.rig()->joints(), clip.rig()->shapes());
    clip.CopyFrame(f, pose.span());
    poses.push_back(std::move(pose));
  }
  auto rate = clip.rate();
  rate.den *= static_cast<int64_t>(every);
  const posewire::clip::Clip take("take", clip.rig(), rate, std::move(poses));
  const absl::Status s = posewire::clipio::WriteClip(take, (folder / "take.animdata").string());
  return s.ok() ? 0 : Fail(std::string(s.message()));
}
