#include "libs/render/gl.h"

#include <GL/osmesa.h>
#include <dlfcn.h>

#include <array>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace posewire::render {

// Loaded with dlopen, so that services that draw nothing do not load a shader compiler.
struct GlContext::Library {
  void* handle = nullptr;
  OSMesaContext context = nullptr;
  decltype(&OSMesaDestroyContext) destroy = nullptr;
  decltype(&OSMesaMakeCurrent) make_current = nullptr;
  // required by the context, but unused: pictures are drawn into framebuffers
  std::array<unsigned char, 64> canvas{};

  ~Library() {
    if (context != nullptr) destroy(context);
    // Not closed: Mesa's threads may outlive the context.
  }
};

GlContext::~GlContext() = default;

void GlContext::MakeCurrent() const {
  library_->make_current(library_->context, library_->canvas.data(), GL_UNSIGNED_BYTE, 4, 4);
}

absl::StatusOr<std::unique_ptr<GlContext>> GlContext::Make() {
  std::unique_ptr<GlContext> out(new GlContext);
  out->library_ = std::make_unique<Library>();
  Library& library = *out->library_;
  library.handle = dlopen("libOSMesa.so.8", RTLD_NOW | RTLD_LOCAL);
  if (library.handle == nullptr) {
    return absl::UnavailableError(absl::StrCat(
        "pictures need Mesa's off-screen library (Debian: apt-get install libosmesa6): ",
        dlerror()));
  }
  const auto symbol = [&](const char* name) { return dlsym(library.handle, name); };
  const auto create =
      reinterpret_cast<decltype(&OSMesaCreateContextAttribs)>(symbol("OSMesaCreateContextAttribs"));
  library.make_current =
      reinterpret_cast<decltype(&OSMesaMakeCurrent)>(symbol("OSMesaMakeCurrent"));
  const auto address =
      reinterpret_cast<decltype(&OSMesaGetProcAddress)>(symbol("OSMesaGetProcAddress"));
  library.destroy =
      reinterpret_cast<decltype(&OSMesaDestroyContext)>(symbol("OSMesaDestroyContext"));
  if (create == nullptr || library.make_current == nullptr || address == nullptr ||
      library.destroy == nullptr) {
    return absl::UnavailableError("libOSMesa.so.8 lacks OSMesaCreateContextAttribs: it is too old");
  }
  const int attributes[] = {OSMESA_FORMAT,
                            OSMESA_RGBA,
                            OSMESA_DEPTH_BITS,
                            0,
                            OSMESA_PROFILE,
                            OSMESA_CORE_PROFILE,
                            OSMESA_CONTEXT_MAJOR_VERSION,
                            3,
                            OSMESA_CONTEXT_MINOR_VERSION,
                            3,
                            0};
  library.context = create(attributes, nullptr);
  if (library.context == nullptr ||
      !library.make_current(library.context, library.canvas.data(), GL_UNSIGNED_BYTE, 4, 4)) {
    return absl::UnavailableError("libOSMesa.so.8 offers no OpenGL 3.3");
  }
  std::string missing;
  const auto load = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address(name));
    if (function == nullptr) absl::StrAppend(&missing, " ", name);
  };
#define POSEWIRE_GL_LOAD(Type, Name) load(out->gl_.Name, "gl" #Name);
  POSEWIRE_GL_FUNCTIONS(POSEWIRE_GL_LOAD)
#undef POSEWIRE_GL_LOAD
  if (!missing.empty()) {
    return absl::UnavailableError(absl::StrCat("libOSMesa.so.8 lacks", missing));
  }
  return out;
}

absl::StatusOr<GLuint> GlContext::Program(absl::string_view vertex,
                                          absl::string_view fragment) const {
  const GLuint program = gl_.CreateProgram();
  std::array<char, 2048> words{};
  for (const auto& [kind, text] : {std::pair{GLenum{GL_VERTEX_SHADER}, vertex},
                                   std::pair{GLenum{GL_FRAGMENT_SHADER}, fragment}}) {
    const GLuint shader = gl_.CreateShader(kind);
    const char* data = text.data();
    const auto size = static_cast<GLint>(text.size());
    gl_.ShaderSource(shader, 1, &data, &size);
    gl_.CompileShader(shader);
    GLint good = 0;
    gl_.GetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (!good) {
      gl_.GetShaderInfoLog(shader, words.size(), nullptr, words.data());
      return absl::InternalError(absl::StrCat("a shader does not compile: ", words.data()));
    }
    gl_.AttachShader(program, shader);
  }
  gl_.BindAttribLocation(program, 0, "position");
  gl_.BindAttribLocation(program, 1, "normal");
  gl_.BindAttribLocation(program, 2, "color");
  gl_.BindAttribLocation(program, 3, "coordinate");
  gl_.BindAttribLocation(program, 4, "tangent");
  gl_.BindAttribLocation(program, 5, "tangent_sign");
  gl_.LinkProgram(program);
  GLint good = 0;
  gl_.GetProgramiv(program, GL_LINK_STATUS, &good);
  if (!good) {
    gl_.GetProgramInfoLog(program, words.size(), nullptr, words.data());
    return absl::InternalError(absl::StrCat("shaders do not link: ", words.data()));
  }
  return program;
}

}  // namespace posewire::render
