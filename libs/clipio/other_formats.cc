#include "libs/clipio/other_formats.h"

#include <initializer_list>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::clipio {
namespace {

struct OtherFormat {
  std::initializer_list<absl::string_view> endings;
  absl::string_view name;
  absl::string_view advice;
};

constexpr absl::string_view kByBlender =
    "import it into Blender and export it as glTF (.glb), with its animation";
constexpr absl::string_view kBySolver =
    "it holds markers or angles without bones; export BVH (.bvh) from the motion capture program";
constexpr absl::string_view kByGameEngine =
    "export the animation as FBX, import that into Blender and export it as glTF (.glb)";

const OtherFormat kOtherFormats[] = {
    {{".fbx"}, "FBX", kByBlender},
    {{".dae"}, "Collada", kByBlender},
    {{".blend"}, "A Blender file", "open it in Blender and export it as glTF (.glb)"},
    {{".ma", ".mb"}, "A Maya file", "export it from Maya as USD (.usda), or as FBX for Blender"},
    {{".max"}, "A 3ds Max file", "export it from 3ds Max as USD (.usda), or as FBX for Blender"},
    {{".c4d"}, "A Cinema 4D file", "export it from Cinema 4D as glTF (.glb) or USD (.usda)"},
    {{".bip"}, "Biped motion", "load it in 3ds Max and export it as FBX for Blender, or as BVH"},
    {{".vmd", ".pmx", ".pmd"},
     "An MMD file",
     "import model and motion into Blender with mmd_tools and export glTF (.glb)"},
    {{".asf", ".amc"}, "ASF/AMC", "convert it to BVH (.bvh)"},
    {{".c3d"}, "C3D", kBySolver},
    {{".trc", ".tak"}, "Motion capture data of this kind", kBySolver},
    {{".abc"}, "Alembic", "it holds points without bones; export the rig as USD (.usda) or glTF"},
    {{".stl", ".ply"}, "A bare mesh", "it has neither bones nor motion"},
    {{".anim", ".unitypackage", ".prefab"}, "A Unity asset", kByGameEngine},
    {{".uasset"}, "An Unreal asset", kByGameEngine},
    {{".vrm"}, "A VRM file", "it is a character without motion, as --avatar and --rest take it"},
    {{".mp4", ".mov", ".webm", ".mkv", ".avi", ".m4v"},
     "A film",
     "it has no bones to read; `ffmpeg -i FILM voice.wav` takes out its voice, which "
     "`a2f_source wav` gives a face"},
    {{".wav", ".mp3", ".flac", ".ogg", ".m4a"},
     "A sound file",
     "`a2f_source wav` gives a voice a face"},
    {{".png", ".jpg", ".jpeg", ".gif"}, "A picture", "it has no bones to read"},
    {{".zip", ".7z", ".rar", ".gz"}, "A packed file", "unpack it first"},
};

}  // namespace

std::string HowToConvert(absl::string_view path) {
  for (const OtherFormat& format : kOtherFormats) {
    for (const absl::string_view ending : format.endings) {
      if (absl::EndsWithIgnoreCase(path, ending)) {
        return absl::StrCat(format.name, " is not read here: ", format.advice);
      }
    }
  }
  return "";
}

}  // namespace posewire::clipio
