// Shows emotions on a face.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_EMOTION_FACE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_EMOTION_FACE_H_

#include "services/a2f_source/core/ace_shapes.h"
#include "services/a2f_source/core/emotion_track.h"

namespace posewire::a2f_source {

// Adds the shapes of Ekman and Friesen's action units for each emotion (EMFACS, 1983; for pain
// those of Prkachin and Solomon, 2008). They are scaled by the emotion's strength, and by `lower`
// for mouth and nose and `upper` for everything above. None of them parts the lips or moves the
// jaw: these follow the voice, and must close at a p.
void AddEmotions(const Emotions& emotions, float lower, float upper, AceWeights& face);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_EMOTION_FACE_H_
