"""What CI servers get to read: JUnit XML, CTRF, the pull-request comment, the step summary and annotations. Each is parsed
back by a reader that knows nothing of how it was written."""

import contextlib
import io
import json
import os
import re
import tempfile
import unicodedata
import unittest
import xml.etree.ElementTree
from unittest import mock

import eval_harness as eh
from tests.hostile import HOSTILE, HUGE, SECRETS
from tests.support import HARNESS, Workspace, call, long, says

# -- Readers ----------------------------------------------------------------

# The elements and attributes that the schema of Jenkins' xUnit plugin (junit-10.xsd) knows; it refuses others.
JUNIT_SCHEMA = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "time", "skipped"}, {"testcase"}),
    "testcase": ({"name", "classname", "time"}, {"failure", "error", "skipped", "system-out"}),
    "failure": ({"type", "message"}, set()), "error": ({"type", "message"}, set()),
    "skipped": ({"type", "message"}, set()), "system-out": (set(), set()),
}

# What ctrf.io's schema says of the parts that are written here.
CTRF_STATUS = {"enum": ["passed", "failed", "skipped", "pending", "other"]}
CTRF_TEXT, CTRF_COUNT = {"type": "string"}, {"type": "integer", "minimum": 0}
CTRF_COUNTS = dict.fromkeys(("tests", "passed", "failed", "skipped", "pending", "other", "start", "stop"), CTRF_COUNT)
CTRF_SCHEMA = {
    "type": "object", "required": ["results", "reportFormat", "specVersion"], "additionalProperties": False,
    "properties": {
        "reportFormat": {"const": "CTRF"}, "specVersion": {"type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+$"},
        "generatedBy": CTRF_TEXT,
        "results": {
            "type": "object", "required": ["tool", "summary", "tests"], "additionalProperties": False, "properties": {
                "tool": {"type": "object", "required": ["name"], "additionalProperties": False,
                         "properties": {"name": {"type": "string", "minLength": 1}, "version": CTRF_TEXT}},
                "summary": {"type": "object", "required": sorted(CTRF_COUNTS), "additionalProperties": False,
                            "properties": CTRF_COUNTS},
                "tests": {"type": "array", "items": {
                    "type": "object", "required": ["name", "status", "duration"], "additionalProperties": False,
                    "properties": {
                        "name": {"type": "string", "minLength": 1}, "status": CTRF_STATUS, "duration": CTRF_COUNT,
                        "rawStatus": CTRF_TEXT, "message": CTRF_TEXT, "trace": CTRF_TEXT, "filePath": CTRF_TEXT,
                        "flaky": {"type": "boolean"}, "tags": {"type": "array", "items": CTRF_TEXT},
                        "suite": {"type": "array", "minItems": 1, "items": CTRF_TEXT}}}}}}}}


def read_junit(test, text):
    """{(classname, name): (suite, word, element)} of JUnit XML, after checking its shape and its counts."""
    test.assertTrue(text.isascii())
    root = xml.etree.ElementTree.fromstring(text)
    test.assertEqual(root.tag, "testsuites")
    for each in root.iter():
        attributes, children = JUNIT_SCHEMA[each.tag]
        test.assertLessEqual(set(each.attrib), attributes)
        test.assertLessEqual({child.tag for child in each}, children)
    for element in [root, *root.iter("testsuite")]:
        cases = list(element.iter("testcase"))
        test.assertEqual(int(element.get("tests")), len(cases))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            if name in element.attrib:
                test.assertEqual(int(element.get(name)), sum(case.find(tag) is not None for case in cases))
        if "time" in element.attrib:
            total = sum(float(case.get("time")) for case in cases)
            test.assertAlmostEqual(float(element.get("time")), total, delta=0.001 * (len(cases) + 1))
    found = {}
    for suite in root.iter("testsuite"):
        for case in suite.iter("testcase"):
            words = [child.tag for child in case if child.tag != "system-out"]
            test.assertLessEqual(len(words), 1)
            key = case.get("classname"), case.get("name")
            test.assertNotIn(key, found)
            found[key] = suite.get("name"), (words or ["passed"])[0], case
    return found


def words_of(found):
    """{case: word}, the gate among them."""
    return {name: word for (_, name), (_, word, _) in found.items()}


def read_ctrf(test, text):
    """{name: test} of a Common Test Report, after checking its shape and its counts."""
    report = json.loads(text)
    json.dumps(report, ensure_ascii=False).encode()
    test.assertEqual(eh.schema_errors(CTRF_SCHEMA, report), [])
    tests, summary = report["results"]["tests"], report["results"]["summary"]
    test.assertEqual(summary["tests"], len(tests))
    for status in CTRF_STATUS["enum"]:
        test.assertEqual(summary[status], sum(each["status"] == status for each in tests))
    return {each["name"]: each for each in tests}


COMMANDS = {"error", "warning", "notice", "debug", "group", "endgroup", "add-mask", "set-output", "save-state", "set-env",
            "add-path", "stop-commands", "echo", "add-matcher", "remove-matcher", "command"}


def commands_of(text):
    """(name, properties, message) of all that the runners of GitHub and Azure would carry out in a log.

    GitHub's compares by culture, in which characters that show nothing do not exist.
    """
    found = []
    for line in re.split(r"\r\n|\r|\n", text):
        seen = "".join(char for char in line if unicodedata.category(char) not in ("Cf", "Cc", "Mn")).lstrip()
        new = re.match(r"::([\w-]+)(?: (.*?))?::(.*)", seen)
        old = re.search(r"##\[([\w-]+)[^\]]*\](.*)", seen)
        other = re.search(r"##(?:vso|teamcity)\[", seen)
        if new and new[1] in COMMANDS:
            pairs = [pair.partition("=") for pair in (new[2] or "").split(",")]
            found.append((new[1], {key: unescaped(value, ":%3A", ",%2C") for key, _, value in pairs}, unescaped(new[3])))
        elif old or other:
            found.append(("old", {}, seen))
    return found


def unescaped(text, *pairs):
    """What GitHub makes of a property or a message."""
    for char, code in [("\r", "%0D"), ("\n", "%0A"), *((pair[0], pair[1:]) for pair in pairs), ("%", "%25")]:
        text = text.replace(code, char)
    return text


def without_picture(text):
    """A Markdown report less the link to the picture beside it."""
    return re.sub(r"^!\[.*\]\([\w.@+%-]+\.svg\)\n\n", "", text, flags=re.M)


def check_markdown(test, text, headings):
    """That nothing recorded became markup: what is left of it without code spans and escapes is the report's own."""
    lines = text.split("\n")
    test.assertEqual(sum(line.startswith("### ") for line in lines), headings)
    test.assertFalse([line for line in lines if re.match(r"#(?!#{1,2} )", line)])
    plain = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", re.sub(r"(?m)\\[!-/:-@\[-_{-~]", "", _code_first(text)))
    test.assertEqual(re.findall(r"<(?!/?(?:details|summary|sub)>)[^\n]{0,40}", plain), [])
    for pattern in (r"\]\(", r"!\[", r"@\w", r"#\d", r"\bgh-\d", r"\b(?:https?|ftp|mailto):", r"www\.", r"\$"):
        test.assertEqual(re.findall("(?i).{0,20}%s.{0,20}" % pattern, plain), [], pattern)
    for tag in ("details", "summary", "sub"):
        test.assertEqual(plain.count("<%s>" % tag), plain.count("</%s>" % tag))
    test.assertEqual([char for char in text if char != "\n" and unicodedata.category(char) in ("Cc", "Cs")], [])
    test.assertNotRegex(text, "[\u202a-\u202e\u2066-\u2069\ufeff]")
    test.assertEqual(commands_of(text), [])


def _code_first(text):
    """A text without its code spans, of which a backslash before the first backtick makes none."""
    made, at = [], 0
    for found in re.finditer(r"\\`|(`+)", text):
        if found.start() < at or not found[1]:
            continue
        end = re.search(r"(?<!`)%s(?!`)" % found[1], text[found.end():])
        if end:
            made.append(text[at:found.start()])
            at = found.end() + end.end()
    return "".join(made) + text[at:]


# -- Tests ------------------------------------------------------------------


class Outputs(Workspace):
    """A workspace that grades into every form for CI at once."""

    FORMS = ("--junit", "out/j.xml", "--ctrf", "out/c.json", "--comment", "out/pr.md")

    def grade(self, *argv, code=None):
        """Grade into every form; what came of it."""
        done = self.main(*argv, *self.FORMS)
        if code is not None:
            self.assertEqual(done.code, code, done.err)
        return done

    def junit(self):
        """What a reader finds in the JUnit XML."""
        return read_junit(self, self.read("out/j.xml"))

    def ctrf(self):
        """What a reader finds in the Common Test Report."""
        return read_ctrf(self, self.read("out/c.json"))

    def github(self, *argv, summary="summary.md", **env):
        """The command as a step of GitHub Actions."""
        if summary is not None:
            env["GITHUB_STEP_SUMMARY"] = str(self.folder / summary)
        with mock.patch.dict(os.environ, {"GITHUB_WORKSPACE": str(self.folder), **env}):
            if summary is None:
                os.environ.pop("GITHUB_STEP_SUMMARY", None)
            return self.main(*argv, "--github")


class OneRun(Outputs):
    def every_status(self):
        self.case("good")
        self.run_of("good")
        self.case("bad", says("good", why="People wait for it."))
        self.run_of("bad", "evil")
        self.case("breach", says("good", critical=True))
        self.run_of("breach", "evil")
        self.case("dead")
        self.run_of("dead", "good", status="error", error="boom")
        self.case("broken")
        self.write("runs/candidate/broken.json", '{"output": ')
        self.case("absent")
        self.case("unseen", trace=[{"check": "never", "call": "pay"}])
        self.run_of("unseen", "good")

    def test_every_status_has_its_word(self):
        self.every_status()
        self.grade("run", code=1)
        wanted = {"gate": "failure", "good": "passed", "bad": "failure", "breach": "failure", "dead": "error",
                  "broken": "error", "absent": "error", "unseen": "error"}
        found = self.junit()
        self.assertEqual(words_of(found), wanted)
        kinds = {name: case[0].get("type") for (_, name), (_, word, case) in found.items() if word != "passed"}
        self.assertEqual(kinds, {"gate": "failed", "bad": "failed", "breach": "critical", "dead": "error",
                                 "broken": "invalid", "absent": "missing", "unseen": "unscored"})
        self.assertEqual({name: each["status"] for name, each in self.ctrf().items()},
                         {name: "passed" if word == "passed" else "failed" for name, word in wanted.items()})

    def test_a_failure_says_what_why_where_and_how_to_see_it_again(self):
        self.every_status()
        self.grade("run")
        case = self.junit()["candidate", "bad"][2]
        for text in (case[0].text, self.ctrf()["bad"]["trace"]):
            self.assertIn("- failed: contains (output): ", text)
            self.assertIn("People wait for it.", text)
            self.assertIn("Recording: runs/candidate/bad.json", text)
            self.assertTrue(text.endswith("Reproduce: python3 eval_harness.py run candidate --case bad"), text)
        self.assertIn('"good"', case[0].get("message"))
        self.assertEqual(self.ctrf()["bad"]["filePath"], "runs/candidate/bad.json")

    def test_what_cannot_be_measured_is_an_error_of_the_gate(self):
        self.case("a")
        self.write("runs/candidate/other.json", {"output": "good"})
        self.grade("run", code=2)
        self.assertEqual(words_of(self.junit()), {"gate": "error", "a": "error"})
        self.assertEqual({each["status"] for each in self.ctrf().values()}, {"failed"})

    def test_the_gate_is_red_where_every_case_is_green(self):
        self.write("config.json", {"gate": {"min_score": 0.95}, "threshold": 0.5})
        self.case("a", says("good", weight=3), says("never"))
        self.run_of("a")
        self.grade("run", code=1)
        found = self.junit()
        self.assertEqual(words_of(found), {"gate": "failure", "a": "passed"})
        self.assertIn("0.95", found["candidate.gate", "gate"][2][0].text)
        # The failed check of the passing case is told as well.
        self.assertIn("- failed: contains", found["candidate", "a"][2].find("system-out").text)

    def test_a_failing_case_stays_red_where_the_gate_lets_it_pass(self):
        self.write("config.json", {"gate": {"min_pass_rate": 0.5}})
        self.case("a")
        self.case("b")
        self.run_of("a")
        self.run_of("b", "bad")
        self.grade("run", code=0)
        self.assertEqual(words_of(self.junit()), {"gate": "passed", "a": "passed", "b": "failure"})
        done = self.github("run")
        self.assertEqual([level for level, _, _ in commands_of(done.out)], ["warning", "notice"])

    def test_never_failing_changes_the_exit_code_only(self):
        self.case("a")
        self.run_of("a", "bad")
        self.grade("run", "--fail-on", "never", code=0)
        self.assertEqual(words_of(self.junit()), {"gate": "failure", "a": "failure"})

    def test_suites_are_first_tags(self):
        for name, tags in (("a", ["x", "y"]), ("b", ["y"]), ("c", []), ("gate", ["gate"])):
            self.case(name, tags=tags)
            self.run_of(name)
        self.grade("run", code=0)
        found = self.junit()
        self.assertEqual({key: suite for key, (suite, _, _) in found.items()}, {
            ("candidate.gate", "gate"): "gate", ("candidate", "gate"): "gate", ("candidate", "a"): "x",
            ("candidate", "b"): "y", ("candidate", "c"): "untagged"})
        self.assertEqual(self.ctrf()["a"]["tags"], ["x", "y"])

    def test_times_are_the_recorded_ones_or_none(self):
        for name, tag, took in (("a", "x", 1500), ("b", "x", 0), ("c", "y", None), ("d", "y", 20), ("e", "z", 1e300)):
            self.case(name, tags=[tag])
            self.run_of(name, **({} if took is None else {"duration_ms": took}))
        self.grade("run", code=0)
        found = self.junit()
        self.assertEqual({name: case.get("time") for (_, name), (_, _, case) in found.items()},
                         {"a": "1.500", "b": "0.000", "c": None, "d": "0.020", "e": None, "gate": None})
        suites = {each.get("name"): each.get("time") for each in
                  xml.etree.ElementTree.fromstring(self.read("out/j.xml")).iter("testsuite")}
        self.assertEqual(suites, {"gate": None, "x": "1.500", "y": None, "z": None})
        self.assertEqual({name: each["duration"] for name, each in self.ctrf().items()},
                         {"gate": 0, "a": 1500, "b": 0, "c": 0, "d": 20, "e": 0})
        self.assertEqual(self.report()["cases"][0]["runs"][0]["duration_ms"], 1500)

    def test_repeats_are_one_test_with_all_of_them_told(self):
        self.write("config.json", {"repeats": {"pass": "majority"}})
        self.case("a")
        for repeat, output in ((1, "good"), (2, "bad"), (3, "good")):
            self.run_of("a", output, repeat=repeat, duration_ms=100)
        self.grade("run", code=0)
        found = self.junit()
        self.assertEqual(words_of(found), {"gate": "passed", "a": "passed"})
        self.assertEqual(found["candidate", "a"][2].get("time"), "0.300")
        text = found["candidate", "a"][2].find("system-out").text
        self.assertIn("Repeat 2, failed", text)
        self.assertIn("a.2.json", text)
        self.assertIs(self.ctrf()["a"]["flaky"], True)

    def test_a_critical_failure_in_a_dead_repeat_is_not_green(self):
        self.write("config.json", {"repeats": {"pass": "any"}})
        self.case("a", says("good"), trace=[{"check": "never", "call": "pay", "critical": True}])
        self.run_of("a", repeat=1, steps=[])
        self.run_of("a", repeat=2, steps=[call("pay")], status="error")
        self.grade("run")
        self.assertEqual(words_of(self.junit())["a"], "failure")

    def test_the_same_bytes_every_time(self):
        self.every_status()
        self.grade("run")
        before = [self.read(path) for path in self.FORMS[1::2]]
        self.write("order/fixtures.jsonl", "".join(
            json.dumps(json.loads(self.read("fixtures/" + path))) + "\n" for path in reversed(self.files("fixtures"))))
        self.grade("run", "--fixtures", "order/fixtures.jsonl")
        again = [self.read(path).replace(" --fixtures order/fixtures.jsonl", "") for path in self.FORMS[1::2]]
        self.assertEqual(again, before)

    def test_a_report_that_cannot_be_written_is_named(self):
        self.case("a")
        self.run_of("a")
        self.write("file", "x")
        for form in ("--junit", "--ctrf", "--comment"):
            done = self.main("run", form, "file/x")
            self.assertEqual(done.code, 2)
            self.assertIn("file/x", done.err)
            self.assertEqual(self.main("run", form, "").code, 2)
            self.assertEqual(self.main("run", form).code, 2)

    def test_details_are_bounded_and_reasons_are_not_lost(self):
        for name in "abc":
            self.case(name, description="d" * 900)
            self.run_of(name, "bad")
        with mock.patch.object(eh, "_JUNIT_DETAILS", 1000):
            self.grade("run")
        texts = [case[0].text for (_, name), (_, _, case) in self.junit().items() if name != "gate"]
        self.assertEqual(["d" * 900 in text for text in texts], [True, False, False])
        self.assertTrue(all("Reproduce: " in text and '"good"' in text for text in texts))

    def test_two_forms_never_share_a_file(self):
        self.case("a")
        self.run_of("a")
        self.assertEqual(self.main("run", "--junit", "x", "--ctrf", "x").code, 2)


class TwoRuns(Outputs):
    def sides(self, name, before, after, *checks, **keys):
        """A case with its recordings; None leaves one out."""
        self.case(name, *checks, **keys)
        for label, output in (("baseline", before), ("candidate", after)):
            if output is not None:
                self.run_of(name, label=label, **(output if isinstance(output, dict) else {"output": output}))

    def test_cases_stand_as_the_gate_sees_them(self):
        self.sides("same", "good", "good")
        self.sides("regressed", "good", "bad")
        self.sides("died", "good", {"output": "good", "status": "error"})
        self.sides("fixed", "bad", "good")
        self.sides("still", "bad", "bad")
        self.sides("removed", "good", None)
        self.sides("added", None, "good")
        self.sides("added-bad", None, "bad")
        self.sides("nowhere", None, None)
        self.grade("compare", code=1)
        wanted = {"gate": "failure", "same": "passed", "regressed": "failure", "died": "error", "fixed": "passed",
                  "still": "failure", "removed": "failure", "added": "passed", "added-bad": "failure",
                  "nowhere": "skipped"}
        found = self.junit()
        self.assertEqual(words_of(found), wanted)
        self.assertEqual(found["baseline-vs-candidate", "still"][2][0].get("type"), "still_failing")
        self.assertIn("the gate does not count it", found["baseline-vs-candidate", "still"][2][0].get("message"))
        self.assertIn("passed -> failed: ", found["baseline-vs-candidate", "regressed"][2][0].get("message"))
        self.assertEqual(self.ctrf()["nowhere"]["status"], "skipped")
        self.assertEqual(self.ctrf()["still"]["status"], "failed")

    def test_a_case_that_still_fails_is_red_beside_a_green_gate(self):
        self.sides("same", "good", "good")
        self.sides("still", "bad", "bad")
        self.sides("better", "bad", "bad good", says("good"), says("bad"), says("great"), threshold=1)
        self.grade("compare", code=0)
        self.assertEqual(words_of(self.junit()), {"gate": "passed", "same": "passed", "still": "failure",
                                                  "better": "failure"})
        levels = [level for level, _, _ in commands_of(self.github("compare").out)]
        self.assertEqual(levels, ["warning", "warning", "notice"])

    def test_a_breach_of_old_counts_where_the_gate_counts_it(self):
        self.sides("same", "good", "good")
        self.sides("still", "bad", "bad", says("good", critical=True))
        for rule, code, level in (("none", 1, "error"), ("no_new", 0, "warning")):
            self.write("config.json", {"gate": {"critical": rule}})
            self.grade("compare", code=code)
            self.assertEqual(words_of(self.junit())["still"], "failure")
            found = {place["title"]: each for each, place, _ in commands_of(self.github("compare").out)}
            self.assertEqual(found["still failing: still"], level)
            self.assertEqual("does not count it" in self.ctrf()["still"]["message"], rule == "no_new")

    def test_a_removed_case_is_skipped_only_where_that_is_allowed(self):
        self.sides("same", "good", "good")
        self.sides("removed", "good", None)
        self.grade("compare", code=1)
        self.assertEqual(words_of(self.junit())["removed"], "failure")
        self.write("config.json", {"gate": {"allow_removed": True}})
        self.grade("compare", code=0)
        self.assertEqual(words_of(self.junit()), {"gate": "passed", "same": "passed", "removed": "skipped"})

    def test_a_score_that_dropped_too_far_is_a_failure_though_the_case_passes(self):
        self.write("config.json", {"threshold": 0.1})
        self.sides("a", "good great", "good", says("good"), says("great"))
        self.grade("compare", code=0)
        self.assertEqual(words_of(self.junit())["a"], "passed")
        self.write("config.json", {"threshold": 0.1, "gate": {"max_score_drop": 0.2}})
        self.grade("compare", code=1)
        self.assertEqual(words_of(self.junit()), {"gate": "failure", "a": "failure"})
        self.assertIn("the score fell by 0.50, more than 0.20", self.ctrf()["a"]["message"])

    def test_nothing_to_compare_is_red(self):
        self.sides("nowhere", None, None)
        self.sides("gone", "good", None)
        self.run_of("nobody", "good", label="candidate")
        self.assertEqual(self.grade("compare").code, 2)
        self.assertEqual(words_of(self.junit())["gate"], "error")

    def test_two_reports_compare_in_the_same_forms(self):
        self.sides("same", "good", "good")
        self.sides("regressed", "good", "bad")
        for label in ("baseline", "candidate"):
            self.main("run", label)
        done = self.grade("compare", "reports/baseline.json", "reports/candidate.json", code=1)
        self.assertIn("FAILED", done.out)
        self.assertEqual(words_of(self.junit()), {"gate": "failure", "same": "passed", "regressed": "failure"})


class Github(Outputs):
    def many(self, count, output="bad"):
        for number in range(count):
            self.case("case-%02d" % number)
            self.run_of("case-%02d" % number, output)

    def test_the_summary_is_appended_and_the_annotations_are_bounded(self):
        self.many(15)
        self.write("summary.md", "Another step was here.\n")
        done = self.github("run")
        self.assertEqual(done.code, 1)
        text = self.read("summary.md")
        self.assertTrue(text.startswith("Another step was here.\n\n\n> [!CAUTION]\n"), text[:80])
        self.assertTrue(text.endswith(without_picture(self.read("reports/candidate.md"))))
        found = commands_of(done.out)
        self.assertEqual([level for level, _, _ in found], ["error"] * 10)
        self.assertEqual(found[0][1]["title"], "failed: gate")
        self.assertIn("\n1. ", found[0][2])
        self.assertEqual(found[1][1], {"file": "runs/candidate/case-00.json", "line": "1", "title": "failed: case-00"})
        self.assertIn("\nReproduce: python3 eval_harness.py run candidate --case case-00", found[1][2])
        self.assertIn("7 more", found[-1][2])

    def test_a_green_gate_is_a_notice(self):
        self.many(2, "good")
        done = self.github("run")
        self.assertEqual(done.code, 0)
        self.assertEqual([(level, place["title"]) for level, place, _ in commands_of(done.out)],
                         [("notice", "passed: gate")])

    def test_kinds_of_annotations(self):
        for name, before, after in (("fixed", "bad", "good"), ("worse", "good", "bad"), ("still", "bad", "bad"),
                                    ("gone", "good", None), ("same", "good", "good")):
            self.case(name)
            self.run_of(name, before, label="baseline")
            if after:
                self.run_of(name, after)
        found = {place["title"]: level for level, place, _ in commands_of(self.github("compare").out)}
        self.assertEqual(found, {"failed: gate": "error", "regressed: worse": "error", "removed: gone": "error",
                                 "still failing: still": "warning", "fixed: fixed": "notice"})

    def test_recordings_are_found_from_the_top_of_the_repository(self):
        self.write("evals/config.json", {})
        self.write("evals/fixtures/f.json", [{"id": each, "output": [says("good")]} for each in ("a", "b")])
        self.lines("evals/runs/candidate/all.jsonl", [{"case": "a", "output": "bad"}, {"case": "b", "output": "bad"}])
        done = self.github("run", "--config", "evals/config.json")
        self.assertEqual([(place.get("file"), place.get("line")) for _, place, _ in commands_of(done.out)],
                         [(None, None), ("evals/runs/candidate/all.jsonl", "1"), ("evals/runs/candidate/all.jsonl", "2")])

    def test_a_recording_outside_the_repository_is_not_named(self):
        self.many(1)
        (self.folder / "repository").mkdir()
        done = self.github("run", GITHUB_WORKSPACE=str(self.folder / "repository"))
        self.assertEqual([set(place) for _, place, _ in commands_of(done.out)], [{"title"}, {"title"}])
        self.assertNotIn(str(self.folder), done.out)

    def test_without_a_summary_there_is_a_warning_and_the_same_verdict(self):
        for output, code in (("good", 0), ("bad", 1)):
            self.many(1, output)
            for env in ({"summary": None}, {"GITHUB_STEP_SUMMARY": " ", "summary": None}):
                done = self.github("run", **env)
                self.assertEqual(done.code, code)
                self.assertIn("GITHUB_STEP_SUMMARY is not set", done.err)
                self.assertTrue(commands_of(done.out))

    def test_a_summary_that_cannot_be_written_is_told_and_never_masks_the_gate(self):
        for output, code in (("good", 2), ("bad", 1)):
            self.many(1, output)
            done = self.github("run", summary="no/such/folder")
            self.assertEqual(done.code, code)
            self.assertIn("the step summary cannot be written: no such file or directory", done.err)
            self.assertTrue(self.report()["cases"])
            self.assertTrue(commands_of(done.out))

    def test_the_summary_stays_below_its_limit_with_what_is_there_already(self):
        self.many(30)
        whole = len(self.read("reports/candidate.md")) if self.github("run", summary=None).code == 1 else 0
        limit = 1 << 20
        for there, cut in ((limit - whole - 5000, False), (limit - whole, True), (limit - 2500, True)):
            self.write("summary.md", "x" * there)
            self.assertEqual(self.github("run").code, 1)
            size = (self.folder / "summary.md").stat().st_size
            self.assertLessEqual(size, limit)
            self.assertGreater(size, there)
            self.assertEqual("sections are left out here" in self.read("summary.md"), cut)

    def test_a_full_summary_is_left_alone(self):
        self.many(1)
        for there in ((1 << 20) - 1500, 1 << 20, 2 << 20):
            self.write("summary.md", "x" * there)
            done = self.github("run")
            self.assertEqual(done.code, 1)
            self.assertEqual((self.folder / "summary.md").stat().st_size, there)
            self.assertIn("full already", done.err)

    def test_a_report_on_stdout_stays_whole(self):
        self.many(2)
        for form, read in (("--json", lambda text: json.loads(text)), ("--ctrf", lambda text: read_ctrf(self, text)),
                           ("--junit", lambda text: read_junit(self, text))):
            done = self.github("run", form, "-")
            read(done.out)
            self.assertEqual(commands_of(done.out), [])
            self.assertEqual([level for level, _, _ in commands_of(done.err)], ["error"] * 3)

    def test_no_other_verb_takes_the_options(self):
        for verb in ("validate", "verify", "show", "checks"):
            self.assertEqual(self.main(verb, "--github").code, 2)

    def test_a_reader_that_went_away_changes_nothing(self):
        self.many(3)
        with contextlib.ExitStack() as stack:
            end, start = os.pipe()
            os.close(end)
            out = stack.enter_context(os.fdopen(start, "w"))
            stack.enter_context(mock.patch.dict(os.environ, {"GITHUB_STEP_SUMMARY": str(self.folder / "s.md")}))
            before = os.getcwd()
            stack.callback(os.chdir, before)
            os.chdir(self.folder)
            stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
            stack.enter_context(contextlib.redirect_stdout(out))
            self.assertEqual(eh.main(["run", "--github"]), 1)
        self.assertTrue(self.read("s.md"))


class Comment(Outputs):
    def test_it_is_the_markdown_report_behind_a_marker(self):
        self.case("a")
        self.run_of("a", "bad")
        self.grade("run")
        self.assertEqual(self.read("out/pr.md"), "<!-- eval_harness: candidate -->\n" + without_picture(self.read("reports/candidate.md")))

    def test_it_is_cut_at_a_section_below_the_limit(self):
        for number in range(90):
            self.case("case-%02d" % number, description="d" * 2000)
            self.run_of("case-%02d" % number, "bad")
        self.grade("run")
        text = self.read("out/pr.md")
        self.assertLess(len(text), 60_001)
        self.assertGreater(len(text), 50_000)
        self.assertRegex(text, r"\n\.\.\. \d+ more sections are left out here[^\n]*\n\Z")
        self.assertEqual(text.count("### "), text.count("Reproduce: "))

    def test_the_marker_is_stable_safe_and_tells_labels_apart(self):
        labels = ["a", "a-b", "a--b", "a---b", "-->", "--!>", "a b", "a/b", "ä", "<!--", "%2D", "a\nb", "a\ud800", "-", ">"]
        markers = [eh.comment_marker(label) for label in labels]
        self.assertEqual(len(set(markers)), len(labels))
        for marker in markers:
            self.assertRegex(marker, r"\A<!-- eval_harness: [\w.@+%-]+ -->\n\Z")
            self.assertNotIn("--", marker[4:-4])
        self.assertEqual(eh.comment_marker("baseline-vs-candidate"), "<!-- eval_harness: baseline-vs-candidate -->\n")

    @unittest.skipIf(os.name == "nt", "no such names there")
    def test_a_label_of_control_characters_is_visible(self):
        self.case("a")
        self.run_of("a", "bad", label="x\x1b\n::error::y")
        done = self.grade("run", "x\x1b\n::error::y", code=1)
        self.assertEqual({side for side, _ in self.junit()}, {"x\\x1b\\n::error::y", "x\\x1b\\n::error::y.gate"})
        self.assertEqual(commands_of(done.out), [])
        self.ctrf()

    def test_a_label_from_a_folder_is_safe_in_it(self):
        self.case("a")
        self.run_of("a", "bad", label="x--><b>")
        self.grade("run", "x--><b>", code=1)
        self.assertTrue(self.read("out/pr.md").startswith("<!-- eval_harness: x-%2D%3E%3Cb%3E -->\n"))
        self.assertEqual(set(self.junit()), {("x--><b>.gate", "gate"), ("x--><b>", "a")})

    def test_no_image_and_no_file_beside_it(self):
        with contextlib.chdir(HARNESS.parent):
            with contextlib.redirect_stdout(io.StringIO()):
                eh.main(["compare", "--reports", str(self.folder), "--comment", str(self.folder / "pr.md")])
        self.assertNotRegex(self.read("pr.md"), r"!\[|<img|<picture|\]\(")


class Hostile(Outputs):
    """Every hostile text as everything that a text can be, through every form."""

    def hostile_suite(self, texts, ids=None):
        ids = ids or ["case-%03d" % number for number in range(len(texts))]
        fixtures, good, bad = [], [], []
        for number, (case_id, text) in enumerate(zip(ids, texts)):
            authored = text.encode("utf-8", "replace").decode()
            named = authored if authored.strip() else "blank"
            fixtures.append({"id": case_id, "description": authored, "tags": [named], "output": [
                {"check": "equals", "value": "right", "name": named, "why": authored}], "trace": [
                    {"check": "calls", "expected": [{"name": "pay", "arguments": {"x": authored + "!"}}]}]})
            steps = [call(text, arguments={"x": text, text: [text]}, result=text),
                     {"kind": "message", "role": "assistant", "text": text}]
            good.append({"case": case_id, "output": "right", "model": text, "steps": [
                call("pay", arguments={"x": authored + "!"}, result=text), steps[1]]})
            bad.append({"case": case_id, "repeat": 1, "output": text, "model": text, "steps": steps})
            if number % 3 == 0:
                bad.append({"case": case_id, "repeat": 2, "output": text, "status": "error", "error": text, "steps": steps})
        for path, values in (("fixtures/f.jsonl", fixtures), ("runs/baseline/r.jsonl", good), ("runs/candidate/r.jsonl", bad)):
            self.write(path, "".join(json.dumps(value) + "\n" for value in values))
        return ids

    def check_all(self, ids, *argv, most=100):
        """Grade, and read every form back."""
        done = self.github(*argv, *self.FORMS, "--quiet")
        self.assertEqual(done.code, 1, done.err)
        wanted = {eh.name_in_ci(case_id) for case_id in ids}
        self.assertEqual(len(wanted), len(ids))
        found = self.junit()
        self.assertEqual({name for side, name in found if not side.endswith(".gate")}, wanted)
        self.assertEqual({word for _, word, _ in found.values()} - {"failure", "error"}, set())
        self.assertEqual(set(self.ctrf()), wanted | {"gate"})
        name = "candidate" if argv[0] == "run" else "baseline-vs-candidate"
        shown = min(len(ids), most)
        check_markdown(self, without_picture(self.read("reports/%s.md" % name)), shown)
        check_markdown(self, self.read("summary.md"), shown)
        marker, _, comment = self.read("out/pr.md").partition("\n")
        self.assertEqual(marker, "<!-- eval_harness: %s -->" % name)
        self.assertLess(len(comment), 65_536 - 100)
        check_markdown(self, comment, comment.count("\n### ") + comment.startswith("### "))
        self.check_streams(done)
        os.unlink(self.folder / "summary.md")

    def check_streams(self, done):
        """No stream holds a control character, and no command but the annotations."""
        for text in (done.out, done.err):
            self.assertEqual([char for char in text if char != "\n" and unicodedata.category(char) in ("Cc", "Cs")], [])
        lines = [line for line in done.out.split("\n") if line.startswith("::")]
        found = commands_of(done.out)
        self.assertEqual(len(found), len(lines))
        self.assertLessEqual(len(found), 30)
        for level, place, message in found:
            self.assertIn(level, ("error", "warning", "notice"))
            self.assertLessEqual(set(place), {"file", "line", "title"})
            self.assertRegex(place.get("file", "runs/candidate/r.jsonl"), r"\Aruns/candidate/r\.jsonl\Z")
            self.assertRegex(place["title"], r"\A(?:failed: gate|critical|error|failed|regressed: |eval_harness\Z)")

    def test_as_everything_but_the_id(self):
        self.check_all(self.hostile_suite(HOSTILE), "run")
        self.check_all(self.hostile_suite(HOSTILE), "compare")

    def test_as_the_id_too(self):
        texts = [text for text in HOSTILE if text.isprintable() or not any("\ud800" <= char <= "\udfff" for char in text)]
        texts = sorted(text for text in texts if text.strip())
        ids = self.hostile_suite(texts, texts)
        self.check_all(ids, "run")
        self.check_all(ids, "compare")

    def test_on_the_terminal_at_every_width(self):
        ids = self.hostile_suite(HOSTILE)
        for width in (40, 61, 80, 160):
            for argv in (["run"], ["compare"], *(["compare", "--case", ids[at]] for at in (50, 57, 61, 62))):
                with mock.patch.dict(os.environ, {"COLUMNS": str(width)}):
                    done = self.main(*argv)
                self.assertEqual(commands_of(done.out) + commands_of(done.err), [], (width, argv))
                self.assertEqual([char for char in done.out if char != "\n" and not char.isprintable()
                                  and unicodedata.category(char) in ("Cc", "Cs")], [])

    def test_forms_on_stdout_hold_no_command(self):
        self.hostile_suite(HOSTILE)
        for form in ("--junit", "--ctrf", "--comment", "--markdown"):
            self.assertEqual(commands_of(self.main("run", form, "-").out), [], form)

    @long
    def test_of_megabytes(self):
        ids = self.hostile_suite([text[:40_000] for text in HUGE])
        # In full where only a recording can put it.
        for number, text in enumerate(HUGE):
            self.case("huge-%d" % number, {"check": "equals", "value": "right"})
            self.run_of("huge-%d" % number, "right", label="baseline")
            self.run_of("huge-%d" % number, text, **({"error": text, "status": "error"} if number == 3 else {}))
            ids.append("huge-%d" % number)
        self.assertEqual(self.github("compare", *self.FORMS).code, 1)
        self.assertEqual(len(self.junit()), len(ids) + 1)
        self.assertEqual(len(self.ctrf()), len(ids) + 1)
        for path, limit in (("j.xml", 400_000), ("c.json", 400_000), ("pr.md", 60_000), ("../summary.md", 1 << 20)):
            self.assertLessEqual((self.folder / "out" / path).stat().st_size, limit, path)

    def test_ids_of_megabytes_stay_apart(self):
        ids = ["a" * 100_000 + "1", "a" * 100_000 + "2"]
        self.hostile_suite(["x", "y"], ids)
        self.github("run", *self.FORMS)
        self.assertEqual(len(self.junit()), 3)
        self.assertLess(max(len(name) for _, name in self.junit()), 300)

    def test_a_secret_is_in_none_of_them(self):
        for number, secret in enumerate(SECRETS):
            self.case("case-%d" % number, {"check": "equals", "value": "right"})
            self.run_of("case-%d" % number, {"note": "it is %s." % secret, "password": secret, "alias": secret},
                        status="error", error="failed with " + secret)
        done = self.github("run", *self.FORMS)
        texts = [done.out, done.err, *(self.read(path) for path in (*self.FORMS[1::2], "summary.md"))]
        for secret in SECRETS:
            for text in texts:
                self.assertNotIn(secret[8:20], text)


class Workflows(unittest.TestCase):
    """The workflows of this repository, as far as text tells."""

    def test_they_give_no_outsider_a_shell_and_no_more_rights_than_needed(self):
        for path in (HARNESS.parent / ".github/workflows").glob("*.yml"):
            text = path.read_text()
            self.assertRegex(text, r"(?m)^permissions:\n  contents: read\n")
            self.assertEqual(re.findall(r"(?m)^ *- uses: (?![\w/-]+@(?:v\d+|[0-9a-f]{40})$).*", text), [])
            for expression in re.findall(r"\$\{\{ *(.*?) *\}\}", text):
                self.assertRegex(expression, r"^matrix\.\w+$")
            self.assertNotIn("pull_request_target", text)

    def test_the_demo_does_what_its_workflow_says(self):
        text = (HARNESS.parent / ".github/workflows/eval.yml").read_text()
        codes = []
        for command in re.findall(r"(?m)^ *(?:run: )?python3 eval_harness\.py (.+(?:\n {10}--.*)?)", text):
            words = command.partition("||")[0].split()
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(HARNESS.parent), mock.patch.dict(
                    os.environ, {"GITHUB_STEP_SUMMARY": os.path.join(folder, "summary")}):
                words = [os.path.join(folder, word) if word.startswith("out") else word for word in words]
                with contextlib.redirect_stdout(io.StringIO()):
                    codes.append(eh.main(words))
        self.assertEqual(codes, [0, 0, 1])


class Parts(unittest.TestCase):
    # What a foreign report may hold: nothing in it was made visible when it was written.
    ROW = {"case": "a\x1b\n", "description": "d\n::error::pwned", "status": "failed", "score": 0.0, "threshold": 0.8,
           "tags": ["t\n"], "reason": "r\n::error::pwned\ud800", "runs": [{
               "repeat": 1, "status": "failed", "score": 0.0, "source": "s\n::error::.json", "reason": "x\0", "checks": [
                   {"name": "n\n", "dimension": "output", "critical": False, "advisory": False, "outcome": "failed",
                    "reason": "y\n", "evidence": ["/z\n"], "why": "w\n"}]}]}

    def test_a_verdict_is_visible_whatever_a_row_holds(self):
        verdict = eh.verdict_of_row(self.ROW, eh.make_config().gate, "python3 eval_harness.py run")
        for text in (verdict.name, verdict.message, *verdict.lines, *verdict.tags):
            self.assertEqual(text, eh.visible(text))
        self.assertTrue(eh._ctrf_test(verdict, "failed")["filePath"].isprintable())
        made = eh.workflow_command("error", "t\n::error::x", "m", {"file": verdict.source, "line": "1"})
        self.assertEqual(made.count("\n"), 1)
        self.assertEqual(commands_of(made)[0][1]["file"], "s\\n::error::.json")

    def test_a_word_broken_at_a_colon_begins_no_command(self):
        style = eh.Style(False, True, 60)
        for before in range(50, 65):
            for lead in ("", "x "):
                text = eh.wrapped(lead + "a" * before + "::error::pwned", 60, "     ", style)
                self.assertEqual(commands_of(text), [], text)

    def test_names(self):
        self.assertEqual(eh.name_in_ci("refund-over-limit"), "refund-over-limit")
        self.assertEqual(eh.name_in_ci("x" * 200), "x" * 200)
        self.assertNotEqual(eh.name_in_ci("a\n"), eh.name_in_ci("a\\n"))
        self.assertNotEqual(eh.name_in_ci("x" * 300 + "a"), eh.name_in_ci("x" * 300 + "b"))

    def test_workflow_commands_are_escaped_as_github_reads_them(self):
        made = eh.workflow_command("error", "a: b, c%3A", "50 % of\r\nlines: x, y", {"file": "a,b:c%.json"})
        self.assertEqual(made, "::error file=a%2Cb%3Ac%25.json,title=a%3A b%2C c%253A::50 %25 of%0D%0Alines: x, y\n")
        self.assertEqual(commands_of(made), [
            ("error", {"file": "a,b:c%.json", "title": "a: b, c%3A"}, "50 % of\r\nlines: x, y")])

    def test_lines_are_bounded_and_keep_the_last(self):
        lines = eh.bounded_lines(["line %d " % number + "x" * 90 for number in range(1000)] + ["Reproduce: it"])
        self.assertLess(sum(map(len, lines)), 9_000)
        self.assertEqual(lines[-1], "Reproduce: it")
        self.assertRegex(lines[-2], r"^\.\.\. \d+ more lines left out here")
        self.assertEqual(eh.bounded_lines(["a\nb", "c"]), ("a\\nb", "c"))

    def test_the_reader_of_these_tests_finds_commands(self):
        for line in ("::error::x", "  ::error file=a::x", "\u200d::error::x", "text ##[error]x", "##vso[task.x]y"):
            self.assertTrue(commands_of("first\n%s\nlast" % line), line)
        self.assertEqual(commands_of("std::string ::unknown:: ## [x] a ::error::"), [])


if __name__ == "__main__":
    unittest.main()
