"""Reports as evidence: `verify` on tampered copies, reports compared with reports, the history, blessing."""

import hashlib
import json
import shutil
import os
import signal
import sqlite3
import subprocess
import sys
import unittest

import eval_harness as eh
from tests.support import HARNESS, Workspace, call, environment, says

MARK = '"~sha256": "'


def resealed(text):
    """A report with the seal that its text has now: what somebody would write who knows how."""
    body = text.rpartition(MARK)[0]
    return '%s%s%s"\n}\n' % (body, MARK, hashlib.sha256(body.encode()).hexdigest())


class Suite(Workspace):
    """Three cases on both labels; one fails in the candidate."""

    def setUp(self):
        super().setUp()
        self.write("config.json", {"threshold": 0.6})
        for name in "abc":
            self.case(name)
            for label in ("baseline", "candidate"):
                self.run_of(name, "bad" if (name, label) == ("b", "candidate") else "good", label, steps=[call("look_" + name)])
        self.main("run")

    path = "reports/candidate.json"


class Verify(Suite):
    """A tampered report never verifies, and what differs is named."""

    def verified(self, *named, code=1):
        done = self.main("verify", self.path)
        self.assertEqual(done.code, code, done.out + done.err)
        for text in named:
            self.assertIn(text, done.out + done.err)
        if code:
            self.assertNotIn("verified:", done.out)
        return done

    def edited(self, change, *named, seal=True, code=1):
        """Edit the data of the report by a function, lay it out as before, with a right seal or the old one."""
        before = self.read(self.path)
        data = json.loads(before)
        change(data)
        head = {key: value for key, value in data.items() if key not in ("cases", "~sha256")}
        start, end = eh.encode_report(head)
        rows = ",\n".join(json.dumps(row, separators=(",", ":"), sort_keys=True) for row in data["cases"])
        text = start + rows + end + MARK + before.rpartition(MARK)[2]
        self.assertNotEqual(text, before)
        self.write(self.path, resealed(text) if seal else text)
        try:
            return self.verified(*named, code=code)
        finally:
            self.write(self.path, before)

    def test_untouched(self):
        done = self.verified("verified: 3 cases, seal", code=0)
        self.assertEqual(done.out.count("\n"), 1)

    def test_laid_out_again_it_is_the_same(self):
        with self.assertRaisesRegex(AssertionError, "=="):
            self.edited(lambda data: None)

    def test_edited_without_a_new_seal(self):
        self.edited(lambda data: data["cases"][1].update(status="passed"), "its seal does not fit",
                    'case "b": /status says "passed"; graded again it is "failed"', seal=False)

    def test_edited_data(self):
        """Each edit under a right seal; the words that name it."""
        run = lambda data: data["cases"][1]["runs"][0]
        for change, *named in (
                (lambda data: data["cases"][1].update(score=1.0), 'case "b": /score says 1.0; graded again it is'),
                (lambda data: data["cases"][1].update(status="passed"), 'case "b": /status'),
                (lambda data: run(data).update(status="passed"), 'case "b": /runs/0/status'),
                (lambda data: data["cases"][1].update(reason="fine"), 'case "b": /reason says "fine"'),
                (lambda data: run(data)["checks"][0].update(outcome="passed"), "/runs/0/checks/0/outcome"),
                (lambda data: data["summary"].update(passed=3, failed=0), "/summary/passed says 3", "/summary/failed says 0"),
                (lambda data: data["summary"].update(passed=3), "the counts do not sum to 3 cases"),
                (lambda data: data["summary"].update(pass_rate=1.0), "/summary/pass_rate"),
                (lambda data: data["gate"].update(passed=1), "/gate/passed says 1; graded again it is false"),
                (lambda data: data["gate"].update(reasons=[]), "/gate/reasons"),
                (lambda data: data["cases"].pop(1), 'case "b" is not in the report'),
                (lambda data: data["cases"].reverse(), "not in the order of their ids"),
                (lambda data: data["cases"][0].update(note=None), 'case "a": /note is only in the report'),
                (lambda data: data.update(note=None), "/note is only in the report"),
                (lambda data: data.pop("rules"), "/rules is not in the report"),
                (lambda data: data["cases"][0].update(score=1), 'case "a": /score says 1; graded again it is 1.0'),
                (lambda data: run(data).update(run_sha256="0" * 64), 'case "b": the recording of run 0 is another'),
                (lambda data: data["cases"][0].update(fixture_sha256="0" * 64), 'case "a": the fixture is another'),
                (lambda data: data["provenance"].update(runs_sha256="0" * 64), "runs digest is not what is there now"),
                (lambda data: data["provenance"].update(config_sha256="0" * 64), "config digest is not"),
                (lambda data: data["provenance"].update(harness="0.9"), "harness is not"),
                (lambda data: data.update(label="baseline"), 'case "b": /status'),
                (lambda data: data["provenance"]["options"].update(case=["a"]), 'case "b" is only in the report')):
            with self.subTest(named=named):
                self.edited(change, *named)

    def test_a_case_twice(self):
        self.edited(lambda data: data["cases"].append(data["cases"][1]), 'the case "b" is in it twice', code=2)

    def test_a_case_from_nowhere(self):
        self.edited(lambda data: data["cases"].append({**data["cases"][0], "case": "d"}), 'case "d" is only in the report')

    def test_an_edited_seal(self):
        text = self.read(self.path)
        at = text.index(MARK) + len(MARK)
        self.write(self.path, text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1:])
        self.verified("its seal does not fit")

    def test_other_bytes_of_the_same_data(self):
        text = self.read(self.path)
        for other in (text.replace('"label": ', '"label":  '), text.replace('"kind": "run"', '"kind": "x",\n"kind": "run"'),
                      text.replace("{\n", "{\n\n", 1)):
            self.assertNotEqual(other, text)
            self.write(self.path, resealed(other))
            done = self.main("verify", self.path)
            self.assertIn(done.code, (1, 2))
            self.assertNotIn("verified:", done.out)

    def test_a_seal_is_needed(self):
        text = self.read(self.path)
        self.write(self.path, text.rpartition(",\n" + MARK)[0] + "\n}\n")
        self.verified("its seal does not fit")

    def test_what_was_graded_changed(self):
        """The report is as it was; the files are not."""
        for path, value, *named in (
                ("fixtures/b.json", {"id": "b", "output": [says("bad")]}, "fixtures digest", 'case "b": the fixture is another'),
                ("runs/candidate/b.json", {"case": "b", "output": "good", "steps": []}, "runs digest",
                 'case "b": the recording of run 0 is another'),
                ("config.json", {"threshold": 0.5}, "config digest")):
            before = self.read(path)
            self.write(path, value)
            self.verified(*named)
            self.write(path, before)
        self.verified(code=0)

    def test_swapped_recordings(self):
        one, other = (self.read("runs/candidate/%s.json" % name) for name in "ab")
        self.write("runs/candidate/a.json", other)
        self.write("runs/candidate/b.json", one)
        self.verified('case "a": /runs/0/source says "runs/candidate/a.json"; graded again it is "runs/candidate/b.json"')
        self.write("runs/candidate/a.json", other.replace('"b"', '"a"', 1))
        self.write("runs/candidate/b.json", one.replace('"a"', '"b"', 1))
        self.verified('case "a": the recording of run 0', 'case "b": the recording of run 0', 'case "b": /status')

    def test_a_recording_vanished(self):
        (self.folder / "runs/candidate/c.json").unlink()
        self.verified('case "c": /status says "passed"; graded again it is "missing"')

    def test_a_comparison(self):
        self.main("compare")
        self.path = "reports/baseline-vs-candidate.json"
        self.verified(code=0)
        for change, *named in (
                (lambda data: data["summary"]["changes"].update(regressed=0), "/summary/changes/regressed"),
                (lambda data: data["cases"][1].update(change="unchanged"), 'case "b": /change'),
                (lambda data: data["cases"][1]["candidate"].update(status="passed"), 'case "b": /candidate/status'),
                (lambda data: data["summary"]["flips"].update(p=0.5), "/summary/flips/p"),
                (lambda data: data["baseline"]["summary"].update(passed=0), "baseline: the counts do not sum")):
            with self.subTest(named=named):
                self.edited(change, *named)

    def test_a_selection_is_told(self):
        self.main("run", "--case", "a", "--no-excerpts")
        self.verified("verified: 1 case, only case a, seal", code=0)

    def test_no_report(self):
        for content, named in (("{}", "not a report of this version"), ('{"schema": "eval-harness/report/2"}', "report/2"),
                               ('{"schema": "eval-harness/report/1", "kind": "run"}', "no whole report"), ("no", "error"),
                               ("[]", "not a report")):
            self.write(self.path, content)
            self.verified(named, code=2)


class ReportsCompared(Suite):
    """Report against report: the same verdict as of their recordings, or not comparable."""

    def setUp(self):
        super().setUp()
        self.main("run", "baseline", "--json", "one.json")
        self.main("run", "candidate", "--json", "two.json")

    def refused(self, *named, paths=("one.json", "two.json")):
        done = self.main("compare", *paths)
        self.assertEqual(done.code, 2, done.out)
        for text in named:
            self.assertIn(text, done.err)

    def test_the_verdict_is_that_of_the_recordings(self):
        self.assertEqual(self.main("compare", "one.json", "two.json", "--json", "both.json").code, 1)
        self.main("compare", "--json", "graded.json")
        both, graded = (json.loads(self.read(name)) for name in ("both.json", "graded.json"))
        self.assertEqual(both["gate"], graded["gate"])
        self.assertEqual(both["baseline"], graded["baseline"])
        self.assertEqual(both["candidate"], graded["candidate"])
        for key in ("flips", "mean_score_delta", "detectable", "dimension_deltas", "changes"):
            self.assertEqual(both["summary"][key], graded["summary"][key])

    def test_behaviour_is_not_made_up(self):
        self.main("compare", "one.json", "two.json", "--json", "both.json", "--markdown", "both.md")
        both = json.loads(self.read("both.json"))
        self.assertEqual([row["behaviour"] for row in both["cases"]], ["exact", "unknown", "exact"])
        self.assertIn("2 exact, 0 action equivalent, 0 action changing, 0 rejected, 1 unknown", self.read("both.md"))

    def test_one_with_itself(self):
        self.assertEqual(self.main("compare", "two.json", "two.json").code, 0)

    def test_other_fixtures_and_config_are_listed(self):
        self.case("b", says("good"), says("x"), threshold=0)
        self.case("d")
        self.write("config.json", {"threshold": 0.7})
        self.main("run", "candidate", "--json", "two.json")
        self.refused("the config differs", 'the fixture "b" differs', 'the fixture "d" is only in two.json')

    def test_the_gate_is_the_one_they_were_graded_with(self):
        self.write("config.json", {"threshold": 0.6, "gate": {"max_regressions": 9}})
        self.refused("another config than the one given here")

    def test_an_edited_one(self):
        self.write("two.json", self.read("two.json").replace('"status":"failed"', '"status":"passed"'))
        self.refused("two.json", "its seal does not fit")

    def test_a_newer_schema(self):
        self.write("two.json", resealed(self.read("two.json").replace("report/1", "report/2")))
        self.refused("not a report of this version", "eval-harness/report/2")

    def test_a_report_and_a_label(self):
        self.refused("a report compares with a report", paths=("one.json", "candidate"))

    def test_a_comparison_is_no_run(self):
        self.main("compare", "--json", "two.json")
        self.refused('of the kind "comparison"')

    def test_recordings_that_could_not_be_read_are_not_forgotten(self):
        self.run_of("b")
        self.write("runs/candidate/other.json", "{")
        self.main("run", "candidate", "--json", "two.json")
        done = self.main("compare", "one.json", "two.json")
        self.assertEqual(done.code, 1)
        self.assertIn("1 recording of the candidate cannot be read", " ".join(done.out.split()))

    def test_growth_is_not_known_from_reports(self):
        self.run_of("b", steps=[call("look_b")])
        self.write("config.json", {"threshold": 0.6, "gate": {"max_growth": {"tokens": {"ratio": 2}}}})
        for label, name in (("baseline", "one.json"), ("candidate", "two.json")):
            self.main("run", label, "--json", name)
        done = self.main("compare", "one.json", "two.json")
        self.assertEqual(done.code, 1, done.err)
        self.assertIn("tokens: not known for 3 paired cases", done.out)


KILLED = """
import os, signal, sqlite3, sys
import eval_harness
class Dying(sqlite3.Connection):
    def executemany(self, *rest):
        super().executemany(*rest)
        os.kill(os.getpid(), signal.SIGKILL)
connect = sqlite3.connect
sqlite3.connect = lambda *args, **keys: connect(*args, factory=Dying, **keys)
sys.exit(eval_harness.main(["run", "--history", "h.db"]))
"""


class History(Suite):
    """`--history` and `history`."""

    def rows(self, query="select id, cases from runs"):
        database = sqlite3.connect(self.folder / "h.db")
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def told(self, *argv, code=0):
        done = self.main("history", *argv, "--history", "h.db")
        self.assertEqual(done.code, code, done.err)
        return done.out + done.err

    def test_the_same_report_again_changes_nothing(self):
        for _ in range(3):
            self.assertEqual(self.main("run", "--history", "h.db").code, 1)
        self.assertEqual(len(self.rows()), 1)
        self.assertEqual(len(self.rows("select * from cases")), 3)

    def test_the_same_id_with_other_content_is_refused(self):
        self.main("run", "--history", "h.db", "--history-id", "build-1")
        self.assertEqual(self.main("run", "--history", "h.db", "--history-id", "build-1").code, 1)
        done = self.main("run", "baseline", "--history", "h.db", "--history-id", "build-1")
        self.assertEqual(done.code, 2)
        self.assertIn('the id "build-1" is taken by another report', done.err)
        self.assertEqual(self.rows("select label from runs"), [("candidate",)])

    def test_two_processes_at_once(self):
        commands = [[sys.executable, str(HARNESS), "run", label, "--history", "h.db", "--json", "%s-%d.json" % (label, number),
                     "--markdown", "%s-%d.md" % (label, number), "--history-id", "%s-%d" % (label, number)]
                    for number in range(3) for label in ("baseline", "candidate")]
        started = [subprocess.Popen(command, cwd=self.folder, env=environment(), stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE) for command in commands]
        problems = [child.communicate(timeout=60)[1] for child in started]
        self.assertEqual(problems, [b""] * 6)
        self.assertEqual([child.returncode for child in started], [0, 1] * 3)
        self.assertEqual(len(self.rows()), 6)
        self.assertEqual(len(self.rows("select * from cases")), 18)

    @unittest.skipIf(os.name == "nt", "no such signal")
    def test_a_killed_writer_leaves_no_half_report(self):
        self.write("killed.py", KILLED)
        done = self.command(script="killed.py")
        self.assertEqual(done.code, -signal.SIGKILL)
        self.assertEqual(self.rows("select count(*) from runs"), [(0,)])
        self.assertEqual(self.rows("select count(*) from cases"), [(0,)])
        self.assertEqual(self.rows("pragma integrity_check"), [("ok",)])
        self.assertEqual(self.main("run", "--history", "h.db").code, 1)
        self.assertEqual(len(self.rows("select * from cases")), 3)

    def test_what_is_no_history(self):
        foreign = sqlite3.connect(self.folder / "foreign.db")
        foreign.execute("create table money (eur integer)")
        foreign.commit()
        foreign.close()
        other = sqlite3.connect(self.folder / "version.db")
        other.execute("pragma user_version = 7")
        other.close()
        self.write("text.db", "This is no database, and long enough to be looked at closely.\n" * 30)
        self.write("folder.db/x", "")
        for name, words in (("foreign.db", "a database of something else"), ("version.db", "a history of version 7"),
                            ("text.db", "cannot be used as a history"), ("folder.db", "cannot be used as a history")):
            before = (self.folder / name).read_bytes() if name != "folder.db" else None
            done = self.main("run", "--history", name)
            self.assertEqual(done.code, 2)
            self.assertIn(words, done.err)
            self.assertEqual(self.main("history", "--history", name).code, 2)
            if before is not None:
                self.assertEqual((self.folder / name).read_bytes(), before)
        self.assertEqual(self.main("history", "--history", "none.db").code, 2)
        self.assertFalse((self.folder / "none.db").exists())

    def test_runs_one_case_and_cases_by_status(self):
        for output in ("good", "bad", "good, fine"):
            self.run_of("b", output, steps=[call("look_b")])
            self.main("run", "--history", "h.db")
        words = self.told()
        self.assertEqual([line.split()[1] for line in words.splitlines()[1:]], ["passed", "failed", "passed"])
        head, *lines = self.told("b").splitlines()
        self.assertEqual(head.split()[0], "b")
        self.assertEqual(len(head.split()[1]), 3)
        self.assertEqual([line.split()[1] for line in lines], ["passed", "failed", "passed"])
        self.assertIn("b", self.told("--cases", "--status", "failed", "--since", "2020-01-01"))
        self.assertIn("1 time", self.told("--cases", "--status", "failed"))
        self.assertIn("nothing in the history fits", self.told("--cases", "--status", "critical", code=2))
        self.assertIn("nothing in the history fits", self.told("--since", "2999", code=2))

    def test_filters_that_could_not_be_meant(self):
        self.main("run", "--history", "h.db")
        for argv in (["--since", "1.12.2026"], ["--since", "yesterday"], ["--until", ""], ["--cases", "--status", "criticl"],
                     ["--verdict", "green"], ["--label", ""]):
            self.told(*argv, code=2)
        self.assertIn("candidate", self.told("--since", "2020-01-01T00:00:00Z"))

    def test_a_comparison_is_saved_with_its_changes(self):
        self.main("compare", "--history", "h.db")
        self.assertEqual(self.rows("select case_id, status, change from cases order by case_id"), [
            ("a", "passed", "unchanged"), ("b", "failed", "regressed"), ("c", "passed", "unchanged")])

    def test_what_stands_in_it_is_the_whole_report(self):
        self.main("run", "--history", "h.db")
        (text,), = self.rows("select report from runs")
        self.assertEqual(text, self.read(self.path))


class Bless(Suite):
    """`bless` makes a label the baseline: whole, or not at all."""

    def refused(self, *named, argv=("bless", "candidate")):
        before = {path: (self.folder / path).read_bytes() for path in self.files() if (self.folder / path).is_file()}
        done = self.main(*argv)
        self.assertEqual(done.code, 2, done.out)
        for text in named:
            self.assertIn(text, done.err)
        self.assertEqual({path: (self.folder / path).read_bytes() for path in self.files() if (self.folder / path).is_file()},
                         before)

    def test_it_becomes_the_baseline(self):
        self.write("runs/baseline/old.json", {"case": "a", "repeat": 9, "output": "old"})
        self.assertEqual(self.main("bless", "candidate").code, 0)
        self.assertEqual(self.files("runs/baseline"), self.files("runs/candidate"))
        self.assertEqual(self.files("runs"), ["baseline", "baseline/a.json", "baseline/b.json", "baseline/c.json", "candidate",
                                              "candidate/a.json", "candidate/b.json", "candidate/c.json"])
        self.assertEqual(self.main("compare").code, 0)

    def test_what_is_no_recording_stays_where_it_was(self):
        self.write("runs/baseline/README.md", "How these were made.")
        self.write("runs/baseline/.gitattributes", "*.json -diff")
        self.write("runs/candidate/.gitattributes", "of the candidate")
        self.write("runs/baseline/.blessed.json", {"by": "Bob"})
        self.assertEqual(self.main("bless", "candidate").code, 0)
        self.assertEqual(self.read("runs/baseline/README.md"), "How these were made.")
        self.assertEqual(self.read("runs/baseline/.gitattributes"), "of the candidate")
        self.assertNotIn(".blessed.json", self.files("runs/baseline"))

    def test_a_label_that_is_a_link_is_replaced_and_leaves_nothing(self):
        self.write("runs/first/a.json", {"case": "a", "output": "old"})
        for target in ("first", "nowhere"):
            with self.subTest(target):
                link = self.folder / "runs/baseline"
                shutil.rmtree(link, ignore_errors=True)
                link.symlink_to(target, target_is_directory=True)
                self.assertEqual(self.main("bless", "candidate").code, 0)
                self.assertEqual(sorted(each.name for each in (self.folder / "runs").iterdir()), ["baseline", "candidate", "first"])
                self.assertEqual(self.files("runs/first"), ["a.json"])
                self.assertFalse(link.is_symlink())

    def test_who_and_why_are_kept_and_not_graded(self):
        self.assertEqual(self.main("bless", "candidate", "--by", "Ada", "--note", "new prices").code, 0)
        note = json.loads(self.read("runs/baseline/.blessed.json"))
        self.assertEqual((note["by"], note["note"], note["blessed_from"]), ("Ada", "new prices", "candidate"))
        self.assertEqual(self.main("compare").code, 0)
        self.assertEqual(self.report("baseline-vs-candidate")["baseline"]["unmatched_runs"], [])

    def test_incomplete_or_dead_sets_are_refused(self):
        (self.folder / "runs/candidate/a.json").unlink()
        self.refused("not blessed: 1 missing case")
        self.run_of("a", status="error", steps=[])
        self.refused("1 error case")
        self.write("runs/candidate/a.json", "{")
        self.refused("not blessed")
        self.run_of("a")
        self.write("runs/candidate/other.json", "{")
        self.refused("1 recording that cannot be read")

    def test_a_dead_repeat_is_refused_though_the_case_passes(self):
        self.write("config.json", {"repeats": {"pass": "any"}})
        self.run_of("a", repeat=2, status="timeout", steps=[])
        self.refused("1 run that died")

    def test_places_that_are_no_label(self):
        for name in ("..", ".", "", "../elsewhere", str(self.folder / "elsewhere"), "candidate", "candidate/part"):
            self.refused(argv=("bless", "candidate", "--as", name))

    def test_another_label(self):
        self.assertEqual(self.main("bless", "candidate", "--as", "release-2").code, 0)
        self.assertEqual(self.main("compare", "release-2", "candidate").code, 0)


class BadSides(Suite):
    """What `compare` does where a side is not what it should be."""

    def test_a_baseline_that_is_missing_or_empty(self):
        for name in "abc":
            (self.folder / "runs/baseline" / (name + ".json")).unlink()
        # What fails for itself is a failure first, and not masked by what cannot be compared.
        self.assertEqual(self.main("compare").code, 1)
        self.run_of("b")
        self.assertEqual(self.main("compare").code, 2)
        (self.folder / "runs/baseline").rmdir()
        done = self.main("compare")
        self.assertEqual(done.code, 2)
        self.assertIn('no recorded runs are called "baseline"', done.err)

    def test_a_partial_candidate(self):
        (self.folder / "runs/candidate/c.json").unlink()
        self.run_of("b")
        self.assertEqual(self.main("compare").code, 1)
        self.assertIn("1 case vanished: c", self.report("baseline-vs-candidate")["gate"]["reasons"])

    def test_one_case_shows_both_traces_side_by_side(self):
        self.run_of("b", "bad", steps=[call("other"), call("look_b")])
        done = self.main("compare", "--case", "b")
        self.assertRegex(done.out, r"\+ +\| other\(\{\}\)")
        self.assertRegex(done.out, r"= look_b\(\{\}\) +\| look_b\(\{\}\)")
        row, = self.report("baseline-vs-candidate")["cases"]
        self.assertEqual(row["drift"], ["added: other"])

    def test_drift_in_words(self):
        look, ask, pay = (call(name, arguments={"n": 1}) for name in ("look", "ask", "pay"))
        for before, after, output, words in (
                ([look, ask], [look], "good", ["dropped: ask"]), ([look], [look, ask], "good", ["added: ask"]),
                ([look, ask, pay], [pay, look, ask], "good", ["moved: pay"]),
                ([look], [call("look", arguments={"n": 2})], "good", ["other arguments: look"]),
                ([look], [look], "good, too", ["the output only"]), ([look], [look], "good", []),
                ([look, ask], [call("ask", arguments={"n": 3}), pay], "good", ["dropped: look", "added: pay",
                                                                               "other arguments: ask"])):
            self.run_of("b", "good", "baseline", steps=before)
            self.run_of("b", output, steps=after)
            self.main("compare", "--case", "b")
            self.assertEqual(self.report("baseline-vs-candidate")["cases"][0]["drift"], words)


if __name__ == "__main__":
    unittest.main()
