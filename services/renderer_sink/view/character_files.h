// The characters that the page may be asked to show: their files, as it gets them.
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

// Somebody who can be shown.
struct ViewCharacter {
  std::string url = "";   // of the file, a GLB; empty: the page's plain figure
  std::string name = "";  // "woman", "man", or the name of the file
  std::string rig = "";   // that moves it
  std::shared_ptr<const CharacterOffsets> offsets = nullptr;  // null: none
};

// Fixed once loaded; then for all threads.
class CharacterFiles {
 public:
  // Reads the files of all that `avatars` may give: GLB, VRM and glTF, whose parts are put
  // together, and stages and X3D files, which become GLB. `rig` moves them all; empty: to each its
  // own. Errors name the file and what is wrong.
  // Of `offsets` each gets those that were made of it: FAILED_PRECONDITION if there are some, and
  // none is anybody's.
  absl::Status Load(AvatarChoice avatars, const std::string& rig,
                    const std::vector<OffsetsAt>& offsets = {});

  const ViewCharacter& Of(const wire::StreamIds& ids) const;
  // Whom a stream means that names its character; nothing: nobody who is known.
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
