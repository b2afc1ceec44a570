#include "libs/render/draw_target.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace posewire::render {
namespace {

constexpr int kShadowSize = 1024;
constexpr int kSamples = 4;

}  // namespace

void DrawTarget::MakeShadow() {
  gl_.GenTextures(1, &shadow_map_);
  gl_.BindTexture(GL_TEXTURE_2D, shadow_map_);
  gl_.TexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, kShadowSize, kShadowSize, 0,
                 GL_DEPTH_COMPONENT, GL_FLOAT, nullptr);
  for (const auto& [name, value] :
       {std::pair{GL_TEXTURE_MIN_FILTER, GL_LINEAR}, std::pair{GL_TEXTURE_MAG_FILTER, GL_LINEAR},
        std::pair{GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE},
        std::pair{GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE},
        std::pair{GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE},
        std::pair{GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL}}) {
    gl_.TexParameteri(GL_TEXTURE_2D, static_cast<GLenum>(name), value);
  }
  gl_.GenFramebuffers(1, &shadow_frame_);
  gl_.BindFramebuffer(GL_FRAMEBUFFER, shadow_frame_);
  gl_.FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, shadow_map_, 0);
  const GLenum none = GL_NONE;
  gl_.DrawBuffers(1, &none);
}

GLuint DrawTarget::Storage(int samples, GLenum format) const {
  GLuint buffer = 0;
  gl_.GenRenderbuffers(1, &buffer);
  gl_.BindRenderbuffer(GL_RENDERBUFFER, buffer);
  gl_.RenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width_, height_);
  return buffer;
}

absl::Status DrawTarget::Make() {
  MakeShadow();
  const bool fine = edges_ == Edges::kFine;
  gl_.GenFramebuffers(1, &frame_);
  gl_.BindFramebuffer(GL_FRAMEBUFFER, frame_);
  if (fine) {
    gl_.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                Storage(kSamples, GL_RGBA8));
  } else {
    gl_.GenTextures(1, &rough_);
    gl_.BindTexture(GL_TEXTURE_2D, rough_);
    gl_.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width_, height_, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                   nullptr);
    for (const auto& [name, value] :
         {std::pair{GL_TEXTURE_MIN_FILTER, GL_LINEAR}, std::pair{GL_TEXTURE_MAG_FILTER, GL_LINEAR},
          std::pair{GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE},
          std::pair{GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE}}) {
      gl_.TexParameteri(GL_TEXTURE_2D, static_cast<GLenum>(name), value);
    }
    gl_.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, rough_, 0);
  }
  gl_.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                              Storage(fine ? kSamples : 0, GL_DEPTH_COMPONENT24));
  const bool good = gl_.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  gl_.GenFramebuffers(1, &resolved_);
  gl_.BindFramebuffer(GL_FRAMEBUFFER, resolved_);
  gl_.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                              Storage(0, GL_RGBA8));
  if (!good || gl_.CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    return absl::InternalError("Mesa gives no frame buffer to draw into");
  }
  return absl::OkStatus();
}

void DrawTarget::BeginShadow() const {
  gl_.BindFramebuffer(GL_FRAMEBUFFER, shadow_frame_);
  gl_.Viewport(0, 0, kShadowSize, kShadowSize);
}

void DrawTarget::BeginScene() const {
  gl_.BindFramebuffer(GL_FRAMEBUFFER, frame_);
  gl_.Viewport(0, 0, width_, height_);
}

void DrawTarget::BeginSmoothing() const { gl_.BindFramebuffer(GL_FRAMEBUFFER, resolved_); }

void DrawTarget::Resolve() const {
  gl_.BindFramebuffer(GL_READ_FRAMEBUFFER, frame_);
  gl_.BindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved_);
  gl_.BlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
}

void DrawTarget::Read(bool with_alpha, Picture& out) const {
  gl_.BindFramebuffer(GL_READ_FRAMEBUFFER, resolved_);
  gl_.PixelStorei(GL_PACK_ALIGNMENT, 1);
  out.width = width_;
  out.height = height_;
  const size_t pixels = static_cast<size_t>(width_) * static_cast<size_t>(height_);
  out.rgb.resize(pixels * 3);
  gl_.ReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, out.rgb.data());
  out.alpha.resize(with_alpha ? pixels : 0);
  if (with_alpha) {
    gl_.ReadPixels(0, 0, width_, height_, GL_ALPHA, GL_UNSIGNED_BYTE, out.alpha.data());
  }
  // OpenGL stores the bottom row first.
  const auto turn = [this](std::vector<uint8_t>& bytes, size_t row) {
    if (bytes.empty()) return;
    for (size_t top = 0, low = static_cast<size_t>(height_) - 1; top < low; ++top, --low) {
      const auto at = [&](size_t r) {
        return bytes.begin() + static_cast<std::ptrdiff_t>(r * row);
      };
      std::swap_ranges(at(top), at(top + 1), at(low));
    }
  };
  turn(out.rgb, static_cast<size_t>(width_) * 3);
  turn(out.alpha, static_cast<size_t>(width_));
}

}  // namespace posewire::render
