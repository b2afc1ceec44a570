// Whatever an X3D file holds, reading it ends in a scene that both forms can write and that reads
// again, or in a refusal that names the line; so does reading its humanoid, which makes a rig. A
// libFuzzer target in the fuzz preset; elsewhere its corpus is replayed as a test.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "libs/formats/x3d/humanoid.h"
#include "libs/formats/x3d/read_scene.h"
#include "libs/formats/x3d/write_scene.h"
#include "libs/skel/rig.h"

namespace {

void Check(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n%s\n", what, text.c_str());
  std::abort();
}

// Which ends in a humanoid whose rig is made or refused in words.
void CheckHumanoid(const posewire::x3d::Scene& scene) {
  static const auto* const standard = new std::shared_ptr<const posewire::skel::Rig>(
      *posewire::skel::RigCatalog::Builtin()->Find("hanim_loa4"));
  const auto humanoid = posewire::x3d::ReadHumanoid(scene, **standard);
  if (!humanoid.ok()) {
    const std::string why(humanoid.status().message());
    Check(absl::StartsWith(why, "line ") || humanoid.status().code() == absl::StatusCode::kNotFound,
          "a refusal of a humanoid names the line", why);
    return;
  }
  const auto rig = posewire::skel::Rig::Make(posewire::x3d::RigOf(*humanoid));
  if (!rig.ok()) {
    Check(rig.status().message().size() > 10, "a refused rig says why",
          std::string(rig.status().message()));
    return;
  }
  Check((*rig)->joints() == static_cast<int>(humanoid->joints.size()), "no joint is lost",
        humanoid->name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  posewire::x3d::Limits limits;
  limits.bytes = 1 << 20;
  limits.nodes = 1 << 12;
  limits.walked = 1 << 13;
  const auto scene = posewire::x3d::ReadScene({reinterpret_cast<const char*>(data), size}, limits);
  if (!scene.ok()) {
    const std::string why(scene.status().message());
    Check(absl::StartsWith(why, "line ") || size > limits.bytes, "a refusal names the line", why);
    return 0;
  }
  CheckHumanoid(*scene);
  // A node without a name that is used twice is written twice.
  limits.bytes = limits.nodes = SIZE_MAX;
  limits.walked = SIZE_MAX;
  for (const std::string& text :
       {posewire::x3d::WriteXml(*scene), posewire::x3d::WriteClassic(*scene)}) {
    const auto again = posewire::x3d::ReadScene(text, limits);
    Check(again.ok(), "what was written can be read",
          std::string(again.status().message()) + "\n" + text);
    Check(again->nodes.size() >= scene->nodes.size(), "no node is lost", text);
    Check(again->routes.size() == scene->routes.size(), "no route is lost", text);
  }
  return 0;
}
