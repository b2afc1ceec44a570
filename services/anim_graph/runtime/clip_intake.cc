#include "services/anim_graph/runtime/clip_intake.h"

#include <sys/resource.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/service/contain.h"

namespace posewire::anim_graph {
namespace {

// Of the thread: a tenth of what a thread that ticks gets, when both want a CPU.
constexpr int kNice = 10;

absl::Status Closed() {
  return absl::UnavailableError("the server is shutting down; put the clip again");
}

}  // namespace

ClipIntake::ClipIntake(GraphStore* graphs, service::Logger log)
    : graphs_(graphs), log_(std::move(log)) {
  thread_ = std::thread([this] { Run(); });
}

ClipIntake::~ClipIntake() {
  Close();
  thread_.join();
}

void ClipIntake::Put(const posewire::control::v1::PutClipRequest& request,
                     posewire::control::v1::PutClipResponse* response, Done done) {
  absl::Status refused;
  {
    std::lock_guard lock(mutex_);
    if (closed_) {
      refused = Closed();
    } else if (waiting_.size() >= kMostWaiting) {
      refused = absl::ResourceExhaustedError(absl::StrCat(
          kMostWaiting, " clips wait to be read already, and no more than that may; try again"));
    } else {
      waiting_.push_back({&request, response, std::move(done)});
    }
  }
  if (!refused.ok()) return done(refused);
  wake_.notify_one();
}

void ClipIntake::Close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  wake_.notify_one();
}

void ClipIntake::Run() {
  // On Linux this is about the thread that asks. Where it is refused, the thread is as any other.
  setpriority(PRIO_PROCESS, 0, kNice);
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    {
      // Goes without the lock: its call may be the last to hold what waits for this thread.
      Task task = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      (void)service::Contain(log_, "answer to a clip", [&] {
        if (closed_) return task.done(Closed());
        Do(task);
      });
    }
    lock.lock();
  }
}

void ClipIntake::Do(Task& task) {
  absl::Status status;
  const absl::Status thrown =
      service::Contain(log_, "put clip", [&] { status = Take(*task.request, task.response); });
  task.done(thrown.ok() ? status : thrown);
}

absl::Status ClipIntake::Take(const posewire::control::v1::PutClipRequest& request,
                              posewire::control::v1::PutClipResponse* response) {
  const absl::StatusOr<bool> put =
      graphs_->PutClip(request.name(), request.data(), request.kind(), request.loop(), &closed_);
  if (absl::IsCancelled(put.status())) return Closed();
  if (!put.ok()) {
    // A recording that is cut short is the caller's fault here, and no loss of ours.
    return absl::IsDataLoss(put.status()) ? absl::InvalidArgumentError(put.status().message())
                                          : put.status();
  }
  response->set_replaced(*put);
  for (auto& info : graphs_->clips()) {
    if (info.name() == request.name()) *response->mutable_clip() = std::move(info);
  }
  return absl::OkStatus();
}

}  // namespace posewire::anim_graph
