"""Trains the network of data/speech/visemes.nn on what prepare.py made.

python3 train.py DATA_DIR [--minutes 30] [--steps 0] [--seed 1] [--out FILE] [--resume]

One thread. The learning rate falls along a cosine over --steps, or over --minutes when that is 0.
Every 200 steps the weights so far (their running mean) go to DATA_DIR/OUT.pt and, with batch
norms folded in, to --out. The last lines are the table of judge.py.
"""
import argparse
import copy
import math
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn as layers

import features
import judge
import nn
from labels import EITHER

WINDOW, BATCH, CONTEXT = 500, 12, 80
DROP = 0.1
# Rarer classes weigh more; a missed closure weighs more than a false one.
CLASS_WEIGHT = torch.tensor([0.7, 1.8, 1.6, 1.8, 1, 1, 1.5, 1, 0.9, 1.1, 0.9, 1, 1, 1.2, 1.1, 1, 0.7])
LOGIT_WEIGHT = torch.tensor([3.0, 2.0, 0.5, 0.5, 0.5, 0.5, 0.5])
CLOSED_WEIGHT = torch.tensor([2.0, 1.5, 1, 1, 1, 1, 1])
CONTACTS = slice(EITHER, EITHER + 2)   # bilabial and labiodental
EVENT, EVENT_WEIGHT = 5, 1.0


class Block(layers.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.pad = 2 * dilation
        self.taps = layers.Conv1d(channels, channels, 3, dilation=dilation)
        self.norm = layers.BatchNorm1d(channels)
        self.mix = layers.Conv1d(channels, channels, 1)

    def forward(self, x):
        y = torch.relu(self.norm(self.taps(layers.functional.pad(x, (self.pad, 0)))))
        return x + self.mix(layers.functional.dropout(y, DROP, self.training))


class Model(layers.Module):
    def __init__(self, channels=nn.CHANNELS, dilations=nn.DILATIONS):
        super().__init__()
        self.input = layers.Conv1d(features.FEATURES, channels, 1)
        self.blocks = layers.ModuleList([Block(channels, d) for d in dilations])
        self.output = layers.Conv1d(channels, len(nn.OUTPUTS), 1)

    def forward(self, x):
        x = self.input(x)
        for block in self.blocks:
            x = block(x)
        return self.output(layers.functional.dropout(torch.relu(x), DROP, self.training))

    def export(self):
        """The network of nn.py; batch norms folded into their convolutions."""
        def of(tensor):
            return tensor.detach().numpy().astype(np.float64)
        arrays = [of(self.input.weight)[:, :, 0], of(self.input.bias)]
        for block in self.blocks:
            norm = block.norm
            scale = of(norm.weight) / np.sqrt(of(norm.running_var) + norm.eps)
            taps = of(block.taps.weight) * scale[:, None, None]
            arrays += [taps.transpose(2, 0, 1),
                       (of(block.taps.bias) - of(norm.running_mean)) * scale + of(norm.bias),
                       of(block.mix.weight)[:, :, 0], of(block.mix.bias)]
        return nn.Network(arrays + [of(self.output.weight)[:, :, 0], of(self.output.bias)])


def disguise(bands, rng):
    """Bands [T][40] of another throat (warped), another microphone (coloured), with a band missing."""
    many = features.BANDS
    at = np.clip(np.arange(many) * (1 + rng.uniform(-0.06, 0.06)) + rng.uniform(-1, 1), 0, many - 1.001)
    low = at.astype(int)
    warp = np.zeros((many, many), np.float32)
    warp[low, np.arange(many)] = 1 - (at - low)
    warp[low + 1, np.arange(many)] = at - low
    x = np.arange(many) / many
    colour = 0.2 * rng.normal() + sum(rng.normal(0, 0.25) * np.cos(np.pi * h * x) for h in (1, 2, 3, 4))
    bands = bands @ torch.from_numpy(warp) + torch.from_numpy(colour.astype(np.float32))
    if rng.random() < 0.4:
        band = rng.integers(many)
        bands[:, band:band + rng.integers(1, 6)] = 0
    return bands


class Data:
    """All shards in memory; windows that begin anywhere, a sixth of them where a stream does."""

    def __init__(self, paths):
        loaded = [np.load(path) for path in paths]
        self.rows = {key: np.concatenate([shard[key] for shard in loaded])
                     for key in ("features", "classes", "logits", "weight", "arousal")}
        lengths = np.concatenate([shard["lengths"] for shard in loaded])
        self.ends = np.cumsum(lengths)
        self.starts = self.ends - lengths

    def window(self, rng):
        while True:
            i = rng.integers(len(self.starts))
            begin, end = self.starts[i], self.ends[i]
            if end - begin < 150:
                continue
            at = begin
            if rng.random() > 1 / 6 and end - begin > WINDOW:
                at = rng.integers(begin, end - WINDOW)
            cut = {key: np.zeros((WINDOW,) + row.shape[1:], np.float32)
                   for key, row in self.rows.items()}
            long = min(WINDOW, end - at)
            for key, row in self.rows.items():
                cut[key][:long] = row[at:at + long]
            cut["classes"] /= 255
            cut["logits"] /= 255
            if at > begin:
                cut["weight"][:CONTEXT] = 0     # what came before is not heard here
            return cut

    def batch(self, rng):
        cuts = [self.window(rng) for _ in range(BATCH)]
        out = {key: torch.from_numpy(np.stack([cut[key] for cut in cuts])) for key in self.rows}
        for heard in out["features"]:
            heard[:, :features.BANDS] = disguise(heard[:, :features.BANDS], rng)
        return out


def loss_of(out, batch):
    """Outputs [B][H][T]; target of step k is frame k - lookahead."""
    ahead = nn.LOOKAHEAD
    out = out[:, :, ahead:].transpose(1, 2)
    target = {key: value[:, :-ahead] for key, value in batch.items() if key != "features"}
    weight = target["weight"]
    logp = torch.log_softmax(out[..., :EITHER], dim=-1)
    either = torch.logaddexp(logp[..., :1], logp[..., EITHER - 1:EITHER])
    logp = torch.cat([logp, either], dim=-1)
    total = -(logp * target["classes"] * CLASS_WEIGHT).sum(-1)
    flags = layers.functional.binary_cross_entropy_with_logits(
        out[..., EITHER:-1], target["logits"], pos_weight=CLOSED_WEIGHT, reduction="none")
    total = total + 0.5 * (flags * LOGIT_WEIGHT).sum(-1)
    # Contacts as events: within 50 ms the likeliest frame counts, be it right or wrong.
    peaks = layers.functional.max_pool1d(out[..., CONTACTS].transpose(1, 2), EVENT, 1, EVENT // 2)
    truths = layers.functional.max_pool1d(
        target["logits"][..., :2].transpose(1, 2), EVENT, 1, EVENT // 2)
    events = layers.functional.binary_cross_entropy_with_logits(peaks, truths, reduction="none")
    total = total + EVENT_WEIGHT * events.sum(1)
    known = (target["arousal"] >= 0).float()
    lively = layers.functional.binary_cross_entropy_with_logits(
        out[..., -1], target["arousal"].clamp(0, 1), reduction="none")
    total = total + 0.2 * known * lively
    return (total * weight).sum() / weight.sum()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--out", type=Path,
                        default=Path(__file__).resolve().parents[3] / "data/speech/visemes.nn")
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    data = Data(sorted((options.data / "shards").glob("*.npz")))
    print(f"{data.ends[-1] / 6000:.0f} minutes of sound", flush=True)
    model = Model()
    checkpoint = options.data / f"{options.out.stem}.pt"
    if options.resume:
        model.load_state_dict(torch.load(checkpoint))
    print(sum(p.numel() for p in model.parameters()), "parameters", flush=True)
    mean = copy.deepcopy(model)
    optimiser = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=0.05)
    began, step, shown = time.time(), 0, []
    while True:
        done = (step / options.steps if options.steps
                else (time.time() - began) / 60 / options.minutes)
        if done >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / 100) * (
                0.02 + 0.98 * (1 + math.cos(math.pi * done)) / 2)
        batch = data.batch(rng)
        model.train()
        with torch.autocast("cpu", dtype=torch.bfloat16):   # twice as fast
            out = model(batch["features"].transpose(1, 2))
        loss = loss_of(out.float(), batch)
        optimiser.zero_grad()
        loss.backward()
        layers.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimiser.step()
        step += 1
        shown.append(loss.item())
        keep = min(0.995, step / (step + 20))
        with torch.no_grad():
            for ours, new in zip(mean.state_dict().values(), model.state_dict().values()):
                if ours.dtype.is_floating_point:
                    ours.mul_(keep).add_(new, alpha=1 - keep)
                else:
                    ours.copy_(new)
        if step % 200 == 0:
            print(f"step {step}, {time.time() - began:.0f} s, loss {np.mean(shown[-200:]):.4f}",
                  flush=True)
            torch.save(mean.state_dict(), checkpoint)
            mean.export().save(options.out)
    torch.save(mean.state_dict(), checkpoint)
    mean.export().save(options.out)
    print(f"{step} steps, {step * BATCH * WINDOW / 6000:.0f} minutes of sound heard")
    judge.main([str(options.out), str(options.data)])


if __name__ == "__main__":
    main()
