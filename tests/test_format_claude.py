"""Claude Code, Anthropic Messages, Bedrock Converse, MCP, Docker agent: small recordings written for these tests."""

import csv
import json
import os
import pathlib
import tempfile
import unittest

import eval_harness as eh
from tests.support import hostile
from tests.test_format_agents import calls, read, read_one, said

RECORDINGS = pathlib.Path(__file__).resolve().parent.parent.parent / "shared" / "recordings"
FORMATS = ("claude_code_session", "claude_stream_json", "anthropic_messages", "mcp", "docker_agent")


def use(id_, name, kind="tool_use", **arguments):
    return {"type": kind, "id": id_, "name": name, "input": arguments}


def result(id_, content, **keys):
    return {"type": "tool_result", "tool_use_id": id_, "content": content, **keys}


def text(said_):
    return {"type": "text", "text": said_}


def names(run, agent=...):
    return [call.name for _, call in eh.calls_of(run) if agent is ... or call.agent == agent]


class Session(unittest.TestCase):
    """Lines of ~/.claude/projects/<folder>/<session>.jsonl."""

    count = 0

    def line(self, kind, content, id_=None, stop="tool_use", usage=None, at=0, **keys):
        Session.count += 1
        message = {"role": kind, "content": content}
        if kind == "assistant":
            message.update({"id": id_, "model": "claude-x", "stop_reason": stop, "usage": usage or {
                "input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2, "output_tokens": 3}})
        return {"type": kind, "message": message, "uuid": "u%d" % Session.count, "parentUuid": None, "sessionId": "s",
                "isSidechain": False, "timestamp": "2026-01-01T00:00:%02d.500Z" % at, **keys}

    def good(self):
        return [
            {"type": "queue-operation", "sessionId": "s", "operation": "enqueue", "content": "hi"},
            self.line("user", "Which files are there?"),
            self.line("assistant", [{"type": "thinking", "thinking": "hm", "signature": "x"}], "m1"),
            self.line("assistant", [text("Looking.")], "m1"),
            self.line("assistant", [use("t1", "Bash", command="ls")], "m1", at=1),
            self.line("assistant", [use("t2", "Read", file_path="a.txt")], "m1", at=1),
            self.line("user", [result("t2", "no such file", is_error=True)], at=2, toolUseResult="Error: no such file"),
            self.line("user", [result("t1", [text("b.txt")])], at=4),
            self.line("assistant", [text("Only b.txt.")], "m2", stop="end_turn"),
            {"type": "system", "subtype": "turn_duration", "durationMs": 4500, "sessionId": "s"},
            {"type": "last-prompt", "sessionId": "s"}]

    def test_a_session(self):
        run = read_one(self.good(), "case.jsonl")
        self.assertEqual(calls(run), [("Bash", {"command": "ls"}, "b.txt", False),
                                      ("Read", {"file_path": "a.txt"}, "no such file", True)])
        self.assertEqual([(step.turn, step.duration_ms) for _, step in eh.calls_of(run)], [(1, 3000), (1, 1000)])
        self.assertEqual((run.case, run.output, run.status, run.model), ("case", "Only b.txt.", "completed", "claude-x"))
        self.assertEqual((said(run), said(run, "user")), (["Looking.", "Only b.txt."], ["Which files are there?"]))
        self.assertEqual((run.usage, run.duration_ms), (eh.Usage(34, 6, 10), 4500))
        self.assertFalse(run.warnings)

    def test_usage_in_the_middle_of_an_answer_has_no_output_tokens(self):
        run = read_one([self.line("user", "hi"), self.line("assistant", [text("Hello.")], "m1", stop=None)], "case.jsonl")
        self.assertEqual(run.usage, eh.Usage(17, None, 5))
        last = {"input_tokens": 10, "output_tokens": 40}
        run = read_one([self.line("assistant", [text("He")], "m1", stop=None),
                        self.line("assistant", [text("llo.")], "m1", stop="end_turn", usage=last)], "case.jsonl")
        self.assertEqual(run.usage, eh.Usage(10, 40, None))

    def test_repeated_lines_count_once(self):
        lines = self.good()
        copied = [{**line, "uuid": "copy%d" % at} for at, line in enumerate(lines[4:8])]
        run = read_one(lines[:8] + lines[1:8] + copied + lines[8:], "case.jsonl")
        self.assertEqual((names(run), len(said(run, "user")), run.usage), (["Bash", "Read"], 1, eh.Usage(34, 6, 10)))
        self.assertFalse(run.warnings)

    def test_what_is_put_in_is_not_the_user(self):
        run = read_one([
            self.line("user", "Caveat", isMeta=True), self.line("user", "Summary: ...", isCompactSummary=True),
            self.line("user", "<local-command-stdout>x</local-command-stdout>"), self.line("user", [
                text("<system-reminder>x</system-reminder>"), text("Really?")]),
            self.line("assistant", [text("Yes.")], "m1", stop="end_turn")], "case.jsonl")
        self.assertEqual((said(run, "user"), run.output), (["Really?"], "Yes."))

    def test_how_it_ended(self):
        lines = self.good()
        for cut, status in ((2, "incomplete"), (4, "completed"), (6, "incomplete"), (8, "incomplete")):
            run = read_one(lines[:cut], "case.jsonl")
            self.assertEqual((run.status, run.output), (status, "Looking." if cut == 4 else eh.MISSING))
        run = read_one([*lines[:5], self.line("user", [text("[Request interrupted by user for tool use]")])], "case.jsonl")
        self.assertEqual((run.status, run.output, said(run, "user")), ("cancelled", eh.MISSING, ["Which files are there?"]))
        for stop, status in (("refusal", "refused"), ("max_tokens", "incomplete"), (None, "completed"), ([], "completed")):
            run = read_one([*lines[:8], self.line("assistant", [text("So.")], "m2", stop=stop)], "case.jsonl")
            self.assertEqual((run.status, run.output), (status, "So."))
        failed = self.line("assistant", [text("API Error: 500")], "m3", isApiErrorMessage=True, error="server_error")
        failed["message"]["model"] = "<synthetic>"
        run = read_one([*lines, failed], "case.jsonl")
        self.assertEqual((run.status, run.error, run.output), ("error", "API Error: 500", eh.MISSING))
        run = read_one([*lines, failed, self.line("assistant", [text("Again.")], "m4", stop="end_turn")], "case.jsonl")
        self.assertEqual((run.status, run.error, run.output, run.model), ("completed", None, "Again.", "claude-x"))

    def test_sidechains_in_the_file(self):
        run = read_one([
            self.line("user", "Do it"), self.line("assistant", [use("t1", "Task", subagent_type="Explore", prompt="p")], "m1"),
            self.line("user", "p", isSidechain=True, agentId="a1"),
            self.line("assistant", [use("t2", "Grep", pattern="x")], "m2", isSidechain=True, agentId="a1"),
            self.line("user", [result("t2", "x")], isSidechain=True, agentId="a1"),
            self.line("assistant", [text("Found x.")], "m3", isSidechain=True, agentId="a1"),
            self.line("user", [result("t1", "Found x.")], toolUseResult={"agentId": "a1"})], "case.jsonl")
        self.assertEqual((names(run, None), names(run, "a1"), said(run, "user")), (["Task"], ["Grep"], ["Do it"]))
        self.assertEqual((run.output, run.status, run.usage), (eh.MISSING, "incomplete", eh.Usage(51, 9, 15)))

    def sub(self, id_, agent="a1"):
        return [self.line("user", "p", isSidechain=True, agentId=agent),
                self.line("assistant", [use(id_, "Grep", pattern="x")], "m" + id_, isSidechain=True, agentId=agent),
                self.line("user", [result(id_, "x")], isSidechain=True, agentId=agent),
                self.line("assistant", [text("Found.")], "n" + id_, stop="end_turn", isSidechain=True, agentId=agent)]

    def label(self, files):
        """The runs of a folder with files {path: lines or value}."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for path, content in files.items():
            target = pathlib.Path(folder.name, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("".join(json.dumps(line) + "\n" for line in content) if type(content) is list else
                              json.dumps(content))
        self.folder = pathlib.Path(folder.name)
        return list(eh.read_label(folder.name, "runs/x", eh.Limits()))

    def test_files_of_sub_agents(self):
        lines = [self.line("user", "Do it"),
                 self.line("assistant", [use("t1", "Agent", subagent_type="Explore", prompt="p")], "m1"),
                 self.line("assistant", [use("t2", "Bash", command="ls")], "m1"),
                 self.line("user", [result("t2", "b.txt")]),
                 self.line("user", [result("t1", "Found.")], toolUseResult={"agentId": "a1", "status": "completed"}),
                 self.line("assistant", [use("t3", "Agent", prompt="q")], "m2")]
        files = {"s.jsonl": lines, "s/subagents/agent-a1.jsonl": self.sub("x"),
                 "s/subagents/agent-a1.meta.json": {"agentType": "Explore", "toolUseId": "t1"},
                 "s/subagents/agent-a2.jsonl": self.sub("y", "a2"),
                 "s/subagents/agent-a2.meta.json": {"agentType": "Plan"}, "s/tool-results/t2.txt": "long"}
        run, = self.label(files)
        self.assertEqual([(step.name, step.agent) for _, step in eh.calls_of(run)], [
            ("Agent", None), ("Bash", None), ("Grep", "Explore"), ("Agent", None), ("Grep", "Plan")])
        self.assertEqual((run.case, run.status, run.output, run.problem), ("s", "incomplete", eh.MISSING, ""))
        self.assertEqual(run.usage, eh.Usage(6 * 17, 18, 30))
        again, = eh.read_runs_at(run.place[0], "runs/x", eh.Limits(), eh.NO_MAPPING)
        self.assertEqual(again, run)
        digest = run.digest
        run, = self.label({**files, "s/subagents/agent-a2.jsonl": self.sub("z", "a2")})
        self.assertNotEqual(run.digest, digest)
        # Alone, the file of a sub-agent is a run of its own.
        run, = eh.read_label(str(self.folder / "s/subagents/agent-a1.jsonl"), "x", eh.Limits())
        self.assertEqual((names(run, None), run.output, run.status, run.model), (["Grep"], "Found.", "completed", "claude-x"))
        runs = self.label({"t/subagents/agent-a1.jsonl": self.sub("x"), "s.jsonl": self.good()})
        self.assertEqual([run.case for run in runs], ["s", "subagents"])

    def test_sub_agents_that_name_each_other(self):
        files = {"s.jsonl": [self.line("assistant", [use("t0", "Agent")], "m"),
                             self.line("user", [result("t0", "x")], toolUseResult={"agentId": "0"})]}
        for at in range(300):
            lines = self.sub("x%d" % at, str(at))
            lines[2]["toolUseResult"] = {"agentId": str((at + 1) % 300)}
            files["s/subagents/agent-%d.jsonl" % at] = lines
        run, = self.label(files)
        self.assertEqual((len(names(run)), run.problem), (301, ""))

    def test_links_are_not_followed(self):
        self.label({"s.jsonl": self.good(), "other/agent-a1.jsonl": self.sub("x")})
        (self.folder / "s").mkdir()
        os.symlink(self.folder / "other", self.folder / "s" / "subagents")
        runs = list(eh.read_label(str(self.folder), "x", eh.Limits()))
        # What a link leads to belongs to no session, and is not lost.
        self.assertEqual([(run.case, names(run)) for run in runs], [
            ("other", ["Grep"]), ("s", ["Bash", "Read"]), ("subagents", ["Grep"])])

    def test_broken_files_of_sub_agents(self):
        lines = [json.dumps(line) for line in self.sub("x")]
        for text_, problem, warnings in (("\n".join([*lines, lines[0][:30]]), False, 1),
                                         ("\n".join([lines[0], lines[1][:30], *lines[2:]]), True, 0)):
            self.label({"s.jsonl": self.good(), "s/subagents/agent-a1.jsonl": []})
            (self.folder / "s/subagents/agent-a1.jsonl").write_text(text_)
            run, = eh.read_label(str(self.folder), "x", eh.Limits())
            self.assertEqual((bool(run.problem), len(run.warnings)), (problem, warnings))

    def test_the_web_export_and_one_line(self):
        self.assertEqual(read_one({"loglines": self.good()}).output, "Only b.txt.")
        self.assertEqual(read_one(self.good()).output, "Only b.txt.")
        self.assertEqual(read_one(self.line("user", "hi")).status, "incomplete")

    def test_odd_values(self):
        odd = ["text", 42, None, [1], {"silly": "this"}, {"type": "user", "message": "error", "uuid": "u", "parentUuid": 1},
               self.line("user", None), self.line("user", ["bare"]), self.line("assistant", ["bare", None, 3, {}], "m9")]
        run = read_one([*self.good()[:2], *odd, *self.good()[2:]], "case.jsonl")
        self.assertEqual((names(run), run.output), (["Bash", "Read"], "Only b.txt."))
        nameless = [{"type": "tool_use"}, {"type": "tool_use", "id": [], "name": 3}]
        run = read_one([self.line("assistant", nameless, "m1")], "case.jsonl")
        self.assertEqual((names(run), len(run.warnings)), (["", ""], 2))
        hostile(self, self.good())
        cut = "".join(json.dumps(line) + "\n" for line in self.good())[:-70].encode()
        self.assertEqual(read_one(cut, "case.jsonl").status, "incomplete")


class Stream(unittest.TestCase):
    """What `claude -p --output-format stream-json` prints."""

    def event(self, kind, content, id_="m1", parent=None, **keys):
        message = {"role": kind, "content": content}
        if kind == "assistant":
            message.update({"id": id_, "model": "claude-x", "stop_reason": None, "usage": {
                "input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 0, "output_tokens": 1}})
        return {"type": kind, "message": message, "session_id": "s", "parent_tool_use_id": parent, **keys}

    end = {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "num_turns": 2, "session_id": "s",
           "duration_ms": 900, "total_cost_usd": 0.5, "usage": {
               "input_tokens": 20, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 0, "output_tokens": 30},
           "modelUsage": {"claude-x": {"inputTokens": 30, "outputTokens": 50, "cacheReadInputTokens": 15,
                                       "cacheCreationInputTokens": 1, "costUSD": 0.4}},
           "permission_denials": [{"tool_name": "Bash", "tool_use_id": "t2", "tool_input": {}}]}

    def good(self, **changes):
        return [{"type": "system", "subtype": "init", "session_id": "s", "model": "claude-x", "tools": ["Task", "Bash"]},
                self.event("assistant", [use("t1", "Agent", subagent_type="Explore"), use("t2", "Bash", command="rm")]),
                self.event("user", [text("the task")], parent="t1"),
                self.event("assistant", [use("t3", "Grep", pattern="x")], "m2", "t1"),
                self.event("user", [result("t2", "denied", is_error=True)]),
                self.event("user", [result("t3", "x", is_error=False)], parent="t1"),
                self.event("user", [result("t1", [text("Found.")])]),
                {"type": "stream_event", "event": {"type": "message_start"}, "session_id": "s"},
                self.event("assistant", [text("All done.")], "m3"), {**self.end, **changes}]

    def test_a_run(self):
        for name in ("case.jsonl", "case.json"):
            run = read_one(self.good(), name)
            self.assertEqual([(call.name, call.agent, call.error, call.tier) for _, call in eh.calls_of(run)], [
                ("Agent", None, False, None), ("Bash", None, True, "block"), ("Grep", "Explore", False, None)])
            self.assertEqual((run.output, run.status, run.error, run.duration_ms), ("Done.", "completed", None, 900))
            self.assertEqual((run.usage, run.model, run.case), (eh.Usage(46, 50, 15, 0.5), "claude-x", "case"))
            self.assertEqual((said(run, "user"), said(run)), ([], ["All done."]))
        hostile(self, self.good())

    def test_how_it_ended(self):
        for changes, status, output, error in (
                ({"subtype": "error_max_turns", "result": None}, "step_limit", eh.MISSING, None),
                ({"subtype": "error_max_budget_usd", "result": None, "is_error": True}, "step_limit", eh.MISSING, None),
                ({"subtype": "error_during_execution", "result": None, "errors": ["E"]}, "error", eh.MISSING, ["E"]),
                ({"is_error": True, "result": "API Error: 529"}, "error", eh.MISSING, "API Error: 529"),
                ({"structured_output": {"a": 1}}, "completed", {"a": 1}, None),
                ({"stop_reason": "refusal"}, "refused", "Done.", None)):
            run = read_one(self.good(**changes), "case.jsonl")
            self.assertEqual((run.status, run.output, run.error), (status, output, error), changes)

    def test_a_run_that_was_cut(self):
        run = read_one(self.good()[:-1], "case.jsonl")
        self.assertEqual((run.status, run.output, run.usage), ("incomplete", eh.MISSING, eh.Usage(45, None, 15)))

    def test_without_totals_of_models(self):
        run = read_one(self.good(modelUsage=None), "case.jsonl")
        self.assertEqual(run.usage, eh.Usage(30, 30, 10, 0.5))

    def test_several_prompts_and_several_sessions(self):
        again = [self.event("assistant", [text("More.")], "m4"), {**self.end, "result": "More.", "total_cost_usd": 0.7}]
        run = read_one(self.good() + again, "case.jsonl")
        self.assertEqual((run.output, run.usage.cost_usd, run.duration_ms), ("More.", 0.7, 1800))
        other = [{**event, "session_id": "t"} for event in self.good(result="Other.")]
        runs = read(self.good() + other, "case.jsonl")
        self.assertEqual([(run.case, run.output, len(names(run))) for run in runs], [("s", "Done.", 3), ("t", "Other.", 3)])

    def test_the_result_alone(self):
        run = read_one(self.end)
        self.assertEqual((run.output, run.steps, run.status, run.usage), ("Done.", None, "completed", eh.Usage(46, 50, 15, 0.5)))
        hostile(self, self.end)

    def test_lines_of_another_tool_are_not_read_as_a_run_without_calls(self):
        run, = read([*self.good()[:1], {"type": "tool_call", "subtype": "started", "session_id": "s"}], "case.jsonl")
        self.assertIn("another tool", run.problem)


class Messages(unittest.TestCase):
    talk = [{"role": "user", "content": "Weather in Oslo and Rome?"},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, text("Looking."),
                                              use("a", "weather", city="Oslo"), use("b", "weather", city="Rome")]},
            {"role": "user", "content": [result("b", [text("20"), {"type": "image", "source": {}}]),
                                         result("a", "no such city", is_error=True), text("Quickly!")]},
            {"role": "assistant", "content": [text("Rome has 20"), text(", Oslo is unknown.")]}]
    usage = {"input_tokens": 10, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 3, "output_tokens": 5}
    answer = {"type": "message", "id": "msg", "role": "assistant", "model": "claude-x", "stop_reason": "end_turn",
              "content": talk[-1]["content"], "usage": usage}

    def check(self, run, usage=eh.Usage()):
        self.assertEqual(calls(run), [("weather", {"city": "Oslo"}, "no such city", True),
                                      ("weather", {"city": "Rome"}, "20\n[image]", False)])
        self.assertEqual((run.output, run.status), ("Rome has 20, Oslo is unknown.", "completed"))
        self.assertEqual((said(run, "user"), said(run)[0]), (["Weather in Oslo and Rome?", "Quickly!"], "Looking."))
        self.assertEqual(run.usage, usage)

    def test_a_list_lines_and_an_object(self):
        self.check(read_one(self.talk))
        self.check(read_one(self.talk, "case.jsonl"))
        run = read_one({"case": "c", "system": [text("Be brief.")], "messages": self.talk, "model": "claude-x", "tools": [
            {"name": "weather", "input_schema": {"type": "object"}}]})
        self.check(run)
        self.assertEqual((run.case, run.model, said(run, "system")), ("c", "claude-x", ["Be brief."]))
        self.assertEqual(run.tools, ({"name": "weather", "description": None, "schema": {"type": "object"}},))
        hostile(self, self.talk)

    def test_a_request_with_its_response(self):
        value = {"request": {"messages": self.talk[:-1], "model": "claude"}, "response": self.answer}
        self.check(read_one(value), eh.Usage(17, 5, 4))
        self.check(read_one({"messages": self.talk[:-1], "response": self.answer, "cost_usd": 0.1}), eh.Usage(17, 5, 4, 0.1))
        first = {"request": {"messages": self.talk[:1]}, "response": {**self.answer, "content": self.talk[1]["content"]}}
        self.check(read_one([first, value], "case.jsonl"), eh.Usage(34, 10, 8))
        hostile(self, value)

    def test_how_it_ended(self):
        for stop, status in (("max_tokens", "incomplete"), ("refusal", "refused"), ("stop_sequence", "completed"),
                             ("tool_use", "completed"), ([], "completed")):
            self.assertEqual(read_one({**self.answer, "stop_reason": stop}).status, status)
        run = read_one({**self.answer, "content": [text("Let me see."), use("a", "x")], "stop_reason": "tool_use"})
        self.assertEqual((run.status, run.output), ("incomplete", eh.MISSING))

    def test_tools_of_the_server(self):
        found = [{"type": "web_search_result", "url": "u", "title": "t"}]
        run = read_one({**self.answer, "content": [
            text("Searching."), use("s1", "web_search", "server_tool_use", query="x"),
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": found},
            use("s2", "web_fetch", "server_tool_use", url="u"),
            {"type": "web_fetch_tool_result", "tool_use_id": "s2", "content": {
                "type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"}},
            {**use("s3", "echo", "mcp_tool_use", a=1), "server_name": "m"},
            {"type": "mcp_tool_result", "tool_use_id": "s3", "is_error": True, "content": [text("bad")]},
            text("It is "), {**text("x"), "citations": []}, text(".")]})
        self.assertEqual([call[2:] for call in calls(run)], [(found, False), (
            {"type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"}, True), ("bad", True)])
        self.assertEqual((names(run), run.output), (["web_search", "web_fetch", "echo"], "It is x."))

    def test_bedrock(self):
        talk = [{"role": "user", "content": [{"text": "Weather?"}]},
                {"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "hm"}}}, *(
                    {"toolUse": {"toolUseId": id_, "name": "weather", "input": {"city": id_}}} for id_ in "abc")]},
                {"role": "user", "content": [
                    {"toolResult": {"toolUseId": "a", "content": [{"json": {"t": 3}}], "status": "success"}},
                    {"toolResult": {"toolUseId": "b", "content": [{"text": "none"}], "status": "error"}},
                    {"toolResult": {"toolUseId": "c", "content": [{"text": "x"}, {"json": {"t": 4}}]}}]}]
        value = {"request": {"modelId": "m", "messages": talk, "system": [{"text": "Be brief."}], "toolConfig": {"tools": [
            {"toolSpec": {"name": "weather", "inputSchema": {"json": {}}}}]}}, "response": {
                "output": {"message": {"role": "assistant", "content": [{"text": "3."}]}}, "stopReason": "end_turn",
                "usage": {"inputTokens": 10, "outputTokens": 2, "cacheReadInputTokens": 5, "cacheWriteInputTokens": 1}}}
        run = read_one(value)
        self.assertEqual([call[2:] for call in calls(run)], [({"t": 3}, False), ("none", True), ('x\n{"t": 4}', None)])
        self.assertEqual((run.output, run.status, run.model, run.usage), ("3.", "completed", "m", eh.Usage(16, 2, 5)))
        self.assertEqual((run.tools[0]["name"], said(run, "system")), ("weather", ["Be brief."]))
        self.assertEqual(names(read_one(talk)), ["weather"] * 3)
        stopped = {**value["response"], "stopReason": "guardrail_intervened"}
        self.assertEqual(read_one(stopped).status, "refused")
        runs = read([{**value["response"], "output": {"message": talk[1]}}, value["response"]], "case.jsonl")
        self.assertEqual([(names(run), run.output, run.usage.output_tokens) for run in runs], [(["weather"] * 3, "3.", 4)])
        hostile(self, value)

    def test_a_stream(self):
        delta = lambda index, **delta: {"type": "content_block_delta", "index": index, "delta": delta}
        events = [
            {"type": "message_start", "message": {**self.answer, "content": [], "stop_reason": None, "usage": {
                **self.usage, "output_tokens": 1}}}, {"type": "ping"},
            {"type": "content_block_start", "index": 0, "content_block": text("")},
            delta(0, type="text_delta", text="Look"), delta(0, type="text_delta", text="ing."),
            {"type": "content_block_stop", "index": 0},
            {"type": "content_block_start", "index": 1, "content_block": use("a", "weather")},
            delta(1, type="input_json_delta", partial_json='{"city":'), delta(1, type="input_json_delta", partial_json='"Oslo"}'),
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
            {"type": "message_stop"}]
        lines = "".join("event: %s\ndata: %s\n\n" % (event["type"], json.dumps(event)) for event in events)
        for run in (read_one(lines.encode()), read_one(events, "case.jsonl"), read_one(events)):
            self.assertEqual(calls(run), [("weather", {"city": "Oslo"}, eh.MISSING, None)])
            self.assertEqual((said(run), run.status, run.usage), (["Looking."], "incomplete", eh.Usage(17, 9, 4)))
        run = read_one(events[:5])
        self.assertEqual((said(run), run.output, run.status, run.usage), (
            ["Looking."], eh.MISSING, "incomplete", eh.Usage(17, None, 4)))
        hostile(self, events)

    def test_others_are_left_to_others(self):
        native = {"case": "c", "output": {"message": {"role": "assistant"}}, "usage": {"input_tokens": 1}}
        self.assertEqual(read_one(native).output, native["output"])
        chat = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": [text("Hello.")]}]
        self.assertEqual(read_one(chat).output, "Hello.")


class Mcp(unittest.TestCase):
    def rpc(self, id_, method=None, **keys):
        return {"jsonrpc": "2.0", "id": id_, **({"method": method} if method else {}), **keys}

    def good(self):
        ask = lambda id_, name, **arguments: self.rpc(id_, "tools/call", params={"name": name, "arguments": arguments})
        return [self.rpc(0, "tools/list"), self.rpc(0, result={"tools": [{"name": "pay", "inputSchema": {"type": "object"}}]}),
                {"jsonrpc": "2.0", "method": "notifications/initialized"},
                ask(1, "pay", amount=3), ask("1", "pay", amount=4), self.rpc(1, "elicitation/create", params={"message": "Sure?"}),
                self.rpc(1, result={"action": "accept", "content": {}}),
                self.rpc("1", result={"content": [text("too much")], "isError": True}),
                self.rpc(1, result={"content": [text('{"ok": 1}')], "structuredContent": {"ok": 1}}),
                ask(3, "nope"), self.rpc(3, error={"code": -32602, "message": "Unknown tool"})]

    def test_a_log(self):
        for items in (self.good(), [self.good()[0], self.good()[1:]]):
            for name in ("case.json", "case.jsonl"):
                run = read_one(items, name)
                self.assertEqual(calls(run), [
                    ("pay", {"amount": 3}, {"ok": 1}, False), ("pay", {"amount": 4}, "too much", True),
                    ("nope", {}, {"code": -32602, "message": "Unknown tool"}, True)])
                asked, = [step for step in run.steps if step.kind == "confirmation"]
                self.assertEqual((asked.prompt, asked.action), ("Sure?", "accept"))
                self.assertEqual((run.output, run.status, run.tools[0]["name"]), (eh.MISSING, "completed", "pay"))
                self.assertEqual((eh.calls_of(run)[0][1].turn, run.usage, run.warnings), (None, eh.Usage(), ()))
        self.assertEqual(len(calls(read_one({"messages": self.good()}))), 3)
        hostile(self, self.good())

    def test_directions(self):
        good = self.good()[3:4] + [self.rpc(1, "sampling/createMessage", params={})]
        ways = [*good, self.rpc(1, result={"role": "assistant", "content": text("x")}), self.rpc(1, result={"content": []})]
        lines = [{"direction": way, "timestamp": "2026-01-01T00:00:0%dZ" % at, "message": each}
                 for at, (way, each) in enumerate(zip(("out", "in", "out", "in"), ways))]
        run = read_one(lines, "case.jsonl")
        self.assertEqual(calls(run), [("pay", {"amount": 3}, "", False)])
        self.assertEqual(eh.calls_of(run)[0][1].duration_ms, 3000)

    def test_a_log_that_was_cut(self):
        run = read_one(self.good()[:4] + [self.rpc(9, result={})])
        self.assertEqual((run.status, len(run.warnings)), ("incomplete", 1))
        self.assertEqual(read_one(self.good()[3]).status, "incomplete")


class DockerAgent(unittest.TestCase):
    def item(self, role, content, agent="root", **keys):
        return {"message": {"agentName": agent, "message": {"role": role, "content": content, **keys}}}

    def call(self, id_, name, arguments):
        return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}

    def good(self):
        return {"id": "x", "title": "t", "input_tokens": 90, "output_tokens": 9, "cost": 0.25, "messages": [
            self.item("user", "Count.", ""),
            self.item("assistant", "", tool_calls=[self.call("c1", "transfer_task", '{"agent": "sub"}')]),
            {"sub_session": {"id": "y", "cost": 0.5, "messages": [
                self.item("user", "task"), self.item("assistant", "", "sub", tool_calls=[self.call("c2", "ls", "{}")]),
                self.item("tool", "a b", "sub", tool_call_id="c2"), self.item("assistant", "Two.", "sub")]}},
            self.item("tool", "Two.", tool_call_id="c1"), self.item("assistant", "There are 2.")]}

    def test_a_session(self):
        run = read_one(self.good())
        self.assertEqual([(call.name, call.agent, call.turn, call.result, call.error) for _, call in eh.calls_of(run)], [
            ("transfer_task", "root", 1, "Two.", None), ("ls", "sub", 2, "a b", None)])
        self.assertEqual((run.output, run.status, said(run, "user")), ("There are 2.", "completed", ["Count."]))
        self.assertEqual(run.usage, eh.Usage(cost_usd=0.75))
        hostile(self, self.good())

    def test_counts_of_the_messages(self):
        usage = {"input_tokens": 10, "output_tokens": 2, "cached_input_tokens": 5, "cached_write_tokens": 1}
        run = read_one({"cost": 0.1, "messages": [self.item("user", "hi"), self.item(
            "assistant", "Hello.", usage=usage, model="openai/x")]})
        self.assertEqual((run.usage, run.model), (eh.Usage(16, 2, 5, 0.1), "openai/x"))

    def test_a_session_that_was_cut(self):
        value = self.good()
        value["messages"] = value["messages"][:3]
        run = read_one(value)
        self.assertEqual((run.status, run.output), ("incomplete", eh.MISSING))


# Rows whose last text is a comment before calls that were not answered: no final answer was recorded.
NO_ANSWER = ("ccl_edge_cases.jsonl", "anthropic-tool-no-args.json")


@unittest.skipUnless(RECORDINGS.is_dir(), "the recordings are not there: ../shared/recordings")
class Manifest(unittest.TestCase):
    def rows(self):
        with open(RECORDINGS / "MANIFEST.tsv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["format"] in FORMATS:
                    yield row, next(iter(eh.read_label(str(RECORDINGS / row["file"]), "x", eh.Limits())))

    def test_rows(self):
        checked = 0
        for row, run in self.rows():
            with self.subTest(row["file"]):
                found = names(run, None if row["selector"] == "main file only" or "docker" not in row["format"] and
                              "stream" not in row["file"] else ...)
                wanted = row["final_output_80"].replace("\\\\n", "\n").replace("\\n", "\n").replace('\\"', '"')
                self.assertEqual((run.problem, len(found)), ("", int(row["tool_calls"])))
                self.assertEqual(",".join(found[:5]), row["first_tools"])
                if row["file"].endswith(NO_ANSWER) or row["format"] == "mcp":
                    self.assertEqual((run.output, run.status == "completed"), (eh.MISSING, row["format"] == "mcp"))
                else:
                    self.assertTrue(wanted and run.output.startswith(wanted.rstrip("\\")), (run.output, wanted))
            checked += 1
        self.assertEqual(checked, 12)

    def test_notes(self):
        runs = {os.path.basename(row["file"]): run for row, run in self.rows()}
        errors = {name: sum(call.error is True for _, call in eh.calls_of(run)) for name, run in runs.items()}
        self.assertEqual({name: count for name, count in errors.items() if count}, {
            "ccl_edge_cases.jsonl": 1, "claude_stream_subagent.jsonl": 1,
            "d38ef444-95b2-4047-be78-b83d93e5a684.jsonl": 1})
        open_ = {name: sum(call.result is eh.MISSING for _, call in eh.calls_of(run)) for name, run in runs.items()}
        self.assertEqual({name: count for name, count in open_.items() if count}, {
            "ccl_edge_cases.jsonl": 2, "anthropic-tool-no-args.json": 1, "anthropic-programmatic-tool-calling.1.json": 4})
        usage = {name: (run.usage.output_tokens, run.usage.cost_usd, run.duration_ms) for name, run in runs.items()}
        self.assertEqual(usage["agent_session.jsonl"], (80, None, None))
        self.assertEqual(usage["tool_call_conversation.jsonl"], (90, None, None))
        self.assertEqual(usage["sample-turns.json"], (265, 0.0347, 18750))
        # 65 without the sub-agent, whose tokens are in the cost.
        self.assertEqual(usage["claude_stream_subagent.jsonl"], (110, 0.003255, 323))
        self.assertEqual(usage["d38ef444-95b2-4047-be78-b83d93e5a684.jsonl"], (110, None, None))
        self.assertEqual(runs["claude_stream_subagent.jsonl"].usage.input_tokens, 760)
        self.assertEqual([(call.name, call.agent, call.turn) for _, call in eh.calls_of(
            runs["claude_stream_subagent.jsonl"])], [("Bash", None, 1), ("Bash", None, 1), ("Agent", None, 2),
                                                     ("Bash", "general-purpose", 3)])


if __name__ == "__main__":
    unittest.main()
