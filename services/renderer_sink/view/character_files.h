// The characters that the page can show, and the files that it downloads for them.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_CHARACTER_FILES_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_CHARACTER_FILES_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/service/http/http_host.h"
#include "libs/service/http/http_message.h"
#include "libs/service/logger.h"
#include "libs/service/task_thread.h"
#include "libs/wire/chunk.h"
#include "services/renderer_sink/core/avatar_choice.h"
#include "services/renderer_sink/draw/offset_files.h"
#include "services/renderer_sink/view/page_offsets.h"
#include "services/renderer_sink/view/surface_files.h"

namespace posewire::renderer_sink {

// A character that can be shown.
struct ViewCharacter {
  std::string url = "";          // of the file, a GLB; empty: the page's built-in plain figure
  std::string name = "";         // "woman", "man", or the name of the file
  std::string rig = "";          // the rig that moves it
  std::string surface_url = "";  // of its refined surface; empty: none
  std::shared_ptr<const CharacterOffsets> offsets = nullptr;  // null: none
};

struct CharacterFilesOptions {
  AvatarChoice avatars;
  std::string rig;                 // moves all of them; empty: each has its own
  std::vector<OffsetsAt> offsets;  // each character gets those that were made for it
  bool subdivide = false;          // with refined surfaces
  bool outside_skel_root = false;  // as of character_file::ReadOptions
};

// Immutable once loaded; then any thread.
class CharacterFiles {
 public:
  // Runs a task on a thread for slow ones; false: there are too many.
  using Post = std::function<bool(service::TaskThread::Task)>;

  // Reads the files of all characters: GLB, VRM and glTF, which are combined into one file, and USD
  // stages and X3D files, which are converted to GLB. Errors name the file and the fault.
  // FAILED_PRECONDITION if there are offsets, but none for any of them. A character whose surface
  // cannot be refined is logged, and shown as it is.
  absl::Status Load(const CharacterFilesOptions& options, const service::Logger& log);

  const ViewCharacter& Of(const wire::StreamIds& ids) const;
  // Returns the character for a name requested by a stream; nothing if it is unknown.
  std::optional<ViewCharacter> Named(const std::string& character) const;

  // Surfaces of looks that were not requested before are made by `post`.
  void AddRoutes(const service::HttpFields& headers, const Post& post,
                 std::vector<service::HttpRoute>& routes) const;

 private:
  struct Entry {
    std::string who;
    service::HttpBody file;
    ViewCharacter shown;
    std::shared_ptr<SurfaceFiles> surfaces;  // null: none
  };
  absl::Status Add(const std::string& who, const CharacterFilesOptions& options,
                   const service::Logger& log);
  const Entry* Find(const std::string& who) const;

  AvatarChoice avatars_;
  std::vector<Entry> entries_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_CHARACTER_FILES_H_
