// Passes the objects of a stream's scene to the painter.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_SHOW_PROPS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_SHOW_PROPS_H_

#include <vector>

#include "libs/wire/props.h"
#include "services/renderer_sink/draw/character_set.h"

namespace posewire::renderer_sink {

// Shows the actor among these objects from the next picture on.
void ShowProps(const std::vector<wire::Prop>& props, const CharacterSet::Actor& actor);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_SHOW_PROPS_H_
