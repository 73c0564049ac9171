"""Kinds of fault that tools of this kind have shown in the wild, each tried as small as it can be."""

import json
import os
import unittest

import eval_harness as eh
from tests.support import Workspace, says


def graded(check, run, **config):
    """The CheckResult of one output check on a native run."""
    made = eh.make_config(config)
    case = eh.compile_case({"id": "x", "output": [check]}, made)
    recorded = eh.read_value(run, eh.Origin("here", "x", 1, None, b""))
    return eh.grade_check(case.checks[0], recorded, eh.context_of(case, recorded, made))


class Evidence(Workspace):
    def test_a_negation_needs_evidence(self):
        for check in ({"check": "contains", "value": "[FAIL]"}, {"check": "matches", "pattern": "FAIL"},
                      {"check": "equals", "value": "x"}, {"check": "number", "value": 7}):
            for run in ({"output": ""}, {"output": None}, {"steps": []}, {"output": "ok", "status": "error"}):
                self.assertEqual(graded({**check, "not": True}, run).word, "error", (check, run))
            self.assertEqual(graded({**check, "not": True}, {"output": "fine"}).word, "passed", check)

    def test_what_is_not_finite_is_not_above_and_not_below(self):
        run = '{"output": {"x": NaN}}'
        for check in ({"is": {"$gte": 0.5}}, {"is": {"$lt": 0.5}}):
            value = {"check": "value", "at": "/output/x", **check}
            self.assertEqual(graded(value, json.loads(run)).word, "failed")
            self.assertEqual(graded({**value, "not": True}, json.loads(run)).word, "error")

    def test_an_expected_death_is_no_outage(self):
        self.case("a", says("gone"), expect_status=["error"])
        self.case("b", says("good"))
        self.run_of("a", "gone", status="error")
        self.run_of("b", "good")
        self.assertEqual(self.main("run").code, 0)

    def test_crashing_does_not_raise_a_dimension(self):
        self.write("config.json", {"gate": {"min_pass_rate": 0.7, "min_dimension": {"output": 0.8}}})
        for name in "abcd":
            self.case(name, says("good"))
            self.run_of(name, "good" if name < "d" else "bad")
        self.assertEqual(self.main("run").code, 1)
        self.run_of("d", "bad", status="error")
        done = self.main("run")
        self.assertEqual(done.code, 1)
        self.assertIn("output score 0.75", done.out)

    def test_an_unreadable_repeat_fails_the_gate_whatever_the_others_say(self):
        self.write("config.json", {"repeats": {"pass": "any"}})
        self.case("a", says("good"))
        self.write("runs/candidate/a.1.json", {"output": "good"})
        self.write("runs/candidate/a.2.json", '{"output": ')
        done = self.main("run")
        self.assertEqual(done.code, 1)
        self.assertIn("1 repeat of a case cannot be read", done.out)
        self.assertIn("Repeat 2, invalid", self.read("reports/candidate.md"))

    def test_a_selector_that_selects_nothing_is_told_though_another_does(self):
        self.case("a", says("good"), tags=["smoke"])
        self.run_of("a", "good")
        done = self.main("run", "--tag", "smoke", "--tag", "slwo")
        self.assertEqual(done.code, 2)
        self.assertIn("slwo", done.err)

    def test_an_empty_option_is_no_option(self):
        self.case("a", says("good"))
        self.run_of("a", "good")
        for option in ("--config=", "--only-failing=", "--case= "):
            self.assertEqual(self.main("run", option).code, 2, option)


class Recordings(unittest.TestCase):
    def read(self, value):
        return eh.read_value(value, eh.Origin("here", "x", 1, None, b""))

    def test_a_transcript_that_was_cut_is_not_completed(self):
        said = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "Fluent text"}]
        for more, status in (({"finish_reason": "length"}, "incomplete"), ({"stop_reason": "max_tokens"}, "incomplete"),
                             ({"finish_reason": "max_turns"}, "step_limit"), ({"stop_reason": "end_turn"}, "completed")):
            self.assertEqual(self.read({"messages": said, **more}).status, status)
            self.assertEqual(self.read([said[0], {**said[1], **more}]).status, status)

    def test_cached_tokens_are_counted_once_in_either_convention(self):
        inside = {"input_tokens": 130213, "cached_input_tokens": 128955, "output_tokens": 1}
        beside = {"input_tokens": 5, "cache_read_input_tokens": 128955, "cache_creation_input_tokens": 1253, "output_tokens": 1}
        for usage in (inside, beside):
            found = self.read({"output": "x", "usage": usage}).usage
            self.assertEqual((found.input_tokens, found.cached_input_tokens), (130213, 128955))

    def test_steps_that_are_no_list_make_the_case_invalid_not_missing(self):
        run = self.read({"case": "c", "steps": {"calls": []}})
        self.assertEqual(run.case, "c")
        self.assertIn("/steps: expected a list", run.problem)

    def test_the_order_of_prices_decides_nothing(self):
        prices = {"gpt-*": {"input": 1, "output": 1}, "gpt-4*": {"input": 2, "output": 2}}
        run = self.read({"output": "x", "model": "gpt-4o", "usage": {"input_tokens": 10 ** 6, "output_tokens": 0}})
        for order in (prices, dict(reversed(prices.items()))):
            self.assertEqual(eh.cost_of(run, tuple(order.items())), 2.0)


class Secrets(unittest.TestCase):
    def test_names_of_secrets_come_in_many_spellings(self):
        for key in ("SECRET_KEY", "secretKey", "openai_key", "OPENAI-API-KEY", "pass", "clientSecret", "X-Api-Key", "db.password"):
            found = graded({"check": "equals", "value": 5}, {"output": {key: "correct-horse-battery"}})
            self.assertNotIn("correct-horse", found.reason, key)
        for key in ("max_tokens", "primary_key", "passenger", "author", "compass"):
            found = graded({"check": "equals", "value": 5}, {"output": {key: "plain"}})
            self.assertIn("plain", found.reason, key)

    def test_a_report_without_excerpts_shows_no_recorded_value(self):
        redactor = eh.make_redactor()._replace(excerpts=False)
        self.assertEqual(eh.phrase("expected {}, found {}", ("abc", {"a": 1}), redactor),
                         "expected a text of 3 characters, found an object of 1 keys")


class Texts(unittest.TestCase):
    def test_a_schema_pattern_runs_against_the_clock_too(self):
        found = graded({"check": "schema", "schema": {"pattern": "(a+)+$"}}, {"output": "a" * 40 + "!"},
                       limits={"regex_ms": 100})
        self.assertEqual(found.word, "error")

    def test_redact_patterns_that_could_hang_are_refused(self):
        with self.assertRaisesRegex(eh.HarnessError, "forever"):
            eh.make_config({"redact": {"patterns": ["(a+)+$"]}})

    def test_a_fence_may_open_behind_other_words(self):
        self.assertEqual(eh.json_of_text('Use {{name}}. ```json\n{"a": 1}\n```'), {"a": 1})

    def test_a_long_text_of_fences_takes_no_time(self):
        with self.assertRaises(eh.HarnessError):
            eh.json_of_text("```" + "a" * 200_000 + "\n" + "`" * 100_000)

    def test_thousands_with_other_signs(self):
        self.assertEqual([amount.value for amount in eh.amounts("Rs.8,000 and 8_000")], [8000, 8000])

    def test_the_first_number_is_told_right(self):
        found = graded({"check": "number", "value": 364, "which": "first"}, {"output": "$204 + $160 = $364"})
        self.assertIn("the first number in output is not 364", found.reason)


class Targets(Workspace):
    def test_reports_never_overwrite_what_is_graded(self):
        self.case("a", says("good"))
        self.run_of("a", "good")
        self.write("config.json", {})
        for target in ("fixtures/a.json", "runs/candidate/a.json", "config.json"):
            done = self.main("run", "--json", target)
            self.assertEqual(done.code, 2, target)
            self.assertIn("overwrite", done.err)

    @unittest.skipUnless(hasattr(os, "mkfifo"), "needs named pipes")
    def test_what_is_no_regular_file_is_not_replaced(self):
        self.case("a", says("good"))
        self.run_of("a", "good")
        os.mkfifo(self.folder / "pipe")
        self.assertEqual(self.main("run", "--json", "pipe").code, 2)
        self.assertFalse((self.folder / "pipe").is_file())


if __name__ == "__main__":
    unittest.main()
