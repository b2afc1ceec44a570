#include "services/anim_graph/core/appearance_announcer.h"

#include <algorithm>
#include <string>
#include <utility>

namespace posewire::anim_graph {

bool AppearanceAnnouncer::Take(std::vector<wire::MetadataEntry>& metadata) {
  const auto entry = std::find_if(metadata.begin(), metadata.end(),
                                  [](const auto& e) { return e.key == wire::kAppearanceKey; });
  if (entry == metadata.end()) return false;
  auto read = wire::ReadAppearance(*entry);
  if (!read) return false;  // left for the sink
  metadata.erase(entry);
  pushed_ = *std::move(read);
  return true;
}

bool AppearanceAnnouncer::ReadChoices(const graph::Variables& variables) {
  const std::vector<int>& parts = variables.set().appearance();
  bool changed = chosen_.size() != parts.size();
  chosen_.resize(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    changed |= std::exchange(chosen_[i], variables.choice(parts[i])) != variables.choice(parts[i]);
  }
  return changed;
}

void AppearanceAnnouncer::Tick(const graph::Variables& variables,
                               std::vector<wire::MetadataEntry>& metadata) {
  const bool taken = Take(metadata), chosen = ReadChoices(variables);
  if (!taken && !chosen && !again_) return;
  wire::Appearance now = pushed_;
  for (const int v : variables.set().appearance()) {
    const graph::VariableSpec& spec = variables.set().spec(v);
    const int choice = variables.choice(v);
    if (choice == 0) continue;
    const std::string& value = spec.values[static_cast<size_t>(choice)];
    if (spec.appearance == graph::kCharacterPart) {
      now.character = value;
    } else {
      now.look[spec.appearance] = value;
    }
  }
  const bool tell = now != told_ || (again_ && now != wire::Appearance());
  again_ = false;
  if (!tell) return;
  metadata.push_back(wire::ToMetadata(now));
  told_ = std::move(now);
}

}  // namespace posewire::anim_graph
