#include "services/renderer_sink/draw/prop_models.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::renderer_sink {
namespace {

using prop_file::PropFolder;

constexpr size_t kMostUnknown = 64;

bool IsBuiltIn(absl::string_view shape) {
  return shape.empty() || shape == "cup" || shape == "box" || shape == "table";
}

}  // namespace

absl::StatusOr<std::shared_ptr<const PropModels>> PropModels::Open(const std::string& folder,
                                                                   service::Logger log) {
  std::unique_ptr<PropFolder> open;
  if (!folder.empty()) {
    auto made = PropFolder::Open(folder);
    if (!made.ok()) {
      return absl::Status(made.status().code(), absl::StrCat("--props: ", made.status().message()));
    }
    open = *std::move(made);
  }
  return std::shared_ptr<const PropModels>(new PropModels(std::move(open), std::move(log)));
}

bool PropModels::IsNews(Shapes& logged, size_t most, absl::string_view shape) const {
  std::lock_guard lock(mutex_);
  if (logged.size() >= most || logged.contains(shape)) return false;
  logged.emplace(shape);
  return true;
}

std::shared_ptr<const character::PropModel> PropModels::Find(absl::string_view shape) const {
  if (folder_ == nullptr) return nullptr;
  const bool known = folder_->has(shape);
  if (!known) {
    if (IsBuiltIn(shape)) return nullptr;
    if (!IsNews(unknown_, kMostUnknown, shape.substr(0, PropFolder::kMostNameBytes))) {
      return nullptr;
    }
  }
  auto model = folder_->Load(shape);
  if (model.ok()) return *std::move(model);
  // That the folder's props take too much memory is logged once for all of them.
  const bool full = model.status().code() == absl::StatusCode::kUnavailable;
  if (!known || IsNews(broken_, PropFolder::kMostFiles + 1, full ? "" : shape)) {
    log_.Warning(
        known ? "a prop's file cannot be shown; it is drawn as a box" : "a prop is drawn as a box",
        {{"shape", shape.substr(0, PropFolder::kMostNameBytes)},
         {"error", model.status().message()}});
  }
  return nullptr;
}

void PropModels::SetSizes(std::vector<wire::Prop>& props) const {
  for (wire::Prop& prop : props) {
    if (!prop.usual_size) continue;
    if (const auto model = Find(prop.shape)) prop.size = model->size();
  }
}

}  // namespace posewire::renderer_sink
