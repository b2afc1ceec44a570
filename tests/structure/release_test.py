"""scripts/release.sh, where it refuses before it builds; package_test runs all of it."""
import unittest

from stand_ins import StandIns


class ReleaseTest(StandIns):
    def refused(self, *arguments):
        done = self.script("scripts/release.sh", *arguments)
        self.assertEqual((done.returncode, self.called()), (1, []), done.stderr)
        return done.stderr

    def test_help_has_examples(self):
        done = self.script("scripts/release.sh", "--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\nExamples:\n  scripts/release.sh\n", done.stdout)

    def test_an_unknown_option_is_refused(self):
        self.assertIn("unknown option --bild", self.refused("--bild"))

    def test_a_folder_with_other_files_is_left_as_it_is(self):
        out = self.dir / "release"
        out.mkdir()
        (out / "SHA256SUMS").write_text(f"{'0' * 64}  a.deb\n")
        for name in ("a.deb", "thesis.pdf"):
            (out / name).touch()
        self.assertIn("holds other files than a release", self.refused("--draft", str(out)))
        self.assertEqual(len(list(out.iterdir())), 3)
        # The next check is reached only by a folder that may be replaced.
        (out / "thesis.pdf").unlink()
        self.assertIn("is no build folder", self.refused("--draft", "--build", str(self.dir), str(out)))

    def test_a_folder_that_is_no_build_is_refused(self):
        self.assertIn("is no build folder", self.refused(
            "--draft", "--build", str(self.dir), str(self.dir / "release")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
