#include "services/renderer_sink/view/prop_route.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/character/character.h"
#include "libs/character/prop_model.h"
#include "libs/formats/gltf/character_writer.h"
#include "libs/render/prop_shapes.h"

namespace posewire::renderer_sink {
namespace {

using service::HttpReply;
using service::HttpRequest;

constexpr float kMostSize_m = 100;

absl::StatusOr<float> Size(const HttpRequest& request, const char* name) {
  float value = 0;
  if (absl::SimpleAtof(request.Query(name), &value) && value > 0 && value <= kMostSize_m) {
    return value;
  }
  return absl::InvalidArgumentError(absl::StrCat(name, " is \"", request.Query(name),
                                                 "\", expected metres above 0 and at most ",
                                                 kMostSize_m));
}

absl::StatusOr<std::string> Glb(const HttpRequest& request, const PropModels& models) {
  render::PropShape prop;
  prop.shape = std::string(request.Query("shape"));
  for (const auto& [name, out] :
       {std::pair{"width", &prop.size.x}, {"height", &prop.size.y}, {"depth", &prop.size.z}}) {
    const absl::StatusOr<float> size = Size(request, name);
    if (!size.ok()) return size.status();
    *out = *size;
  }
  if (const auto model = models.Find(prop.shape)) {
    return gltf::WriteCharacter(
        character::AsCharacter(*model, prop.shape, model->ScaleTo(prop.size)));
  }
  character::Character thing;
  thing.name = prop.shape;
  thing.materials.emplace_back().roughness = render::kPropRoughness;
  thing.meshes.push_back(render::MeshOf({&prop, 1}));
  return gltf::WriteCharacter(thing);
}

}  // namespace

service::HttpRoute PropRoute(std::shared_ptr<const PropModels> models,
                             const service::HttpFields& headers) {
  return {
      "GET", "/prop.glb",
      [headers, models = std::move(models)](const HttpRequest& request,
                                            const service::HttpReplier& reply) {
        absl::StatusOr<std::string> glb = Glb(request, *models);
        if (!glb.ok()) return reply(HttpReply::Error(glb.status()));
        reply({.content_type = "model/gltf-binary", .body = *std::move(glb), .headers = headers});
      }};
}

}  // namespace posewire::renderer_sink
