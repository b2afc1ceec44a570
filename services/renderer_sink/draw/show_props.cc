#include "services/renderer_sink/draw/show_props.h"

#include <utility>

namespace posewire::renderer_sink {

absl::Status ShowProps(std::vector<wire::Prop> props, const PropModels& models,
                       const CharacterSet::Actor& actor) {
  models.SetSizes(props);
  std::vector<character::PropShape> out;
  for (const wire::Prop& p : props) {
    out.push_back({p.shape, p.position, p.rotation, p.size, models.Find(p.shape)});
  }
  return actor.painter->SetProps(out);
}

}  // namespace posewire::renderer_sink
