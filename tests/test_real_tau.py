"""Real data: tau-bench's published gpt-4o runs of its airline tasks, graded by fixtures made from the tasks.

200 runs (50 tasks, 4 trials each) with the reward that tau-bench gave. tau-bench replays the calls on a database and
compares its hash with that of the golden actions, then looks for the required outputs in what the agent said. A
replay grader has no database, so the fixture says the same about the calls: exactly the golden writing calls, in any
order, and no other writing call; and every required output is said.

Only six tools write. transfer_to_human_agents ends the episode and books nothing, `think` and `calculate` compute,
the others look up: tau-bench's hash sees none of them, so they take no part here, whether golden or extra.

The plain rule agrees with 190 of the 200 rewards. Each of the other 10 was read:

- a failed attempt (9 runs): a writing call that the environment refused ("Error: payment method not found", a flight
  without seats, an amount that does not add up) in a run that otherwise did the right thing. The database never saw
  it; the plain rule counts it as an extra call, which many teams would want. All nine are gone where only calls that
  did not fail take part, which agrees with 199.
- an equivalent argument (task 5, trial 1): the flights came with `origin` and `destination`, which the tool overwrites.

Five episodes were cut by the limit of 30 steps and never scored (`info.reward_info` is null, reward 0). They are read
as step_limit, which cannot pass, although in task 2, trial 1 everything was done and said.
"""

import json
import os
import re
import unittest

import eval_harness as eh

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORDING = os.path.join(os.path.dirname(ROOT), "shared", "recordings", "tau_bench_gpt-4o-airline.json")

WRITING_TOOLS = ["book_reservation", "cancel_reservation", "send_certificate", "update_reservation_baggages",
                 "update_reservation_flights", "update_reservation_passengers"]

# (task, trial) of every run whose verdict differs from the reward, under the plain rule.
FAILED_ATTEMPT = {(11, 0), (13, 1), (13, 2), (15, 2), (15, 3), (20, 1), (20, 3), (26, 0), (26, 2)}
EQUIVALENT_ARGUMENT = {(5, 1)}
CUT_EPISODES = {(2, 1), (9, 2), (9, 3), (33, 0), (46, 3)}


def said(output):
    """tau-bench drops commas from what the agent said and looks for the output, whatever its case."""
    return {"check": "matches", "pattern": ",?".join(map(re.escape, output)), "flags": "i", "in": "narration"}


def fixture(task_id, task, failed_calls_count):
    """One task as a case. A failed call is known by its result: tau-bench has no error flag."""
    among = {"name": {"$one_of": WRITING_TOOLS}}
    if not failed_calls_count:
        among["result"] = {"$not": {"$regex": "^Error"}}
    golden = [{"name": action["name"], "arguments": action["kwargs"]} for action in task["actions"]
              if action["name"] in WRITING_TOOLS]
    return {"id": str(task_id), "threshold": 1,
            "trace": [{"check": "calls", "expected": golden, "order": "any", "among": among}],
            "output": [said(output) for output in task["outputs"]]}


@unittest.skipUnless(os.path.exists(RECORDING), "tau-bench's recording is not beside the project")
class TauBench(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        with open(RECORDING, encoding="utf-8") as file:
            cls.results = json.load(file)
        cls.runs = list(eh.read_label(RECORDING, "tau", eh.Limits()))
        cls.rewards = {(result["task_id"], result["trial"]): result["reward"] == 1 for result in cls.results}

    def disagreements(self, failed_calls_count):
        """(task, trial) -> the tool's reason, for every run that the tool and tau-bench see differently."""
        config = eh.make_config({})
        tasks = {result["task_id"]: result["info"]["task"] for result in self.results}
        found = {}
        for task_id, task in tasks.items():
            case = eh.compile_case(fixture(task_id, task, failed_calls_count), config)
            repeats = [run for run in self.runs if run.case == case.id]
            for result in eh.grade_case(case, repeats, config).runs:
                place = task_id, result.repeat - 1
                if (result.status == "passed") != self.rewards[place]:
                    found[place] = result.reason
        return found

    def test_everything_is_read(self):
        self.assertEqual(len(self.runs), 200)
        self.assertEqual({run.problem for run in self.runs}, {""})
        self.assertEqual(sorted((run.case, run.repeat) for run in self.runs),
                         sorted((str(task), repeat) for task in range(50) for repeat in (1, 2, 3, 4)))
        calls = [call for run in self.runs for _, call in eh.calls_of(run)]
        self.assertEqual(len(calls), 1164)
        self.assertFalse([call for call in calls if eh.MISSING in (call.arguments, call.result)])

    def test_the_reward_is_kept_as_a_score(self):
        kept = {(int(run.case), run.repeat - 1): run.scores["reward"] == 1 for run in self.runs}
        self.assertEqual(kept, self.rewards)
        self.assertEqual(sum(kept.values()), 84)

    def test_the_verdict_agrees_with_the_reward(self):
        found = self.disagreements(failed_calls_count=True)
        self.assertEqual(set(found), FAILED_ATTEMPT | EQUIVALENT_ARGUMENT, found)
        self.assertEqual(200 - len(found), 190)

    def test_it_agrees_more_where_failed_calls_take_no_part(self):
        found = self.disagreements(failed_calls_count=False)
        self.assertEqual(set(found), EQUIVALENT_ARGUMENT, found)
        self.assertEqual(200 - len(found), 199)

    def test_the_kinds_of_disagreement_are_what_they_are_called(self):
        by_place = {(int(run.case), run.repeat - 1): run for run in self.runs}
        for place in FAILED_ATTEMPT:
            results = [call.result for _, call in eh.calls_of(by_place[place]) if call.name in WRITING_TOOLS]
            self.assertTrue([result for result in results if result.startswith("Error")], place)
        unscored = {(result["task_id"], result["trial"]) for result in self.results
                    if result["info"]["reward_info"] is None}
        self.assertEqual(unscored, CUT_EPISODES)
        self.assertEqual({place for place, run in by_place.items() if run.status == "step_limit"}, CUT_EPISODES)
