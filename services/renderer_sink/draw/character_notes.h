// Logs notes about a character.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_CHARACTER_NOTES_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_CHARACTER_NOTES_H_

#include "libs/character/character.h"
#include "libs/service/logger.h"

namespace posewire::renderer_sink {

// Logs which parts of a stream the character cannot show, and how its file was changed, so that
// users do not look for a fault elsewhere.
void TellNotes(const character::Character& character, const service::Logger& log);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_CHARACTER_NOTES_H_
