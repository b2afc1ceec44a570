// Writes scenes in either form.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_WRITE_SCENE_H_
#define POSEWIRE_LIBS_FORMATS_X3D_WRITE_SCENE_H_

#include <string>

#include "libs/formats/x3d/scene.h"

namespace posewire::x3d {

// XML. What ReadScene made comes back the same when read again, but for lines. Nodes that are
// routed must have a DEF; one that is used without stands there as often.
std::string WriteXml(const Scene& scene);
// The classic form, likewise; see vocabulary.h for what is in brackets.
std::string WriteClassic(const Scene& scene);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_WRITE_SCENE_H_
