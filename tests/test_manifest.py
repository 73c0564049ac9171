"""Real recordings with independently counted facts: ../shared/recordings/MANIFEST.tsv, row by row."""

import csv
import json
import os
import re
import unittest

import eval_harness as eh

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(os.path.dirname(ROOT), "shared", "recordings")


def rows():
    with open(os.path.join(FOLDER, "MANIFEST.tsv"), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def runs_of(row):
    """The runs of the file of a row that its selector means."""
    path = os.path.join(FOLDER, row["file"])
    found = list(eh.read_label(path, row["file"], eh.Limits()))
    selector = row["selector"]
    number = re.search(r"(?:simulations|samples)\[(\d+)\]", selector)
    member = re.fullmatch(r"samples/(.*)_epoch_(\d+)\.json", selector)
    if number:
        return found[int(number[1]):int(number[1]) + 1]
    if member:
        return [run for run in found if run.case == member[1] and run.repeat == int(member[2])]
    return found


def calls_of(runs):
    return [call for run in runs if run.steps is not None for _, call in eh.calls_of(run)]


def last_said(run):
    """The final output; of a run that was cut the last text of the assistant, which is none."""
    if type(run.output) is str or run.status == "completed" or run.steps is None:
        return run.output if type(run.output) is str else ""
    said = [step.text for step in run.steps if step.kind == "message" and step.role == "assistant"]
    return said[-1] if said else ""


def wanted_text(row):
    """The first 80 characters of the final output, of which the table has JSON escapes with some backslashes doubled."""
    text = row["final_output_80"]
    return text.replace("\\\\n", "\n").replace("\\n", "\n").replace('\\"', '"')


# Facts that are not as the table has them, and why.
OTHERWISE = {
    ("scripted/claude_session_subagent/d38ef444-95b2-4047-be78-b83d93e5a684.jsonl", "calls"):
        "the row counts the main file only; the sub-agent's file beside it is read, too",
    ("openhands_v1/events.jsonl", "errors"): "one of the two observations answers a call that is not in the excerpt",
    ("claude_code_session/ccl_edge_cases.jsonl", "usage"):
        "a message without a stop reason is one in the middle of being written: its count of output tokens is not the last",
    ("inspect/log_tool_call_error.json", "errors"): "the 11 answers belong to calls that are not in the excerpt",
}
# The table counted tool spans (or expected calls) only; their files do hold a final output.
NO_OUTPUT_COUNTED = ("otel_spans/", "langfuse/", "adk_evalset/roll_die", "tau2/")


@unittest.skipUnless(os.path.exists(FOLDER), "the recordings are not there: ../shared/recordings")
class Manifest(unittest.TestCase):
    maxDiff = None

    def each(self, check):
        """Call `check(row, runs)` for every row."""
        for row in rows():
            with self.subTest(file=row["file"], selector=row["selector"]):
                found = runs_of(row)
                if not found and row["file"] == "scripted/inspect_weather.eval":
                    # Its members are compressed with zstd, which Python reads from 3.14 on.
                    run, = eh.read_label(os.path.join(FOLDER, row["file"]), "x", eh.Limits())
                    self.assertIn("convert the log to json", run.problem)
                    continue
                self.assertEqual([run.problem for run in found if run.problem], [])
                check(row, found)

    def test_there_are_as_many_rows_as_were_looked_at(self):
        self.assertEqual(len(rows()), 63)

    def test_calls_and_their_names(self):
        def check(row, runs):
            names = [call.name for call in calls_of(runs) if not call.agent or not row["selector"].startswith("main file")]
            self.assertEqual((len(names), ",".join(names[:5])), (int(row["tool_calls"]), row["first_tools"]))

        self.each(check)

    def test_final_outputs(self):
        def check(row, runs):
            if row["final_output_80"] or not row["file"].startswith(NO_OUTPUT_COUNTED):
                said = [last_said(run)[:80] for run in runs]
                if not said[0] and not row["final_output_80"]:
                    return
                self.assertIn(wanted_text(row)[:70], [text[:len(wanted_text(row)[:70])] for text in said])

        self.each(check)

    def test_errors(self):
        def check(row, runs):
            noted = re.search(r"(?<![a-z_])(?:tool_)?err(?:ors)?=(\d+)|obs_errors=(\d+)|tool_msg_errors=(\d+)", row["notes"])
            if noted and (row["file"], "errors") not in OTHERWISE:
                flags = [call.error for call in calls_of(runs)]
                self.assertEqual(flags.count(True), int(next(filter(None, noted.groups()))))

        self.each(check)

    def test_unanswered_calls(self):
        def check(row, runs):
            noted = re.search(r"unanswered=(\d+)", row["notes"])
            if noted:
                self.assertEqual(sum(call.result is eh.MISSING for call in calls_of(runs)), int(noted[1]))

        self.each(check)

    def test_costs(self):
        def check(row, runs):
            noted = re.search(r"(?<!user_)(?:agent_|gen_)?cost=([0-9.e-]+)", row["notes"])
            if noted:
                self.assertAlmostEqual(sum(run.usage.cost_usd for run in runs), float(noted[1]))

        self.each(check)

    def test_usage(self):
        def check(row, runs):
            noted = re.search(r"\b(?:usage|totalUsage) (\d+)/(\d+)(?: cached (\d+))?", row["notes"])
            if noted:
                usage = runs[0].usage
                self.assertEqual((usage.input_tokens, usage.output_tokens), (int(noted[1]), int(noted[2])))
                self.assertEqual(usage.cached_input_tokens, int(noted[3]) if noted[3] else usage.cached_input_tokens)
            noted = re.search(r"out_tokens\(last per msg id\)=(\d+)", row["notes"])
            if noted and (row["file"], "usage") not in OTHERWISE:
                self.assertEqual(runs[0].usage.output_tokens, int(noted[1]))

        self.each(check)

    def test_rewards_and_scores(self):
        def check(row, runs):
            noted = re.search(r"reward=([0-9.]+)", row["notes"])
            if noted:
                self.assertEqual(runs[0].scores, {"reward": float(noted[1])})

        self.each(check)


ENCODINGS = (
    "scripted/langchain_messages_to_dict.json", "scripted/langchain_model_dump.json", "scripted/langgraph_state_values.json",
    "scripted/langchain_openai_messages.json", "scripted/openai_agents_to_input_list.json", "scripted/vercel_steps.json",
    "scripted/vercel_ui_messages.json", "scripted/vercel_model_messages.json", "scripted/inspect_weather.json")


@unittest.skipUnless(os.path.exists(FOLDER), "the recordings are not there: ../shared/recordings")
class OneRunInManyEncodings(unittest.TestCase):
    """The same run of one agent, recorded by several libraries, is graded the same."""

    # Two libraries were asked with a tool in camel case.
    CASE = {"id": "weather", "output": [{"check": "contains", "value": ["3C", "unknown"]}], "trace": [
        {"check": "calls", "expected": [[
            {"name": {"$one_of": ["get_weather", "getWeather"]}, "arguments": {"city": city}} for city in ("Oslo", "Atlantis")]]},
        {"check": "count", "call": "*", "min": 2, "max": 2}],
        "contract": [{"check": "completed"}, {"check": "no_secrets"}]}

    def grade(self, file, case):
        run, = eh.read_label(os.path.join(FOLDER, file), file, eh.Limits())
        config = eh.make_config()
        made = eh.grade_case(eh.compile_case(case, config), [run], config)
        return [(check.word, check.score, check.reason.replace("getWeather", "get_weather")) for check in made.runs[0].checks], (
            made.status, made.score, made.dimensions)

    def test_they_are_graded_the_same(self):
        first = self.grade(ENCODINGS[0], self.CASE)
        self.assertEqual(first[1][0], "passed", first)
        for file in ENCODINGS[1:]:
            with self.subTest(file):
                self.assertEqual(self.grade(file, self.CASE), first)

    def test_they_fail_the_same(self):
        case = {**self.CASE, "output": [{"check": "contains", "value": "Rome"}], "trace": [
            {"check": "calls", "expected": [{"name": {"$one_of": ["get_weather", "getWeather"]}, "arguments": {"city": "Rome"}}]}]}
        first = self.grade(ENCODINGS[0], case)
        self.assertEqual(first[1][0], "failed")
        for file in ENCODINGS[1:]:
            with self.subTest(file):
                self.assertEqual(self.grade(file, case)[1], first[1])

    def test_codex_in_two_formats(self):
        # `codex exec` knows no names but command_execution and the order in which calls ended; the commands are the same.
        case = {"id": "codex", "output": [{"check": "contains", "value": "a.txt contains hello"}], "trace": [
            {"check": "calls", "order": "any", "expected": [
                {"name": {"$one_of": ["exec_command", "command_execution"]}, "error": error}
                for error in (False, False, True)]}]}
        for file in ("scripted/codex_rollout_same_run.jsonl", "scripted/codex_exec.jsonl"):
            with self.subTest(file):
                found = self.grade(file, case)
                self.assertEqual(found[1][0], "passed", found)


@unittest.skipUnless(os.path.exists(FOLDER), "the recordings are not there: ../shared/recordings")
class Converted(unittest.TestCase):
    """`show --json` converts: what it prints is read as the same run, and graded the same."""

    def test_every_recording(self):
        for row in rows():
            for run in eh.read_label(os.path.join(FOLDER, row["file"]), row["file"], eh.Limits()):
                if run.problem:
                    continue
                with self.subTest(row["file"], case=run.case):
                    again = eh.read_value(json.loads(json.dumps(eh.native_form(run))), eh.Origin("x", run.case, None, None, b""))
                    self.assertEqual(again.problem, "")
                    self.assertEqual(again._replace(source="", place=None, digest=b"", recorded=None, warnings=()),
                                     run._replace(source="", place=None, digest=b"", recorded=None, warnings=()))


if __name__ == "__main__":
    unittest.main()
