// Arrangements, which are sequences of clips, and the playing position within one.
#ifndef POSEWIRE_LIBS_GRAPH_ARRANGEMENT_H_
#define POSEWIRE_LIBS_GRAPH_ARRANGEMENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "libs/graph/node.h"

namespace posewire::graph {

// Immutable once made; may be shared by threads.
struct Arrangement {
  struct Item {
    enum Kind : uint8_t {
      kClip,
      kLive,   // lasts as long as a live source has a pose
      kPause,  // shows nothing
    };
    Kind kind = kPause;
    const clip::Clip* clip = nullptr;  // null: has no duration
    std::string source_service_id;     // of a live item; empty: any
    double wait_s = 0;                 // how long to wait for the source; 0: forever
    double pause_s = 0;
    int times = 1;
    float weight = 1;  // above 0
    double speed = 1;  // above 0

    // Returns the duration of one pass in seconds; infinite for a live item.
    double length_s() const;
  };
  std::string name;
  std::vector<Item> items;  // at least one
  bool random = false;      // chosen by weight, never the same twice in a row if there is a choice
  int count = 0;            // rounds, or items if random; 0: one round, or forever if random
  bool loop = false;        // forever
};

// Items follow each other without a gap: the part of a tick after the end of one item belongs to
// the next. Does not allocate.
class ArrangementPlayer {
 public:
  // Starts at the next Step; null stops playback. The arrangement must outlive its playback.
  void Start(const Arrangement* arrangement);
  const Arrangement* playing() const { return arrangement_; }

  // Advances to this tick. Returns true if the arrangement ended.
  bool Step(const TickContext& ctx);

  // Returns the clip to show: null during pauses and live items, and when nothing plays.
  const clip::Clip* clip() const;
  double clip_time_s() const { return item_s_ * speed_; }
  // Returns whether the clip starts again at this tick, even if it is the same one.
  bool jumped() const { return jumped_; }
  // The playing item; -1 for none.
  int item() const { return arrangement_ == nullptr ? -1 : item_; }
  // Returns the seconds until the end of the last item; infinite before that item.
  double remaining_s() const;

  // Continues from another player's position in `same`, the new version of what it plays: in the
  // item with the same index, from its start if that item has changed.
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
  int done_ = 0;  // number of rounds, or of items if random
  double item_s_ = 0, speed_ = 1;
  bool fresh_ = false, jumped_ = false, live_seen_ = false;
};

// Returns whether a live source with that id (empty: any) has a pose.
bool IsLive(const Inputs& inputs, absl::string_view source_service_id);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_ARRANGEMENT_H_
