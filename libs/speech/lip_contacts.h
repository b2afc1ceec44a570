// Lip contacts. An average of targets never quite closes the lips, and viewers notice at once if
// they stay open in "Bob". So the lips of p, b, m, f and v are closed in addition, in time and for
// at least a frame of 30 Hz.
#ifndef POSEWIRE_LIBS_SPEECH_LIP_CONTACTS_H_
#define POSEWIRE_LIBS_SPEECH_LIP_CONTACTS_H_

#include <deque>

#include "libs/speech/viseme_table.h"

namespace posewire::speech {

// Minimum duration for which lips are fully closed.
inline constexpr double kMinContact_s = 0.036;

// Contacts ordered by time; they may overlap. One thread.
class LipContacts {
 public:
  // `meet_s` and `part_s`: how long the lips take to close, and to open. Between two contacts of a
  // kind that are close in time they take less, down to `least_s`, so that the sound between them
  // opens the lips ("people"). For that, each contact must be added before the previous one ends.
  LipContacts(double meet_s, double part_s, double least_s)
      : meet_s_(meet_s), part_s_(part_s), least_s_(least_s) {}
  // Uses the same times everywhere.
  LipContacts(double meet_s, double part_s) : LipContacts(meet_s, part_s, 1) {}

  struct Contact {
    const Viseme* viseme;  // has a contact; must outlive this
    double start_s, end_s;
  };

  // Adds a contact with the lips of `viseme` closed from `start_s` to `end_s`. The reference stays
  // valid until the contact is dropped; its end may be extended.
  Contact& Add(const Viseme& viseme, double start_s, double end_s);

  // Draws the lips of `pose` together by the contacts around t.
  void Draw(double t_s, MouthPose& pose) const;

  // Removes contacts that end before t.
  void DropBefore(double t_s);

 private:
  // Returns how long a movement between two contacts takes if it takes `usual_s` elsewhere.
  double Ramp(double usual_s, const Contact& before, const Contact& after) const;

  double meet_s_, part_s_, least_s_;
  std::deque<Contact> contacts_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_LIP_CONTACTS_H_
