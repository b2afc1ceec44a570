// The things of a stream's scene, for the painter.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_SHOW_PROPS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_SHOW_PROPS_H_

#include <vector>

#include "libs/wire/props.h"
#include "services/renderer_sink/draw/character_set.h"

namespace posewire::renderer_sink {

// From the next picture on the actor is among these things.
void ShowProps(const std::vector<wire::Prop>& props, const CharacterSet::Actor& actor);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_SHOW_PROPS_H_
