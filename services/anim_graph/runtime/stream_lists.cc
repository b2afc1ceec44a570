#include "services/anim_graph/runtime/stream_lists.h"

#include <iterator>
#include <utility>

#include "libs/service/catch_exceptions.h"

namespace posewire::anim_graph {
namespace {

// Streams, avatars and requests listed in one piece, which takes about a fortieth of a slot.
constexpr size_t kPiece = 256;

}  // namespace

// One list in progress. It is passed from worker to worker, as one task at a time.
struct StreamLists::Gathering {
  Gathering(std::shared_ptr<std::atomic<bool>> busy, std::vector<Done> asked_for)
      : under_way(std::move(busy)), asked(std::move(asked_for)) {}
  ~Gathering() { *under_way = false; }

  const std::shared_ptr<std::atomic<bool>> under_way;
  std::vector<Done> asked;
  absl::StatusOr<List> list = List();
  size_t worker = 0;
  std::string after;  // the last stream that the current worker has listed
};

void StreamLists::Ask(Done done) {
  {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(done));
  }
  Begin();
}

void StreamLists::Begin() {
  std::unique_ptr<Gathering> gathering;
  {
    std::lock_guard lock(mutex_);
    if (waiting_.empty() || under_way_->exchange(true)) return;
    gathering = std::make_unique<Gathering>(under_way_, std::exchange(waiting_, {}));
  }
  GoOn(std::move(gathering));
}

void StreamLists::GoOn(std::unique_ptr<Gathering> gathering) {
  Worker* const worker = workers_[gathering->worker];
  worker->Post([this, gathering = std::move(gathering)](Engine& engine, Now) mutable {
    Take(std::move(gathering), engine);
  });
}

void StreamLists::Take(std::unique_ptr<Gathering> gathering, const Engine& engine) {
  const absl::Status told = service::CatchExceptions(log_, "list", [&] {
    List piece = engine.Streams(gathering->after, kPiece);
    if (piece.empty()) {
      ++gathering->worker;
      gathering->after.clear();
      return;
    }
    gathering->after = piece.back().stream_id;
    gathering->list->insert(gathering->list->end(), std::make_move_iterator(piece.begin()),
                            std::make_move_iterator(piece.end()));
  });
  if (told.ok() && gathering->worker < workers_.size()) return GoOn(std::move(gathering));
  if (!told.ok()) gathering->list = told;
  answers_.Post([this, gathering = std::move(gathering)]() mutable {
    for (Done& done : gathering->asked) {
      (void)service::CatchExceptions(log_, "list", [&] { done(gathering->list); });
    }
    gathering.reset();
    Begin();
  });
}

}  // namespace posewire::anim_graph
