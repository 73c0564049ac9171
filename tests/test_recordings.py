"""Recordings: the native form, OpenAI chat messages in their shapes, tau-bench; which case and repeat a run belongs to."""

import json
import random
import tempfile
import pathlib
import unittest

import eval_harness as eh
from tests.support import Workspace, as_text, call, says


def read(content, name="c.json"):
    """All Runs of one recording in a label folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else as_text(content).encode())
        return list(eh.read_label(folder, "runs/candidate", eh.Limits()))


def read_one(content, name="c.json"):
    """The one Run of a recording, which must be readable."""
    run, = read(content, name)
    assert not run.problem, run.problem
    return run


def native(content, name="c.json"):
    """The one run of a recording in the native form."""
    return eh.native_form(read_one(content, name))


def steps_of(content, name="c.json"):
    return native(content, name)["steps"]


def jsonl(*values):
    return "".join(as_text(value) + "\n" for value in values)


def user(text="Hello"):
    return {"role": "user", "content": text}


def said(text, **keys):
    return {"role": "assistant", "content": text, **keys}


def asked(*calls, content=None, **keys):
    """An assistant message with tool calls: (id, name, arguments as an object or a text)."""
    return {"role": "assistant", "content": content, "tool_calls": [
        {"id": id_, "type": "function", "function": {"name": name, "arguments": as_text(arguments)}} for id_, name, arguments in calls],
        **keys}


def answered(id_, content, **keys):
    return {"role": "tool", "tool_call_id": id_, "content": content, **keys}


def results(steps):
    """[(name, arguments, result or "unanswered")] of the tool calls."""
    return [(step["name"], step.get("arguments"), step.get("result", "unanswered")) for step in steps if step["kind"] == "tool_call"]


def word(check, run, config=None):
    """The outcome of a check on a Run."""
    config = eh.make_config(config)
    case = eh.compile_case({"id": run.case, "output": [check]}, config)
    result = eh.grade_check(case.checks[0], run, eh.context_of(case, run, config))
    assert not result.crashed, result.reason
    return result.word


# ---------------------------------------------------------------------------


class NativeForm(unittest.TestCase):
    whole = {
        "case": "refund", "repeat": 3, "model": "m-1", "status": "completed", "output": {"text": "done", "n": None},
        "steps": [
            {"kind": "message", "role": "user", "text": "Refund A-17", "agent": "main", "turn": 1},
            {"kind": "tool_call", "id": "c1", "name": "find", "arguments": {"id": "A-17"}, "result": {"total": 42}, "error": False,
             "agent": "main", "turn": 1, "duration_ms": 120},
            {"kind": "confirmation", "prompt": "Pay?", "action": "decline", "call_id": "c2", "agent": "main", "turn": 2},
            {"kind": "tool_call", "id": "c2", "name": "pay", "arguments_raw": "{\"a\"", "arguments_error": "cut", "error": True, "turn": 2},
        ],
        "usage": {"input_tokens": 10, "output_tokens": 5, "cached_input_tokens": 2, "cost_usd": 0.25},
        "duration_ms": 1500, "exit_code": 1, "error": "late", "state": {"orders": []}, "scores": {"judge": 0.8}, "metadata": {"who": "me"},
    }

    def test_every_field_is_read(self):
        self.assertEqual(native(self.whole), self.whole)

    def test_every_field_can_be_pointed_at(self):
        run = read_one(self.whole)
        for at, value in (("/model", "m-1"), ("/output/n", None), ("/steps/1/result/total", 42), ("/steps/1/duration_ms", 120),
                          ("/steps/2/action", "decline"), ("/steps/3/arguments_raw", "{\"a\""), ("/usage/cached_input_tokens", 2),
                          ("/usage/cost_usd", 0.25), ("/duration_ms", 1500), ("/exit_code", 1), ("/error", "late"), ("/state/orders", []),
                          ("/scores/judge", 0.8), ("/metadata/who", "me"), ("/status", "completed"), ("/repeat", 3), ("/case", "refund")):
            self.assertEqual(word({"check": "value", "at": at, "is": value}, run), "passed", at)

    def test_only_the_case_is_needed(self):
        run, = read({"case": "a"}, "b.json")
        self.assertEqual((run.case, run.repeat, run.steps, run.output), ("a", None, None, eh.MISSING))

    def test_what_is_null_was_not_recorded_where_null_is_no_value(self):
        made = native({"case": "a", "output": "x", "exit_code": None, "error": None, "duration_ms": None, "model": None,
                       "usage": {"input_tokens": 5, "cost_usd": None}, "repeat": None})
        self.assertEqual(made["usage"], {"input_tokens": 5})
        self.assertEqual(made["status"], "completed")
        self.assertEqual({"exit_code", "error", "duration_ms", "model", "repeat"} & {key for key in made if made[key] is not None}, set())

    def test_output_absent_null_and_empty(self):
        absent, null, empty = read_one({"steps": [call("f")]}), read_one({"output": None}), read_one({"output": ""})
        for run, outcome in ((absent, "error"), (null, "passed"), (empty, "failed")):
            self.assertEqual(word({"check": "equals", "value": None}, run), outcome)
        self.assertEqual(word({"check": "equals", "value": ""}, empty), "passed")
        self.assertEqual(word({"check": "equals", "value": ""}, null), "failed")
        self.assertEqual(word({"check": "excludes", "value": "x"}, absent), "error")

    def test_steps_absent_and_empty(self):
        for check, absent, empty in (({"check": "calls", "expected": []}, "error", "passed"), ({"check": "never", "call": "*"}, "error", "passed"),
                                     ({"check": "calls", "expected": ["a"]}, "error", "failed"), ({"check": "count", "call": "a", "max": 1}, "error", "passed")):
            self.assertEqual(word(check, read_one({"output": "x"})), absent, check)
            self.assertEqual(word(check, read_one({"output": "x", "steps": []})), empty, check)

    def test_steps_of_another_type_make_no_trace(self):
        for steps in (None, "none", {"0": call("f")}, 5):
            runs = read({"case": "c", "output": "x", "steps": steps})
            self.assertTrue(all(run.problem or run.steps is None for run in runs), steps)

    def test_narration_is_all_the_assistant_said_and_the_output(self):
        say = lambda text, role="assistant": {"kind": "message", "role": role, "text": text}
        run = {"steps": [say("hidden", "user"), say("one"), call("f", result="tool"), say("two")], "output": "three"}
        for word_, outcome in (("one", "passed"), ("two", "passed"), ("three", "passed"), ("hidden", "failed"), ("tool", "failed")):
            self.assertEqual(word({"check": "contains", "value": word_, "in": "narration"}, read_one(run)), outcome, word_)
        for recorded, outcome in (({"output": "one"}, "passed"), ({"output": {"a": "one"}, "steps": [say("one")]}, "passed"),
                                  ({"output": "two", "steps": []}, "failed"), ({"steps": [call("f")]}, "error")):
            self.assertEqual(word({"check": "contains", "value": "one", "in": "narration"}, read_one(recorded)), outcome, recorded)

    def test_state_and_scores_null_were_recorded(self):
        run = read_one({"output": "x", "state": None, "scores": None})
        self.assertEqual(word({"check": "value", "at": "/state", "is": None}, run), "passed")
        self.assertEqual(word({"check": "value", "at": "/state", "is": None}, read_one({"output": "x"})), "error")

    def test_a_result_of_null_is_an_answer_and_an_absent_one_is_none(self):
        step = {"kind": "tool_call", "name": "f"}
        for recorded, is_answered in (({**step, "result": None}, True), ({**step, "result": ""}, True), (step, False)):
            run = read_one({"output": "x", "steps": [recorded]})
            self.assertEqual(word({"check": "count", "call": {"result": {"$any": True}}, "min": 1}, run), "passed" if is_answered else "failed")
            self.assertEqual(word({"check": "count", "call": {"result": {"$absent": True}}, "min": 1}, run), "failed" if is_answered else "passed")

    def test_an_error_flag_that_is_no_flag_is_unknown(self):
        for flag in (None, "yes", 1, {"message": "no"}):
            made, = steps_of({"output": "x", "steps": [{"kind": "tool_call", "name": "f", "result": "x", "error": flag}]})
            self.assertNotIn("error", made)
        made, = steps_of({"output": "x", "steps": [{"kind": "tool_call", "name": "f", "result": "Error: boom"}]})
        self.assertNotIn("error", made)

    def test_free_keys_and_unknown_keys(self):
        run = read_one({"output": "x", "description": "d", "x-note": 1, "ouptut": 2, "steps": [call("f", **{"x-a": 1, "argumnets": {}})]})
        self.assertEqual(len(run.warnings), 2, run.warnings)
        told = " ".join(run.warnings)
        self.assertIn('did you mean "output"', told)
        self.assertIn("/steps/0/argumnets", told)

    def test_a_misspelt_key_that_could_hide_something_makes_the_recording_invalid(self):
        step, said = {"kind": "tool_call", "name": "f", "arguments": {}}, {"kind": "message", "role": "assistant"}
        for run, place, meant in (
                ({"sttaus": "error"}, "/sttaus", "status"), ({"Status": "error"}, "/Status", "status"),
                ({"stpes": [step]}, "/stpes", "steps"), ({"eror": "boom"}, "/eror", "error"),
                ({"exit_cod": 1}, "/exit_cod", "exit_code"),
                ({"steps": [{"kind": "tool_call", "name": "f", "argumnets": {"a": 1}}]}, "/steps/0/argumnets", "arguments"),
                ({"steps": [{**step, "erorr": True}]}, "/steps/0/erorr", "error"),
                ({"steps": [{**step, "results": 5}]}, "/steps/0/results", "result"),
                ({"steps": [{**said, "txet": "secret"}]}, "/steps/0/txet", "text"),
                ({"steps": [{**said, "tool_calls": [{"name": "f"}]}]}, "/steps/0/tool_calls", "a step of its own"),
                ({"steps": [], "tool_calls": [{"name": "f"}]}, "/tool_calls", "a step of its own")):
            with self.subTest(run):
                made, = read({"case": "c", "output": "x", **run})
                self.assertIn(place, made.problem)
                self.assertIn(meant, made.problem)
        # Where the right key is there as well, or the value is of another kind, it is a key of somebody's own.
        for run in ({"stats": {"tokens": 3}}, {"status": "completed", "statuss": "x"}, {"tool_calls": []},
                    {"steps": [{**said, "text": "x", "tool_calls": []}]}):
            self.assertEqual(len(read_one({"case": "c", "output": "x", **run}).warnings), 1, run)

    def test_a_key_that_stands_twice_with_two_values_makes_the_recording_invalid(self):
        for text, key in (('{"case": "c", "output": "x", "status": "error", "status": "completed"}', "status"),
                          ('{"case": "c", "output": "x", "steps": [{"kind": "tool_call", "name": "f"}], "steps": []}', "steps"),
                          ('{"case": "c", "output": {"a": [{"b" : 1, "b": 2}]}}', "b"),
                          ('{"case": "c", "output": "x", "error": true, "error": 1}', "error"),
                          ("\ufeff" + '{"case": "c", "output": "x", "st\\u0061tus": "error", "status": "completed"}', "status")):
            run, = read(text)
            self.assertIn('the key "%s" stands twice in one object' % key, run.problem, text)
        broken, sound = read(jsonl({"case": "a", "output": "x"})[:-2] + ', "output": "y"}\n' + jsonl({"case": "b", "output": "x"}), "x.jsonl")
        self.assertIn("stands twice", broken.problem)
        self.assertEqual(sound.problem, "")
        # Lines that make one run: one of them is lost, so anything could be.
        run, = read(jsonl(user())[:-2] + ', "role": "assistant"}\n' + jsonl(said("Hello.")), "x.jsonl")
        self.assertIn("stands twice", run.problem)

    def test_numbers_that_are_not_finite_are_told(self):
        for number in ("NaN", "-Infinity", "1e999"):
            run = read_one('{"case": "c", "output": {"a": [1, %s]}}' % number)
            self.assertEqual(run.warnings, ("/output/a/1: a number that is not finite; it equals nothing",))
        self.assertEqual(read_one({"case": "c", "output": "NaN, Infinity"}).warnings, ())

    def test_a_key_that_stands_twice_with_one_value_and_texts_that_look_like_keys(self):
        for text in ('{"case": "c", "output": "x", "output": "x"}', '{"case" : "c", "output" : "\\": \\": x"}',
                     '{"case": "c", "output": "\\u0022: x"}', '{"case": "c", "output": ": x"}'):
            self.assertEqual(read_one(text).case, "c", text)

    def test_what_is_wrong_in_a_step_makes_the_recording_invalid(self):
        for step, place in (({"kind": "tool_cal", "name": "f"}, "/steps/1/kind"), ({"name": "f"}, "/steps/1/kind"), (5, "/steps/1"), (None, "/steps/1"),
                            ({"kind": "tool_call"}, "/steps/1/name"), ({"kind": "message", "role": ""}, "/steps/1/role"),
                            ({"kind": "tool_call", "name": 5}, "/steps/1/name"), ({"kind": "message", "text": "x"}, "/steps/1/role"),
                            ({"kind": "confirmation", "prompt": "?", "action": "yes"}, "/steps/1/action"), ({"kind": "confirmation"}, "/steps/1/action")):
            run, = read({"case": "c", "output": "x", "steps": [call("g"), step]})
            self.assertIn(place, run.problem, step)

    def test_odd_kinds_make_the_recording_invalid(self):
        for kind in ({}, [], ["tool_call"], {"a": 1}):
            run, = read({"case": "c", "output": "x", "steps": [{"kind": kind, "name": "f"}]})
            self.assertIn("/steps/0/kind", run.problem)

    def test_quantities_that_are_none_were_not_recorded(self):
        for odd in ("5", -1, True, [5], {}, float("nan"), float("inf"), 10 ** 350, 1 << 54):
            run = read_one({"output": "x", "duration_ms": odd, "usage": {"input_tokens": odd, "output_tokens": odd, "cost_usd": odd}})
            for limit in ("max_duration_ms", "max_tokens", "max_cost_usd"):
                self.assertEqual(word({"check": "budget", limit: 10 ** 9}, run), "error", (odd, limit))

    def test_not_only_null_but_zero_is_recorded(self):
        run = read_one({"output": "x", "duration_ms": 0, "exit_code": 0, "usage": {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0}})
        self.assertEqual(word({"check": "budget", "max_duration_ms": 0, "max_tokens": 0, "max_cost_usd": 0}, run), "passed")
        self.assertEqual(word({"check": "value", "at": "/exit_code", "is": 0}, run), "passed")


class Statuses(unittest.TestCase):
    def status(self, **keys):
        run, = read({"case": "c", **keys})
        return "invalid" if run.problem else run.status

    def test_every_status_is_taken(self):
        for status in ("completed", "error", "timeout", "cancelled", "refused", "step_limit", "incomplete"):
            self.assertEqual(self.status(status=status, output="x"), status)

    def test_another_word_makes_the_recording_invalid(self):
        run, = read({"case": "c", "status": "complete", "output": "x"})
        self.assertIn('did you mean "completed"', run.problem)
        for status in ("Completed", "ok", "", 5, True, ["completed"], {"completed": 1}):
            self.assertEqual(self.status(status=status, output="x"), "invalid", status)

    def test_read_off_the_recording(self):
        answer, ask = {"kind": "message", "role": "assistant", "text": "done"}, {"kind": "message", "role": "user", "text": "go"}
        open_call = {"kind": "tool_call", "name": "f"}
        for keys, status in (({"output": "x"}, "completed"), ({"output": None}, "completed"), ({"output": "x", "steps": []}, "completed"),
                             ({"steps": [ask, answer]}, "completed"), ({"steps": [ask, call("f"), answer]}, "completed"),
                             ({"steps": [ask, open_call]}, "incomplete"), ({"steps": [ask, call("f"), open_call]}, "incomplete"),
                             ({"steps": [ask, open_call, call("f")]}, "incomplete"), ({"steps": [ask]}, "incomplete"),
                             ({"steps": [ask, call("f")]}, "incomplete"), ({"output": "x", "error": "boom"}, "error"),
                             ({"error": {"code": 500}}, "error"), ({"output": "x", "error": None}, "completed")):
            self.assertEqual(self.status(**keys), status, keys)

    def test_an_explicit_status_wins(self):
        self.assertEqual(self.status(status="completed", error="late", output="x"), "completed")
        self.assertEqual(self.status(status="completed", steps=[{"kind": "tool_call", "name": "f"}]), "completed")


class Arguments(unittest.TestCase):
    """Arguments that are not valid JSON stay raw, with the error; a call is never dropped."""

    def forms(self, arguments):
        """The call as the native form and as OpenAI messages record it."""
        openai = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}
        return ([{"kind": "tool_call", "name": "f", "arguments": arguments, "result": "ok"}],
                [user(), {"role": "assistant", "content": None, "tool_calls": [openai]}, answered("c1", "ok"), said("done")])

    def calls(self, arguments):
        steps, messages = self.forms(arguments)
        for content in ({"output": "done", "steps": steps}, messages):
            made, = [step for step in steps_of(content) if step["kind"] == "tool_call"]
            self.assertEqual((made["name"], made["result"]), ("f", "ok"))
            yield made

    def test_objects_and_texts_of_json(self):
        for arguments, value in (({"a": 1}, {"a": 1}), ('{"a": 1}', {"a": 1}), (' {"a": [1.5, null]}\n', {"a": [1.5, None]}), ("{}", {})):
            for made in self.calls(arguments):
                self.assertEqual(made["arguments"], value)
                self.assertNotIn("arguments_error", made)

    def test_none_at_all(self):
        for arguments in (None, "", " ", {}, "{}"):
            for made in self.calls(arguments):
                self.assertEqual(made["arguments"], {}, arguments)
                self.assertNotIn("arguments_error", made)

    def test_null_as_a_text(self):
        for made in self.calls("null"):
            self.assertEqual(made["arguments"], {})

    def test_left_out(self):
        made, = steps_of({"output": "x", "steps": [{"kind": "tool_call", "name": "f"}]})
        self.assertEqual(made["arguments"], {})
        made, = [step for step in steps_of([user(), {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f"}}]}])
                 if step["kind"] == "tool_call"]
        self.assertEqual(made["arguments"], {})

    def test_not_json(self):
        for arguments in ('{"q": "San Fra', "San Francisco", "{'q': 1}", '{"q": 1,}', "[1, 2", '{"n": NaN}', '{"n": -Infinity}', "NaN",
                          "[" * 100000, '{"a":' * 100000 + "1" + "}" * 100000, '{"a": %s}' % ("1" * 5000)):
            for made in self.calls(arguments):
                self.assertEqual(made["arguments_raw"], arguments)
                self.assertTrue(made["arguments_error"])
                self.assertNotIn("arguments", made)

    def test_the_error_says_what_is_wrong(self):
        for made in self.calls('{"q": "San Fra'):
            self.assertEqual(made["arguments_error"], "not valid JSON: the text ends in the middle of a value")
        for made in self.calls('{"n": NaN}'):
            self.assertIn("NaN", made["arguments_error"])

    def test_they_fit_no_expectation(self):
        for steps in self.forms('{"q": "San Fra'):
            run = read_one({"output": "x", "steps": steps} if "kind" in steps[0] else steps)
            self.assertEqual(word({"check": "calls", "expected": ["f"]}, run), "passed")
            for arguments in ({}, {"$any": True}, {"q": "San Fra"}, {"$optional": {}}):
                self.assertEqual(word({"check": "calls", "expected": [{"name": "f", "arguments": arguments}]}, run), "failed", arguments)

    def test_the_native_form_keeps_what_it_is_given(self):
        made, = steps_of({"output": "x", "steps": [{"kind": "tool_call", "name": "f", "arguments_raw": "{oops", "arguments_error": "bad"}]})
        self.assertEqual((made["arguments_raw"], made["arguments_error"]), ("{oops", "bad"))
        self.assertNotIn("arguments", made)

    def test_raw_arguments_without_an_error_are_not_lost(self):
        made, = steps_of({"output": "x", "steps": [{"kind": "tool_call", "name": "f", "arguments_raw": "{oops"}]})
        self.assertEqual(made.get("arguments_raw"), "{oops")
        self.assertNotIn("arguments", made)

    def test_nan_as_a_value_equals_nothing(self):
        run = read_one('{"output": "x", "steps": [{"kind": "tool_call", "name": "f", "arguments": {"n": NaN, "m": 1e999}}]}')
        for arguments in ({"$partial": {"n": {"$type": "number"}}}, {"$partial": {"m": {"$gt": 1}}}, {"$partial": {"m": {"$lt": 1}}}):
            self.assertEqual(word({"check": "calls", "expected": [{"name": "f", "arguments": arguments}]}, run), "failed", arguments)


# ---------------------------------------------------------------------------


class OpenAiShapes(unittest.TestCase):
    """OpenAI chat messages: bare, wrapped, as a log of requests and responses, as JSON Lines."""

    messages = [{"role": "system", "content": "Be kind."}, user("Refund A-17"), asked(("c1", "find", {"id": "A-17"}), content="Looking."),
                answered("c1", "{\"total\": 42}"), said("It is 42.")]
    steps = [
        {"kind": "message", "role": "system", "text": "Be kind."}, {"kind": "message", "role": "user", "text": "Refund A-17"},
        {"kind": "message", "role": "assistant", "text": "Looking.", "turn": 1},
        {"kind": "tool_call", "name": "find", "id": "c1", "arguments": {"id": "A-17"}, "result": "{\"total\": 42}", "turn": 1},
        {"kind": "message", "role": "assistant", "text": "It is 42.", "turn": 2}]

    def expect(self, content, **keys):
        made = native(content)
        self.assertEqual(made["steps"], self.steps)
        self.assertEqual((made["output"], made["status"], made["case"]), ("It is 42.", "completed", "c"))
        for key, value in keys.items():
            self.assertEqual(made.get(key), value, key)
        return made

    def test_a_bare_list(self):
        made = self.expect(self.messages)
        for key in ("model", "usage", "duration_ms", "error", "scores", "tools"):
            self.assertNotIn(key, made)
        self.expect(json.dumps(self.messages, indent=2))

    def test_a_list_of_two_messages_in_lines_of_their_own(self):
        made = native("[\n%s\n,\n%s\n]" % (json.dumps(user("a")), json.dumps(said("b"))))
        self.assertEqual([step["text"] for step in made["steps"]], ["a", "b"])

    def test_a_wrapper(self):
        self.expect({"messages": self.messages})
        self.expect({"messages": self.messages, "model": "gpt-x", "usage": {"prompt_tokens": 9, "completion_tokens": 3}, "state": {"a": 1},
                     "scores": {"judge": 1}, "metadata": {"b": 2}, "duration_ms": 5}, model="gpt-x",
                    usage={"input_tokens": 9, "output_tokens": 3}, state={"a": 1}, scores={"judge": 1}, metadata={"b": 2}, duration_ms=5)

    def test_a_wrapper_names_case_repeat_status_output_and_error(self):
        made = native({"messages": self.messages, "case": "k", "repeat": 4, "status": "step_limit", "output": {"a": 1}})
        self.assertEqual([made[key] for key in ("case", "repeat", "status", "output")], ["k", 4, "step_limit", {"a": 1}])
        self.assertEqual(native({"messages": self.messages, "error": "boom"})["status"], "error")

    def test_a_request_and_its_response(self):
        log = {"request": {"model": "asked-for", "messages": self.messages[:-1], "tools": []},
               "response": {"model": "gpt-x-2024", "choices": [{"index": 0, "message": self.messages[-1], "finish_reason": "stop"}],
                            "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}}
        self.expect(log, model="gpt-x-2024", usage={"input_tokens": 9, "output_tokens": 3})
        self.expect({**log, "latency_sec": 1.5}, duration_ms=1500)

    def test_messages_beside_a_response(self):
        self.expect({"messages": self.messages[:-1], "response": {"choices": [{"message": self.messages[-1], "finish_reason": "stop"}]}, "cost": 0.5},
                    usage={"cost_usd": 0.5})

    def test_messages_beside_choices(self):
        self.expect({"messages": self.messages[:-1], "model": "m", "choices": [{"message": self.messages[-1], "finish_reason": "stop"}]}, model="m")

    def test_a_message_in_every_line(self):
        self.expect(jsonl(*self.messages))
        self.expect("\ufeff" + jsonl(*self.messages).replace("\n", "\r\n\r\n"))
        self.expect(jsonl(*self.messages).rstrip())

    def test_successive_requests_are_one_run(self):
        def log(number):
            return {"request": {"messages": self.messages[:number]}, "response": {"choices": [{"message": self.messages[number], "finish_reason": "stop"}]}}
        self.expect(jsonl(log(2), log(4)))
        self.expect(jsonl(log(4), log(2)))
        self.assertEqual(len(read(jsonl(log(2), log(4)))), 1)

    def test_successive_requests_that_name_cases_are_runs(self):
        log = {"request": {"messages": self.messages[:-1]}, "response": {"choices": [{"message": self.messages[-1]}]}}
        self.assertEqual([run.case for run in read(jsonl({"case": "a", **log}, {"case": "b", **log}))], ["a", "b"])

    def test_a_wrapper_in_every_line_is_a_run_in_every_line(self):
        runs = read(jsonl({"messages": self.messages}, {"messages": self.messages, "tools": []}))
        self.assertEqual([(run.case, run.problem, len(run.steps)) for run in runs], [("c", "", 5)] * 2)

    def test_a_list_of_bare_lists_is_a_list_of_runs(self):
        runs = read([self.messages, self.messages[:2]])
        self.assertEqual([(run.problem, len(run.steps)) for run in runs], [("", 5), ("", 2)])

    def test_tool_definitions_are_read(self):
        schema = {"type": "object", "properties": {}}
        made = native({"messages": self.messages, "tools": [{"type": "function", "function": {"name": "find", "description": "d", "parameters": schema}}]})
        self.assertEqual(made["tools"], [{"name": "find", "description": "d", "schema": schema}])

    def test_the_same_run_in_the_native_form_is_graded_alike(self):
        # Fault 138.
        plain = {"status": "completed", "output": "It is 42.", "steps": self.steps}
        for check in ({"check": "contains", "value": "42"}, {"check": "calls", "expected": [{"name": "find", "arguments": {"id": "A-17"}}]},
                      {"check": "calls", "expected": []}, {"check": "never", "call": {"error": True}}, {"check": "budget", "max_turns": 2},
                      {"check": "budget", "max_turns": 1}, {"check": "count", "call": {"kind": "message", "role": "assistant"}, "max": 1},
                      {"check": "contains", "value": "Looking", "in": "narration"}, {"check": "sourced", "call": "find"}, {"check": "completed"},
                      {"check": "value", "at": "/steps/3/result/total", "is": 42}, {"check": "equals", "value": "It is 42."}):
            one, other, third = read_one(plain), read_one(self.messages), read_one(jsonl(*self.messages))
            self.assertEqual(word(check, one), word(check, other), check)
            self.assertEqual(word(check, one), word(check, third), check)


class OpenAiCalls(unittest.TestCase):
    def steps(self, *messages):
        return steps_of([user(), *messages])

    def test_calls_that_stand_elsewhere_are_not_lost(self):
        calls = asked(("1", "wipe", {}))["tool_calls"]
        for message in (said("ok", toolCalls=calls), said("ok", function_calls=calls), said("ok", **{"tool-use": calls}),
                        {"role": "bot", "content": "ok", "tool_calls": calls}, {"role": "user", "content": "ok", "function_call": calls[0]}):
            run, = read({"messages": [user(), message]})
            self.assertIn("message 1: calls of the role", run.problem, message)
        for message in (said("ok", toolCalls=[]), said("ok", annotations=[], audio=None)):
            self.assertEqual(read_one({"messages": [user(), message]}).status, "completed", message)

    def test_several_choices_are_no_run(self):
        choice = lambda index, **message: {"index": index, "finish_reason": "stop", "message": {"role": "assistant", **message}}
        log = lambda *choices: {"request": {"messages": [user()]}, "response": {"choices": list(choices)}}
        run, = read(log(choice(0, content="ok"), choice(1, tool_calls=asked(("1", "wipe", {}))["tool_calls"])))
        self.assertIn("a response with 2 choices", run.problem)
        self.assertEqual(read_one(log(choice(0, content="ok"), choice(1, content="ok"))).output, "ok")

    def test_parallel_calls_are_all_kept(self):
        # Fault 126: not keyed by the name.
        made = self.steps(asked(("c1", "search", {"q": "x"}), ("c2", "search", {"q": "y"})), answered("c1", "1"), answered("c2", "2"))
        self.assertEqual(results(made), [("search", {"q": "x"}, "1"), ("search", {"q": "y"}, "2")])
        self.assertEqual([step.get("turn") for step in made], [None, 1, 1])

    def test_results_in_another_order(self):
        made = self.steps(asked(("c1", "a", {}), ("c2", "b", {}), ("c3", "a", {})), answered("c3", "3"), answered("c1", "1"), answered("c2", "2"))
        self.assertEqual(results(made), [("a", {}, "1"), ("b", {}, "2"), ("a", {}, "3")])

    def test_calls_without_an_answer(self):
        made = self.steps(asked(("c1", "a", {}), ("c2", "b", {})), answered("c2", "2"))
        self.assertEqual(results(made), [("a", {}, "unanswered"), ("b", {}, "2")])
        self.assertEqual(native([user(), asked(("c1", "a", {}), ("c2", "b", {})), answered("c2", "2")])["status"], "incomplete")
        self.assertEqual(native([user(), asked(("c1", "a", {})), answered("c1", "x")])["status"], "incomplete")
        self.assertEqual(native([user(), asked(("c1", "a", {})), said("Let me stop here.")])["status"], "completed")

    def test_an_answer_may_be_empty_or_null(self):
        made = self.steps(asked(("c1", "a", {}), ("c2", "b", {})), answered("c1", ""), answered("c2", None))
        self.assertEqual(results(made), [("a", {}, ""), ("b", {}, None)])

    def test_an_answer_of_parts(self):
        made = self.steps(asked(("c1", "a", {})), answered("c1", [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]))
        self.assertEqual(results(made), [("a", {}, "one\ntwo")])

    def test_an_id_is_used_again_in_a_later_turn(self):
        made = self.steps(asked(("call_0", "a", {"n": 1})), answered("call_0", "1"), asked(("call_0", "a", {"n": 2})), answered("call_0", "2"))
        self.assertEqual(results(made), [("a", {"n": 1}, "1"), ("a", {"n": 2}, "2")])

    def test_an_id_is_used_again_while_its_call_is_open(self):
        made = self.steps(asked(("call_0", "a", {"n": 1})), asked(("call_0", "b", {"n": 2})), answered("call_0", "2"))
        self.assertEqual(results(made), [("a", {"n": 1}, "unanswered"), ("b", {"n": 2}, "2")])

    def test_an_id_is_used_twice_in_one_turn(self):
        # FORMATS 0, rule 4: where ids are absent or repeated, pair in order within the turn.
        made = self.steps(asked(("call_0", "a", {"n": 1}), ("call_0", "a", {"n": 2})), answered("call_0", "1"), answered("call_0", "2"))
        self.assertEqual(results(made), [("a", {"n": 1}, "1"), ("a", {"n": 2}, "2")])

    def test_ids_are_missing(self):
        def bare(*calls):
            message = asked(*[(None, name, arguments) for name, arguments in calls])
            for each in message["tool_calls"]:
                del each["id"]
            return message
        named = [{"role": "tool", "name": "a", "content": "1"}, {"role": "tool", "name": "b", "content": "2"}]
        self.assertEqual(results(self.steps(bare(("a", {}), ("b", {})), *named)), [("a", {}, "1"), ("b", {}, "2")])
        self.assertEqual(results(self.steps(bare(("a", {}), ("b", {})), *named[::-1])), [("a", {}, "1"), ("b", {}, "2")])

    def test_ids_are_missing_and_the_names_are_equal(self):
        message = asked((None, "a", {"n": 1}), (None, "a", {"n": 2}))
        made = self.steps(message, {"role": "tool", "name": "a", "content": "1"}, {"role": "tool", "name": "a", "content": "2"})
        self.assertEqual(results(made), [("a", {"n": 1}, "1"), ("a", {"n": 2}, "2")])

    def test_ids_and_names_are_missing(self):
        made = self.steps(asked((None, "a", {})), {"role": "tool", "content": "1"}, said("done"))
        self.assertEqual(results(made), [("a", {}, "1")])

    def test_an_answer_to_no_call_is_told(self):
        run = read_one([user(), answered("c9", "x"), said("done")])
        self.assertTrue(any("answer" in each for each in run.warnings), run.warnings)

    def test_no_call_is_ever_dropped(self):
        # FORMATS 0, rule 3. What is no call by the book must not make "called nothing" true.
        for odd in ({"id": "c1", "type": "function", "function": {"arguments": "{}"}}, {"id": "c1", "type": "function", "function": {"name": None}},
                    {"id": "c1", "type": "function"}, "f", None):
            run, = read([user(), {"role": "assistant", "content": None, "tool_calls": [odd]}, said("done")])
            self.assertTrue(run.problem or word({"check": "never", "call": "*"}, run) != "passed", odd)

    def test_arguments_are_an_object(self):
        message = {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}]}
        self.assertEqual(results(self.steps(message)), [("f", {"a": 1}, "unanswered")])

    def test_the_old_function_call(self):
        made = self.steps({"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{\"a\": 1}"}},
                          {"role": "function", "name": "f", "content": "1"},
                          {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{\"a\": 2}"}},
                          {"role": "function", "name": "f", "content": "2"}, said("done"))
        self.assertEqual(results(made), [("f", {"a": 1}, "1"), ("f", {"a": 2}, "2")])
        self.assertEqual([step.get("turn") for step in made], [None, 1, 2, 3])

    def test_custom_tools(self):
        message = {"role": "assistant", "tool_calls": [{"id": "c1", "type": "custom", "custom": {"name": "run", "input": "print('hi')"}}]}
        made, = [step for step in self.steps(message, answered("c1", "hi")) if step["kind"] == "tool_call"]
        self.assertEqual((made["name"], made["result"]), ("run", "hi"))
        self.assertIn("print('hi')", (made.get("arguments_raw"), (made.get("arguments") or {}).get("input")))

    def test_the_error_flag_is_unknown(self):
        made = self.steps(asked(("c1", "f", {})), answered("c1", "Error: not found"))
        self.assertNotIn("error", made[1])
        run = read_one([user(), asked(("c1", "f", {})), answered("c1", "Error: not found"), said("x")])
        self.assertEqual(word({"check": "never", "call": {"error": True}}, run), "error")

    def test_text_beside_calls_comes_first_and_shares_the_turn(self):
        made = self.steps(asked(("c1", "f", {}), content="Let me see."))
        self.assertEqual([(step["kind"], step.get("turn")) for step in made], [("message", None), ("message", 1), ("tool_call", 1)])

    def test_calls_written_in_text_are_none(self):
        self.assertEqual(results(self.steps(said("<function=f>{}</function>"))), [])

    def test_messages_that_are_none_are_told(self):
        run = read_one([user(), "noise", None, {"content": "x"}, 5, said("done")])
        self.assertEqual(len(run.warnings), 4)
        self.assertEqual(len(run.steps), 2)


class CallsThatWereNotRead(unittest.TestCase):
    """Formats change. What looks like a call and is not read must not prove that nothing was called."""

    claude = [{"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "content": "Hi"}},
              {"type": "assistant", "sessionId": "s", "uuid": "v", "message": {
                  "id": "m", "role": "assistant", "content": [{"type": "tool_use_v2", "id": "t", "name": "pay", "input": {}}]}},
              {"type": "assistant", "sessionId": "s", "uuid": "w", "message": {
                  "id": "n", "role": "assistant", "stop_reason": "end_turn", "content": [{"type": "text", "text": "Done."}]}}]
    gemini = {"sessionId": "s", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z", "messages": [
        {"id": "1", "type": "user", "content": "Hi"},
        {"id": "2", "type": "gemini", "content": "Done.", "tool_calls": [{"id": "c", "name": "pay", "args": {"n": 1}}]}]}
    ui = [{"id": "1", "role": "user", "parts": [{"type": "text", "text": "Hi"}]},
          {"id": "2", "role": "assistant", "parts": [
              {"type": "step-start"}, {"type": "tool-pay", "toolCallId": "c", "phase": "output-available", "input": {}, "output": 1},
              {"type": "text", "text": "Done."}]}]
    drifted = {
        "a block of another type": (claude, "c.jsonl"),
        "calls under another key": (gemini, "c.json"),
        "a part without its state": (ui, "c.json"),
        "an answer without its call": ([user(), answered("c", "paid", name="pay"), said("Done.")], "c.json"),
        "a span of another type": ([
            {"object": "trace", "id": "t", "workflow_name": "w"},
            {"object": "trace.span", "id": "s", "trace_id": "t", "started_at": "2026-01-01T00:00:00Z",
             "ended_at": "2026-01-01T00:00:02Z", "span_data": {"type": "agent", "name": "a"}},
            {"object": "trace.span", "id": "r", "trace_id": "t", "parent_id": "s", "started_at": "2026-01-01T00:00:01Z",
             "span_data": {"type": "tool_v2", "name": "pay", "input": "{}"}}], "c.jsonl"),
        "told in the native form": ({"output": "Done.", "steps": [], "missed": ["pay"]}, "c.json"),
    }
    unknown = {
        "an event of another type": ([
            {"type": "thread.started", "thread_id": "t"}, {"type": "item.completed", "item": {"type": "shell_v2", "id": "i"}},
            {"type": "item.completed", "item": {"type": "agent_message", "id": "j", "text": "Done."}},
            {"type": "turn.completed"}], "c.jsonl"),
        "an item that is none": ([
            {"type": "thread.started", "thread_id": "t"}, {"type": "item.completed", "Item": {"type": "command_execution"}},
            {"type": "item.completed", "item": {"type": "agent_message", "id": "j", "text": "Done."}},
            {"type": "turn.completed"}], "c.jsonl"),
        "a message that is none": ([*claude[:1], {**claude[1], "message": None}, claude[2]], "c.jsonl"),
        "a reason to stop": ({"messages": [user()], "response": {"choices": [
            {"message": said("Done."), "finish_reason": "tool_calls"}]}}, "c.json"),
        "a call without a name": ([user(), asked(("c", None, {})), answered("c", "paid"), said("Done.")], "c.json"),
        "an answer to nobody knows what": ([user(), answered("c", "paid"), said("Done.")], "c.json"),
    }
    judged_by_absence = ({"check": "never", "call": "pay"}, {"check": "count", "call": "pa*", "max": 0},
                         {"check": "calls", "expected": []}, {"check": "budget", "max_calls": 3},
                         {"check": "never", "call": {"name": "pay", "arguments": {"n": 7}}},
                         {"check": "tools", "allowed": ["pay", "find"]})

    def runs(self, table):
        return [(what, read_one(content if name == "c.json" else jsonl(*content), name)) for what, (content, name) in table.items()]

    def test_its_absence_is_not_known(self):
        for what, run in self.runs(self.drifted):
            self.assertIn("pay", " ".join(map(str, run.warnings)) + str(eh.native_form(run)["missed"]))
            for check in self.judged_by_absence:
                self.assertEqual(word(check, run), "error", (what, check))

    def test_other_calls_are_judged(self):
        for what, run in self.runs(self.drifted):
            self.assertEqual(word({"check": "never", "call": "delete_*"}, run), "passed", what)
            self.assertEqual(word({"check": "never", "call": {"kind": "message", "text": "pay"}}, run), "passed")
            self.assertEqual(word({"check": "count", "call": "pay", "min": 1}, run), "failed")
            self.assertEqual(word({"check": "contains", "value": "Done"}, run._replace(output="Done.")), "passed", what)

    def test_of_a_call_without_a_name_no_call_is_known_not_to_have_been_made(self):
        for what, run in self.runs(self.unknown):
            for check in (*self.judged_by_absence[:3], {"check": "never", "call": "delete_*"}):
                self.assertIn(word(check, run), ("error", "failed"), (what, check))
                self.assertNotEqual(word({"check": "never", "call": "pay"}, run), "passed")

    def test_the_native_form_keeps_it(self):
        for what, run in self.runs({**self.drifted, **self.unknown}):
            again = read_one(eh.native_form(run))
            for check in (*self.judged_by_absence, {"check": "never", "call": "delete_*"}):
                self.assertEqual(word(check, again), word(check, run), (what, check))
        self.assertIn("expected the names of tools", read({"output": "x", "missed": "pay"})[0].problem)

    def test_what_is_no_call_of_the_run(self):
        given = {"name": "pay", "arguments": {"n": 1}}
        for what, content in {
            "an argument that tells of a call": [user(), asked(("c", "plan", {"first": given})), answered("c", "ok"), said("Done.")],
            "the definition of a tool": {"messages": [user(), said("Done.")], "tools": [
                {"type": "function", "function": {"name": "pay", "parameters": {"type": "object"}}}]},
            "a tool of a server": {"items": [user(), function_call("srv__pay"), {"role": "assistant", "content": "Done."}],
                                   "raw": [given]},
            "a reason to stop after a call": {"messages": [user(), asked(("c", "find", {}))], "response": {"choices": [
                {"message": said("Done."), "finish_reason": "tool_calls"}]}},
            "a text": [user(json.dumps(given)), said("Done.")],
            "a tool with its arguments": {"messages": [user(), said("Done.")], "kwargs": {"tools": [
                {"name": "pay", "description": "Pays.", "args": {"n": {"type": "integer"}}}]}},
            "a prompt of a server": {"messages": [
                {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": given},
                {"jsonrpc": "2.0", "id": 1, "result": {"messages": []}}]},
        }.items():
            with self.subTest(what):
                self.assertEqual([each for each in read_one(content).warnings if isinstance(each, eh.Missed)], [])


def function_call(name):
    return {"type": "function_call", "call_id": "c", "name": name, "arguments": "{}"}


class ArgumentsElsewhere(unittest.TestCase):
    """Arguments under a key that the format does not have are not known, and no call without arguments."""

    recordings = {
        "chat": lambda key: [user(), said(None, tool_calls=[{"id": "c", "type": "function", "function": {"name": "pay", **key}}])],
        "Anthropic": lambda key: {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "pay", **key}]}], "max_tokens": 5},
        "Responses": lambda key: [user(), {"type": "function_call", "call_id": "c", "name": "pay", **key}],
        "LangChain": lambda key: [{"type": "human", "content": "Hi"}, {"type": "ai", "content": "", "tool_calls": [
            {"name": "pay", "id": "c", "type": "tool_call", **key}]}],
        "Pydantic AI": lambda key: [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Hi"}]}, {
            "kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "pay", "tool_call_id": "c", **key}]}],
        "Gemini": lambda key: {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [
            {"functionCall": {"name": "pay", **key}}]}]},
        "native": lambda key: {"steps": [{"kind": "tool_call", "name": "pay", **key}]},
    }

    def test_under_another_key(self):
        for name, make in self.recordings.items():
            for key in ("params", "tool_args_v2"):
                with self.subTest(name, key=key):
                    run = read_one(make({key: {"amount": 500}}))
                    (_, step), = eh.calls_of(run)
                    self.assertEqual((step.name, step.arguments), ("pay", eh.MISSING))
                    self.assertIn(json.dumps(key), step.arguments_error)
                    self.assertEqual(word({"check": "never", "call": {"name": "pay", "arguments": {"amount": 500}}}, run), "error")

    def test_none_at_all(self):
        for name, make in self.recordings.items():
            with self.subTest(name):
                (_, step), = eh.calls_of(read_one(make({})))
                self.assertIn(step.arguments, ({}, eh.MISSING))
                (_, step), = eh.calls_of(read_one(make({"metadata": {"a": 1}})))
                self.assertIn(step.arguments_error, (None, "not recorded"))


class OpenAiContent(unittest.TestCase):
    def test_parts(self):
        made = steps_of([{"role": "user", "content": [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                                                      "bare", {"type": "text", "text": "now"}]}, said([{"type": "text", "text": "A cat."}])])
        self.assertEqual(made[0]["text"], "Look:\n[image_url]\nbare\nnow")
        self.assertEqual(made[1]["text"], "A cat.")
        self.assertEqual(native([user(), said([{"type": "text", "text": "A cat."}])])["output"], "A cat.")

    def test_null_and_empty_texts_are_no_answer(self):
        for content in (None, "", []):
            made = native([user(), asked(("c1", "f", {})), answered("c1", "x"), said(content)])
            self.assertEqual(made["status"], "incomplete", content)
            self.assertNotIn("output", made)

    def test_a_refusal(self):
        made = native([user(), {"role": "assistant", "content": None, "refusal": "I cannot."}])
        self.assertEqual((made["status"], made["output"]), ("refused", "I cannot."))
        self.assertEqual(native([user(), said("Yes.", refusal=None)])["status"], "completed")

    def test_a_refusal_as_a_part(self):
        made = native([user(), said([{"type": "refusal", "refusal": "I cannot."}])])
        self.assertEqual((made["output"], made["status"]), ("I cannot.", "refused"))

    def test_finish_reasons(self):
        def made(message, reason):
            return native({"request": {"messages": [user()]}, "response": {"choices": [{"message": message, "finish_reason": reason}]}})["status"]
        for reason, status in (("stop", "completed"), ("length", "incomplete"), ("content_filter", "refused"), (None, "completed")):
            self.assertEqual(made(said("Fluent text."), reason), status, reason)
        self.assertEqual(made(asked(("c1", "f", {})), "tool_calls"), "incomplete")
        self.assertEqual(made({"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}, "function_call"), "incomplete")

    def test_a_wrapper_tells_its_finish_reason(self):
        self.assertEqual(native({"messages": [user(), said("Fluent")], "finish_reason": "length"})["status"], "incomplete")

    def test_the_output_is_the_last_thing_that_was_said(self):
        self.assertEqual(native([user(), said("one"), user(), said("two"), user("bye")])["output"], "two")
        self.assertNotIn("output", native([user(), said("one", tool_calls=[]), asked(("c1", "f", {}), content="two")]))

    def test_roles_are_kept(self):
        self.assertEqual([step["role"] for step in steps_of([{"role": "developer", "content": "x"}, user(), said("y")])], ["developer", "user", "assistant"])


class UsageAndCost(unittest.TestCase):
    def usage(self, usage, **keys):
        return native({"messages": [user(), said("x")], "usage": usage, **keys}).get("usage")

    def test_names_of_openai(self):
        self.assertEqual(self.usage({"prompt_tokens": 17903, "completion_tokens": 40, "total_tokens": 17943,
                                     "prompt_tokens_details": {"cached_tokens": 17817}, "completion_tokens_details": {"reasoning_tokens": 9}}),
                         {"input_tokens": 17903, "output_tokens": 40, "cached_input_tokens": 17817})
        self.assertEqual(self.usage({"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": None}), {"input_tokens": 5, "output_tokens": 1})

    def test_names_of_the_native_form(self):
        self.assertEqual(self.usage({"input_tokens": 9, "output_tokens": 2, "cached_input_tokens": 0}),
                         {"input_tokens": 9, "output_tokens": 2, "cached_input_tokens": 0})

    def test_nothing_is_made_up(self):
        for usage in (None, [], "5", {}, {"total_tokens": 9}, {"prompt_tokens": "9"}):
            self.assertIsNone(self.usage(usage), usage)
        self.assertEqual(self.usage({"prompt_tokens": 9}), {"input_tokens": 9})
        self.assertEqual(word({"check": "budget", "max_tokens": 100}, read_one({"messages": [user(), said("x")], "usage": {"prompt_tokens": 9}})), "error")

    prices = {"prices": {"m-*": {"input": 10.0, "output": 20.0, "cached_input": 1.0}, "m-cheap": {"input": 1.0, "output": 1.0}}}

    def cost_is(self, cost, model, usage, prices=None):
        """Whether the budget sees exactly this cost."""
        run = read_one({"messages": [user(), said("x")], "model": model, "usage": usage})
        return [word({"check": "budget", "max_cost_usd": limit}, run, prices or self.prices) for limit in (cost, cost * 0.999999)] == ["passed", "failed"]

    def test_cached_tokens_are_part_of_the_input(self):
        # 86 * 10 + 17817 * 1 + 40 * 20
        self.assertTrue(self.cost_is(19477 / 1e6, "m-1", {"prompt_tokens": 17903, "completion_tokens": 40, "prompt_tokens_details": {"cached_tokens": 17817}}))
        self.assertTrue(self.cost_is(120 / 1e6, "m-1", {"prompt_tokens": 10, "completion_tokens": 1}))

    def test_more_cached_tokens_than_input_are_no_count(self):
        usage = {"prompt_tokens": 10, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 99}}
        run = read_one({"messages": [user(), said("x")], "model": "m-1", "usage": usage})
        self.assertEqual(word({"check": "budget", "max_cost_usd": 1000}, run, self.prices), "error")
        self.assertEqual(word({"check": "budget", "max_tokens": 1000}, run), "error")

    def test_an_unknown_model_has_no_cost(self):
        for model in ("foo-9", "M-1", "xm-1", None):
            run = read_one({"messages": [user(), said("x")], "model": model, "usage": {"prompt_tokens": 1, "completion_tokens": 1}})
            self.assertEqual(word({"check": "budget", "max_cost_usd": 1000}, run, self.prices), "error", model)

    def test_the_exact_name_of_a_model_wins_over_a_glob(self):
        # Fault 145: exact match first.
        self.assertTrue(self.cost_is(2 / 1e6, "m-cheap", {"prompt_tokens": 1, "completion_tokens": 1}))

    def test_a_recorded_cost_wins(self):
        self.assertTrue(self.cost_is(0.25, "m-1", {"prompt_tokens": 10, "completion_tokens": 1, "cost_usd": 0.25}))
        self.assertTrue(self.cost_is(0.25, "foo-9", {"cost_usd": 0.25}))


class TauBench(unittest.TestCase):
    trajectory = [{"role": "system", "content": "Policy"}, user("Hi"), asked(("c1", "find", {"id": 7})), answered("c1", "found", name="find"),
                  said("All done."), user("###STOP###")]

    def test_a_list_of_results(self):
        runs = read([{"task_id": 3, "reward": 1.0, "info": {}, "traj": self.trajectory, "trial": 0},
                     {"task_id": 3, "reward": 0.0, "info": {}, "traj": self.trajectory, "trial": 1},
                     {"task_id": "x", "reward": 0.0, "info": {}, "traj": self.trajectory[:2]}], "results.json")
        self.assertEqual([(run.case, run.repeat, run.problem, run.scores) for run in runs],
                         [("3", 1, "", {"reward": 1.0}), ("3", 2, "", {"reward": 0.0}), ("x", None, "", {"reward": 0.0})])
        made = eh.native_form(runs[0])
        self.assertEqual((made["output"], made["status"]), ("All done.", "completed"))
        self.assertEqual(results(made["steps"]), [("find", {"id": 7}, "found")])

    def test_calls_that_stay_unanswered(self):
        run, = read([{"task_id": 1, "reward": 0.0, "traj": self.trajectory[:3], "trial": 0}])
        self.assertEqual(run.status, "incomplete")

    def test_the_reward_can_be_gated(self):
        run, = read([{"task_id": 1, "reward": 0.5, "traj": self.trajectory, "trial": 0}])
        self.assertEqual(word({"check": "value", "at": "/scores/reward", "is": {"$gte": 0.5}}, run), "passed")

    def test_in_lines(self):
        result = {"task_id": 1, "reward": 0.5, "traj": self.trajectory, "trial": 0}
        self.assertEqual([run.case for run in read(jsonl(result, {**result, "task_id": 2}))], ["1", "2"])


# ---------------------------------------------------------------------------


class Identity(unittest.TestCase):
    """Which case a run belongs to: an explicit field, else the file name, else the format's own id."""

    def identity(self, name, content=None):
        run, = read({"output": "x"} if content is None else content, name)
        self.assertEqual(run.problem, "")
        return run.case, run.repeat

    def test_the_name_of_the_file(self):
        for name, identity in (("refund.json", ("refund", None)), ("refund.jsonl", ("refund", None)), ("refund.1.json", ("refund", 1)),
                               ("refund.12.json", ("refund", 12)), ("a.b.json", ("a.b", None)), ("a.b.3.json", ("a.b", 3)),
                               ("refund-1.json", ("refund-1", None)), ("with space.json", ("with space", None)), ("caf\u00e9.2.json", ("caf\u00e9", 2)),
                               ("17.json", ("17", None)), ("t[a b].json", ("t[a b]", None)), ("noextension", ("noextension", None))):
            self.assertEqual(self.identity(name), identity, name)

    def test_the_name_of_the_folder(self):
        for name in ("refund/anything.json", "refund/a.b.json", "refund/trace.jsonl"):
            self.assertEqual(self.identity(name)[0], "refund", name)

    def test_a_field_wins(self):
        for name in ("other.json", "other.7.json", "other/x.json"):
            self.assertEqual(self.identity(name, {"case": "refund", "repeat": 2, "output": "x"}), ("refund", 2), name)
        self.assertEqual(self.identity("other.7.json", {"case": "refund", "output": "x"}), ("refund", 7))
        self.assertEqual(self.identity("other.7.json", {"repeat": 2, "output": "x"}), ("other", 2))

    def test_a_case_of_null_or_nothing_is_none(self):
        for case in (None, ""):
            self.assertEqual(read({"case": case, "output": "x"}, "refund.1.json")[0].case, "refund")

    def test_a_case_or_repeat_of_another_type_is_no_guess(self):
        for keys in ({"case": ["a"]}, {"case": True}, {"case": {"id": "a"}}, {"repeat": "1"}, {"repeat": True}, {"repeat": -1}, {"repeat": 1.5}):
            run, = read({"output": "x", **keys}, "refund.json")
            self.assertTrue(run.problem, keys)

    def test_every_format(self):
        messages = [user(), said("x")]
        for content in (messages, {"messages": messages}, jsonl(*messages),
                        {"request": {"messages": messages[:1]}, "response": {"choices": [{"message": messages[1]}]}}):
            self.assertEqual(self.identity("refund.3.json", content), ("refund", 3))
        self.assertEqual(self.identity("x.json", {"case": "refund", "messages": messages}), ("refund", None))
        self.assertEqual(self.identity("results.json", [{"task_id": 5, "traj": messages, "trial": 1}]), ("5", 2))


class Joining(Workspace):
    """Runs meet their cases: repeats, doubles, lists of runs, any order."""

    def statuses(self, code=0):
        done = self.main("run")
        self.assertEqual(done.code, code, done.out + done.err)
        return {row["case"]: [run["status"] for run in row["runs"]] for row in self.report()["cases"]}

    def double(self, *names):
        for argv in (("run",), ("validate",), ("compare", "candidate", "candidate")):
            done = self.main(*argv)
            self.assertEqual(done.code, 2, done.out + done.err)
            for name in names:
                self.assertIn(name, done.err, argv)
        self.assertFalse((self.folder / "reports/candidate.json").exists())

    def test_one_case_and_repeat_in_two_files(self):
        self.case("a")
        self.write("runs/candidate/a.1.json", {"output": "good"})
        self.write("runs/candidate/other.json", {"case": "a", "repeat": 1, "output": "good"})
        self.double("runs/candidate/a.1.json", "runs/candidate/other.json")

    def test_one_case_and_repeat_twice_in_one_file(self):
        self.case("a")
        self.lines("runs/candidate/all.jsonl", [{"case": "a", "repeat": 2, "output": "good"}, {"case": "b", "output": "good"},
                                                {"case": "a", "repeat": 2, "output": "bad"}])
        self.double("all.jsonl:1", "all.jsonl:3")

    def test_one_case_and_repeat_twice_in_one_list(self):
        self.case("a")
        self.write("runs/candidate/all.json", [{"case": "a", "repeat": 2, "output": "good"}, {"case": "a", "repeat": 2, "output": "good"}])
        self.double("all.json#/0", "all.json#/1")

    def test_without_numbers_they_are_repeats_in_the_order_of_the_files(self):
        self.case("a")
        for name, output in (("b/2.x.json", "bad"), ("a/1.x.json", "good"), ("c.json", "good")):
            self.write("runs/candidate/" + name, {"case": "a", "output": output})
        self.assertEqual(self.statuses(1), {"a": ["passed", "failed", "passed"]})
        runs = self.report()["cases"][0]["runs"]
        self.assertEqual([run["repeat"] for run in runs], [1, 2, 3])
        self.assertEqual([run["source"] for run in runs], ["runs/candidate/a/1.x.json", "runs/candidate/b/2.x.json", "runs/candidate/c.json"])

    def test_lines_without_numbers_are_repeats_in_their_order(self):
        self.case("a")
        self.lines("runs/candidate/a.jsonl", [{"output": output} for output in ("good", "bad", "good")])
        self.assertEqual(self.statuses(1), {"a": ["passed", "failed", "passed"]})

    def test_numbers_order_the_repeats(self):
        self.case("a")
        for repeat, output in ((10, "good"), (2, "bad"), (1, "good")):
            self.write("runs/candidate/a.%d.json" % repeat, {"output": output})
        self.assertEqual(self.statuses(1), {"a": ["passed", "failed", "passed"]})
        self.assertEqual([run["repeat"] for run in self.report()["cases"][0]["runs"]], [1, 2, 10])

    def test_some_with_and_some_without_numbers(self):
        self.case("a")
        self.write("runs/candidate/a.1.json", {"output": "good"})
        self.write("runs/candidate/b.json", {"case": "a", "output": "bad"})
        self.statuses(1)
        self.assertEqual([(run["repeat"], run["status"]) for run in self.report()["cases"][0]["runs"]], [(1, "passed"), (2, "failed")])

    def test_ids_are_whole_and_opaque(self):
        # Fault 137.
        for case_id, output in (("t[a b]", "good"), ("t[a c]", "bad"), ("t", "good"), ("T", "bad"), ("t*", "good")):
            self.write("fixtures/f%d.json" % len(self.files("fixtures") if (self.folder / "fixtures").exists() else ()),
                       {"id": case_id, "output": [says("good")]})
            self.write("runs/candidate/r%s.json" % case_id.encode().hex(), {"case": case_id, "output": output})
        self.assertEqual(self.statuses(1), {"t[a b]": ["passed"], "t[a c]": ["failed"], "t": ["passed"], "T": ["failed"], "t*": ["passed"]})

    def test_any_order_of_files_and_lines(self):
        names = ["c%d" % number for number in range(8)]
        for name in names:
            self.case(name)
        rnd, found = random.Random(1), []
        for _ in range(3):
            rnd.shuffle(names)
            self.lines("runs/candidate/all.jsonl", [{"case": name, "output": "good" if name != "c3" else "bad"} for name in names])
            found.append(self.statuses(1))
        self.assertEqual(found, [{name: ["failed" if name == "c3" else "passed"] for name in sorted(names)}] * 3)

    def test_a_list_of_runs(self):
        for name in "abc":
            self.case(name)
        self.write("runs/candidate/all.json", [{"case": "a", "output": "good"}, {"case": "c", "output": "bad"},
                                               {"case": "b", "messages": [user(), said("good")]}])
        self.assertEqual(self.statuses(1), {"a": ["passed"], "b": ["passed"], "c": ["failed"]})
        self.assertEqual(self.report()["cases"][1]["runs"][0]["source"], "runs/candidate/all.json#/2")

    def test_a_list_with_something_that_is_no_run(self):
        self.case("a")
        self.case("all")
        self.write("runs/candidate/all.json", [{"case": "a", "output": "good"}, 5])
        self.assertEqual(self.statuses(1), {"a": ["passed"], "all": ["invalid"]})

    def test_an_empty_list_is_invalid(self):
        self.case("a")
        self.case("b")
        self.run_of("b")
        self.write("runs/candidate/a.json", "[]")
        self.assertEqual(self.statuses(1), {"a": ["invalid"], "b": ["passed"]})

    def test_neither_a_step_nor_an_output_is_invalid(self):
        self.case("b")
        self.run_of("b")
        self.case("a", {"check": "value", "at": "/status", "is": "completed"})
        for content in ({"case": "a"}, {"case": "a", "status": "completed"}, {"case": "a", "steps": []}, {"case": "a", "messages": []},
                        {"case": "a", "status": "completed", "metadata": {"x": 1}}):
            self.write("runs/candidate/a.json", content)
            self.assertEqual(self.statuses(1)["a"], ["invalid"], content)

    def test_a_run_of_no_case_is_listed(self):
        self.case("a")
        self.run_of("a")
        self.run_of("stranger")
        self.assertEqual(self.statuses(), {"a": ["passed"]})
        self.assertEqual(self.report()["unmatched_runs"], ["runs/candidate/stranger.json"])

    def test_tau_bench_through_the_command(self):
        self.case("3", says("done"))
        self.write("runs/candidate/results.json", [{"task_id": 3, "reward": 1.0, "traj": [user(), said("done")], "trial": trial} for trial in (1, 0)])
        self.assertEqual(self.statuses(), {"3": ["passed", "passed"]})
        self.assertEqual([run["repeat"] for run in self.report()["cases"][0]["runs"]], [1, 2])


class CutRecordings(Workspace):
    """A cut last line is a warning that the report shows, and the run is incomplete."""

    messages = [user(), asked(("c1", "f", {})), answered("c1", "ok"), said("good")]

    def grade(self, text, expect=None, **keys):
        self.case("a", says("good"), **({"expect_status": [expect]} if expect else {}), **keys)
        self.write("runs/candidate/a.jsonl", text)
        done = self.main("run")
        self.assertIn(done.code, (0, 1, 2), done.err)
        row, = self.report()["cases"]
        return row["status"], " ".join(self.report()["warnings"])

    def test_whole_it_passes(self):
        self.assertEqual(self.grade(jsonl(*self.messages)), ("passed", ""))

    def test_a_cut_last_message(self):
        status, warnings = self.grade(jsonl(*self.messages) + '{"role": "user", "cont')
        self.assertEqual(status, "failed")
        self.assertRegex(warnings, r"a\.jsonl.*\b5\b")
        status, _ = self.grade(jsonl(*self.messages) + '{"role": "user", "cont', expect="incomplete")
        self.assertEqual(status, "passed")

    def test_cut_inside_the_final_answer(self):
        status, _ = self.grade(jsonl(*self.messages)[:-8])
        self.assertNotEqual(status, "passed")

    def test_a_broken_line_in_the_middle_is_told(self):
        lines = jsonl(*self.messages).splitlines(True)
        _, warnings = self.grade("".join(lines[:2]) + "### log noise\n" + "".join(lines[2:]))
        self.assertRegex(warnings, r"a\.jsonl.*\b3\b")

    def test_a_broken_line_in_the_middle_makes_no_evidence(self):
        # Fault 214 wants the case not to pass: here the lost line is the very call that must never happen.
        lines = jsonl(user(), asked(("c1", "refund", {})), answered("c1", "ok"), said("good")).splitlines(True)
        never = [{"check": "never", "call": "refund", "critical": True}]
        self.assertEqual(self.grade("".join(lines), contract=never)[0], "critical")
        status, _ = self.grade(lines[0] + lines[1][:-9] + "\n" + "".join(lines[2:]), contract=never)
        self.assertNotEqual(status, "passed")

    def test_every_broken_line_is_told(self):
        lines = jsonl(*self.messages).splitlines(True)
        _, warnings = self.grade(lines[0] + "noise\n" + lines[1] + lines[2] + "noise\n" + lines[3])
        self.assertRegex(warnings, r"\b2\b.*\b5\b")

    def test_a_broken_first_line_is_never_silent(self):
        status, _ = self.grade("### log noise\n" + jsonl(*self.messages))
        self.assertNotEqual(status, "passed")
        self.assertIn("a.jsonl:1", json.dumps(self.report()))

    def test_a_cut_last_request_of_a_log(self):
        log = {"request": {"messages": self.messages[:3]}, "response": {"choices": [{"message": self.messages[3], "finish_reason": "stop"}]}}
        self.assertEqual(self.grade(jsonl(log, log))[0], "passed")
        self.assertRegex(self.grade(jsonl(log, log) + json.dumps(log)[:-20])[1], r"\b3\b")

    def test_a_cut_last_run_of_several(self):
        self.case("b")
        self.write("runs/candidate/all.jsonl", '{"case": "a", "output": "good"}\n{"case": "b", "output": "go')
        self.case("a")
        done = self.main("run")
        rows = {row["case"]: row["status"] for row in self.report()["cases"]}
        self.assertEqual(done.code, 1)
        self.assertEqual(rows["a"], "passed")
        self.assertNotEqual(rows["b"], "passed")
        self.assertIn("all.jsonl:2", json.dumps(self.report()))


class UnknownFormats(Workspace):
    """What is not known says what was looked for and what was found; a malformed recording is never a bug of the harness."""

    def test_the_message(self):
        run, = read({"foo": 1, "bar": 2})
        self.assertIn('"foo"', run.problem)
        self.assertIn('"bar"', run.problem)
        for name in ("OpenAI", "tau-bench", "native"):
            self.assertIn(name, run.problem)

    def test_other_values(self):
        for content, found in (({}, "empty object"), ("5", "5"), ('"text"', "text"), ("null", "null"), ("true", "true"), ([5], "5")):
            run, = read(content)
            self.assertIn(found, run.problem, content)

    def test_keys_are_made_visible(self):
        run, = read({"evil\x1b[31m\u202e": 1})
        self.assertTrue(run.problem.isprintable(), ascii(run.problem))

    def test_the_case_is_invalid_and_the_others_are_graded(self):
        self.case("a")
        self.case("b")
        self.run_of("b")
        self.write("runs/candidate/a.json", {"foo": 1})
        self.assertEqual(self.main("run").code, 1)
        self.assertEqual({row["case"]: row["status"] for row in self.report()["cases"]}, {"a": "invalid", "b": "passed"})

    def test_show_says_it(self):
        self.write("x.json", {"foo": 1})
        done = self.main("show", "x.json")
        self.assertEqual(done.code, 2)
        self.assertIn("x.json: ", done.err)
        self.assertIn('"foo"', done.err)

    malformed = (
        {"choices": [], "messages": 5}, {"choices": [], "messages": True}, {"request": "x", "response": {"choices": []}, "messages": -1},
        [{"role": "tool", "name": {"a": 1}, "content": "x"}], [{"role": "function", "name": ["a"], "content": "x"}],
        [{"role": "tool", "tool_call_id": ["a"], "content": "x"}], {"steps": [{"kind": {}}]}, {"steps": [{"kind": ["tool_call"]}]},
    )
    malformed_lines = (
        [{"request": "x", "response": {"choices": []}}, {"a": 1}], [{"choices": []}, 5], [{"choices": []}, [1]], [{"choices": []}, None],
        [{"request": None, "response": {"choices": []}, "messages": 5}, {"choices": []}],
    )

    def never_a_bug(self, text):
        self.case("a")
        self.case("b")
        self.run_of("b")
        self.write("runs/candidate/a.json", text)
        done = self.main("run")
        self.assertEqual(done.code, 1, text[:200] + done.err)
        self.assertEqual({row["case"]: row["status"] for row in self.report()["cases"]}["b"], "passed")
        self.assertNotEqual({row["case"]: row["status"] for row in self.report()["cases"]}["a"], "passed")

    def test_malformed_documents(self):
        for value in self.malformed:
            with self.subTest(value=value):
                self.never_a_bug(json.dumps(value))

    def test_malformed_lines(self):
        for values in self.malformed_lines:
            with self.subTest(values=values):
                self.never_a_bug(jsonl(*map(json.dumps, values)))

    def test_what_is_odd_but_readable(self):
        for value in ([user(), {"role": "assistant", "tool_calls": {"a": 1}}], [user(), {"role": "assistant", "tool_calls": [[], 5]}],
                      [user(), said({"a": 1})], [user(), {"role": "assistant", "function_call": 5}], {"messages": [5, None]}, {"messages": [[]]},
                      {"messages": [user()], "usage": 5, "model": [], "tools": {"a": 1}}, {"output": "x", "usage": [], "tools": [5, None, {}]},
                      {"response": {"choices": [5]}}, {"response": {"choices": [{}]}, "messages": [user()]}, {"traj": [5], "task_id": None},
                      {"traj": [], "task_id": {"a": 1}, "trial": "x"}):
            with self.subTest(value=value):
                read(value)

    def test_anything_at_all(self):
        keys = ("role content messages tool_calls function name arguments id tool_call_id function_call refusal custom input request response choices "
                "message finish_reason usage prompt_tokens prompt_tokens_details model tools error case repeat status output steps kind text agent "
                "turn result action prompt call_id duration_ms cost scores traj task_id trial reward").split()
        scalars = [None, True, 0, 1, -1, 2.5, float("nan"), "", "x", "assistant", "tool", "function", "user", "tool_call", "message", "{\"a\"", "completed"]
        rnd = random.Random(9)

        def made(depth=0):
            kind = rnd.random()
            if depth > 4 or kind < 0.35:
                return rnd.choice(scalars)
            if kind < 0.6:
                return [made(depth + 1) for _ in range(rnd.randint(0, 3))]
            return {rnd.choice(keys): made(depth + 1) for _ in range(rnd.randint(0, 4))}

        def message():
            return {"role": rnd.choice(("assistant", "tool", "function", "user")), **{rnd.choice(keys): made(2) for _ in range(3)}}
        shapes = (made, lambda: [message() for _ in range(3)], lambda: {"messages": [message(), made(2)], rnd.choice(keys): made(2)},
                  lambda: {"request": made(3), "response": {"choices": made(3)}, "messages": made(3)},
                  lambda: {"traj": [message()], "task_id": made(3), "trial": made(4)},
                  lambda: {"steps": [{"kind": rnd.choice(("tool_call", "message", "confirmation", made(4))), **{rnd.choice(keys): made(3) for _ in range(3)}}]})
        for _ in range(1200):
            text = "\n".join(json.dumps(rnd.choice(shapes)()) for _ in range(rnd.choice((1, 1, 2, 3))))
            path = self.write("c.json", text)
            for run in eh.read_runs(eh.File(str(path), "c.json"), "", eh.Limits()):
                json.dumps(eh.native_form(run))


class ShownRuns(Workspace):
    """`show`: one recorded run as a person reads it, whatever its format."""

    def test_every_format(self):
        messages = [user("Refund A-17"), asked(("c1", "find_order", {"id": "A-17"})), answered("c1", "forty-two"), said("It is 42.")]
        for content in (messages, {"messages": messages}, jsonl(*messages), [{"task_id": 1, "traj": messages, "trial": 0, "reward": 1.0}],
                        {"output": "It is 42.", "steps": [{"kind": "message", "role": "user", "text": "Refund A-17"},
                                                          {"kind": "tool_call", "name": "find_order", "arguments": {"id": "A-17"}, "result": "forty-two"}]}):
            self.write("x.json", content)
            done = self.main("show", "x.json")
            self.assertEqual(done.code, 0, done.err)
            for part in ("Refund A-17", "find_order", "A-17", "forty-two", "It is 42."):
                self.assertIn(part, done.out)

    def test_unanswered_calls_and_broken_arguments_are_seen(self):
        self.write("x.json", [user(), asked(("c1", "find_order", '{"id": "San Fra'))])
        done = self.main("show", "x.json")
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("unanswered", done.out)
        self.assertIn("San Fra", done.out)
        self.assertIn("incomplete", done.out)

    def test_secrets_are_hidden_unless_raw(self):
        key = "sk-" + "Ab3dEf6hIj9lMn2pQr5t"
        self.write("x.json", {"output": "key " + key, "steps": [call("f", arguments={"password": "swordfish99"}, result="see " + key)]})
        done = self.main("show", "x.json")
        self.assertNotIn(key, done.out)
        self.assertNotIn("swordfish99", done.out)
        self.assertIn(key, self.main("show", "x.json", "--raw").out)


if __name__ == "__main__":
    unittest.main()
