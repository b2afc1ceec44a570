// A kiosk that answers what people in front of it do, until Ctrl-C.
//
// The graph must tell of them: anim_graph --graph data/graphs/examples/user_acts.graph.txtpb
import { Avatar } from "posewire";

const ANSWERS = { comes: '<gesture name="wave"/>Welcome! Touch the map.', goes: "Have a good day!" };

const avatar = new Avatar("http://127.0.0.1:8080", { stream: "demo" });
for await (const { type, name } of avatar.events()) {
  if (type === "user_acted" && name in ANSWERS) avatar.say(ANSWERS[name], { policy: "interrupt" });
}
