// The refined surfaces of a character, as the page of `view` reads them.
//
// Browsers could not refine a surface as `render --subdivide` does without its library, and a file
// with four times as many points, joints, weights and shapes would be large and come near it only,
// because skinning is not linear. So the page gets the rule alone: which points of the character's
// meshes make each fine point, and by which weights. It applies the rule to the points that it has
// posed; offsets, springs and shapes are in those.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SURFACE_FILES_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SURFACE_FILES_H_

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/character/character.h"
#include "libs/character/deformer.h"
#include "libs/service/http/http_message.h"
#include "libs/service/logger.h"

namespace posewire::renderer_sink {

// Writes the refined surface of the meshes that `deformer` shows, in the format of docs/view.md.
// `first_node`: as of OffsetsFor. Sets `left_out` to the meshes that are not refined, and why, or
// nothing. Errors: those of character::RefinedSurface::Make.
absl::StatusOr<std::string> WriteSurface(const character::Deformer& deformer, int first_node,
                                         std::string& left_out);

// Keeps the files of the last few sets of meshes that looks have shown. Thread-safe.
class SurfaceFiles {
 public:
  SurfaceFiles(std::shared_ptr<const character::Character> character, int first_node,
               service::Logger log)
      : character_(std::move(character)), first_node_(first_node), log_(std::move(log)) {}

  // Returns the file for a look, {part: choice}, deflated (RFC 1950). Logs the meshes that are
  // drawn as they are, and errors. INVALID_ARGUMENT for a part or choice that the character does
  // not have; other errors are those of WriteSurface.
  absl::StatusOr<service::HttpBody> Of(const std::map<std::string, std::string>& look);

 private:
  void Report(const std::string& why);

  const std::shared_ptr<const character::Character> character_;
  const int first_node_;
  const service::Logger log_;
  std::mutex mutex_;
  std::deque<std::pair<std::vector<bool>, service::HttpBody>> kept_;  // guarded by mutex_; by shown
  std::string reported_;                                              // guarded by mutex_
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SURFACE_FILES_H_
