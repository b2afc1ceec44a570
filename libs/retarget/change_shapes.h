// Changes the blend shapes of clips and streams to those of another shape set (libs/shapes).
#ifndef POSEWIRE_LIBS_RETARGET_CHANGE_SHAPES_H_
#define POSEWIRE_LIBS_RETARGET_CHANGE_SHAPES_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "libs/recording/clip_reader.h"
#include "libs/shapes/shape_change.h"
#include "libs/shapes/shape_set.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"

namespace posewire::retarget {

// Changes the chunks of a stream, one after the other. A header decides for the data after it. One
// thread at a time.
class StreamShapes {
 public:
  // To a set; it must outlive this.
  explicit StreamShapes(const shapes::ShapeSet& to) : to_(&to) {}
  // To ARKit's shapes, if at least shapes::kLeastNames of the shapes are of a set and not the
  // rig's.
  explicit StreamShapes(std::shared_ptr<const skel::Rig> rig) : rig_(std::move(rig)) {}

  // Returns whether it changed the chunk.
  bool Change(wire::Chunk& chunk);
  // What was done since the last call, as a sentence without the clip's name; "" if nothing.
  std::string TakeNote() { return std::exchange(note_, ""); }

 private:
  void Start(const wire::StreamHeader& header);

  const shapes::ShapeSet* to_ = nullptr;
  std::shared_ptr<const skel::Rig> rig_;
  std::optional<shapes::ShapeChange> change_;
  std::string note_;
};

// Returns the same messages with other shapes, and a warning that states which set was assumed.
std::unique_ptr<recording::ClipReader> ChangeShapes(std::unique_ptr<recording::ClipReader> clip,
                                                    StreamShapes shapes);

}  // namespace posewire::retarget

#endif  // POSEWIRE_LIBS_RETARGET_CHANGE_SHAPES_H_
