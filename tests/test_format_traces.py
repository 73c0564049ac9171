"""Traces and agent frameworks: OpenTelemetry in its families, Langfuse, LangSmith, LangChain, Pydantic AI, smolagents.

The small recordings are written for these tests; real ones are read where ../shared lies beside the project.
"""

import copy
import csv
import json
import pathlib
import tempfile
import unittest

import eval_harness as eh
from tests.support import hostile, long

SHARED = pathlib.Path(eh.__file__).resolve().parent.parent / "shared" / "recordings"
ANSWER = "Oslo is 3C; Atlantis is unknown."


def read(content, name="case.json"):
    """All Runs of one recording: a value as JSON, a text or bytes as they are."""
    with tempfile.TemporaryDirectory() as folder:
        data = content if isinstance(content, str) else json.dumps(content)
        pathlib.Path(folder, name).write_text(data, encoding="utf-8")
        return list(eh.read_label(folder, "runs/x", eh.Limits()))


def read_one(content, name="case.json"):
    run, = read(content, name)
    assert not run.problem, run.problem
    return run


def jsonl(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


def shown(run):
    """The steps as short tuples: what was said, and (name, arguments, result or "?", error flag) of calls."""
    return [(step.role, step.text) if step.kind == "message" else
            (step.name, step.arguments if step.arguments is not eh.MISSING else step.arguments_error,
             "?" if step.result is eh.MISSING else step.result, step.error) for step in run.steps]


def calls(run):
    return [step for step in shown(run) if len(step) == 4]


def span(id_, parent, start, attributes, took=1, **keys):
    """A flat span of the trace t; times are seconds after a day in 2023."""
    base = 1700000000000000000
    return {"trace_id": "t", "span_id": id_, "parent_span_id": parent, "name": id_, "start_time": base + int(start * 1e9),
            "end_time": base + int((start + took) * 1e9), "attributes": attributes, "status": {"code": "UNSET"}, **keys}


def otlp(*spans):
    """The spans as an OTLP/JSON export."""
    def value(item):
        if isinstance(item, bool):
            return {"boolValue": item}
        if isinstance(item, int):
            return {"intValue": str(item)}
        if isinstance(item, float):
            return {"doubleValue": item}
        if isinstance(item, list):
            return {"arrayValue": {"values": [value(each) for each in item]}}
        if isinstance(item, dict):
            return {"kvlistValue": {"values": [{"key": key, "value": value(each)} for key, each in item.items()]}}
        return {} if item is None else {"stringValue": item}

    made = []
    for each in spans:
        code = {"UNSET": {}, "OK": {"code": 1}, "ERROR": {"code": 2}}[each["status"]["code"]]
        made.append({"traceId": each["trace_id"], "spanId": each["span_id"], "name": each["name"],
                     **({"parentSpanId": each["parent_span_id"]} if each["parent_span_id"] else {}),
                     "startTimeUnixNano": str(each["start_time"]), "endTimeUnixNano": str(each["end_time"]),
                     "attributes": [{"key": key, "value": value(item)} for key, item in each["attributes"].items()],
                     "status": code, "events": [
                         {"name": event["name"], "attributes": [{"key": key, "value": value(item)} for key, item in
                                                                event["attributes"].items()]}
                         for event in each.get("span_events", ())]})
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "x"}, "spans": made}]}]}


def parts(role, *held, **keys):
    return {"role": role, "parts": list(held), **keys}


def text(content):
    return {"type": "text", "content": content}


def asks(id_, city):
    return {"type": "tool_call", "id": id_, "name": "weather", "arguments": {"city": city}}


USER = parts("user", text("Oslo, Atlantis?"))
FIRST = parts("assistant", {"type": "reasoning", "content": "hm"}, text("Both."), asks("c1", "Oslo"), asks("c2", "Atlantis"))
# The tool spans begin in another order than the model asked in, and the file lists spans in the order of their ends.
GENAI = [
    span("m1", "root", 1, {
        "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.response.model": "m-1",
        "gen_ai.input.messages": json.dumps([USER]), "gen_ai.output.messages": json.dumps([FIRST]),
        "gen_ai.system_instructions": json.dumps([text("Be brief.")]), "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 5, "gen_ai.usage.cache_read.input_tokens": 4, "operation.cost": 0.5,
        "gen_ai.tool.definitions": json.dumps([{"type": "function", "name": "weather", "parameters": {"type": "object"}}])}),
    span("t2", "root", 2, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather",
                           "gen_ai.tool.call.id": "c2", "error.type": "NoSuchCity"}, 0.25, status={"code": "ERROR"},
         span_events=[{"name": "exception", "attributes": {"exception.message": "no such city"}}]),
    span("t1", "root", 2.5, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather",
                             "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.arguments": "{\"city\": \"Oslo\"}",
                             "gen_ai.tool.call.result": "3C"}, 0.5),
    span("m2", "root", 4, {
        "gen_ai.operation.name": "chat", "gen_ai.response.model": "m-1", "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 7, "gen_ai.usage.cache_read.input_tokens": 9, "operation.cost": 0.25,
        "gen_ai.response.finish_reasons": ["stop"]},
        span_events=[{"name": "gen_ai.client.inference.operation.details", "attributes": {
            "gen_ai.input.messages": [USER, FIRST, parts("tool", {"type": "tool_call_response", "id": "c1", "response": "3C"})],
            "gen_ai.output.messages": [parts("assistant", text(ANSWER), finish_reason="stop")]}}]),
    span("root", None, 0, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "main",
                           "gen_ai.usage.input_tokens": 30, "gen_ai.usage.output_tokens": 12}, 6),
]
STEPS = [("system", "Be brief."), ("user", "Oslo, Atlantis?"), ("assistant", "Both."), ("weather", {"city": "Oslo"}, "3C", False),
         ("weather", {"city": "Atlantis"}, "no such city", True), ("assistant", ANSWER)]


class GenAi(unittest.TestCase):
    """OpenTelemetry GenAI: containers, order, pairing, usage, status."""

    def expect(self, run):
        self.assertEqual(shown(run), STEPS)
        self.assertEqual((run.output, run.status, run.model, run.duration_ms), (ANSWER, "completed", "m-1", 6000))
        self.assertEqual(run.usage, eh.Usage(30, 12, 13, 0.75))
        self.assertEqual(run.tools, ({"name": "weather", "description": None, "schema": {"type": "object"}},))
        self.assertEqual([call.turn for _, call in eh.calls_of(run)], [1, 1])
        self.assertEqual([call.duration_ms for _, call in eh.calls_of(run)], [500, 250])
        self.assertEqual([call.id for _, call in eh.calls_of(run)], ["c1", "c2"])
        self.assertEqual((run.case, run.warnings, {step.agent for step in run.steps}), ("case", (), {None}))

    def test_flat_spans_in_any_order_and_container(self):
        self.expect(read_one(GENAI))
        self.expect(read_one(GENAI[::-1]))
        self.expect(read_one(jsonl(*GENAI), "case.jsonl"))
        self.expect(read_one({"spans": GENAI}))

    def test_otlp_as_one_export_as_lines_and_as_a_list(self):
        self.expect(read_one(otlp(*GENAI)))
        self.expect(read_one(jsonl(*map(otlp, GENAI)), "case.jsonl"))
        self.expect(read_one([otlp(*GENAI[:2]), otlp(*GENAI[2:])]))
        old = json.dumps(otlp(*GENAI)).replace("scopeSpans", "instrumentationLibrarySpans")
        self.expect(read_one(json.loads(old)))

    def test_the_form_of_the_sdk(self):
        from datetime import UTC, datetime
        lines = []
        for each in GENAI:
            made = {"name": each["name"], "context": {"trace_id": "0x1", "span_id": "0x" + each["span_id"]},
                    "parent_id": each["parent_span_id"] and "0x" + each["parent_span_id"], "attributes": each["attributes"],
                    "status": {"status_code": each["status"]["code"]}, "events": each.get("span_events", [])}
            for key in ("start_time", "end_time"):
                made[key] = datetime.fromtimestamp(each[key] / 1e9, UTC).isoformat().replace("+00:00", "Z")
            lines.append(made)
        self.expect(read_one(jsonl(*lines), "case.jsonl"))

    def test_jaeger_and_tempo(self):
        def tags(attributes):
            return [{"key": key, "type": "string", "value": value if isinstance(value, (int, float)) else
                     value if isinstance(value, str) else json.dumps(value)} for key, value in attributes.items()]
        spans = [{"traceID": "t", "spanID": each["span_id"], "operationName": each["name"], "startTime": each["start_time"] // 1000,
                  "duration": (each["end_time"] - each["start_time"]) // 1000, "references": [
                      {"refType": "CHILD_OF", "traceID": "t", "spanID": each["parent_span_id"]}] if each["parent_span_id"] else [],
                  "tags": tags({**each["attributes"], **({"error": True} if each["status"]["code"] == "ERROR" else {})}),
                  "logs": [{"timestamp": 1, "fields": tags({"event": event["name"], **event["attributes"]})}
                           for event in each.get("span_events", ())]} for each in GENAI]
        self.expect(read_one({"data": [{"traceID": "t", "spans": spans, "processes": {}}], "total": 0}))
        self.expect(read_one({"batches": otlp(*GENAI)["resourceSpans"]}))
        hostile(self, {"data": [{"traceID": "t", "spans": spans[:2]}]})

    def test_a_parent_in_another_service(self):
        self.expect(read_one([*GENAI[:4], {**GENAI[4], "parent_span_id": "elsewhere"}]))

    def test_several_traces_are_several_cases(self):
        other = [{**each, "trace_id": "u"} for each in GENAI]
        first, second = read(GENAI + other)
        self.assertEqual([(run.case, run.output, run.usage.input_tokens) for run in (first, second)],
                         [("t", ANSWER, 30), ("u", ANSWER, 30)])

    def test_traces_of_something_else_are_left_out(self):
        web = {**span("w", None, 0, {"http.method": "GET"}), "trace_id": "web"}
        self.assertEqual(read_one([web, *GENAI]).output, ANSWER)
        run, = read([web])
        self.assertIn("none of a model", run.problem)

    def test_without_contents_there_are_calls_and_no_output(self):
        bare = [{**each, "span_events": [], "attributes": {
            key: value for key, value in each["attributes"].items() if "messages" not in key and "arguments" not in key
            and "result" not in key and "instructions" not in key}} for each in GENAI]
        run = read_one(bare)
        self.assertEqual(calls(run), [("weather", "not recorded", "NoSuchCity", True), ("weather", "not recorded", "?", False)])
        self.assertIs(run.output, eh.MISSING)
        self.assertEqual((run.status, run.usage.input_tokens), ("completed", 30))

    def test_cut_without_its_root_and_its_end(self):
        run = read_one(GENAI[:3])
        self.assertEqual((run.status, run.output, run.duration_ms), ("incomplete", eh.MISSING, None))
        self.assertEqual(len(calls(run)), 2)

    def test_a_root_that_failed(self):
        run = read_one([*GENAI[:3], {**GENAI[4], "status": {"code": "ERROR", "message": "boom"}}])
        self.assertEqual((run.status, run.error), ("error", "boom"))

    def test_a_response_cut_or_refused(self):
        for word, status in (("length", "incomplete"), ("content_filter", "refused"), ("max_tokens", "incomplete")):
            spans = copy.deepcopy(GENAI)
            spans[3]["attributes"]["gen_ai.response.finish_reasons"] = [word]
            self.assertEqual(read_one(spans).status, status)

    def test_calls_without_tool_spans_come_from_the_messages(self):
        run = read_one([GENAI[0], GENAI[3], GENAI[4]])
        self.assertEqual(calls(run), [("weather", {"city": "Oslo"}, "3C", None), ("weather", {"city": "Atlantis"}, "?", None)])

    def test_a_call_without_a_span_that_was_answered_is_kept_and_another_is_told(self):
        run = read_one([GENAI[0], GENAI[1], *GENAI[3:]])
        self.assertEqual(calls(run), [("weather", {"city": "Oslo"}, "3C", None), ("weather", {"city": "Atlantis"}, "no such city", True)])
        run = read_one([GENAI[0], *GENAI[2:]])
        self.assertEqual(len(calls(run)), 1)
        self.assertIn("the model called weather", run.warnings[0])

    def test_cut_in_the_last_response(self):
        # The tool that was running when the process died has no span, for spans are written when they end.
        again = copy.deepcopy(GENAI[0])
        again.update(span_id="m3", start_time=GENAI[3]["start_time"])
        run = read_one([*GENAI[:3], again])
        self.assertEqual(calls(run)[2:], [("weather", {"city": "Oslo"}, "?", None), ("weather", {"city": "Atlantis"}, "?", None)])
        self.assertEqual((run.status, run.output), ("incomplete", eh.MISSING))
        run = read_one([*GENAI[:3], again, GENAI[4]])
        self.assertEqual((run.status, run.output), ("incomplete", eh.MISSING))

    def test_spans_sent_twice_and_notes_of_a_beginning_count_once(self):
        pending = {**GENAI[2], "span_id": "p", "attributes": {**GENAI[2]["attributes"], "logfire.span_type": "pending_span"}}
        self.expect(read_one([*GENAI, *GENAI, pending]))

    def test_a_client_of_mcp_repeats_the_span_of_the_tool(self):
        inner = {**GENAI[2], "span_id": "mcp", "parent_span_id": "t1"}
        self.expect(read_one([*GENAI, inner]))

    def test_a_request_that_failed_is_no_turn(self):
        failed = span("m0", "root", 0.5, {"gen_ai.operation.name": "chat"}, 0.1, status={"code": "ERROR"})
        self.expect(read_one([failed, *GENAI]))

    def test_messages_in_events_with_the_parts_of_bedrock(self):
        model = span("m", "root", 1, {"gen_ai.operation.name": "chat"}, span_events=[
            {"name": "gen_ai.user.message", "attributes": {"content": json.dumps([{"text": "Oslo?"}])}},
            {"name": "gen_ai.choice", "attributes": {"message": json.dumps(
                [{"text": "Looking."}, {"toolUse": {"toolUseId": "c1", "name": "weather", "input": {"city": "Oslo"}}}])}}])
        self.assertEqual(shown(read_one([model])), [("user", "Oslo?"), ("assistant", "Looking."), ("weather", {"city": "Oslo"}, "?", None)])
        tool = span("t", "root", 2, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "c1",
                                     "gen_ai.tool.status": "error"}, span_events=[
            {"name": "gen_ai.tool.message", "attributes": {"role": "tool", "content": "{\"city\": \"Oslo\"}", "id": "c1"}},
            {"name": "gen_ai.choice", "attributes": {"message": "no such city", "id": "c1"}}])
        self.assertEqual(calls(read_one([tool])), [("weather", {"city": "Oslo"}, "no such city", True)])

    def test_ids_absent_pair_by_name_and_order(self):
        spans = json.loads(json.dumps(GENAI).replace("\\\"id\\\": \\\"c1\\\", ", "").replace("\\\"id\\\": \\\"c2\\\", ", ""))
        for each in spans:
            each["attributes"].pop("gen_ai.tool.call.id", None)
        run = read_one(spans)
        self.assertEqual([call[:3] for call in calls(run)], [("weather", {"city": "Oslo"}, "no such city"),
                                                             ("weather", {"city": "Atlantis"}, "3C")])

    def test_a_user_who_says_the_same_twice(self):
        spans = copy.deepcopy(GENAI)
        details = spans[3]["span_events"][0]["attributes"]
        details["gen_ai.input.messages"] = [USER, FIRST, USER]
        self.assertEqual([step[1] for step in shown(read_one(spans)) if step[0] == "user"], ["Oslo, Atlantis?"] * 2)

    def test_parents_in_circles_and_of_nobody(self):
        spans = copy.deepcopy(GENAI)
        spans[0]["parent_span_id"], spans[3]["parent_span_id"] = "m2", "m1"
        spans[1]["parent_span_id"] = "t2"
        self.assertEqual(len(calls(read_one(spans))), 2)

    def test_a_long_chain_of_parents(self):
        chain = [span("s%d" % n, "s%d" % (n - 1) if n else None, 0, {}) for n in range(20000)]
        run = read_one([*chain, *[{**each, "parent_span_id": each["parent_span_id"] or "s19999"} for each in GENAI]])
        self.assertEqual((run.output, len(calls(run))), (ANSWER, 2))

    def test_events_of_older_conventions(self):
        model = span("m", "root", 1, {"gen_ai.operation.name": "chat"}, span_events=[
            {"name": "gen_ai.user.message", "attributes": {"content": "Oslo?"}},
            {"name": "gen_ai.choice", "attributes": {"gen_ai.event.content": json.dumps(
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "3C"}})}}])
        self.assertEqual(shown(read_one([model])), [("user", "Oslo?"), ("assistant", "3C")])


class SubAgents(unittest.TestCase):
    """Agents inside tools, agents inside agents, and wrappers that are none."""

    spans = [
        GENAI[4],
        span("m1", "root", 1, {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps([parts(
            "assistant", {"type": "tool_call", "id": "c1", "name": "delegate", "arguments": {"to": "helper"}})])}),
        span("t1", "root", 2, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "delegate",
                               "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "done"}, 4),
        span("a", "t1", 2.1, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}, 3),
        span("m2", "a", 2.2, {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps([parts(
            "assistant", text("On it."), {"type": "tool_call", "id": "c1", "name": "look", "arguments": None})])}),
        span("t2", "a", 3.5, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "gen_ai.tool.call.id": "c1",
                              "gen_ai.tool.call.result": "x"}),
        span("m3", "a", 4.6, {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps([parts(
            "assistant", text("Found x."))])}, 0.5)]
    last = span("m4", "root", 6, {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps(
        [parts("assistant", text("It is x."))])})

    def test_calls_in_a_tool_keep_their_agent(self):
        run = read_one([*self.spans, self.last])
        self.assertEqual([(call.name, call.agent, call.result) for _, call in eh.calls_of(run)],
                         [("delegate", None, "done"), ("look", "helper", "x")])
        self.assertEqual((run.output, run.status), ("It is x.", "completed"))

    def test_what_a_sub_agent_says_is_no_final_output(self):
        self.assertIs(read_one(self.spans).output, eh.MISSING)

    def test_a_tool_is_named_where_no_agent_is(self):
        spans = [each for each in self.spans if each["span_id"] != "a"]
        spans = [{**each, "parent_span_id": "t1" if each["parent_span_id"] == "a" else each["parent_span_id"]} for each in spans]
        self.assertEqual([call.agent for _, call in eh.calls_of(read_one(spans))], [None, "delegate"])

    def test_an_agent_around_an_agent_is_no_parent_unless_it_asks_models_itself(self):
        outer = span("outer", None, 0, {"openinference.span.kind": "AGENT"}, 9)
        run = read_one([outer, {**GENAI[4], "parent_span_id": "outer"}, *GENAI[:4]])
        self.assertEqual((run.output, {step.agent for step in run.steps}), (ANSWER, {None}))
        inner = [{**each, "parent_span_id": "a" if each["parent_span_id"] == "root" else "root" if each["span_id"] == "root" else None}
                 for each in GENAI[:4]]
        handoff = span("a", "root", 0.5, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "b"}, 5)
        first = span("m0", "root", 0.1, {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps(
            [parts("assistant", text("Handing over."))])}, 0.1)
        run = read_one([GENAI[4], first, handoff, *inner])
        self.assertEqual([call.agent for _, call in eh.calls_of(run)], ["b", "b"])
        self.assertEqual(run.output, ANSWER)

    def test_a_model_inside_a_model_is_one_response(self):
        wrapper = span("w", "root", 0.9, {"openinference.span.kind": "LLM", "llm.output_messages.0.message.content": "Both."}, 2)
        spans = [GENAI[4], wrapper, {**GENAI[0], "parent_span_id": "w"}, *GENAI[1:4]]
        run = read_one(spans)
        self.assertEqual([step[1] for step in shown(run) if step[0] == "assistant"], ["Both.", ANSWER])
        self.assertEqual([step.turn for step in run.steps if step.kind == "message" and step.role == "assistant"], [1, 2])


class Families(unittest.TestCase):
    """The same short run, as the other families of attributes tell it."""

    def expect(self, run, flags=(False, True), tokens=(30, 12)):
        self.assertEqual([step[:3] for step in shown(run)], [step[:3] for step in STEPS])
        self.assertEqual([call[3] for call in calls(run)], list(flags))
        self.assertEqual((run.output, run.status, run.model), (ANSWER, "completed", "m-1"))
        self.assertEqual((run.usage.input_tokens, run.usage.output_tokens), tokens)

    def test_openinference(self):
        prompt = {"llm.input_messages.0.message.role": "system", "llm.input_messages.0.message.content": "Be brief.",
                  "llm.input_messages.1.message.role": "user",
                  "llm.input_messages.1.message.contents.0.message_content.type": "text",
                  "llm.input_messages.1.message.contents.0.message_content.text": "Oslo, Atlantis?"}
        out = "llm.output_messages.0.message."
        asked = {}
        for number, city in enumerate(("Oslo", "Atlantis")):
            asked["%stool_calls.%d.tool_call.id" % (out, number)] = "c%d" % (number + 1)
            asked["%stool_calls.%d.tool_call.function.name" % (out, number)] = "weather"
            asked["%stool_calls.%d.tool_call.function.arguments" % (out, number)] = json.dumps({"city": city})
        run = read_one([
            span("root", None, 0, {"openinference.span.kind": "CHAIN", "output.value": "whatever"}, 9),
            span("m1", "root", 1, {"openinference.span.kind": "LLM", "llm.model_name": "m-1", **prompt, out + "role": "assistant",
                                   out + "content": "Both.", **asked, "llm.token_count.prompt": 10, "llm.token_count.completion": 5,
                                   "llm.tools.0.tool.json_schema": json.dumps({"name": "weather", "parameters": {}})}),
            span("t1", "root", 2, {"openinference.span.kind": "TOOL", "tool.name": "weather", "tool.parameters": "{\"a\": 1}",
                                   "input.value": json.dumps({"args": [], "sanitize_inputs_outputs": True, "kwargs": {"city": "Oslo"}}),
                                   "output.value": "3C"}, status={"code": "OK"}),
            # LangChain writes inputs as Python and outputs as its ToolMessage, which has the id and the flag.
            span("t2", "root", 3, {"openinference.span.kind": "TOOL", "tool.name": "weather", "input.value": "{'city': 'Atlantis'}",
                                   "output.value": json.dumps({"content": "no such city", "tool_call_id": "c2", "status": "error"})}),
            span("m2", "root", 4, {"openinference.span.kind": "LLM", **prompt, out + "content": ANSWER,
                                   "llm.token_count.prompt": 20, "llm.token_count.completion": 7})])
        self.expect(run)
        self.assertEqual([tool["name"] for tool in run.tools], ["weather"])

    def test_arguments_of_tool_spans_alone(self):
        wraps = [({"openinference.span.kind": "TOOL", "input.value": "{'city': 'Oslo', 'days': (1, None)}"}, {"city": "Oslo", "days": [1, None]}),
                 ({"openinference.span.kind": "TOOL", "input.value": json.dumps({"args": [], "kwargs": {"a": 1}})}, {"a": 1}),
                 ({"traceloop.span.kind": "tool", "traceloop.entity.input": json.dumps(
                     {"input_str": "{'a': 1}", "tags": [], "inputs": {"a": 1}, "kwargs": {"b": 2}})}, {"a": 1}),
                 ({"gen_ai.tool.name": "x", "tool_arguments": "{\"a\": 1}"}, {"a": 1}),
                 ({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.arguments": {"a": 1}}, {"a": 1}),
                 ({"openinference.span.kind": "TOOL", "tool.parameters": "{\"a\": 1}"}, "not recorded")]
        for attributes, expected in wraps:
            with self.subTest(attributes=attributes):
                self.assertEqual(calls(read_one([span("x", None, 0, attributes)]))[0][1], expected)
        for raw in ("{'a': {1, 2}}", "{'a': print}", "{" * 500, "{'a': 1e999}", "nope"):
            call, = [step for step in read_one([span("x", None, 0, {"openinference.span.kind": "TOOL", "input.value": raw})]).steps]
            self.assertEqual((call.arguments, call.arguments_raw), (eh.MISSING, raw))

    def test_an_output_of_messages_is_the_last_of_them(self):
        out = json.dumps({"messages": [{"kwargs": {"content": "Hi", "type": "human"}}, {"kwargs": {"content": ANSWER, "type": "ai"}}]})
        root = span("root", None, 0, {"openinference.span.kind": "CHAIN", "input.value": out, "output.value": out}, 9)
        run = read_one([root, span("t", "root", 1, {"openinference.span.kind": "TOOL", "tool.name": "weather"})])
        self.assertEqual((run.output, run.status, run.steps[0].text), (ANSWER, "completed", "Hi"))
        wrapped = {"traceloop.span.kind": "workflow", "traceloop.entity.input": json.dumps({"inputs": {"input": "Hi"}, "tags": []}),
                   "traceloop.entity.output": json.dumps({"outputs": json.loads(out), "kwargs": {}})}
        run = read_one([span("root", None, 0, wrapped, 9), span("t", "root", 1, {"openinference.span.kind": "tool", "tool.name": "weather"})])
        self.assertEqual((run.output, run.status, run.steps[0].text), (ANSWER, "completed", "Hi"))

    def test_an_output_that_asks_for_tools_is_no_answer(self):
        out = json.dumps({"messages": [{"type": "human", "content": "Hi"}, {"type": "ai", "content": "Wait.", "tool_calls": [
            {"name": "f", "args": {}, "id": "c"}]}]})
        run = read_one([span("root", None, 0, {"openinference.span.kind": "AGENT", "output.value": out}, 9)])
        self.assertIs(run.output, eh.MISSING)

    def test_outputs_as_they_are(self):
        for value in ("done", "[1] A source", "{\"temp\": 3}", "{\"input\": \"q\", \"answer\": \"a\"}"):
            self.assertEqual(read_one([span("root", None, 0, {"openinference.span.kind": "AGENT", "output.value": value}, 9)]).output, value)

    def test_traceloop(self):
        base = {"llm.request.type": "chat", "gen_ai.response.model": "m-1", "gen_ai.prompt.0.role": "system",
                "gen_ai.prompt.0.content": "Be brief.", "gen_ai.prompt.1.role": "user",
                "gen_ai.prompt.1.content": "[{\"type\": \"text\", \"text\": \"Oslo, Atlantis?\"}]"}
        first = {"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Both."}
        for number, city in enumerate(("Oslo", "Atlantis")):
            first["gen_ai.completion.0.tool_calls.%d.id" % number] = "c%d" % number
            first["gen_ai.completion.0.tool_calls.%d.name" % number] = "weather"
            first["gen_ai.completion.0.tool_calls.%d.arguments" % number] = json.dumps({"city": city})
        tool = {"traceloop.span.kind": "tool", "traceloop.entity.name": "weather"}
        self.expect(read_one([
            span("root", None, 0, {"traceloop.span.kind": "workflow", "traceloop.entity.name": "w"}, 9),
            span("m1", "root", 1, {**base, **first, "gen_ai.usage.prompt_tokens": 10, "gen_ai.usage.completion_tokens": 5}),
            span("t1", "root", 2, {**tool, "traceloop.entity.output": json.dumps({"output": "3C", "kwargs": {}})}),
            span("t2", "root", 3, {**tool, "traceloop.entity.output": "no such city"}, status={"code": "ERROR"}),
            span("m2", "root", 4, {**base, "gen_ai.completion.0.content": ANSWER, "gen_ai.completion.0.role": "assistant",
                                   "gen_ai.usage.prompt_tokens": 20, "gen_ai.usage.completion_tokens": 7})]))

    def test_vercel(self):
        system = {"role": "system", "content": "Be brief."}
        ask = {"role": "user", "content": [{"type": "text", "text": "Oslo, Atlantis?"}]}
        model = {"ai.operationId": "ai.generateText.doGenerate", "ai.response.model": "m-1"}
        self.expect(read_one(otlp(
            span("m1", "root", 1, {**model, "ai.prompt.messages": json.dumps([system, ask]), "ai.response.text": "Both.",
                                   "ai.response.toolCalls": json.dumps([
                                       {"toolCallId": "c1", "toolName": "weather", "input": "{\"city\": \"Oslo\"}"},
                                       {"toolCallId": "c2", "toolName": "weather", "args": {"city": "Atlantis"}}]),
                                   "ai.response.finishReason": "tool-calls", "ai.usage.promptTokens": 10, "ai.usage.completionTokens": 5}),
            span("t2", "root", 2, {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "weather", "ai.toolCall.id": "c2"}, status={
                "code": "ERROR"}, span_events=[{"name": "exception", "attributes": {"exception.message": "no such city"}}]),
            span("t1", "root", 2, {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "weather", "ai.toolCall.id": "c1",
                                   "ai.toolCall.args": "{\"city\":\"Oslo\"}", "ai.toolCall.result": "3C"}),
            span("m2", "root", 4, {**model, "ai.prompt.messages": json.dumps([system, ask]), "ai.response.text": ANSWER,
                                   "ai.usage.inputTokens": 20, "ai.usage.outputTokens": 7}),
            span("root", None, 0, {"ai.operationId": "ai.generateText", "ai.usage.promptTokens": 20, "ai.usage.completionTokens": 7,
                                   "ai.response.text": ANSWER}, 9))))

    def test_adk(self):
        request = {"contents": [{"role": "user", "parts": [{"text": "Oslo, Atlantis?"}]}], "config": {"system_instruction": "Be brief."}}
        answer = {"content": {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "Both."}] + [
            {"function_call": {"id": id_, "name": "weather", "args": {"city": city}}} for id_, city in (("c1", "Oslo"), ("c2", "Atlantis"))]}}
        def model(id_, start, answer, tokens):
            yield span(id_, "root", start, {"gen_ai.request.model": "m-1", "gcp.vertex.agent.llm_request": json.dumps(request),
                                            "gcp.vertex.agent.llm_response": json.dumps(answer), **tokens})
            yield span(id_ + "inner", id_, start + 0.1, {"gen_ai.operation.name": "generate_content", **tokens}, 0.5)
        tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gcp.vertex.agent.llm_response": "{}"}
        self.expect(read_one([
            *model("m1", 1, answer, {"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 5}),
            span("t1", "m1", 2, {**tool, "gen_ai.tool.call.id": "c1", "gcp.vertex.agent.tool_response": "3C"}),
            span("t2", "m1", 2, {**tool, "gen_ai.tool.call.id": "c2", "gcp.vertex.agent.tool_response": "no such city"}),
            *model("m2", 4, {"content": {"role": "model", "parts": [{"text": ANSWER}]}},
                   {"gen_ai.usage.input_tokens": 20, "gen_ai.usage.output_tokens": 7}),
            span("root", None, 0, {}, 9)]), (False, False))

    def test_the_final_result_of_pydantic_ai(self):
        spans = copy.deepcopy(GENAI)
        spans[4]["attributes"]["final_result"] = "{\"temp\": 3}"
        self.assertEqual(read_one(spans).output, "{\"temp\": 3}")
        final = parts("assistant", {"type": "tool_call", "id": "f", "name": "final_result", "arguments": {"temp": 3}})
        spans[3]["span_events"][0]["attributes"]["gen_ai.output.messages"] = [final]
        run = read_one(spans)
        self.assertEqual((run.output, run.status, len(calls(run))), ("{\"temp\": 3}", "completed", 2))


class Times(unittest.TestCase):
    def test_every_way_to_write_a_moment(self):
        for value in (1700000000000000000, "1700000000000000000", 1700000000, 1700000000000, 1700000000000000, 1.7e9,
                      "2023-11-14T22:13:20Z", "2023-11-14T22:13:20.000000+00:00", "2023-11-14 22:13:20", "2023-11-14T23:13:20+01:00"):
            self.assertEqual(eh.nanoseconds(value), 1700000000000000000, value)

    def test_what_is_no_moment(self):
        for value in (None, "", "soon", True, [], {}, -5, 0, float("nan"), float("inf"), "9" * 50, 1e400):
            self.assertIsNone(eh.nanoseconds(value), value)


LANGFUSE = {"trace": {"id": "tr", "name": "n", "input": "\"Oslo, Atlantis?\"", "output": "\"x\"", "scores": [{"name": "judge", "value": 0.5}]},
            "observations": [
    {"id": "g2", "traceId": "tr", "parentObservationId": "s", "type": "GENERATION", "name": "chat", "startTime": "2025-01-01T00:00:04Z",
     "endTime": "2025-01-01T00:00:05Z", "output": {"role": "assistant", "content": ANSWER}, "model": "m-1",
     "usageDetails": {"input": 20, "output": 7, "total": 27}, "costDetails": {"total": 0.25}},
    {"id": "s", "traceId": "tr", "parentObservationId": None, "type": "SPAN", "name": "n", "startTime": "2025-01-01T00:00:00Z",
     "endTime": "2025-01-01T00:00:06Z"},
    {"id": "g1", "traceId": "tr", "parentObservationId": "s", "type": "GENERATION", "name": "chat", "startTime": "2025-01-01T00:00:01Z",
     "endTime": "2025-01-01T00:00:02Z", "model": "m-1", "input": json.dumps([{"role": "system", "content": "Be brief."},
                                                                         {"role": "user", "content": "Oslo, Atlantis?"}]),
     "output": json.dumps(json.dumps({"role": "assistant", "content": "Both.", "tool_calls": [
         {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Oslo\"}"}},
         {"id": "c2", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Atlantis\"}"}}]})),
     "usageDetails": {"input": 6, "input_cached_tokens": 4, "output": 5}, "costDetails": {"total": 0.5}},
    {"id": "o1", "traceId": "tr", "parentObservationId": "s", "type": "TOOL", "name": "execute_tool weather", "input": "{\"city\": \"Oslo\"}",
     "output": "3C", "startTime": "2025-01-01T00:00:02Z", "endTime": "2025-01-01T00:00:03Z", "level": "DEFAULT"},
    {"id": "o2", "traceId": "tr", "parentObservationId": "s", "type": "TOOL", "name": "weather", "input": {"city": "Atlantis"},
     "startTime": "2025-01-01T00:00:03Z", "endTime": "2025-01-01T00:00:04Z", "level": "ERROR", "statusMessage": "no such city"}]}


class Langfuse(unittest.TestCase):
    def test_a_trace_with_its_observations(self):
        for value in (LANGFUSE, {**LANGFUSE["trace"], "observations": LANGFUSE["observations"]}):
            run = read_one(value)
            self.assertEqual(shown(run), STEPS)
            self.assertEqual((run.output, run.status, run.model, run.duration_ms), (ANSWER, "completed", "m-1", 6000))
            self.assertEqual((run.usage.input_tokens, run.usage.output_tokens, run.usage.cost_usd), (30, 12, 0.75))
            self.assertEqual((run.scores, run.case), ({"judge": 0.5}, "case"))

    def test_several_traces_are_several_cases(self):
        other = {**LANGFUSE, "trace": {**LANGFUSE["trace"], "id": "other"}}
        self.assertEqual([run.case for run in read([LANGFUSE, other])], ["tr", "other"])
        self.assertEqual([run.case for run in read(jsonl(LANGFUSE, other), "case.jsonl")], ["tr", "other"])

    def test_observations_by_themselves(self):
        self.assertEqual(shown(read_one(LANGFUSE["observations"])), STEPS)
        self.assertEqual(shown(read_one(jsonl(*LANGFUSE["observations"]), "case.jsonl")), STEPS)

    def test_a_generation_that_answers_in_json(self):
        value = copy.deepcopy(LANGFUSE)
        for answer in ({"temp": 3}, "{\"temp\": 3}"):
            value["observations"][0]["output"] = answer
            self.assertEqual(read_one(value).output, "{\"temp\": 3}")

    def test_the_output_of_the_trace_where_no_generation_has_one(self):
        value = copy.deepcopy(LANGFUSE)
        value["observations"] = value["observations"][1:2]
        run = read_one(value)
        self.assertEqual((shown(run), run.output), ([("user", "Oslo, Atlantis?")], "x"))
        value["observations"] = []
        run = read_one(value)
        self.assertEqual((run.steps, run.output), (None, "x"))


def lang(type_, content, **keys):
    return {"type": type_, "content": content, "additional_kwargs": {}, "response_metadata": {}, "id": "%s-%s" % (type_, content), **keys}


LANGCHAIN = [
    lang("system", "Be brief."), lang("human", "Oslo, Atlantis?"),
    lang("ai", [{"type": "text", "text": "Both."}, {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Oslo"}}],
         id="a1", response_metadata={"model_name": "m-1", "finish_reason": "tool_calls"},
         additional_kwargs={"tool_calls": [{"id": "c1", "function": {"name": "weather", "arguments": "{}"}}]},
         tool_calls=[{"name": "weather", "args": {"city": "Oslo"}, "id": "c1", "type": "tool_call"},
                     {"name": "weather", "args": {"city": "Atlantis"}, "id": "c2", "type": "tool_call"}],
         usage_metadata={"input_tokens": 10, "output_tokens": 5, "input_token_details": {"cache_read": 4}}),
    lang("tool", "no such city", tool_call_id="c2", status="error", name="weather"),
    lang("tool", "3C", tool_call_id="c1", status="success", name="weather"),
    lang("ai", ANSWER, response_metadata={"finish_reason": "stop"}, tool_calls=[],
         usage_metadata={"input_tokens": 20, "output_tokens": 7, "input_token_details": {"cache_read": 0}})]
CLASSES = {"system": "SystemMessage", "human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}


class LangChain(unittest.TestCase):
    """Messages of LangChain and LangGraph in their four encodings."""

    def expect(self, run):
        self.assertEqual(shown(run), STEPS)
        self.assertEqual((run.output, run.status, run.model, run.usage), (ANSWER, "completed", "m-1", eh.Usage(30, 12, 4)))

    def test_the_four_encodings(self):
        self.expect(read_one(LANGCHAIN))
        self.expect(read_one([{"type": message["type"], "data": message} for message in LANGCHAIN]))
        self.expect(read_one([{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", CLASSES[message["type"]]],
                               "kwargs": {key: value for key, value in message.items() if key != "type"}} for message in LANGCHAIN]))
        self.expect(read_one({"messages": LANGCHAIN}))
        self.expect(read_one([{**message, "type": CLASSES[message["type"]]} for message in LANGCHAIN]))
        self.expect(read_one(jsonl(*LANGCHAIN), "case.jsonl"))

    def test_states_and_updates_of_a_stream(self):
        self.expect(read_one({"values": {"messages": LANGCHAIN}, "next": []}))
        self.expect(read_one(jsonl(*({"messages": LANGCHAIN[:count]} for count in range(1, 7))), "case.jsonl"))
        updates = [{"agent": {"messages": LANGCHAIN[:3]}}, {"tools": {"messages": LANGCHAIN[3:5]}}, {"agent": {"messages": LANGCHAIN[5:]}}]
        self.expect(read_one(jsonl(*updates), "case.jsonl"))

    def test_a_message_is_replaced_by_a_later_one_with_its_id(self):
        draft = {**LANGCHAIN[2], "content": "Draft.", "tool_calls": []}
        self.expect(read_one([*LANGCHAIN[:2], draft, *LANGCHAIN[2:]]))

    def test_a_stream_of_chunks_is_told_and_not_guessed_at(self):
        run, = read([lang("human", "x"), lang("AIMessageChunk", "He", id="a"), lang("AIMessageChunk", "llo", id="a")])
        self.assertIn("chunks", run.problem)
        self.assertEqual(read_one([lang("human", "x"), lang("AIMessageChunk", "Hello", id="a")]).output, "Hello")

    def test_the_case_of_a_state(self):
        run = read_one({"case": "k", "repeat": 2, "scores": {"a": 1}, "status": "approved", "messages": LANGCHAIN})
        self.expect(run)
        self.assertEqual((run.case, run.repeat, run.scores, run.state), ("k", 2, {"a": 1}, {"status": "approved"}))
        self.assertIs(read_one({"messages": LANGCHAIN}).state, eh.MISSING)

    def test_arguments_that_could_not_be_read(self):
        run = read_one([lang("human", "x"), lang("ai", "", invalid_tool_calls=[{"name": "f", "args": "{a", "id": "c", "error": "bad"}])])
        call = run.steps[-1]
        self.assertEqual((call.arguments, call.arguments_raw, call.arguments_error, run.status), (eh.MISSING, "{a", "bad", "incomplete"))

    def test_old_messages_have_calls_in_additional_kwargs_alone(self):
        run = read_one([lang("ai", "", additional_kwargs={"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{\"a\": 1}"}}]}),
                        lang("tool", "r", tool_call_id="c")])
        self.assertEqual(calls(run), [("f", {"a": 1}, "r", None)])

    def test_cut_and_refused(self):
        self.assertEqual(read_one(LANGCHAIN[:4]).status, "incomplete")
        self.assertEqual(read_one([lang("ai", "no", response_metadata={"stop_reason": "refusal"})]).status, "refused")

    def test_lines_of_other_tools_are_not_taken(self):
        for item in ({"type": "system", "content": "x", "sessionId": "s", "uuid": "u"}, {"type": "user", "content": "x"},
                     {"role": "user", "content": "x", "type": "human"}, {"type": "tool", "content": []}):
            self.assertFalse(eh.is_langchain_message(item), item)


def smith(id_, parent, type_, start, inputs, outputs, **keys):
    return {"id": id_, "trace_id": "tr", "parent_run_id": parent, "run_type": type_, "name": keys.pop("name", id_), "inputs": inputs,
            "outputs": outputs, "error": None, "start_time": "2025-01-01T00:00:0%dZ" % start, "end_time": "2025-01-01T00:00:0%dZ" % (start + 1),
            "dotted_order": "2025010100000%dZ%s" % (start, id_), **keys}


def dumped(message):
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", CLASSES[message["type"]]], "kwargs": message}


LANGSMITH = [
    smith("root", None, "chain", 0, {"messages": LANGCHAIN[:2]}, {"messages": LANGCHAIN}, end_time="2025-01-01T00:00:06Z"),
    smith("m1", "root", "llm", 1, {"messages": [[dumped(message) for message in LANGCHAIN[:2]]]},
          {"generations": [[{"text": "Both.", "message": dumped(LANGCHAIN[2])}]]}),
    smith("t1", "root", "tool", 2, {"input": "{'city': 'Oslo'}"}, {"output": {"content": "3C", "type": "tool", "tool_call_id": "c1", "status": "success"}},
          name="weather"),
    smith("t2", "root", "tool", 2, {"input": "{'city': 'Atlantis'}"}, None, name="weather", error="no such city"),
    smith("m2", "root", "llm", 4, {"messages": [[dumped(message) for message in LANGCHAIN[:5]]]},
          {"generations": [[{"text": ANSWER, "message": dumped(LANGCHAIN[5])}]]})]


class LangSmith(unittest.TestCase):
    def expect(self, run):
        self.assertEqual(shown(run), STEPS)
        self.assertEqual((run.output, run.status, run.model, run.duration_ms), (ANSWER, "completed", "m-1", 6000))
        self.assertEqual(run.usage._replace(cached_input_tokens=None), eh.Usage(30, 12))

    def test_flat_runs_and_nested_ones(self):
        self.expect(read_one(LANGSMITH))
        self.expect(read_one(jsonl(*LANGSMITH[::-1]), "case.jsonl"))
        self.expect(read_one({**LANGSMITH[0], "child_runs": LANGSMITH[1:]}))

    def test_a_root_alone(self):
        self.expect(read_one(LANGSMITH[0]))
        run = read_one({**LANGSMITH[0], "error": "boom"})
        self.assertEqual((run.status, run.error), ("error", "boom"))
        run = read_one(smith("root", None, "chain", 0, {"input": "q"}, {"output": "a"}))
        self.assertEqual((run.steps, run.output, run.status), (None, "a", "completed"))

    def test_several_traces_are_several_cases(self):
        self.assertEqual([run.case for run in read([LANGSMITH[0], {**LANGSMITH[0], "trace_id": "u"}])], ["tr", "u"])
        named = [{**LANGSMITH[0], "trace_id": str(number), "reference_example_id": "e%d" % number, "feedback_stats": {"ok": {"n": 1, "avg": 0.5}}}
                 for number in (1, 2)]
        self.assertEqual([(run.case, run.scores) for run in read(named)], [("e1", {"ok": 0.5}), ("e2", {"ok": 0.5})])


def part(kind, content=None, **keys):
    return {"part_kind": kind, **({} if content is None else {"content": content}), **keys}


def response(*held, tokens=(10, 5), **keys):
    return {"kind": "response", "parts": list(held), "model_name": "m-1", "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1],
                                                                                   "cache_read_tokens": 2}, **keys}


PYDANTIC = [
    {"kind": "request", "parts": [part("system-prompt", "Be brief."), part("user-prompt", ["Oslo, Atlantis?"])]},
    response(part("thinking", "hm"), part("text", "Both."), part("tool-call", tool_name="weather", args={"city": "Oslo"}, tool_call_id="c1"),
             part("tool-call", tool_name="weather", args="{\"city\": \"Atlantis\"}", tool_call_id="c2")),
    {"kind": "request", "parts": [part("retry-prompt", "no such city", tool_name="weather", tool_call_id="c2"),
                                  part("tool-return", "3C", tool_name="weather", tool_call_id="c1", outcome="success")]},
    response(part("text", ANSWER), tokens=(20, 7), finish_reason="stop")]


class PydanticAi(unittest.TestCase):
    def test_messages(self):
        for run in (read_one(PYDANTIC), read_one(jsonl(*PYDANTIC), "case.jsonl")):
            self.assertEqual(shown(run), STEPS)
            self.assertEqual((run.output, run.status, run.model, run.usage), (ANSWER, "completed", "m-1", eh.Usage(30, 12, 4)))

    def test_an_output_tool_is_the_output_and_no_call(self):
        call = part("tool-call", tool_name="final_result", args="{\"temp\": 3}", tool_call_id="f")
        answered = {"kind": "request", "parts": [part("tool-return", "Final result processed.", tool_name="final_result", tool_call_id="f")]}
        run = read_one([*PYDANTIC[:3], response(call), answered])
        self.assertEqual((run.output, run.status, len(calls(run)), run.warnings), ({"temp": 3}, "completed", 2, ()))
        refused = {"kind": "request", "parts": [part("retry-prompt", "temp missing", tool_name="final_result", tool_call_id="f")]}
        self.assertIs(read_one([*PYDANTIC[:3], response(call), refused]).output, eh.MISSING)

    def test_instructions_are_said_once(self):
        run = read_one([{**PYDANTIC[0], "instructions": "Be kind."}, PYDANTIC[1], {**PYDANTIC[2], "instructions": "Be kind."}, PYDANTIC[3]])
        self.assertEqual([step[1] for step in shown(run) if step[0] == "system"], ["Be kind.", "Be brief."])

    def test_outcomes_and_old_names(self):
        for outcome, flag in (("failed", True), ("denied", True), ("retried", True), ("success", False), (None, None), (3, None)):
            run = read_one([response(part("tool-call", tool_name="f", args=None, tool_call_id="c")),
                            {"kind": "request", "parts": [part("tool-return", {"a": 1}, tool_name="f", tool_call_id="c", outcome=outcome)]}])
            self.assertEqual(calls(run), [("f", {}, {"a": 1}, flag)])
            self.assertEqual(run.status, "incomplete")
        run = read_one([PYDANTIC[0], {**response(part("text", "x")), "usage": {"request_tokens": 3, "response_tokens": 1}}])
        self.assertEqual(run.usage, eh.Usage(3, 1))


def action(number, name, arguments, tool_calls=True, **keys):
    call = {"id": "c%d" % number, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"step_number": number, "tool_calls": [call] if tool_calls else [], "error": None, "model_output": "ok",
            "model_output_message": {"role": "assistant", "content": "ok", "tool_calls": [call]}, "observations": None,
            "action_output": None, "token_usage": {"input_tokens": 10, "output_tokens": 4}, "is_final_answer": False, **keys}


SMOL = [{"task": "Oslo, Atlantis?", "task_images": None}, action(1, "weather", {"city": "Oslo"}, observations="3C"),
        action(2, "weather", {"city": "Atlantis"}, False, error={"type": "AgentToolExecutionError", "message": "no such city"}),
        action(3, "final_answer", {"answer": ANSWER}, observations=ANSWER, is_final_answer=True)]


class Smolagents(unittest.TestCase):
    def test_memory(self):
        for run in (read_one(SMOL), read_one(jsonl(*SMOL), "case.jsonl"), read_one({"steps": SMOL, "output": ANSWER, "state": "success"})):
            self.assertEqual(calls(run), [("weather", {"city": "Oslo"}, "3C", False), ("weather", {"city": "Atlantis"}, "no such city", True),
                                          ("final_answer", {"answer": ANSWER}, ANSWER, False)])
            self.assertEqual((run.output, run.status, run.usage), (ANSWER, "completed", eh.Usage(30, 12)))
            self.assertEqual(run.steps[0].text, "Oslo, Atlantis?")

    def test_a_code_agent(self):
        run = read_one([SMOL[0], action(1, "python_interpreter", "final_answer(3)", observations="logs", action_output=3, is_final_answer=True)])
        self.assertEqual((calls(run), run.output), ([("python_interpreter", {"code": "final_answer(3)"}, "logs", False)], 3))

    def test_how_it_ended(self):
        self.assertEqual(read_one(SMOL[:2]).status, "incomplete")
        self.assertEqual((read_one(SMOL[:3]).status, read_one(SMOL[:3]).error), ("incomplete", None))
        died = {**action(3, "weather", {}, error={"type": "AgentGenerationError", "message": "x"}), "model_output_message": None, "tool_calls": None}
        run = read_one([*SMOL[:2], died])
        self.assertEqual((run.status, run.error["message"]), ("error", "x"))
        limit = action(3, "weather", {}, error={"type": "AgentMaxStepsError", "message": "x"}, action_output="Sorry.")
        run = read_one([*SMOL[:2], limit])
        self.assertEqual((run.status, run.output), ("step_limit", "Sorry."))
        self.assertEqual(read_one({"steps": SMOL[:2], "output": "x", "state": "max_steps_error"}).status, "step_limit")

    def test_several_calls_share_an_observation(self):
        step = action(1, "weather", {"city": "Oslo"}, observations="3C\n5C")
        step["tool_calls"].append({"id": "c9", "function": {"name": "weather", "arguments": {"city": "Rome"}}})
        self.assertEqual([call[2:] for call in calls(read_one([SMOL[0], step]))], [("?", None), ("3C\n5C", None)])


class Hostile(unittest.TestCase):
    """Whatever stands anywhere in a recording, a reader makes a Run of it or says why not."""

    def test_spans(self):
        hostile(self, GENAI)

    def test_otlp(self):
        hostile(self, otlp(GENAI[0], GENAI[1]))

    def test_langfuse(self):
        hostile(self, LANGFUSE)

    def test_langchain(self):
        hostile(self, LANGCHAIN)
        hostile(self, {"messages": [{"type": message["type"], "data": message} for message in LANGCHAIN[2:4]]})

    @long
    def test_langsmith(self):
        hostile(self, LANGSMITH)

    def test_pydantic_ai(self):
        hostile(self, PYDANTIC)

    def test_smolagents(self):
        hostile(self, SMOL)


# What the notes of MANIFEST.tsv say beyond its columns: (calls that failed, calls without an answer, usage).
FACTS = {
    "langfuse/autogen-2025-06-06.trace.json": (0, 0, eh.Usage(41, 3, None, 2.5e-05)),
    "otel_spans/otel_genai_convention_spans.json": (1, 0, eh.Usage(200, 60)),
    "otel_spans/adk_live_spans.json": (0, 0, eh.Usage(379, 84)),
    "otel_spans/pydantic_ai_live_spans.json": (0, 0, eh.Usage(1251, 78, None, 0.0028149 + 0.0026004)),
    "otel_spans/openinference_live_spans.json": (0, 0, eh.Usage()),
    "scripted/langchain_tracer_run.json": (1, 0, eh.Usage(40, 14)),
    "scripted/langgraph_state_values.json": (1, 0, eh.Usage(40, 14)),
    "scripted/langchain_messages_to_dict.json": (1, 0, eh.Usage(40, 14)),
    "scripted/langchain_model_dump.json": (1, 0, eh.Usage(40, 14)),
    "scripted/langchain_dumpd_lc.json": (1, 0, eh.Usage(40, 14)),
    "scripted/pydantic_ai_all_messages.json": (1, 0, eh.Usage(193, 59, 0)),
    "scripted/pydantic_ai_otlp.json": (1, 0, eh.Usage(193, 59)),
    "scripted/pydantic_ai_otlp_protobufjson_base64ids.json": (1, 0, eh.Usage(193, 59)),
    "scripted/pydantic_ai_spans_sdk_tojson.jsonl": (1, 0, eh.Usage(193, 59)),
    "scripted/vercel_otlp.json": (1, 0, eh.Usage(20, 10)),
    "scripted/smolagents_full_steps.json": (1, 0, eh.Usage(30, 6)),
}


@unittest.skipUnless((SHARED / "MANIFEST.tsv").exists(), "the real recordings are not there (../shared/recordings)")
class RealRecordings(unittest.TestCase):
    """The rows of MANIFEST.tsv whose facts others counted."""

    def test_every_row(self):
        with open(SHARED / "MANIFEST.tsv", encoding="utf-8", newline="") as file:
            rows = {row["file"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
        for name, (errors, unanswered, usage) in FACTS.items():
            with self.subTest(file=name):
                run, = eh.read_label(str(SHARED / name), "x", eh.Limits())
                held, row = [call for _, call in eh.calls_of(run)], rows[name]
                self.assertEqual((run.problem, len(held)), ("", int(row["tool_calls"])))
                self.assertEqual(",".join(call.name for call in held[:5]), row["first_tools"])
                if row["final_output_80"]:
                    self.assertEqual(run.output[:80].replace("\n", "\\n"), row["final_output_80"])
                self.assertEqual(sum(call.error is True for call in held), errors)
                self.assertEqual(sum(call.result is eh.MISSING for call in held), unanswered)
                self.assertEqual((run.usage, run.status), (usage, "completed"))


if __name__ == "__main__":
    unittest.main()
