#include "services/renderer_sink/draw/character_set.h"

#include <optional>
#include <utility>

#include "libs/character_file/read_character.h"
#include "services/renderer_sink/draw/background.h"
#include "services/renderer_sink/draw/character_notes.h"

namespace posewire::renderer_sink {
namespace {

double MeanEdge(const character::Character& c) {
  double sum = 0;
  size_t edges = 0;
  for (const character::Mesh& mesh : c.meshes) {
    for (size_t t = 0; t < mesh.triangles.size(); ++t) {
      const size_t next = t % 3 == 2 ? t - 2 : t + 1;
      sum += skel::Length(mesh.points[mesh.triangles[t]] - mesh.points[mesh.triangles[next]]);
    }
    edges += mesh.triangles.size();
  }
  return edges > 0 ? sum / static_cast<double>(edges) : 0;
}

}  // namespace
absl::StatusOr<std::unique_ptr<CharacterSet>> CharacterSet::Make(CharacterSetOptions options,
                                                                 const skel::RigCatalog* catalog,
                                                                 service::Logger log) {
  std::unique_ptr<CharacterSet> characters(
      new CharacterSet(std::move(options), catalog, std::move(log)));
  auto look = wire::ParseLook(characters->options_.look);
  if (!look.ok()) return look.status();
  characters->look_ = *std::move(look);
  auto background = ReadBackground(characters->options_.background);
  if (!background.ok()) return background.status();
  characters->background_ = *std::move(background);
  auto props = PropModels::Open(characters->options_.props, characters->log_);
  if (!props.ok()) return props.status();
  characters->props_ = *std::move(props);
  const auto lead = characters->Open(characters->options_.who);
  if (!lead.ok()) return lead.status();
  return characters;
}

absl::StatusOr<CharacterSet::Actor*> CharacterSet::Open(const std::string& who) {
  // An unnamed character is the woman.
  const auto known = actors_.find(who == "woman" && options_.who.empty() ? "" : who);
  if (known != actors_.end()) return &known->second;
  auto character = character_file::OpenCharacter(who, *catalog_,
                                                 {.outside_skel_root = options_.outside_skel_root});
  if (!character.ok()) return character.status();
  if (absl::Status s = Add(who, *std::move(character)); !s.ok()) return s;
  return &actors_.at(who);
}

absl::Status CharacterSet::Add(const std::string& who,
                               std::shared_ptr<const character::Character> character) {
  if (actors_.count(who) > 0) return absl::OkStatus();
  const auto camera = render::CameraPreset(options_.camera, character->framing,
                                           static_cast<float>(options_.turn_deg));
  if (!camera.ok()) return camera.status();
  TellNotes(*character, log_);
  actors_.emplace(who, Actor{std::move(character), *camera});
  return absl::OkStatus();
}

// Returns null if there is no such character.
CharacterSet::Actor* CharacterSet::Named(const std::string& name, const skel::Rig* rig) {
  const std::optional<std::string> who = options_.avatars.Named(name);
  if (!who) {
    log_.Warning("the stream asks for a character that is not known here",
                 {{"character", name}, {"help", "add it with --avatar NAME=FILE"}});
    return nullptr;
  }
  const auto actor = Open(*who);
  if (!actor.ok()) {
    log_.Warning("the character that the stream asks for cannot be drawn",
                 {{"character", name}, {"why", actor.status().message()}});
    return nullptr;
  }
  if (options_.one_rig && (*actor)->character->rig.get() != rig) {
    log_.Warning("the character that the stream asks for cannot be drawn",
                 {{"character", name},
                  {"why", "it has another rig than the avatar that the film began with"},
                  {"rig", (*actor)->character->rig->name()},
                  {"rig_of_the_film", rig->name()}});
    return nullptr;
  }
  return *actor;
}

absl::Status CharacterSet::Wear(Actor& actor, const std::map<std::string, std::string>& asked) {
  render::Painter& painter = *actor.painter;
  for (const character::Variant& variant : actor.character->variants) {
    if (absl::Status s = painter.Choose(variant.part, variant.choices.front().name); !s.ok()) {
      return s;
    }
  }
  const bool lead = actor.character.get() == &this->lead();
  for (const auto& [part, choice] : look_) {
    const absl::Status s = painter.Choose(part, choice);
    if (lead && !s.ok()) return s;
  }
  for (const auto& [part, choice] : asked) {
    const absl::Status s = painter.Choose(part, choice);
    if (!s.ok())
      log_.Warning("the stream asks for a look that the character does not have",
                   {{"why", s.message()}});
  }
  return absl::OkStatus();
}

// Draws the character unrefined if it cannot be refined.
void CharacterSet::Subdivide(Actor& actor) {
  const absl::StatusOr<std::string> left = actor.painter->Subdivide(subdivide_);
  const std::string why = left.ok() ? *left : std::string(left.status().message());
  if (why == std::exchange(actor.not_subdivided, why) || why.empty()) return;
  log_.Warning("not all of the character is subdivided",
               {{"character", actor.character->name}, {"why", why}});
}

void CharacterSet::SetSubdivide(int levels, Actor& actor) {
  subdivide_ = levels;
  Subdivide(actor);
}

void CharacterSet::Light(render::Painter& painter) const {
  if (staging_.light) painter.SetLight({staging_.light->way, staging_.light->color});
  if (staging_.background && !options_.keep_background) {
    painter.SetBackground(*staging_.background);
  }
}

void CharacterSet::Stage(const Staging& asked) {
  staging_ = asked;
  for (auto& [name, actor] : actors_) {
    if (actor.painter != nullptr) Light(*actor.painter);
  }
}

absl::StatusOr<CharacterSet::Actor*> CharacterSet::Find(const wire::Appearance& asked,
                                                        const std::string& who) {
  const auto own = Open(who);
  if (!own.ok() || asked.character.empty()) return own;
  Actor* const named = Named(asked.character, (*own)->character->rig.get());
  return named != nullptr ? named : *own;
}

absl::StatusOr<CharacterSet::Companion> CharacterSet::ShowNextTo(const wire::Appearance& asked,
                                                                 const std::string& who) {
  const auto actor = Find(asked, who);
  if (!actor.ok()) return actor.status();
  Companion out{(*actor)->character, look_};
  for (const auto& [part, choice] : asked.look) out.look[part] = choice;
  return out;
}

absl::StatusOr<CharacterSet::Actor*> CharacterSet::Show(const wire::Appearance& asked,
                                                        const std::string& who) {
  const auto found = Find(asked, who);
  if (!found.ok()) return found.status();
  Actor* const actor = *found;
  if (actor->painter == nullptr) {
    auto painter = render::Painter::Make(actor->character, options_.width, options_.height,
                                         background_, options_.edges);
    if (!painter.ok()) return painter.status();
    actor->painter = *std::move(painter);
    actor->edge = MeanEdge(*actor->character);
    Light(*actor->painter);
  }
  if (absl::Status s = Wear(*actor, asked.look); !s.ok()) return s;
  if (options_.subdivide > 0) Subdivide(*actor);
  return actor;
}

}  // namespace posewire::renderer_sink
