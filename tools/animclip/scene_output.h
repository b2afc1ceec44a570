// Writes characters, props and what they say as one file that other programs play.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_SCENE_OUTPUT_H_
#define POSEWIRE_TOOLS_ANIMCLIP_SCENE_OUTPUT_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/asset/scene.h"
#include "libs/character/character.h"
#include "libs/character/character_motion.h"
#include "libs/character/scene.h"
#include "libs/clipio/whole_clip.h"
#include "libs/formats/x3d/character_writer.h"
#include "libs/prop_file/prop_folder.h"
#include "libs/skel/affine.h"
#include "tools/animclip/console.h"
#include "tools/animclip/part_files.h"

namespace posewire::animclip {

inline constexpr int kGltfInfluences = 8;  // most joints per point of a .glb

// What goes into a file.
struct SceneToWrite {
  struct Member {
    std::string name;
    std::shared_ptr<const character::Character> character;
    std::optional<character::CharacterMotion> motion = {};
    skel::Trs place = {};
    std::optional<asset::SceneProp> prop = {};
    clipio::Voice voice = {};
  };
  std::vector<Member> members;          // the lead first
  std::optional<asset::Motion> camera;  // in the space of the lead's place
  double rate_hz = 30;
};

// The sounds next to a file, written and moved to their places together.
class VoiceFiles {
 public:
  VoiceFiles(std::string out, const Console& console) : out_(std::move(out)), console_(console) {}

  // Writes a voice, if there is one. `of` distinguishes the voices of several characters: it
  // becomes a part of the file's name.
  absl::StatusOr<std::optional<asset::VoiceFile>> Add(const clipio::Voice& voice,
                                                      const std::string& of);
  // ALREADY_EXISTS, as of ClipOutput, unless `overwrite`.
  absl::Status Finish(bool overwrite);
  size_t size() const { return files_.size(); }

 private:
  const std::string out_;
  const Console& console_;
  std::vector<std::pair<std::string, PartFile>> files_;
};

struct WrittenScene {
  size_t pictures = 0, voices = 0;  // next to the file
};
// Writes in the format of the extension: .glb and .gltf with the mix of all voices next to it,
// .usda with a voice for each character, .x3d without voices. Pictures of formats that refer to
// them go next to it; the file that refers to others comes last. Errors: those of the writers;
// ALREADY_EXISTS, as of ClipOutput, unless `overwrite`.
struct SceneFileOptions {
  bool overwrite = false;
  x3d::X3dOptions x3d = {};
};
absl::StatusOr<WrittenScene> WriteSceneFile(const SceneToWrite& scene, const std::string& out,
                                            const SceneFileOptions& options,
                                            const Console& console);

// Adds the props of a scene with the surfaces that the scene's file has for them (`models`, one for
// each, or none), or else the models of their names in a folder (null: none), or the built-in
// shapes. Returns what was wrong with the folder's files.
std::vector<std::string> AddProps(const std::vector<asset::SceneProp>& props,
                                  const std::vector<character::Character>& models,
                                  const prop_file::PropFolder* folder, SceneToWrite& to);

// Returns the transform of a place on the ground.
skel::Trs TrsOf(const asset::GroundPlace& place);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_SCENE_OUTPUT_H_
