#include "services/anim_graph/runtime/worker.h"

#include <chrono>
#include <future>
#include <utility>

#include "absl/hash/hash.h"

namespace posewire::anim_graph {

Now ReadClocks() {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  const auto mono = std::chrono::steady_clock::now().time_since_epoch();
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return {duration_cast<nanoseconds>(mono).count(), std::chrono::duration<double>(wall).count()};
}

Worker::Worker(EngineParts parts)
    : engine_(std::move(parts), ReadClocks()), thread_([this] { Run(); }) {}

Worker::~Worker() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Worker::Post(Letter letter) {
  bool first = false;
  {
    std::lock_guard lock(mutex_);
    first = mailbox_.empty();
    mailbox_.push_back(std::move(letter));
  }
  if (first) wake_.notify_one();
}

void Worker::Run() {
  std::vector<Letter> letters;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      const auto due =
          std::chrono::steady_clock::time_point(std::chrono::nanoseconds(engine_.NextWake()));
      wake_.wait_until(lock, due, [this] { return stop_ || !mailbox_.empty(); });
      if (stop_ && mailbox_.empty()) return;
      std::swap(letters, mailbox_);
    }
    for (Letter& letter : letters) letter(engine_, ReadClocks());
    letters.clear();
    const Now now = ReadClocks();
    if (now.ns >= engine_.NextWake()) engine_.Advance(now);
  }
}

Workers::Workers(int count, const EngineParts& parts) {
  for (int i = 0; i < count; ++i) workers_.push_back(std::make_unique<Worker>(parts));
}

Worker& Workers::For(absl::string_view stream_id) {
  return *workers_[absl::Hash<absl::string_view>()(stream_id) % workers_.size()];
}

std::vector<Worker*> Workers::all() {
  std::vector<Worker*> out;
  for (const auto& w : workers_) out.push_back(w.get());
  return out;
}

void Workers::Drain() {
  std::vector<std::future<void>> done;
  for (Worker* worker : all()) {
    auto promise = std::make_shared<std::promise<void>>();
    done.push_back(promise->get_future());
    worker->Post([promise](Engine& engine, Now now) {
      engine.Drain(now);
      promise->set_value();
    });
  }
  for (auto& d : done) d.wait();
}

}  // namespace posewire::anim_graph
