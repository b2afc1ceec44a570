// Whatever a prop's file holds, reading it ends in a model that can be drawn and written, within
// the limits, or in a refusal that says why. A libFuzzer target in the fuzz preset; elsewhere its
// corpus is replayed as a test.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "libs/character/prop_model.h"
#include "libs/formats/gltf/character_writer.h"
#include "libs/formats/gltf/prop_reader.h"

using posewire::character::PropLimits;
using posewire::character::PropModel;
using posewire::skel::Vec3;

namespace {

void Check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

bool IsFinite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  PropLimits limits;
  limits.bytes = 1 << 20;
  limits.triangles = 1 << 12;
  limits.pixels = 1 << 16;
  const auto read = posewire::gltf::ReadProp({reinterpret_cast<const char*>(data), size}, limits);
  if (!read.ok()) {
    Check(read.status().message().size() > 10, "a refusal says why");
    return 0;
  }
  const Vec3 extent = read->size();
  Check(IsFinite(extent) && extent.x > 0 && extent.y > 0 && extent.z > 0, "it has a size");
  Check(read->sites.size() <= PropModel::kMostSites, "sites are within the limit");
  size_t triangles = 0;
  for (const auto& mesh : read->meshes) {
    triangles += mesh.triangles.size() / 3;
    Check(mesh.material >= 0 && static_cast<size_t>(mesh.material) < read->materials.size(),
          "its material is there");
    for (const uint32_t point : mesh.triangles)
      Check(point < mesh.points.size(), "points are there");
    std::vector<Vec3> points, normals;
    posewire::character::ScaleMesh(mesh, read->ScaleTo({1, 1, 1}), points, normals);
    for (const Vec3& p : points) Check(IsFinite(p), "points are finite");
  }
  Check(triangles <= limits.triangles, "triangles are within the limit");
  Check(posewire::gltf::WriteCharacter(posewire::character::AsCharacter(*read, "thing")).ok(),
        "what was read can be written");
  return 0;
}
