#include "libs/render/painter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/deformer.h"
#include "libs/character/offset_points.h"
#include "libs/character/refined_surface.h"
#include "libs/render/companion.h"
#include "libs/render/draw_target.h"
#include "libs/render/gl.h"
#include "libs/render/material_gl.h"
#include "libs/render/matrix.h"
#include "libs/render/mesh_buffers.h"
#include "libs/render/prop_painter.h"
#include "libs/render/shaders.h"

namespace posewire::render {
namespace {

using character::Character;
using character::Material;
using character::Texture;
using skel::Vec3;

constexpr float kSteepest = 0.999f, kTilt = 0.06f, kPersonM = 1.75f;
// Texture units.
constexpr int kShadowUnit = 0, kPictureUnit = 1, kNormalUnit = 2, kEmissiveUnit = 3;

class OffscreenPainter : public Painter {
 public:
  OffscreenPainter(std::unique_ptr<GlContext> context, std::shared_ptr<const Character> character,
                   int width, int height, Background background, Edges edges)
      : context_(std::move(context)),
        gl_(context_->gl()),
        character_(std::move(character)),
        deformer_(character_),
        background_(std::move(background)),
        edges_(edges),
        target_(gl_, width, height, edges),
        width_(width),
        height_(height),
        prop_models_(
            gl_, [this](const Material& m) { return ProgramFor(m); },
            [this](const Texture& t, bool is_color) { return Upload(t, is_color); }) {
    const mesh::Extent& all = character_->framing.extent;
    size_ =
        std::max({all.high.y - all.low.y, all.high.x - all.low.x, all.high.z - all.low.z, 0.01f}) /
        kPersonM;
  }

  absl::Status Prepare();
  absl::Status Draw(const skel::PoseView& pose, const Camera& camera, Picture& out) override;
  void SetTime(double at_s) override { deformer_.SetTime(at_s); }
  absl::Status Pass(const skel::PoseView& pose) override { return deformer_.PoseJoints(pose); }
  absl::Status DrawOffsets(const skel::PoseView& pose,
                           absl::Span<const mesh::WeighedOffsets> offsets, const Camera& camera,
                           Picture& out) override;
  uint64_t mesh_hash() const override { return character::MeshHash(deformer_); }
  absl::Status SetProps(absl::Span<const character::PropShape> props) override;
  absl::StatusOr<size_t> AddCompanion(std::shared_ptr<const Character> character) override;
  absl::Status PoseCompanion(size_t number, const CompanionPose& pose) override {
    return companions_[number]->Pose(pose);
  }
  absl::StatusOr<std::string> SubdivideCompanion(size_t number, int levels) override {
    context_->MakeCurrent();
    return companions_[number]->Subdivide(levels);
  }
  void HideCompanion(size_t number) override { companions_[number]->Hide(); }
  absl::Status ChooseOfCompanion(size_t number, absl::string_view part,
                                 absl::string_view choice) override {
    return companions_[number]->Choose(part, choice);
  }
  void SetLight(const KeyLight& light) override;
  void SetBackground(Vec3 color) override { background_.color = color; }
  absl::StatusOr<std::string> Subdivide(int levels) override;
  absl::Status Choose(absl::string_view part, absl::string_view choice) override {
    offset_points_ = nullptr;
    return deformer_.Choose(part, choice);
  }

 private:
  // Draws the points and normals that FillMeshes has set.
  absl::Status DrawFilled(const Camera& camera, Picture& out);
  struct Frames {
    Matrix view, lamp;
    float reach, lift;
  };
  absl::Status PreparePrograms();
  // Compiles one program for each combination of features that materials need.
  absl::StatusOr<GLuint> ProgramFor(const Material& material);
  absl::Status FillMeshes(absl::FunctionRef<absl::Span<const Vec3>(size_t)> points,
                          absl::FunctionRef<absl::Span<const Vec3>(size_t)> normals);
  // The surface refined by so many levels, which is kept when another is drawn.
  struct Refined {
    std::unique_ptr<character::RefinedSurface> surface = nullptr;  // null: not made yet
    std::vector<bool> shown = {};          // the meshes that were shown when it was made
    std::vector<MeshBuffers> meshes = {};  // empty for meshes that are not refined
  };
  Refined& RefinedBy(int levels) { return refined_[static_cast<size_t>(levels - 1)]; }
  const Refined& RefinedBy(int levels) const { return refined_[static_cast<size_t>(levels - 1)]; }
  bool IsRefined(size_t mesh) const { return levels_ > 0 && RefinedBy(levels_).surface->has(mesh); }
  const Buffers& BuffersOf(size_t mesh) const {
    return (IsRefined(mesh) ? RefinedBy(levels_).meshes[mesh] : meshes_[mesh]).buffers();
  }
  void DrawProps(const Frames& frames, const Camera& camera) const;
  void DrawOthers(bool translucent, const Frames& frames, const Camera& camera) const;
  // A material as it is drawn. Textures: 0 is none.
  struct Paint {
    GLuint program = 0;
    std::array<float, 4> color = {};
    GLuint picture = 0, normal_map = 0, emissive_map = 0;
  };
  void DrawSurface(const Material& m, const Paint& paint, const Buffers& b, const Frames& frames,
                   const Camera& camera) const;
  Buffers Flat(absl::Span<const Vec3> corners);
  GLuint Upload(const Texture& texture, bool is_color) {
    gl_.ActiveTexture(GL_TEXTURE0);
    return UploadTexture(gl_, texture, is_color, texture.repeats);
  }
  Frames FramesOf(const Camera& camera) const;
  void DrawOne(const Buffers& b, bool culled) const;
  void DrawShadow(const Frames& frames) const;
  void DrawScene(const Frames& frames, const Camera& camera) const;
  void DrawBackground() const;
  void DrawFloor(const Frames& frames) const;
  void SetScene(GLuint p, const Frames& frames, const Camera& camera) const;
  void DrawMesh(size_t mesh, const Frames& frames, const Camera& camera) const;
  void SmoothEdges() const;
  const Material& MaterialOf(size_t mesh) const {
    return character_->materials[static_cast<size_t>(character_->meshes[mesh].material)];
  }
  GLint Place(GLuint program, const char* name) const {
    return gl_.GetUniformLocation(program, name);
  }
  void Set(GLuint program, const char* name, Vec3 v) const {
    gl_.Uniform3f(Place(program, name), v.x, v.y, v.z);
  }
  void Set(GLuint program, const char* name, float v) const {
    gl_.Uniform1f(Place(program, name), v);
  }
  void Set(GLuint program, const char* name, const Matrix& m) const {
    gl_.UniformMatrix4fv(Place(program, name), 1, GL_FALSE, m.data());
  }
  void Bind(GLuint program, const char* name, int unit, GLuint texture) const {
    gl_.ActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    gl_.BindTexture(GL_TEXTURE_2D, texture);
    gl_.Uniform1i(Place(program, name), unit);
  }

  std::unique_ptr<GlContext> context_;
  const GlFunctions& gl_;
  std::shared_ptr<const Character> character_;
  character::Deformer deformer_;
  std::unique_ptr<character::OffsetPoints> offset_points_;  // created at the first use
  Background background_;
  Vec3 key_way_ = skel::Normalized(KeyLight().way), key_color_ = KeyLight().color;
  Edges edges_;
  DrawTarget target_;
  int width_, height_;
  float size_ = 1;  // the character's height relative to a person's
  GLuint shadow_program_ = 0, floor_program_ = 0, back_program_ = 0, edge_program_ = 0,
         plain_program_ = 0;
  GLuint back_picture_ = 0;
  std::vector<GLuint> color_textures_, plain_textures_;  // by texture; 0: not used
  std::map<std::string, GLuint> programs_;               // by features
  std::vector<GLuint> looks_;                            // programs, by material
  std::vector<MeshBuffers> meshes_;
  int levels_ = 0;  // of the surface that is drawn
  std::array<Refined, character::RefinedSurface::kMostLevels> refined_;  // by levels, from 1
  Buffers props_;  // those without a model; empty without any
  PropPainter prop_models_;
  std::vector<std::unique_ptr<Companion>> companions_;
  std::vector<size_t> drawn_;  // meshes in drawing order: opaque ones before translucent ones
  Buffers floor_, back_;
  std::array<int, 2> feet_{-1, -1};  // nodes; -1: none
};

absl::StatusOr<std::string> OffscreenPainter::Subdivide(int levels) {
  context_->MakeCurrent();
  if (levels == 0) {
    levels_ = 0;
    return "";
  }
  std::vector<bool> shown;
  for (size_t i = 0; i < meshes_.size(); ++i) shown.push_back(deformer_.shown(i));
  const bool known = levels > 0 && levels <= character::RefinedSurface::kMostLevels;
  if (!known || RefinedBy(levels).surface == nullptr || shown != RefinedBy(levels).shown) {
    auto made = character::RefinedSurface::Make(deformer_, levels);
    if (!made.ok()) return made.status();
    Refined& refined = RefinedBy(levels);
    refined.surface = *std::move(made);
    refined.shown = std::move(shown);
    refined.meshes.resize(meshes_.size());
    for (size_t i = 0; i < meshes_.size(); ++i) {
      if (!refined.surface->has(i)) continue;
      const absl::Status s = refined.meshes[i].Upload(gl_, SurfaceOf(refined.surface->part(i)),
                                                      MaterialOf(i).normal_map >= 0);
      if (!s.ok()) return s;
    }
  }
  levels_ = levels;
  return RefinedBy(levels).surface->left_out();
}

// Uploads the posed points and normals of the meshes that are shown.
absl::Status OffscreenPainter::FillMeshes(
    absl::FunctionRef<absl::Span<const Vec3>(size_t)> points,
    absl::FunctionRef<absl::Span<const Vec3>(size_t)> normals) {
  if (levels_ > 0) {
    if (absl::Status s = RefinedBy(levels_).surface->Pose(points); !s.ok()) return s;
  }
  for (size_t i = 0; i < meshes_.size(); ++i) {
    if (!deformer_.shown(i)) continue;
    absl::Status s;
    if (IsRefined(i)) {
      Refined& refined = RefinedBy(levels_);
      const character::RefinedSurface::Part& part = refined.surface->part(i);
      s = refined.meshes[i].Pose(gl_, part.points, part.normals);
    } else {
      s = meshes_[i].Pose(gl_, points(i), normals(i));
    }
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

void OffscreenPainter::SetLight(const KeyLight& light) {
  const float length = skel::Length(light.way);
  if (!(length > 0)) return;
  key_way_ = light.way * (1 / length);
  // The shadow's picture needs an up that differs from its view.
  if (std::abs(key_way_.y) > kSteepest) key_way_ = skel::Normalized(key_way_ + Vec3{0, 0, kTilt});
  key_color_ = light.color;
}

absl::Status OffscreenPainter::SetProps(absl::Span<const character::PropShape> props) {
  context_->MakeCurrent();
  const character::Mesh mesh = character::MeshOf(props);
  if (mesh.triangles.empty()) {
    props_.count = 0;
  } else {
    UploadStatic(gl_, SurfaceOf(mesh), props_);
  }
  return prop_models_.Set(props);
}

absl::StatusOr<size_t> OffscreenPainter::AddCompanion(std::shared_ptr<const Character> character) {
  context_->MakeCurrent();
  auto companion = std::make_unique<Companion>(gl_, std::move(character));
  const absl::Status s =
      companion->Prepare([this](const Material& m) { return ProgramFor(m); },
                         [this](const Texture& t, bool is_color) { return Upload(t, is_color); });
  if (s.ok()) companions_.push_back(std::move(companion));
  return s.ok() ? absl::StatusOr<size_t>(companions_.size() - 1) : s;
}

Buffers OffscreenPainter::Flat(absl::Span<const Vec3> corners) {
  constexpr std::array<uint32_t, 6> kTriangles = {0, 1, 2, 0, 2, 3};
  Buffers b;
  UploadStatic(gl_, {.points = corners, .triangles = kTriangles}, b);
  return b;
}

absl::StatusOr<GLuint> OffscreenPainter::ProgramFor(const Material& m) {
  const std::string needs = FeaturesOf(m);
  GLuint& program = programs_[needs];
  if (program != 0) return program;
  absl::StatusOr<GLuint> made = context_->Program(absl::StrCat(kVersion, needs, kVertex),
                                                  absl::StrCat(kVersion, needs, kLit, kFragment));
  if (made.ok()) program = *made;
  return made;
}

absl::Status OffscreenPainter::PreparePrograms() {
  const auto make = [&](absl::string_view vertex, absl::string_view fragment, GLuint& out) {
    absl::StatusOr<GLuint> program =
        context_->Program(absl::StrCat(kVersion, vertex), absl::StrCat(kVersion, fragment));
    if (program.ok()) out = *program;
    return program.status();
  };
  for (const absl::Status& s : {make(kShadowVertex, kShadowFragment, shadow_program_),
                                make(kVertex, absl::StrCat(kLit, kFloorFragment), floor_program_),
                                make(kBackVertex, kBackFragment, back_program_),
                                make(kBackVertex, kEdgeFragment, edge_program_),
                                make(kVertex, absl::StrCat(kLit, kFragment), plain_program_)}) {
    if (!s.ok()) return s;
  }
  for (const Material& m : character_->materials) {
    const absl::StatusOr<GLuint> program = ProgramFor(m);
    if (!program.ok()) return program.status();
    looks_.push_back(*program);
  }
  return absl::OkStatus();
}

absl::Status OffscreenPainter::Prepare() {
  if (absl::Status s = PreparePrograms(); !s.ok()) return s;
  const Character& c = *character_;
  meshes_.resize(c.meshes.size());
  for (size_t i = 0; i < c.meshes.size(); ++i) {
    const absl::Status s =
        meshes_[i].Upload(gl_, SurfaceOf(c.meshes[i]), MaterialOf(i).normal_map >= 0);
    if (!s.ok()) return s;
  }
  for (size_t i = 0; i < c.meshes.size(); ++i) drawn_.push_back(i);
  std::stable_sort(drawn_.begin(), drawn_.end(), [&](size_t a, size_t b) {
    return static_cast<int>(MaterialOf(a).mode) < static_cast<int>(MaterialOf(b).mode);
  });
  color_textures_.resize(c.textures.size());
  plain_textures_.resize(c.textures.size());
  const auto upload = [&](int index, bool is_color) {
    if (index < 0) return;
    GLuint& out = (is_color ? color_textures_ : plain_textures_)[static_cast<size_t>(index)];
    if (out == 0) out = Upload(c.textures[static_cast<size_t>(index)], is_color);
  };
  gl_.ActiveTexture(GL_TEXTURE0);
  for (const Material& m : c.materials) {
    upload(m.texture, true);
    upload(m.emissive_texture, true);
    upload(m.normal_map, false);
  }
  if (background_.picture != nullptr) {
    back_picture_ = UploadTexture(gl_, *background_.picture, /*is_color=*/false, /*repeats=*/false);
  }
  const float half = 4 * size_;  // the ground has faded out at this distance
  const Vec3 ground[] = {{-half, 0, -half}, {-half, 0, half}, {half, 0, half}, {half, 0, -half}};
  floor_ = Flat(ground);
  const Vec3 frame[] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  back_ = Flat(frame);
  for (const character::Link& link : c.links) {
    const auto bone = c.rig->humanoid().BoneOf(link.joint);
    if (bone == skel::HumanBone::kLeftFoot) feet_[0] = link.node;
    if (bone == skel::HumanBone::kRightFoot) feet_[1] = link.node;
  }
  return target_.Make();
}

OffscreenPainter::Frames OffscreenPainter::FramesOf(const Camera& camera) const {
  const float aspect = static_cast<float>(width_) / static_cast<float>(height_);
  // The shadow map covers the visible area, and enough beyond it for objects that cast shadows into
  // it.
  const float half =
      std::clamp(camera.height_m * 0.75f * std::max(aspect, 1.0f), 0.25f * size_, 2.5f * size_);
  const Vec3 from = camera.target + key_way_ * (4 * size_);
  const float far = skel::Length(camera.eye - camera.target);
  const float reach = 0.006f * std::max(0.5f, 0.5f * size_ / half);
  return {Perspective(camera.view_rad, aspect, 0.05f * far, far + 20 * size_) *
              LookAt(camera.eye, camera.target, {0, 1, 0}),
          Orthographic(half, size_, 8 * size_) * LookAt(from, camera.target, {0, 1, 0}), reach,
          1.5f * reach * 2 * half};
}

void OffscreenPainter::DrawOne(const Buffers& b, bool culled) const {
  if (culled) gl_.Enable(GL_CULL_FACE);
  gl_.BindVertexArray(b.array);
  gl_.DrawElements(GL_TRIANGLES, b.count, GL_UNSIGNED_INT, nullptr);
  if (culled) gl_.Disable(GL_CULL_FACE);
}

void OffscreenPainter::DrawShadow(const Frames& frames) const {
  target_.BeginShadow();
  gl_.Enable(GL_DEPTH_TEST);
  gl_.DepthMask(GL_TRUE);
  gl_.Clear(GL_DEPTH_BUFFER_BIT);
  gl_.Enable(GL_POLYGON_OFFSET_FILL);
  gl_.PolygonOffset(3, 6);
  gl_.UseProgram(shadow_program_);
  Set(shadow_program_, "lamp", frames.lamp);
  for (const size_t i : drawn_) {
    if (deformer_.shown(i) && MaterialOf(i).mode != Material::Alpha::kBlend) {
      DrawOne(BuffersOf(i), !MaterialOf(i).double_sided);
    }
  }
  if (props_.count > 0) DrawOne(props_, true);
  prop_models_.Draw(/*translucent=*/false, [this](const PropPart& part) {
    DrawOne(part.mesh.buffers(), !part.material->double_sided);
  });
  for (const auto& companion : companions_) {
    companion->Draw(/*translucent=*/false,
                    [this](const Companion::Part& part, const auto&, const Buffers& buffers) {
                      DrawOne(buffers, !part.material->double_sided);
                    });
  }
  gl_.Disable(GL_POLYGON_OFFSET_FILL);
}

void OffscreenPainter::DrawBackground() const {
  if (back_picture_ == 0) return;
  const image::Image& picture = *background_.picture;
  const float own = static_cast<float>(picture.width) / static_cast<float>(picture.height);
  const float frame = static_cast<float>(width_) / static_cast<float>(height_);
  gl_.DepthMask(GL_FALSE);
  gl_.Disable(GL_DEPTH_TEST);
  gl_.UseProgram(back_program_);
  gl_.Uniform2f(Place(back_program_, "part"), std::min(frame / own, 1.0f),
                std::min(own / frame, 1.0f));
  Bind(back_program_, "picture", kPictureUnit, back_picture_);
  DrawOne(back_, false);
  gl_.Enable(GL_DEPTH_TEST);
  gl_.DepthMask(GL_TRUE);
}

void OffscreenPainter::DrawFloor(const Frames& frames) const {
  const GLuint p = floor_program_;
  gl_.UseProgram(p);
  Set(p, "view", frames.view);
  Set(p, "lamp", frames.lamp);
  Set(p, "reach", frames.reach);
  Set(p, "size", size_);
  Bind(p, "shadow", kShadowUnit, target_.shadow_map());
  for (size_t i = 0; i < 2; ++i) {
    // A character without feet touches the ground at its middle.
    const Vec3 at = feet_[i] < 0 ? Vec3{} : deformer_.nodes()[static_cast<size_t>(feet_[i])].row[3];
    Set(p, i == 0 ? "feet[0]" : "feet[1]", at + Vec3{0, 0, feet_[i] < 0 ? 0 : 0.05f * size_});
  }
  DrawOne(floor_, false);
}

void OffscreenPainter::SetScene(GLuint p, const Frames& frames, const Camera& camera) const {
  gl_.UseProgram(p);
  Set(p, "view", frames.view);
  Set(p, "lamp", frames.lamp);
  Set(p, "reach", frames.reach);
  Set(p, "lift", frames.lift);
  Set(p, "eye", camera.eye);
  Set(p, "key_way", key_way_);
  Set(p, "key_color", key_color_);
  Bind(p, "shadow", kShadowUnit, target_.shadow_map());
}

void OffscreenPainter::DrawMesh(size_t mesh, const Frames& frames, const Camera& camera) const {
  const auto index = static_cast<size_t>(character_->meshes[mesh].material);
  const Material& m = character_->materials[index];
  const auto texture = [](const std::vector<GLuint>& of, int number) {
    return number < 0 ? 0 : of[static_cast<size_t>(number)];
  };
  DrawSurface(
      m,
      {looks_[index], deformer_.color(index), texture(color_textures_, m.texture),
       texture(plain_textures_, m.normal_map), texture(color_textures_, m.emissive_texture)},
      BuffersOf(mesh), frames, camera);
}

void OffscreenPainter::DrawSurface(const Material& m, const Paint& paint, const Buffers& b,
                                   const Frames& frames, const Camera& camera) const {
  const GLuint p = paint.program;
  const std::array<float, 4>& color = paint.color;
  SetScene(p, frames, camera);
  gl_.Uniform4f(Place(p, "base"), color[0], color[1], color[2],
                m.mode == Material::Alpha::kOpaque ? 1 : color[3]);
  Set(p, "emissive", m.emissive);
  Set(p, "roughness", m.eye ? std::min(m.roughness, 0.3f) : std::max(m.roughness, 0.2f));
  Set(p, "scatter", m.skin ? 1.0f : 0.0f);
  Set(p, "cutoff", m.cutoff);
  Set(p, "bump", m.normal_scale);
  if (paint.picture != 0) Bind(p, "picture", kPictureUnit, paint.picture);
  if (paint.normal_map != 0) Bind(p, "normal_map", kNormalUnit, paint.normal_map);
  if (paint.emissive_map != 0) Bind(p, "emissive_map", kEmissiveUnit, paint.emissive_map);
  gl_.VertexAttrib4f(2, 1, 1, 1, 1);
  gl_.VertexAttrib4f(3, 0, 0, 0, 0);
  DrawOne(b, !m.double_sided);
}

void OffscreenPainter::DrawProps(const Frames& frames, const Camera& camera) const {
  if (props_.count == 0) return;
  const GLuint p = plain_program_;
  SetScene(p, frames, camera);
  gl_.Uniform4f(Place(p, "base"), 1, 1, 1, 1);
  Set(p, "emissive", Vec3{});
  Set(p, "roughness", character::kPropRoughness);
  DrawOne(props_, true);
}

void OffscreenPainter::DrawOthers(bool translucent, const Frames& frames,
                                  const Camera& camera) const {
  prop_models_.Draw(translucent, [&](const PropPart& part) {
    const Material& m = *part.material;
    DrawSurface(m,
                {part.program,
                 {m.color.x, m.color.y, m.color.z, m.alpha},
                 part.color,
                 part.normal,
                 part.emissive},
                part.mesh.buffers(), frames, camera);
  });
  for (const auto& companion : companions_) {
    companion->Draw(translucent, [&](const Companion::Part& part, const std::array<float, 4>& color,
                                     const Buffers& buffers) {
      DrawSurface(*part.material, {part.program, color, part.color, part.normal, part.emissive},
                  buffers, frames, camera);
    });
  }
}

// Draws opaque meshes, then the ground, then translucent meshes.
void OffscreenPainter::DrawScene(const Frames& frames, const Camera& camera) const {
  target_.BeginScene();
  const Vec3 back = background_.none ? Vec3{} : background_.color;
  gl_.ClearColor(back.x, back.y, back.z, background_.none ? 0 : 1);
  gl_.Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  DrawBackground();
  DrawProps(frames, camera);
  DrawOthers(/*translucent=*/false, frames, camera);
  bool on_floor = false;
  const auto floor = [&] {
    if (on_floor) return;
    on_floor = true;
    gl_.Enable(GL_BLEND);
    gl_.BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl_.DepthMask(GL_FALSE);
    DrawFloor(frames);
  };
  for (const size_t i : drawn_) {
    if (!deformer_.shown(i)) continue;
    if (MaterialOf(i).mode == Material::Alpha::kBlend) floor();
    DrawMesh(i, frames, camera);
  }
  floor();
  DrawOthers(/*translucent=*/true, frames, camera);
  gl_.Disable(GL_BLEND);
  gl_.DepthMask(GL_TRUE);
}

// Writes into the frame that is read back.
void OffscreenPainter::SmoothEdges() const {
  if (edges_ == Edges::kFine) return target_.Resolve();
  target_.BeginSmoothing();
  gl_.Disable(GL_DEPTH_TEST);
  gl_.UseProgram(edge_program_);
  gl_.Uniform2f(Place(edge_program_, "pixel_size"), 1 / static_cast<float>(width_),
                1 / static_cast<float>(height_));
  Bind(edge_program_, "picture", kPictureUnit, target_.rough());
  DrawOne(back_, false);
  gl_.Enable(GL_DEPTH_TEST);
}

absl::Status OffscreenPainter::Draw(const skel::PoseView& pose, const Camera& camera,
                                    Picture& out) {
  context_->MakeCurrent();
  if (absl::Status s = deformer_.Pose(pose); !s.ok()) return s;
  const absl::Status filled = FillMeshes([this](size_t i) { return deformer_.points(i); },
                                         [this](size_t i) { return deformer_.normals(i); });
  return filled.ok() ? DrawFilled(camera, out) : filled;
}

absl::Status OffscreenPainter::DrawOffsets(const skel::PoseView& pose,
                                           absl::Span<const mesh::WeighedOffsets> offsets,
                                           const Camera& camera, Picture& out) {
  context_->MakeCurrent();
  if (absl::Status s = deformer_.Pose(pose); !s.ok()) return s;
  if (offset_points_ == nullptr) {
    auto made = character::OffsetPoints::Make(deformer_);
    if (!made.ok()) return made.status();
    offset_points_ = *std::move(made);
  }
  if (absl::Status s = offset_points_->Pose(deformer_, offsets); !s.ok()) return s;
  const absl::Status filled = FillMeshes([this](size_t i) { return offset_points_->points(i); },
                                         [this](size_t i) { return offset_points_->normals(i); });
  return filled.ok() ? DrawFilled(camera, out) : filled;
}

absl::Status OffscreenPainter::DrawFilled(const Camera& camera, Picture& out) {
  const Frames frames = FramesOf(camera);
  for (const auto& companion : companions_) {
    if (absl::Status s = companion->Show({&frames.view, &frames.lamp}); !s.ok()) return s;
  }
  DrawShadow(frames);
  DrawScene(frames, camera);
  SmoothEdges();
  target_.Read(background_.none, out);
  if (const GLenum error = gl_.GetError(); error != GL_NO_ERROR) {
    return absl::InternalError(absl::StrCat("Mesa reports error ", error));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Painter>> Painter::Make(std::shared_ptr<const Character> character,
                                                       int width, int height,
                                                       const Background& background, Edges edges) {
  if (width < 16 || width > 4096 || height < 16 || height > 4096) {
    return absl::InvalidArgumentError(absl::StrCat("the picture is ", width, " x ", height,
                                                   " pixels, expected 16 to 4096 each way"));
  }
  absl::StatusOr<std::unique_ptr<GlContext>> context = GlContext::Make();
  if (!context.ok()) return context.status();
  auto out = std::make_unique<OffscreenPainter>(*std::move(context), std::move(character), width,
                                                height, background, edges);
  if (absl::Status s = out->Prepare(); !s.ok()) return s;
  return std::unique_ptr<Painter>(std::move(out));
}

}  // namespace posewire::render
