#include "services/renderer_sink/view/prop_route.h"

#include <list>
#include <mutex>
#include <optional>
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
constexpr size_t kMostKeptModels = 16, kMostModelBytes = 4 << 20;

absl::StatusOr<float> Size(const HttpRequest& request, const char* name) {
  float value = 0;
  if (absl::SimpleAtof(request.Query(name), &value) && value > 0 && value <= kMostSize_m) {
    return value;
  }
  return absl::InvalidArgumentError(absl::StrCat(name, " is \"", request.Query(name),
                                                 "\", expected metres above 0 and at most ",
                                                 kMostSize_m));
}

// The models that were asked for last, in the size that was asked for: encoding their pictures
// takes a tenth of a second and more. At most 64 MiB. Any thread.
class KeptModels {
 public:
  std::optional<service::HttpBody> Find(const std::string& key) {
    std::lock_guard lock(mutex_);
    for (auto it = all_.begin(); it != all_.end(); ++it) {
      if (it->first != key) continue;
      all_.splice(all_.begin(), all_, it);
      return it->second;
    }
    return std::nullopt;
  }
  void Add(const std::string& key, const service::HttpBody& body) {
    if (body.bytes().size() > kMostModelBytes) return;
    std::lock_guard lock(mutex_);
    all_.emplace_front(key, body);
    if (all_.size() > kMostKeptModels) all_.pop_back();
  }

 private:
  std::mutex mutex_;
  std::list<std::pair<std::string, service::HttpBody>> all_;  // the newest first
};

absl::StatusOr<service::HttpBody> Glb(const HttpRequest& request, const PropModels& models,
                                      KeptModels& kept) {
  render::PropShape prop;
  prop.shape = std::string(request.Query("shape"));
  for (const auto& [name, out] :
       {std::pair{"width", &prop.size.x}, {"height", &prop.size.y}, {"depth", &prop.size.z}}) {
    const absl::StatusOr<float> size = Size(request, name);
    if (!size.ok()) return size.status();
    *out = *size;
  }
  if (const auto model = models.Find(prop.shape)) {
    const std::string key =
        absl::StrCat(prop.shape, " ", prop.size.x, " ", prop.size.y, " ", prop.size.z);
    if (auto body = kept.Find(key)) return *std::move(body);
    auto glb =
        gltf::WriteCharacter(character::AsCharacter(*model, prop.shape, model->ScaleTo(prop.size)));
    if (!glb.ok()) return glb.status();
    service::HttpBody body(*std::move(glb));
    kept.Add(key, body);
    return body;
  }
  character::Character thing;
  thing.name = prop.shape;
  thing.materials.emplace_back().roughness = render::kPropRoughness;
  thing.meshes.push_back(render::MeshOf({&prop, 1}));
  auto glb = gltf::WriteCharacter(thing);
  if (!glb.ok()) return glb.status();
  return service::HttpBody(*std::move(glb));
}

}  // namespace

service::HttpRoute PropRoute(std::shared_ptr<const PropModels> models,
                             const service::HttpFields& headers) {
  return {
      "GET", "/prop.glb",
      [headers, models = std::move(models), kept = std::make_shared<KeptModels>()](
          const HttpRequest& request, const service::HttpReplier& reply) {
        absl::StatusOr<service::HttpBody> glb = Glb(request, *models, *kept);
        if (!glb.ok()) return reply(HttpReply::Error(glb.status()));
        reply({.content_type = "model/gltf-binary", .body = *std::move(glb), .headers = headers});
      }};
}

}  // namespace posewire::renderer_sink
