#include "services/anim_graph/snapshots/proto_snapshots.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/hash/hash.h"
#include "libs/wire/appearance.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/message.h"
#include "posewire.snapshot.v1.pb.h"

namespace posewire::anim_graph {
namespace {

namespace sv1 = posewire::snapshot::v1;

constexpr size_t kMostEnded = 64;
// Props take at most half of a snapshot. The others: what an entry of a list takes besides its
// contents, and at most what a request takes that is over, and one that is not.
constexpr size_t kMostPropBytes = StreamDirectory::kMostSnapshotBytes / 2;
constexpr size_t kPartBytes = 8, kEndedBytes = 160, kRequestBytes = 512;

void Put(const skel::Placement& from, sv1::Place* to) {
  for (const float v : {from.at.x, from.at.y, from.at.z}) to->add_position(v);
  for (const float v : {from.turn.w, from.turn.x, from.turn.y, from.turn.z}) to->add_rotation(v);
}

skel::Placement Get(const sv1::Place& from) {
  if (from.position_size() != 3 || from.rotation_size() != 4) return {};
  return {{from.position(0), from.position(1), from.position(2)},
          {from.rotation(0), from.rotation(1), from.rotation(2), from.rotation(3)}};
}

void Put(absl::string_view name, absl::string_view value, sv1::Variable* to) {
  to->set_name(std::string(name));
  to->set_value(std::string(value));
}

void Put(absl::string_view request_id, const RequestEnd& end, sv1::Ended* to) {
  to->set_request_id(std::string(request_id));
  to->set_ending(static_cast<uint32_t>(end.ending));
  to->set_epoch_s(end.epoch_s);
}

// Without `moved`, omits what moves with a body: the place of a worn prop.
void Put(const SceneProp& from, bool moved, sv1::Prop* to) {
  to->set_name(from.name);
  to->set_shape(from.shape);
  for (const float v : {from.size.x, from.size.y, from.size.z}) to->add_size(v);
  for (const PropSite& site : from.sites) {
    auto* const out = to->add_sites();
    out->set_name(site.name);
    Put(site.place, out->mutable_place());
    out->set_any_side(site.any_side);
  }
  to->set_usual_size(from.usual_size);
  if (from.is_held() && from.holder.hand >= 0) {
    Put(from.held, to->mutable_place());
    to->set_held_by(from.holder.target);
    to->set_hand(static_cast<uint32_t>(from.holder.hand));
    return;
  }
  if (moved || !from.is_held()) Put(from.place, to->mutable_place());
  if (!from.is_held()) return;
  sv1::Worn* const worn = to->mutable_worn();
  worn->set_by(from.holder.target);
  worn->set_at(from.holder.at);
  Put(from.held, worn->mutable_place());
}

SceneProp Get(const sv1::Prop& from) {
  SceneProp out{from.name(), from.shape(), {}, {}};
  if (from.size_size() == 3) out.size = {from.size(0), from.size(1), from.size(2)};
  for (const auto& site : from.sites()) {
    out.sites.push_back({site.name(), Get(site.place()), site.any_side()});
  }
  out.usual_size = from.usual_size();
  if (!from.has_held_by()) out.place = Get(from.place());
  return out;
}

void Put(const Progress& from, const StreamAvatar& avatar, const timecode::FrameRate& fps,
         bool final, sv1::Progress* to) {
  to->set_zero_s(from.zero_s);
  if (from.plays && !final) {
    to->set_began_s(avatar.epoch_s + fps.SecondsAt(avatar.avatar.tick() + 1 - from.ticks));
    return;
  }
  to->set_ticks(from.ticks);
  to->set_sample(from.sample);
  to->set_samples_of_tick(static_cast<uint32_t>(from.samples_of_tick));
}

Progress Get(const sv1::Progress& from, const timecode::FrameRate& fps, double alive_s) {
  Progress out;
  out.zero_s = from.zero_s();
  if (from.position_case() == sv1::Progress::kBeganS) {
    out.ticks = std::max<int64_t>(0, fps.TickAtOrBefore(alive_s - from.began_s()));
    return out;
  }
  out.ticks = from.ticks();
  out.sample = from.sample();
  out.samples_of_tick = from.samples_of_tick();
  return out;
}

wire::MessageBytes BytesOf(wire::StreamHeader header) {
  header.ids.request_id.clear();
  return wire::SerializeHeader(header);
}

std::optional<wire::StreamHeader> HeaderFrom(const std::string& bytes) {
  wire::ReaderLimits limits;
  limits.require_ids = false;
  wire::FrameReader reader(limits);
  wire::Chunk chunk = wire::DataChunk{};
  const absl::Span<const uint8_t> span(reinterpret_cast<const uint8_t*>(bytes.data()),
                                       bytes.size());
  if (!reader.Read({span}, &chunk).ok()) return std::nullopt;
  auto* const header = std::get_if<wire::StreamHeader>(&chunk);
  return header == nullptr ? std::nullopt : std::optional(std::move(*header));
}

bool Continues(const Playback& p) {
  return p.state() != PlayState::kBlendingOut && p.state() != PlayState::kOver &&
         p.source_state() != SourceState::kEnded;
}

// Those that differ from what the avatar gets when it is made.
void PutVariables(const graph::Variables& from, const Stream& stream, sv1::Avatar* to) {
  for (int i = 0; i < from.set().size(); ++i) {
    const graph::VariableSpec& spec = from.set().spec(i);
    if (spec.name == kGestureVariable) continue;  // a gesture plays once
    const graph::Value &now = from.value(i), &initial = spec.initial;
    const auto given = stream.variables.find(spec.name);
    const bool set = given != stream.variables.end();
    const bool changed = now.number != initial.number || now.vector.x != initial.vector.x ||
                         now.vector.y != initial.vector.y || now.vector.z != initial.vector.z;
    if (!set && !changed) continue;
    const std::string value = spec.Format(now);
    if (!set || value != given->second) Put(spec.name, value, to->add_variables());
  }
}

class ProtoSnapshots final : public StreamSnapshots {
 public:
  ProtoSnapshots(const EngineParts* parts, Streams* streams, PushLedger* pushes)
      : parts_(*parts), streams_(*streams), pushes_(*pushes) {}

  void SaveChanged(size_t part, size_t parts) override;
  void HandOver(Stream& stream, Now now) override;
  void Continue(Stream& stream, const StreamDirectory::SavedStream& saved, Now now) override;

 private:
  // Not `whole`: without headers, and without what changes as bodies move.
  std::string Take(const Stream& stream, bool final, bool whole) const;

  const EngineParts& parts_;
  Streams& streams_;
  PushLedger& pushes_;
};

std::string ProtoSnapshots::Take(const Stream& stream, bool final, bool whole) const {
  sv1::Stream out;
  out.set_registered(stream.registered);
  for (const auto& [name, value] : stream.variables) Put(name, value, out.add_variables());
  size_t bytes = 0;
  for (const SceneProp& prop : stream.scene.props()) {
    sv1::Prop* const put = out.add_props();
    Put(prop, whole, put);
    bytes += put->ByteSizeLong() + kPartBytes;
    if (bytes <= kMostPropBytes) continue;
    out.mutable_props()->RemoveLast();
    break;
  }
  stream.ended.EachOfLast(kMostEnded, [&](const std::string& id, const RequestEnd& end) {
    Put(id, end, out.add_ended());
  });
  bytes = out.ByteSizeLong();
  for (const auto& a : stream.avatars) {
    sv1::Avatar* const avatar = out.add_avatars();
    avatar->set_target_object_id(a->target);
    avatar->set_x_m(a->place.x_m);
    avatar->set_z_m(a->place.z_m);
    avatar->set_turn_deg(a->place.turn_deg);
    PutVariables(a->avatar.graph_instance().variables(), stream, avatar);
    const wire::Appearance& appearance = a->avatar.appearance().pushed();
    avatar->set_character(appearance.character);
    for (const auto& [part, name] : appearance.look) Put(part, name, avatar->add_look());
    bytes += avatar->ByteSizeLong() + kPartBytes;
    if (bytes > StreamDirectory::kMostSnapshotBytes) {
      out.mutable_avatars()->RemoveLast();
      break;
    }
    for (const auto& p : a->avatar.playbacks()) {
      const Request* const of = stream.FindPlaying(p->id());
      if (of == nullptr) continue;
      if (!Continues(*p)) {
        bytes += kEndedBytes;
        if (bytes > StreamDirectory::kMostSnapshotBytes) continue;
        // No source will resume it.
        const bool plays = p->ending() == stream::Ending::kNone;
        Put(of->id, {plays ? stream::Ending::kLost : p->ending(), a->epoch_s}, out.add_ended());
        continue;
      }
      int at = 0;
      if (whole) {
        const wire::MessageBytes header = BytesOf(p->header());
        at = static_cast<int>(std::find(out.headers().begin(), out.headers().end(), *header) -
                              out.headers().begin());
        const size_t more = at == out.headers_size() ? header->size() : 0;
        if (bytes + more + kRequestBytes > StreamDirectory::kMostSnapshotBytes) continue;
        if (more > 0) out.add_headers(*header);
        bytes += more;
      }
      sv1::Request* const request = avatar->add_requests();
      request->set_request_id(of->id);
      request->set_header(static_cast<uint32_t>(at));
      const SourceSettings& settings = p->settings();
      request->set_live(settings.mode == Mode::kLive);
      request->set_interrupts(settings.policy == Policy::kInterrupt);
      request->set_aligned(settings.align_to_epoch);
      request->set_prebuffer_s(settings.prebuffer_s);
      request->set_traceparent(of->traceparent);
      if (const auto progress = p->progress()) {
        Put(*progress, *a, parts_.settings->fps, final, request->mutable_progress());
      }
      bytes += request->ByteSizeLong() + kPartBytes;
    }
  }
  return out.SerializeAsString();
}

void ProtoSnapshots::SaveChanged(size_t part, size_t parts) {
  size_t at = 0;
  for (const auto& [id, stream] : streams_.all()) {
    if (at++ % parts != part || stream->lease == nullptr) continue;
    const uint32_t losses = stream->lease->losses;
    const size_t hash = absl::HashOf(Take(*stream, /*final=*/false, /*whole=*/false));
    if (hash == stream->saved && losses == stream->saved_losses) continue;
    stream->saved = hash;
    stream->saved_losses = losses;
    parts_.directory->Save(id, stream->lease, Take(*stream, /*final=*/false, /*whole=*/true));
  }
}

void ProtoSnapshots::HandOver(Stream& stream, Now now) {
  if (stream.lease == nullptr) return;
  const double end_s = stream.lease->unix_offset_s + static_cast<double>(now.ns) * 1e-9;
  parts_.directory->HandOver(stream.id, stream.lease, Take(stream, /*final=*/true, /*whole=*/true),
                             end_s);
}

void ProtoSnapshots::Continue(Stream& stream, const StreamDirectory::SavedStream& saved, Now now) {
  sv1::Stream from;
  if (!from.ParseFromString(saved.snapshot)) return;
  const double now_s = streams_.Seconds(now);
  for (const auto& ended : from.ended()) {
    const uint32_t ending = std::min<uint32_t>(ended.ending(), 4);
    stream.ended.Add(ended.request_id(), {static_cast<stream::Ending>(ending), ended.epoch_s()},
                     now_s);
  }
  for (const auto& v : from.variables()) stream.variables[v.name()] = v.value();
  for (const auto& a : from.avatars()) {
    // One whose rig is given by its first push is made when the push is resumed.
    auto made = streams_.FindOrMakeAvatar(stream, a.target_object_id(), now);
    if (!made.ok()) continue;
    (*made)->place = {a.x_m(), a.z_m(), a.turn_deg()};
    Avatar& avatar = (*made)->avatar;
    for (const auto& v : a.variables()) {
      SetByText(avatar.graph_instance().variables(), v.name(), v.value());
    }
    wire::Appearance appearance{a.character(), {}};
    for (const auto& part : a.look()) appearance.look[part.name()] = part.value();
    if (appearance != wire::Appearance()) avatar.appearance().SetPushed(std::move(appearance));
    for (const auto& r : a.requests()) {
      if (r.header() >= static_cast<uint32_t>(from.headers_size())) continue;
      auto header = HeaderFrom(from.headers(static_cast<int>(r.header())));
      if (!header) continue;
      ContinuedRequest request{*std::move(header)};
      request.header.ids.request_id = r.request_id();
      request.options.mode = r.live() ? Mode::kLive : Mode::kStall;
      request.options.policy = r.interrupts() ? Policy::kInterrupt : Policy::kQueue;
      request.options.prebuffer_s = r.prebuffer_s();
      request.options.align_to_epoch = r.aligned();
      request.options.traceparent = r.traceparent();
      if (r.has_progress()) {
        request.progress = Get(r.progress(), parts_.settings->fps, saved.alive_s);
      }
      pushes_.Continue(stream, request, now);
    }
  }
  for (const auto& p : from.props()) {
    if (!stream.scene.Set(Get(p)).ok()) continue;
    if (!p.has_held_by() && !p.has_worn()) continue;
    const std::string& by = p.has_worn() ? p.worn().by() : p.held_by();
    const std::string at = p.has_worn()    ? p.worn().at()
                           : p.hand() == 0 ? "left_hand"
                                           : "right_hand";
    const skel::Placement held = Get(p.has_worn() ? p.worn().place() : p.place());
    for (const auto& a : stream.avatars) {
      if (a->target != by) continue;
      const auto where = skel::FindBodySite(a->avatar.rig(), at);
      if (!where.ok()) continue;
      stream.scene.Hold(p.name(), HolderOf(&a->avatar, a->target, at, *where), held);
    }
  }
  stream.registered = from.registered();
  stream.touched_s = now_s;
}

}  // namespace

std::unique_ptr<StreamSnapshots> MakeProtoSnapshots(const EngineParts* parts, Streams* streams,
                                                    PushLedger* pushes) {
  return std::make_unique<ProtoSnapshots>(parts, streams, pushes);
}

}  // namespace posewire::anim_graph
