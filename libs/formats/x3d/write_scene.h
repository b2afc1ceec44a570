// Writes scenes in either form.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_WRITE_SCENE_H_
#define POSEWIRE_LIBS_FORMATS_X3D_WRITE_SCENE_H_

#include <string>

#include "libs/formats/x3d/scene.h"

namespace posewire::x3d {

// Writes XML. ReadScene reads the same scene back, except for line numbers. Routed nodes must have
// a DEF; a node without one that is used several times is written each time.
std::string WriteXml(const Scene& scene);
// The same in the classic form; vocabulary.h determines the brackets.
std::string WriteClassic(const Scene& scene);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_WRITE_SCENE_H_
