// Models the built-in avatar while the program is built:
//   make_avatar_file OUT
// writes OUT, a .cc file that defines AvatarFile() of avatar_file.h.
#include <cstdio>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cmake/bytes_literal.h"
#include "libs/avatar/glb.h"
#include "libs/avatar/model.h"
#include "libs/avatar/simplify.h"
#include "libs/skel/rig.h"

namespace posewire::renderer_sink {
namespace {

absl::StatusOr<std::string> MakeAvatar() {
  const auto rigs = skel::RigCatalog::Builtin("arkit68");
  if (!rigs.ok()) return rigs.status();
  const auto rig = rigs->Find("hanim_loa3");
  if (!rig.ok()) return rig.status();
  const auto model = avatar::MakeModel(*rig);
  if (!model.ok()) return model.status();
  return avatar::WriteGlb(avatar::MakeLight(*model));
}

int Run(const char* path) {
  const absl::StatusOr<std::string> glb = MakeAvatar();
  if (!glb.ok()) {
    std::fprintf(stderr, "the built-in avatar cannot be made: %s\n",
                 glb.status().ToString().c_str());
    return 1;
  }
  std::ofstream out(path, std::ios::binary);
  out << "#include \"services/renderer_sink/view/avatar_file.h\"\n\n"
      << "namespace posewire::renderer_sink {\n\n"
      << "absl::string_view AvatarFile() {\n"
      << "  static constexpr char kBytes[] =\n"
      << BytesLiteral(*glb) << ";\n"
      << "  return {kBytes, sizeof(kBytes) - 1};\n}\n\n"
      << "}  // namespace posewire::renderer_sink\n";
  if (!out.flush()) {
    std::fprintf(stderr, "cannot write %s\n", path);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace posewire::renderer_sink

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "make_avatar_file OUT\n");
    return 2;
  }
  return posewire::renderer_sink::Run(argv[1]);
}
