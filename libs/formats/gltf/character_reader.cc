#include "libs/formats/gltf/character_reader.h"

#include <utility>
#include <vector>

#include "libs/character/bind.h"
#include "libs/formats/gltf/document.h"
#include "libs/formats/gltf/extras.h"
#include "libs/formats/gltf/own_rig.h"
#include "libs/formats/gltf/scene.h"
#include "libs/formats/gltf/vrm.h"

namespace posewire::gltf {

absl::Status ReadCharacter(absl::string_view bytes, const skel::RigCatalog& rigs,
                           const character::Limits& limits, const asset::ReadSidecar& read_sidecar,
                           character::Character& out) {
  auto parsed = Document::Parse(bytes, limits, read_sidecar);
  if (!parsed.ok()) return parsed.status();
  Document& document = **parsed;
  const std::vector<Inbetween> inbetweens = ReadInbetweens(document);
  character::PersonOfFile person;
  if (absl::Status s = ReadScene(document, limits, inbetweens, out, person.origins); !s.ok())
    return s;
  person.bones = VrmBones(document);
  person.expressions = VrmExpressions(document);
  person.make_own = [&document](const skel::Rig& standard, character::Character& scene) {
    return GltfRig(document, standard, scene);
  };
  if (!document.status().ok()) return document.status();
  if (absl::Status s = character::Bind(person, rigs, out); !s.ok()) return s;
  if (absl::Status s = ReadExtras(document, out); !s.ok()) return s;
  ReadSprings(document, out);
  return document.status();
}

}  // namespace posewire::gltf
