// Passes the objects of a stream's scene to the painter.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_SHOW_PROPS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_SHOW_PROPS_H_

#include <vector>

#include "absl/status/status.h"
#include "libs/wire/props.h"
#include "services/renderer_sink/draw/character_set.h"
#include "services/renderer_sink/draw/prop_models.h"

namespace posewire::renderer_sink {

// Shows the actor among these objects from the next picture on. Errors: those of Painter::SetProps.
absl::Status ShowProps(std::vector<wire::Prop> props, const PropModels& models,
                       const CharacterSet::Actor& actor);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_SHOW_PROPS_H_
