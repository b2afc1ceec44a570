#include "services/renderer_sink/draw/character_notes.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"

namespace posewire::renderer_sink {

void TellNotes(const character::Character& character, const service::Logger& log) {
  const auto list = [&](const char* what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    log.Info("avatar", {{"name", character.name}, {what, absl::StrJoin(names, " ")}});
  };
  list("joints_that_move_nothing", character.missing_joints);
  list("shapes_that_move_nothing", character.missing_shapes);
  for (const std::string& note : character.notes) {
    log.Info("avatar", {{"name", character.name}, {"note", note}});
  }
}

}  // namespace posewire::renderer_sink
