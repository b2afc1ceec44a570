// The models of props from the folder of --props.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_PROP_MODELS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_PROP_MODELS_H_

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/character/prop_model.h"
#include "libs/prop_file/prop_folder.h"
#include "libs/service/logger.h"
#include "libs/wire/props.h"

namespace posewire::renderer_sink {

// Any thread. Reading a file at its first use blocks.
class PropModels {
 public:
  // Errors: those of PropFolder::Open. An empty folder's name: there are no models.
  static absl::StatusOr<std::shared_ptr<const PropModels>> Open(const std::string& folder,
                                                                service::Logger log);

  // Whether there is a file of this name.
  bool has(absl::string_view shape) const { return folder_ != nullptr && folder_->has(shape); }
  // Returns the model with this name; null if there is none, or its file is broken, which is logged
  // once, or the others take all memory that props may take, which is logged once too. Unknown
  // names are logged once too, of the first 64, unless they are cup, box or table.
  std::shared_ptr<const character::PropModel> Find(absl::string_view shape) const;
  // Gives props without a size of their own the size of their model.
  void SetSizes(std::vector<wire::Prop>& props) const;

 private:
  PropModels(std::unique_ptr<prop_file::PropFolder> folder, service::Logger log)
      : folder_(std::move(folder)), log_(std::move(log)) {}
  using Shapes = std::set<std::string, std::less<>>;
  // Returns whether the shape is not among those that were logged, and adds it, up to `most`.
  bool IsNews(Shapes& logged, size_t most, absl::string_view shape) const;

  const std::unique_ptr<prop_file::PropFolder> folder_;  // null: none
  const service::Logger log_;
  mutable std::mutex mutex_;
  mutable Shapes broken_, unknown_;  // logged
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_PROP_MODELS_H_
