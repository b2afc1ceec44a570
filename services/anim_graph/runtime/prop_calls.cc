// The control API's calls about the props of a scene.
#include <utility>

#include "services/anim_graph/runtime/control.h"
#include "services/anim_graph/runtime/control_values.h"

namespace posewire::anim_graph {
namespace {

SceneProp ToProp(const cv1::Prop& from) {
  SceneProp prop;
  prop.name = from.name();
  prop.shape = from.shape();
  prop.size = ToVec3(from.size());
  prop.place = {ToVec3(from.position()), ToQuat(from.rotation())};
  // One more than allowed, so that the error can report it.
  for (const auto& site : from.sites()) {
    if (prop.sites.size() > PropScene::kMostSites) break;
    prop.sites.push_back(
        {site.name(), {ToVec3(site.position()), ToQuat(site.rotation())}, site.any_side()});
  }
  return prop;
}

void FillProp(const SceneProp& from, cv1::Prop* to) {
  to->set_name(from.name);
  to->set_shape(from.shape);
  Fill(from.size, to->mutable_size());
  Fill(from.place.at, to->mutable_position());
  Fill(from.place.turn, to->mutable_rotation());
  for (const PropSite& site : from.sites) {
    auto* out = to->add_sites();
    out->set_name(site.name);
    Fill(site.place.at, out->mutable_position());
    Fill(site.place.turn, out->mutable_rotation());
    out->set_any_side(site.any_side);
  }
  to->set_held(from.is_held());
  to->set_held_by(from.holder.target);
  to->set_hand(from.holder.hand == 0 ? cv1::LEFT_HAND : cv1::RIGHT_HAND);
  to->set_at(from.holder.at);
}

}  // namespace

void Control::Do(const cv1::SetPropRequest& request, cv1::SetPropResponse* response,
                 const stream::Caller& caller, Done done) {
  OnStream(
      request, response, caller, std::move(done), [&request, response](Engine& engine, Now now) {
        auto replaced = engine.control().SetProp(request.stream_id(), ToProp(request.prop()), now);
        if (replaced.ok()) response->set_replaced(*replaced);
        return replaced.status();
      });
}

void Control::Do(const cv1::MovePropRequest& request, cv1::MovePropResponse* response,
                 const stream::Caller& caller, Done done) {
  OnStream(request, response, caller, std::move(done), [&request](Engine& engine, Now) {
    const skel::Quat turn = ToQuat(request.rotation());
    return engine.control().MoveProp(request.stream_id(), request.prop(),
                                     ToVec3(request.position()),
                                     request.has_rotation() ? &turn : nullptr);
  });
}

void Control::Do(const cv1::RemovePropRequest& request, cv1::RemovePropResponse* response,
                 const stream::Caller& caller, Done done) {
  OnStream(request, response, caller, std::move(done), [&request](Engine& engine, Now) {
    return engine.control().RemoveProp(request.stream_id(), request.prop());
  });
}

void Control::Do(const cv1::ListPropsRequest& request, cv1::ListPropsResponse* response,
                 const stream::Caller& caller, Done done) {
  OnStream(request, response, caller, std::move(done), [&request, response](Engine& engine, Now) {
    const auto props = engine.control().Props(request.stream_id());
    if (!props.ok()) return props.status();
    for (const SceneProp& prop : *props) FillProp(prop, response->add_props());
    return absl::OkStatus();
  });
}

void Control::Do(const cv1::AttachPropRequest& request, cv1::AttachPropResponse* response,
                 const stream::Caller& caller, Done done) {
  if (!cv1::Hand_IsValid(request.hand())) {
    return done(absl::InvalidArgumentError("hand must be RIGHT_HAND or LEFT_HAND"));
  }
  OnStream(request, response, caller, std::move(done), [&request](Engine& engine, Now) {
    return engine.control().AttachProp(request.stream_id(), request.prop(), request.site(),
                                       request.target_object_id(),
                                       !request.at().empty()              ? request.at()
                                       : request.hand() == cv1::LEFT_HAND ? "left_hand"
                                                                          : "right_hand",
                                       request.at_once());
  });
}

void Control::Do(const cv1::DetachPropRequest& request, cv1::DetachPropResponse* response,
                 const stream::Caller& caller, Done done) {
  OnStream(request, response, caller, std::move(done), [&request](Engine& engine, Now) {
    return engine.control().DetachProp(request.stream_id(), request.prop());
  });
}

}  // namespace posewire::anim_graph
