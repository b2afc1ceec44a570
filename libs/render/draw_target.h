// The frame buffers of a painter: the lamp's view for shadows, the scene, and the frame that is
// read.
#ifndef POSEWIRE_LIBS_RENDER_DRAW_TARGET_H_
#define POSEWIRE_LIBS_RENDER_DRAW_TARGET_H_

#include "absl/status/status.h"
#include "libs/render/gl.h"
#include "libs/render/painter.h"

namespace posewire::render {

// Owned by a painter; only on its thread.
class DrawTarget {
 public:
  // `gl` must outlive this.
  DrawTarget(const GlFunctions& gl, int width, int height, Edges edges)
      : gl_(gl), edges_(edges), width_(width), height_(height) {}

  // INTERNAL: Mesa does not provide a frame buffer.
  absl::Status Make();

  // Each selects the target of what is drawn next.
  void BeginShadow() const;
  void BeginScene() const;
  void BeginSmoothing() const;
  // With fine edges: averages the scene's samples into the frame that is read.
  void Resolve() const;
  void Read(bool with_alpha, Picture& out) const;

  GLuint shadow_map() const { return shadow_map_; }
  // With quick edges: the scene before edges are smoothed.
  GLuint rough() const { return rough_; }

 private:
  GLuint Storage(int samples, GLenum format) const;
  void MakeShadow();

  const GlFunctions& gl_;
  Edges edges_;
  int width_, height_;
  GLuint shadow_map_ = 0, shadow_frame_ = 0, frame_ = 0, resolved_ = 0, rough_ = 0;
};

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_DRAW_TARGET_H_
