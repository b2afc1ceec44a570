// The built-in avatar as the page shows it, which is part of the program.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_AVATAR_FILE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_AVATAR_FILE_H_

#include "absl/strings/string_view.h"

namespace posewire::renderer_sink {

// A binary glTF of avatar::MakeLight() for hanim_loa3 with arkit68. It is modelled while the
// program is built (make_avatar_file.cc), so that no start waits for it.
absl::string_view AvatarFile();

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_AVATAR_FILE_H_
