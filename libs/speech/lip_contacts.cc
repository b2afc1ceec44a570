#include "libs/speech/lip_contacts.h"

#include <algorithm>
#include <cstddef>

#include "libs/speech/easing_curves.h"

namespace posewire::speech {
namespace {

// Two contacts closer than this have no sound between them, so one blends into the other.
constexpr double kBetween_s = 0.03;
// The share of the time between two contacts that opening and closing take each.
constexpr double kShare = 0.6;

}  // namespace

LipContacts::Contact& LipContacts::Add(const Viseme& viseme, double start_s, double end_s) {
  return contacts_.emplace_back(Contact{&viseme, start_s, end_s});
}

double LipContacts::Ramp(double usual_s, const Contact& before, const Contact& after) const {
  const double free_s = after.start_s - before.end_s;
  const bool alike = before.viseme->contact == after.viseme->contact;
  if (!alike || free_s < kBetween_s || least_s_ >= usual_s) return usual_s;
  return std::clamp(kShare * free_s, least_s_, usual_s);
}

void LipContacts::Draw(double t_s, MouthPose& pose) const {
  // Adjacent contacts ("of my") are averaged by weight, so that one blends into the other.
  float contact = 0, total = 0;
  MouthPose goal{};
  for (size_t i = 0; i < contacts_.size(); ++i) {
    const Contact& lips = contacts_[i];
    const double meet_s = i == 0 ? meet_s_ : Ramp(meet_s_, contacts_[i - 1], lips);
    const double part_s =
        i + 1 == contacts_.size() ? part_s_ : Ramp(part_s_, lips, contacts_[i + 1]);
    const float c = Bump(t_s, lips.start_s - meet_s, lips.start_s, lips.end_s, lips.end_s + part_s);
    contact = std::max(contact, c);
    const float w = c * c;
    total += w;
    for (size_t g = 0; g < kMouthGroups; ++g) goal[g] += w * lips.viseme->pose[g];
  }
  // The weight of a contact that has just begun may underflow to 0.
  if (total <= 0) return;
  for (size_t g = 0; g < kMouthGroups; ++g) {
    // Lips can stay round or spread while they close, but a funnel keeps them apart.
    const bool yields = g == kMouthSmile || g == kMouthStretch || g == kMouthDimple;
    const float pull = g == kMouthPucker ? 0.3f : g == kMouthFunnel ? 0.8f : yields ? 0.6f : 1;
    pose[g] += (goal[g] / total - pose[g]) * contact * pull;
  }
}

void LipContacts::DropBefore(double t_s) {
  while (!contacts_.empty() && contacts_.front().end_s < t_s) contacts_.pop_front();
}

}  // namespace posewire::speech
