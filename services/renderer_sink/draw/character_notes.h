// What a log says of a character that is drawn.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_CHARACTER_NOTES_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_CHARACTER_NOTES_H_

#include "libs/character/character.h"
#include "libs/service/logger.h"

namespace posewire::renderer_sink {

// What the character lacks of what a stream can say, and what was done to its file, so that nobody
// looks for the fault elsewhere.
void TellNotes(const character::Character& character, const service::Logger& log);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_CHARACTER_NOTES_H_
