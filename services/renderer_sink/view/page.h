// The files of the page, which are part of the program.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PAGE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PAGE_H_

#include "absl/strings/string_view.h"

namespace posewire::renderer_sink {

// "index.html", "style.css", "app.js", "embed.js", "draco_decoder.js",
// "microphone_worklet.js", "notices.txt", "login.html", "login.js" or "missing.html"; empty for
// another name. The scripts that are bundled, and the notices of the software in them, are empty
// when they could not be bundled as the program was built.
absl::string_view PageFile(absl::string_view file_name);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PAGE_H_
