"""The command line: exit codes, paths, selectors, streams, terminals, and what happens to reports."""

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import unicodedata
import unittest

import eval_harness as eh
from tests.support import HARNESS, Finished, Workspace, call, environment, says, strictly

try:
    import fcntl
    import pty
    import struct
    import termios
except ImportError:  # Windows
    pty = None

# A user's script that is interrupted while it grades the case that says so.
INTERRUPTED = '''import os, signal, sys
import eval_harness as eh

@eh.check("stop", dimension="output")
def stop(run) -> eh.Outcome:
    """The user presses Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)
    return eh.passed("too late")

sys.exit(eh.main())
'''


def width(text):
    """The columns that a text takes on a terminal."""
    return sum(0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


class CommandLine(Workspace):
    """What the tests below share."""

    def suite(self, **outputs):
        """A case and a candidate's recording for each name."""
        for name, output in outputs.items():
            self.case(name)
            self.run_of(name, output)

    def refused(self, *argv, said=()):
        """The command ends with exit 2, says why on stderr and nothing on stdout, and writes no report."""
        before = self.files()
        done = self.main(*argv)
        self.assertEqual((done.code, done.out), (2, ""), argv)
        self.assertTrue(done.err.startswith("error: "), done.err)
        self.assertNotIn("Traceback", done.err)
        for each in [said] if isinstance(said, str) else said:
            self.assertIn(each, done.err)
        self.assertEqual([name for name in self.files() if name not in before + ["reports"]], [])
        return done


class ExitCodes(CommandLine):
    """0 passed, 1 failed, 2 cannot grade, 3 a bug, 130 interrupted."""

    def test_as_a_command(self):
        self.suite(a="good")
        done = self.command("run")
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertIn("PASSED", done.out)
        self.run_of("a", "bad")
        done = self.command("run")
        self.assertEqual((done.code, done.err), (1, ""))
        self.assertIn("FAILED", done.out)
        done = self.command("run", "nowhere")
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertIn("nowhere", done.err)

    def test_of_compare_as_a_command(self):
        self.suite(a="good")
        self.run_of("a", label="baseline")
        self.assertEqual(self.command("compare").code, 0)
        self.run_of("a", "bad")
        self.assertEqual(self.command("compare").code, 1)
        self.assertEqual(self.command("compare", "base.jsn", "candidate").code, 2)

    def test_interrupted(self):
        self.write("own.py", INTERRUPTED)
        self.case("a", {"check": "stop"})
        self.run_of("a")
        done = self.command("run", script="own.py")
        self.assertEqual((done.code, done.out), (130, ""))
        self.assertNotIn("Traceback", done.err)

    def test_a_bug(self):
        self.write("own.py", "import sys\nimport eval_harness as eh\n\ndef broken(*given):\n    raise KeyError('oh no')\n\n"
                             "eh.decide_run = broken\nsys.exit(eh.main())\n")
        self.suite(a="good")
        done = self.command("run", script="own.py")
        self.assertEqual((done.code, done.out), (3, ""))
        self.assertIn("oh no", done.err)
        self.assertNotIn("reports/candidate.json", self.files())

    def test_usage(self):
        self.suite(a="good")
        for argv in (("rnu",), ("run", "--jsn", "x"), ("run", "--json"), ("run", "--fail-on", "nevr"), ("run", "a", "b"),
                     ("compare", "a", "b", "c"), ("compare", "--baseline"), ("run", "--fix", "x"), ("show",), ("run", "--tag"),
                     ("checks", "a", "b"), ("--quiet",), ("run", "--only-failing")):
            with self.subTest(argv):
                self.refused(*argv)

    def test_a_misspelt_verb_gets_a_suggestion(self):
        self.refused("comapre", said='did you mean "compare"')

    def test_help_and_version(self):
        done = self.command("run", "--help")
        self.assertEqual(done.code, 0)
        for option in ("--config", "--fixtures", "--runs", "--reports", "--json", "--markdown", "--case", "--tag",
                       "--only-failing", "--fail-on", "--quiet", "--no-color"):
            self.assertIn(option, done.out)
        done = self.command("--version")
        self.assertEqual((done.code, done.out.split()[-1]), (0, eh.VERSION))

    def test_the_codes_stand_in_the_help(self):
        out = self.command("--help").out
        for code in ("0 ", "1 ", "2 ", "3 ", "130 "):
            self.assertIn(" %s" % code, out)
        for verb in ("run", "compare", "validate", "show", "checks"):
            self.assertIn(verb, out)

    def test_all_places_read_the_same_decision(self):
        for outputs, word in (({"a": "good"}, "PASSED"), ({"a": "bad"}, "FAILED")):
            self.suite(**outputs)
            done = self.main("run")
            gate = self.report()["gate"]
            self.assertEqual(done.code, gate["exit_code"])
            self.assertTrue(done.out.startswith(word))
            self.assertIn("exit %d" % done.code, done.out)
            self.assertIn("**%s** (exit %d)" % (word, done.code), self.read("reports/candidate.md"))


class WrongPaths(CommandLine):
    """What is not there is an error that says so, never an empty suite."""

    def test_fixtures(self):
        self.suite(a="good")
        self.refused("run", "--fixtures", "fixtrues", said="fixtrues")
        self.refused("run", "--fixtures", "fixtures/b.json", said="fixtures/b.json")
        self.refused("compare", "candidate", "candidate", "--fixtures", "fixtrues", said="fixtrues")

    def test_a_misspelt_path_gets_a_suggestion(self):
        self.suite(a="good")
        self.refused("run", "--fixtures", "fixturs", said='did you mean "fixtures"')
        self.refused("run", "candidat", said='did you mean "candidate"')

    def test_runs_and_labels(self):
        self.suite(a="good")
        self.refused("run", "nightly", said="nightly")
        self.refused("run", "--runs", "rnus", said="candidate")
        self.refused("compare", "baseline", "candidate", said="baseline")
        self.refused("compare", "candidate", "nightly", said="nightly")
        self.refused("compare", said="baseline")
        self.refused("run", "runs/candidate/b.json", said="b.json")

    def test_this_folder_is_a_path_and_no_label(self):
        self.suite(a="good")
        self.write("elsewhere/a.json", {"case": "a", "output": "good"})
        done = self.command("run", ".", "--fixtures", "../fixtures", cwd=self.folder / "elsewhere")
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertEqual(self.files("elsewhere/reports"), ["elsewhere.json", "elsewhere.md", "elsewhere.svg"])

    def test_an_empty_name_is_a_variable_that_is_not_set(self):
        self.suite(a="good")
        self.run_of("a", label="baseline")
        for argv in (("run", ""), ("compare", "", ""), ("compare", "baseline", ""), ("compare", "", "candidate")):
            self.refused(*argv, said="is empty")

    def test_a_label_that_is_not_there_is_not_suggested(self):
        self.suite(a="good")
        self.assertNotIn("did you mean \"baseline\"", self.main("run", "baseline").err)

    def test_a_comparison_with_itself_is_asked_for_by_naming_both(self):
        self.suite(a="good")
        self.refused("compare", "candidate", said="compared with itself")
        self.write("config.json", {"labels": {"baseline": "candidate"}})
        self.refused("compare", said="compared with itself")
        self.assertEqual(self.main("compare", "candidate", "candidate").code, 0)

    def test_a_missing_baseline_is_not_excused_by_a_failing_candidate(self):
        self.suite(a="bad")
        self.refused("compare")

    def test_nothing_here(self):
        self.refused("run")
        self.refused("compare")

    def test_empty_folders(self):
        self.suite(a="good")
        (self.folder / "empty").mkdir()
        self.refused("run", "--fixtures", "empty", said="empty")
        done = self.main("run", "empty")
        self.assertEqual(done.code, 2)
        self.assertIn("1 missing", done.out)

    def test_a_folder_with_notes_only_is_empty(self):
        self.write("notes/README.md", "# Notes")
        self.write("notes/.hidden.json", "{}")
        self.suite(a="good")
        self.refused("run", "--fixtures", "notes", said="notes")

    def test_an_unknown_report_to_select_from(self):
        self.suite(a="good")
        self.refused("run", "--only-failing", "reports/candidte.json", said="candidte.json")
        for content in ("{}", "[]", "3", "{", '{"cases": 3}', '{"cases": [{"case": "a"}]}'):
            self.write("other.json", content)
            self.refused("run", "--only-failing", "other.json", said="other.json")

    def test_what_is_no_report_at_all(self):
        self.suite(a="good")
        self.write("other.json", {"cases": [3]})
        self.refused("run", "--only-failing", "other.json", said="other.json")

    def test_reports_that_cannot_be_written(self):
        self.suite(a="good")
        self.write("file", "x")
        (self.folder / "folder").mkdir()
        for option, target in (("--reports", "file"), ("--json", "file/r.json"), ("--markdown", "file/r.md"),
                               ("--json", "folder"), ("--markdown", "folder")):
            with self.subTest(option, target=target):
                done = self.main("run", option, target)
                self.assertIn(done.code, (2, 3))
                self.assertIn(target, done.err)
                self.assertEqual(self.read("file"), "x")
                self.assertEqual(self.files("folder"), [])

    def test_a_recording_may_be_named_by_its_path(self):
        self.case("a")
        self.write("elsewhere/night.jsonl", '{"case": "a", "output": "good"}\n')
        self.write("elsewhere/all/a.json", {"output": "good"})
        self.assertEqual(self.main("run", "elsewhere/night.jsonl").code, 0)
        self.assertEqual(self.main("run", "elsewhere/all").code, 0)
        self.assertEqual(self.files("reports"), ["all.json", "all.md", "all.svg", "night.json", "night.md", "night.svg"])
        self.assertEqual(self.main("compare", "elsewhere/night.jsonl", "elsewhere/all").code, 0)
        self.assertIn("night-vs-all.json", self.files("reports"))

    def test_links_among_recordings_lead_nowhere_else(self):
        self.suite(a="good")
        link = self.folder / "runs" / "candidate" / "b.json"
        for target in ("nowhere", str(self.write("secret.json", {"case": "a", "output": "good"}))):
            link.symlink_to(target)
            done = self.main("run")
            self.assertNotEqual(done.code, 0)
            self.assertIn("b.json", done.err + done.out)
            link.unlink()


class Selectors(CommandLine):
    """--case, --tag and --only-failing; what selects nothing ends with exit 2."""

    def setUp(self):
        super().setUp()
        for name, tags, output in (("alpha-1", ["smoke", "slow"], "good"), ("alpha-2", ["slow"], "bad"),
                                   ("beta", ["smoke"], "good"), ("br[1]", [], "bad"), ("br1", [], "good")):
            self.case(name, tags=tags)
            self.run_of(name, output)

    def selected(self, *argv):
        done = self.main("run", *argv)
        self.assertIn(done.code, (0, 1), done.err)
        return [row["case"] for row in self.report()["cases"]]

    def test_tags(self):
        self.assertEqual(self.selected("--tag", "smoke"), ["alpha-1", "beta"])
        self.assertEqual(self.selected("--tag", "smoke", "--tag", "slow"), ["alpha-1", "alpha-2", "beta"])

    def test_an_unknown_tag_lists_the_known_ones(self):
        for argv in (("run", "--tag", "smokee"), ("compare", "candidate", "candidate", "--tag", "Smoke")):
            self.refused(*argv, said=("slow", "smoke", "nothing is selected by --tag"))

    def test_tags_are_no_globs(self):
        self.refused("run", "--tag", "smok*")

    def test_globs(self):
        self.assertEqual(self.selected("--case", "alpha-*"), ["alpha-1", "alpha-2"])
        self.assertEqual(self.selected("--case", "alpha-?", "--case", "beta"), ["alpha-1", "alpha-2", "beta"])
        self.assertEqual(self.selected("--case", "*"), ["alpha-1", "alpha-2", "beta", "br1", "br[1]"])

    def test_exact_ids(self):
        self.assertEqual(self.selected("--case", "beta"), ["beta"])
        self.assertEqual(self.selected("--case", "alpha-1"), ["alpha-1"])

    def test_an_exact_id_with_brackets(self):
        self.assertIn("br[1]", self.selected("--case", "br[1]"))

    def test_globs_are_of_the_whole_id_and_of_its_case(self):
        self.refused("run", "--case", "alpha")
        self.refused("run", "--case", "BETA", said="BETA")

    def test_both(self):
        self.assertEqual(self.selected("--case", "alpha-*", "--tag", "smoke"), ["alpha-1"])
        self.refused("run", "--case", "beta", "--tag", "slow")

    def test_only_failing(self):
        self.main("run")
        self.assertEqual(self.selected("--only-failing", "reports/candidate.json"), ["alpha-2", "br[1]"])
        self.assertEqual(self.selected("--only-failing", "reports/candidate.json", "--case", "a*"), ["alpha-2"])

    def test_only_failing_of_a_comparison(self):
        self.main("compare", "candidate", "candidate", "--json", "both.json")
        self.assertEqual(self.selected("--only-failing", "both.json"), ["alpha-2", "br[1]"])

    def test_only_failing_where_nothing_failed(self):
        self.main("run", "--case", "beta", "--json", "beta.json", "--markdown", "beta.md")
        self.refused("run", "--only-failing", "beta.json")

    def test_only_failing_of_a_report_that_was_changed(self):
        self.main("run")
        self.write("reports/candidate.json", self.read("reports/candidate.json").replace('"status":"failed"', '"status":"passed"'))
        self.refused("run", "--only-failing", "reports/candidate.json", said="changed after it was written")

    def test_only_failing_where_a_failing_case_has_gone(self):
        self.main("run")
        (self.folder / "fixtures/alpha-2.json").unlink()
        self.refused("run", "--only-failing", "reports/candidate.json", said="no fixture has the case alpha-2")

    def test_a_misspelt_case_gets_a_suggestion(self):
        self.refused("run", "--case", "btea", said='did you mean "beta"')
        self.refused("run", "--case", "beta", "--tag", "slow", said="no case is selected by --case beta, --tag slow")

    def test_every_form_says_that_it_is_of_a_part_only(self):
        told = "1 of 1 case passed; only what is selected by --case beta, --tag smoke"
        done = self.main("run", "--case", "beta", "--tag", "smoke", "--html", "page.html")
        for text in (done.out, self.read("reports/candidate.md").replace("\\", ""), self.read("page.html")):
            self.assertIn(told, " ".join(text.split()))
        self.main("run", "--only-failing", "reports/candidate.json", "--case", "beta")
        self.main("run")
        self.assertNotIn("selected", self.read("reports/candidate.md"))
        self.assertIn("only what is selected by --only-failing", " ".join(self.main(
            "compare", "candidate", "candidate", "--only-failing", "reports/candidate.json").out.split()))

    def test_what_is_not_selected_is_not_unmatched(self):
        self.run_of("stranger")
        self.selected("--case", "beta")
        self.assertEqual(self.report()["unmatched_runs"], ["runs/candidate/stranger.json"])

    def test_what_is_not_selected_does_not_count(self):
        self.assertEqual(self.main("run", "--case", "beta").code, 0)
        self.assertEqual(self.report()["summary"]["runs"], 1)


class Targets(CommandLine):
    """Where reports go."""

    def setUp(self):
        super().setUp()
        self.suite(a="good", b="bad")

    def test_default_files(self):
        self.main("run")
        self.assertEqual(self.files("reports"), ["candidate.json", "candidate.md", "candidate.svg"])
        self.main("compare", "candidate", "candidate")
        self.assertEqual(self.files("reports"), [name + end for name in ("candidate-vs-candidate", "candidate")
                                                 for end in (".json", ".md", ".svg")])

    def test_other_files(self):
        self.main("run", "--json", "deep/er/x.json", "--markdown", "y.md")
        self.assertNotIn("reports", self.files())
        self.assertEqual(strictly(self.read("deep/er/x.json"))["kind"], "run")
        self.assertTrue(self.read("y.md").startswith("> [!CAUTION]"))
        self.main("run", "--reports", "out")
        self.assertEqual(self.files("out"), ["candidate.json", "candidate.md", "candidate.svg"])

    def test_json_to_stdout(self):
        self.main("run")
        done = self.main("run", "--json", "-")
        self.assertEqual((done.code, done.out), (1, self.read("reports/candidate.json")))
        self.assertIn("FAILED", done.err)
        self.assertEqual(self.files("reports"), ["candidate.json", "candidate.md", "candidate.svg"])

    def test_markdown_to_stdout(self):
        self.main("run")
        done = self.main("run", "--markdown", "-")
        without_picture = re.sub(r"!\[.*\n\n", "", self.read("reports/candidate.md"), count=1)
        self.assertEqual((done.code, done.out), (1, without_picture))

    def test_quiet_and_stdout(self):
        done = self.main("run", "--json", "-", "--quiet")
        self.assertEqual(strictly(done.out)["gate"]["exit_code"], 1)

    def test_both_to_stdout(self):
        done = self.main("run", "--json", "-", "--markdown", "-")
        self.assertEqual(done.code, 1)
        data, end = json.JSONDecoder().raw_decode(done.out)
        self.assertEqual(data["kind"], "run")
        self.assertTrue(done.out[end:].lstrip().startswith("> [!CAUTION]"))

    def test_one_file_for_both_is_refused(self):
        for one, other in (("r.out", "r.out"), ("r.out", "./r.out")):
            done = self.main("run", "--json", one, "--markdown", other)
            self.assertEqual(done.code, 2)
            self.assertNotIn("r.out", self.files())

    def test_a_report_of_thousands_of_cases(self):
        self.thousands(2500)

    def test_a_report_of_thousands_of_cases_in_the_default_file(self):
        self.thousands(4000, "reports/candidate.json")

    def test_a_report_of_some_cases_in_any_order(self):
        self.thousands(60, "reports/candidate.json", "c%d")

    def thousands(self, count, place=None, name="c%06d"):
        self.lines("fixtures/z.jsonl", [{"id": name % number, "output": [says("good")]} for number in range(count)])
        self.lines("runs/candidate/z.jsonl", [{"case": name % number, "output": "good"} for number in range(count)])
        done = self.main("run", *([] if place else ["--json", "-"]))
        self.assertEqual(done.code, 1)
        report = strictly(self.read(place) if place else done.out)
        self.assertEqual(len(report["cases"]), count + 2)
        self.assertEqual([row["case"] for row in report["cases"]], sorted(row["case"] for row in report["cases"]))
        return done

    def test_quiet_prints_the_verdict_only(self):
        done = self.main("run", "--quiet")
        self.assertEqual((done.code, done.out.count("\n"), done.err), (1, 1, ""))
        self.assertIn("FAILED", done.out)
        self.assertEqual(self.files("reports"), ["candidate.json", "candidate.md", "candidate.svg"])

    def test_never_failing(self):
        done = self.main("run", "--fail-on", "never")
        self.assertEqual(done.code, 0)
        self.assertIn("FAILED", done.out)
        self.assertEqual(self.report()["gate"], {"passed": False, "exit_code": 1, "reasons": self.report()["gate"]["reasons"]})


class Survival(CommandLine):
    """An existing report survives a failed run, and nothing else is left behind."""

    def setUp(self):
        super().setUp()
        self.suite(a="good")
        self.assertEqual(self.main("run").code, 0)
        self.before = {name: self.read(name) for name in ("reports/candidate.json", "reports/candidate.md")}
        self.run_of("a", "bad")
        self.kept = self.files()

    def survived(self):
        self.assertEqual({name: self.read(name) for name in self.before}, self.before)
        left = [name for name in self.files() if name not in self.kept]
        self.assertEqual(left, [])

    def test_an_invalid_fixture(self):
        self.write("fixtures/b.json", {"id": "b", "ouput": []})
        self.kept = self.files()
        self.assertEqual(self.main("run").code, 2)
        self.survived()

    def test_an_invalid_config(self):
        self.write("config.json", {"gate": {"min": 1}})
        self.kept = self.files()
        self.assertEqual(self.main("run").code, 2)
        self.survived()

    def test_a_selector_that_matches_nothing(self):
        self.assertEqual(self.main("run", "--case", "b").code, 2)
        self.survived()

    def test_doubled_recordings(self):
        for name in ("one", "two"):
            self.write("runs/candidate/%s.json" % name, {"case": "a", "repeat": 1, "output": "good"})
        self.kept = self.files()
        self.assertEqual(self.main("run").code, 2)
        self.survived()

    def test_another_report_that_cannot_be_written(self):
        self.write("file", "x")
        self.kept = self.files()
        self.assertIn(self.main("run", "--markdown", "file/r.md").code, (2, 3))
        self.survived()

    def test_an_interruption(self):
        self.write("own.py", INTERRUPTED)
        self.case("z", {"check": "stop"})
        self.run_of("z")
        self.kept = self.files()
        self.assertEqual(self.command("run", script="own.py").code, 130)
        self.survived()

    def test_a_termination(self):
        # What a CI server sends to a job that is cancelled.
        self.write("own.py", INTERRUPTED.replace("SIGINT", "SIGTERM"))
        self.case("z", {"check": "stop"})
        self.run_of("z")
        self.kept = self.files()
        self.assertEqual(self.command("run", script="own.py").code, 130)
        self.survived()

    @unittest.skipUnless(os.path.exists("/bin/sh"), "needs a shell")
    def test_files_that_may_not_grow(self):
        # As on a full disk: the first form that does not fit ends it, and no other has taken its place before.
        for blocks in (0, 1, 4):
            done = subprocess.run(["/bin/sh", "-c", 'ulimit -f "$0" && exec "$1" "$2" run', str(blocks), sys.executable, str(HARNESS)],
                                  cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                                  env=environment(PYTHONDONTWRITEBYTECODE="1"))
            with self.subTest(blocks, err=done.stderr):
                self.assertEqual(done.returncode, 2)
                self.assertIn(b"written: file too large", done.stderr)
                self.survived()

    def test_a_bug(self):
        self.write("own.py", "import sys\nimport eval_harness as eh\n\ndef broken(*given):\n    raise KeyError('oh no')\n\n"
                             "eh.run_markdown = broken\nsys.exit(eh.main())\n")
        self.kept = self.files()
        self.assertEqual(self.command("run", script="own.py").code, 3)
        self.survived()

    def test_a_run_that_works_replaces_both_and_leaves_nothing(self):
        self.assertEqual(self.main("run").code, 1)
        for name, text in self.before.items():
            self.assertNotEqual(self.read(name), text)
        self.assertEqual(self.files(), self.kept)


class SameBytes(CommandLine):
    """Grading the same files gives the same bytes, wherever, whenever and in whatever order."""

    def setUp(self):
        super().setUp()
        self.write("config.json", {"tools": {"pay": {"effect": "write"}}, "gate": {"min_pass_rate": 0.5}})
        for number, name in enumerate(("b", "a", "d", "c")):
            self.case(name, says("good"), {"check": "equals", "value": {"y": 1, "x": [2]}}, tags=["t%d" % (number % 2), "all"],
                      trace=[{"check": "calls", "expected": ["pay"]}])
            for label in ("baseline", "candidate"):
                for repeat in (1, 2):
                    self.run_of(name, {"x": "good", "q": number, "label": label}, label, repeat=repeat, steps=[call("pay")] * number)
        self.run_of("stranger")
        self.argv = ("compare",)
        self.main(*self.argv)
        self.bytes = self.both()

    def both(self, folder=None):
        folder = folder or self.folder / "reports"
        return {end: (folder / ("baseline-vs-candidate" + end)).read_bytes() for end in (".json", ".md")}

    def copy(self, names):
        """The workspace's files in a new folder, made in some order."""
        target = self.folder.parent / (self.folder.name + "-copy")
        self.addCleanup(shutil.rmtree, target, True)
        for name in names:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.folder / name, target / name)
        return target

    def test_twice(self):
        self.main(*self.argv)
        self.assertEqual(self.both(), self.bytes)

    def test_as_a_command_with_other_hash_seeds(self):
        for seed in ("1", "4711"):
            self.command(*self.argv, PYTHONHASHSEED=seed)
            self.assertEqual(self.both(), self.bytes, seed)

    def test_with_another_locale_and_stream(self):
        self.command(*self.argv, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="ascii", TZ="Asia/Tokyo")
        self.assertEqual(self.both(), self.bytes)

    def test_in_files_that_were_made_in_another_order(self):
        names = [name for name in self.files() if (self.folder / name).is_file() and not name.startswith("reports")]
        target = self.copy(reversed(names))
        self.command(*self.argv, cwd=target)
        self.assertEqual(self.both(target / "reports"), self.bytes)

    def test_from_another_folder(self):
        away = self.folder / "away"
        away.mkdir()
        self.command(*self.argv, "--config", self.folder / "config.json", cwd=away)
        self.assertEqual(self.both(), self.bytes)
        self.command(*self.argv, "--config", "../config.json", cwd=away)
        self.assertEqual(self.both(), self.bytes)

    def test_no_absolute_path_and_no_date_in_the_reports(self):
        self.command(*self.argv, "--config", self.folder / "config.json", "--fixtures", self.folder / "fixtures", "--runs",
                     self.folder / "runs", "--reports", self.folder / "reports", cwd=self.folder.parent)
        self.assertEqual(self.both()[".json"], self.bytes[".json"])
        self.assertNotIn(str(self.folder).encode(), self.both()[".json"])
        self.assertNotRegex(self.both()[".json"].decode(), r"\b20[0-9]{2}-[0-9]{2}-[0-9]{2}|\b[0-9]{2}:[0-9]{2}:[0-9]{2}\b")

    def test_a_label_given_by_an_absolute_path(self):
        self.command("run", self.folder / "runs" / "candidate")
        for name in ("reports/candidate.json",):
            self.assertNotIn(str(self.folder), self.read(name))

    def test_keys_and_cases_are_sorted_and_the_file_ends_with_a_newline(self):
        text = self.bytes[".json"].decode()
        report = strictly(text)
        self.assertEqual([row["case"] for row in report["cases"]], ["a", "b", "c", "d"])
        self.assertTrue(text.endswith("}\n") and text.isascii())

    # -- Other layouts of the same runs and fixtures --------------------------

    def graded(self):
        """The report of the candidate, less the names of files."""
        self.main("run", "--json", "-")
        report = json.loads(self.main("run", "--json", "-").out)
        for row in report["cases"]:
            for run in row["runs"]:
                del run["source"]
        report.pop("unmatched_runs")
        # The seal covers the names as well.
        self.assertRegex(report.pop("~sha256"), "[0-9a-f]{64}")
        return report

    def layout(self, write):
        """The report after the candidate's runs were written in another way."""
        before = self.graded()
        folder = self.folder / "runs" / "candidate"
        runs = [json.loads(path.read_text()) for path in sorted(folder.iterdir()) if "stranger" not in path.name]
        shutil.rmtree(folder)
        write(runs)
        return before, self.graded()

    def test_one_file_of_json_lines(self):
        before, after = self.layout(lambda runs: self.lines("runs/candidate/all.jsonl", runs))
        self.assertEqual(before, after)

    def test_one_file_of_json_lines_backwards(self):
        before, after = self.layout(lambda runs: self.lines("runs/candidate/all.jsonl", runs[::-1]))
        self.assertEqual(before, after)

    def test_many_runs_in_any_layout(self):
        def write(runs):
            self.write("runs/candidate/list.json", [run for run in runs if run["case"] < "c"])
            for run in runs:
                if run["case"] >= "c":
                    self.write("runs/candidate/%s.%d.json" % (run["case"], run["repeat"]), json.dumps(run, indent=4, sort_keys=True))
        before, after = self.layout(write)
        self.assertEqual(before, after)

    def fixtures_in(self, write):
        before = self.graded()
        folder = self.folder / "fixtures"
        cases = [json.loads(path.read_text()) for path in sorted(folder.iterdir())]
        shutil.rmtree(folder)
        write(cases)
        return before, self.graded()

    def test_fixtures_as_json_lines(self):
        self.assertEqual(*self.fixtures_in(lambda cases: self.lines("fixtures/all.jsonl", cases[::-1])))

    def test_fixtures_indented(self):
        before, after = self.fixtures_in(lambda cases: [
            self.write("fixtures/%s.json" % case["id"], json.dumps(case, indent=2)) for case in cases])
        self.assertEqual(before, after)

    def test_line_ends_of_another_system(self):
        before, after = self.fixtures_in(lambda cases: [
            self.write("fixtures/%s.json" % case["id"], json.dumps(case, indent=2).replace("\n", "\r\n")) for case in cases])
        self.assertEqual(before, after)

    def test_digests_change_with_what_they_cover(self):
        before = self.graded()["provenance"]
        self.run_of("a", "other", repeat=1)
        runs = self.graded()["provenance"]
        self.case("a", says("other"))
        fixtures = self.graded()["provenance"]
        self.write("config.json", {"threshold": 0.9})
        config = self.graded()["provenance"]
        changed = [{key for key in one if one[key] != other[key]} for one, other in
                   ((before, runs), (runs, fixtures), (fixtures, config))]
        self.assertEqual(changed, [{"runs_sha256"}, {"fixtures_sha256"}, {"config_sha256"}])

    def test_the_digest_of_the_runs_covers_whose_they_are(self):
        shutil.rmtree(self.folder / "runs" / "candidate")
        self.write("runs/candidate/a.json", {"output": "good"})
        self.write("runs/candidate/b.json", {"output": "bad"})
        before = self.graded()["provenance"]["runs_sha256"]
        self.write("runs/candidate/a.json", {"output": "bad"})
        self.write("runs/candidate/b.json", {"output": "good"})
        self.assertNotEqual(self.graded()["provenance"]["runs_sha256"], before)


class Streams(CommandLine):
    """Terminals, pipes and streams of any encoding."""

    def setUp(self):
        super().setUp()
        self.suite(a="good \u2713 \u6f22\u5b57", b="b\u00e4d \u2192 \U0001f600")
        self.case("b", {"check": "equals", "value": "g\u00f6\u00f6d \u2713"})
        self.run_of("a", label="baseline")
        self.run_of("b", "g\u00f6\u00f6d \u2713", "baseline")

    @unittest.skipUnless(pty, "needs pseudo terminals")
    def on_terminal(self, *argv, columns=80, **env):
        """The exit code and the text of the harness on a terminal."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        child = subprocess.Popen([sys.executable, str(HARNESS), *argv], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=theirs,
                                 stderr=theirs, env=environment(**{"TERM": "xterm", **env}))
        os.close(theirs)
        parts = []
        with contextlib.suppress(OSError):
            while part := os.read(ours, 65536):
                parts.append(part)
        os.close(ours)
        return Finished(child.wait(), b"".join(parts).decode().replace("\r\n", "\n"), "")

    def test_no_colour_where_there_is_no_terminal(self):
        self.assertNotIn("\x1b", self.command("compare", TERM="xterm").out)

    def test_colour_on_a_terminal(self):
        done = self.on_terminal("run")
        self.assertEqual(done.code, 1)
        self.assertIn("\x1b[31mFAILED\x1b[0m", done.out)
        self.assertIn("\x1b[32m", done.out)

    def test_colour_is_only_paint(self):
        plain = self.on_terminal("run", "--no-color")
        self.assertEqual(plain.code, 1)
        self.assertNotIn("\x1b", plain.out)
        self.assertEqual(re.sub("\x1b\\[[0-9;]*m", "", self.on_terminal("run").out), plain.out)

    def test_no_color_and_dumb_terminals(self):
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b", self.on_terminal("compare", **env).out, env)
        self.assertIn("\x1b", self.on_terminal("compare", NO_COLOR="").out)

    def test_the_width_of_the_terminal(self):
        for columns in (60, 80, 120):
            done = self.on_terminal("run", "--no-color", columns=columns)
            self.assertLessEqual(max(map(width, done.out.splitlines())), columns, done.out)

    def test_streams_that_know_little(self):
        for env in ({"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}):
            for argv in (("compare",), ("show", "runs/candidate/b.json")):
                with self.subTest(argv=argv, env=env):
                    done = self.command(*argv, **{"PYTHONUTF8": "0", **env})
                    self.assertEqual(done.code, 0 if argv[0] == "show" else 1)
                    self.assertEqual(done.err, "")
                    if env.get("PYTHONIOENCODING", "ascii") == "ascii":
                        self.assertTrue(done.out.isascii())
                    if argv == ("compare",):
                        self.assertIn("1.00 -> 0.00", done.out)

    def test_a_stream_that_knows_all(self):
        self.assertIn("1.00 \u2192 0.00", self.command("compare").out)

    def test_json_on_a_stream_that_knows_little(self):
        done = self.command("run", "--json", "-", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
        self.assertEqual(done.code, 1)
        self.assertEqual(strictly(done.out)["kind"], "run")

    def test_errors_on_a_stream_that_knows_little(self):
        self.write("fixtures/\u6f22.json", {"id": "\u6f22", "o\u00fctput": []})
        done = self.command("run", PYTHONUTF8="1", PYTHONIOENCODING="ascii")
        self.assertEqual(done.code, 2)
        self.assertNotIn("Traceback", done.err)
        self.assertTrue(done.err.isascii() and done.err.startswith("error: "))

    def into(self, stream, *argv):
        with stream:
            done = subprocess.run([sys.executable, str(HARNESS), *argv], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=stream,
                                  stderr=subprocess.PIPE, env=environment(), timeout=60)
        return done.returncode, done.stderr.decode()

    def test_a_broken_pipe(self):
        for argv in (("run",), ("run", "--json", "-"), ("compare",), ("validate",), ("checks",),
                     ("show", "runs/candidate/b.json")):
            with self.subTest(argv):
                reading, writing = os.pipe()
                os.close(reading)
                code, err = self.into(os.fdopen(writing, "wb"), *argv)
                self.assertNotIn("Traceback", err)
                self.assertNotIn("Exception ignored", err)
                self.assertIn(code, eh.EXIT_CODES)
                if argv[0] in ("run", "compare"):
                    self.assertNotEqual(code, 0)
        self.assertEqual(strictly(self.read("reports/candidate.json"))["gate"]["exit_code"], 1)

    def test_a_broken_pipe_does_not_mask_the_verdict(self):
        reading, writing = os.pipe()
        os.close(reading)
        self.assertEqual(self.into(os.fdopen(writing, "wb"), "run")[0], 1)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_below_stdout(self):
        code, err = self.into(open("/dev/full", "wb"), "run")
        self.assertIn(code, (1, 2, 3), err)

    @unittest.skipUnless(os.path.exists("/bin/sh"), "needs a shell")
    def test_closed_streams(self):
        for output, code in (("good", 0), ("bad", 1)):
            self.suite(a="good", b=output)
            done = subprocess.run(["/bin/sh", "-c", 'exec "$0" "$1" run >&- 2>&-', sys.executable, str(HARNESS)], cwd=self.folder,
                                  stdin=subprocess.DEVNULL, env=environment(), timeout=60)
            self.assertEqual(done.returncode, code)

    def test_progress_is_for_terminals(self):
        self.lines("fixtures/z.jsonl", [{"id": "z%05d" % number, "output": [says("good")]} for number in range(2500)])
        self.lines("runs/candidate/z.jsonl", [{"case": "z%05d" % number, "output": "good"} for number in range(2500)])
        self.assertEqual(self.command("run").err, "")


class EightyColumns(CommandLine):
    """No line of a verdict is wider than 80 columns."""

    def narrow(self, *argv, code=1):
        done = self.main(*argv)
        self.assertEqual(done.code, code, done.err)
        for line in done.out.splitlines():
            self.assertLessEqual(width(line), 80, line)
            self.assertEqual(line, line.rstrip())

    def test_long_texts(self):
        for output in ("word " * 200, "x" * 500, "\u6f22\u5b57" * 300, "\U0001f600 " * 300, "e\u0301" * 300, "a\tb\n" * 99, ""):
            self.case("a", {"check": "equals", "value": "good " * 50})
            self.run_of("a", output)
            self.run_of("a", "good " * 50, "baseline")
            self.narrow("run")
            self.narrow("compare")

    def test_many_cases_and_rules(self):
        for number in range(12):
            self.case("a-case-with-a-rather-long-name-%d" % number, says("bad", critical=True, name="a long name of a check"))
            self.run_of("a-case-with-a-rather-long-name-%d" % number)
        self.write("config.json", {"gate": {"min_score": 0.123456789, "min_dimension": {"output": 0.9, "trace": 0.9}}})
        self.narrow("run")

    def test_long_ids_on_their_lines(self):
        for name in ("id " * 25, "\u6f22" * 50):
            self.lines("fixtures/a.jsonl", [{"id": name.strip(), "output": [says("good")]}])
            self.lines("runs/candidate/a.jsonl", [{"case": name.strip(), "output": "good"}])
            self.narrow("run", code=0)

    def test_a_usual_listing_of_a_comparison(self):
        for name in ("one-of-the-cases", "another-of-the-cases", "a-third-case"):
            self.case(name)
            self.run_of(name, label="baseline")
            self.run_of(name, "bad")
        self.narrow("compare")

    def test_a_long_id_in_the_reasons(self):
        name = "long-" * 24
        self.lines("fixtures/a.jsonl", [{"id": name, "output": [says("bad", critical=True)]}])
        self.lines("runs/candidate/a.jsonl", [{"case": name, "output": "good"}])
        self.narrow("run")

    def test_long_names_of_reports(self):
        self.suite(a="good")
        self.narrow("run", "--reports", "a-folder/with-a-long-name/" * 3, code=0)

    def test_a_long_label(self):
        self.case("a")
        self.run_of("a", label="label-" * 15)
        done = self.main("run", "label-" * 15, "--json", "r.json", "--markdown", "r.md")
        for line in done.out.splitlines():
            self.assertLessEqual(width(line), 80)


def without_code(line):
    """A line of Markdown with its code spans and escaped characters replaced by an x: what is left is markup."""
    made, at = [], 0
    while at < len(line):
        if line[at] == "\\" and at + 1 < len(line):
            made.append("x")
            at += 2
        elif line[at] == "`":
            fence = re.match("`+", line[at:])[0]
            end = re.search("(?<!`)%s(?!`)" % fence, line[at + len(fence):])
            at += len(fence) + (end.end() if end else 0)
            made.append("x" if end else fence)
        else:
            made.append(line[at])
            at += 1
    return "".join(made)


def skeleton(text):
    """The structure of a Markdown text: how each line begins, and the cells of tables."""
    made = []
    for line in text.splitlines():
        begin = re.match(r" *(?:#+ |> ?|[-*+] |\d+[.)] |\||<|```|~~~|===|---|$)?", line)[0]
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        made.append((begin, cells))
    return made


HOSTILE = ("| a | b |", "`code` ``` ~~~ ````", "x\n## Heading\n- item\n", "<details><script>alert(1)</script>", "</details>",
           "\x1b[2J\x1b]0;title\x07\x9b31m", "\u202eevil\u2066\u200b", "::error file=a::boom", "\n::error::boom", "[link](http://e.vil)",
           "![image](https://e.vil/x.png)", "@someone #1 GH-1", "\x00\x01\x7f\x85\u2028", "**bold** _it_ ~~no~~", "\\| \\` \\\\", "a\r\nb",
           "<!-- hidden", "&lt;b&gt;&#124;", "https://e.vil/x www.e.vil", "$x$ $$y$$", "> quote", "1. one", "===", "\t\tcode", "%0A%0D",
           "{} {0} %s", "]]>", "\ufeff\u00ad")


class HostileText(CommandLine):
    """Recorded text is untrusted: it breaks no report and reaches no terminal as it is."""

    def harmless(self, text):
        """No control, bidirectional or zero-width character that the tool did not put there itself."""
        for char in text:
            if char != "\n" and (unicodedata.category(char) in ("Cc", "Cs") or char in "\u202e\u2066\u2028\u2029\u202d\u200f\ufeff"):
                self.fail("%r in %r" % (char, text[max(0, text.index(char) - 40):][:80]))

    def plain_markdown(self, text):
        """No markup but the tool's own is left outside code."""
        self.harmless(text)
        # Whatever stands in a block of code, its fence is longer than any run of backticks in it.
        text = re.sub(r"^(`{3,})diff\n(?:(?!\1).*\n)*?\1$", "", text, flags=re.M)
        for line in text.splitlines():
            if line.startswith("> [!") or line.startswith("<sub>") or line in ("</details>", ""):
                continue
            bare = without_code(line)
            bare = re.sub(r"(?i)(https?|www)\u200b", "", bare)
            bare = re.sub(r"^!\[(?:[^\[\]\\]|\\.)*\]\([\w.-]+\.svg\)$", "", bare)
            bare = re.sub(r"^<details><summary>(?:[a-z ]+\(\d+\)|How the scores and the verdict come about)</summary>$", "", bare)
            self.assertNotRegex(bare, r"<[a-zA-Z/!]", line)
            self.assertNotRegex(bare, r"\]\(|!\[|\]\[", line)
            self.assertNotRegex(bare, r"@\w", line)
            self.assertNotRegex(bare, r"\b(https?:/|www\.)", line)
            self.assertNotRegex(bare, r"~~|\$\$", line)
            self.assertNotIn("`", bare, line)

    def grade(self, text, *argv):
        """Both reports and the terminal's text after a run whose recording holds the text wherever it can."""
        self.case("a", {"check": "equals", "value": "good"}, {"check": "equals", "value": {"k": "good"}},
                  trace=[{"check": "calls", "expected": [{"name": "find", "arguments": {"q": "x"}}]},
                         {"check": "count", "call": "*", "max": 0}])
        steps = [call(text, arguments={"q": text, text: 1}, result=text, agent=text, id=text),
                 {"kind": "message", "role": "assistant", "text": text}]
        self.run_of("a", text, steps=steps, model=text, metadata={text: text})
        self.case("dead")
        self.run_of("dead", text, status="error", error=text)
        self.case("broken")
        self.write("runs/candidate/broken.json", {"case": "broken", "status": "no " + text, "output": text})
        self.write("runs/candidate/orphan.json", {"case": "orphan", "status": text, "output": text})
        self.case("odd")
        self.run_of("odd", {text: text}, **{text or "-": 1})
        done = self.main("run", *argv)
        self.assertEqual(done.code, 1, done.err)
        return done, self.read("reports/candidate.md")

    def test_in_a_run_report(self):
        _, text = self.grade("plain text of no harm")
        expected = skeleton(text)
        for hostile in HOSTILE:
            with self.subTest(hostile):
                done, text = self.grade(hostile)
                strictly(self.read("reports/candidate.json"))
                self.assertEqual(skeleton(text), expected)
                self.plain_markdown(text)
                self.harmless(done.out + done.err)
                self.assertNotRegex(done.out + done.err, r"(?m)^\s*::")

    def test_in_a_comparison(self):
        expected = None
        for hostile in ("plain text of no harm", *HOSTILE):
            with self.subTest(hostile):
                self.case("a")
                self.run_of("a", "good " + hostile, "baseline", steps=[call("x", arguments={"q": "y"})])
                self.run_of("a", hostile, steps=[call("x", arguments={"q": hostile}), call(hostile or "z")])
                done = self.main("compare")
                self.assertEqual(done.code, 1)
                text = self.read("reports/baseline-vs-candidate.md")
                expected = expected or skeleton(text)
                self.assertEqual(skeleton(text), expected)
                self.plain_markdown(text)
                self.harmless(done.out)

    def test_in_fixtures(self):
        for hostile in HOSTILE:
            with self.subTest(hostile):
                name = "id " + hostile
                self.lines("fixtures/a.jsonl", [{"id": name, "description": hostile, "tags": ["tag" + hostile], "output": [
                    says("bad" + hostile, name="name" + hostile, why=hostile, critical=True)]},
                    {"id": "z" + hostile, "output": [says("good")]}])
                self.lines("runs/candidate/a.jsonl", [{"case": name, "output": "x"}, {"case": "z" + hostile, "output": "good"}])
                done = self.main("run")
                self.assertEqual(done.code, 1, done.err)
                text = self.read("reports/candidate.md")
                self.plain_markdown(text)
                self.harmless(done.out)
                self.assertEqual({cells for begin, cells in skeleton(text) if begin == "|"}, {4})
                self.assertEqual(sum(line.startswith("### ") for line in text.splitlines()), 1)

    def test_in_an_id_no_line_is_forged(self):
        self.lines("fixtures/a.jsonl", [{"id": "ok\nPASSED  other", "output": [says("bad")]}])
        self.lines("runs/candidate/a.jsonl", [{"case": "ok\nPASSED  other", "output": "good"}])
        done = self.main("run")
        self.assertEqual(done.code, 1)
        for text in (done.out, self.read("reports/candidate.md")):
            self.assertFalse([line for line in text.splitlines() if line.startswith("PASSED")])
            self.assertIn("ok\\nPASSED", text)

    def test_in_names_of_files(self):
        for name in ("a\x1b[2J.json", "b\nc.json", "d|e.json", "\u202ef.json", "::error::g.json"):
            self.write("runs/candidate/" + name, {"output": "x"})
            self.write("runs/candidate/un" + name, "{")
        self.suite(a="good")
        done = self.main("run")
        self.harmless(done.out + done.err)
        self.assertNotRegex(done.out, r"(?m)^\s*::")
        self.plain_markdown(self.read("reports/candidate.md"))
        self.write("fixtures/x\x1b[2J\n::error::.json", "{")
        done = self.main("run")
        self.assertEqual((done.code, done.err.count("\n")), (2, 1))
        self.harmless(done.err)

    def test_no_wrapped_line_is_a_command_of_the_ci(self):
        self.suite(a="good")
        for length in range(1, 60):
            name = "runs/candidate/%s.json" % ("o" * length)
            self.write(name, {"case": "orphan", "status": "no ::error::y", "output": "x"})
            self.assertNotRegex(self.main("run").out, r"(?m)^\s*::", length)
            (self.folder / name).unlink()

    def test_no_line_of_show_is_a_command_of_the_ci(self):
        for length in range(20, 90):
            self.write("one.json", {"output": "x" * length + " ::error::y"})
            self.assertNotRegex(self.main("show", "one.json").out, r"(?m)^\s*::", length)

    def test_show(self):
        for hostile in HOSTILE:
            self.write("one.json", {"case": hostile, "output": hostile, "model": hostile, "error": None, "steps": [
                call(hostile, arguments={hostile: hostile}, result=hostile, agent=hostile),
                {"kind": "message", "role": hostile, "text": hostile}], "state": {hostile: hostile}, hostile: 1})
            for argv in (("show", "one.json"), ("show", "one.json", "--raw")):
                done = self.main(*argv)
                self.assertEqual(done.code, 0, done.err)
                self.harmless(done.out)

    def test_a_report_that_is_too_long_is_cut_at_a_section(self):
        self.lines("fixtures/a.jsonl", [{"id": "c%03d" % number, "description": "text " * 5000, "output": [says("bad")]}
                                        for number in range(90)])
        self.lines("runs/candidate/a.jsonl", [{"case": "c%03d" % number, "output": "x"} for number in range(90)])
        done = self.main("run", "--json", "-")
        self.assertEqual(done.code, 1)
        text = self.read("reports/candidate.md")
        self.assertLess(len(text.encode()), 1024 * 1024)
        self.assertTrue(text.startswith("> [!CAUTION]"))
        self.assertIn("left out", text.splitlines()[-1])
        self.assertEqual(len(json.loads(done.out)["cases"]), 90)
        whole = [section for section in text.split("\n### ")[1:]]
        self.assertTrue(all("Reproduce: " in section for section in whole))

    def test_secrets_are_redacted_before_they_are_cut(self):
        secret = "sk-" + "a1B2" * 60
        self.case("a", {"check": "equals", "value": "good"})
        self.run_of("a", "x" * 90 + " " + secret, error=None)
        self.case("b", {"check": "equals", "value": {"k": 1}})
        self.run_of("b", {"k": 2, "password": "hunter2hunter2"})
        done = self.main("run")
        for text in (done.out, self.read("reports/candidate.md"), self.read("reports/candidate.json")):
            self.assertNotIn("a1B2a1B2", text)
            self.assertNotIn("hunter2", text)


class Reproduce(CommandLine):
    """The command under a failing case reproduces it."""

    names = ("plain", "with space", "it's", 'say "hi"', "br[1]", "semi;colon", "$HOME", "\u00fcml\u00e4ut", "star*", "a&b", "<tag>", "#1", "~x")

    def commands(self, name="reports/candidate.md"):
        """{case id as its heading shows it: the words of its command} of a Markdown report."""
        found, case = {}, None
        for line in self.read(name).splitlines():
            if line.startswith("### "):
                case = line
            elif line.startswith("Reproduce: "):
                code = re.fullmatch(r"(`+) ?(.*?) ?\1", line.removeprefix("Reproduce: "))[2]
                found[case] = shlex.split(code)
        return found

    def reproduced(self, words, label="candidate"):
        """The rows of the report that a command writes."""
        self.assertEqual(words[:2], ["python3", "eval_harness.py"])
        done = self.main(*words[2:], "--json", "again.json", "--markdown", "again.md")
        self.assertEqual(done.code, 1, (words, done.err))
        return {row["case"]: row for row in strictly(self.read("again.json"))["cases"]}

    def failing(self, names):
        self.lines("fixtures/a.jsonl", [{"id": name, "output": [says("bad")]} for name in names])
        self.lines("runs/candidate/a.jsonl", [{"case": name, "output": "good"} for name in names])

    def test_names(self):
        self.failing(self.names)
        self.main("run")
        commands = self.commands()
        self.assertEqual(len(commands), len(self.names))
        for name, words in zip(sorted(self.names), (commands[key] for key in commands)):
            rows = self.reproduced(words)
            self.assertEqual(rows[name]["status"], "failed")

    def test_a_name_with_a_pipe(self):
        self.failing(["a|b"])
        self.main("run")
        words, = self.commands().values()
        self.assertIn("a|b", self.reproduced(words))

    def test_a_name_with_a_pipe_in_its_heading(self):
        self.failing(["a|b"])
        self.main("run")
        self.assertIn("### `a|b`", self.read("reports/candidate.md"))

    def test_a_name_with_a_dash(self):
        self.failing(["-x"])
        self.main("run")
        words, = self.commands().values()
        self.assertIn("-x", self.reproduced(words))

    def test_a_comparison(self):
        self.failing(["a b"])
        self.lines("runs/baseline/a.jsonl", [{"case": "a b", "output": "bad"}])
        self.main("compare")
        words, = self.commands("reports/baseline-vs-candidate.md").values()
        self.assertEqual(self.reproduced(words)["a b"]["change"], "regressed")

    def test_a_label_that_is_a_path(self):
        self.failing(["a"])
        self.write("my runs/x.jsonl", self.read("runs/candidate/a.jsonl"))
        self.main("run", "my runs/x.jsonl")
        words, = self.commands("reports/x.md").values()
        self.assertEqual(self.reproduced(words)["a"]["status"], "failed")

    def test_with_options(self):
        self.write("golden/a.json", {"id": "a", "output": [says("good", weight=2), says("bad")]})
        self.write("made/nightly/a.json", {"output": "good"})
        self.write("strict.json", {"threshold": 0.9})
        self.assertEqual(self.main("run", "nightly", "--config", "strict.json", "--fixtures", "golden", "--runs", "made").code, 1)
        words, = self.commands("reports/nightly.md").values()
        self.assertEqual(self.reproduced(words)["a"]["status"], "failed")


class Validate(CommandLine):
    """`validate` knows what it is given."""

    def test_a_recording_is_no_fixture(self):
        answer = {"id": "chatcmpl-1", "object": "chat.completion", "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}
        for value in (answer, {"id": "x", "steps": [], "output": "y"},
                      {"id": "resp_1", "object": "response", "status": "completed", "output": [
                          {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}]}):
            self.write("one.json", value)
            done = self.main("validate", "one.json", "--quiet")
            self.assertEqual((done.code, "1 recorded run" in done.out), (0, True), done)

    def test_a_fixture_is_no_recording(self):
        for value in ({"id": "a", "output": [says("x")]}, {"cases": [{"id": "a", "output": [says("x")]}]},
                      {"id": "a", "status": "x", "output": [says("x")]}, {"id": "a", "ouput": [says("x")]}):
            self.write("one.json", value)
            done = self.main("validate", "one.json", "--quiet")
            self.assertIn("1 case, 1 check" if done.code == 0 else "unknown key", done.out + done.err)


class Doubts(CommandLine):
    """What a report warns of is seen by who reads the terminal only."""

    def test_warnings_and_recordings_that_no_case_names(self):
        self.case("a")
        for label in ("baseline", "candidate"):
            self.run_of("a", label=label, whim=1)
        for n in range(5):
            self.run_of("other%d" % n)
        out = " ".join(self.main("run").out.split())
        self.assertIn("warning: runs/candidate/a.json: /whim: unknown key, ignored", out)
        self.assertIn("warning: no case names the recording runs/candidate/other2.json", out)
        self.assertNotIn("other3", out)
        self.assertIn("more recordings that no case names are in the report", out)
        out = " ".join(self.main("compare").out.split())
        for label in ("baseline", "candidate"):
            self.assertIn("warning: %s: runs/%s/a.json: /whim: unknown key, ignored" % (label, label), out)
        done = self.main("validate", "--quiet")
        self.assertEqual(done.code, 0)
        self.assertIn("warning: runs/candidate/a.json: /whim: unknown key, ignored", done.out)
        self.assertIn("no problem found, 2 warnings", done.out)


class OtherVerbs(CommandLine):
    """checks, show, and no arguments at all."""

    def test_checks(self):
        done = self.main("checks")
        self.assertEqual((done.code, done.err), (0, ""))
        for name in [*eh.CHECKS, *eh.OPERATORS]:
            self.assertIn(" %s " % name, done.out)

    def test_one_check(self):
        for name, known in eh.CHECKS.items():
            done = self.main("checks", name)
            self.assertEqual(done.code, 0)
            for key in known.parameters:
                self.assertRegex(done.out, r"(?m)^  %s " % re.escape(key))
            self.assertIn("Pass: ", done.out)
        self.assertEqual(self.main("checks", "$regex").code, 0)

    def test_an_unknown_check(self):
        self.refused("checks", "contians", said='did you mean "contains"')
        self.refused("checks", "xyzzy", said="xyzzy")

    def test_show(self):
        self.write("one.json", {"case": "refund", "model": "m-1", "output": "All done.", "usage": {"input_tokens": 90, "output_tokens": 10},
                                "duration_ms": 1200, "steps": [{"kind": "message", "role": "user", "text": "Refund A-17"},
                                                               call("lookup", arguments={"order": "A-17"}, result={"eur": 640}),
                                                               {"kind": "confirmation", "prompt": "Sure?", "action": "decline"}]})
        done = self.main("show", "one.json")
        self.assertEqual((done.code, done.err), (0, ""))
        for wanted in ("refund", "m-1", "All done.", "90", "1200", "/steps/0", "Refund A-17", "/steps/1", "lookup", "A-17", "640",
                       "/steps/2", "Sure?", "decline", "completed"):
            self.assertIn(wanted, done.out)
        self.assertLessEqual(max(map(width, done.out.splitlines())), 80)

    def test_show_keeps_absent_and_empty_apart(self):
        self.write("one.json", {"output": "x"})
        self.assertIn("no trace was recorded", self.main("show", "one.json").out)
        self.write("one.json", {"output": "x", "steps": []})
        self.assertNotIn("no trace was recorded", self.main("show", "one.json").out)

    def test_show_redacts_unless_it_is_asked_not_to(self):
        self.write("one.json", {"output": "key sk-" + "a1B2" * 8, "state": {"password": "hunter2hunter2"}})
        done = self.main("show", "one.json")
        self.assertNotIn("a1B2a1B2", done.out)
        self.assertNotIn("hunter2", done.out)
        self.assertIn("a1B2a1B2", self.main("show", "one.json", "--raw").out)

    def test_show_in_full(self):
        self.write("one.json", {"output": "begin " + "word " * 500 + " end"})
        self.assertNotIn("word " * 400, self.main("show", "one.json").out)
        self.assertIn("word " * 400, self.main("show", "one.json", "--raw").out)

    def test_show_of_many(self):
        self.lines("many.jsonl", [{"case": "c%d" % number, "output": "text-%d" % number} for number in range(3)])
        done = self.main("show", "many.jsonl")
        self.assertEqual(done.code, 0)
        for number in range(3):
            self.assertIn("c%d" % number, done.out)
        done = self.main("show", "many.jsonl", "--case", "c1")
        self.assertIn("text-1", done.out)
        self.assertNotIn("text-2", done.out)

    def test_show_of_what_is_no_run(self):
        self.refused("show", "nowhere.json", said="nowhere.json")
        self.write("one.json", "{")
        self.refused("show", "one.json", said="one.json")
        self.write("one.json", {"output": "x"})
        self.assertEqual(self.main("show", "one.json", "--case", "two").code, 2)

    def test_no_arguments(self):
        done = self.command()
        self.assertEqual(done.code, 2)
        self.assertIn("fixtures", done.out.splitlines()[0])
        self.assertIn("usage:", done.out)
        self.suite(a="good")
        done = self.main()
        self.assertEqual(done.code, 2)
        self.assertIn("run candidate", done.out.splitlines()[0])
        self.run_of("a", label="baseline")
        self.assertIn("compare", self.main().out.splitlines()[0])
        self.assertNotIn("reports", self.files())

    def test_no_arguments_and_a_broken_config(self):
        self.write("config.json", "{")
        done = self.main()
        self.assertEqual(done.code, 2)
        self.assertIn("config.json", done.out + done.err)
        self.assertIn("usage:", done.out)


if __name__ == "__main__":
    unittest.main()
