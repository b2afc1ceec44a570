// The files of the page, embedded in the program.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PAGE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PAGE_H_

#include "absl/strings/string_view.h"

namespace posewire::renderer_sink {

// `file_name` is "index.html", "style.css", "app.js", "embed.js", "draco_decoder.js",
// "microphone_worklet.js", "notices.txt", "login.html", "login.js" or "missing.html"; empty for
// another name. The bundled scripts, and the notices of the software in them, are empty if they
// could not be bundled when the program was built.
absl::string_view PageFile(absl::string_view file_name);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PAGE_H_
