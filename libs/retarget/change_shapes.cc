#include "libs/retarget/change_shapes.h"

#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/retarget/clip_filter.h"
#include "libs/skel/path_index.h"
#include "libs/wire/message.h"

namespace posewire::retarget {
namespace {

class ShapesChanged : public ClipFilter {
 public:
  ShapesChanged(std::unique_ptr<recording::ClipReader> clip, StreamShapes shapes)
      : ClipFilter(std::move(clip)), shapes_(std::move(shapes)) {}

  std::shared_ptr<const skel::Rig> skeleton() const override { return clip().skeleton(); }
  double unit_m() const override { return clip().unit_m(); }
  bool moves_nodes() const override { return clip().moves_nodes(); }

 private:
  absl::StatusOr<std::optional<wire::Message>> DoNext() override {
    absl::StatusOr<std::optional<wire::Message>> message = clip().Next();
    end_of_last_ = clip().end_of_last();
    if (!message.ok() || !*message) return message;
    const bool changed = shapes_.Change((*message)->chunk);
    if (const std::string note = shapes_.TakeNote(); !note.empty()) Warn(note);
    if (!changed) return message;
    return Check(wire::MakeMessage(std::move((*message)->chunk)).bytes);
  }

  StreamShapes shapes_;
};

}  // namespace

void StreamShapes::Start(const wire::StreamHeader& header) {
  change_ = shapes::ShapeChange::Make(header.shapes, to_);
  if (!change_ || rig_ == nullptr) return;
  int strange = 0;
  for (const std::string& name : header.shapes) {
    const bool of_set = change_->from().set->Find(name) >= 0;
    strange += of_set && rig_->FindShape(skel::LastPathElement(name)) < 0 ? 1 : 0;
  }
  if (strange < shapes::kLeastNames) change_.reset();
}

bool StreamShapes::Change(wire::Chunk& chunk) {
  if (auto* const header = std::get_if<wire::StreamHeader>(&chunk)) {
    Start(*header);
    if (!change_ && to_ != nullptr && !header->shapes.empty() &&
        shapes::Detect(header->shapes).set != to_) {
      note_ = absl::StrCat("its ", header->shapes.size(),
                           " blend shapes are those of no known set, so they stay as they are");
    }
    if (!change_) return false;
    if (const shapes::Detected& from = change_->from(); from.set != nullptr) {
      note_ = absl::StrCat(from.matched, " of its ", header->shapes.size(),
                           " blend shapes are named as those of the set ", from.set->id(),
                           ", and become ", to_ == nullptr ? "ARKit's" : to_->id());
    }
    header->shapes = change_->names();
    return true;
  }
  auto* const data = std::get_if<wire::DataChunk>(&chunk);
  if (!change_ || data == nullptr || data->pose[wire::kWeights].empty()) return false;
  wire::KeyBlock& keys = data->pose[wire::kWeights];
  std::vector<float> values;
  for (size_t k = 0; k < keys.time_codes_s.size(); ++k) change_->Apply(keys.key(k), values);
  keys.values = std::move(values);
  keys.width = static_cast<int>(change_->names().size());
  return true;
}

std::unique_ptr<recording::ClipReader> ChangeShapes(std::unique_ptr<recording::ClipReader> clip,
                                                    StreamShapes shapes) {
  return std::make_unique<ShapesChanged>(std::move(clip), std::move(shapes));
}

}  // namespace posewire::retarget
