// Clips one after the other: what an arrangement is, and the position within it.
#ifndef POSEWIRE_LIBS_GRAPH_ARRANGEMENT_H_
#define POSEWIRE_LIBS_GRAPH_ARRANGEMENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "libs/graph/node.h"

namespace posewire::graph {

// Immutable once made, shared by threads.
struct Arrangement {
  struct Item {
    enum Kind : uint8_t {
      kClip,
      kLive,   // lasts as long as a live source has something to show
      kPause,  // nothing is shown
    };
    Kind kind = kPause;
    const clip::Clip* clip = nullptr;  // null: takes no time
    std::string source_service_id;     // of a live item; empty: any
    double wait_s = 0;                 // until the source has come; 0: for ever
    double pause_s = 0;
    int times = 1;
    float weight = 1;  // above 0
    double speed = 1;  // above 0

    // Seconds for one pass; infinite for a live item.
    double length_s() const;
  };
  std::string name;
  std::vector<Item> items;  // at least one
  bool random = false;      // by weight, never the same twice running where there is a choice
  int count = 0;            // rounds, or items when random; 0: one round, or for ever when random
  bool loop = false;        // for ever
};

// Items follow each other without a gap: the part of a tick beyond the end of one item goes into
// the next. Allocates nothing.
class ArrangementPlayer {
 public:
  // Starts at the next Step; null stops playback. The arrangement must outlive its playback.
  void Start(const Arrangement* arrangement);
  const Arrangement* playing() const { return arrangement_; }

  // Advances to this tick. True if it ended here.
  bool Step(const TickContext& ctx);

  // The clip shown: null during pauses, live items, and when nothing plays.
  const clip::Clip* clip() const;
  double clip_time_s() const { return item_s_ * speed_; }
  // Whether the clip starts again at this tick, even if it is the same one.
  bool jumped() const { return jumped_; }
  // The playing item; -1 for none.
  int item() const { return arrangement_ == nullptr ? -1 : item_; }
  // Seconds until the end of the last item; infinite before that item.
  double remaining_s() const;

  // Continues from the other's position in `same`, the new version of what it plays: in the item of
  // the same number, from its start if that is a different item now.
  void Adopt(const ArrangementPlayer& other, const Arrangement* same);

 private:
  const Arrangement::Item& now() const { return arrangement_->items[static_cast<size_t>(item_)]; }
  bool Endless() const;
  bool LiveIsOver(const TickContext& ctx);
  void Enter(int item);
  bool Next(const TickContext& ctx);
  int Draw(const TickContext& ctx) const;

  const Arrangement* arrangement_ = nullptr;
  int item_ = 0, repeat_ = 0;
  int done_ = 0;  // rounds, or items when random
  double item_s_ = 0, speed_ = 1;
  bool fresh_ = false, jumped_ = false, live_seen_ = false;
};

// Whether a live source with that id (empty: any) has something to show.
bool IsLive(const Inputs& inputs, absl::string_view source_service_id);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_ARRANGEMENT_H_
