"""Gemini, ADK, ATIF, SWE-agent, OpenHands, Inspect, tau2-bench, promptfoo: small recordings written for these tests."""

import importlib.util
import io
import json
import os
import random
import tempfile
import unittest
import zipfile

import eval_harness as eh
from tests.support import hostile


def read(content, name="case.json"):
    """The runs of a file: a value, a list of lines, or bytes."""
    with tempfile.TemporaryDirectory() as folder:
        data = content if isinstance(content, bytes) else (
            "".join(json.dumps(line) + "\n" for line in content) if name.endswith("l") else json.dumps(content)).encode()
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
        return list(eh.read_label(folder, "runs/x", eh.Limits()))


def read_one(content, name="case.json"):
    run, = read(content, name)
    assert not run.problem, run.problem
    return run


def calls(run):
    """(name, arguments, result, error flag) of the calls."""
    return [(call.name, call.arguments, call.result, call.error) for _, call in eh.calls_of(run)]


def said(run, role="assistant"):
    return [step.text for step in run.steps if step.kind == "message" and step.role == role]


class Gemini(unittest.TestCase):
    session = {"sessionId": "s", "projectHash": "p", "messages": [
        {"type": "user", "id": "1", "content": "Read a.txt and b.txt"},
        {"type": "gemini", "id": "2", "content": "Both.", "model": "gemini-x", "tokens": {
            "input": 100, "output": 10, "thoughts": 5, "cached": 40}, "toolCalls": [
            {"id": "c1", "name": "read_file", "args": {"path": "a.txt"}, "status": "success",
             "result": [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "A"}}}]},
            {"id": "c2", "name": "read_file", "args": {"path": "b.txt"}, "status": "error", "result": "no such file"},
            {"id": "c3", "name": "read_file", "args": {"path": "c.txt"}, "status": "scheduled"}]},
        {"type": "info", "id": "3", "content": "compressed"},
        {"type": "gemini", "id": "4", "content": [{"text": "A, and no b."}, {"text": "hm", "thought": True}],
         "tokens": {"input": 150, "output": 20, "cached": 0}}]}

    def test_a_session(self):
        run = read_one(self.session)
        self.assertEqual(calls(run), [("read_file", {"path": "a.txt"}, {"output": "A"}, False),
                                      ("read_file", {"path": "b.txt"}, "no such file", True),
                                      ("read_file", {"path": "c.txt"}, eh.MISSING, None)])
        self.assertEqual((run.output, run.status, run.model), ("A, and no b.", "completed", "gemini-x"))
        self.assertEqual(run.usage, eh.Usage(250, 35, 40))
        hostile(self, self.session)

    def test_a_session_in_lines(self):
        head, *messages = {"sessionId": "s", "projectHash": "p"}, *self.session["messages"]
        again = {**messages[3], "content": "Instead."}
        run = read_one([head, *messages, {"$set": {"x": 1}}, again], "case.jsonl")
        self.assertEqual((run.output, len(calls(run))), ("Instead.", 3))
        run = read_one([head, *messages, {"$rewindTo": "1"}, {"type": "gemini", "id": "9", "content": "New."}], "case.jsonl")
        self.assertEqual((run.output, calls(run), said(run, "user")), ("New.", [], []))
        run = read_one([head, *messages, {"$rewindTo": "unknown"}, {"type": "gemini", "id": "9", "content": "New."}], "case.jsonl")
        self.assertEqual(said(run), ["New."])

    def test_a_session_whose_history_is_set(self):
        head, (one, two, *_) = {"sessionId": "s", "projectHash": "p"}, self.session["messages"]
        masked = {"$set": {"messages": [{"type": "user", "id": "sum", "content": "A summary"}]}}
        run = read_one([head, {"$set": {"messages": [one]}}, {"$set": {"messages": [one, two]}}], "case.jsonl")
        self.assertEqual((said(run, "user"), len(calls(run))), (["Read a.txt and b.txt"], 3))
        run = read_one([head, one, two, masked], "case.jsonl")
        self.assertEqual((said(run, "user"), len(calls(run))), (["Read a.txt and b.txt"], 3))

    def test_messages_that_are_none(self):
        run = read_one({**self.session, "messages": ["x", None, {"content": 1}, *self.session["messages"]]})
        self.assertEqual(run.output, "A, and no b.")

    def test_what_json_output_says(self):
        value = {"session_id": "s", "response": "4", "stats": {"models": {"gemini-x": {"tokens": {
            "prompt": 10, "candidates": 2, "thoughts": 3, "cached": 4, "total": 15}}}, "tools": {"totalCalls": 1}, "files": {}}}
        run = read_one(value)
        self.assertEqual((run.output, run.status, run.steps, run.model, run.usage),
                         ("4", "completed", None, "gemini-x", eh.Usage(10, 5, 4)))
        failed = read_one({**value, "response": None, "error": {"type": "Quota", "message": "no"}})
        self.assertEqual((failed.output, failed.status), (eh.MISSING, "error"))
        hostile(self, value)

    def test_a_stream(self):
        events = [{"type": "init", "session_id": "s", "model": "gemini-x"}, {"type": "message", "role": "user", "content": "Go"},
                  {"type": "message", "role": "assistant", "content": "I ", "delta": True},
                  {"type": "message", "role": "assistant", "content": "look.", "delta": True},
                  {"type": "tool_use", "tool_name": "ls", "tool_id": "t1", "parameters": {}},
                  {"type": "tool_result", "tool_id": "t1", "status": "error", "error": {"type": "x", "message": "no"}},
                  {"type": "message", "role": "assistant", "content": "Done.", "delta": True},
                  {"type": "result", "status": "success", "stats": {"input_tokens": 9, "output_tokens": 3, "cached": 1,
                                                                    "duration_ms": 77}}]
        run = read_one(events, "case.jsonl")
        self.assertEqual(said(run), ["I look.", "Done."])
        self.assertEqual(calls(run), [("ls", {}, {"type": "x", "message": "no"}, True)])
        self.assertEqual((run.output, run.status, run.duration_ms, run.usage), ("Done.", "completed", 77, eh.Usage(9, 3, 1)))
        self.assertEqual(read_one(events[:-1], "case.jsonl").status, "incomplete")
        failed = read_one([*events[:-1], {"type": "result", "status": "error", "error": {"message": "quota"}}], "case.jsonl")
        self.assertEqual(failed.status, "error")
        self.assertEqual(len(read([*events, *events], "case.jsonl")), 2)
        self.assertEqual([run.model for run in read([{"wrapper": 1}, {"ts": 5}, *events, *events], "case.jsonl")], ["gemini-x"] * 2)
        hostile(self, events)

    def test_requests_and_responses(self):
        value = {"contents": [{"role": "user", "parts": [{"text": "Weather?"}]},
                              {"role": "model", "parts": [{"functionCall": {"name": "get", "args": {"c": "Oslo"}}}]},
                              {"role": "user", "parts": [{"functionResponse": {"name": "get", "response": {"t": 3}}}]}],
                 "candidates": [{"content": {"role": "model", "parts": [{"text": "3 C"}]}, "finishReason": "STOP"}],
                 "usageMetadata": {"promptTokenCount": 8, "candidatesTokenCount": 2, "thoughtsTokenCount": 1}}
        run = read_one(value)
        self.assertEqual((calls(run), run.output, run.usage), ([("get", {"c": "Oslo"}, {"t": 3}, None)], "3 C", eh.Usage(8, 3)))
        value["candidates"][0]["finishReason"] = "MAX_TOKENS"
        self.assertEqual(read_one(value).status, "incomplete")


class Sniffing(unittest.TestCase):
    def test_data_whose_first_item_is_no_object(self):
        for value in ([{"data": [3, {}], "query": "x"}], {"data": [None, {}]}, [{"data": [[], {"spans": [{}]}]}]):
            for run in eh.runs_of_value(value, eh.Origin("here", "x", None, None, b"")):
                self.assertTrue(run.problem)


class Adk(unittest.TestCase):
    session = {"id": "s", "app_name": "shop", "state": {"cart": 1}, "events": [
        {"author": "user", "invocation_id": "i", "content": {"role": "user", "parts": [{"text": "Buy it"}]}},
        {"author": "shop", "invocation_id": "i", "partial": True, "content": {"role": "model", "parts": [{"text": "Bu"}]}},
        {"author": "shop", "invocation_id": "i", "usage_metadata": {"prompt_token_count": 5, "candidates_token_count": 1},
         "content": {"role": "model", "parts": [{"text": "hidden", "thought": True}, {"function_call": {
             "name": "buy", "args": {"n": 1}}}, {"function_call": {"name": "buy", "args": {"n": 2}}}]}},
        {"author": "shop", "invocation_id": "i", "content": {"role": "user", "parts": [
            {"function_response": {"name": "buy", "response": {"ok": 1}}},
            {"function_response": {"name": "buy", "response": {"ok": 2}}}]}},
        {"author": "billing", "invocation_id": "i", "content": {"role": "model", "parts": [{"text": "Bought."}]}}]}

    def test_a_session(self):
        run = read_one(self.session)
        self.assertEqual(calls(run), [("buy", {"n": 1}, {"ok": 1}, None), ("buy", {"n": 2}, {"ok": 2}, None)])
        self.assertEqual((run.output, run.status, run.state, run.usage), ("Bought.", "completed", {"cart": 1}, eh.Usage(5, 1)))
        self.assertEqual([step.agent for step in run.steps], [None, None, None, "billing"])
        self.assertEqual([step.turn for step in run.steps], [None, 1, 1, 2])
        hostile(self, self.session)

    def test_events_alone(self):
        self.assertEqual(read_one(self.session["events"]).output, "Bought.")
        self.assertEqual(read_one(self.session["events"], "case.jsonl").output, "Bought.")

    def test_handing_back_takes_no_answer_away(self):
        def event(*parts, author="shop"):
            return {"author": author, "invocation_id": "i", "content": {"role": "model", "parts": list(parts)}}

        call = {"function_call": {"name": "transfer_to_agent", "args": {"agent_name": "shop"}}}
        answer = {"function_response": {"name": "transfer_to_agent", "response": {"result": None}}}
        for events, output in (([event({"text": "3 C"}), event(call), event(answer)], "3 C"),
                               ([event({"text": "I hand over"}, call), event(answer)], eh.MISSING),
                               ([event({"text": "3 C"}), event(call)], eh.MISSING)):
            self.assertEqual(read_one({"events": events}).output, output)

    def test_what_an_evaluation_came_to(self):
        turn = {"user_content": {"parts": [{"text": "Roll"}]}, "final_response": {"parts": [{"text": "4"}], "role": "model"},
                "intermediate_data": {"invocation_events": [
                    {"author": "dice", "content": {"role": "model", "parts": [{"function_call": {"name": "roll", "id": "a"}}]}},
                    {"author": "dice", "content": {"role": "user", "parts": [
                        {"function_response": {"name": "roll", "id": "a", "response": {"n": 4}}}]}}]}}
        about = {"final_eval_status": 1, "overall_eval_metric_results": [{"metric_name": "match", "score": 0.5}]}
        value = {"eval_set_result_id": "r", "eval_case_results": [
            {"eval_id": "one", "eval_metric_result_per_invocation": [{"actual_invocation": turn}], **about},
            {"eval_id": "two", "session_details": self.session}]}
        one, two = read(value)
        self.assertEqual((one.case, calls(one), one.output, one.status, one.scores),
                         ("one", [("roll", {}, {"n": 4}, None)], "4", "completed", {"match": 0.5}))
        self.assertEqual((two.case, two.output, two.scores), ("two", "Bought.", eh.MISSING))
        hostile(self, value)

    def test_camel_case_and_an_error(self):
        event = {"author": "shop", "invocationId": "i", "content": {"role": "model", "parts": [{"functionCall": {
            "name": "buy", "args": {}}}]}, "errorCode": "QUOTA", "errorMessage": "too many"}
        run = read_one({"events": [event]})
        self.assertEqual((len(calls(run)), run.status, run.error), (1, "error", "too many"))

    def test_eval_sets(self):
        turn = {"user_content": {"parts": [{"text": "Roll"}]}, "final_response": {"parts": [{"text": "4"}], "role": "model"},
                "intermediate_data": {"tool_uses": [{"name": "roll", "args": {"sides": 6}, "id": "a"}],
                                      "tool_responses": [{"name": "roll", "response": {"n": 4}, "id": "a"}]}}
        one, two = read({"eval_set_id": "e", "eval_cases": [{"eval_id": "one", "conversation": [turn]},
                                                            {"eval_id": "two", "conversation": [turn, turn]}]})
        self.assertEqual((one.case, calls(one), one.output), ("one", [("roll", {"sides": 6}, {"n": 4}, None)], "4"))
        self.assertEqual((two.case, len(calls(two))), ("two", 2))
        old = [{"query": "Roll", "expected_tool_use": [{"tool_name": "roll", "tool_input": {"sides": 6}}], "reference": "4"}]
        self.assertEqual(calls(read_one(old)), [("roll", {"sides": 6}, eh.MISSING, None)])
        self.assertEqual(read_one([{"name": "dice", "data": old}]).case, "dice")


class Trajectories(unittest.TestCase):
    atif = {"schema_version": "ATIF-v1.6", "agent": {"name": "main", "model_name": "m"}, "steps": [
        {"step_id": 1, "source": "user", "message": "Go"},
        {"step_id": 2, "source": "agent", "message": "old", "is_copied_context": True,
         "tool_calls": [{"tool_call_id": "0", "function_name": "old", "arguments": {}}]},
        {"step_id": 3, "source": "agent", "message": "Two.", "tool_calls": [
            {"tool_call_id": "a", "function_name": "sh", "arguments": {"c": "ls"}},
            {"tool_call_id": "b", "function_name": "ask", "arguments": {"q": 1}}],
         "observation": {"results": [{"content": "files"}, {"content": "answered", "subagent_trajectory_ref": [
             {"trajectory_id": "sub"}]}]}},
        {"step_id": 4, "source": "agent", "message": "Done."}],
        "subagent_trajectories": [{"trajectory_id": "sub", "agent": {"name": "helper"}, "steps": [
            {"source": "agent", "message": "Looking.", "tool_calls": [{"tool_call_id": "s", "function_name": "find"}],
             "observation": {"results": [{"source_call_id": "s", "content": "x"}]}}]}],
        "final_metrics": {"total_prompt_tokens": 10, "total_completion_tokens": 4, "total_cached_tokens": 2,
                          "total_cost_usd": 0.5}}

    def test_atif(self):
        run = read_one(self.atif)
        self.assertEqual(calls(run), [("sh", {"c": "ls"}, "files", None), ("ask", {"q": 1}, "answered", None),
                                      ("find", {}, "x", None)])
        self.assertEqual([call.agent for _, call in eh.calls_of(run)], [None, None, "helper"])
        self.assertEqual((run.output, run.status, run.usage), ("Done.", "completed", eh.Usage(10, 4, 2, 0.5)))
        hostile(self, self.atif)

    def test_atif_that_goes_on_elsewhere(self):
        self.assertEqual(read_one({**self.atif, "continued_trajectory_ref": "next.json"}).status, "incomplete")

    def test_atif_whose_last_response_makes_the_call_that_ends_the_run(self):
        def ending(*names):
            return {"source": "agent", "message": "All done.", "tool_calls": [{"function_name": name} for name in names]}

        steps = self.atif["steps"][:3]
        for step, output in ((ending("finish"), "All done."), (ending("sh", "mark_task_complete"), "All done."),
                             (ending("sh"), eh.MISSING)):
            run = read_one({**self.atif, "steps": [*steps, step]})
            self.assertEqual((run.output, run.status), (output, "incomplete" if output is eh.MISSING else "completed"))

    def test_atif_with_sub_agents_that_no_call_names(self):
        sub = self.atif["subagent_trajectories"][0]
        nested = {**sub, "trajectory_id": "n", "agent": {"name": "nested"}}
        bare = {key: value for key, value in sub.items() if key != "trajectory_id"}
        run = read_one({**self.atif, "subagent_trajectories": [{**sub, "subagent_trajectories": [nested]}, bare, bare]})
        self.assertEqual([call.agent for _, call in eh.calls_of(run)], [None, None, "helper", "helper", "helper", "nested"])
        self.assertEqual((run.output, run.status), ("Done.", "completed"))

    def test_atif_without_final_metrics(self):
        steps = [{"source": "agent", "message": "a", "metrics": {"prompt_tokens": 5, "completion_tokens": 2, "cost_usd": 0.5}},
                 {"source": "agent", "message": "old", "is_copied_context": True, "metrics": {"prompt_tokens": 99}},
                 {"source": "agent", "message": "b", "metrics": {"prompt_tokens": 7, "completion_tokens": 1, "cost_usd": 0.25}}]
        run = read_one({"schema_version": "ATIF-v1.2", "steps": steps, "final_metrics": {"total_steps": 3}})
        self.assertEqual(run.usage, eh.Usage(12, 3, None, 0.75))

    def test_swe_agent_with_tool_calls(self):
        call = lambda id_, name: {"id": id_, "type": "function", "function": {"name": name, "arguments": '{"f": 1}'}}
        history = [{"role": "system", "content": "S", "message_type": "system_prompt", "agent": "main"},
                   {"role": "assistant", "content": "demo", "tool_calls": [call("d", "demo")], "is_demo": True},
                   {"role": "assistant", "content": "Open.", "tool_calls": [call("1", "open")], "message_type": "action"},
                   {"role": "user", "content": "text of it", "tool_call_ids": ["1"], "message_type": "observation"},
                   {"role": "assistant", "content": "Send.", "tool_calls": [call("2", "submit")], "message_type": "action"}]
        value = {"history": history, "trajectory": [], "info": {
            "exit_status": "submitted", "submission": "diff", "model_stats": {
                "tokens_sent": 9, "tokens_received": 2, "instance_cost": 0.1}}}
        run = read_one(value)
        self.assertEqual([(name, result) for name, _, result, _ in calls(run)], [("open", "text of it"), ("submit", eh.MISSING)])
        self.assertEqual((run.output, run.status, run.usage), ("diff", "completed", eh.Usage(9, 2, None, 0.1)))
        value["info"]["exit_status"] = "exit_cost"
        self.assertEqual(read_one(value).status, "step_limit")
        value["info"]["exit_status"] = "submitted (exit_cost)"
        self.assertEqual((read_one(value).status, read_one(value).output), ("step_limit", "diff"))
        value["info"]["exit_status"] = "exit_total_execution_time"
        self.assertEqual(read_one(value).status, "timeout")
        value["info"]["exit_status"] = "what is this"
        self.assertEqual(read_one(value).status, "error")
        hostile(self, value)

    def test_swe_agent_with_shell_lines(self):
        run = read_one({"history": [], "trajectory": [{"thought": "Look.", "action": "ls -a", "observation": "x",
                                                       "execution_time": 0.5}], "info": {}})
        self.assertEqual(calls(run), [("ls", {"command": "ls -a"}, "x", None)])
        self.assertEqual(eh.calls_of(run)[0][1].duration_ms, 500)

    def test_swe_agent_of_which_only_the_history_was_kept(self):
        history = [{"role": "system", "content": "S", "message_type": "system_prompt"}, {"role": "user", "content": "Fix it"},
                   {"role": "assistant", "content": "Look.\n```ls```", "thought": "Look.", "action": "ls -a", "message_type": "action"},
                   {"role": "user", "content": "a.txt", "message_type": "observation"},
                   {"role": "assistant", "content": "Send.", "thought": "Send.", "action": "submit", "message_type": "action"}]
        run = read_one({"history": history})
        self.assertEqual(calls(run), [("ls", {"command": "ls -a"}, "a.txt", None), ("submit", {"command": "submit"}, eh.MISSING, None)])
        self.assertEqual((said(run), said(run, "user"), run.status), (["Look.", "Send."], ["Fix it"], "incomplete"))
        run = read_one({"history": [*history, {"role": "user", "content": "diff", "message_type": "observation"}]})
        self.assertEqual((run.status, run.output), ("completed", eh.MISSING))

    def test_mini_swe_agent_with_actions_beside_its_answers(self):
        reply = {"role": "assistant", "content": "Both.", "tool_calls": [{"id": "a", "function": {"name": "bash", "arguments": "{}"}}],
                 "extra": {"actions": [{"command": "ls", "tool_call_id": "a"}, {"command": "pwd", "tool_call_id": "b"}],
                           "response": {"usage": {"prompt_tokens": 5, "completion_tokens": 2}}}}
        tool = {"role": "tool", "tool_call_id": "b", "content": "no", "extra": {"returncode": 1}}
        other = {"object": "response", "output": [{"type": "reasoning"}, {"type": "message", "content": [
            {"type": "output_text", "text": "Now."}]}], "extra": {"actions": [{"command": "id", "tool_call_id": "c"}]}}
        text = {"role": "assistant", "content": "In text.", "extra": {"actions": [{"command": "one"}, {"command": "two"}]}}
        value = {"trajectory_format": "mini-swe-agent-1.1", "info": {
            "model_stats": {"instance_cost": 0.5}, "config": {"model": {"model_name": "m"}}}, "messages": [
            {"role": "user", "content": "Fix it"}, reply, tool, {"role": "tool", "tool_call_id": "a", "content": "<returncode>0</returncode>"},
            other, {"type": "function_call_output", "call_id": "c", "output": "root"}, text, {"role": "user", "content": "1"},
            {"role": "user", "content": "2"}, {"role": "exit", "content": "diff", "extra": {
                "exit_status": "Submitted", "submission": "diff"}}]}
        run = read_one(value)
        self.assertEqual([(arguments["command"], result, error) for _, arguments, result, error in calls(run)], [
            ("ls", "<returncode>0</returncode>", False), ("pwd", "no", True), ("id", "root", None), ("one", "1", None), ("two", "2", None)])
        self.assertEqual((said(run), run.output, run.status, run.model, run.usage), (
            ["Both.", "Now.", "In text."], "diff", "completed", "m", eh.Usage(5, 2, None, 0.5)))
        for ended, status in (("TimeExceeded", "timeout"), ("UserInterruption", "cancelled"), ("RetryError", "error")):
            value["messages"][-1]["extra"] = {"exit_status": ended, "submission": ""}
            self.assertEqual((read_one(value).status, read_one(value).output), (status, eh.MISSING))
        hostile(self, value)

    def test_mini_swe_agent(self):
        block = lambda command: "I do.\n\n```mswea_bash_command\n%s\n```" % command
        messages = [{"role": "system", "content": "S"}, {"role": "assistant", "content": block("ls")},
                    {"role": "user", "content": "<returncode>2</returncode>\nno"}, {"role": "assistant", "content": "no block"},
                    {"role": "user", "content": "One block, please."}, {"role": "assistant", "content": block("true")},
                    {"role": "user", "content": "<returncode>0</returncode>"}]
        run = read_one(messages)
        self.assertEqual(calls(run), [("bash", {"command": "ls"}, "<returncode>2</returncode>\nno", True),
                                      ("bash", {"command": "true"}, "<returncode>0</returncode>", False)])
        self.assertEqual((run.output, run.status), (eh.MISSING, "incomplete"))
        run = read_one([*messages, {"role": "assistant", "content": block("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")},
                        {"role": "user", "content": "the diff"}])
        self.assertEqual((run.output, run.status), ("the diff", "completed"))
        run = read_one({"trajectory_format": "mini-swe-agent-1", "messages": messages, "info": {
            "exit_status": "Submitted", "submission": "diff"}})
        self.assertEqual((run.status, run.output), ("completed", "diff"))


class OpenHands(unittest.TestCase):
    events = [{"id": 1, "source": "user", "action": "message", "args": {"content": "Do"}},
              {"id": 2, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "Look."}},
              {"id": 3, "source": "agent", "observation": "run", "content": "x", "cause": 2, "extras": {"metadata": {"exit_code": 1}}},
              {"id": 4, "source": "agent", "action": "edit", "args": {"path": "a"}, "tool_call_metadata": {
                  "function_name": "str_replace_editor", "tool_call_id": "c4"}},
              {"id": 5, "source": "agent", "observation": "edit", "content": "ok", "cause": 4},
              {"id": 6, "source": "agent", "action": "finish", "args": {"final_thought": "All done."}}]

    def test_events(self):
        run = read_one(self.events)
        self.assertEqual(calls(run), [("run", {"command": "ls"}, "x", True), ("str_replace_editor", {"path": "a"}, "ok", None),
                                      ("finish", {"final_thought": "All done."}, eh.MISSING, None)])
        self.assertEqual((run.output, run.status, said(run)), ("All done.", "completed", ["Look."]))
        hostile(self, self.events)

    def test_calls_as_the_model_made_them(self):
        reply = {"id": "r1", "model": "m", "usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {
            "cached_tokens": 4}}, "choices": [{"message": {"tool_calls": [
                {"id": "a", "function": {"name": "execute_bash", "arguments": '{"command": "ls"}'}},
                {"id": "b", "function": {"name": "execute_bash", "arguments": '{"command": "pwd"}'}}]}}]}
        event = lambda number, id_: {"id": number, "source": "agent", "action": "run", "args": {
            "command": "?", "blocking": False, "hidden": False}, "tool_call_metadata": {
                "function_name": "execute_bash", "tool_call_id": id_, "model_response": reply}}
        run = read_one([event(1, "a"), event(2, "b"), {"id": 3, "observation": "run", "content": "x", "cause": 2}])
        self.assertEqual(calls(run), [("execute_bash", {"command": "ls"}, eh.MISSING, None), ("execute_bash", {"command": "pwd"}, "x", None)])
        self.assertEqual(([call.turn for _, call in eh.calls_of(run)], run.usage, run.model), ([1, 1], eh.Usage(9, 2, 4), "m"))
        hostile(self, [event(1, "a")])

    def test_states_of_the_agent(self):
        state = lambda word: {"id": 9, "source": "environment", "observation": "agent_state_changed", "content": "",
                              "extras": {"agent_state": word}}
        for events, word, status in ((self.events[:3], "error", "error"), (self.events[:3], "stopped", "cancelled"),
                                     (self.events, "stopped", "completed"), (self.events, "error", "error"),
                                     (self.events[:3], "running", "incomplete")):
            self.assertEqual(read_one([*events, state(word)]).status, status)

    def test_an_evaluation(self):
        line = {"instance_id": "astropy-1", "history": self.events, "metrics": {"accumulated_cost": 0.25}, "error": None}
        one, two = read([line, {**line, "instance_id": "b", "error": "crashed"}], "output.jsonl")
        self.assertEqual((one.case, one.status, one.usage.cost_usd), ("astropy-1", "completed", 0.25))
        self.assertEqual((two.case, two.status), ("b", "error"))
        whole = {**line, "metrics": {"accumulated_cost": 0.5, "accumulated_token_usage": {
            "prompt_tokens": 8, "completion_tokens": 3, "cache_read_tokens": 1}}, "metadata": {"llm_config": {"model": "m"}},
            "test_result": {"report": {"resolved": True}}}
        run = read_one(whole)
        self.assertEqual((run.usage, run.model, run.scores), (eh.Usage(8, 3, 1, 0.5), "m", {"resolved": True}))
        hostile(self, whole)

    def test_the_sdk(self):
        action = lambda id_, response, **keys: {
            "kind": "ActionEvent", "source": "agent", "tool_name": "terminal", "tool_call_id": id_, "llm_response_id": response,
            "tool_call": {"arguments": '{"command": "ls"}'}, "thought": [], **keys}
        events = [{"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [{"type": "text", "text": "Go"}]}},
                  action("a", "r1"), action("b", "r1"),
                  {"kind": "ObservationEvent", "source": "environment", "tool_call_id": "a", "observation": {
                      "content": [{"type": "text", "text": "x"}], "is_error": False}},
                  {"kind": "AgentErrorEvent", "source": "agent", "tool_call_id": "b", "error": "no such tool"},
                  {"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "stats", "value": {"usage_to_metrics": {
                      "default": {"accumulated_cost": 0.1, "accumulated_token_usage": {"prompt_tokens": 5, "completion_tokens": 2,
                                                                                       "cache_read_tokens": 1}}}}}]
        run = read_one(events, "case.jsonl")
        self.assertEqual(calls(run), [("terminal", {"command": "ls"}, "x", False), ("terminal", {"command": "ls"}, "no such tool", True)])
        self.assertEqual([call.turn for _, call in eh.calls_of(run)], [1, 1])
        self.assertEqual(run.usage, eh.Usage(5, 2, 1, 0.1))
        done = action("f", "r2", tool_name="finish", action={"message": "Fin."})
        self.assertEqual(read_one([*events, done], "case.jsonl").output, "Fin.")
        state = lambda key, value: {"kind": "ConversationStateUpdateEvent", "source": "environment", "key": key, "value": value}
        for more, status in (([state("execution_status", "finished")], "completed"), ([state("execution_status", "stuck")], "error"),
                             ([done, state("full_state", {"execution_status": "error"})], "error"), ([], "incomplete"),
                             ([{"kind": "ConversationErrorEvent", "source": "environment", "detail": "limit"}], "error")):
            self.assertEqual(read_one([*events, *more], "case.jsonl").status, status)
        refused = {"kind": "UserRejectObservation", "source": "user", "tool_call_id": "c", "rejection_reason": "no"}
        run = read_one([*events, action("c", "r3"), refused])
        self.assertEqual(calls(run)[-1], ("terminal", {"command": "ls"}, "no", True))
        hostile(self, events)


class Inspect(unittest.TestCase):
    sample = {"id": "w", "epoch": 2, "input": "Weather?", "target": "3", "messages": [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "Both."}], "tool_calls": [
            {"id": "1", "function": "get", "arguments": {"c": "attachment://abc"}}, {"id": "2", "function": "get", "arguments": {},
                                                                                     "parse_error": "not JSON"}]},
        {"role": "tool", "tool_call_id": "1", "function": "get", "content": "3"},
        {"role": "tool", "tool_call_id": "2", "function": "get", "content": "", "error": {"type": "parsing", "message": "bad"}},
        {"role": "assistant", "content": "3"}],
        "output": {"model": "m", "choices": [{"stop_reason": "stop"}]}, "scores": {"match": {"value": "C", "answer": "3"}},
        "events": [{"event": "tool", "id": "1", "working_time": 0.25}], "total_time": 2.0, "attachments": {"abc": "Oslo"},
        "model_usage": {"m": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 10, "input_tokens_cache_read": 3}}}

    def test_a_log(self):
        log = {"version": 2, "status": "success", "eval": {"model": "big"}, "plan": {}, "samples": [self.sample]}
        run = read_one(log)
        first, second = [call for _, call in eh.calls_of(run)]
        self.assertEqual((first.arguments, first.result, first.error, first.duration_ms), ({"c": "Oslo"}, "3", False, 250))
        self.assertEqual((second.arguments, second.arguments_error, second.result, second.error), (eh.MISSING, "not JSON", "bad", True))
        self.assertEqual((run.case, run.repeat, run.output, run.status, run.scores, run.usage, run.duration_ms, run.model),
                         ("w", 2, "3", "completed", {"match": "C"}, eh.Usage(8, 2, 3), 2000, "big"))
        self.assertEqual(said(run), ["Both.", "3"])
        hostile(self, log)

    def test_how_samples_end(self):
        for change, status in (({"limit": {"type": "message"}}, "step_limit"), ({"limit": {"type": "time"}}, "timeout"),
                               ({"limit": {"type": "operator"}}, "cancelled"), ({"error": {"message": "boom"}}, "error"),
                               ({"output": {"choices": [{"stop_reason": "content_filter"}]}}, "refused")):
            with self.subTest(change):
                self.assertEqual(read_one({**self.sample, **change}).status, status)

    def test_calls_that_only_events_show(self):
        span = lambda id_, type_, parent=None, **keys: {"event": "span_begin", "id": id_, "type": type_, "name": id_, "parent_id": parent}
        tool = lambda id_, within, **keys: {"event": "tool", "id": id_, "function": "f" + id_, "arguments": {"n": 1}, "span_id": within,
                                            "result": "r" + id_, **keys}
        events = [span("react", "agent"), tool("gone", "react", result="attachment://abc"), tool("1", "react"), span("call", "tool", "react"),
                  span("helper", "agent", "call"), span("deep", "tool", "helper"), tool("s1", "deep", working_time=0.5),
                  tool("s2", "helper", error={"message": "no"}, result=""), tool("2", "react", events=[tool("old", None)], agent="old agent"),
                  tool("s3", "helper", pending=True), span("scorers", "scorers"), span("judge", "agent", "scorers"), tool("judged", "judge")]
        run = read_one({**self.sample, "events": events})
        self.assertEqual([(call.id, call.agent, call.result, call.error) for _, call in eh.calls_of(run)], [
            ("gone", None, "Oslo", False), ("1", None, "3", False), ("s1", "helper", "rs1", False), ("s2", "helper", "no", True),
            ("2", None, "bad", True), ("old", "old agent", "rold", False), ("s3", "helper", eh.MISSING, None)])
        self.assertEqual([step.kind for step in run.steps[:3]], ["message", "tool_call", "message"])
        self.assertEqual((run.output, run.status), ("3", "completed"))
        self.assertEqual([call.duration_ms for _, call in eh.calls_of(run)][2], 500)
        hostile(self, {**self.sample, "events": events})

    def test_tools_that_the_maker_of_the_model_ran(self):
        content = [{"type": "tool_use", "tool_type": "web_search", "id": "w", "name": "search", "arguments": '{"q": "x"}', "result": "found"},
                   {"type": "text", "text": "Found."}]
        run = read_one({**self.sample, "events": [], "messages": [{"role": "assistant", "content": content}]})
        self.assertEqual((calls(run), run.output), ([("search", {"q": "x"}, "found", False)], "Found."))

    def test_a_log_of_which_there_is_only_the_head(self):
        run, = read({"version": 2, "status": "error", "eval": {"model": "m"}, "plan": {}, "error": {"message": "x"}})
        self.assertIn("holds no run", run.problem)

    def test_an_attachment_that_is_missing(self):
        self.assertIn("an attachment is missing: abc", read_one({**self.sample, "attachments": {}}).warnings)

    def test_an_archive(self):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("header.json", "{}")
            for epoch in (1, 2):
                archive.writestr("samples/w_epoch_%d.json" % epoch, json.dumps({**self.sample, "epoch": epoch}))
        self.assertEqual([(run.case, run.repeat, run.output) for run in read(made.getvalue(), "log.eval")], [("w", 1, "3"), ("w", 2, "3")])

    def archive(self, *members):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members:
                archive.writestr(name, data)
        return made.getvalue()

    def test_members_that_are_not_read(self):
        good, bomb = json.dumps(self.sample), b" " * (eh.Limits().file_bytes + 1)
        for name, data, problem in (("../samples/a.json", good, "leads out"), ("/samples/a.json", good, "leads out"),
                                    ("samples/a.json", bomb, "larger than"), ("samples/a.json", "{", "JSON")):
            bad, fine = sorted(read(self.archive((name, data), ("samples/z.json", good)), "log.eval"), key=lambda run: not run.problem)
            self.assertIn(problem, bad.problem)
            self.assertEqual((fine.problem, fine.case), ("", "w"))
        run, = read(self.archive(("other.json", "{}")), "log.eval")
        self.assertIn("without samples", run.problem)

    def test_a_sample_is_found_again_among_others_of_nearly_its_name(self):
        long = "samples/%s_epoch_%%d.json" % ("w" * 100)
        data = self.archive(*[(long % epoch, json.dumps({**self.sample, "epoch": epoch})) for epoch in (1, 2, 3)])
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "log.eval"), "wb") as file:
                file.write(data)
            for run in eh.read_label(folder, "runs/x", eh.Limits()):
                again, = eh.read_runs_at(run.place[0], run.place[2], eh.Limits(), {})
                self.assertEqual(again, run)

    def test_archives_that_are_broken(self):
        whole, chance = self.archive(("samples/a.json", json.dumps(self.sample)), ("header.json", "{}")), random.Random(5)
        for _ in range(300):
            data = bytearray(whole)
            for _ in range(chance.randint(1, 6)):
                data[chance.randrange(4, len(data))] = chance.randrange(256)
            self.assertTrue(read(bytes(data[:chance.choice((len(data), chance.randrange(30, len(data))))]), "log.eval"))

    def test_a_member_that_lies_about_its_size(self):
        data = self.archive(("samples/a.json", b" " * 5_000_000))
        for size in (10, 4_000_000_000):
            lying = data.replace((5_000_000).to_bytes(4, "little"), size.to_bytes(4, "little"))
            run, = read(lying, "log.eval")
            self.assertTrue(run.problem)

    def test_a_member_in_zstd(self):
        data = bytearray(self.archive(("samples/a.json", json.dumps(self.sample))))
        for signature, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
            place = data.index(signature) + at
            data[place:place + 2] = (93).to_bytes(2, "little")
        run, = read(bytes(data), "log.eval")
        self.assertTrue(run.problem)
        try:
            from compression import zstd
        except ImportError:
            self.assertIn("zstd needs 3.14", run.problem)
            self.assertIn("convert the log to json", run.problem)

    @unittest.skipUnless(importlib.util.find_spec("compression"), "Python reads zstd from 3.14 on")
    def test_a_member_that_is_readable_zstd(self):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", 93) as archive:
            archive.writestr("samples/a.json", json.dumps(self.sample))
        run, = read(made.getvalue(), "log.eval")
        self.assertEqual((run.case, run.output), ("w", "3"))


class Benchmarks(unittest.TestCase):
    def test_tau2(self):
        call = lambda id_, who: {"id": id_, "name": "find", "arguments": {"n": 1}, "requestor": who}
        simulation = {"task_id": 7, "trial": 1, "duration": 1.5, "termination_reason": "user_stop", "agent_cost": 0.2,
                      "reward_info": {"reward": 1.0}, "messages": [
                          {"role": "user", "content": "Hi", "tool_calls": [call("u", "user")]},
                          {"role": "tool", "id": "u", "content": "x", "requestor": "user", "error": False},
                          {"role": "assistant", "content": None, "tool_calls": [call("a", "assistant")],
                           "usage": {"prompt_tokens": 4, "completion_tokens": 1}},
                          {"role": "tool", "id": "a", "content": "y", "requestor": "assistant", "error": True},
                          {"role": "assistant", "content": "Bye.", "usage": {"prompt_tokens": 6, "completion_tokens": 2}},
                          {"role": "user", "content": "###STOP###"}]}
        value = {"info": {"agent_info": {"llm": "m"}}, "simulations": [simulation, {**simulation, "termination_reason": "max_steps"}]}
        run, cut = read(value)
        self.assertEqual(calls(run), [("find", {"n": 1}, "y", True)])
        self.assertEqual((run.case, run.repeat, run.output, run.status, run.scores, run.usage, run.duration_ms, run.model),
                         ("7", 2, "Bye.", "completed", {"reward": 1.0}, eh.Usage(10, 3, None, 0.2), 1500, "m"))
        self.assertIn("left out: 1 call of the simulated user", run.warnings)
        self.assertEqual(cut.status, "step_limit")
        hostile(self, value)
        for reason, status in (("infrastructure_error", "error"), ("context_window_exceeded", "step_limit"), ("quite new", "incomplete")):
            self.assertEqual(read_one({"info": {}, "simulations": [{**simulation, "termination_reason": reason}]}).status, status)
        told = {"reward": 0.5, "reward_breakdown": {"DB": 1.0, "COMMUNICATE": 0.5}}
        self.assertEqual(read_one({**simulation, "reward_info": told}).scores, {"DB": 1.0, "COMMUNICATE": 0.5, "reward": 0.5})
        voice, = read({"info": {}, "simulations": [{**simulation, "messages": None, "ticks": [{}]}]})
        self.assertIn("only ticks", voice.problem)

    def test_promptfoo(self):
        row = {"success": False, "score": 0.5, "latencyMs": 40, "cost": 0.1, "testIdx": 3, "testCase": {"description": "greets"},
               "provider": {"id": "m"}, "response": {"output": "Hi", "tokenUsage": {"prompt": 3, "completion": 1}}}
        called = {**row, "testCase": {}, "response": {"output": [{"id": "1", "function": {"name": "find", "arguments": "{}"}}]}}
        broken = {**row, "failureReason": 2, "error": "429", "response": {}}
        value = {"evalId": "e", "results": {"version": 3, "results": [row, called, broken]}}
        one, two, three = read(value)
        self.assertEqual((one.case, one.repeat, one.output, one.steps, one.scores, one.usage),
                         ("greets", 1, "Hi", None, {"success": False, "score": 0.5}, eh.Usage(3, 1, None, 0.1)))
        self.assertEqual((two.case, calls(two)), ("test-3", [("find", {}, eh.MISSING, None)]))
        self.assertEqual((three.case, three.repeat, three.status), ("greets", 2, "error"))
        hostile(self, value)

    def test_rows_of_promptfoo_in_lines(self):
        row = {"success": True, "score": 1, "testIdx": 3, "promptIdx": 0, "testCase": {}, "response": {"output": "Hi"}}
        one, two = read([row, {**row, "testIdx": 4}], "case.jsonl")
        self.assertEqual([(run.case, run.repeat, run.output, run.steps) for run in (one, two)],
                         [("test-3", 1, "Hi", None), ("test-4", 1, "Hi", None)])
        old, older = read({"version": 2, "table": {}, "results": [{"response": {"output": "a"}}, {"response": {"output": "b"}}]})
        self.assertEqual((old.case, older.case), ("test-0", "test-1"))

    def test_calls_in_outputs_of_promptfoo(self):
        call = {"id": "1", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}
        block = {"type": "tool_use", "id": "t", "name": "find", "input": {"q": 1}}
        for output, text in ((json.dumps([call]), []), ({"role": "assistant", "content": "Look.", "tool_calls": [call]}, ["Look."]),
                             ("Look.\n\n" + json.dumps(block), ["Look."])):
            run = read_one([{"testIdx": 0, "promptIdx": 0, "testCase": {}, "response": {"output": output}}])
            self.assertEqual((calls(run), said(run), run.output), ([("find", {"q": 1}, eh.MISSING, None)], text, eh.MISSING))
        for output in ("[1]", '{"function": 1}', 'a "tool_use" b', "\n\n", {"function": "x"}, [], 3):
            run = read_one([{"testIdx": 0, "promptIdx": 0, "testCase": {}, "response": {"output": output}}])
            self.assertEqual((run.steps, run.output), (None, output))


if __name__ == "__main__":
    unittest.main()
