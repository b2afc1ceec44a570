#include "libs/offsets/offsets_stream.h"

#include <algorithm>

namespace posewire::offsets {

OffsetsStream::OffsetsStream(const StreamLimits& limits, size_t workers)
    : scheduler_(limits, std::max<size_t>(workers, 1)) {
  for (size_t k = 0; k < std::max<size_t>(workers, 1); ++k) {
    Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
    worker.thread = std::thread([&worker] { Work(worker); });
  }
}

OffsetsStream::~OffsetsStream() {
  for (auto& worker : workers_) {
    // A worker in kAsked always sets kDone before it reads its turn again.
    for (Turn turn = worker->turn.load(std::memory_order_acquire); turn == Turn::kAsked;
         turn = worker->turn.load(std::memory_order_acquire)) {
      worker->load->source->Stop();
      worker->turn.wait(Turn::kAsked, std::memory_order_acquire);
    }
    worker->turn.store(Turn::kStop, std::memory_order_release);
    worker->turn.notify_all();
    worker->thread.join();
  }
}

void OffsetsStream::Update(double now_s) {
  for (auto& worker : workers_) {
    if (worker->turn.load(std::memory_order_acquire) != Turn::kDone) continue;
    scheduler_.Done(worker->load);
    worker->turn.store(Turn::kIdle, std::memory_order_relaxed);
  }
  scheduler_.Update(now_s);
  for (auto& worker : workers_) {
    if (worker->turn.load(std::memory_order_relaxed) != Turn::kIdle) continue;
    ChunkLoad* const load = scheduler_.Next();
    if (load == nullptr) return;
    worker->load = load;
    worker->turn.store(Turn::kAsked, std::memory_order_release);
    worker->turn.notify_one();
  }
}

void OffsetsStream::Work(Worker& worker) {
  for (;;) {
    const Turn turn = worker.turn.load(std::memory_order_acquire);
    if (turn == Turn::kStop) return;
    if (turn != Turn::kAsked) {
      worker.turn.wait(turn, std::memory_order_acquire);
      continue;
    }
    worker.load->Run();
    worker.turn.store(Turn::kDone, std::memory_order_release);
    worker.turn.notify_all();
  }
}

}  // namespace posewire::offsets
