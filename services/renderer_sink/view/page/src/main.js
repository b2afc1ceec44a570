// The page: puts link, avatars, stage and panes together.
import { KEEP_S, Link, avatarOf } from "posewire/link";
import { Avatar } from "./avatar.js";
import { Controls } from "./controls.js";
import { Curves } from "./curves.js";
import { Embedded, asksOf } from "./embedded.js";
import { healthParts } from "./health.js";
import { Immersive } from "./immersive.js";
import { wireKeys } from "./keys.js";
import { PointerUser } from "./pointer_user.js";
import { Labels } from "./labels.js";
import { LookPane } from "./look_pane.js";
import { Microphone } from "./mic.js";
import { loadModel } from "./model.js";
import { loadSurface } from "./model_surface.js";
import { OffsetsWish } from "./offsets.js";
import { Overlay } from "./overlay.js";
import { Bars, Health, Log, makeTabs } from "./panels.js";
import { Past } from "./past.js";
import { probeOf } from "./probe.js";
import { ask } from "./reply.js";
import { Requests } from "./requests.js";
import { Saves } from "./saves.js";
import { Say } from "./say.js";
import { Scale } from "./scale.js";
import { kept, settingsOf } from "./settings.js";
import { SoundFile } from "./sound_file.js";
import { SHOT, Stage, TOGETHER } from "./stage.js";
import { Texts } from "./texts.js";
import { Speaker } from "./voice.js";

const element = (id) => document.getElementById(id);
const now_s = () => performance.now() / 1000;
const PANES_MS = 100;
const HEALTH_MS = 500;

class Page {
  constructor() {
    this.settings = settingsOf(location.search);
    this.settings.wrong.forEach((text) => console.warn(text));
    document.documentElement.classList.toggle("bare", this.settings.stage);
    document.documentElement.classList.toggle("clear", this.settings.background === "none");
    this.stage = new Stage(element("scene"), this.settings);
    this.overlay = new Overlay(element("overlay"), this.stage);
    this.labels = new Labels(element("labels"), this.stage);
    this.scale = new Scale(element("scale"));
    this.texts = new Texts();
    this.speaker = new Speaker();
    this.past = new Past(this, this.speaker);
    this.avatars = [];
    this.chosen = 0;
    this.hello = null;
    this.streams = [];
    this.pane = "control";
    this.recording = null;  // {avatar, from}
    this.wantsSound = this.settings.muted ? false : undefined;
    this.models = new Map();  // by the URL of their file: what makes the looks, once it is there
    this.surfaces = new Map();  // by their URL
    this.draws = 0;
    this.turns = 0;  // how often there was time to draw
    this.fps = 0;
    this.log = new Log(element("log"), this.texts);
    this.bars = new Bars(element("bars"));
    this.health = new Health(element("health"));
    this.lookPane = new LookPane();
    this.curves = new Curves(element("curves"), () => this.avatar);
    this.link = new Link({
      onText: (message) => this.onText(message),
      onFrame: (buffer) => this.onFrame(buffer),
      onState: (connected) => this.onLink(connected),
      onRefused: () => this.logInAgain(),
    });
    this.offsetsWish = new OffsetsWish(this.link, !this.settings.plain);
    const tell = (who, text, mark) => this.log.add(Date.now() / 1000, `${who}: ${text}`, mark);
    this.controls = new Controls(this.link, () => this.avatar, tell);
    this.pointerUser = new PointerUser(this.link, () => this.avatar, this.stage.canvas);
    this.immersive = new Immersive(this, (text) => tell("headset", text, "bad"));
    const target = () => this.target;
    this.speech = new Say(target, tell, this.texts);
    this.wireOwnVoice(target);
    this.requests = new Requests(target, this.texts, (request_id) =>
      this.controls.stop(request_id));
    this.embedded = new Embedded(asksOf(this), () => this.tellReady());
    this.saves = new Saves((text) => tell("download", text, "bad"));
    makeTabs((name) => {
      this.pane = name;
      if (name === "control") this.controls.refreshVariables();
    });
    this.wireButtons();
    if (!this.settings.stage) wireKeys(this);
    this.setTheme(this.settings.theme || kept.get("theme") ||
      (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark"));
    // Which also tells how large it is at first.
    new ResizeObserver(() => this.resize()).observe(document.querySelector(".stage"));
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.lastPanes = 0;
    });
    this.lastPanes = this.lastHealth = this.lastSecond = this.lastDraw_s = 0;
    requestAnimationFrame(() => this.draw());
  }

  get avatar() { return this.avatars[this.chosen]; }
  // Of what is asked; null: nobody is there to be asked for.
  get target() {
    const { stage, stream } = this.settings;
    if (!stage || !stream) return this.controls.target;
    const avatar = this.avatars.find((one) => one && one.state.stream_id === stream);
    return avatar ? { stream_id: stream, target_object_id: avatar.state.target_object_id } : null;
  }
  wantedTarget() {
    const { target } = this;
    if (target) return target;
    const { stream } = this.settings;
    const named = this.hello.streams || [];
    if (stream && named.length && !named.includes(stream)) {
      throw new Error(`no stream ${stream} is shown here; shown are: ${named.join(", ")}`);
    }
    throw new Error(stream ? `there is no stream ${stream} yet` : "there is no stream yet");
  }
  get shown() {
    return this.avatars.filter((avatar) => avatar && avatar.shown && avatar.layout && !avatar.ended);
  }

  onLink(connected) {
    this.connected = connected;
    this.present = false;  // what comes is of the past
    if (connected) {
      this.log.add(Date.now() / 1000, "connected to the viewer's server");
      this.controls.refresh();
    } else {
      this.log.add(Date.now() / 1000, "the viewer's server has gone; trying again", "bad");
    }
    this.showState();
  }

  // Shows the form where there is no session, as after the server was started anew.
  async logInAgain() {
    if (!this.hello || !this.hello.login) return;
    const session = await fetch("/session").catch(() => null);  // the server is not there
    if (session && session.status === 401) location.reload();
  }

  tellReady() {
    if (!this.present) return;
    this.embedded.tell("ready");
    if (this.seen) this.embedded.tell("shown");
    try {
      if (this.settings.stream) this.wantedTarget();
    } catch (error) {
      this.embedded.tell("error", { message: error.message });
    }
  }

  // Whether this avatar's stream is one to be looked at.
  isWanted({ stream_id }) {
    return !this.settings.stage || !this.settings.stream || stream_id === this.settings.stream;
  }

  avatarAt(index) {
    if (!this.avatars[index]) {
      // Those of streams that may not be seen are missing.
      if (!this.avatar) this.chosen = index;
      this.avatars[index] = new Avatar(index, this.stage, this.speaker,
        { onLooks: (trouble) => this.onLooks(trouble),
          onNote: (text) => this.log.add(Date.now() / 1000, `${this.avatarAt(index).name}: ${text}`) });
      this.avatars[index].look = this.settings.look;
      this.stage.scene.add(this.avatars[index].root);
    }
    return this.avatars[index];
  }

  onText(message) {
    switch (message.type) {
      case "hello": return this.onHello(message);
      case "layout": return this.onLayout(message);
      case "look":
        return this.avatarAt(message.avatar).wear({ ...this.settings.look, ...message.look });
      case "state": return this.onState(message);
      case "stats": this.avatarAt(message.avatar).stats = message; return undefined;
      case "streams":
        this.streams = message.reply.streams;
        if (this.avatars.filter((avatar) => avatar.takePlace(this.streams)).length) {
          this.stage.arrange(this.shown);
        }
        if (this.pane === "control" && !this.settings.stage) this.requests.show(this.streams);
        this.embedded.missDropped(this.streams.flatMap(({ avatars }) => avatars)
          .flatMap(({ requests }) => requests).map(({ request_id }) => request_id), async () =>
          (await ask("/source/texts", this.target)).texts.map(({ request_id }) => request_id));
        return undefined;
      case "event":
        this.log.addEvent(message.event);
        this.controls.onEvent(message.event);
        if (this.present && this.isWanted(message.event)) this.embedded.tellEvent(message.event);
        return undefined;
      case "present":
        this.present = true;
        return this.tellReady();
      default: return undefined;
    }
  }

  onHello(hello) {
    this.hello = hello;
    this.stage.setBackdrop(hello.background);
    element("log").replaceChildren();
    this.speech.offer(hello.say_to);
    this.saves.offerFilms(hello.films);
    this.requests.source = Boolean(hello.say_to);
    element("log-out").hidden = !hello.login;
  }

  // Has the avatar look as the file there says. Avatars of one file share what is loaded.
  dress(avatar, url) {
    if (avatar.url === url) return;
    avatar.undress(url);
    const use = (makeParts, trouble) => {
      if (avatar.url === url) avatar.useModel(makeParts, trouble);  // else another stream has its place
    };
    // A build without data for the built-in people has none.
    if (!url) {
      use(null, "");
      return;
    }
    if (!this.models.has(url)) this.models.set(url, loadModel(url, !this.stage.software));
    this.models.get(url).then((model) => use(model, ""), (error) =>
      // The error of a decoder's worker is none of JavaScript's.
      use(null, `the avatar cannot be shown: ${error.message || error.error || error}`));
  }

  // Those of one file share it, and what comes of it.
  surfaceOf(url) {
    if (!this.surfaces.has(url)) {
      const surface = loadSurface(url);
      this.surfaces.set(url, surface);
      surface.catch(() => this.surfaces.delete(url));
    }
    return this.surfaces.get(url);
  }

  onLooks(trouble) {
    if (trouble) this.log.add(Date.now() / 1000, trouble, "bad");
    this.stage.arrange(this.shown);
    this.showState();
  }

  onLayout(layout) {
    const avatar = this.avatarAt(layout.avatar);
    this.dress(avatar, layout.avatar_url);
    avatar.setLayout(layout);
    this.stage.arrange(this.shown);
    if (layout.avatar === this.chosen) {
      this.showTracks();
      this.speech.fit(layout.avatar_name);
    }
    this.place();
    this.showState();
  }

  // The first sight: the camera stands at its preset without a flight. Where more than one are in
  // view, and nobody has turned the camera yet, all are seen: two that the graph has placed, as those
  // who talk with each other, from near.
  place() {
    if (!this.avatar || !this.avatar.layout) return;
    const { length } = this.shown;
    element("together").hidden = length < 2;
    const several = length === 2 && this.stage.placed ? TOGETHER : "body";
    const preset = this.settings.camera || (length > 1 ? several : "bust");
    if (this.placed === preset || (this.placed && this.placed !== this.stage.preset)) return;
    const first = !this.placed;
    this.placed = preset;
    this.look(preset);
    if (first && this.stage.flight) this.stage.flight.began = -1e6;
  }

  onState(state) {
    const avatar = this.avatarAt(state.avatar);
    const before = avatar.state.state;
    if (avatar.state.stream_id && avatar.state.stream_id !== state.stream_id) {
      avatar.forget();
      avatar.look = this.settings.look;
      avatar.standing = null;
    }
    avatar.state = state;
    if (this.settings.stage && avatar.shown !== this.isWanted(state)) {
      avatar.shown = !avatar.shown;
      this.stage.arrange(this.shown);
    }
    if (this.settings.stream === state.stream_id && this.looked !== state.stream_id) {
      this.looked = state.stream_id;
      this.choose(state.avatar);
    }
    if (this.isWanted(state)) {
      this.embedded.tell("state", { stream: state.stream_id, state: state.state, why: state.detail });
    }
    if (state.state !== "connected") this.controls.forget(state.stream_id);
    if (state.state !== before && (state.state !== "connected" || before === "lost")) {
      this.log.add(Date.now() / 1000, `${state.stream_id}: ${state.state} ${state.detail}`,
        /connect/.test(state.state) ? "" : "warn");
    }
    avatar.ended = state.state === "ended";
    avatar.root.visible = avatar.shown && !avatar.ended;
    this.stage.stale = true;
    if ((before === "ended") !== avatar.ended) this.stage.arrange(this.shown);
    if (state.state === "connected" && before !== "connected") this.controls.refresh();
    this.showAvatars();
    this.showState();
  }

  onFrame(buffer) {
    const avatar = this.avatars[avatarOf(buffer)];
    if (!avatar) return;
    const now = now_s();
    this.speaker.tick(now);
    avatar.receive(buffer, now);
  }

  showTracks() {
    const { layout } = this.avatar;
    element("tracks").replaceChildren(...["voice", ...layout.shapes, ...layout.joints].map((name) =>
      new Option(name, name)));
  }

  showAvatars() {
    element("avatars").replaceChildren(...this.avatars.flatMap((avatar, i) => {
      const button = document.createElement("button");
      button.className = avatar.state.state;
      button.setAttribute("aria-current", i === this.chosen);
      button.title = `${avatar.state.stream_id}: click to choose, click again to hide or show`;
      const lamp = document.createElement("span");
      lamp.className = "lamp";
      button.append(lamp, avatar.shown ? avatar.name : `(${avatar.name})`);
      button.onclick = () => this.choose(i, i === this.chosen && this.avatars.length > 1);
      return button;
    }));
  }

  choose(i, toggle = false) {
    if (!this.avatars[i]) return;
    const avatar = this.avatars[i];
    if (toggle || !avatar.shown) {
      avatar.shown = !avatar.shown;
      avatar.root.visible = avatar.shown && !avatar.ended;
      this.stage.arrange(this.shown);
    }
    this.chosen = i;
    this.stage.target = this.avatar;
    if (this.stage.preset) this.stage.look(this.stage.preset, this.avatar);
    this.showAvatars();
    this.showState();
    if (avatar.layout) {
      this.showTracks();
      this.speech.fit(avatar.layout.avatar_name);
    }
    this.controls.refresh();
  }

  // The avatar before or after the chosen one.
  chooseNext(step) {
    let i = this.chosen + step;
    while (i >= 0 && i < this.avatars.length && !this.avatars[i]) i += step;
    this.choose(i);
  }

  showState() {
    const state = element("state");
    const avatar = this.avatar;
    const trouble = avatar && avatar.state.state === "connected" ? avatar.trouble : "";
    const bad = !this.connected || trouble ||
      (avatar && ["lost", "refused"].includes(avatar.state.state));
    state.classList.toggle("bad", Boolean(bad));
    let text = "waiting for a stream";
    if (!this.connected) text = "the viewer's server has gone";
    else if (trouble) text = trouble;
    else if (avatar) text = avatar.state.state === "connected" ? "" : `${avatar.state.state} ${avatar.state.detail}`;
    state.title = text;
    const away = this.connected && avatar && avatar.state.state === "lost";
    state.textContent = away ? avatar.state.state : text;
    element("banner").hidden = this.connected && !away;
    element("banner").textContent = away
      ? `anim_graph at ${this.hello ? this.hello.from : "its address"} is not there; trying again`
      : "The viewer's server is not there; trying again";
    const notice = element("notice");
    const fetching = Boolean(avatar && avatar.layout && avatar.modelToCome);
    notice.hidden = !this.connected || (this.avatars.length > 0 && !fetching);
    if (fetching) {
      notice.textContent = "The avatar is coming\u2026";
    } else if (!notice.hidden) {
      notice.innerHTML = "No stream yet. Push something, for example<br><code>a2f_source say \"Hello\" --stream-id demo</code>";
    }
  }

  wireButtons() {
    for (const button of document.querySelectorAll("[data-look]")) {
      button.onclick = () => this.look(button.dataset.look);
    }
    this.stage.onMoved = () => this.markLook();
    this.toggle("skeleton", (on) => {
      this.overlay.skeleton = on;
      this.stage.stale = true;
    });
    this.toggle("names", (on) => {
      this.overlay.names = on;
      this.stage.stale = true;
      if (on && !this.overlay.skeleton) element("skeleton").click();
    });
    element("sound").onclick = () => {
      const on = !this.speaker.heard;
      if (on && this.microphone.hushes) this.microphone.setHears(true);
      this.sound(on);
    };
    element("theme").onclick = () =>
      this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    element("help-open").onclick = () => element("help").showModal();
    element("log-out").onclick = () => ask("/logout", {}).finally(() => location.reload());
    element("record").onclick = () => this.record();
    element("track-form").onsubmit = (event) => {
      event.preventDefault();
      this.curves.add(element("track").value.trim());
      element("track").value = "";
    };
    const wake = () => {
      if (this.wantsSound !== false) this.sound(true);
      removeEventListener("pointerdown", wake, true);
      removeEventListener("keydown", wake, true);
    };
    addEventListener("pointerdown", wake, true);
    addEventListener("keydown", wake, true);
  }

  // A microphone and a file take turns.
  wireOwnVoice(target) {
    const own = { target, texts: this.texts, note: (text, bad) => this.speech.note(text, bad) };
    this.microphone = new Microphone({ ...own, onBegin: () => this.soundFile.cancel(),
      onState: () => this.hush() });
    this.soundFile = new SoundFile({ ...own, onBegin: () => this.microphone.cancel() });
    if (!this.settings.stage) this.soundFile.takeDrops(() => Boolean(this.hello && this.hello.say_to));
  }

  hush() {
    if (!this.microphone) return;  // it is being made
    this.speaker.setHushed(this.microphone.hushes);
    this.showSound();
  }

  toggle(id, act) {
    const button = element(id);
    button.onclick = () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", on);
      act(on);
    };
  }

  look(preset) {
    if (preset === SHOT && element("shot").hidden) return;
    this.stage.look(preset, this.avatar);
    this.markLook();
  }

  markLook() {
    for (const button of document.querySelectorAll("[data-look]")) {
      button.classList.toggle("on", button.dataset.look === this.stage.preset);
    }
  }

  sound(on) {
    if (on) {
      const voiced = this.avatars.find((avatar) => avatar && avatar.layout && avatar.layout.audio_hz);
      this.speaker.start(voiced ? voiced.layout.audio_hz : 48000);
    }
    this.wantsSound = on;
    if (this.speaker.context) this.speaker.setMuted(!on);
    this.showSound();
  }

  showSound() {
    const on = this.speaker.heard;
    if (on !== this.sounds) this.embedded.tell("sound", { on });
    this.sounds = on;
    element("sound").textContent = on ? "Sound on" : "Sound off";
    element("sound").setAttribute("aria-pressed", on);
    element("sound").title = this.speaker.hushed
      ? "Muted while the microphone is open, unless you wear headphones (M)" : "Sound (M)";
  }

  setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    kept.set("theme", theme);
    this.stage.setLook(theme);
  }

  record() {
    const { avatar } = this;
    if (!this.recording) {
      if (!avatar || avatar.clock.now === null) return;
      this.recording = { avatar, from: avatar.clock.at, began: now_s() };
      element("record").setAttribute("aria-pressed", "true");
      this.saves.hide();
      return;
    }
    const { avatar: recorded, from } = this.recording;
    const to = Math.max(recorded.clock.at, from + 0.1);
    this.recording = null;
    element("record").setAttribute("aria-pressed", "false");
    element("record-text").textContent = "Record";
    this.saves.offer(recorded.index, recorded.state.stream_id, from, to);
  }

  resize() {
    this.stage.resize();
    this.overlay.resize();
    this.overlay.draw(this.shown);
  }

  draw() {
    requestAnimationFrame(() => this.draw());
    const late_s = now_s() - this.lastDraw_s;
    if (!this.immersive.presenting && late_s >= this.stage.period_s) this.drawMoment();
  }

  // On the page, or in a headset at its own times.
  drawMoment() {
    const now = now_s();
    this.lastDraw_s = now;
    this.speaker.tick(now);
    if (this.past.playing) this.past.tick(now);
    this.turns += 1;
    let stirred = false;
    for (const avatar of this.avatars) {
      if (avatar && avatar.shown && avatar.update(now)) stirred = true;
    }
    const moved = this.stage.step();
    for (const avatar of this.shown) {
      avatar.chooseDetail();
      if (avatar.model && avatar.detail.fine && avatar.layout.surface_url) avatar.takeSurface((url) => this.surfaceOf(url));
    }
    if (moved || stirred) {
      this.stage.draw();
      this.overlay.draw(this.shown);
      if (!this.settings.stage) this.labels.draw(this.shown);
      this.draws += 1;
      if (!this.seen && this.shown.some(({ model, mannequin, modelToCome, frames }) =>
        frames && (model || (mannequin && !modelToCome)))) {
        this.seen = true;
        this.embedded.tell("shown");
      }
    }
    if (now * 1000 - this.lastPanes > PANES_MS) {
      this.lastPanes = now * 1000;
      this.drawPanes(now);
    }
  }

  drawPanes(now) {
    const { avatar } = this;
    this.offsetsWish.of(avatar);
    element("shot").hidden = !(avatar && avatar.pose && avatar.pose.camera);
    if (this.pane === "face") {
      this.bars.draw(avatar, (name) => {
        this.curves.add(name);
        element("tab-curves").click();
      });
      const note = avatar && avatar.model ? avatar.model.note : "";
      if (note !== element("model-note").textContent) element("model-note").textContent = note;
    }
    if (this.pane === "control") this.lookPane.show(avatar);
    if (this.pane === "curves") this.curves.draw();
    if (avatar && avatar.ring.length && avatar.shownAt !== null) {
      const behind = Math.min(0, avatar.shownAt - avatar.ring.last().at);
      const scrub = element("scrub");
      const held = Math.min(KEEP_S, avatar.ring.last().at - avatar.ring.first().at);
      scrub.min = -Math.max(1, Math.ceil(held));
      this.scale.show(-scrub.min);
      const follow = this.past.playing || document.activeElement !== scrub;
      if (avatar.pausedAt !== null && follow) scrub.value = behind;
      const live = this.connected && avatar.state.state === "connected" ? "live" : "no signal";
      element("when").textContent = avatar.pausedAt === null ? live : `${behind.toFixed(2)} s`;
    }
    if (this.recording) {
      const long = now - this.recording.began;
      element("record-text").textContent = `${long.toFixed(0)} s`;
      if (this.hello && long > this.hello.keep_s - 2) this.record();
    }
    if (now * 1000 - this.lastHealth > HEALTH_MS) {
      const seconds = Math.max(0.001, now - this.lastSecond);
      this.fps = this.draws / seconds;
      if (seconds < 2) this.stage.keepUp(this.turns / seconds, seconds);
      this.draws = this.turns = 0;
      this.lastSecond = now;
      this.lastHealth = now * 1000;
      this.showSound();
      if (this.pane === "health") this.health.show(healthParts(this));
    }
  }

  // What tests and the curious look at.
  probe() { return probeOf(this); }
}

window.posewire = new Page();
