#include "libs/render/painter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "libs/avatar/deformer.h"
#include "libs/render/gl.h"
#include "libs/render/matrix.h"
#include "libs/render/shaders.h"

namespace posewire::render {
namespace {

using skel::Vec3;

constexpr int kShadowSize = 1024;
constexpr int kSamples = 4;
const Vec3 kKeyWay = skel::Normalized(Vec3{-0.55f, 0.75f, 0.80f});
constexpr Vec3 kBackdrop{0.86f, 0.88f, 0.90f};  // as seen, sRGB

// The arrays of one surface on the way to the screen.
struct Buffers {
  GLuint array = 0, points = 0, normals = 0, colors = 0, triangles = 0;
  GLsizei count = 0;
  bool closed = false;  // no back side can be seen
};

// Whether every edge joins two triangles that run along it in opposite directions.
bool IsClosed(const avatar::Surface& surface) {
  absl::flat_hash_set<std::pair<int32_t, int32_t>> open;
  for (size_t i = 0; i < surface.triangles.size(); i += 3) {
    for (size_t k = 0; k < 3; ++k) {
      const int32_t a = surface.triangles[i + k], b = surface.triangles[i + (k + 1) % 3];
      if (open.erase({b, a}) == 0) open.insert({a, b});
    }
  }
  return open.empty();
}

class OffscreenPainter : public Painter {
 public:
  OffscreenPainter(std::unique_ptr<GlContext> context, const avatar::Model& model, int width,
                   int height)
      : context_(std::move(context)),
        gl_(context_->gl()),
        model_(model),
        deformer_(model),
        width_(width),
        height_(height) {}

  absl::Status Prepare();
  absl::Status Draw(const skel::PoseView& pose, const Camera& camera, Picture& out) override;

 private:
  struct Frames {
    Matrix view, lamp;
    float reach;
  };
  Buffers Upload(const avatar::Surface& surface);
  void UploadFloor();
  absl::Status MakeTargets();
  void Fill(GLuint buffer, absl::Span<const Vec3> values) const;
  Frames FramesOf(const Camera& camera) const;
  void DrawOne(const Buffers& b) const;
  void DrawShadow(const Frames& frames) const;
  void DrawScene(const Frames& frames, const Camera& camera) const;
  void Set(const char* name, Vec3 v) const {
    gl_.Uniform3f(gl_.GetUniformLocation(program_, name), v.x, v.y, v.z);
  }
  void Set(const char* name, float v) const {
    gl_.Uniform1f(gl_.GetUniformLocation(program_, name), v);
  }
  void Set(GLuint program, const char* name, const Matrix& m) const {
    gl_.UniformMatrix4fv(gl_.GetUniformLocation(program, name), 1, GL_FALSE, m.data());
  }

  std::unique_ptr<GlContext> context_;
  const GlFunctions& gl_;
  const avatar::Model& model_;
  avatar::Deformer deformer_;
  int width_, height_;
  GLuint program_ = 0, shadow_program_ = 0;
  GLuint shadow_map_ = 0, shadow_frame_ = 0, frame_ = 0, resolved_ = 0;
  std::vector<Buffers> surfaces_;
  Buffers floor_;
};

void OffscreenPainter::Fill(GLuint buffer, absl::Span<const Vec3> values) const {
  gl_.BindBuffer(GL_ARRAY_BUFFER, buffer);
  gl_.BufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(values.size() * sizeof(Vec3)),
                 values.data(), GL_STREAM_DRAW);
}

Buffers OffscreenPainter::Upload(const avatar::Surface& surface) {
  Buffers b;
  gl_.GenVertexArrays(1, &b.array);
  gl_.BindVertexArray(b.array);
  GLuint place = 0;
  for (const auto& [buffer, values] :
       {std::pair{&b.points, &surface.points}, std::pair{&b.normals, &surface.normals},
        std::pair{&b.colors, &surface.colors}}) {
    gl_.GenBuffers(1, buffer);
    Fill(*buffer, *values);
    gl_.VertexAttribPointer(place, 3, GL_FLOAT, GL_FALSE, 0, nullptr);
    gl_.EnableVertexAttribArray(place++);
  }
  gl_.GenBuffers(1, &b.triangles);
  gl_.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, b.triangles);
  gl_.BufferData(GL_ELEMENT_ARRAY_BUFFER,
                 static_cast<GLsizeiptr>(surface.triangles.size() * sizeof(int32_t)),
                 surface.triangles.data(), GL_STATIC_DRAW);
  b.count = static_cast<GLsizei>(surface.triangles.size());
  b.closed = IsClosed(surface);
  return b;
}

void OffscreenPainter::UploadFloor() {
  avatar::Surface floor;
  constexpr float kHalf = 4;  // by then it has faded into the backdrop
  floor.points = {{-kHalf, 0, -kHalf}, {-kHalf, 0, kHalf}, {kHalf, 0, kHalf}, {kHalf, 0, -kHalf}};
  floor.normals.assign(4, {0, 1, 0});
  floor.colors.assign(4, {1, 1, 1});
  floor.triangles = {0, 1, 2, 0, 2, 3};
  floor_ = Upload(floor);
}

absl::Status OffscreenPainter::MakeTargets() {
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

  GLuint buffers[3];
  gl_.GenRenderbuffers(3, buffers);
  const auto storage = [&](GLuint buffer, int samples, GLenum format) {
    gl_.BindRenderbuffer(GL_RENDERBUFFER, buffer);
    gl_.RenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width_, height_);
  };
  storage(buffers[0], kSamples, GL_RGBA8);
  storage(buffers[1], kSamples, GL_DEPTH_COMPONENT24);
  storage(buffers[2], 0, GL_RGBA8);
  gl_.GenFramebuffers(1, &frame_);
  gl_.BindFramebuffer(GL_FRAMEBUFFER, frame_);
  gl_.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
  gl_.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffers[1]);
  const bool good = gl_.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  gl_.GenFramebuffers(1, &resolved_);
  gl_.BindFramebuffer(GL_FRAMEBUFFER, resolved_);
  gl_.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[2]);
  if (!good || gl_.CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    return absl::InternalError("Mesa gives no frame buffer to draw into");
  }
  return absl::OkStatus();
}

absl::Status OffscreenPainter::Prepare() {
  absl::StatusOr<GLuint> program = context_->Program(kVertex, kFragment);
  if (!program.ok()) return program.status();
  absl::StatusOr<GLuint> shadow = context_->Program(kShadowVertex, kShadowFragment);
  if (!shadow.ok()) return shadow.status();
  program_ = *program;
  shadow_program_ = *shadow;
  for (const avatar::Surface& surface : model_.surfaces) surfaces_.push_back(Upload(surface));
  UploadFloor();
  return MakeTargets();
}

OffscreenPainter::Frames OffscreenPainter::FramesOf(const Camera& camera) const {
  const float aspect = static_cast<float>(width_) / static_cast<float>(height_);
  // The shadow covers what is seen, and enough beyond to catch what throws it.
  const float half = std::clamp(camera.height_m * 0.75f * std::max(aspect, 1.0f), 0.25f, 2.5f);
  const Vec3 from = camera.target + kKeyWay * 4;
  return {Perspective(camera.view_rad, aspect, 0.05f, 40) *
              LookAt(camera.eye, camera.target, {0, 1, 0}),
          Orthographic(half, 1, 8) * LookAt(from, camera.target, {0, 1, 0}),
          0.006f * std::max(0.5f, 0.5f / half)};
}

void OffscreenPainter::DrawOne(const Buffers& b) const {
  if (b.closed) gl_.Enable(GL_CULL_FACE);
  gl_.BindVertexArray(b.array);
  gl_.DrawElements(GL_TRIANGLES, b.count, GL_UNSIGNED_INT, nullptr);
  if (b.closed) gl_.Disable(GL_CULL_FACE);
}

void OffscreenPainter::DrawShadow(const Frames& frames) const {
  gl_.BindFramebuffer(GL_FRAMEBUFFER, shadow_frame_);
  gl_.Viewport(0, 0, kShadowSize, kShadowSize);
  gl_.Enable(GL_DEPTH_TEST);
  gl_.DepthMask(GL_TRUE);
  gl_.Clear(GL_DEPTH_BUFFER_BIT);
  gl_.Enable(GL_POLYGON_OFFSET_FILL);
  gl_.PolygonOffset(3, 6);
  gl_.UseProgram(shadow_program_);
  Set(shadow_program_, "lamp", frames.lamp);
  for (const Buffers& b : surfaces_) DrawOne(b);
  gl_.Disable(GL_POLYGON_OFFSET_FILL);
}

void OffscreenPainter::DrawScene(const Frames& frames, const Camera& camera) const {
  gl_.BindFramebuffer(GL_FRAMEBUFFER, frame_);
  gl_.Viewport(0, 0, width_, height_);
  gl_.ClearColor(kBackdrop.x, kBackdrop.y, kBackdrop.z, 1);
  gl_.Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  gl_.UseProgram(program_);
  gl_.BindTexture(GL_TEXTURE_2D, shadow_map_);
  Set(program_, "view", frames.view);
  Set(program_, "lamp", frames.lamp);
  Set("eye", camera.eye);
  Set("key_way", kKeyWay);
  Set("backdrop", kBackdrop);
  Set("reach", frames.reach);
  Set("ground", 0.0f);
  for (size_t i = 0; i < surfaces_.size(); ++i) {
    const avatar::Material& m = model_.materials[static_cast<size_t>(model_.surfaces[i].material)];
    Set("base", m.color);
    Set("roughness", m.roughness);
    Set("scatter", m.scatter);
    DrawOne(surfaces_[i]);
  }
  Set("ground", 1.0f);
  DrawOne(floor_);
}

absl::Status OffscreenPainter::Draw(const skel::PoseView& pose, const Camera& camera,
                                    Picture& out) {
  if (absl::Status s = deformer_.Pose(pose); !s.ok()) return s;
  for (size_t i = 0; i < surfaces_.size(); ++i) {
    Fill(surfaces_[i].points, deformer_.points(i));
    Fill(surfaces_[i].normals, deformer_.normals(i));
  }
  const Frames frames = FramesOf(camera);
  DrawShadow(frames);
  DrawScene(frames, camera);
  gl_.BindFramebuffer(GL_READ_FRAMEBUFFER, frame_);
  gl_.BindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved_);
  gl_.BlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
  gl_.BindFramebuffer(GL_READ_FRAMEBUFFER, resolved_);
  gl_.PixelStorei(GL_PACK_ALIGNMENT, 1);
  out.width = width_;
  out.height = height_;
  const size_t row = static_cast<size_t>(width_) * 3;
  out.rgb.resize(row * static_cast<size_t>(height_));
  gl_.ReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, out.rgb.data());
  if (const GLenum error = gl_.GetError(); error != GL_NO_ERROR) {
    return absl::InternalError(absl::StrCat("Mesa reports error ", error));
  }
  // OpenGL's first row is the lowest.
  for (size_t top = 0, low = static_cast<size_t>(height_) - 1; top < low; ++top, --low) {
    const auto at = [&](size_t r) {
      return out.rgb.begin() + static_cast<std::ptrdiff_t>(r * row);
    };
    std::swap_ranges(at(top), at(top + 1), at(low));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Camera> CameraPreset(absl::string_view name, float turn_deg) {
  Camera camera;
  if (name == "face") {
    camera.target = {0, 1.628f, 0.01f};
    camera.height_m = 0.34f;
  } else if (name == "bust") {
    camera.target = {0, 1.43f, 0};
    camera.height_m = 0.90f;
  } else if (name == "body") {
    camera.target = {0, 1.0f, 0};
    camera.height_m = 2.35f;
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("camera is \"", name, "\", expected face, bust or body"));
  }
  const float turn = turn_deg * 3.14159265f / 180;
  const float far = camera.height_m / 2 / std::tan(camera.view_rad / 2);
  camera.eye = camera.target + Vec3{std::sin(turn) * far, far * 0.04f, std::cos(turn) * far};
  return camera;
}

absl::StatusOr<std::unique_ptr<Painter>> Painter::Make(const avatar::Model& model, int width,
                                                       int height) {
  if (width < 16 || width > 4096 || height < 16 || height > 4096) {
    return absl::InvalidArgumentError(absl::StrCat("the picture is ", width, " x ", height,
                                                   " pixels, expected 16 to 4096 each way"));
  }
  absl::StatusOr<std::unique_ptr<GlContext>> context = GlContext::Make();
  if (!context.ok()) return context.status();
  auto out = std::make_unique<OffscreenPainter>(*std::move(context), model, width, height);
  if (absl::Status s = out->Prepare(); !s.ok()) return s;
  return std::unique_ptr<Painter>(std::move(out));
}

}  // namespace posewire::render
