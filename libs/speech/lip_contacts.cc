#include "libs/speech/lip_contacts.h"

#include <algorithm>

#include "libs/speech/easing_curves.h"

namespace posewire::speech {

LipContacts::Contact& LipContacts::Add(const Viseme& viseme, double start_s, double end_s) {
  return contacts_.emplace_back(Contact{&viseme, start_s, end_s});
}

void LipContacts::Draw(double t_s, MouthPose& pose) const {
  // Contacts side by side ("of my") share by weight, so that one passes into the other.
  float contact = 0, total = 0;
  MouthPose goal{};
  for (const Contact& lips : contacts_) {
    const float c =
        Bump(t_s, lips.start_s - meet_s_, lips.start_s, lips.end_s, lips.end_s + part_s_);
    contact = std::max(contact, c);
    const float w = c * c;
    total += w;
    for (size_t g = 0; g < kMouthGroups; ++g) goal[g] += w * lips.viseme->pose[g];
  }
  // The weight of one that has hardly begun may be too small for a number.
  if (total <= 0) return;
  for (size_t g = 0; g < kMouthGroups; ++g) {
    // Lips can stay round or spread while they close.
    const bool yields = g == kMouthSmile || g == kMouthStretch || g == kMouthDimple;
    const float pull = IsRounding(g) ? 0.3f : yields ? 0.6f : 1;
    pose[g] += (goal[g] / total - pose[g]) * contact * pull;
  }
}

void LipContacts::DropBefore(double t_s) {
  while (!contacts_.empty() && contacts_.front().end_s < t_s) contacts_.pop_front();
}

}  // namespace posewire::speech
