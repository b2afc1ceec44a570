// Makes films of recordings in the page, with this program's own command `render` as a child
// process.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_FILM_MAKER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_FILM_MAKER_H_

#include <atomic>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::renderer_sink {

// Thread-safe.
class FilmMaker {
 public:
  // Maximum duration of making a film.
  static constexpr int kMost_s = 600;

  // Returns true if films can be made here: there is an ffmpeg on the PATH and a folder for
  // temporary files.
  static bool CanMake();

  // Returns the clip, an .animdata file, as MP4 with its audio, showing `who` (as in --avatar; "":
  // woman), among props of the folder `props` ("": none), by its refined surface if `subdivide`.
  // The child has a low priority, 10 minutes, and a temporary folder. UNAVAILABLE if it cannot be
  // started, CANCELLED after Stop, DEADLINE_EXCEEDED, and an error with the child's own message if
  // it fails. Blocks.
  absl::StatusOr<std::string> Make(absl::string_view clip, const std::string& who,
                                   const std::string& props, bool subdivide) const;

  // Ends current and all later calls of Make.
  void Stop() { stopped_ = true; }

 private:
  std::atomic<bool> stopped_ = false;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_FILM_MAKER_H_
