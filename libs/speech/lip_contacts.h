// Lips that meet. A mean of targets never quite closes the lips, and viewers see at once when they
// stay open in "Bob": those of p, b, m, f and v are drawn together on top of it, in time and for at
// least a frame of 30 Hz.
#ifndef POSEWIRE_LIBS_SPEECH_LIP_CONTACTS_H_
#define POSEWIRE_LIBS_SPEECH_LIP_CONTACTS_H_

#include <deque>

#include "libs/speech/viseme_table.h"

namespace posewire::speech {

// Lips are full together for at least so long.
inline constexpr double kMinContact_s = 0.036;

// Contacts in the order of time; they may overlap. One thread.
class LipContacts {
 public:
  // How long the lips take to meet, and to part. Between two contacts of a kind that are near each
  // other they take less, down to `least_s`, so that the sound between them parts the lips
  // ("people"). For that each contact must be known before the one before it ends.
  LipContacts(double meet_s, double part_s, double least_s)
      : meet_s_(meet_s), part_s_(part_s), least_s_(least_s) {}
  // The same times everywhere.
  LipContacts(double meet_s, double part_s) : LipContacts(meet_s, part_s, 1) {}

  struct Contact {
    const Viseme* viseme;  // one with a contact; outlives this
    double start_s, end_s;
  };

  // The lips of `viseme` are together from `start_s` to `end_s`. The contact stays where it is
  // until it is dropped; its end may be moved on.
  Contact& Add(const Viseme& viseme, double start_s, double end_s);

  // Draws the lips of `pose` together by the contacts around t.
  void Draw(double t_s, MouthPose& pose) const;

  // Forgets what ends before t.
  void DropBefore(double t_s);

 private:
  // How long a movement between two contacts takes that takes `usual_s` elsewhere.
  double Ramp(double usual_s, const Contact& before, const Contact& after) const;

  double meet_s_, part_s_, least_s_;
  std::deque<Contact> contacts_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_LIP_CONTACTS_H_
