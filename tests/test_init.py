"""`init` writes a suite that passes at once, and never touches what is there; the project's own workflows name what there is."""

import os
import re
import subprocess
import sys
import unittest

import eval_harness as eh
from tests.support import Workspace

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Init(Workspace):
    def run_in(self, folder, *argv):
        """What the copy of the tool in a folder prints, as a process of its own."""
        return subprocess.run([sys.executable, "eval_harness.py", *argv], cwd=self.folder / folder, capture_output=True, text=True)

    def test_it_passes_at_once(self):
        done = self.main("init", "new/suite")
        self.assertEqual((done.code, done.err), (0, ""))
        for argv, told in ((("run",), "PASSED"), (("validate",), "no problem found"), (("bless", "candidate"), "is now baseline"),
                           (("compare",), "2 unchanged")):
            with self.subTest(argv):
                found = self.run_in("new/suite", *argv)
                self.assertEqual((found.returncode, found.stderr), (0, ""))
                self.assertIn(told, found.stdout)

    def test_the_suite_can_fail(self):
        self.main("init", "s")
        for name, old, new in (("order-status", "2 June", "3 June"), ("refund-with-consent", '"accept"', '"decline"')):
            with self.subTest(name):
                path = self.folder / "s/runs/candidate" / (name + ".json")
                text = path.read_text()
                path.write_text(text.replace(old, new))
                self.assertEqual(self.run_in("s", "run").returncode, 1)
                path.write_text(text)

    def test_what_it_says_to_do_next_works(self):
        done = self.main("init", "s")
        commands = re.findall(r"python3 eval_harness\.py ([^#\n]*)", done.out)
        self.assertEqual(len(commands), 3)
        for command in commands:
            self.assertEqual(self.run_in("s", *command.split()).returncode, 0, command)

    def test_nothing_that_is_there_is_touched(self):
        self.write("s/fixtures/order-status.json", {"mine": 1})
        done = self.main("init", "s")
        self.assertEqual(done.code, 2)
        self.assertIn("order-status.json: is there already", done.err)
        self.assertEqual(self.files("s"), ["fixtures", "fixtures/order-status.json"])

    def test_a_file_where_a_folder_is_meant(self):
        self.write("s", "text")
        done = self.main("init", "s")
        self.assertEqual(done.code, 2)
        self.assertNotIn("Traceback", done.err)

    def test_the_tool_itself_is_not_written_over(self):
        self.write("s/eval_harness.py", "# mine")
        self.assertEqual(self.main("init", "s").code, 0)
        self.assertEqual(self.read("s/eval_harness.py"), "# mine")


class Workflows(unittest.TestCase):
    """The commands of the workflows exist; nothing recorded or named by others reaches a shell as code."""

    def texts(self):
        folder = os.path.join(ROOT, ".github", "workflows")
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                yield name, file.read()
        yield "init", eh.starting_files()[".github/workflows/eval.yml"]

    def test_options_exist(self):
        parser = eh.build_parser()
        found = 0
        for name, text in self.texts():
            for command in re.findall(r"python3 eval_harness\.py ((?:.|\n {10}(?=\S))*)", text):
                with self.subTest(name, command=command):
                    parser.parse_args(command.replace("\n", " ").partition("||")[0].split())
                    found += 1
        self.assertEqual(found, 4)

    def test_no_expression_stands_in_a_script(self):
        for name, text in self.texts():
            for script in re.findall(r"run: (?:[|>]\n((?: {10}.*\n)+)|(.*))", text):
                with self.subTest(name):
                    self.assertNotIn("${{", "".join(script))

    def test_permissions_are_given_and_small(self):
        for name, text in self.texts():
            self.assertIn("permissions:\n  contents: read\n", text, name)


if __name__ == "__main__":
    unittest.main()
