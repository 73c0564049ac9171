"""What the tests share: a workspace in a temporary folder, and the harness run in it, as a command or in this process."""

import contextlib
import copy
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from collections import namedtuple

import eval_harness as eh

long = unittest.skipUnless(os.environ.get("EVAL_HARNESS_LONG_TESTS"), "takes long; set EVAL_HARNESS_LONG_TESTS=1")
HARNESS = pathlib.Path(eh.__file__).resolve()
_CACHE = tempfile.TemporaryDirectory(prefix="eval-harness-tests-")

# What a finished command left: its exit code, and its two streams as text.
Finished = namedtuple("Finished", "code out err")


def as_text(value):
    """A text as it is, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def environment(**changes):
    """The environment of a command, without what would change its output; None takes a variable away."""
    made = {key: value for key, value in os.environ.items()
            if key not in ("NO_COLOR", "COLUMNS", "TERM", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONHASHSEED",
                           "PYTHONDONTWRITEBYTECODE")}
    # Compiled once for all commands of the tests, and outside the project.
    made.update({"PYTHONPYCACHEPREFIX": _CACHE.name, "PYTHONUTF8": "1"})
    made.update(changes)
    return {key: value for key, value in made.items() if value is not None}


def hostile(test, good):
    """Every part of a recording in turn replaced by values of other types: never an exception."""
    def places(value, at=()):
        yield at
        if isinstance(value, (dict, list)):
            for key, item in value.items() if isinstance(value, dict) else enumerate(value):
                yield from places(item, at + (key,))

    for at in places(good):
        for other in (None, 3, -1.5, True, "x", "{", "[]", [], {}, [None], [[1]], {"a": {}}):
            value = copy.deepcopy(good)
            inner = value
            for key in at[:-1]:
                inner = inner[key]
            if at:
                inner[at[-1]] = other
            with test.subTest(at=at, other=other):
                for run in eh.runs_of_value(value, eh.Origin("here", "x", None, None, b"")):
                    test.assertIsInstance(run, eh.Run)
                    eh.native_form(run)
                    test.assertIn(run.status, eh.RUN_STATUSES)


class Workspace(unittest.TestCase):
    """A test in an empty temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    # -- Files --------------------------------------------------------------

    def write(self, path, content):
        """A file of the workspace: bytes and texts as they are, any other value as JSON."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else as_text(content).encode())
        return target

    def lines(self, path, values):
        """A JSON Lines file of the workspace."""
        return self.write(path, "".join(as_text(value) + "\n" for value in values))

    def case(self, case_id, *checks, **keys):
        """A fixture in a file of its own; the checks are output checks, by default one that the output `good` passes."""
        checks = list(checks) or ([] if "trace" in keys or "contract" in keys else [says("good")])
        value = {"id": case_id, **({"output": checks} if checks else {}), **keys}
        self.write("fixtures/%s.json" % case_id, value)

    def run_of(self, case_id, output="good", label="candidate", **keys):
        """A recorded run in a file of its own; `output=...` (an Ellipsis) leaves the output out."""
        repeat = ".%d" % keys["repeat"] if "repeat" in keys else ""
        value = {"case": case_id, **({} if output is ... else {"output": output}), **keys}
        self.write("runs/%s/%s%s.json" % (label, case_id, repeat), value)

    def files(self, path="."):
        """All files and folders below a folder of the workspace, by their names relative to it."""
        root = self.folder / path
        return sorted(str(each.relative_to(root)) for each in root.rglob("*"))

    def read(self, path):
        """The text of a file of the workspace."""
        return (self.folder / path).read_bytes().decode()

    def report(self, name="candidate"):
        """A JSON report below `reports`, read strictly."""
        return strictly(self.read("reports/%s.json" % name))

    # -- The harness --------------------------------------------------------

    def command(self, *argv, cwd=None, stdin=None, script=None, **env):
        """The harness as a command of its own, with a script of the workspace in its place if one is named."""
        program = ["-m", "eval_harness"] if script is None else [str(self.folder / script)]
        env.setdefault("PYTHONPATH", str(HARNESS.parent))
        done = subprocess.run([sys.executable, *program, *map(str, argv)], cwd=cwd or self.folder, stdin=stdin or
                              subprocess.DEVNULL, capture_output=True, timeout=60, env=environment(**env))
        return Finished(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    def main(self, *argv):
        """The same in this process, which is much faster: for what does not depend on the process."""
        out, err, before = io.StringIO(), io.StringIO(), os.getcwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = eh.main([str(each) for each in argv])
        finally:
            os.chdir(before)
        return Finished(code, out.getvalue(), err.getvalue())


def says(value, **keys):
    """An output check: the output contains a text."""
    return {"check": "contains", "value": value, **keys}


def call(name, **keys):
    """A recorded tool call that was answered."""
    return {"kind": "tool_call", "name": name, "arguments": {}, "result": "ok", **keys}


def strictly(text):
    """JSON text as data; NaN, Infinity and repeated keys are errors, and keys must be in order."""
    def members(pairs):
        keys = [key for key, _ in pairs]
        if keys != sorted(set(keys)):
            raise AssertionError("keys are repeated or not sorted: %s" % keys)
        return dict(pairs)

    def refuse(word):
        raise AssertionError("%s stands in the JSON" % word)
    return json.loads(text, object_pairs_hook=members, parse_constant=refuse)
