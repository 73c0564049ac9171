"""Scores, statuses, repeats, summaries and the gate of `run`."""

import contextlib
import itertools
import json
import random
import unittest

import eval_harness as eh
from tests.support import Workspace, call, long, says

GOOD, BAD = says("good"), says("bad")


def grade(case, *recorded, config=None):
    """The CaseResult of a case and recorded runs, all given as JSON values."""
    config = eh.make_config(config)
    compiled = eh.compile_case({"id": "c", **case}, config)
    runs = [eh.read_value(value, eh.Origin("run%d.json" % number, "c", None, None, b"%d" % number))
            for number, value in enumerate(recorded, 1)]
    return eh.grade_case(compiled, runs, config)


def outcomes(result, repeat=0):
    """The outcome words of a case's checks."""
    return [each.word for each in result.runs[repeat].checks]


NUMBERS = itertools.count(1)


@contextlib.contextmanager
def registered(function):
    """A user's own check, for the time of a test; gives its name, which is a new one each time."""
    function.__doc__, name = "A check of a user.", "own_%d" % next(NUMBERS)
    eh.check(name, dimension="output")(function)
    try:
        yield name
    finally:
        del eh.CHECKS[name]


class Scores(unittest.TestCase):
    """Dimension score = sum(w * s) / sum(w); case score = sum(W * S) / sum(W) over dimensions with a score."""

    def test_the_worked_example(self):
        result = grade({"output": [says("good", weight=3), says("bad", weight=1)],
                        "trace": [{"check": "calls", "expected": ["a", "b"], "score": "recall", "threshold": 0.5, "weight": 2},
                                  {"check": "count", "call": "a", "max": 1}]},
                       {"output": "good", "steps": [call("a")]})
        self.assertEqual(result.dimensions["output"], 0.75)
        self.assertAlmostEqual(result.dimensions["trace"], (2 * 0.5 + 1 * 1) / 3, delta=1e-15)
        self.assertIsNone(result.dimensions["contract"])
        self.assertAlmostEqual(result.score, (0.4 * 0.75 + 0.3 * 2 / 3) / 0.7, delta=1e-15)
        self.assertEqual(round(result.score, 6), 0.714286)

    def test_all_three_dimensions(self):
        result = grade({"output": [GOOD], "trace": [{"check": "calls", "expected": []}], "contract": [BAD]},
                       {"output": "good", "steps": []})
        self.assertEqual(result.dimensions, {"output": 1.0, "trace": 1.0, "contract": 0.0})
        self.assertAlmostEqual(result.score, 0.7, delta=1e-15)
        self.assertEqual(result.status, "failed")

    def test_two_and_one(self):
        for heavy, light, score in ((GOOD, BAD, 2 / 3), (BAD, GOOD, 1 / 3)):
            for threshold in (0.3, 0.5, 0.7):
                result = grade({"threshold": threshold, "output": [{**heavy, "weight": 2}, {**light, "weight": 1}]},
                               {"output": "good"})
                self.assertAlmostEqual(result.score, score, delta=1e-15)
                self.assertEqual(result.status, "passed" if score >= threshold else "failed")

    def test_weights_of_the_config(self):
        result = grade({"output": [BAD], "contract": [GOOD]}, {"output": "good"},
                       config={"weights": {"output": 1, "trace": 100, "contract": 3}})
        self.assertEqual(result.score, 0.75)

    def test_a_check_counts_in_the_dimension_where_it_stands(self):
        result = grade({"output": [GOOD], "trace": [BAD]}, {"output": "good", "steps": []})
        self.assertEqual((result.dimensions["output"], result.dimensions["trace"]), (1.0, 0.0))

    def test_tiny_and_huge_weights(self):
        result = grade({"output": [says("good", weight=1e-300), says("bad", weight=1e-300)]}, {"output": "good"})
        self.assertEqual(result.score, 0.5)
        result = grade({"output": [says("good", weight=10 ** 9), says("bad", weight=10 ** 9)]}, {"output": "good"})
        self.assertEqual(result.score, 0.5)

    def test_whole_scores_are_whole(self):
        for weights in itertools.product((0.1, 0.2, 0.3, 0.7, 1 / 3), repeat=3):
            checks = [says("good", weight=weight) for weight in weights]
            result = grade({"output": checks, "trace": checks, "contract": checks, "threshold": 1},
                           {"output": "good", "steps": []}, config={"weights": dict(zip(eh.DIMENSIONS, weights))})
            self.assertEqual((result.score, result.status), (1.0, "passed"), weights)

    def test_the_order_of_checks_does_not_matter(self):
        checks = [says("good", weight=1e-8), says("bad", weight=0.2), says("good", weight=0.3), says("bad", weight=10 ** 9)]
        scores = {grade({"output": list(order)}, {"output": "good"}).score for order in itertools.permutations(checks)}
        self.assertEqual(len(scores), 1)

    def test_the_threshold_has_a_tolerance_of_a_billionth(self):
        for short, status in ((0, "passed"), (5e-10, "passed"), (2e-9, "failed")):
            result = grade({"threshold": 0.8, "output": [says("good", weight=0.8 - short), says("bad", weight=0.2 + short)]},
                           {"output": "good"})
            self.assertEqual(result.status, status, short)

    def test_a_case_threshold_of_zero_passes_with_a_score_of_zero(self):
        result = grade({"threshold": 0, "output": [BAD]}, {"output": "good"})
        self.assertEqual((result.score, result.status), (0.0, "passed"))

    def test_not_applicable_leaves_the_weights(self):
        check = {"check": "sourced", "call": "pay", "weight": 100}
        result = grade({"output": [GOOD], "trace": [check, {"check": "count", "call": "find", "max": 0}]},
                       {"output": "good", "steps": [call("find")]})
        self.assertEqual(outcomes(result), ["passed", "not_applicable", "failed"])
        self.assertEqual(result.dimensions, {"output": 1.0, "trace": 0.0, "contract": None})
        self.assertAlmostEqual(result.score, 0.4 / 0.7, delta=1e-15)

    def test_a_dimension_with_nothing_applicable_has_no_score(self):
        result = grade({"output": [GOOD], "trace": [{"check": "sourced", "call": "pay"}]}, {"output": "good", "steps": []})
        self.assertEqual(result.dimensions, {"output": 1.0, "trace": None, "contract": None})
        self.assertEqual((result.score, result.status), (1.0, "passed"))

    def test_an_error_counts_as_zero(self):
        result = grade({"output": [GOOD], "trace": [{"check": "never", "call": "pay"}]}, {"output": "good"})
        self.assertEqual(result.dimensions["trace"], 0.0)
        self.assertAlmostEqual(result.score, 0.4 / 0.7, delta=1e-15)

    def test_advisory_checks_stay_outside(self):
        for other in (BAD, {"check": "never", "call": "pay"}, {"check": "sourced", "call": "pay"}):
            result = grade({"output": [GOOD], "contract": [{**other, "advisory": True, "weight": 99}]}, {"output": "good"})
            self.assertEqual(result.dimensions, {"output": 1.0, "trace": None, "contract": None})
            self.assertEqual((result.score, result.status, len(result.runs[0].checks)), (1.0, "passed", 2))

    def test_random_suites_against_the_formula(self):
        chance = random.Random(7)
        for _ in range(200):
            weights = {dimension: chance.choice((0.1, 1, 2.5, 40)) for dimension in eh.DIMENSIONS}
            case, expected = {"threshold": 0}, {}
            for dimension in eh.DIMENSIONS:
                checks = [(chance.choice((GOOD, BAD)), chance.choice((0.5, 1, 3))) for _ in range(chance.randrange(4))]
                case[dimension] = [{**check, "weight": weight} for check, weight in checks]
                total = sum(weight for _, weight in checks)
                expected[dimension] = sum(w for check, w in checks if check is GOOD) / total if checks else None
            known = [dimension for dimension in eh.DIMENSIONS if expected[dimension] is not None]
            if known:
                result = grade(case, {"output": "good", "steps": []}, config={"weights": weights})
                score = sum(weights[d] * expected[d] for d in known) / sum(weights[d] for d in known)
                self.assertAlmostEqual(result.score, score, delta=1e-12)
                for dimension in eh.DIMENSIONS:
                    self.assertEqual(result.dimensions[dimension] is None, expected[dimension] is None)
                    self.assertAlmostEqual(result.dimensions[dimension] or 0, expected[dimension] or 0, delta=1e-12)
                # The total can be worked out again from what is shown.
                shown = [(weights[d], result.dimensions[d]) for d in known]
                self.assertAlmostEqual(sum(w * s for w, s in shown) / sum(w for w, _ in shown), result.score, delta=1e-12)


class Negation(unittest.TestCase):
    """`not` inverts passed and failed, and never turns `error` into a pass."""

    def test_it_inverts_word_and_score(self):
        for text, word, score in (("good", "failed", 0.0), ("fine", "passed", 1.0)):
            result = grade({"output": [says("good", **{"not": True, "weight": 3})]}, {"output": text})
            self.assertEqual((outcomes(result), result.score), ([word], score))

    def test_an_error_stays_one(self):
        for check in (GOOD, {"check": "never", "call": "a"}, {"check": "excludes", "value": "x"}, {"check": "equals", "value": 1}):
            result = grade({"contract": [{**check, "not": True}]},
                           {"output": "x"} if check["check"] == "never" else {"steps": [call("a")]})
            self.assertEqual(outcomes(result), ["error"], check)
            self.assertEqual((result.score, result.status), (0.0, "unscored"))

    def test_not_applicable_stays_so(self):
        result = grade({"output": [GOOD], "trace": [{"check": "sourced", "call": "pay", "not": True}]},
                       {"output": "good", "steps": []})
        self.assertEqual(outcomes(result), ["passed", "not_applicable"])

    def test_a_text_that_nobody_can_see_is_no_evidence(self):
        for check in ({**GOOD, "not": True}, {"check": "excludes", "value": "bad"}):
            for text in ("", " \n\t", "\u200b", "\u200b\ufeff \u2060", "{}", "[ ]", '""'):
                result = grade({"output": [check]}, {"output": text})
                self.assertEqual(outcomes(result), ["error"], (check, text))
            for text in (".", "\U0001f44d", "0", "\u3042", '{"a": 1}'):
                self.assertEqual(outcomes(grade({"output": [check]}, {"output": text})), ["passed"], (check, text))
        self.assertEqual(outcomes(grade({"output": [{"check": "excludes", "value": "bad"}]}, {"output": {}})), ["error"])

    def test_what_only_numbers_can_meet_is_not_failed_by_a_text(self):
        check = {"check": "value", "at": "/scores/harm", "is": {"$gt": 0.5}, "not": True}
        for score, word in ((0.2, "passed"), (0.7, "failed"), ("high", "error"), (True, "error"), (None, "error")):
            result = grade({"output": [check]}, {"output": "x", "scores": {"harm": score}})
            self.assertEqual(outcomes(result), [word], score)

    def test_graded_checks(self):
        check = {"check": "calls", "expected": ["a", "b"], "score": "recall", "threshold": 0.5, "not": True}
        for steps, word, score in (([call("a")], "failed", 0.0), ([call("c")], "passed", 1.0)):
            result = grade({"trace": [check]}, {"steps": steps})
            self.assertEqual((outcomes(result), result.score), ([word], score))

    def test_a_critical_one_breaches_when_it_holds(self):
        self.assertEqual(grade({"output": [says("good", critical=True, **{"not": True})]}, {"output": "good"}).status, "critical")
        self.assertEqual(grade({"output": [says("good", critical=True, **{"not": True})]}, {"output": "x"}).status, "passed")

    def test_a_run_that_died_does_not_pass_by_it(self):
        for check in (GOOD, {"check": "excludes", "value": "x"}):
            result = grade({"output": [{**check, "not": True}]}, {"output": "x", "status": "error"})
            self.assertEqual(result.status, "error")


class GradedChecks(unittest.TestCase):
    """A graded check passes when its score is at least its threshold (default 1)."""

    def calls(self, made, **keys):
        result = grade({"trace": [{"check": "calls", "expected": ["a", "b", "c", "d"], "score": "recall", **keys}]},
                       {"output": "", "steps": [call(name) for name in made]})
        return result.runs[0].checks[0].word, result.score

    def test_the_score_counts_whatever_the_word(self):
        self.assertEqual(self.calls("abc"), ("failed", 0.75))
        self.assertEqual(self.calls("abc", threshold=0.75), ("passed", 0.75))
        self.assertEqual(self.calls("abc", threshold=0.76), ("failed", 0.75))
        self.assertEqual(self.calls("abcd"), ("passed", 1.0))
        self.assertEqual(self.calls(""), ("failed", 0.0))

    def test_all_or_nothing_is_one_or_zero(self):
        self.assertEqual(self.calls("abc", score="all"), ("failed", 0.0))
        self.assertEqual(self.calls("abcd", score="all"), ("passed", 1.0))

    def test_precision_recall_and_f1(self):
        for score, value in (("recall", 2 / 4), ("precision", 2 / 3), ("f1", 2 * 2 / 7)):
            word, found = self.calls("axb", score=score)
            self.assertEqual(word, "failed")
            self.assertAlmostEqual(found, value, delta=1e-15)

    def test_the_threshold_is_printed(self):
        result = grade({"output": [{"check": "similarity", "reference": "one two three four", "threshold": 0.5}]},
                       {"output": "one two"})
        self.assertIn("threshold 0.50", result.runs[0].checks[0].reason)

    def test_the_printed_score_does_not_contradict_the_verdict(self):
        expected = ["a"] * 200 + ["b"] * 51
        result = grade({"trace": [{"check": "calls", "expected": expected, "score": "recall", "threshold": 0.8}]},
                       {"steps": [call("a")] * 200})
        check, = result.runs[0].checks
        self.assertEqual((check.word, check.score), ("failed", 200 / 251))
        self.assertIn("score 0.797, threshold 0.800", check.reason)


class CriticalChecks(unittest.TestCase):
    """A critical check that failed or errored makes the case critical, with a score of 0."""

    def test_whatever_the_other_scores(self):
        for other_weight in (1, 1e6):
            result = grade({"output": [says("good", weight=other_weight)], "contract": [
                {"check": "calls", "expected": ["transfer_to_human"], "critical": True, "weight": 1e-6}]},
                {"output": "good", "steps": [call("chat")]})
            self.assertEqual((result.status, result.score), ("critical", 0.0))
            self.assertIn("calls", result.reason)

    def test_whatever_the_threshold(self):
        result = grade({"threshold": 0, "output": [says("bad", critical=True)]}, {"output": "good"})
        self.assertEqual((result.status, result.score), ("critical", 0.0))

    def test_errored(self):
        result = grade({"output": [GOOD], "trace": [{"check": "never", "call": "pay", "critical": True}]}, {"output": "good"})
        self.assertEqual((result.status, result.score), ("critical", 0.0))

    def test_passed_or_not_applicable(self):
        self.assertEqual(grade({"output": [says("good", critical=True)]}, {"output": "good"}).status, "passed")
        result = grade({"output": [GOOD], "trace": [{"check": "sourced", "call": "pay", "critical": True}]},
                       {"output": "good", "steps": []})
        self.assertEqual(result.status, "passed")

    def test_dimensions_still_say_what_was_measured(self):
        result = grade({"output": [GOOD], "contract": [says("bad", critical=True)]}, {"output": "good"})
        self.assertEqual((result.score, result.dimensions["output"], result.dimensions["contract"]), (0.0, 1.0, 0.0))


class Statuses(unittest.TestCase):
    """One status per case and repeat: missing, invalid, error, critical, unscored, failed, passed; the first that fits."""

    breach, unjudged = says("bad", critical=True), {"check": "never", "call": "pay"}

    def status(self, checks, *recorded, **keys):
        return grade({"output": checks, **keys}, *recorded).status

    def test_each_of_them(self):
        self.assertEqual(self.status([GOOD]), "missing")
        self.assertEqual(self.status([GOOD], {"metadata": {}}), "invalid")
        self.assertEqual(self.status([GOOD], {"output": "good", "status": "error"}), "error")
        self.assertEqual(self.status([GOOD, self.breach], {"output": "good"}), "critical")
        self.assertEqual(self.status([GOOD, self.unjudged], {"output": "good"}), "unscored")
        self.assertEqual(self.status([BAD], {"output": "good"}), "failed")
        self.assertEqual(self.status([GOOD], {"output": "good"}), "passed")

    def test_their_precedence(self):
        broken = {"steps": [{"kind": "nonsense"}]}
        self.assertEqual(self.status([self.breach], {"output": "good", "status": "error", **broken}), "invalid")
        self.assertEqual(self.status([self.breach, self.unjudged, BAD], {"output": "good", "status": "timeout"}), "error")
        self.assertEqual(self.status([self.unjudged, BAD, self.breach], {"output": "good"}), "critical")
        self.assertEqual(self.status([self.unjudged, BAD], {"output": "good"}), "unscored")
        self.assertEqual(self.status([BAD, GOOD], {"output": "good"}), "failed")

    def test_the_ways_to_die(self):
        for status in ("error", "timeout", "cancelled"):
            result = grade({"output": [GOOD]}, {"output": "good", "status": status})
            self.assertEqual((result.status, result.score), ("error", 0.0))
            self.assertEqual(set(result.dimensions.values()), {None})
            self.assertIn(status, result.reason)

    def test_a_recorded_error_is_a_death(self):
        result = grade({"output": [{"check": "excludes", "value": "[FAIL]"}]}, {"output": "", "error": {"type": "SyntaxError"}})
        self.assertEqual(result.status, "error")
        self.assertIn("SyntaxError", result.reason)

    def test_another_end_is_graded_but_cannot_pass(self):
        for status in ("refused", "step_limit", "incomplete"):
            result = grade({"output": [GOOD]}, {"output": "good", "status": status})
            self.assertEqual((result.status, result.score, outcomes(result)), ("failed", 1.0, ["passed"]))
            self.assertIn(status, result.reason)

    def test_unless_the_case_expects_it(self):
        for status in eh.RUN_STATUSES:
            result = grade({"output": [GOOD], "expect_status": [status]}, {"output": "good", "status": status})
            self.assertEqual((result.status, result.score), ("passed", 1.0), status)
            result = grade({"output": [GOOD], "expect_status": ["completed", status]}, {"output": "good"})
            self.assertEqual(result.status, "passed")

    def test_then_a_completed_run_cannot_pass(self):
        for status in ("refused", "error", "timeout"):
            self.assertEqual(self.status([GOOD], {"output": "good"}, expect_status=[status]), "failed")

    def test_an_expected_refusal_does_not_excuse_a_death(self):
        self.assertEqual(self.status([GOOD], {"output": "good", "status": "error"}, expect_status=["refused"]), "error")

    def test_a_call_that_waits_for_its_result_is_incomplete(self):
        steps = [{"kind": "tool_call", "name": "find", "arguments": {}}]
        result = grade({"trace": [{"check": "calls", "expected": ["find"]}]}, {"steps": steps})
        self.assertEqual((result.status, result.runs[0].run.status), ("failed", "incomplete"))

    def test_unscored_where_nothing_applies(self):
        result = grade({"trace": [{"check": "sourced", "call": "pay"}]}, {"output": "good", "steps": []})
        self.assertEqual(result.status, "unscored")

    def test_an_advisory_error_counts_for_nothing(self):
        self.assertEqual(self.status([GOOD, {**self.unjudged, "advisory": True}], {"output": "good"}), "passed")

    def test_a_reason_names_check_and_cause(self):
        result = grade({"trace": [{**self.unjudged, "name": "no payment"}]}, {"output": "good"})
        self.assertIn("no payment", result.reason)
        self.assertIn("no trace was recorded", result.reason)


class Evidence(unittest.TestCase):
    """Absent is not empty; negative checks need evidence too."""

    negative = ({"check": "excludes", "value": "x"}, {"check": "never", "call": "x"}, {"check": "count", "call": "x", "max": 3},
                {"check": "budget", "max_calls": 3}, {"check": "budget", "max_tokens": 9},
                {"check": "budget", "max_duration_ms": 9}, {"check": "budget", "max_cost_usd": 9})

    def word(self, check, recorded):
        result = grade({"contract": [check, {**check, "advisory": True}]}, recorded)
        return outcomes(result)[0]

    def test_negative_checks_on_what_is_not_recorded(self):
        for check in self.negative:
            recorded = {"steps": [call("a")]} if check["check"] == "excludes" else {"output": "a"}
            self.assertEqual(self.word(check, recorded), "error", check)

    def test_negative_checks_on_a_run_that_died(self):
        full = {"output": "a", "steps": [call("a")], "usage": {"input_tokens": 1, "output_tokens": 1, "cost_usd": 1},
                "duration_ms": 1}
        for check in self.negative:
            self.assertEqual(self.word(check, full), "passed", check)
            for status in ("error", "timeout", "cancelled"):
                self.assertEqual(self.word(check, {**full, "status": status}), "error", (check, status))

    def test_a_breach_in_a_run_that_died_does_not_pass(self):
        full = {"output": "x", "steps": [call("x")] * 5, "duration_ms": 10, "status": "error"}
        for check in (self.negative[0], self.negative[1], self.negative[2], self.negative[5]):
            self.assertIn(self.word(check, full), ("failed", "error"))

    def test_excludes_needs_a_text(self):
        for output in ("", "  \n", None):
            self.assertEqual(self.word(self.negative[0], {"output": output}), "error", output)

    def test_a_quantity_that_was_not_recorded_is_never_under_budget(self):
        self.assertEqual(self.word({"check": "budget", "max_tokens": 9}, {"output": "a", "usage": {"input_tokens": 1}}), "error")
        self.assertEqual(self.word({"check": "budget", "max_calls": 9, "max_tokens": 9}, {"output": "a", "steps": []}), "error")
        self.assertEqual(self.word({"check": "budget", "max_cost_usd": 9},
                                   {"output": "a", "model": "new", "usage": {"input_tokens": 1, "output_tokens": 1}}), "error")

    def test_trace_checks_without_a_trace(self):
        for check in ({"check": "calls", "expected": []}, {"check": "calls", "expected": ["a"]}, {"check": "never", "call": "a"},
                      {"check": "count", "call": "a", "min": 1}, {"check": "sourced", "call": "a"}):
            self.assertEqual(self.word(check, {"output": "a"}), "error", check)

    def test_no_steps_is_an_agent_that_did_nothing(self):
        for check, word in (({"check": "calls", "expected": []}, "passed"), ({"check": "calls", "expected": ["a"]}, "failed"),
                            ({"check": "never", "call": "a"}, "passed"), ({"check": "count", "call": "a", "min": 1}, "failed")):
            self.assertEqual(self.word(check, {"output": "a", "steps": []}), word, check)

    def test_an_agent_that_does_nothing_scores_nothing(self):
        for score in ("all", "recall", "precision", "f1"):
            result = grade({"trace": [{"check": "calls", "expected": ["a"], "score": score}]}, {"output": "done", "steps": []})
            self.assertEqual((result.score, result.status), (0.0, "failed"), score)

    def test_null_was_recorded(self):
        self.assertEqual(grade({"output": [{"check": "equals", "value": None}]}, {"output": None}).status, "passed")
        self.assertEqual(grade({"output": [GOOD]}, {"output": None}).status, "failed")

    def test_an_empty_run_is_invalid(self):
        for recorded in ({"status": "completed"}, {"steps": []}, {"metadata": {"a": 1}}, {"steps": [], "status": "completed"},
                         {"usage": {"input_tokens": 3}}, {"state": {"a": 1}}):
            result = grade({"output": [GOOD], "trace": [{"check": "calls", "expected": []}]}, recorded)
            self.assertEqual((result.status, result.score), ("invalid", 0.0), recorded)

    def test_an_empty_text_is_an_output(self):
        self.assertEqual(grade({"output": [{"check": "equals", "value": ""}]}, {"output": ""}).status, "passed")

    def test_all_optional_calls_are_vacuous_and_say_so(self):
        result = grade({"trace": [{"check": "calls", "expected": [{"name": "a", "optional": True}]}]}, {"output": "", "steps": []})
        self.assertEqual(result.status, "passed")
        self.assertIn("vacuous", result.runs[0].checks[0].reason)

    def test_a_number_as_output_is_compared_as_its_text(self):
        self.assertEqual(grade({"output": [says("234")]}, {"output": 12345}).status, "passed")
        self.assertEqual(grade({"output": [says("6")]}, {"output": 12345}).status, "failed")

    def test_any_kinds_of_json_can_be_compared(self):
        values = (None, True, False, 0, 1.5, "", "x", [], [1], {}, {"a": 1})
        for expected, actual in itertools.product(values, repeat=2):
            result = grade({"output": [{"check": "equals", "value": expected}]}, {"output": actual})
            same = json.dumps(expected) == json.dumps(actual)
            self.assertEqual(result.status, "passed" if same else "failed", (expected, actual))


class Repeats(unittest.TestCase):
    """The case score is the mean; the case passes if all repeats pass, or by the config's rule."""

    def grade(self, outputs, rule="all", case=None):
        runs = [{"output": each} if isinstance(each, str) else each for each in outputs]
        return grade(case or {"output": [GOOD]}, *runs, config={"repeats": {"pass": rule}})

    def test_rules(self):
        table = {("good",): ("passed",) * 3, ("bad",): ("failed",) * 3, ("good", "bad"): ("failed", "failed", "passed"),
                 ("good", "good", "bad"): ("failed", "passed", "passed"), ("good", "bad", "bad"): ("failed", "failed", "passed"),
                 ("bad", "bad"): ("failed",) * 3, ("good", "good"): ("passed",) * 3,
                 ("good", "good", "bad", "bad"): ("failed", "failed", "passed")}
        for outputs, statuses in table.items():
            for rule, status in zip(("all", "majority", "any"), statuses):
                self.assertEqual(self.grade(outputs, rule).status, status, (outputs, rule))

    def test_the_mean(self):
        case = {"threshold": 0, "output": [says("good"), says("fine"), says("great")]}
        result = self.grade(("good fine great", "good", ""), case=case)
        self.assertAlmostEqual(result.score, (1 + 1 / 3 + 0) / 3, delta=1e-15)
        self.assertAlmostEqual(result.dimensions["output"], (1 + 1 / 3 + 0) / 3, delta=1e-15)

    def test_a_repeat_that_died_scores_zero(self):
        result = self.grade(("good", {"output": "good", "status": "error"}))
        self.assertEqual((result.score, result.status), (0.5, "error"))

    def test_the_status_of_several_is_the_worst(self):
        dead, invalid, unscored = {"output": "good", "status": "timeout"}, {"steps": [3]}, {"steps": [call("a")]}
        for outputs, status in ((("bad", dead), "error"), ((dead, invalid), "invalid"), (("bad", unscored), "unscored"),
                                (("good", "bad", unscored, dead, invalid), "invalid")):
            for order in itertools.permutations(outputs):
                self.assertEqual(self.grade(order).status, status, order)

    def test_a_critical_breach_in_one_repeat_outlasts_every_rule(self):
        case = {"output": [GOOD, says("ugly", critical=True, **{"not": True})]}
        for rule in ("all", "majority", "any"):
            result = self.grade(("good", "good ugly", "good", "good"), rule, case)
            self.assertEqual(result.status, "critical")
            self.assertAlmostEqual(result.score, 0.75)

    def test_a_policy_lets_a_repeat_that_died_pass_but_not_its_score(self):
        result = self.grade(("good", "good", {"output": "", "status": "error"}), "majority")
        self.assertEqual(result.status, "passed")
        self.assertAlmostEqual(result.score, 2 / 3)

    def test_every_repeat_is_kept_with_its_own_reason(self):
        result = self.grade(("good", "bad one", "bad two"), case={"output": [{"check": "equals", "value": "good"}]})
        self.assertEqual([run.status for run in result.runs], ["passed", "failed", "failed"])
        self.assertEqual([run.repeat for run in result.runs], [1, 2, 3])
        self.assertIn("bad one", result.runs[1].reason)
        self.assertIn("bad two", result.runs[2].reason)
        self.assertIn("1 of 3", result.reason)

    def test_without_numbers_they_count_in_file_order_around_those_with_numbers(self):
        runs = [{"output": "first"}, {"output": "two", "repeat": 2}, {"output": "next"}]
        result = grade({"output": [GOOD]}, *runs)
        self.assertEqual([(run.repeat, run.run.output) for run in result.runs], [(1, "first"), (2, "two"), (3, "next")])

    def test_one_case_and_repeat_twice(self):
        with self.assertRaises(eh.HarnessError) as caught:
            grade({"output": [GOOD]}, {"output": "a", "repeat": 2}, {"output": "b", "repeat": 2})
        self.assertIn("run1.json", str(caught.exception))
        self.assertIn("run2.json", str(caught.exception))


class RepeatsOnDisk(Workspace):

    def test_names_of_files_number_repeats(self):
        self.case("a")
        self.write("runs/candidate/a.1.json", {"output": "good"})
        self.write("runs/candidate/a.2.json", {"output": "bad"})
        self.write("runs/candidate/a/7.json", {"output": "good"})
        self.assertEqual(self.main("run").code, 1)
        row, = self.report()["cases"]
        self.assertEqual([(run["repeat"], run["status"]) for run in row["runs"]], [(1, "passed"), (2, "failed"), (7, "passed")])
        self.assertEqual(self.report()["summary"]["runs"], 3)

    def test_twice_the_same_is_refused_naming_both(self):
        self.case("a")
        self.write("runs/candidate/a.1.json", {"output": "good"})
        self.write("runs/candidate/a/1.json", {"output": "good"})
        done = self.main("run")
        self.assertEqual(done.code, 2)
        self.assertIn("runs/candidate/a.1.json", done.err)
        self.assertIn("runs/candidate/a/1.json", done.err)
        self.assertNotIn("reports/candidate.json", self.files())

    def test_a_critical_breach_in_one_repeat_fails_the_gate(self):
        self.write("config.json", {"repeats": {"pass": "any"}, "gate": {"min_pass_rate": 0}})
        self.case("a", says("good"), says("ugly", critical=True, **{"not": True}))
        for number, output in enumerate(("good", "good ugly", "good"), 1):
            self.run_of("a", output, repeat=number)
        self.assertEqual(self.main("run").code, 1)
        self.assertEqual(self.report()["summary"]["critical"], 1)

    def test_a_critical_breach_in_a_repeat_that_died_fails_the_gate(self):
        self.write("config.json", {"repeats": {"pass": "any"}, "gate": {"min_pass_rate": 0, "max_error_share": 1}})
        self.case("a", contract=[{"check": "never", "call": "pay", "critical": True}])
        self.run_of("a", repeat=1, steps=[])
        self.run_of("a", repeat=2, steps=[call("pay")], status="timeout")
        self.assertEqual(self.main("run").code, 1)

    def test_each_failing_repeat_stands_in_the_markdown(self):
        self.case("a", {"check": "equals", "value": "good"})
        for number, output in enumerate(("good", "bad one", "bad two"), 1):
            self.run_of("a", output, repeat=number)
        self.main("run")
        text = self.read("reports/candidate.md")
        for wanted in ("Repeat 2", "bad one", "Repeat 3", "bad two", "runs/candidate/a.3.json"):
            self.assertIn(wanted, text)


class Summary(Workspace):
    """Counts sum to the total; the pass rate is over all selected cases; averages say over how many."""

    def suite(self):
        """One case of every status, in the order of the statuses."""
        for name in eh.STATUSES:
            self.case(name)
        self.run_of("invalid", ..., metadata={})
        self.run_of("error", status="error")
        self.case("critical", says("bad", critical=True))
        self.run_of("critical")
        self.case("unscored", trace=[{"check": "calls", "expected": []}])
        self.run_of("unscored")
        self.run_of("failed", "bad")
        self.run_of("passed")

    def test_every_status_once(self):
        self.suite()
        self.assertEqual(self.main("run").code, 1)
        report = self.report()
        self.assertEqual({row["case"]: row["status"] for row in report["cases"]}, {name: name for name in eh.STATUSES})
        summary = report["summary"]
        self.assertEqual({name: summary[name] for name in eh.STATUSES}, dict.fromkeys(eh.STATUSES, 1))
        self.assertEqual((summary["cases"], summary["runs"]), (7, 6))
        self.assertAlmostEqual(summary["pass_rate"], 1 / 7)
        self.assertAlmostEqual(summary["score"], 1 / 7)
        self.assertEqual(summary["score_measured"], {"score": 1 / 3, "n": 3})

    def test_only_passed_passes(self):
        self.suite()
        for name in eh.STATUSES:
            code = self.main("run", "--case", name).code
            self.assertEqual(code == 0, name == "passed", name)

    def test_dimensions_say_over_how_many_cases(self):
        for name in "abcd":
            self.case(name, **({"trace": [{"check": "calls", "expected": ["find"]}]} if name == "a" else {}),
                      output=[says("good")])
            self.run_of(name, steps=[call("find"), call("other")])
        self.main("run")
        self.assertEqual(self.report()["summary"]["dimensions"], {
            "output": {"score": 1.0, "n": 4}, "trace": {"score": 0.0, "n": 1}, "contract": {"score": None, "n": 0}})
        self.assertIn("| trace | 0.00 | 1/4 |", self.read("reports/candidate.md"))
        self.assertIn("| contract | n/a | 0/4 |", self.read("reports/candidate.md"))

    def test_the_headline_counts_crashes(self):
        self.lines("fixtures/all.jsonl", [{"id": "c%03d" % number, "output": [GOOD]} for number in range(172)])
        self.lines("runs/candidate/all.jsonl", [{"case": "c%03d" % number, "output": "good" if number < 108 else "bad",
                                                 "status": "error" if number >= 148 else "completed"} for number in range(172)])
        self.assertEqual(self.main("run", "--json", "-").code, 1)
        summary = json.loads(self.main("run", "--json", "-").out)["summary"]
        self.assertEqual((summary["passed"], summary["failed"], summary["error"]), (108, 40, 24))
        self.assertEqual(summary["pass_rate"], 108 / 172)
        self.assertEqual(summary["score_measured"], {"score": 108 / 148, "n": 148})
        self.assertIn("108/172", self.read("reports/candidate.md"))
        self.assertIn("148/172", self.read("reports/candidate.md"))

    def test_a_missing_run_is_counted(self):
        for name in "abcde":
            self.case(name)
            if name != "c":
                self.run_of(name)
        done = self.main("run")
        self.assertEqual(done.code, 1)
        self.assertEqual((self.report()["summary"]["missing"], self.report()["summary"]["pass_rate"]), (1, 0.8))
        self.assertIn("1 missing", done.out)

    def test_the_pass_rate_is_over_the_selected_cases(self):
        for name in "abc":
            self.case(name, tags=["t"] if name != "c" else [])
            self.run_of(name, "good" if name == "a" else "bad")
        self.main("run", "--tag", "t")
        self.assertEqual((self.report()["summary"]["pass_rate"], self.report()["summary"]["cases"]), (0.5, 2))

    def test_case_weights_weigh_the_score(self):
        self.case("a", weight=3)
        self.case("b")
        self.run_of("a")
        self.run_of("b", "bad")
        self.main("run")
        summary = self.report()["summary"]
        self.assertEqual((summary["score"], summary["score_measured"], summary["pass_rate"]), (0.75, {"score": 0.75, "n": 2}, 0.5))

    def test_repeats_do_not_weigh_more(self):
        self.case("a")
        self.case("b")
        for number in (1, 2, 3):
            self.run_of("a", repeat=number)
        self.run_of("b", "bad")
        self.main("run")
        summary = self.report()["summary"]
        self.assertEqual((summary["score"], summary["pass_rate"], summary["runs"]), (0.5, 0.5, 4))

    def test_exactly_one_result_per_case_repeat_and_check(self):
        checks = [GOOD, {"check": "never", "call": "x"}, BAD, {**GOOD, "advisory": True}, GOOD]
        self.case("a", *checks)
        for number in (1, 2):
            self.run_of("a", repeat=number)
        self.main("run")
        row, = self.report()["cases"]
        for run in row["runs"]:
            self.assertEqual([each["outcome"] for each in run["checks"]], ["passed", "error", "failed", "passed", "passed"])

    def test_parts_that_pass_are_not_drawn_as_failed(self):
        self.case("a", says("bad"), trace=[{"check": "calls", "expected": []}])
        self.run_of("a", steps=[])
        self.main("run")
        row, = self.report()["cases"]
        self.assertEqual(row["dimensions"], {"output": 0.0, "trace": 1.0, "contract": None})

    def test_the_shape_of_the_report(self):
        self.case("a", says("bad", name="greets", why="Politeness.", weight=2, critical=True), tags=["t"])
        self.run_of("a")
        self.main("run")
        report = self.report()
        self.assertEqual((report["schema"], report["kind"], report["label"]), ("eval-harness/report/1", "run", "candidate"))
        self.assertLessEqual({"gate", "summary", "cases", "unmatched_runs", "warnings", "provenance"}, set(report))
        self.assertEqual(set(report["gate"]), {"passed", "exit_code", "reasons"})
        self.assertLessEqual({"cases", "passed", "failed", "critical", "error", "missing", "invalid", "unscored", "runs",
                              "pass_rate", "score", "dimensions"}, set(report["summary"]))
        self.assertLessEqual({"harness", "config_sha256", "fixtures_sha256", "runs_sha256"}, set(report["provenance"]))
        row, = report["cases"]
        self.assertEqual((row["case"], row["status"], row["score"], row["tags"]), ("a", "critical", 0.0, ["t"]))
        run, = row["runs"]
        self.assertEqual((run["repeat"], run["status"], run["score"], run["source"]),
                         (1, "critical", 0.0, "runs/candidate/a.json"))
        check, = run["checks"]
        self.assertLessEqual({"dimension": "output", "check": "contains", "name": "greets", "outcome": "failed", "score": 0.0,
                              "weight": 2, "critical": True, "advisory": False, "evidence": ["/output"]}.items(), check.items())
        self.assertIn("bad", check["reason"])

    def test_a_text_that_lacks_something_is_shown(self):
        self.case("a", says("bad"))
        self.run_of("a", "something else")
        self.main("run")
        self.assertIn("something else", self.read("reports/candidate.md"))

    def test_the_authors_note_is_shown(self):
        self.case("a", says("bad", why="Politeness matters."))
        self.run_of("a")
        self.main("run")
        self.assertIn("Politeness matters.", self.read("reports/candidate.json"))
        self.assertIn("Politeness matters.", self.read("reports/candidate.md"))

    def test_a_passing_case_with_failed_checks_is_shown_as_such(self):
        self.case("a", says("good", weight=9), says("bad", name="the small one"))
        self.run_of("a")
        done = self.main("run")
        self.assertEqual(done.code, 0)
        text = self.read("reports/candidate.md").partition("<details>")[0]
        self.assertIn("the small one", text)
        self.assertIn("the small one", done.out)
        self.assertIn("0.90", text)

    def test_a_failed_advisory_check_of_a_passing_case_is_shown(self):
        self.case("a", says("good"), says("bad", name="the advice", advisory=True))
        self.run_of("a")
        self.assertEqual(self.main("run").code, 0)
        self.assertIn("the advice", self.read("reports/candidate.md"))

    def test_an_advisory_check_of_a_failing_case_is_shown_as_advisory(self):
        self.case("a", says("fine"), says("bad", name="the advice", advisory=True))
        self.run_of("a")
        self.main("run")
        self.assertRegex(self.read("reports/candidate.md"), "the advice.*advisory")


class CrashingCases(Workspace):
    """Adding a crashing case, or a crashing repeat, never raises any score."""

    def scores(self, cases, runs, config):
        """Every score of the summary, by name."""
        self.lines("fixtures/all.jsonl", cases)
        self.lines("runs/candidate/all.jsonl", runs)
        self.write("config.json", config)
        done = self.main("run", "--json", "-", "--markdown", "out.md")
        self.assertIn(done.code, (0, 1, 2))
        summary = json.loads(done.out)["summary"]
        self.assertEqual(sum(summary[status] for status in eh.STATUSES), summary["cases"])
        found = {"pass_rate": summary["pass_rate"], "score": summary["score"], "measured": summary["score_measured"]["score"]}
        found.update({dimension: value["score"] for dimension, value in summary["dimensions"].items()})
        found.update({"tag " + tag: value["score"] for tag, value in summary.get("tags", {}).items()})
        return {name: value for name, value in found.items() if value is not None}

    @long
    def test_on_random_suites(self):
        chance = random.Random(11)
        for number in range(60):
            cases, runs = [], []
            for index in range(chance.randrange(1, 6)):
                checks = {dimension: [{**chance.choice((GOOD, BAD)), "weight": chance.choice((1, 3)),
                                       "critical": chance.random() < 0.1} for _ in range(chance.randrange(3))]
                          for dimension in eh.DIMENSIONS}
                checks["output"].append(GOOD)
                cases.append({"id": "c%d" % index, **checks, "weight": chance.choice((0.5, 1, 4)),
                              "threshold": chance.choice((0, 0.5, 1)), "tags": chance.choice(([], ["t"], ["t", "u"]))})
                for repeat in range(1, chance.randrange(1, 4)):
                    runs.append({"case": "c%d" % index, "repeat": repeat, "output": chance.choice(("good", "bad", "ugly")),
                                 "steps": [], "status": chance.choice(("completed", "completed", "refused", "error"))})
            if not runs:
                continue
            config = {"repeats": {"pass": chance.choice(("all", "majority", "any"))},
                      "threshold": chance.choice((0.2, 0.8)), "gate": {"min_pass_rate": 0.5}}
            before = self.scores(cases, runs, config)
            death = {"output": chance.choice(("good", "")), "steps": [], "status": chance.choice(sorted(eh.DIED))}
            crashing = ({**cases[0], "id": "z", "weight": chance.choice((0.1, 9))}, {"case": "z", **death})
            after = self.scores(cases + [crashing[0]], runs + [crashing[1]], config)
            repeat = {"case": runs[0]["case"], "repeat": 9, **death}
            again = self.scores(cases, sorted(runs + [repeat], key=lambda run: (run["case"], run["repeat"])), config)
            for name, value in before.items():
                self.assertLessEqual(after[name], value + 1e-12, (number, name))
                if name != "measured":  # The case of the repeat is not measured any more.
                    self.assertLessEqual(again.get(name, 0), value + 1e-12, (number, name))


class RunGate(Workspace):
    """The gate of `run`: every broken rule in words, bounds inclusive, one exit code."""

    def suite(self, *outputs, **gate):
        """Cases with an output each; None is a run that died, an Ellipsis one that is missing."""
        for number, output in enumerate(outputs):
            self.case("c%d" % number)
            if output is None:
                self.run_of("c%d" % number, status="error")
            elif output is not ...:
                self.run_of("c%d" % number, output)
        self.write("config.json", {"gate": gate})
        self.done = self.main("run")
        self.gate = self.report()["gate"]
        self.assertEqual(self.done.code, self.gate["exit_code"])
        self.assertEqual(self.gate["passed"], self.done.code == 0)
        self.assertEqual(bool(self.gate["reasons"]), self.done.code != 0)
        return self.done.code

    def test_all_pass(self):
        self.assertEqual(self.suite("good", "good"), 0)

    def test_one_fails(self):
        self.assertEqual(self.suite("good", "bad"), 1)
        self.assertEqual(len(self.gate["reasons"]), 1)
        self.assertIn("1 of 2", self.gate["reasons"][0])

    def test_the_pass_rate_is_inclusive(self):
        self.assertEqual(self.suite("good", "good", "bad", min_pass_rate=2 / 3), 0)
        self.assertEqual(self.suite("good", "good", "bad", min_pass_rate=0.6667), 1)
        self.assertEqual(self.suite("good", "good", "bad", min_pass_rate=0.6666), 0)
        self.assertEqual(self.suite("bad", min_pass_rate=0), 0)

    def test_the_score_is_inclusive(self):
        self.assertEqual(self.suite("good", "bad", min_pass_rate=0, min_score=0.5), 0)
        self.assertEqual(self.suite("good", "bad", min_pass_rate=0, min_score=0.500001), 1)

    def test_a_dimension_is_inclusive(self):
        self.assertEqual(self.suite("good", "bad", min_pass_rate=0, min_dimension={"output": 0.5}), 0)
        self.assertEqual(self.suite("good", "bad", min_pass_rate=0, min_dimension={"output": 0.500001}), 1)

    def test_a_dimension_that_nobody_measured_reaches_no_bound(self):
        self.assertNotEqual(self.suite("good", min_dimension={"trace": 0.1}), 0)
        self.assertIn("trace", self.gate["reasons"][0])

    def test_bounds_are_met_in_spite_of_binary_fractions(self):
        self.lines("fixtures/z.jsonl", [{"id": "z%d" % number, "threshold": 0, "output": [
            says("good", weight=weight), says("bad", weight=10 - weight)]} for number, weight in enumerate((1, 2, 3, 4))])
        self.lines("runs/candidate/z.jsonl", [{"case": "z%d" % number, "output": "good"} for number in range(4)])
        self.assertEqual(self.suite(min_score=0.25, min_dimension={"output": 0.25}), 0)
        self.assertEqual(self.suite(min_score=0.250001), 1)

    def test_all_broken_rules_are_listed(self):
        self.case("z", says("bad", critical=True))
        self.run_of("z")
        self.assertEqual(self.suite("bad", min_score=0.5, min_dimension={"output": 0.9, "contract": 0.1}), 1)
        self.assertEqual(len(self.gate["reasons"]), 5)
        for reason in self.gate["reasons"]:
            self.assertIn(reason.split(":")[0], " ".join(self.done.out.split()))

    def test_a_critical_breach_fails_whatever_the_rates(self):
        self.case("z", says("bad", critical=True))
        self.run_of("z")
        self.assertEqual(self.suite("good", "good", min_pass_rate=0, min_score=0), 1)
        self.assertIn("z", self.gate["reasons"][0])

    def test_what_is_missing_fails_whatever_the_rates(self):
        self.assertEqual(self.suite("good", ..., min_pass_rate=0), 1)
        self.assertIn("no recorded run", self.gate["reasons"][0])

    def test_an_invalid_recording_fails_whatever_the_rates(self):
        self.case("z")
        self.write("runs/candidate/z.json", "{")
        self.assertEqual(self.suite("good", min_pass_rate=0), 1)
        self.assertEqual([row["status"] for row in self.report()["cases"]], ["passed", "invalid"])

    def test_what_could_not_be_judged_fails_whatever_the_rates(self):
        self.case("z", trace=[{"check": "calls", "expected": []}])
        self.run_of("z")
        self.assertEqual(self.suite("good", min_pass_rate=0), 1)

    def test_an_unreadable_recording_of_no_case_fails(self):
        self.write("runs/candidate/other.json", "{")
        self.assertEqual(self.suite("good"), 1)
        self.assertIn("other.json", self.gate["reasons"][0])

    def test_recordings_of_no_case_are_named(self):
        self.run_of("stranger")
        self.assertEqual(self.suite("good"), 0)
        self.assertEqual(self.report()["unmatched_runs"], ["runs/candidate/stranger.json"])
        self.assertIn("stranger", self.read("reports/candidate.md"))

    def test_few_deaths_are_a_failed_gate(self):
        self.assertEqual(self.suite("good", "good", None), 1)

    def test_many_deaths_are_no_measurement(self):
        self.assertEqual(self.suite("good", None, None), 2)
        self.assertIn("not a measurement", self.gate["reasons"][0])
        self.assertIn("2 of 3", self.gate["reasons"][0])

    def test_all_deaths_are_no_measurement(self):
        self.assertEqual(self.suite(None, None, min_pass_rate=0), 2)
        self.assertEqual(self.suite(None, None, min_pass_rate=0, max_error_share=1), 2)

    def test_many_deaths_and_a_measured_failure(self):
        self.assertEqual(self.suite("bad", None, None), 1)
        self.assertTrue(any("not a measurement" in reason for reason in self.gate["reasons"]))
        self.assertGreater(len(self.gate["reasons"]), 1)

    def test_many_deaths_and_a_critical_breach(self):
        self.case("z", says("bad", critical=True))
        self.run_of("z")
        self.assertEqual(self.suite(None, None, None), 1)

    def test_nothing_recorded_is_no_measurement(self):
        (self.folder / "runs" / "candidate").mkdir(parents=True)
        self.assertEqual(self.suite(..., ...), 2)

    def test_nothing_measured_is_no_measurement(self):
        self.case("c0", trace=[{"check": "calls", "expected": []}])
        self.run_of("c0")
        self.write("config.json", {"gate": {"min_pass_rate": 0}})
        self.assertEqual(self.main("run").code, 2)

    def test_never_failing_turns_one_into_zero_only(self):
        self.suite("bad")
        self.assertEqual(self.main("run", "--fail-on", "never").code, 0)
        self.assertEqual(self.report()["gate"]["exit_code"], 1)
        self.suite(None)
        self.assertEqual(self.main("run", "--fail-on", "never").code, 2)
        self.write("fixtures/z.json", "{")
        self.assertEqual(self.main("run", "--fail-on", "never").code, 2)
        self.assertEqual(self.main("run", "--fail-on", "gate").code, 2)


class PrintedNumbers(Workspace):
    """A printed number never contradicts the verdict."""

    def test_decimals_tell_a_score_from_its_bound(self):
        self.assertEqual(eh.decimals(0.7966, 0.8), ("0.797", "0.800"))
        self.assertEqual(eh.decimals(0.5, 0.8), ("0.50", "0.80"))
        chance = random.Random(3)
        for _ in range(2000):
            bound = round(chance.random(), chance.randrange(1, 6))
            score = max(0.0, bound - 10 ** -chance.uniform(0, 8.5))
            if score > bound - 1e-9:
                continue
            one, other = eh.decimals(score, bound)
            self.assertLess(float(one), float(other), (score, bound))

    def test_equal_within_the_tolerance_is_printed_equal(self):
        one, other = eh.decimals(0.8 - 1e-12, 0.8)
        self.assertEqual(float(one), float(other))

    def score_case(self):
        self.case("a", says("good", weight=7966), says("bad", weight=2034))
        self.run_of("a")
        self.done = self.main("run")
        self.assertEqual(self.done.code, 1)
        self.assertAlmostEqual(self.report()["cases"][0]["score"], 0.7966)

    def test_a_score_just_below_the_threshold_on_the_terminal(self):
        self.score_case()
        line, = [line for line in self.done.out.splitlines() if line.split()[1:2] == ["a"]]
        self.assertNotIn("0.80", line)

    def test_a_score_just_below_the_threshold_in_markdown(self):
        self.score_case()
        line, = [line for line in self.read("reports/candidate.md").splitlines() if line.startswith("### ")]
        score, _, needs = line.partition(", needs ")
        self.assertNotIn("0.80", score)
        self.assertIn("0.797", score)
        self.assertEqual(needs, "0.800")

    def test_a_score_just_below_the_threshold_in_a_comparison(self):
        self.case("a", says("good", weight=7966), says("bad", weight=2034))
        self.run_of("a", "good, bad", label="baseline")
        self.run_of("a")
        done = self.main("compare")
        self.assertEqual(done.code, 1)
        terminal, = [line for line in done.out.splitlines() if line.split()[1:2] == ["a"]]
        heading, = [line for line in self.read("reports/baseline-vs-candidate.md").splitlines() if line.startswith("### ")]
        for line in (terminal, heading.partition(", needs ")[0]):
            self.assertIn("0.797", line)
            self.assertNotIn("0.80", line)

    def test_a_score_just_below_its_minimum(self):
        self.case("a", says("good", weight=7966), says("bad", weight=2034), threshold=0)
        self.run_of("a")
        self.write("config.json", {"gate": {"min_score": 0.8, "min_dimension": {"output": 0.79661}}})
        self.assertEqual(self.main("run").code, 1)
        first, second = self.report()["gate"]["reasons"]
        self.assertIn("0.797", first)
        self.assertNotIn("0.797 is below 0.797", second)

    def rates(self, passing, total, least):
        self.lines("fixtures/all.jsonl", [{"id": "c%04d" % number, "output": [GOOD]} for number in range(total)])
        self.lines("runs/candidate/all.jsonl", [{"case": "c%04d" % number, "output": "good" if number < passing else "bad"}
                                                for number in range(total)])
        self.write("config.json", {"gate": {"min_pass_rate": least}})
        done = self.main("run", "--json", "-", "--markdown", "out.md")
        self.assertEqual(done.code, 1)
        return json.loads(done.out)["gate"]["reasons"][0]

    def test_a_pass_rate_below_its_minimum(self):
        self.assertIn("66.7 % is below 70 %", self.rates(2, 3, 0.7))

    def test_a_pass_rate_just_below_its_minimum(self):
        numbers = [float(word) for word in self.rates(1, 3, 0.33334).replace("%", " ").split() if word.replace(".", "").isdigit()]
        self.assertLess(numbers[0], numbers[1])

    def test_a_rate_that_is_not_whole_is_not_shown_as_whole(self):
        self.rates(2000, 2001, 1.0)
        line, = [line for line in self.read("out.md").splitlines() if line.startswith("| pass rate")]
        self.assertNotIn("100 %", line)

    def test_a_score_that_is_not_whole_is_not_shown_as_whole(self):
        self.rates(2000, 2001, 1.0)
        line, = [line for line in self.read("out.md").splitlines() if line.startswith("| score |")]
        self.assertNotIn("1.00 ", line)


class CrashingChecks(Workspace):
    """What goes wrong inside a check stays inside it: an error, exit 3, unless a failure was measured."""

    def run_with(self, function, *argv, **keys):
        """The exit code of a run over two cases, of which the first is graded by the function."""
        self.case("b")
        self.run_of("a")
        self.run_of("b")
        with registered(function) as name:
            self.case("a", {"check": name, **keys})
            self.done = self.main("run", *argv)
        return self.done.code

    def first(self):
        row = self.report()["cases"][0]
        return row["status"], row["runs"][0]["checks"][0]["outcome"]

    def test_an_exception(self):
        def own(run) -> eh.Outcome:
            raise ValueError("so what")
        self.assertEqual(self.run_with(own), 3)
        self.assertEqual(self.first(), ("unscored", "error"))
        self.assertEqual([row["status"] for row in self.report()["cases"]], ["unscored", "passed"])
        self.assertIn("ValueError: so what", self.report()["cases"][0]["reason"])
        self.assertEqual(self.report()["gate"]["exit_code"], 3)
        self.assertIn("HARNESS BUG", self.read("reports/candidate.md"))

    def test_deep_recursion(self):
        def own(run) -> eh.Outcome:
            return own(run)
        self.assertEqual(self.run_with(own), 3)
        self.assertEqual(self.first(), ("unscored", "error"))

    def test_the_first_word_is_no_verdict(self):
        def own(run) -> eh.Outcome:
            raise ValueError
        self.run_with(own)
        self.assertNotIn(self.done.out.split()[0], ("FAILED", "PASSED"))

    def test_not_turns_no_crash_into_a_pass(self):
        def own(run) -> eh.Outcome:
            raise ValueError
        self.assertEqual(self.run_with(own, **{"not": True}), 3)
        self.assertEqual(self.first(), ("unscored", "error"))

    def test_a_harness_error_is_an_error_without_a_crash(self):
        def own(run) -> eh.Outcome:
            raise eh.HarnessError("no such evidence")
        self.assertEqual(self.run_with(own), 1)
        self.assertEqual(self.first(), ("unscored", "error"))

    def test_a_measured_failure_wins(self):
        def own(run) -> eh.Outcome:
            raise ValueError
        self.case("c")
        self.run_of("c", "bad")
        self.assertEqual(self.run_with(own), 1)
        self.assertTrue(any("crash" in reason for reason in self.report()["gate"]["reasons"]))

    def test_never_failing_does_not_hide_it(self):
        def own(run) -> eh.Outcome:
            raise ValueError
        self.assertEqual(self.run_with(own, "--fail-on", "never"), 3)

    def test_a_crash_of_a_critical_check_is_no_measured_breach(self):
        def own(run) -> eh.Outcome:
            raise ValueError
        code = self.run_with(own, critical=True)
        self.assertEqual(self.first(), ("critical", "error"))
        self.assertEqual(code, 3)

    def test_a_crash_in_a_repeat_that_is_not_needed(self):
        def own(run) -> eh.Outcome:
            if run.repeat == 2:
                raise ValueError
            return eh.passed("fine")
        self.write("config.json", {"repeats": {"pass": "any"}})
        for number in (1, 2):
            self.run_of("a", repeat=number)
        with registered(own) as name:
            self.case("a", {"check": name})
            self.assertEqual(self.main("run").code, 3)

    def test_a_check_cannot_end_the_process(self):
        def own(run) -> eh.Outcome:
            raise SystemExit(0)
        try:
            code = self.run_with(own)
        except SystemExit:
            self.fail("the check ended the process")
        self.assertEqual(code, 3)

    def no_outcome(self, made):
        def own(run) -> eh.Outcome:
            return made
        self.assertEqual(self.run_with(own), 3)
        self.assertEqual(self.first(), ("unscored", "error"))
        self.assertEqual(self.report()["cases"][1]["status"], "passed")

    def test_what_is_no_outcome(self):
        for made in (None, True, "passed", 1.0):
            with self.subTest(made=made):
                self.no_outcome(made)

    def test_an_outcome_with_an_unknown_word(self):
        self.no_outcome(eh.Outcome("pass", 1.0, "fine"))

    def test_an_outcome_with_a_score_out_of_range(self):
        for score in (2.0, -1.0, "1", None):
            with self.subTest(score=score):
                self.no_outcome(eh.passed("fine", score=score))

    def test_an_outcome_with_a_score_that_is_no_number(self):
        for score in (float("nan"), float("inf")):
            with self.subTest(score=score):
                self.no_outcome(eh.passed("fine", score=score))

    def test_a_template_without_its_values(self):
        self.no_outcome(eh.failed("{} is not {}", "x"))

    def test_a_graded_score_that_is_no_number(self):
        for score in (float("nan"), float("inf"), -1, 7, None, "1"):
            self.assertEqual(eh.graded(score, 0.5, "so").word, "error")

    def test_a_script_of_a_user_as_a_command(self):
        self.write("own.py", '''import sys
import eval_harness as eh

@eh.check("own", dimension="contract")
def own(run, *, most: int = 3) -> eh.Outcome:
    """The output is short."""
    if run.output == "crash":
        raise KeyError("oh")
    return eh.passed("short") if len(run.output) <= most else eh.failed("{} is long", run.output)

sys.exit(eh.main())
''')
        self.case("a", contract=[{"check": "own", "most": 4}])
        for output, code in (("good", 0), ("better", 1), ("crash", 3)):
            self.run_of("a", output)
            self.assertEqual(self.command("run", script="own.py").code, code, output)
        self.write("fixtures/b.json", {"id": "b", "contract": [{"check": "own", "mots": 4}]})
        done = self.command("run", script="own.py")
        self.assertEqual(done.code, 2)
        self.assertIn('did you mean "most"', done.err)


if __name__ == "__main__":
    unittest.main()
