#include "libs/render/mesh_buffers.h"

#include <utility>

namespace posewire::render {
namespace {

using skel::Vec3;

// The values, and again those of points that are repeated; none of none.
template <typename T>
std::vector<T> WithRepeats(absl::Span<const T> values, absl::Span<const uint32_t> repeats) {
  std::vector<T> out(values.begin(), values.end());
  if (values.empty()) return out;
  for (const uint32_t p : repeats) out.push_back(values[p]);
  return out;
}

// Creates the buffer at the first call.
template <typename T>
void Fill(const GlFunctions& gl, GLuint& buffer, GLenum kind, absl::Span<const T> values) {
  const bool is_new = buffer == 0;
  if (is_new) gl.GenBuffers(1, &buffer);
  gl.BindBuffer(kind, buffer);
  gl.BufferData(kind, static_cast<GLsizeiptr>(values.size() * sizeof(T)), values.data(),
                is_new ? GL_STATIC_DRAW : GL_STREAM_DRAW);
}

// An attribute of the bound array, from the buffer that was filled last.
void Attribute(const GlFunctions& gl, GLuint place, GLint width, GLenum type) {
  gl.VertexAttribPointer(place, width, type, type == GL_FLOAT ? GL_FALSE : GL_TRUE, 0, nullptr);
  gl.EnableVertexAttribArray(place);
}

}  // namespace

MeshSurface SurfaceOf(const character::Mesh& mesh) {
  return {mesh.points, mesh.normals, mesh.colors, mesh.uv, mesh.triangles, mesh.tangents};
}

MeshSurface SurfaceOf(const character::RefinedSurface::Part& part) {
  return {part.points, part.normals, part.colors, part.uv, part.triangles};
}

void UploadStatic(const GlFunctions& gl, const MeshSurface& surface, Buffers& b) {
  if (b.array == 0) gl.GenVertexArrays(1, &b.array);
  gl.BindVertexArray(b.array);
  Fill(gl, b.points, GL_ARRAY_BUFFER, surface.points);
  Attribute(gl, 0, 3, GL_FLOAT);
  if (!surface.normals.empty()) {
    Fill(gl, b.normals, GL_ARRAY_BUFFER, surface.normals);
    Attribute(gl, 1, 3, GL_FLOAT);
  }
  if (!surface.colors.empty()) {
    Fill(gl, b.colors, GL_ARRAY_BUFFER, surface.colors);
    Attribute(gl, 2, 4, GL_UNSIGNED_BYTE);
  }
  if (!surface.uv.empty()) {
    Fill(gl, b.coordinates, GL_ARRAY_BUFFER, surface.uv);
    Attribute(gl, 3, 2, GL_FLOAT);
  }
  Fill(gl, b.triangles, GL_ELEMENT_ARRAY_BUFFER, surface.triangles);
  b.count = static_cast<GLsizei>(surface.triangles.size());
}

absl::Status MeshBuffers::Upload(const GlFunctions& gl, const MeshSurface& surface, bool bumpy) {
  bumps_.reset();
  const size_t points = surface.points.size();
  if (!bumpy || surface.uv.size() != points || surface.normals.size() != points) {
    UploadStatic(gl, surface, buffers_);
    return absl::OkStatus();
  }
  auto frames = mesh::TangentFrames::Make(
      {surface.points, surface.normals, surface.uv, surface.triangles, surface.tangents});
  if (!frames.ok()) return frames.status();
  const size_t all = frames->points();
  bumps_ = Bumps{*std::move(frames), std::vector<Vec3>(all), std::vector<Vec3>(all),
                 std::vector<Vec3>(all)};
  if (absl::Status s = PoseBumps(surface.points, surface.normals); !s.ok()) return s;
  const absl::Span<const uint32_t> repeats = bumps_->frames.repeats();
  const auto colors = WithRepeats(surface.colors, repeats);
  const auto uv = WithRepeats(surface.uv, repeats);
  UploadStatic(gl, {bumps_->points, bumps_->normals, colors, uv, bumps_->frames.triangles()},
               buffers_);
  Fill(gl, buffers_.tangents, GL_ARRAY_BUFFER, absl::MakeConstSpan(bumps_->tangents));
  Attribute(gl, 4, 3, GL_FLOAT);
  Fill(gl, buffers_.signs, GL_ARRAY_BUFFER, absl::MakeConstSpan(bumps_->frames.signs()));
  Attribute(gl, 5, 1, GL_FLOAT);
  return absl::OkStatus();
}

absl::Status MeshBuffers::Pose(const GlFunctions& gl, absl::Span<const Vec3> points,
                               absl::Span<const Vec3> normals) {
  if (bumps_) {
    if (absl::Status s = PoseBumps(points, normals); !s.ok()) return s;
    points = bumps_->points;
    normals = bumps_->normals;
    Fill(gl, buffers_.tangents, GL_ARRAY_BUFFER, absl::MakeConstSpan(bumps_->tangents));
  }
  Fill(gl, buffers_.points, GL_ARRAY_BUFFER, points);
  Fill(gl, buffers_.normals, GL_ARRAY_BUFFER, normals);
  return absl::OkStatus();
}

absl::Status MeshBuffers::PoseBumps(absl::Span<const Vec3> points, absl::Span<const Vec3> normals) {
  return bumps_->frames.Run(points, normals, absl::MakeSpan(bumps_->points),
                            absl::MakeSpan(bumps_->normals), absl::MakeSpan(bumps_->tangents));
}

}  // namespace posewire::render
