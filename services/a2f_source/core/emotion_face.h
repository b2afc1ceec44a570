// What emotions do to a face.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_EMOTION_FACE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_EMOTION_FACE_H_

#include "services/a2f_source/core/ace_shapes.h"
#include "services/a2f_source/core/emotion_track.h"

namespace posewire::a2f_source {

// Adds the shapes of Ekman and Friesen's action units for each emotion (EMFACS, 1983; of pain those
// of Prkachin and Solomon, 2008), scaled by its strength, and by `lower` for mouth and nose and
// `upper` for all above. None of them parts the lips or moves the jaw: these are the voice's, and
// must meet at a p.
void AddEmotions(const Emotions& emotions, float lower, float upper, AceWeights& face);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_EMOTION_FACE_H_
