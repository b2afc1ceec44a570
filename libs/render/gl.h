// OpenGL without a display: Mesa's software renderer, drawing into memory.
#ifndef POSEWIRE_LIBS_RENDER_GL_H_
#define POSEWIRE_LIBS_RENDER_GL_H_

#include <GL/glcorearb.h>

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::render {

// The functions used: type and name, without the gl prefix.
#define POSEWIRE_GL_FUNCTIONS(X)                                             \
  X(PFNGLACTIVETEXTUREPROC, ActiveTexture)                                   \
  X(PFNGLATTACHSHADERPROC, AttachShader)                                     \
  X(PFNGLBINDATTRIBLOCATIONPROC, BindAttribLocation)                         \
  X(PFNGLBINDBUFFERPROC, BindBuffer)                                         \
  X(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)                               \
  X(PFNGLBINDRENDERBUFFERPROC, BindRenderbuffer)                             \
  X(PFNGLBINDTEXTUREPROC, BindTexture)                                       \
  X(PFNGLBINDVERTEXARRAYPROC, BindVertexArray)                               \
  X(PFNGLBLENDFUNCPROC, BlendFunc)                                           \
  X(PFNGLBLITFRAMEBUFFERPROC, BlitFramebuffer)                               \
  X(PFNGLBUFFERDATAPROC, BufferData)                                         \
  X(PFNGLCHECKFRAMEBUFFERSTATUSPROC, CheckFramebufferStatus)                 \
  X(PFNGLCLEARCOLORPROC, ClearColor)                                         \
  X(PFNGLCLEARPROC, Clear)                                                   \
  X(PFNGLCOMPILESHADERPROC, CompileShader)                                   \
  X(PFNGLCREATEPROGRAMPROC, CreateProgram)                                   \
  X(PFNGLCREATESHADERPROC, CreateShader)                                     \
  X(PFNGLCULLFACEPROC, CullFace)                                             \
  X(PFNGLDEPTHFUNCPROC, DepthFunc)                                           \
  X(PFNGLDEPTHMASKPROC, DepthMask)                                           \
  X(PFNGLDISABLEPROC, Disable)                                               \
  X(PFNGLDRAWBUFFERSPROC, DrawBuffers)                                       \
  X(PFNGLDRAWELEMENTSPROC, DrawElements)                                     \
  X(PFNGLENABLEPROC, Enable)                                                 \
  X(PFNGLENABLEVERTEXATTRIBARRAYPROC, EnableVertexAttribArray)               \
  X(PFNGLFRAMEBUFFERRENDERBUFFERPROC, FramebufferRenderbuffer)               \
  X(PFNGLFRAMEBUFFERTEXTURE2DPROC, FramebufferTexture2D)                     \
  X(PFNGLGENBUFFERSPROC, GenBuffers)                                         \
  X(PFNGLGENERATEMIPMAPPROC, GenerateMipmap)                                 \
  X(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)                               \
  X(PFNGLGENRENDERBUFFERSPROC, GenRenderbuffers)                             \
  X(PFNGLGENTEXTURESPROC, GenTextures)                                       \
  X(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays)                               \
  X(PFNGLGETERRORPROC, GetError)                                             \
  X(PFNGLGETPROGRAMINFOLOGPROC, GetProgramInfoLog)                           \
  X(PFNGLGETPROGRAMIVPROC, GetProgramiv)                                     \
  X(PFNGLGETSHADERINFOLOGPROC, GetShaderInfoLog)                             \
  X(PFNGLGETSHADERIVPROC, GetShaderiv)                                       \
  X(PFNGLGETUNIFORMLOCATIONPROC, GetUniformLocation)                         \
  X(PFNGLLINKPROGRAMPROC, LinkProgram)                                       \
  X(PFNGLPIXELSTOREIPROC, PixelStorei)                                       \
  X(PFNGLPOLYGONOFFSETPROC, PolygonOffset)                                   \
  X(PFNGLREADPIXELSPROC, ReadPixels)                                         \
  X(PFNGLRENDERBUFFERSTORAGEMULTISAMPLEPROC, RenderbufferStorageMultisample) \
  X(PFNGLSHADERSOURCEPROC, ShaderSource)                                     \
  X(PFNGLTEXIMAGE2DPROC, TexImage2D)                                         \
  X(PFNGLTEXPARAMETERIPROC, TexParameteri)                                   \
  X(PFNGLUNIFORM1FPROC, Uniform1f)                                           \
  X(PFNGLUNIFORM1IPROC, Uniform1i)                                           \
  X(PFNGLUNIFORM2FPROC, Uniform2f)                                           \
  X(PFNGLUNIFORM3FPROC, Uniform3f)                                           \
  X(PFNGLUNIFORM4FPROC, Uniform4f)                                           \
  X(PFNGLUNIFORMMATRIX4FVPROC, UniformMatrix4fv)                             \
  X(PFNGLUSEPROGRAMPROC, UseProgram)                                         \
  X(PFNGLVERTEXATTRIB4FPROC, VertexAttrib4f)                                 \
  X(PFNGLVERTEXATTRIBPOINTERPROC, VertexAttribPointer)                       \
  X(PFNGLVIEWPORTPROC, Viewport)

struct GlFunctions {
#define POSEWIRE_GL_MEMBER(Type, Name) Type Name = nullptr;
  POSEWIRE_GL_FUNCTIONS(POSEWIRE_GL_MEMBER)
#undef POSEWIRE_GL_MEMBER
};

// An OpenGL 3.3 context, current on the thread that made it; only that thread may use it.
class GlContext {
 public:
  // UNAVAILABLE, naming the package, if Mesa's off-screen library (libOSMesa) is not installed; it
  // is not loaded before this call.
  static absl::StatusOr<std::unique_ptr<GlContext>> Make();
  ~GlContext();
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

  const GlFunctions& gl() const { return gl_; }

  // Directs OpenGL's calls of this thread to this context. Contexts of several characters may share
  // a thread, so call it before drawing.
  void MakeCurrent() const;

  // INTERNAL with the compiler's message.
  absl::StatusOr<GLuint> Program(absl::string_view vertex, absl::string_view fragment) const;

 private:
  struct Library;
  GlContext() = default;

  std::unique_ptr<Library> library_;
  GlFunctions gl_;
};

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_GL_H_
