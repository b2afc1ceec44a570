#include "services/renderer_sink/view/prop_route.h"

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/character/character.h"
#include "libs/character/prop_model.h"
#include "libs/character/prop_shapes.h"
#include "libs/formats/gltf/character_writer.h"
#include "libs/formats/gltf/prop_writer.h"

namespace posewire::renderer_sink {
namespace {

using service::HttpReply;
using service::HttpRequest;

constexpr float kMostSize_m = 100;
constexpr size_t kMostKeptBytes = 64 << 20;

absl::StatusOr<float> Size(const HttpRequest& request, const char* name) {
  float value = 0;
  if (absl::SimpleAtof(request.Query(name), &value) && value > 0 && value <= kMostSize_m) {
    return value;
  }
  return absl::InvalidArgumentError(absl::StrCat(name, " is \"", request.Query(name),
                                                 "\", expected metres above 0 and at most ",
                                                 kMostSize_m));
}

// The encoded models that were requested last, by shape: encoding their pictures takes up to a
// second. Any thread.
class KeptModels {
 public:
  // Returns null for a model that is not kept.
  std::shared_ptr<const std::string> Find(const std::string& shape) {
    std::lock_guard lock(mutex_);
    for (auto it = all_.begin(); it != all_.end(); ++it) {
      if (it->first != shape) continue;
      all_.splice(all_.begin(), all_, it);
      return it->second;
    }
    return nullptr;
  }
  void Add(const std::string& shape, std::shared_ptr<const std::string> glb) {
    std::lock_guard lock(mutex_);
    bytes_ += glb->size();
    all_.emplace_front(shape, std::move(glb));
    for (; bytes_ > kMostKeptBytes; all_.pop_back()) bytes_ -= all_.back().second->size();
  }

 private:
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const std::string>>> all_;  // the newest first
  size_t bytes_ = 0;
};

absl::StatusOr<character::PropShape> Requested(const HttpRequest& request) {
  character::PropShape prop;
  prop.shape = std::string(request.Query("shape"));
  for (const auto& [name, out] :
       {std::pair{"width", &prop.size.x}, {"height", &prop.size.y}, {"depth", &prop.size.z}}) {
    const absl::StatusOr<float> size = Size(request, name);
    if (!size.ok()) return size.status();
    *out = *size;
  }
  return prop;
}

absl::StatusOr<std::string> Glb(const character::PropShape& prop, const PropModels& models,
                                KeptModels& kept) {
  const auto model = models.Find(prop.shape);
  if (model == nullptr) {
    // The page names what it draws, so that a box in place of any other shape has the same bytes.
    character::Character thing = character::AsCharacter(prop);
    thing.meshes[0].name.clear();
    return gltf::WriteCharacter(thing);
  }
  auto glb = kept.Find(prop.shape);
  if (glb == nullptr) {
    auto written = gltf::WriteProp(*model, prop.shape);
    if (!written.ok()) return written.status();
    glb = std::make_shared<const std::string>(*std::move(written));
    kept.Add(prop.shape, glb);
  }
  return gltf::ScaleProp(*glb, model->ScaleTo(prop.size));
}

}  // namespace

service::HttpRoute PropRoute(std::shared_ptr<const PropModels> models, const PostTask& post,
                             const service::HttpFields& headers) {
  const auto answer = [headers](const service::HttpReplier& reply,
                                absl::StatusOr<std::string> glb) {
    if (!glb.ok()) return reply(HttpReply::Error(glb.status()));
    reply({.content_type = "model/gltf-binary", .body = *std::move(glb), .headers = headers});
  };
  return {"GET", "/prop.glb",
          [answer, post, models = std::move(models), kept = std::make_shared<KeptModels>()](
              const HttpRequest& request, const service::HttpReplier& reply) {
            absl::StatusOr<character::PropShape> prop = Requested(request);
            if (!prop.ok()) return reply(HttpReply::Error(prop.status()));
            // Others are shapes of a few triangles.
            if (!models->has(prop->shape)) return answer(reply, Glb(*prop, *models, *kept));
            const bool taken = post([answer, models, kept, prop = *std::move(prop), reply] {
              answer(reply, Glb(prop, *models, *kept));
            });
            if (!taken) reply(HttpReply::Error(503, "too many downloads at once"));
          }};
}

}  // namespace posewire::renderer_sink
