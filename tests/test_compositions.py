"""The rules that `checks` composes of other checks: each holds on an honest run and catches its breach."""

import unittest

import eval_harness as eh
from tests.support import call
from tests.test_contracts import said, steps

# Per rule the runs that keep it, the runs that break it, and those that leave it open.
RUNS = {
    "a skill's playbook": ([steps(call("find_order"), call("issue_refund"))], [steps(call("find_order"), call("wire"))], []),
    "the profile is confirmed before the first change": (
        [steps(call("confirm_profile"), call("set_plan"))],
        [steps(call("set_plan"), call("confirm_profile")), steps(call("set_plan")), steps(call("confirm_profile"))], []),
    "nothing is ever submitted live": (
        [steps(call("submit", arguments={"live": False}))],
        [steps(call("submit", arguments={"live": True, "id": 1}, error=True))],
        [steps(call("submit", arguments='{"live": tr'))]),
    "what is forbidden: never attempted": ([steps(call("find"))], [steps(call("delete_account", error=True))], []),
    "what is forbidden: never carried out": (
        [steps(call("find")), steps(call("delete_account", error=True))], [steps(call("delete_account", error=False))],
        [steps({"kind": "tool_call", "name": "delete_account", "arguments": {}, "result": "ok"})]),
    "submitted exactly once": (
        [steps(call("submit", error=True), call("submit", error=False))],
        [steps(call("submit", error=False), call("submit", error=False)), steps(call("submit", error=True))], []),
    "no loop: no call more than twice alike": (
        [steps(*[call("find", arguments={"page": page}) for page in (1, 2, 3)])],
        [steps(*[call("find", arguments={"page": 1})] * 3)], []),
    "asks before it acts": (
        [steps(said("Shall I?"), call("issue_refund"))], [steps(call("issue_refund"), said("Right?"))], []),
    "a rejected answer carries no values": (
        [steps(output={"status": "rejected"})],
        [steps(output={"status": "rejected", "predicted": None})], [steps(output={"status": "exact", "predicted": 1})]),
    "a confidence in basis points, a latency in microseconds": (
        [steps(output={"confidence": 9312, "latency_us": 4000})],
        [steps(output={"confidence": 0.93, "latency_us": 4000}), steps(output={"confidence": 9312, "latency_us": 4.5})], []),
    "the end state is right, not only the answer": (
        [steps(state={"order": {"status": "refunded", "by": "agent"}})], [steps(state={"order": {"status": "open"}})],
        [steps()]),
    "a judge's recorded verdict": ([steps(scores={"helpful": 0.7})], [steps(scores={"helpful": 0.69})], [steps()]),
}


def status_of(specs, run):
    """The status of a case of these checks alone."""
    config = eh.make_config()
    case = eh.compile_case({"id": "x", "contract": specs}, config)
    recorded = eh.read_value({"status": "completed", **run}, eh.Origin("here", "x", 1, None, b""))
    assert not recorded.problem, recorded.problem
    return eh.grade_case(case, [recorded], config).status


class Compositions(unittest.TestCase):
    def test_every_rule_is_tried(self):
        self.assertEqual(set(RUNS), set(eh.COMPOSITIONS))

    def test_what_keeps_a_rule_passes(self):
        for title, (kept, _, _) in RUNS.items():
            for run in kept:
                with self.subTest(title, run=run):
                    self.assertEqual(status_of(eh.COMPOSITIONS[title], run), "passed")

    def test_what_breaks_a_rule_fails(self):
        for title, (_, broken, _) in RUNS.items():
            for run in broken:
                with self.subTest(title, run=run):
                    self.assertIn(status_of(eh.COMPOSITIONS[title], run), ("failed", "critical"))

    def test_what_was_not_recorded_is_no_pass(self):
        for title, (_, _, unknown) in RUNS.items():
            for run in unknown:
                with self.subTest(title, run=run):
                    self.assertNotEqual(status_of(eh.COMPOSITIONS[title], run), "passed")


if __name__ == "__main__":
    unittest.main()
