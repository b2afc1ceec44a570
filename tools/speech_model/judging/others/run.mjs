// What the lip sync libraries of browsers make of recordings: node run.mjs LIST OUT
//
// LIST is a file of JSON lines {"name", "file"}. Writes OUT/<library>/<name>.json: {"times_s",
// "PP", "FF"}, 60 times a second, each the weight of that viseme.
//
// Both libraries are made for a browser, and run here unchanged in a stand-in for what they use of
// it, with a clock that the sound drives: so they see each instant that they would see on a machine
// that is never late. Where a library has no weights, only scores, PP is by how much its score is
// above the best other one, and above 0 it is on top.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { Analyser } from './analyser.mjs';

const FRAMES_HZ = 60;

function sound(file, rateHz) {
  const raw = file.endsWith('.g722') ? ['-f', 'g722'] : [];
  const bytes = execFileSync('ffmpeg', ['-v', 'error', '-nostdin', ...raw, '-i', file,
    '-f', 'f32le', '-ac', '1', '-ar', String(rateHz), '-'], { maxBuffer: 1 << 30 });
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

// wawa-lipsync: an AnalyserNode (FFT of 2048, smoothing 0.8) read at each frame.
async function wawa() {
  let now = 0;
  let analyser = null;
  globalThis.window = {
    AudioContext: class {
      sampleRate = 48000;
      createAnalyser() { return analyser; }
    },
  };
  Object.defineProperty(globalThis, 'performance',
    { value: { now: () => now }, configurable: true });
  const { Lipsync } = await import('wawa-lipsync');
  return (file) => {
    const samples = sound(file, 48000);
    analyser = new Analyser(samples);
    now = 0;
    const lipsync = new Lipsync();
    let scores = {};
    const adjust = lipsync.adjustScoresForConsistency.bind(lipsync);
    lipsync.adjustScoresForConsistency = (raw) => (scores = adjust(raw));
    const result = { times_s: [], PP: [], FF: [] };
    const above = (name) => Math.max(-9, scores[name] - Math.max(...Object.entries(scores)
      .filter(([other]) => other !== name).map(([, score]) => score)));
    for (let k = 1; k / FRAMES_HZ <= samples.length / 48000; ++k) {
      now = 1000 * k / FRAMES_HZ;
      analyser.moveTo(Math.floor(48000 * k / FRAMES_HZ));
      lipsync.processAudio();
      result.times_s.push(k / FRAMES_HZ);
      result.PP.push('viseme_PP' in scores ? above('viseme_PP') : -9);
      result.FF.push('viseme_FF' in scores ? above('viseme_FF') : -9);
    }
    return result;
  };
}

// HeadAudio: an audio worklet, and a node whose update() an animation calls at each frame.
async function headaudio() {
  const folder = new URL('./', import.meta.resolve('@met4citizen/headaudio/package.json')).href;
  globalThis.AudioWorkletNode = class {
    constructor() { this.port = {}; }
  };
  const { HeadAudio } = await import(`${folder}modules/headaudio.mjs`);
  const { Processor } = await import(`${folder}modules/processor.mjs`);
  const { Training } = await import(`${folder}modules/training.mjs`);
  const path = new URL(`${folder}dist/model-en-mixed.bin`);
  globalThis.fetch = async () => new Response(readFileSync(path));
  const { model } = await new Training().loadModel('model');
  return (file) => {
    const samples = sound(file, 48000);
    const node = new HeadAudio(null);
    const processor = new Processor({ sampleRate: 48000 },
      { port: { postMessage: (data) => node.port.onmessage({ data }) } });
    processor._onmessage({ data: { event: 'model', model } });
    const weights = {};
    node.onvalue = (key, value) => { weights[key] = value; };
    const result = { times_s: [], PP: [], FF: [] };
    let done = 0;
    for (let k = 1; k / FRAMES_HZ <= samples.length / 48000; ++k) {
      for (; done + 128 <= 48000 * k / FRAMES_HZ; done += 128) {
        processor.process(samples.subarray(done, done + 128));
      }
      node.update(1000 / FRAMES_HZ);
      result.times_s.push(k / FRAMES_HZ);
      result.PP.push(weights.viseme_PP ?? 0);
      result.FF.push(weights.viseme_FF ?? 0);
    }
    return result;
  };
}

const [list, out] = process.argv.slice(2);
const files = readFileSync(list, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
for (const [name, make] of [['headaudio', headaudio], ['wawa-lipsync', wawa]]) {
  const hear = await make();
  mkdirSync(`${out}/${name}`, { recursive: true });
  for (const { name: recording, file } of files) {
    if (existsSync(`${out}/${name}/${recording}.json`)) continue; // heard before, the same way
    const rounded = Object.fromEntries(Object.entries(hear(file)).map(
      ([key, values]) => [key, values.map((v) => Math.round(v * 1e4) / 1e4)]));
    writeFileSync(`${out}/${name}/${recording}.json`, JSON.stringify(rounded));
  }
}
