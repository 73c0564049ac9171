"""The README is generated and run where it can be: `python3 -m tests.test_readme --write` renews its tables.

Blocks between `<!-- name -->` and `<!-- end -->` come from the code; `console` blocks are transcripts of the demo suite;
the JSON examples are graded.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import eval_harness as eh

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
README = os.path.join(ROOT, "README.md")
CONSOLE = re.compile(r"```console\n(.*?)```", re.S)
GENERATED = re.compile(r"<!-- ([a-z ]+) -->\n(.*?)<!-- end -->", re.S)


def text():
    with open(README, encoding="utf-8") as file:
        return file.read()


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| %s |\n" % " | ".join(cell.replace("|", "\\|") for cell in line) for line in lines)


def meanings(title, pairs):
    return table((title, "means"), [("`%s`" % word, words) for word, words in pairs.items()])


def in_a_line(title, pairs):
    return "%s: %s.\n" % (title, "; ".join("`%s` %s" % (word.replace("_", " "), words) for word, words in pairs.items()))


def formats():
    """The names of all formats, those that several rows share once, in the order of the alphabet."""
    return "%s.\n" % ", ".join(sorted({known.name for known in (*eh.SEQUENCES, *eh.FORMATS)}, key=str.lower))


def worked_example():
    """How one score of the demo's candidate came about, from its report."""
    with open(os.path.join(ROOT, "reports", "candidate.json"), encoding="utf-8") as file:
        rows = {row["case"]: row for row in json.load(file)["cases"]}
    row = next(row for row in rows.values() if row["status"] == "failed")
    return "The demo's candidate, `%s`: %s.\n" % (row["case"], eh.worked_score(row, eh.DEFAULT_CONFIG["weights"]))


def config_block():
    """All keys of the config with their defaults, short ones together on a line."""
    lines, line = [], " "
    for key, value in eh.DEFAULT_CONFIG.items():
        part = " %s: %s," % (json.dumps(key), json.dumps(value))
        if len(line + part) > 125:
            lines.append(line)
            line = " "
        line += part
    return "```json\n{\n%s\n}\n```\n" % "\n".join([*lines, line.removesuffix(",")])


def generated():
    """Every generated block by its name."""
    checks = table(("check", "dimension", "passes when", "keys"), [
        ("`%s`" % known.name, known.dimension, eh.summary_of(known.doc), eh.check_signature(known))
        for known in eh.CHECKS.values()])
    matchers = table(("operator", "matches"), [("`%s`" % known.name, eh.summary_of(known.doc))
                                               for known in eh.OPERATORS.values()])
    return {"checks": checks, "matchers": matchers, "example": worked_example(), "config": config_block(),
            "statuses": in_a_line("A case comes to the first of these that fits", eh.STATUS_MEANINGS),
            "changes": in_a_line("Changes", eh.CHANGE_MEANINGS), "formats": formats(),
            "exit codes": meanings("exit code", eh.EXIT_CODES)}


def transcripts(block):
    """(command, expected output) pairs of a console block."""
    parts = re.split(r"^\$ ", block, flags=re.M)[1:]
    return [tuple(part.split("\n", 1)) for part in parts]


def run_transcript(commands, folder):
    """The outputs of commands in one shell session in a folder."""
    found, code = [], 0
    for command in commands:
        if command == "echo $?":
            found.append("%d\n" % code)
            continue
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80"}
        done = subprocess.run([sys.executable, *command.split()[1:]], cwd=folder, capture_output=True, encoding="utf-8",
                              env=environment)
        found.append(done.stdout + done.stderr)
        code = done.returncode
    return found


def fresh_copy(folder):
    for name in ("eval_harness.py", "config.json", "fixtures", "runs", "reports"):
        source = os.path.join(ROOT, name)
        target = os.path.join(folder, name)
        shutil.copytree(source, target) if os.path.isdir(source) else shutil.copy(source, target)


def write():
    """Renew the generated blocks and the transcripts."""
    blocks = generated()
    new = GENERATED.sub(lambda found: "<!-- %s -->\n%s<!-- end -->" % (found[1], blocks[found[1]]), text())
    with tempfile.TemporaryDirectory() as folder:
        fresh_copy(folder)

        def transcript(found):
            commands = [command for command, _ in transcripts(found[1])]
            return "```console\n%s```" % "".join("$ %s\n%s" % pair for pair in zip(
                commands, run_transcript(commands, folder)))
        new = CONSOLE.sub(transcript, new)
    with open(README, "w", encoding="utf-8", newline="\n") as file:
        file.write(new)


class Readme(unittest.TestCase):
    maxDiff = None

    def test_generated_blocks_are_up_to_date(self):
        blocks = generated()
        found = dict(GENERATED.findall(text()))
        self.assertEqual(set(found), set(blocks))
        for name, block in blocks.items():
            self.assertEqual(found[name], block, "renew with: python3 -m tests.test_readme --write")

    def test_transcripts_are_what_the_commands_print(self):
        blocks = CONSOLE.findall(text())
        self.assertTrue(blocks)
        with tempfile.TemporaryDirectory() as folder:
            fresh_copy(folder)
            for block in blocks:
                pairs = transcripts(block)
                self.assertEqual(run_transcript([command for command, _ in pairs], folder), [output for _, output in pairs])

    def test_the_first_transcript_fails_and_says_so(self):
        first = CONSOLE.search(text())[1]
        self.assertIn("FAILED", first)
        self.assertTrue(first.endswith("$ echo $?\n1\n"))

    def test_every_indented_command_runs(self):
        commands = re.findall(r"^ {4}(python3 eval_harness\.py .*?)(?: +#.*)?$", text(), re.M)
        self.assertGreaterEqual(len(commands), 5)
        with tempfile.TemporaryDirectory() as folder:
            fresh_copy(folder)
            os.makedirs(os.path.join(folder, "path", "to"))
            shutil.copytree(os.path.join(folder, "runs", "baseline"), os.path.join(folder, "path", "to", "recordings"))
            shutil.copytree(os.path.join(folder, "fixtures"), os.path.join(folder, "path", "to", "fixtures"))
            environment = {**os.environ, "GITHUB_STEP_SUMMARY": os.path.join(folder, "summary.md")}
            for command in commands:
                done = subprocess.run([sys.executable, *command.split()[1:]], cwd=folder, capture_output=True, text=True,
                                      env=environment)
                self.assertIn(done.returncode, (0, 1), command + done.stderr)
                self.assertEqual(done.stderr, "")

    def test_the_example_case_passes_on_the_example_run(self):
        examples = dict((name, json.loads(body)) for name, body in
                        ((name, body) for name, body in re.findall(r"```json (fixture|run)\n(.*?)```", text(), re.S)))
        config = eh.make_config()
        run = eh.read_value(examples["run"], eh.Origin("README", "", None, None, b""))
        self.assertEqual((run.problem, run.warnings), ("", ()))
        result = eh.grade_case(eh.compile_case(examples["fixture"], config), [run], config)
        self.assertEqual((result.status, result.score), ("passed", 1.0))

    def test_the_mapping_reads_such_a_log(self):
        config = json.loads(re.search(r"```json mapping\n(.*?)```", text(), re.S)[1])
        log = {"request": {"test": "a"}, "answer": "Done.", "outcome": "OK", "events": [
            {"by": "user", "say": "Go"}, {"tool": "find", "input": {"n": 1}, "returned": 2, "failed": False}]}
        run, = eh.runs_of_value(log, eh.Origin("x", "x", None, None, b""), eh.make_config(config).mapping)
        self.assertEqual((run.problem, run.case, run.output, run.status), ("", "a", "Done.", "completed"))
        self.assertEqual([(call.name, call.arguments, call.result, call.error) for _, call in eh.calls_of(run)],
                         [("find", {"n": 1}, 2, False)])

    def test_the_check_to_add_works(self):
        lines = re.search(r"```diff\n(.*?)```", text(), re.S)[1].splitlines()
        scope = {name: getattr(eh, name) for name in ("check", "Outcome", "passed", "failed")}
        exec("\n".join(line.removeprefix("+") for line in lines), scope)
        try:
            known = eh.CHECKS["shouts"]
            for word, run, params in eh.docstring_cases(known.doc):
                outcome = known.function(eh.Run("x", **run), **params)
                self.assertEqual(outcome.word, {"Pass": "passed", "Fail": "failed"}[word])
        finally:
            del eh.CHECKS["shouts"]

    def test_it_is_short_and_names_one_test_command(self):
        self.assertLessEqual(text().count("\n"), 300)
        self.assertEqual(re.findall(r"^python3 -m unittest .*$", text(), re.M),
                         ["python3 -m unittest discover -s tests -t ."])


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    else:
        unittest.main()
