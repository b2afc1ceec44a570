// Makes the gesture clips for the most used rigs while the program is built:
//   make_builtin_clips OUT RIG:SHAPES...
// writes OUT, a .cc file that defines BuiltinClipsBlob() of builtin_clips.h.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "cmake/bytes_literal.h"
#include "libs/clip/clip_blob.h"
#include "libs/skel/rig.h"
#include "services/anim_graph/builtin_clips.h"

namespace posewire::anim_graph {
namespace {

absl::StatusOr<std::string> MakeBlob(const std::string& rig_name, const std::string& shapes) {
  const auto catalog = skel::RigCatalog::Builtin(shapes);
  if (!catalog.ok()) return catalog.status();
  const auto rig = catalog->Find(rig_name);
  if (!rig.ok()) return rig.status();
  const auto clips = MakeBuiltinClips(*catalog, *rig, kDefaultPrecision_mm);
  if (!clips.ok()) return clips.status();
  return clip::WriteBlob(**clips);
}

int Run(const char* path, const std::vector<std::string>& rigs) {
  std::ofstream out(path, std::ios::binary);
  out << "#include \"services/anim_graph/builtin_clips.h\"\n\n"
      << "namespace posewire::anim_graph {\n\n"
      << "absl::string_view BuiltinClipsBlob(absl::string_view rig, absl::string_view shapes) {\n";
  for (const std::string& rig_and_shapes : rigs) {
    const std::vector<std::string> names = absl::StrSplit(rig_and_shapes, ':');
    const absl::StatusOr<std::string> blob = MakeBlob(names.front(), names.back());
    if (!blob.ok()) {
      std::fprintf(stderr, "the gestures for %s cannot be made: %s\n", rig_and_shapes.c_str(),
                   blob.status().ToString().c_str());
      return 1;
    }
    out << "  if (rig == \"" << names.front() << "\" && shapes == \"" << names.back() << "\") {\n"
        << "    static constexpr char kBytes[] =\n"
        << BytesLiteral(*blob) << ";\n"
        << "    return {kBytes, sizeof(kBytes) - 1};\n  }\n";
  }
  out << "  return {};\n}\n\n}  // namespace posewire::anim_graph\n";
  if (!out.flush()) {
    std::fprintf(stderr, "cannot write %s\n", path);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace posewire::anim_graph

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "make_builtin_clips OUT RIG:SHAPES...\n");
    return 2;
  }
  return posewire::anim_graph::Run(argv[1], {argv + 2, argv + argc});
}
