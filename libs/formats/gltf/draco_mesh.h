// Decodes triangles compressed by Draco (KHR_draco_mesh_compression).
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_DRACO_MESH_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_DRACO_MESH_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::gltf {

class DracoMesh {
 public:
  // INVALID_ARGUMENT for bytes that cannot be decoded, RESOURCE_EXHAUSTED for more than `most`
  // points or triangles.
  static absl::StatusOr<std::unique_ptr<DracoMesh>> Unpack(absl::string_view bytes, size_t most);
  virtual ~DracoMesh() = default;

  virtual size_t points() const = 0;
  virtual std::vector<uint32_t> Triangles() const = 0;
  // Returns `width` numbers per point of the attribute with this id, normalised if it is marked so;
  // empty if there is none or its width differs.
  virtual std::vector<float> Floats(uint32_t id, int width) const = 0;
  virtual std::vector<uint32_t> Wholes(uint32_t id, int width) const = 0;

 protected:
  DracoMesh() = default;
};

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_DRACO_MESH_H_
