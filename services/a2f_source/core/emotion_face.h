// Shows emotions on a face.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_EMOTION_FACE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_EMOTION_FACE_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "services/a2f_source/core/ace_shapes.h"
#include "services/a2f_source/core/emotion_track.h"

namespace posewire::a2f_source {

// Adds the shapes of Ekman and Friesen's action units for each emotion (EMFACS, 1983; for pain
// those of Prkachin and Solomon, 2008). They are scaled by the emotion's strength, and by `lower`
// for mouth and nose and `upper` for everything above. None of them parts the lips or moves the
// jaw: these follow the voice, and must close at a p.
void AddEmotions(const Emotions& emotions, float lower, float upper, AceWeights& face);

// The shapes of a speaking face with emotions: speech::FaceShapeNames(), then ARKit's others, which
// only emotions move.
std::vector<std::string> EmotionalShapeNames();
// Returns the weights of these, at most 1, from those of FaceShapeNames() and emotions.
std::vector<float> WithEmotions(absl::Span<const float> face, const Emotions& emotions);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_EMOTION_FACE_H_
