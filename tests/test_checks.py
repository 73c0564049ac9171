"""Every check's docstring is its specification: its Pass, Fail, Error and NA lines are run here."""

import json
import subprocess
import sys
import unittest

import eval_harness as eh
from tests.test_rooms import PATH

OUTCOMES = {"Pass": eh.PASSED, "Fail": eh.FAILED, "Error": eh.ERROR, "NA": eh.NOT_APPLICABLE}


def outcome_of(known, run, params, case_keys=None, config_keys=None, **common):
    """The CheckResult of one use of a check on one native run."""
    config = eh.make_config(config_keys or {})
    # A check that is advisory by default would leave the case without one that counts.
    common = {"advisory": False, **common} if known.advisory else common
    case = eh.compile_case({"id": "x", known.dimension: [{"check": known.name, **params, **common}], **(case_keys or {})},
                           config)
    recorded = eh.read_value({"status": "completed", **run}, eh.Origin("here", "x", 1, None, b""))
    assert not recorded.problem, recorded.problem
    spec = next(spec for spec in case.checks if spec.check.name == known.name)
    return eh.grade_check(spec, recorded, eh.context_of(case, recorded, config))


class Docstrings(unittest.TestCase):
    def test_every_example_holds(self):
        for known in eh.CHECKS.values():
            for word, run, params, *more in eh.docstring_cases(known.doc):
                with self.subTest(check=known.name, run=run, params=params):
                    result = outcome_of(known, run, params, *more)
                    self.assertFalse(result.crashed, result.reason)
                    self.assertEqual(result.word, OUTCOMES[word], result.reason)

    def test_every_check_shows_a_pass_and_a_fail(self):
        for known in eh.CHECKS.values():
            with self.subTest(check=known.name):
                self.assertLessEqual({"Pass", "Fail"}, {word for word, *_ in eh.docstring_cases(known.doc)})

    def test_no_example_line_is_overlooked(self):
        for known in eh.CHECKS.values():
            written = sum(line.split(":")[0].strip() in OUTCOMES for line in known.doc.splitlines() if ":" in line)
            self.assertEqual(len(list(eh.docstring_cases(known.doc))), written, known.name)

    def test_not_inverts_a_verdict_and_never_makes_a_pass_of_an_error(self):
        opposite = {eh.PASSED: eh.FAILED, eh.FAILED: eh.PASSED, eh.ERROR: eh.ERROR, eh.NOT_APPLICABLE: eh.NOT_APPLICABLE}
        for known in eh.CHECKS.values():
            for word, run, params, *more in eh.docstring_cases(known.doc):
                with self.subTest(check=known.name, run=run, params=params):
                    result = outcome_of(known, run, params, *more, **{"not": True})
                    # "It does not contain X" needs a text, and "it is not X" something that is there.
                    evidence = run.get("output") is not None and params.get("at") not in ("/output/sum", "/output/b")
                    judged = known.dimension != "output" or word != "Fail" or evidence
                    self.assertEqual(result.word, opposite[OUTCOMES[word]] if judged else eh.ERROR)
                    self.assertEqual(result.score, float(result.word == eh.PASSED))

    def test_reasons_are_one_finished_sentence(self):
        for known in eh.CHECKS.values():
            for _, run, params, *more in eh.docstring_cases(known.doc):
                reason = outcome_of(known, run, params, *more).reason
                self.assertTrue(reason)
                self.assertNotRegex(reason, r"\n|\{\}|Plain\(|MISSING")


class Registry(unittest.TestCase):
    def tearDown(self):
        for name in [name for name in eh.CHECKS if name.startswith("test-")]:
            del eh.CHECKS[name]

    def test_a_users_own_check_works_like_a_built_in_one(self):
        @eh.check("test-polite", dimension="output")
        def polite(run, *, word: str = "please", times: int = 1) -> eh.Outcome:
            """The output holds the word often enough."""
            found = run.output.count(word)
            return eh.passed("polite") if found >= times else eh.failed("only {} times", found)

        self.assertEqual(outcome_of(eh.CHECKS["test-polite"], {"output": "please"}, {}).word, eh.PASSED)
        result = outcome_of(eh.CHECKS["test-polite"], {"output": "please"}, {"times": 2})
        self.assertEqual((result.word, result.reason), (eh.FAILED, "only 1 times"))
        with self.assertRaisesRegex(eh.HarnessError, "whole number"):
            outcome_of(eh.CHECKS["test-polite"], {"output": "please"}, {"times": "2"})

    def test_a_check_that_cannot_be_checked_is_refused(self):
        def define(name="test-x", dimension="output", doc="Doc.", annotation=str):
            def function(run, *, value: annotation):
                pass
            function.__doc__ = doc
            return eh.check(name, dimension=dimension)(function)

        define()
        with self.assertRaisesRegex(ValueError, "exists"):
            define()
        with self.assertRaisesRegex(ValueError, "docstring"):
            define("test-y", doc=None)
        with self.assertRaisesRegex(ValueError, "no Kind"):
            define("test-z", annotation=set)
        with self.assertRaisesRegex(ValueError, "dimension"):
            define("test-w", dimension="style")
        with self.assertRaisesRegex(ValueError, "takes run"):
            eh.check("test-v", dimension="output")(_no_run)

    def test_string_annotations_are_understood(self):
        def function(run, *, value: "str | list[str]"):
            """Doc."""
        eh.check("test-str", dimension="output")(function)
        self.assertIs(eh.CHECKS["test-str"].parameters["value"].kind, eh.TEXTS)

    def test_a_crash_inside_a_check_stays_inside(self):
        @eh.check("test-crash", dimension="output")
        def crash(run, *, value: int = 0) -> eh.Outcome:
            """Divides by zero."""
            return 1 / value

        result = outcome_of(eh.CHECKS["test-crash"], {"output": "x"}, {})
        self.assertEqual((result.word, result.score, result.crashed), (eh.ERROR, 0.0, True))
        self.assertIn("ZeroDivisionError", result.reason)


def _no_run(thing, *, value: str):
    """Doc."""


class Catalogue(unittest.TestCase):
    def told(self, *args):
        return subprocess.run([sys.executable, PATH, "checks", *args], capture_output=True, text=True)

    def test_it_lists_every_check_and_operator(self):
        text = self.told().stdout
        for name in [*eh.CHECKS, *eh.OPERATORS]:
            self.assertRegex(text, r"(?m)^  %s +\S" % name.replace("$", r"\$"))

    def test_it_explains_every_check(self):
        self.assertEqual(self.told("calls").stdout, eh.describe_check(eh.CHECKS["calls"]))
        for known in eh.CHECKS.values():
            text = eh.describe_check(known)
            for parameter in known.parameters:
                self.assertIn(parameter, text)

    def test_operators_are_documented_with_an_example_that_compiles(self):
        for name, known in eh.OPERATORS.items():
            with self.subTest(operator=name):
                example = known.doc.split("`")[-2]
                self.assertIn(name, json.loads(example))
                eh.compile_matcher(json.loads(example))


if __name__ == "__main__":
    unittest.main()
