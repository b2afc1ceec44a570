"""What the tests of legal mutations share: good files, written a hundred other legal ways, are the
same clip."""

import concurrent.futures
import copy
import os
import pathlib
import random
import subprocess

from field import FieldTest, Take
from posewire_test import BIN

TIMES = 100


def clip_of(take):
    """Joints and shapes by name, whatever their order, to six digits."""
    def of(keys, names, parts):
        return [(round(key.get("timeCode", 0), 6),
                 {name: tuple(round(v.get(p, 0), 5) for p in parts) if parts else round(v, 5)
                  for name, v in zip(names, key.get("values", []))}) for key in keys]
    return (of(take.rotations, take.joints, ("real", "i", "j", "k")),
            of(take.translations, take.joints, "xyz"), of(take.weights, take.shapes, None))


class MutationTest(FieldTest):
    maxDiff = None

    def convert(self, path):
        out = path + ".jsonl"
        done = subprocess.run([os.path.join(BIN, "animclip"), "convert", path, out],
                              capture_output=True, text=True, timeout=60)
        return done, out

    def clip(self, out):
        return clip_of(Take(out))

    def remarks(self, done):
        """What was said of the file."""
        return done.stderr

    def assert_all_the_same(self, files, original, refused=()):
        """`files`: how each was made, and its path; `original` is the good one. `refused`: what is
        said of files that functions of these names made."""
        refused = dict(refused)
        done, out = self.convert(original)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.remarks(done), "", "the good file is read without a word")
        good = self.clip(out)
        self.assertGreater(sum(map(len, good)), 6)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            converted = pool.map(lambda f: self.convert(f[1]), files)
            for (how, path), (done, out) in zip(files, converted):
                text = pathlib.Path(path).read_bytes()[:3000]
                says = [refused[name] for name in refused if f"'{name}'" in how]
                if says:
                    self.assertEqual(done.returncode, 1, f"{how}: {text}")
                    self.assertRegex(done.stderr, "|".join(says), how)
                    self.assertEqual(1, done.stderr.count("\n"), how)
                    continue
                self.assertEqual(done.returncode, 0, f"{how}: {done.stderr}\n{text}")
                self.assertEqual(self.clip(out), good, f"{how}: {text}")
                self.assertEqual(self.remarks(done), "", how)

    def mutated(self, functions, good, write):
        """The paths of a good file and of a hundred others. Each function takes a copy of what
        `good` is and a random.Random, and returns another, or None if it changed the copy.
        `write` makes (ending, bytes) of one and a random.Random."""
        def apply(function, value, chance):
            changed = function(value, chance)
            return value if changed is None else changed

        def save(name, value, chance):
            ending, written = write(value, chance)
            path = self.scratch(f"{name}.{ending}")
            pathlib.Path(path).write_bytes(written)
            return path

        for function in functions:
            self.assertTrue(any(repr(apply(function, copy.deepcopy(good), random.Random(seed))) !=
                                repr(good) for seed in range(20)), f"{function} changes nothing")
        files = []
        for seed in range(TIMES):
            chance, value = random.Random(seed), copy.deepcopy(good)
            used = chance.sample(functions, min(chance.randint(1, 3), len(functions)))
            for function in used:
                value = apply(function, value, chance)
            files.append((f"{seed}: {[f.__name__ for f in used]}", save(seed, value, chance)))
        return save("good", good, random.Random(0)), files

    def texts(self, functions, text, ending):
        return self.mutated(functions, text, lambda value, _: (ending, value.encode()))
