#include "services/renderer_sink/draw/prop_models.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::renderer_sink {
namespace {

constexpr size_t kMostWarned = 64;

bool IsBuiltIn(absl::string_view shape) {
  return shape.empty() || shape == "cup" || shape == "box" || shape == "table";
}

}  // namespace

absl::StatusOr<std::shared_ptr<const PropModels>> PropModels::Open(const std::string& folder,
                                                                   service::Logger log) {
  std::unique_ptr<prop_file::PropFolder> open;
  if (!folder.empty()) {
    auto made = prop_file::PropFolder::Open(folder);
    if (!made.ok()) {
      return absl::Status(made.status().code(), absl::StrCat("--props: ", made.status().message()));
    }
    open = *std::move(made);
  }
  return std::shared_ptr<const PropModels>(new PropModels(std::move(open), std::move(log)));
}

bool PropModels::IsNews(absl::string_view shape) const {
  std::lock_guard lock(mutex_);
  if (warned_.size() >= kMostWarned || warned_.contains(shape)) return false;
  warned_.emplace(shape);
  return true;
}

std::shared_ptr<const character::PropModel> PropModels::Find(absl::string_view shape) const {
  if (folder_ == nullptr) return nullptr;
  if (!folder_->has(shape)) {
    if (IsBuiltIn(shape)) return nullptr;
    shape = shape.substr(0, prop_file::PropFolder::kMostNameBytes);
    if (!IsNews(shape)) return nullptr;
  }
  auto model = folder_->Load(shape);
  if (model.ok()) return *std::move(model);
  if (!folder_->has(shape) || IsNews(shape)) {
    log_.Warning("a prop is drawn as a box",
                 {{"shape", shape}, {"error", model.status().message()}});
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
