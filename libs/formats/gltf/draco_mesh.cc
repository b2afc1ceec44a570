#include "libs/formats/gltf/draco_mesh.h"

#include <draco/compression/decode.h>
#include <draco/mesh/mesh.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::gltf {
namespace {

class Unpacked : public DracoMesh {
 public:
  explicit Unpacked(std::unique_ptr<draco::Mesh> mesh) : mesh_(std::move(mesh)) {}

  size_t points() const override { return mesh_->num_points(); }

  std::vector<uint32_t> Triangles() const override {
    std::vector<uint32_t> out;
    out.reserve(size_t{mesh_->num_faces()} * 3);
    for (draco::FaceIndex f(0); f < mesh_->num_faces(); ++f) {
      for (const draco::PointIndex& p : mesh_->face(f)) out.push_back(p.value());
    }
    return out;
  }

  std::vector<float> Floats(uint32_t id, int width) const override {
    return Values<float>(id, width);
  }
  std::vector<uint32_t> Wholes(uint32_t id, int width) const override {
    return Values<uint32_t>(id, width);
  }

 private:
  template <typename T>
  std::vector<T> Values(uint32_t id, int width) const {
    const draco::PointAttribute* attribute = mesh_->GetAttributeByUniqueId(id);
    if (attribute == nullptr || attribute->num_components() != width) return {};
    const auto w = static_cast<size_t>(width);
    std::vector<T> out(points() * w);
    for (uint32_t p = 0; p < mesh_->num_points(); ++p) {
      const draco::AttributeValueIndex at = attribute->mapped_index(draco::PointIndex(p));
      if (at.value() >= attribute->size() ||
          !attribute->ConvertValue<T>(at, static_cast<int8_t>(width), &out[p * w])) {
        return {};
      }
    }
    return out;
  }

  std::unique_ptr<draco::Mesh> mesh_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<DracoMesh>> DracoMesh::Unpack(absl::string_view bytes, size_t most) {
  draco::DecoderBuffer buffer;
  buffer.Init(bytes.data(), bytes.size());
  draco::Decoder decoder;
  auto mesh = decoder.DecodeMeshFromBuffer(&buffer);
  if (!mesh.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("does not unpack: ", mesh.status().error_msg_string()));
  }
  std::unique_ptr<draco::Mesh> whole = std::move(mesh).value();
  if (whole->num_points() > most || whole->num_faces() > most) {
    return absl::ResourceExhaustedError(
        absl::StrCat("unpacks to ", whole->num_points(), " points and ", whole->num_faces(),
                     " triangles, and at most ", most, " are read"));
  }
  return std::make_unique<Unpacked>(std::move(whole));
}

}  // namespace posewire::gltf
