// A glTF 2.0 file as its JSON and its bytes: containers, buffers, compressed views, accessors.
//
// All that the file says of counts and places is checked here, once, before memory is taken for
// it; above this every array has the length and every index the range that it should have. We read
// the document ourselves because the library that Debian has refuses Draco's and meshopt's files
// (accessors without a view, buffers without bytes) and reads past the end of damaged ones.
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

using asset::Limits;
// Never called for GLB and data: URIs.
using asset::ReadBeside;

// What an accessor holds (glTF 2.0, 3.6.2.2).
enum Component { kByte = 5120, kUByte, kShort, kUShort, kUInt = 5125, kFloat = 5126 };

class Document {
 public:
  // `bytes` must outlive the document. INVALID_ARGUMENT names what is wrong; UNIMPLEMENTED an
  // extension that the file requires and we do not have; RESOURCE_EXHAUSTED a limit.
  static absl::StatusOr<std::unique_ptr<Document>> Parse(absl::string_view bytes,
                                                         const Limits& limits,
                                                         const ReadBeside& beside);

  Json root() { return {&json_, "", &status_}; }
  // The first thing that any look found wrong.
  const absl::Status& status() const { return status_; }

  // An accessor's values, `width` numbers each, normalised or not as it says; sparse ones filled
  // in. Empty, with the status noted, for what does not fit; `allow` is what types it may have.
  std::vector<float> Floats(int accessor, int width);
  // Whole numbers (indices, joints): bytes, shorts or 32 bits, all unsigned.
  std::vector<uint32_t> Wholes(int accessor, int width);
  size_t CountOf(int accessor);
  // "SCALAR" 1, "VEC3" 3, ...; 0 when the accessor says something else.
  int WidthOf(int accessor);

  // The bytes of a view, unpacked; empty when they do not fit.
  absl::string_view View(int view);
  // The bytes of images[image], encoded as they are.
  absl::string_view Image(int image);

  // All of it in one GLB, with what lies beside it. Errors as of Parse.
  absl::StatusOr<std::string> ToGlb();

  // Counts numbers against the limit for all arrays; false, noted, once it is passed.
  bool Take(uint64_t numbers, absl::string_view what);

  // What can be left out without harm, for the log.
  std::vector<std::string> notes;

 private:
  Document(const Limits& limits, ReadBeside beside) : limits_(limits), beside_(std::move(beside)) {}
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
  ReadBeside beside_;
  rapidjson::Document json_;
  absl::Status status_;
  absl::string_view text_, binary_;
  std::vector<absl::string_view> buffers_;
  std::vector<std::unique_ptr<std::string>> kept_;      // what was read or decoded
  std::vector<std::unique_ptr<std::string>> unpacked_;  // by view
  uint64_t numbers_ = 0, bytes_ = 0;
};

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_DOCUMENT_H_
