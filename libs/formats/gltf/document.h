// Reads a glTF 2.0 file as JSON and bytes: containers, buffers, compressed views, accessors.
//
// All counts and positions in the file are checked here, once, before memory is allocated; after
// that, every array has its required length and every index is in range. The parser is our own
// because the library in Debian rejects files with Draco and meshopt (accessors without a view,
// buffers without bytes) and reads past the end of damaged ones.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_DOCUMENT_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_DOCUMENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/formats/gltf/json.h"

namespace posewire::gltf {

// The attribute that numbers the points of a mesh as the file does from which it was made, where
// readers split them (character::Mesh::point_of). Their count is `points` in extras.posewire of the
// mesh. Posewire's own.
inline constexpr char kPointAttribute[] = "_POINT";

using asset::Limits;
// Not called for GLB and data: URIs.
using asset::ReadSidecar;

// Component type of an accessor (glTF 2.0, 3.6.2.2).
enum Component { kByte = 5120, kUByte, kShort, kUShort, kUInt = 5125, kFloat = 5126 };

class Document {
 public:
  // `bytes` must outlive the document. INVALID_ARGUMENT names the fault; UNIMPLEMENTED a required
  // extension that is not supported; RESOURCE_EXHAUSTED a limit.
  static absl::StatusOr<std::unique_ptr<Document>> Parse(absl::string_view bytes,
                                                         const Limits& limits,
                                                         const ReadSidecar& read_sidecar);

  Json root() { return {&json_, "", &status_}; }
  // The first fault found so far.
  const absl::Status& status() const { return status_; }

  // Returns an accessor's values, `width` numbers each, normalised if it is marked so; sparse ones
  // are filled in. Empty, with the fault in status(), if it does not match.
  std::vector<float> Floats(int accessor, int width);
  // Returns unsigned integers (indices, joints): bytes, shorts or 32 bits.
  std::vector<uint32_t> Wholes(int accessor, int width);
  size_t CountOf(int accessor);
  // Returns 1 for "SCALAR", 3 for "VEC3", ...; 0 for other types.
  int WidthOf(int accessor);

  // Returns the bytes of a view, decompressed; empty if they are out of range.
  absl::string_view View(int view);
  // Returns the encoded bytes of images[image].
  absl::string_view Image(int image);

  // Returns the whole file as one GLB, including the files next to it. Errors as in Parse.
  absl::StatusOr<std::string> ToGlb();

  // Counts numbers against the limit for all arrays. Returns false, with the fault in status(),
  // above it.
  bool Take(uint64_t numbers, absl::string_view what);

  // Harmless omissions, for the log.
  std::vector<std::string> notes;

 private:
  Document(const Limits& limits, ReadSidecar read_sidecar)
      : limits_(limits), read_sidecar_(std::move(read_sidecar)) {}
  absl::Status ParseContainer(absl::string_view bytes);
  void CheckExtensions();
  void CheckNodes();
  void LoadBuffers();
  absl::string_view Uri(const Json& at);
  absl::string_view Buffer(int buffer) const;
  struct Layout {
    absl::string_view bytes;
    size_t stride = 0, element = 0, count = 0;
    int component = 0, width = 0;
    bool normalized = false;
  };
  bool LayoutOf(int accessor, int width, Layout& out, bool& absent);
  template <typename T, typename Convert>
  std::vector<T> Values(int accessor, int width, bool wholes, Convert convert);
  std::string Unpack(const Json& packed);
  void Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

  Limits limits_;
  ReadSidecar read_sidecar_;
  rapidjson::Document json_;
  absl::Status status_;
  absl::string_view text_, binary_;
  std::vector<absl::string_view> buffers_;
  std::vector<std::unique_ptr<std::string>> kept_;      // data read or decoded
  std::vector<std::unique_ptr<std::string>> unpacked_;  // by view
  uint64_t numbers_ = 0, bytes_ = 0;
};

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_DOCUMENT_H_
