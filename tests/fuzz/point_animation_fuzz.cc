// Whatever a file of moving points holds, a stage, a glTF or an OBJ text, reading it ends in frames
// of finite points or in a refusal that says why. Text that begins neither as one nor the other is
// two OBJ files, cut at the word NEXT, and an OBJ character. A libFuzzer target in the fuzz preset;
// elsewhere its corpus is replayed as a test.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "libs/character/point_animation.h"
#include "libs/character_file/point_file.h"
#include "libs/character_file/read_character.h"
#include "libs/formats/obj/obj_sequence.h"

namespace character = posewire::character;

namespace {

void Check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void Play(const absl::StatusOr<std::unique_ptr<character::PointAnimation>>& read) {
  if (!read.ok()) {
    Check(read.status().message().size() > 10, "a refusal says why");
    return;
  }
  character::PointAnimation& animation = **read;
  Check(animation.points() > 0, "there are points");
  const size_t frames = animation.frames(30);
  Check(frames >= 1, "there is a frame");
  std::vector<posewire::skel::Vec3> out(animation.points());
  for (const size_t frame : {size_t{0}, frames / 2, frames - 1}) {
    const absl::Status status = animation.Frame(frame, 30, absl::MakeSpan(out));
    if (!status.ok()) {
      Check(status.message().size() > 10, "a refused frame says why");
      continue;
    }
    for (const auto& p : out) {
      Check(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z), "points are finite");
    }
  }
}

// Reads an OBJ file with its faces. Its materials are in the same text.
void DrawAsCharacter(const std::string& bytes, const character::Limits& limits) {
  static const auto& kRigs =
      *new posewire::skel::RigCatalog(*posewire::skel::RigCatalog::Builtin());
  const auto read = posewire::character_file::ReadCharacter(
      bytes, "a.obj", kRigs,
      {.limits = limits,
       .read_sidecar = [&](const std::string&) -> absl::StatusOr<std::string> { return bytes; }});
  if (!read.ok()) {
    Check(read.status().message().size() > 10, "a refusal says why");
    return;
  }
  for (const character::Mesh& mesh : (*read)->meshes) {
    Check(mesh.normals.size() == mesh.points.size(), "each point has a normal");
    for (const uint32_t corner : mesh.triangles) {
      Check(corner < mesh.points.size(), "corners are points");
    }
    for (const uint32_t point : mesh.point_of) {
      Check(point < mesh.file_points, "points are of their object");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  character::Limits limits;
  limits.bytes = limits.json_bytes = 1 << 20;
  limits.numbers = 1 << 16;
  limits.nodes = limits.points = limits.triangles = 1 << 12;
  const auto none = [](const std::string&) -> absl::StatusOr<std::string> {
    return absl::NotFoundError("there is nothing beside it");
  };
  if (absl::StartsWith(bytes, "#usda ") || absl::StartsWith(bytes, "glTF") ||
      absl::StartsWith(bytes, "{")) {
    Play(posewire::character_file::ReadPointAnimation(bytes, limits, none));
    return 0;
  }
  const size_t cut = std::min(bytes.find("NEXT"), bytes.size());
  const std::vector<std::string> texts = {bytes.substr(0, cut), bytes.substr(cut)};
  Play(posewire::obj::ReadObjSequence(
      {"a.obj", "b.obj"}, [&](size_t frame) -> absl::StatusOr<std::string> { return texts[frame]; },
      limits));
  DrawAsCharacter(bytes, limits);
  return 0;
}
