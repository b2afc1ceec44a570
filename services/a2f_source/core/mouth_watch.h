// Detects speech from how far a mouth is open.
//
// Face trackers send no voice, but a speaking mouth opens and closes with the syllables, three to
// eight times a second (Chandrasekaran et al., "The natural statistics of audiovisual speech", PLoS
// Computational Biology 5(7), 2009). A smile, a yawn or an open mouth does not.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_MOUTH_WATCH_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_MOUTH_WATCH_H_

namespace posewire::a2f_source {

// A mouth speaks from its second turn, open to closed or back, within 0.45 s, until it has not
// turned for that long. Movements of less than 0.06 are treated as a tracker's noise. One thread.
// Times must not decrease.
class MouthWatch {
 public:
  // `open`: 0 closed, 1 wide open.
  void Step(float open, double now_s);
  bool speaks() const { return speaks_; }

 private:
  bool any_ = false, speaks_ = false;
  int way_ = 0;          // 1: opening, -1: closing
  float extreme_ = 0;    // the furthest value in this direction
  double turned_s_ = 0;  // time of the last turn
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_MOUTH_WATCH_H_
