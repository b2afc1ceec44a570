// The characters that the page can show, and the files that it downloads for them.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_CHARACTER_FILES_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_CHARACTER_FILES_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/service/http/http_host.h"
#include "libs/service/http/http_message.h"
#include "libs/wire/chunk.h"
#include "services/renderer_sink/core/avatar_choice.h"
#include "services/renderer_sink/draw/offset_files.h"
#include "services/renderer_sink/view/page_offsets.h"

namespace posewire::renderer_sink {

// A character that can be shown.
struct ViewCharacter {
  std::string url = "";   // of the file, a GLB; empty: the page's built-in plain figure
  std::string name = "";  // "woman", "man", or the name of the file
  std::string rig = "";   // the rig that moves it
  std::shared_ptr<const CharacterOffsets> offsets = nullptr;  // null: none
};

// Immutable once loaded; then any thread.
class CharacterFiles {
 public:
  // Reads the files of all characters in `avatars`: GLB, VRM and glTF, which are combined into one
  // file, and USD stages and X3D files, which are converted to GLB. `rig` moves all of them; empty:
  // each has its own. Errors name the file and the fault.
  // Each gets those of `offsets` that were made for it. FAILED_PRECONDITION if there are offsets,
  // but none for any of them.
  absl::Status Load(AvatarChoice avatars, const std::string& rig,
                    const std::vector<OffsetsAt>& offsets = {});

  const ViewCharacter& Of(const wire::StreamIds& ids) const;
  // Returns the character for a name requested by a stream; nothing if it is unknown.
  std::optional<ViewCharacter> Named(const std::string& character) const;

  void AddRoutes(const service::HttpFields& headers, std::vector<service::HttpRoute>& routes) const;

 private:
  struct Entry {
    std::string who;
    service::HttpBody file;
    ViewCharacter shown;
  };
  absl::Status Add(const std::string& who, const std::string& rig,
                   const std::vector<OffsetsAt>& offsets);
  const Entry* Find(const std::string& who) const;

  AvatarChoice avatars_;
  std::vector<Entry> entries_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_CHARACTER_FILES_H_
