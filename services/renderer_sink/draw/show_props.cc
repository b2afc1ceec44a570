#include "services/renderer_sink/draw/show_props.h"

namespace posewire::renderer_sink {

void ShowProps(const std::vector<wire::Prop>& props, const CharacterSet::Actor& actor) {
  std::vector<render::PropShape> out;
  for (const wire::Prop& p : props) out.push_back({p.shape, p.position, p.rotation, p.size});
  actor.painter->SetProps(out);
}

}  // namespace posewire::renderer_sink
