"""Comparing: what changed, how behaviour changed, and the gate of `compare`."""

import itertools
import random
import unittest

import eval_harness as eh
from tests.support import Workspace, call, says

GOOD, BREACH = says("good"), {"check": "excludes", "value": "ugly", "critical": True}

# A recorded run for every status that the case below can have; None is no run.
RECORDED = {
    "missing": None,
    "invalid": {"metadata": {}},
    "error": {"output": "good", "steps": [], "status": "error"},
    "critical": {"output": "good, ugly", "steps": []},
    "unscored": {"output": "good"},
    "failed": {"output": "bad", "steps": []},
    "passed": {"output": "good", "steps": []},
}
CASE = {"id": "c", "output": [GOOD, BREACH], "trace": [{"check": "calls", "expected": [{"name": "x", "optional": True}]}]}

# Rows: the baseline; columns: the candidate, in the order of RECORDED.
CHANGES = """
missing   not_comparable added         added         added     added         added         added
invalid   removed        still_failing still_failing regressed still_failing still_failing fixed
error     removed        still_failing still_failing regressed still_failing still_failing fixed
critical  removed        still_failing still_failing still_failing still_failing still_failing fixed
unscored  removed        still_failing still_failing regressed still_failing still_failing fixed
failed    removed        still_failing still_failing regressed still_failing still_failing fixed
passed    removed        regressed     regressed     regressed regressed     regressed     unchanged
"""


def graded(case, recorded, config):
    """The CaseResult of a list of recorded runs."""
    runs = [eh.read_value(value, eh.Origin("run%d" % number, "c", None, None, b"")) for number, value in
            enumerate(recorded, 1)]
    return eh.grade_case(case, runs, config)


def compared(baseline, candidate, case=CASE, config=None):
    """The Delta of two recorded runs, or two lists of them."""
    config = eh.make_config(config)
    case = eh.compile_case({"id": "c", **case}, config)
    as_list = lambda value: value if isinstance(value, list) else [] if value is None else [value]
    return eh.compare_case(case, *(graded(case, as_list(side), config) for side in (baseline, candidate)), config)


class Changes(unittest.TestCase):
    """Change per case, from the two statuses and scores."""

    def test_the_recordings_have_the_statuses_they_are_called_after(self):
        for status, recorded in RECORDED.items():
            self.assertEqual(compared(recorded, recorded).baseline.status, status)

    def test_every_pair_of_statuses(self):
        for row in CHANGES.strip().splitlines():
            was, *changes = row.split()
            self.assertEqual(len(changes), len(RECORDED))
            for is_, change in zip(RECORDED, changes):
                with self.subTest(baseline=was, candidate=is_):
                    self.assertEqual(compared(RECORDED[was], RECORDED[is_]).change, change)

    half = {"threshold": 0.1, "output": [says("good", weight=2), says("fine"), says("great")]}

    def test_same_status_and_another_score(self):
        for was, is_, change, delta in (("good", "good fine", "score_up", 0.25), ("good fine", "good", "score_down", -0.25),
                                        ("good fine", "good great", "unchanged", 0.0), ("good", "good", "unchanged", 0.0)):
            found = compared({"output": was}, {"output": is_}, self.half)
            self.assertEqual((found.baseline.status, found.candidate.status), ("passed", "passed"))
            self.assertEqual(found.change, change, (was, is_))
            self.assertAlmostEqual(found.score_delta, delta, delta=1e-15)

    def test_same_failing_status_and_another_score(self):
        case = {**self.half, "threshold": 1}
        self.assertEqual(compared({"output": "good"}, {"output": "good fine"}, case).change, "score_up")
        self.assertEqual(compared({"output": "good fine"}, {"output": "good"}, case).change, "score_down")
        self.assertEqual(compared({"output": "good fine"}, {"output": "good great"}, case).change, "still_failing")

    def test_the_delta_is_of_the_scores_and_null_where_one_side_is_absent(self):
        self.assertEqual(compared(RECORDED["passed"], RECORDED["critical"]).score_delta, -1.0)
        for was, is_ in (("missing", "passed"), ("passed", "missing"), ("missing", "missing")):
            self.assertIsNone(compared(RECORDED[was], RECORDED[is_]).score_delta)

    def test_a_death_is_a_regression_that_was_not_measured(self):
        for status in ("error", "timeout", "cancelled"):
            found = compared(RECORDED["passed"], {**RECORDED["error"], "status": status})
            self.assertEqual((found.change, found.behaviour), ("regressed", "rejected"))
            self.assertTrue(found.reason.startswith("not measured"), found.reason)
            self.assertIn(status, found.reason)

    def test_a_measured_regression_does_not_say_so(self):
        for status in ("failed", "critical"):
            self.assertNotIn("not measured", compared(RECORDED["passed"], RECORDED[status]).reason)

    def test_checks_that_turned_are_named(self):
        case = {"threshold": 0.5, "output": [says("good", name="one"), says("fine", name="two")]}
        found = compared({"output": "good"}, {"output": "fine"}, case)
        self.assertEqual((found.change, found.broken, found.mended), ("unchanged", ("one",), ("two",)))

    def test_a_critical_breach_in_one_repeat_regresses_the_case(self):
        for rule in ("all", "majority", "any"):
            found = compared([RECORDED["passed"]] * 3, [RECORDED["passed"], RECORDED["critical"], RECORDED["passed"]],
                             config={"repeats": {"pass": rule}})
            self.assertEqual(found.change, "regressed", rule)

    def test_repeats_follow_the_rule_of_the_config(self):
        sides = [RECORDED["passed"]] * 3, [RECORDED["passed"], RECORDED["failed"], RECORDED["passed"]]
        self.assertEqual(compared(*sides).change, "regressed")
        self.assertEqual(compared(*sides, config={"repeats": {"pass": "majority"}}).change, "score_down")
        self.assertEqual(compared(*sides[::-1]).change, "fixed")


class Behaviour(unittest.TestCase):
    """exact, action_equivalent, action_changing or rejected, whatever the verdict."""

    case = {"output": [says("good")]}
    tools = {"tools": {"pay": {"effect": "write"}, "find": {"effect": "read"}}}

    def behaviour(self, was, is_, config=None):
        recorded = [{"output": output, "steps": steps} for output, steps in (was, is_)]
        return compared(*recorded, self.case, config).behaviour

    def test_table(self):
        find, find_other = call("find", arguments={"id": 1}), call("find", arguments={"id": 2})
        pay, pay_more, mail = call("pay", arguments={"eur": 1}), call("pay", arguments={"eur": 2}), call("mail")
        # Baseline and candidate calls and outputs; the class without and with tools that are marked as writing.
        table = (
            ([find, pay], "a", [find, pay], "a", "exact", "exact"),
            ([], "a", [], "a", "exact", "exact"),
            ([find, pay], "a", [find, pay], "b", "action_equivalent", "action_equivalent"),
            ([], "a", [], "b", "action_equivalent", "action_equivalent"),
            ([find, pay], "a", [find_other, pay], "a", "action_changing", "action_equivalent"),
            ([find, pay], "a", [pay], "b", "action_changing", "action_equivalent"),
            ([find], "a", [], "a", "action_changing", "action_equivalent"),
            ([pay, mail], "a", [pay], "a", "action_changing", "action_equivalent"),
            ([pay], "a", [pay_more], "a", "action_changing", "action_changing"),
            ([pay], "a", [], "a", "action_changing", "action_changing"),
            ([], "a", [pay], "a", "action_changing", "action_changing"),
            ([pay], "a", [pay, pay], "a", "action_changing", "action_changing"),
            ([pay, pay_more], "a", [pay_more, pay], "a", "action_changing", "action_changing"),
            ([find, pay], "a", [pay, find], "a", "action_changing", "action_equivalent"),
        )
        for before, said, after, says_, plain, marked in table:
            with self.subTest(before=[each["name"] for each in before], after=[each["name"] for each in after], said=said):
                self.assertEqual(self.behaviour((said, before), (says_, after)), plain)
                self.assertEqual(self.behaviour((said, before), (says_, after), self.tools), marked)

    def test_reading_tools_only_are_no_mark(self):
        config = {"tools": {"find": {"effect": "read"}, "pay": {}}}
        self.assertEqual(self.behaviour(("a", [call("find")]), ("a", []), config), "action_changing")

    def test_globs_mark_tools(self):
        config = {"tools": {"pay_*": {"effect": "write"}}}
        self.assertEqual(self.behaviour(("a", [call("find")]), ("a", []), config), "action_equivalent")
        self.assertEqual(self.behaviour(("a", [call("pay_all")]), ("a", []), config), "action_changing")

    def test_it_does_not_depend_on_the_verdict(self):
        for output in ("good", "bad"):
            self.assertEqual(self.behaviour((output, [call("a")]), (output, [call("a")])), "exact")

    def test_results_messages_and_costs_are_no_behaviour(self):
        found = compared({"output": "a", "steps": [call("x", result=1)], "usage": {"input_tokens": 5}},
                         {"output": "a", "steps": [{"kind": "message", "role": "assistant", "text": "Hm."}, call("x", result=2)]},
                         self.case)
        self.assertEqual(found.behaviour, "exact")

    def test_numbers_are_equal_as_json_has_them(self):
        self.assertEqual(self.behaviour((1, [call("x", arguments={"a": 1, "b": 2})]),
                                        (1.0, [call("x", arguments={"b": 2.0, "a": 1})])), "exact")
        self.assertEqual(self.behaviour(("a", [call("x", arguments={"a": 1})]), ("a", [call("x", arguments={"a": True})])),
                         "action_changing")

    def test_rejected(self):
        good = RECORDED["passed"]
        for other in (RECORDED["error"], RECORDED["invalid"], RECORDED["missing"]):
            self.assertEqual(compared(good, other).behaviour, "rejected")
            self.assertEqual(compared(other, good).behaviour, "rejected")

    def test_repeats_are_paired_by_number(self):
        runs = {number: {"repeat": number, "output": "good", "steps": [call("x", arguments={"n": number})]} for number in (1, 2, 3)}
        baseline = [runs[1], runs[2], runs[3]]
        for order in itertools.permutations(baseline):
            self.assertEqual(compared(baseline, list(order), self.case).behaviour, "exact")
        self.assertEqual(compared(baseline, [runs[2]], self.case).behaviour, "exact")
        self.assertEqual(compared(baseline, [{**runs[2], "repeat": 3}], self.case).behaviour, "action_changing")
        self.assertEqual(compared(baseline, [{**runs[2], "repeat": 4}], self.case).behaviour, "rejected")

    def test_the_most_serious_pair_counts(self):
        same, other = {"output": "good", "steps": [call("x")]}, {"output": "good", "steps": [call("y")]}
        words = {"output": "good!", "steps": [call("x")]}
        self.assertEqual(compared([same, same, same], [same, other, words], self.case).behaviour, "action_changing")
        self.assertEqual(compared([same, same], [same, words], self.case).behaviour, "action_equivalent")

    def diff(self, before, after):
        """The lines of the diff between two lists of calls."""
        return compared({"output": "a", "steps": before}, {"output": "b", "steps": after}, self.case).diff

    def test_what_changed_is_shown_as_a_diff(self):
        one, two = call("x", arguments={"n": 1, "same": 0}), call("x", arguments={"n": 2, "same": 0})
        self.assertEqual(self.diff([call("a"), one, call("b")], [call("a"), two]), (
            "  a({})", '- x({"n": 1})  # and 1 equal argument', '+ x({"n": 2})  # and 1 equal argument', "- b({})"))
        self.assertEqual(self.diff([call("a")], [call("a")]), ())

    def test_a_long_diff_begins_near_the_first_difference(self):
        same = [call("x", arguments={"n": number}) for number in range(30)]
        found = self.diff([*same, call("y")], [*same, call("z")])
        self.assertEqual(found, ("  ...", '  x({"n": 28})', '  x({"n": 29})', "- y({})", "+ z({})"))
        self.assertEqual(len(self.diff(same, [])), 13)
        self.assertEqual(self.diff(same, [])[-1], "  ... 18 more lines")

    def test_calls_that_are_made_again_are_counted(self):
        found = compared({"output": "a", "steps": []}, {"output": "a", "steps": [call("x"), call("y"), call("x")]}, self.case)
        self.assertEqual(found.drift, ("added: x (2 times), y",))

    def test_the_first_divergent_step_is_named(self):
        found = compared({"output": "a", "steps": [call("x"), call("y", arguments={"n": 1})]},
                         {"output": "a", "steps": [call("x"), {"kind": "message", "role": "user", "text": "?"},
                                                   call("y", arguments={"n": 2})]}, self.case)
        self.assertIn("call 2", found.divergence)
        self.assertIn("/steps/2", found.divergence)
        self.assertIn("y", found.divergence)
        self.assertRegex(found.divergence, "1.*2")


class CompareGate(Workspace):
    """`compare` gates on what changed."""

    def suite(self, _config=None, **cases):
        """The exit code of a comparison of cases, each given as (baseline, candidate): texts, runs or None."""
        for name, sides in cases.items():
            self.write("fixtures/%s.json" % name, {**CASE, "id": name})
            for label, recorded in zip(("baseline", "candidate"), sides):
                recorded = {"output": recorded, "steps": []} if isinstance(recorded, str) else recorded
                if recorded is not None:
                    self.write("runs/%s/%s.json" % (label, name), recorded)
        for label in ("baseline", "candidate"):
            (self.folder / "runs" / label).mkdir(parents=True, exist_ok=True)
        self.write("config.json", _config or {})
        self.done = self.main("compare")
        self.compared = self.report("baseline-vs-candidate")
        self.gate, self.changes = self.compared["gate"], self.compared["summary"]["changes"]
        self.assertEqual(self.done.code, self.gate["exit_code"])
        self.assertEqual(self.gate["passed"], self.done.code == 0)
        self.assertEqual(bool(self.gate["reasons"]), self.done.code != 0)
        self.assertEqual(sum(self.changes.values()), len(self.compared["cases"]))
        self.assertEqual(sum(self.compared["summary"]["behaviour"].values()), len(self.compared["cases"]))
        return self.done.code

    def test_nothing_changed(self):
        self.assertEqual(self.suite(a=("good", "good"), b=("good", "good")), 0)
        self.assertEqual(self.changes["unchanged"], 2)

    def test_a_regression(self):
        self.assertEqual(self.suite(a=("good", "bad"), b=("bad", "good"), c=("bad", "good")), 1)
        self.assertEqual((self.changes["regressed"], self.changes["fixed"]), (1, 2))
        self.assertIn("a", self.gate["reasons"][0])

    def test_no_mean_excuses_a_flip(self):
        cases = {"c%d" % number: ("bad", "good") for number in range(9)}
        self.assertEqual(self.suite(z=("good", "bad"), **cases), 1)

    def test_what_fails_on_both_sides_is_no_change(self):
        self.assertEqual(self.suite(a=("bad", "bad"), b=("good", "good")), 0)
        self.assertEqual(self.changes["still_failing"], 1)

    def test_the_absolute_rules_are_those_of_run(self):
        config = {"gate": {"min_pass_rate": 1, "min_score": 1, "min_dimension": {"output": 1, "contract": 1}}}
        self.assertEqual(self.suite(config, a=("bad", "bad"), b=("good", "good")), 0)
        self.assertFalse(self.compared["candidate"]["gate"]["passed"])

    def test_what_failed_and_cannot_be_judged_now_is_not_excused(self):
        for name, candidate in (("invalid", {"output": "good", "steps": 5}), ("error", {"status": "error", "error": "boom"}),
                                ("unscored", {"output": "good"})):
            with self.subTest(name):
                self.assertEqual(self.suite(a=("bad", candidate), b=("good", "good"), c=("good", "good")), 1)
                self.assertEqual(next(row["candidate"]["status"] for row in self.compared["cases"] if row["case"] == "a"), name)
                self.assertIn("1 case that did not pass before cannot be judged now: a", self.gate["reasons"])
        # On both sides: what is unreadable fails always, what died as before is no change.
        self.assertEqual(self.suite(a=({"steps": 5}, {"steps": 5}), b=("good", "good")), 1)
        died = {"status": "error", "error": "boom"}
        self.assertEqual(self.suite(a=(died, died), b=("good", "good"), c=("good", "good")), 0)

    def test_a_repeat_that_cannot_be_read(self):
        for repeat in (1, 2, 3):
            for label in ("baseline", "candidate"):
                self.write("runs/%s/a.%d.json" % (label, repeat), {"output": "bad" if repeat == 3 else "good", "steps": []})
        self.write("runs/candidate/a.1.json", {"output": "good", "steps": 5})
        self.assertEqual(self.suite({"repeats": {"pass": "any"}}, a=(None, None)), 1)
        self.assertIn("1 repeat of a case in the candidate cannot be read", self.gate["reasons"])

    def test_repeats_that_are_gone_or_are_the_same_are_told(self):
        for label, repeats in (("baseline", (1, 2, 3)), ("candidate", (1, 3))):
            for repeat in repeats:
                self.write("runs/%s/a.%d.json" % (label, repeat), {"output": "good", "steps": []})
        self.assertEqual(self.suite(a=(None, None)), 0)
        told = self.compared["candidate"]["warnings"]
        self.assertIn("case a: no recording of repeat 2, though of 3", told)
        self.assertIn("fewer repeats are recorded than in the baseline: a", told)
        self.assertIn("case a: the same recording twice, in runs/candidate/a.1.json and runs/candidate/a.3.json", told)
        self.assertNotIn("case a: no recording", " ".join(self.compared["baseline"]["warnings"]))

    def test_the_same_recordings_on_both_sides_are_told(self):
        self.assertEqual(self.suite(a=("good", "good")), 0)
        self.assertIn("both sides hold the same recordings, so that nothing can differ", self.compared["candidate"]["warnings"])
        self.assertEqual(self.suite(a=("good", "good one")), 0)
        self.assertEqual(self.compared["candidate"]["warnings"], [])

    def test_a_fixed_case(self):
        self.assertEqual(self.suite(a=("bad", "good")), 0)

    def test_max_regressions(self):
        cases = {"a": ("good", "bad"), "b": ("good", "bad"), "c": ("good", "good")}
        for most, code in ((0, 1), (1, 1), (2, 0), (3, 0)):
            self.assertEqual(self.suite({"gate": {"max_regressions": most}}, **cases), code, most)

    def test_max_regressions_lets_no_critical_one_through(self):
        self.assertEqual(self.suite({"gate": {"max_regressions": 5}}, a=("good", "good, ugly"), b=("good", "good")), 1)
        self.assertEqual(self.suite({"gate": {"max_regressions": 5, "critical": "no_new"}},
                                    a=("good", "good, ugly"), b=("good", "good")), 1)

    def test_a_candidate_that_died(self):
        self.assertEqual(self.suite(a=("good", RECORDED["error"]), b=("good", "good"), c=("good", "good")), 1)
        row = self.compared["cases"][0]
        self.assertEqual((row["change"], row["behaviour"]), ("regressed", "rejected"))
        self.assertIn("not measured", row["reason"])
        self.assertIn("not measured", self.done.out)

    def test_markdown_says_that_a_candidate_that_died_was_not_measured(self):
        self.suite(a=("good", RECORDED["error"]), b=("good", "good"), c=("good", "good"))
        self.assertIn("not measured", self.read("reports/baseline-vs-candidate.md"))

    def test_too_many_deaths_are_no_measurement(self):
        dead = RECORDED["error"]
        self.assertEqual(self.suite(a=("good", dead), b=("good", dead), c=("good", "good")), 2)
        self.assertTrue(any("not a measurement" in reason for reason in self.gate["reasons"]))
        self.assertEqual(self.suite(a=(dead, "good"), b=(dead, "good"), c=("good", "good")), 2)

    def test_too_many_deaths_mask_no_measured_regression(self):
        dead = RECORDED["error"]
        self.assertEqual(self.suite(a=("good", dead), b=("good", dead), c=("good", "bad")), 1)
        self.assertTrue(any("not a measurement" in reason for reason in self.gate["reasons"]))

    def test_a_vanished_case(self):
        self.assertEqual(self.suite(a=("good", None), b=("good", "good")), 1)
        self.assertEqual(self.changes["removed"], 1)
        self.assertIn("a", self.gate["reasons"][0])
        self.assertEqual(self.suite({"gate": {"allow_removed": True}}, a=("good", None), b=("good", "good")), 0)

    def test_a_vanished_case_fails_whatever_it_came_to(self):
        self.assertEqual(self.suite(a=("bad", None), b=("good", "good")), 1)

    def test_an_added_case_gates_on_its_own_result(self):
        self.assertEqual(self.suite(a=(None, "good"), b=("good", "good")), 0)
        self.assertEqual(self.changes["added"], 1)
        self.assertEqual(self.suite(a=(None, "bad"), b=("good", "good")), 1)
        self.assertEqual(self.suite(a=(None, RECORDED["error"]), b=("good", "good"), c=("good", "good")), 1)

    def test_an_added_case_stays_out_of_the_paired_deltas(self):
        self.suite(a=(None, "bad"), b=("good", "good"), c=("good", None))
        self.assertEqual([row["score_delta"] for row in self.compared["cases"]], [None, 0.0, None])

    def test_recorded_nowhere(self):
        self.suite(a=(None, None), b=("good", "good"))
        self.assertEqual(self.changes["not_comparable"], 1)

    def test_nothing_paired(self):
        self.assertEqual(self.suite({"gate": {"allow_removed": True}}, a=("good", None), b=(None, "good")), 2)
        self.assertEqual(self.suite({"gate": {"allow_removed": True}}, a=("good", None)), 2)

    def test_nothing_recorded_on_a_side(self):
        self.assertEqual(self.suite(a=(None, "good")), 2)

    def test_a_critical_breach_in_the_candidate(self):
        self.assertEqual(self.suite(a=("good, ugly", "good, ugly"), b=("good", "good")), 1)
        self.assertIn("critical", self.gate["reasons"][0])
        no_new = {"gate": {"critical": "no_new"}}
        self.assertEqual(self.suite(no_new, a=("good, ugly", "good, ugly"), b=("good", "good")), 0)
        self.assertEqual(self.suite(no_new, a=("good", "good, ugly"), b=("good", "good")), 1)
        self.assertEqual(self.suite(no_new, a=("bad", "good, ugly"), b=("good", "good")), 1)
        self.assertEqual(self.suite(no_new, a=(None, "good, ugly"), b=("good", "good")), 1)

    def test_an_old_breach_that_is_allowed_is_still_reported(self):
        self.suite({"gate": {"critical": "no_new"}}, a=("good, ugly", "good, ugly"), b=("good", "good"))
        self.assertEqual(self.compared["candidate"]["summary"]["critical"], 1)
        self.assertIn("ugly", self.read("reports/baseline-vs-candidate.md"))

    def test_a_breach_that_is_gone(self):
        self.assertEqual(self.suite(a=("good, ugly", "good"), b=("good", "good")), 0)
        self.assertEqual(self.changes["fixed"], 1)

    def test_another_breach_in_a_case_that_had_one_is_new(self):
        checks = [GOOD, BREACH, {**BREACH, "value": "rude"}]
        self.write("config.json", {"gate": {"critical": "no_new"}})
        for name, was, is_ in (("a", "good, ugly", "good, rude"), ("b", "good", "good")):
            self.case(name, *checks)
            self.run_of(name, was, "baseline")
            self.run_of(name, is_)
        self.assertEqual(self.main("compare").code, 1)

    def test_a_breach_in_a_repeat_that_died_fails_the_gate(self):
        self.write("config.json", {"repeats": {"pass": "any"}, "gate": {"max_error_share": 1}})
        self.case("a", contract=[{"check": "never", "call": "pay", "critical": True}])
        for label in ("baseline", "candidate"):
            self.run_of("a", label=label, repeat=1, steps=[])
            self.run_of("a", label=label, repeat=2, steps=[])
        self.assertEqual(self.main("compare").code, 0)
        self.run_of("a", repeat=2, steps=[call("pay")], status="timeout")
        self.assertEqual(self.main("compare").code, 1)

    def test_max_score_drop_is_inclusive(self):
        case = {"threshold": 0.1, "output": [says("good"), says("fine"), says("great"), says("nice")]}
        for name, was, is_ in (("a", "good fine", "good"), ("b", "good", "good fine great nice")):
            self.write("fixtures/%s.json" % name, {"id": name, **case})
            self.run_of(name, was, "baseline")
            self.run_of(name, is_)
        for most, code in ((None, 0), (0, 1), (0.2, 1), (0.2499, 1), (0.25, 0), (0.5, 0), (1, 0)):
            self.write("config.json", {"gate": {"max_score_drop": most}})
            self.assertEqual(self.main("compare").code, code, most)

    def test_the_printed_drop_does_not_contradict_the_verdict(self):
        self.write("fixtures/a.json", {"id": "a", "threshold": 0.1, "output": [says("good", weight=1000), says("fine", weight=501)]})
        self.run_of("a", "good, fine", "baseline")
        self.run_of("a", "good")
        self.write("config.json", {"gate": {"max_score_drop": 0.33377}})
        self.assertEqual(self.main("compare").code, 1)
        reason, = self.report("baseline-vs-candidate")["gate"]["reasons"]
        self.assertIn("more than 0.33377, the most by 0.33378", reason)

    def test_a_check_that_broke_is_shown_though_the_score_stayed(self):
        self.broken()
        self.assertEqual(self.report("baseline-vs-candidate")["cases"][0]["broken_checks"], ["first"])

    def test_a_check_that_broke_is_shown_in_markdown_though_the_score_stayed(self):
        self.broken()
        self.assertIn("first", self.read("reports/baseline-vs-candidate.md"))

    def broken(self):
        self.case("a", says("good", name="first"), says("fine", name="second"), threshold=0.5)
        self.run_of("a", "good", "baseline")
        self.run_of("a", "fine")
        self.main("compare")

    def test_never_failing_turns_one_into_zero_only(self):
        self.suite(a=("good", "bad"))
        self.assertEqual(self.main("compare", "--fail-on", "never").code, 0)
        self.suite(a=(None, "good"))
        (self.folder / "runs/baseline/a.json").unlink()
        self.assertEqual(self.main("compare", "--fail-on", "never").code, 2)

    def test_an_unreadable_recording_of_no_case_fails(self):
        for label in ("baseline", "candidate"):
            self.write("runs/%s/other.json" % label, "{")
            self.assertEqual(self.suite(a=("good", "good")), 1)
            (self.folder / "runs" / label / "other.json").unlink()

    def test_a_crash_in_a_check_is_a_bug(self):
        def crashing(run) -> eh.Outcome:
            """A check that crashes on one output."""
            if run.output == "worse":
                raise ValueError
            return eh.passed("fine")
        eh.check("crashing_in_compare", dimension="output")(crashing)
        self.addCleanup(eh.CHECKS.pop, "crashing_in_compare")
        self.case("a", {"check": "crashing_in_compare"})
        self.case("b")
        self.run_of("b", label="baseline")
        self.run_of("b")
        self.run_of("a", "good", "baseline")
        self.run_of("a", "worse")
        self.assertEqual(self.main("compare").code, 3)


class SameAgainstSame(Workspace):
    """A label compared with itself has not changed."""

    def test_random_suites(self):
        chance = random.Random(5)
        for _ in range(25):
            names = ["c%d" % number for number in range(chance.randrange(1, 5))]
            self.lines("fixtures/all.jsonl", [{"id": name, "threshold": chance.choice((0, 1)), "output": [GOOD, says("fine")]}
                                              for name in names])
            self.lines("runs/one/all.jsonl", [
                {"case": name, "repeat": repeat, "output": chance.choice(("good", "fine", "good fine", 3)),
                 "status": chance.choice(("completed", "completed", "refused")),
                 "steps": [call(chance.choice("xyz"))] * chance.randrange(3)} for name in names for repeat in (1, 2)])
            done = self.main("compare", "one", "one")
            self.assertEqual(done.code, 0, done.out)
            report = self.report("one-vs-one")
            for row in report["cases"]:
                self.assertEqual(row["change"], "unchanged" if row["candidate"]["status"] == "passed" else "still_failing")
                self.assertEqual((row["behaviour"], row["score_delta"]), ("exact", 0.0))
                self.assertEqual(row["baseline"], row["candidate"])

    def test_all_unchanged(self):
        for name in "abc":
            self.case(name)
            self.run_of(name, label="one")
        self.assertEqual(self.main("compare", "one", "one").code, 0)
        summary = self.report("one-vs-one")["summary"]
        self.assertEqual(summary["changes"]["unchanged"], 3)
        self.assertEqual(summary["behaviour"], {"exact": 3, "action_equivalent": 0, "action_changing": 0, "rejected": 0})

    def test_two_copies(self):
        for name in "abc":
            self.case(name)
            self.run_of(name, label="baseline")
            self.run_of(name)
        self.assertEqual(self.main("compare").code, 0)
        self.assertEqual(self.report("baseline-vs-candidate")["summary"]["changes"]["unchanged"], 3)


class ComparisonReports(Workspace):
    """What the reports of a comparison hold."""

    def setUp(self):
        super().setUp()
        self.write("config.json", {"tools": {"pay": {"effect": "write"}}})
        for name, was, is_ in (("breach", "good", "good, ugly"), ("down", "good", "bad"), ("up", "bad", "good"),
                               ("same", "good", "good"), ("gone", "good", None), ("new", None, "good"),
                               ("still", "bad", "bad")):
            self.case(name, GOOD, BREACH)
            steps = [call("find"), call("pay", arguments={"eur": 1})]
            if was:
                self.run_of(name, was, "baseline", steps=steps)
            if is_:
                self.run_of(name, is_, steps=steps[1:] if name == "up" else steps[:1] if name == "down" else steps)
        self.done = self.main("compare")
        self.found = self.report("baseline-vs-candidate")
        self.text = self.read("reports/baseline-vs-candidate.md")

    def test_the_shape(self):
        found = self.found
        self.assertEqual((found["schema"], found["kind"]), ("eval-harness/report/1", "comparison"))
        self.assertLessEqual({"baseline", "candidate", "gate", "summary", "cases"}, set(found))
        for side in ("baseline", "candidate"):
            self.assertEqual((found[side]["kind"], found[side]["label"]), ("run", side))
            self.assertNotIn("cases", found[side])
            self.assertEqual(found[side]["summary"]["cases"], 7)
        for row in found["cases"]:
            self.assertLessEqual({"case", "change", "behaviour", "score_delta", "baseline", "candidate"}, set(row))
        self.assertEqual([row["case"] for row in found["cases"]], sorted(row["case"] for row in found["cases"]))

    def test_the_two_sides_have_the_same_fixtures_and_config(self):
        for key in ("fixtures_sha256", "config_sha256"):
            self.assertEqual(self.found["baseline"]["provenance"][key], self.found["candidate"]["provenance"][key])
        self.assertNotEqual(*(self.found[side]["provenance"]["runs_sha256"] for side in ("baseline", "candidate")))

    def test_changes_and_behaviour(self):
        self.assertEqual({row["case"]: row["change"] for row in self.found["cases"]}, {
            "breach": "regressed", "down": "regressed", "up": "fixed", "same": "unchanged", "gone": "removed",
            "new": "added", "still": "still_failing"})
        self.assertEqual(self.found["summary"]["behaviour"],
                         {"exact": 2, "action_equivalent": 2, "action_changing": 1, "rejected": 2})

    def test_all_four_behaviours_are_counted_in_markdown(self):
        self.assertIn("2 exact, 2 action equivalent, 1 action changing, 2 rejected", self.text)

    def test_all_four_behaviours_are_always_counted_on_the_terminal(self):
        done = self.main("compare", "--case", "same")
        for word in ("1 exact", "0 action equivalent", "0 action changing", "0 rejected"):
            self.assertIn(word, " ".join(done.out.split()))

    def test_markdown_shows_critical_regressions_first(self):
        places = [self.text.index(title) for title in ("### `breach`", "### `down`", "- `up`", "<details>")]
        self.assertEqual(places, sorted(places))

    def test_markdown_shows_the_table_with_n(self):
        self.assertRegex(self.text, r"\| pass rate \| .*\(4/7\) \| .*\(3/7\) \|")

    def test_markdown_shows_where_behaviour_parted(self):
        self.assertRegex(self.text, "(?s)### `down`.*call 2.*pay.*action changing")

    def test_markdown_says_where_to_look_when_the_behaviour_is_the_same(self):
        self.case("talk", trace=[{"check": "excludes", "value": "secret", "in": "narration"}])
        for label, text in (("baseline", "Fine."), ("candidate", "A secret.")):
            self.run_of("talk", label=label, steps=[{"kind": "message", "role": "assistant", "text": text}, call("f")])
        self.main("compare")
        self.assertIn("Same calls, same output (behaviour: exact)", self.read("reports/baseline-vs-candidate.md"))

    def test_markdown_folds_what_did_not_change(self):
        self.assertIn("`same`", self.text.partition("<details>")[2])

    def test_every_regression_has_a_command_that_reproduces_it(self):
        for name in ("breach", "down"):
            self.assertIn("compare baseline candidate --case %s" % name, self.text)

    def test_the_terminal_says_the_direction(self):
        self.assertEqual(self.done.code, 1)
        self.assertIn("regressed", self.done.out)
        self.assertRegex(self.done.out, r"breach +1\.00 (\u2192|->) 0\.00")

    def test_what_is_not_recorded_has_no_score_on_the_terminal(self):
        for name in ("gone", "new"):
            line, = [line for line in self.done.out.splitlines() if line.split()[1:2] == [name]]
            self.assertNotIn("0.00", line)

    def test_what_is_not_recorded_has_no_score_in_markdown(self):
        for name in ("gone", "new"):
            line, = [line for line in self.text.splitlines() if line.startswith(("### `%s`" % name, "- `%s`" % name))]
            self.assertNotIn("0.00", line)


class TwoReports(Workspace):
    """Two report files are compared only if their fixtures and configs are the same."""

    def test_other_fixtures(self):
        self.case("a")
        self.run_of("a")
        self.assertEqual(self.main("run", "--json", "one.json").code, 0)
        self.case("a", says("goo"))
        self.assertEqual(self.main("run", "--json", "two.json").code, 0)
        self.assertEqual(self.main("compare", "one.json", "two.json").code, 2)

    # PENDING: reports as an input of `compare`.
    def test_the_same_fixtures(self):
        self.case("a")
        self.run_of("a")
        self.main("run", "--json", "one.json")
        self.run_of("a", "bad")
        self.main("run", "--json", "two.json")
        self.assertEqual(self.main("compare", "one.json", "two.json").code, 1)
        self.assertEqual(self.main("compare", "one.json", "one.json").code, 0)


if __name__ == "__main__":
    unittest.main()
