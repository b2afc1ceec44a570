// Films of what the page has recorded, drawn by this program's own command `render` as a child.
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
  // A film that takes longer is given up.
  static constexpr int kMost_s = 600;

  // Whether films can be made here: there is an ffmpeg on the PATH and a folder for temporary
  // files.
  static bool CanMake();

  // The clip, an .animdata file, as MP4 with its voice, of `who` (as --avatar has it; "": woman).
  // The child gives way to other work and has 10 minutes. It uses a temporary
  // folder. UNAVAILABLE where it cannot be started, CANCELLED after Stop, DEADLINE_EXCEEDED, and
  // with the child's own words when it fails. Blocks.
  absl::StatusOr<std::string> Make(absl::string_view clip, const std::string& who) const;

  // Ends what runs, and all that is asked for later.
  void Stop() { stopped_ = true; }

 private:
  std::atomic<bool> stopped_ = false;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_FILM_MAKER_H_
