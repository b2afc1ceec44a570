"""The network of data/speech/visemes.nn in numpy, and its file.

Input Linear F -> C; blocks, each: y = x + W1 relu(causal dilated convolution of 3 taps (x) + b) + b1;
then relu, then Linear C -> H. Before the first frame every convolution hears zeros. Row k of the
output is about frame k - lookahead; the first `softmax` outputs are one softmax, the others logits.

The file: a line `posewire-nn 1`, lines `key value...`, an empty line, then float16 (little-endian)
arrays in the order of `Network.arrays`.
"""
import numpy as np

VISEMES = "sil pp ff th dd kk ch ss nn rr aa e ih oh ou".split()
CLASSES = VISEMES + ["noise"]
LOGITS = "bilabial labiodental voiced vowel fricative stop nasal arousal".split()
OUTPUTS = CLASSES + LOGITS
LOOKAHEAD = 7
DILATIONS = (1, 2, 4, 8, 16, 1, 2, 4)
CHANNELS = 128


class Network:
    """Arrays: input W [C][F], b [C]; each block: W [3][C][C] (tap 0 oldest), b, W1 [C][C], b1;
    output W [H][C], b [H]."""

    def __init__(self, arrays, dilations=DILATIONS, lookahead=LOOKAHEAD):
        self.arrays, self.dilations, self.lookahead = arrays, tuple(dilations), lookahead

    def run(self, features):
        """Outputs [frames][H] of features [frames][F]; row k is about frame k - lookahead."""
        a = [np.asarray(array, dtype=np.float64) for array in self.arrays]
        x = features @ a[0].T + a[1]
        for block, dilation in enumerate(self.dilations):
            taps, bias, mix, mix_bias = a[2 + 4 * block:6 + 4 * block]
            padded = np.concatenate([np.zeros((2 * dilation, x.shape[1])), x])
            y = sum(padded[tap * dilation:tap * dilation + len(x)] @ taps[tap].T
                    for tap in range(3))
            x = x + np.maximum(y + bias, 0) @ mix.T + mix_bias
        return np.maximum(x, 0) @ a[-2].T + a[-1]

    def save(self, path):
        channels, features = self.arrays[0].shape
        head = ["posewire-nn 1", f"features {features}", f"channels {channels}",
                "dilations " + " ".join(map(str, self.dilations)), "kernel 3",
                f"lookahead {self.lookahead}", "outputs " + " ".join(OUTPUTS),
                f"softmax {len(CLASSES)}", "hop 160", "rate 16000", "", ""]
        with open(path, "wb") as file:
            file.write("\n".join(head).encode())
            for array in self.arrays:
                file.write(np.ascontiguousarray(array, dtype="<f2").tobytes())


def shapes(features, channels, dilations, outputs):
    c = channels
    return ([(c, features), (c,)] + [(3, c, c), (c,), (c, c), (c,)] * len(dilations) +
            [(outputs, c), (outputs,)])


def load(path):
    with open(path, "rb") as file:
        head, body = file.read().split(b"\n\n", 1)
    lines = head.decode().split("\n")
    if lines[0] != "posewire-nn 1":
        raise ValueError(f"{path} begins with {lines[0]!r}, not 'posewire-nn 1'")
    keys = {line.split()[0]: line.split()[1:] for line in lines[1:]}
    dilations = [int(d) for d in keys["dilations"]]
    numbers = np.frombuffer(body, dtype="<f2")
    arrays, at = [], 0
    for shape in shapes(int(keys["features"][0]), int(keys["channels"][0]), dilations,
                        len(keys["outputs"])):
        size = int(np.prod(shape))
        arrays.append(numbers[at:at + size].reshape(shape))
        at += size
    if at != len(numbers):
        raise ValueError(f"{path} holds {len(numbers)} numbers, not {at}")
    return Network(arrays, dilations, int(keys["lookahead"][0]))


def random_network(features, seed=1):
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(0, 0.5 / np.sqrt(shape[-1]) if len(shape) > 1 else 0.1, shape)
              for shape in shapes(features, CHANNELS, DILATIONS, len(OUTPUTS))]
    return Network(arrays)
