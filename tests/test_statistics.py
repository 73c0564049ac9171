"""The statistics against published or independently computed values, and what the reports say of them."""

import json
import os
import unittest

import eval_harness as eh
from tests.support import Workspace, says

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORDING = os.path.join(os.path.dirname(ROOT), "shared", "recordings", "tau_bench_gpt-4o-airline.json")


class Formulas(unittest.TestCase):
    """Each formula against values that this module did not make."""

    def test_wilson(self):
        # Newcombe (1998), Statistics in Medicine 17, table I, method 3.
        for good, n, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
                                   (1, 29, 0.0061, 0.1718)):
            found = eh.wilson_interval(good, n)
            self.assertAlmostEqual(found["low"], low, delta=0.00006)
            self.assertAlmostEqual(found["high"], high, delta=0.00006)
            self.assertEqual((found["n"], found["method"]), (n, "Wilson"))
        self.assertEqual(eh.wilson_interval(20, 20)["high"], 1.0)
        self.assertIsNone(eh.wilson_interval(0, 0))

    def test_mcnemar(self):
        # By hand: 2 * (1 + 6) / 2^6, 2 / 2^10, 2 * P(X <= 7 | 21); the rest by scipy.stats.binomtest 1.11.
        for lost, won, p in ((5, 1, 14 / 64), (1, 5, 14 / 64), (10, 0, 2 / 1024), (14, 7, 0.18924713134765625),
                             (300, 250, 0.036578745549102676), (5000, 4800, 0.04440414879984631),
                             (50000, 49900, 0.7541120789275382)):
            found = eh.mcnemar(lost, won)
            self.assertAlmostEqual(found["p"] / p, 1, delta=1e-8)
            self.assertEqual((found["n"], found["note"]), (lost + won, ""))

    def test_mcnemar_is_never_zero_nor_above_one(self):
        self.assertAlmostEqual(eh.mcnemar(700, 3)["p"] / 2.752087069792007e-204, 1, delta=1e-8)
        self.assertEqual(eh.mcnemar(8, 8)["p"], 1.0)

    def test_mcnemar_says_when_nothing_could_be_significant(self):
        for n in range(1, 9):
            found = eh.mcnemar(n, 0)
            self.assertEqual(found["note"] != "", found["p"] >= 0.05, n)
        self.assertEqual(eh.mcnemar(5, 0)["note"], "5 discordant pairs cannot reach significance at 5 %")
        self.assertEqual(eh.mcnemar(0, 1)["note"], "1 discordant pair cannot reach significance at 5 %")
        self.assertEqual((eh.mcnemar(0, 0)["p"], eh.mcnemar(0, 0)["note"]), (None, "no case flipped"))

    def test_holm(self):
        # R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm"), and the example of Holm's procedure in four tests.
        self.assertEqual(eh.holm(dict(zip("abcde", (0.01, 0.02, 0.03, 0.04, 0.05)))),
                         dict(zip("abcde", (0.05, 0.08, 0.09, 0.09, 0.09))))
        self.assertEqual(eh.holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}), {"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})
        self.assertEqual(eh.holm({"a": None, "b": 0.7}), {"a": None, "b": 0.7})

    def test_student(self):
        # The usual table of t, two-sided 5 % and one-sided 20 %.
        for freedom, t in ((1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (10, 2.228), (30, 2.042), (60, 2.000), (99, 1.960)):
            self.assertAlmostEqual(eh.student_quantile(0.975, freedom), t, delta=0.0006)
            self.assertAlmostEqual(eh.student_p(t, freedom), 0.05, delta=0.0001)
        self.assertAlmostEqual(eh.student_quantile(0.8, 10), 0.879, delta=0.0006)
        # Student's own example (1908): ten patients' additional sleep, t = 4.0621, p = 0.00283 (R: t.test).
        sleep = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
        found = eh.paired_difference(sleep)
        self.assertAlmostEqual(found["value"], 1.58, delta=1e-9)
        self.assertAlmostEqual(found["value"] / found["se"], 4.0621, delta=0.0001)
        self.assertAlmostEqual(eh.two_sided_p(found), 0.002833, delta=1e-6)

    def test_pass_at_k(self):
        # Chen et al. (2021): 1 - C(n - c, k) / C(n, k); by hand for 5 attempts of which 2 pass.
        self.assertAlmostEqual(eh.pass_at(2, 5, 1), 0.4)
        self.assertAlmostEqual(eh.pass_at(2, 5, 2), 1 - 3 / 10)
        self.assertAlmostEqual(eh.pass_at(2, 5, 4), 1.0)
        self.assertAlmostEqual(eh.pass_hat(2, 5, 2), 1 / 10)
        self.assertEqual(eh.pass_hat(2, 5, 3), 0.0)
        # Their numerically stable form, 1 - prod(1 - k / i).
        product = 1.0
        for i in range(200 - 13 + 1, 201):
            product *= 1 - 10 / i
        self.assertAlmostEqual(eh.pass_at(13, 200, 10), 1 - product, delta=1e-12)

    def test_unbiased_by_going_through_every_draw(self):
        from itertools import combinations
        for n in range(1, 7):
            for good in range(n + 1):
                outcomes = [1] * good + [0] * (n - good)
                for k in range(1, n + 1):
                    drawn = list(combinations(outcomes, k))
                    self.assertAlmostEqual(eh.pass_hat(good, n, k), sum(map(all, drawn)) / len(drawn))
                    self.assertAlmostEqual(eh.pass_at(good, n, k), sum(map(any, drawn)) / len(drawn))

    def test_null_where_a_case_has_fewer(self):
        found = eh.repeat_statistics({(3, 2): 1, (2, 2): 1}, 1)
        self.assertEqual(found["pass_hat"], {"1": 0.833333333, "2": 0.666666667, "3": None})
        self.assertEqual(found["pass_at"], {"1": 0.833333333, "2": 1.0, "3": None})
        self.assertEqual(eh.repeat_statistics({(3, 3): 1, (0, 0): 1}, 0)["pass_hat"], {"1": None, "2": None, "3": None})


class MeanDifference(unittest.TestCase):
    """Paired mean differences, their standard errors and intervals."""

    deltas = [-0.5, 0.0, 0.25, -0.25, 0.0, 0.1, -0.3, 0.0]

    def test_the_standard_error_by_hand(self):
        # Squares of the residuals of 1, 2, 3, 6 around 3: 4 + 1 + 0 + 9 = 14; sqrt(14 / 3 / 4).
        self.assertAlmostEqual(eh.paired_difference([1, 2, 3, 6])["se"], (14 / 12) ** 0.5, delta=1e-9)

    def test_the_clustered_standard_error_by_hand(self):
        # Residuals -2, -1, 0, 3 in clusters (-2, -1) and (0, 3): (9 + 9) / 16 * 2 / 1.
        found = eh.paired_difference([1, 2, 3, 6], ["a", "a", "b", "b"])
        self.assertAlmostEqual(found["se"], (18 / 16 * 2) ** 0.5, delta=1e-9)
        self.assertEqual((found["n"], found["clusters"]), (4, 2))
        self.assertIn("clustered by family", found["method"])

    def test_every_case_a_family_is_as_no_families(self):
        one = eh.paired_difference(self.deltas)
        other = eh.paired_difference(self.deltas, list("abcdefgh"))
        self.assertEqual({**one, "method": ""}, {**other, "method": ""})

    def test_copies_of_a_family_make_nothing_surer(self):
        one = eh.paired_difference(self.deltas)
        copied = eh.paired_difference(self.deltas * 3, list("abcdefgh") * 3)
        self.assertEqual([one[key] for key in ("value", "se", "low", "high")],
                         [copied[key] for key in ("value", "se", "low", "high")])

    def test_weights_count_a_case_as_often(self):
        plain = eh.paired_difference([-0.5, -0.5, 0.0, 0.25])
        weighted = eh.paired_difference([-0.5, 0.0, 0.25], weights=[2, 1, 1])
        self.assertEqual(plain["value"], weighted["value"])
        self.assertEqual(eh.paired_difference(self.deltas, weights=[3.0] * 8), eh.paired_difference(self.deltas))

    def test_the_bootstrap_against_all_resamples(self):
        # All 4^4 resamples of four; the seeded 2,000 come close to these percentiles, and Student's t is wider.
        from itertools import product
        groups = [((delta, 1.0),) for delta in (-0.5, 0.0, 0.25, -0.25)]
        means = sorted(sum(each) / 4 for each in product((-0.5, 0.0, 0.25, -0.25), repeat=4))
        low, high = eh._bootstrap(groups, 0, 2000)
        self.assertEqual((means[0], means[-1]), (low, high))
        found = eh.paired_difference([-0.5, 0.0, 0.25, -0.25])
        self.assertLess(found["low"], low)

    def test_percentiles_of_thirty(self):
        # The central limit: about +- t(29) standard errors, and asymmetric for skewed differences.
        deltas = [-(number % 10) ** 2 / 100 for number in range(30)]
        found = eh.paired_difference(deltas)
        reach = eh.student_quantile(0.975, 29) * found["se"]
        self.assertAlmostEqual((found["high"] - found["low"]) / 2, reach, delta=0.1 * reach)

    def test_the_seed_decides(self):
        chance = [((number * 37) % 101 - 60) / 100 for number in range(40)]
        one, again, other = (eh.paired_difference(chance, seed=seed) for seed in (1, 1, 2))
        self.assertEqual(one, again)
        self.assertNotEqual((one["low"], one["high"]), (other["low"], other["high"]))

    def test_the_same_bytes_everywhere(self):
        # A golden value: another Python, platform or order of the additions would show.
        found = eh.paired_difference(self.deltas, seed=7)
        self.assertEqual(json.dumps(found, sort_keys=True), (
            '{"clusters": 8, "high": 0.115753077, "low": -0.3, "method": "paired, clustered by case, bootstrap of 2000, '
            'Student\'s t", "n": 8, "note": "", "se": 0.085955761, "value": -0.0875}'))

    def test_many_cases_in_closed_form(self):
        found = eh.paired_difference([0.1, -0.3] * 200)
        self.assertAlmostEqual(found["high"] - found["value"], 1.959964 * found["se"], delta=1e-6)
        self.assertIn("normal", found["method"])

    def test_no_interval_is_claimed_where_nothing_varies(self):
        for deltas, note in (([0.0] * 5, "all differences are equal"), ([-0.2], "only one case")):
            found = eh.paired_difference(deltas)
            self.assertEqual((found["se"], found["low"], found["high"]), (None, None, None))
            self.assertIn(note, found["note"])
        self.assertIsNone(eh.paired_difference([])["value"])

    def test_a_fall_of_all_alike_is_no_noise_from_six_on(self):
        for count in (1, 2, 5, 6, 50):
            self.assertEqual(eh.fell_for_sure(eh.paired_difference([-0.2] * count)), count >= 6, count)
        self.assertFalse(eh.fell_for_sure(eh.paired_difference([0.0] * 50)))


class Detectable(unittest.TestCase):
    def test_by_hand(self):
        # Miller (2024), section 5: (1.96 + 0.84) * se; with se = 0.01 and n = 400 a drop of 0.02 takes 785 cases.
        found = eh.detectable({"se": 0.01, "n": 400, "clusters": 400}, 0.02)
        self.assertAlmostEqual(found["mde"], 0.028016, delta=0.00002)
        self.assertEqual((found["cases"], found["more_cases"], found["n"]), (785, 385, 400))

    def test_few_cases_take_students_t(self):
        # t(9): 2.262 and 0.883; the standard error of ten falls short by 36 / 37.
        self.assertAlmostEqual(eh.detectable({"se": 0.1, "n": 10, "clusters": 10})["mde"], 0.3145 * 37 / 36, delta=0.0001)

    def test_enough_already(self):
        self.assertEqual(eh.detectable({"se": 0.001, "n": 400, "clusters": 400}, 0.05)["more_cases"], 0)

    def test_repeats(self):
        difference, all_ = {"se": 0.01, "n": 400, "clusters": 400}, 400 * 0.01 ** 2
        allowed = 400 * (0.02 / 2.801585) ** 2
        # All scatter comes from repeats: as many more as cases. None of it: no number of repeats helps.
        self.assertEqual(eh.detectable(difference, 0.02, all_, 3)["repeats"], 6)
        self.assertIsNone(eh.detectable(difference, 0.02, 0.0, 3)["repeats"])
        self.assertIsNone(eh.detectable(difference, 0.02)["repeats"])
        half = eh.detectable(difference, 0.02, all_ / 2 + 0.005, 3)["repeats"]
        self.assertAlmostEqual(half, 3 * 0.025 / (allowed - 0.015), delta=1)
        self.assertEqual(eh.detectable(difference, 0.05, all_, 3)["repeats"], 3)

    def test_nothing_varies(self):
        self.assertIsNone(eh.detectable({"se": None, "n": 3, "clusters": 3})["mde"])


class InReports(Workspace):
    """What `run` and `compare` write."""

    def sides(self, pairs, case=None, **config):
        """Cases from (baseline output, candidate output) pairs; the comparison's report and what was printed."""
        self.write("config.json", config)
        self.lines("fixtures/all.jsonl", [{"id": "c%04d" % at, **(case or {"output": [says("good")]})}
                                          for at in range(len(pairs))])
        for side, label in enumerate(("baseline", "candidate")):
            self.lines("runs/%s/all.jsonl" % label, [
                {"case": "c%04d" % at, "output": output} for at, pair in enumerate(pairs)
                for output in (pair[side] if type(pair[side]) is list else [pair[side]])])
        self.done = self.main("compare")
        return self.report("baseline-vs-candidate")

    def test_one_flipped_critical_among_a_thousand(self):
        case = {"output": [says("good"), {"check": "excludes", "value": "ugly", "critical": True}]}
        report = self.sides([("good", "good")] * 999 + [("good", "good, ugly")], case)
        found = report["summary"]["mean_score_delta"]
        self.assertEqual((found["value"], found["n"]), (-0.001, 1000))
        self.assertLess(found["low"], 0)
        self.assertGreater(found["high"], 0)
        self.assertEqual(self.done.code, 1)
        self.assertIn("1 case regressed: c0999", " ".join(report["gate"]["reasons"]))
        self.assertEqual(report["summary"]["flips"]["note"], "1 discordant pair cannot reach significance at 5 %")
        self.assertIn("1 discordant pair cannot reach significance", self.read("reports/baseline-vs-candidate.md"))

    def test_the_noise_rule_excuses_no_flip(self):
        report = self.sides([("good", "good")] * 999 + [("good", "bad")],
                            gate={"noise": "require_significant", "max_mean_drop": 0.0})
        self.assertEqual(self.done.code, 1)
        self.assertIn("regressed", report["gate"]["reasons"][0])
        self.assertIn("within the noise of 1000 cases", report["summary"]["excused_drop"])
        self.assertIn("within the noise", self.read("reports/baseline-vs-candidate.md"))

    half = {"threshold": 0.0, "output": [says("good"), says("fine")]}

    def test_the_noise_rule_of_the_mean(self):
        noisy = [("good fine", "good")] + [("good", "good")] * 9
        clear = [("good fine", "good")] * 8 + [("good", "good")] * 2
        uniform = [("good fine", "good")] * 10
        for pairs, noise, code in ((noisy, "report", 1), (noisy, "require_significant", 0), (clear, "require_significant", 1),
                                   (uniform, "require_significant", 1)):
            self.sides(pairs, self.half, gate={"max_mean_drop": 0.01, "noise": noise})
            self.assertEqual(self.done.code, code, (len(pairs), noise))

    def test_the_mean_counts_weights_as_the_score_does(self):
        self.lines("fixtures/all.jsonl", [{"id": "a", "weight": 9, **self.half}, {"id": "b", **self.half}])
        for name, was, is_ in (("a", "good fine", "good"), ("b", "good", "good fine")):
            self.run_of(name, was, "baseline")
            self.run_of(name, is_)
        self.main("compare")
        report = self.report("baseline-vs-candidate")
        self.assertEqual(report["summary"]["mean_score_delta"]["value"], -0.4)
        self.assertAlmostEqual(report["candidate"]["summary"]["score"] - report["baseline"]["summary"]["score"], -0.4)

    def test_a_against_a(self):
        self.sides([("good", "good")] * 20 + [("bad", "bad")] * 5)
        done = self.main("compare", "candidate", "candidate")
        report = self.report("candidate-vs-candidate")
        self.assertEqual(done.code, 0)
        self.assertEqual(report["summary"]["flips"]["n"], 0)
        self.assertEqual(report["summary"]["mean_score_delta"]["value"], 0.0)
        self.assertIsNone(report["summary"]["mean_score_delta"]["low"])
        self.assertEqual(report["summary"]["changes"]["unchanged"], 20)

    def test_every_figure_has_its_n_and_method(self):
        report = self.sides([("good", "bad"), ("bad", "good"), ("good", "good"), ("good", "bad")])
        summary = report["summary"]
        for found in (summary["flips"], summary["mean_score_delta"], summary["detectable"],
                      *summary["dimension_deltas"].values(), report["candidate"]["summary"]["pass_rate_interval"],
                      report["candidate"]["summary"]["repeats"]):
            self.assertLessEqual({"n", "method"}, set(found))
        words = self.read("reports/baseline-vs-candidate.md")
        for text in ("exact McNemar", "Wilson", "clustered by case", "after Holm", "would be found in 80 %"):
            self.assertIn(text, words)

    def test_families_hold_in_every_dimension(self):
        self.lines("fixtures/all.jsonl", [{"id": "c%d" % at, "tags": ["family:%d" % (at // 3)], **self.half} for at in range(9)])
        for at in range(9):
            self.run_of("c%d" % at, "good fine", "baseline")
            self.run_of("c%d" % at, "good" if at < 3 else "good fine")
        self.main("compare")
        summary = self.report("baseline-vs-candidate")["summary"]
        for found in (summary["mean_score_delta"], summary["dimension_deltas"]["output"]):
            self.assertEqual((found["n"], found["clusters"]), (9, 3))
            self.assertIn("family", found["method"])

    def test_repeats_of_a_case_stay_together(self):
        once = self.sides([("good fine", "good")] + [("good", "good fine")] * 3, self.half)
        thrice = self.sides([(["good fine"] * 3, ["good"] * 3)] + [(["good"] * 3, ["good fine"] * 3)] * 3, self.half)
        self.assertEqual(once["summary"]["mean_score_delta"], thrice["summary"]["mean_score_delta"])

    def test_unequal_repeats_are_told(self):
        report = self.sides([(["good"] * 3, ["good"] * 2), ("good", "good")])
        self.assertEqual(report["summary"]["unequal_repeats"], 1)
        self.assertIn("1 case does not have the same number of repeats", self.read("reports/baseline-vs-candidate.md"))

    def test_the_repeats_of_a_case(self):
        report = self.sides([(["good", "bad", "good"], ["good"] * 3)], repeats={"pass": "any"})
        row = report["cases"][0]["baseline"]
        self.assertEqual(row["repeats"], {
            "n": 3, "passed": 2, "flaky": True, "spread": 1.0, "pass_hat": {"1": 0.666666667, "2": 0.333333333, "3": 0.0},
            "pass_at": {"1": 0.666666667, "2": 1.0, "3": 1.0}})
        self.assertAlmostEqual(row["score"], 2 / 3)
        self.assertEqual(report["baseline"]["summary"]["repeats"]["flaky"], 1)

    def test_growth_with_a_floor_and_what_is_not_known(self):
        self.case("a")
        for limits, before, after, code in (({"ratio": 1.5}, 100, 150, 0), ({"ratio": 1.5}, 100, 151, 1),
                                            ({"ratio": 1.5, "floor": 60}, 100, 160, 0), ({"ratio": 1.5, "floor": 60}, 100, 161, 1),
                                            ({"ratio": 1.5}, 0, 1, 1), ({"ratio": 1.5}, None, 100, 1), ({"ratio": 1.5}, 100, None, 1)):
            self.write("config.json", {"gate": {"max_growth": {"tokens": limits}}})
            for label, tokens in (("baseline", before), ("candidate", after)):
                self.run_of("a", label=label, **({} if tokens is None else {"usage": {"input_tokens": tokens, "output_tokens": 0}}))
            done = self.main("compare")
            self.assertEqual(done.code, code, (limits, before, after))
            if None in (before, after):
                self.assertIn("not known", done.out)

    def test_never_failing_still_tells_the_verdict(self):
        self.sides([("good", "bad")])
        done = self.main("compare", "--fail-on", "never")
        self.assertEqual(done.code, 0)
        self.assertIn("FAILED", done.out)
        self.assertIn("1 case regressed", done.out)


@unittest.skipUnless(os.path.exists(RECORDING), "tau-bench's recording is not beside the project")
class TauBench(Workspace):
    """tau-bench's published figures for gpt-4o on the airline tasks, from its own recordings and rewards."""

    def test_pass_hat_of_the_report(self):
        self.write("config.json", {"gate": {"max_error_share": 1}})
        self.lines("fixtures/all.jsonl", [
            {"id": str(task), "threshold": 1, "expect_status": list(eh.RUN_STATUSES),
             "output": [{"check": "value", "at": "/scores/reward", "is": 1}]} for task in range(50)])
        self.main("run", RECORDING, "--json", "tau.json")
        found = json.loads(self.read("tau.json"))["summary"]
        self.assertEqual((found["cases"], found["runs"]), (50, 200))
        self.assertEqual([round(found["repeats"]["pass_hat"][k], 3) for k in "1234"], [0.420, 0.273, 0.220, 0.200])


if __name__ == "__main__":
    unittest.main()
