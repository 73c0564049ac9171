"""Recordings in a form of the user's own, read with the config's `recordings` mapping."""

import json
import unittest

import eval_harness as eh
from tests.support import Workspace, call, says

LOG = {"request": {"test": "refund", "attempt": 2}, "llm": "model-7", "outcome": "OK", "took": {"ms": 1200},
       "tokens": {"in": 90, "out": 10}, "answer": "Refunded.",
       "events": [{"type": "user", "by": "user", "say": "Refund A-17"}, {"type": "thought", "hidden": "hm"},
                  {"type": "tool", "tool": "find", "input": {"id": 7}, "key": 1, "failed": False},
                  {"type": "tool", "key": 1, "returned": {"total": 5}, "failed": False},
                  {"type": "tool", "tool": "refund", "input": '{"id": 7}', "returned": "ok", "key": 2},
                  {"type": "say", "by": "assistant", "say": "Refunded."}]}
MAPPING = {"case": "/request/test", "repeat": "/request/attempt", "model": "/llm", "status": "/outcome",
           "statuses": {"OK": "completed", "KO": "error"}, "duration_ms": "/took/ms", "input_tokens": "/tokens/in",
           "output_tokens": "/tokens/out", "output": "/answer", "steps": "/events",
           "step": {"id": "/key", "name": "/tool", "arguments": "/input", "result": "/returned", "error": "/failed",
                    "role": "/by", "text": "/say", "ignored": {"/type": ["thought"]}}}


class Mapping(Workspace):
    def shown(self, content, mapping, name="runs/candidate/log.json"):
        """The runs that `show --json` prints of a file, read with a mapping."""
        self.write("config.json", {"recordings": mapping})
        self.write(name, content) if not isinstance(content, list) or not name.endswith("l") else self.lines(name, content)
        done = self.main("show", name, "--json")
        self.assertEqual((done.code, done.err), (0, ""))
        return [json.loads(line) for line in done.out.splitlines()]

    def refused(self, content, mapping):
        """What `show` says of a file that the mapping does not read."""
        self.write("config.json", {"recordings": mapping})
        self.write("runs/candidate/log.json", content)
        done = self.main("show", "runs/candidate/log.json")
        self.assertEqual(done.code, 2)
        return done.err

    def test_everything_that_a_mapping_can_say(self):
        run, = self.shown(LOG, MAPPING)
        self.assertEqual({key: run[key] for key in ("case", "repeat", "model", "status", "output", "duration_ms", "usage")}, {
            "case": "refund", "repeat": 2, "model": "model-7", "status": "completed", "output": "Refunded.",
            "duration_ms": 1200, "usage": {"input_tokens": 90, "output_tokens": 10}})
        self.assertEqual([(step["kind"], step.get("name"), step.get("arguments"), step.get("result"), step.get("error"))
                          for step in run["steps"]], [
            ("message", None, None, None, None), ("tool_call", "find", {"id": 7}, {"total": 5}, False),
            ("tool_call", "refund", {"id": 7}, "ok", None), ("message", None, None, None, None)])

    def test_it_is_graded_like_any_other(self):
        self.write("config.json", {"recordings": MAPPING})
        self.case("refund", says("Refunded"), trace=[{"check": "calls", "expected": ["find", "refund"]}])
        self.write("runs/candidate/log.json", LOG)
        self.assertEqual(self.main("run").code, 0)
        self.write("runs/candidate/log.json", {**LOG, "outcome": "KO"})
        self.main("run")
        self.assertEqual(self.report()["cases"][0]["status"], "error")

    def test_a_status_that_nobody_translated_is_no_pass(self):
        self.assertIn('"HALF"', self.refused({**LOG, "outcome": "HALF"}, MAPPING))

    def test_lines_that_are_events_of_several_runs(self):
        lines = [{"trace": "a", "tool": "find", "args": {}}, {"trace": "b", "text": "Hello."},
                 {"trace": "a", "tool": "find", "out": 3}, {"trace": "a", "text": "Three."}]
        mapping = {"case": "/trace", "steps": "", "step": {"name": "/tool", "arguments": "/args", "result": "/out", "text": "/text"}}
        runs = self.shown(lines, mapping, "runs/candidate/log.jsonl")
        self.assertEqual([(run["case"], run["output"], len(run["steps"])) for run in runs], [("a", "Three.", 2), ("b", "Hello.", 1)])
        self.assertEqual(runs[0]["steps"][0]["result"], 3)

    def test_runs_inside_a_document(self):
        document = {"batch": {"results": [{"name": "a", "said": "x"}, {"name": "b", "said": "y"}]}}
        runs = self.shown(document, {"runs": "/batch/results", "case": "/name", "output": "/said"})
        self.assertEqual([(run["case"], run["output"]) for run in runs], [("a", "x"), ("b", "y")])

    def test_a_known_format_inside_another_object(self):
        chat = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
        run, = self.shown({"meta": {"id": "greet"}, "chat": chat}, {"run": "/chat", "case": "/meta/id"})
        self.assertEqual((run["case"], run["output"], run["status"]), ("greet", "Hello.", "completed"))

    def test_a_known_format_that_is_only_named_otherwise(self):
        chat = {"messages": [{"role": "assistant", "content": "Hello."}], "metadata": {"test_case": "greet"}}
        run, = self.shown(chat, {"case": "/metadata/test_case"})
        self.assertEqual((run["case"], run["output"]), ("greet", "Hello."))

    def test_what_the_mapping_does_not_find(self):
        mapping = {"steps": "/events", "step": {"name": "/tool"}}
        self.assertIn('found the keys "alpha"', self.refused({"alpha": 1}, mapping))
        self.assertIn("steps: expected a list at /events", self.refused({"events": 7}, mapping))

    def test_what_a_run_lacks_of_what_is_mapped_is_told(self):
        self.write("config.json", {"recordings": {"output": "/said", "status": "/how", "case": "/who"}})
        self.write("runs/candidate/log.json", {"said": "x"})
        done = self.main("show", "runs/candidate/log.json")
        for told in ("the mapping finds no status at /how", "the mapping finds no case at /who"):
            self.assertIn(told, " ".join(done.out.split()))

    def test_an_event_that_nothing_is_read_of_could_be_a_call(self):
        # Whatever a mapping loses, a `never` must not pass on what is left.
        self.case("refund", trace=[{"check": "never", "call": "refund"}])
        step = MAPPING["step"]
        for name, mapping, events in (
                ("a name that leads nowhere", {**step, "name": "/tol"}, LOG["events"]),
                ("a second kind of call", step, [*LOG["events"][:4], {"type": "call", "function": "refund"}]),
                ("a result that belongs to no call", step, [{"type": "tool", "key": 9, "returned": "ok"}]),
                ("arguments of nobody, though with a text", step, [{"input": {"id": 7}, "say": "Refunding."}]),
                ("an empty event", step, [{}]),
                ("no objects", step, [1, 2]), ("a null", step, [None]), ("a text", step, ["refund(7)"]), ("a list", step, [["refund"]])):
            with self.subTest(name):
                self.write("config.json", {"recordings": {**MAPPING, "step": mapping}})
                self.write("runs/candidate/log.json", {**LOG, "events": events})
                self.assertEqual(self.main("run").code, 2)
                self.assertEqual(self.report()["cases"][0]["status"], "invalid")
                self.assertIn("event", self.report()["cases"][0]["reason"])

    def test_calls_that_are_mapped_and_found_nowhere_are_no_measurement(self):
        # Every event has a text, so that all of them can be read; the pointer to the tool's name is wrong.
        self.case("a", trace=[{"check": "never", "call": "refund"}])
        self.case("b", trace=[{"check": "never", "call": "refund"}])
        events = [{"tool": "find", "msg": "looking"}, {"msg": "Done."}]
        for case in "ab":
            self.write("runs/candidate/%s.json" % case, {"case": case, "log": events})
        mapping = {"case": "/case", "steps": "/log", "step": {"name": "/tol", "text": "/msg"}}
        self.write("config.json", {"recordings": mapping})
        done = self.main("run")
        self.assertEqual(done.code, 2)
        self.assertIn("a tool's name at /tol in none of the recordings", " ".join(done.out.split()))
        # One recording with a call shows that the pointer is right; selecting the other alone changes nothing.
        self.write("config.json", {"recordings": {**mapping, "step": {"name": "/tool", "text": "/msg"}}})
        self.write("runs/candidate/b.json", {"case": "b", "log": events[1:]})
        self.assertEqual(self.main("run").code, 0)
        self.assertEqual(self.main("run", "--case", "b").code, 0)

    def test_doubts_about_a_pointer_are_told(self):
        told = self.warned({"case": "x", "log": [{"tool": "f", "in": {}}, {"tool": "f", "failed": "no"}, {"msg": "Done."}]},
                           {"steps": "/log", "step": {"name": "/tool", "arguments": "/inn", "error": "/failed", "role": "/by",
                                                      "text": "/msg"}})
        for each in ("finds no arguments at /inn in any of 3 events", "finds no role at /by", 'is no flag, but the text "no"'):
            self.assertIn(each, told)

    def warned(self, content, mapping):
        """What `show` prints of a recording, on one line."""
        self.write("config.json", {"recordings": mapping})
        self.write("runs/candidate/log.json", content)
        return " ".join(self.main("show", "runs/candidate/log.json").out.split())

    def test_lines_of_which_one_run_cannot_be_read(self):
        lines = [{"trace": "a", "tool": "find"}, {"trace": "a", "text": "Three."}, {"trace": "b", "thought": "hm"},
                 {"level": "debug"}, {"trace": "c", "text": "Hello.", "end": "OK"}]
        mapping = {"case": "/trace", "status": "/end", "statuses": {"OK": "completed"}, "steps": "",
                   "step": {"name": "/tool", "text": "/text", "ignored": {"/level": ["debug"]}}}
        self.write("config.json", {"recordings": mapping})
        self.lines("runs/candidate/log.jsonl", lines)
        for case in "abc":
            self.case(case, trace=[{"check": "never", "call": "refund"}])
        self.main("run")
        self.assertEqual([(row["case"], row["status"]) for row in self.report()["cases"]],
                         [("a", "failed"), ("b", "invalid"), ("c", "passed")])
        self.assertEqual(self.report()["unmatched_runs"], [])

    def test_a_mapping_that_is_wrong(self):
        for mapping, told in (({"setps": "/events"}, "did you mean \"steps\""), ({"steps": "events"}, "/recordings/steps"),
                              ({"statuses": {"ok": "fine"}}, "/recordings/statuses/ok"), ({"step": {"tool": "/a"}}, "/recordings/step"),
                              ({"steps": "/e"}, "no step can be read"), ({"steps": "/e", "step": {}}, "no step can be read"),
                              ({"steps": "/e", "step": {"result": "/r"}}, "no step can be read"),
                              ({"step": {"name": "/tool"}}, "step has no effect without steps"),
                              ({"statuses": {"ok": "completed"}}, "statuses has no effect without status"),
                              ({"steps": "", "step": {"name": "/a", "ignored": {"type": ["x"]}}}, "/recordings/step/ignored/type"),
                              ({"steps": "", "step": {"name": "/a", "ignored": {"/type": "x"}}}, "/recordings/step/ignored/~1type"),
                              ({"steps": "", "step": {"name": "/a", "ignored": {"/type": []}}}, "a list of at least 1")):
            with self.subTest(mapping):
                self.assertIn(told, self.refused({}, mapping))

    def test_converting_gives_the_same_report(self):
        self.case("refund", says("Refunded"), trace=[{"check": "calls", "expected": ["find", "refund"]}])
        native = self.shown(LOG, MAPPING)[0]
        self.main("run")
        before = self.report()["cases"][0]
        self.write("config.json", {})
        self.write("runs/candidate/log.json", native)
        self.main("run")
        after = self.report()["cases"][0]
        for row in (before, after):
            row["runs"][0].pop("run_sha256")
        self.assertEqual(before, after)

    def test_hostile_values(self):
        for value in (None, 3, "x", [], {}, [[]], {"a": None}):
            for mapping in (MAPPING, {**MAPPING, "steps": ""}, {"run": "/answer"}, {"runs": "/events"}):
                self.write("config.json", {"recordings": mapping})
                self.write("runs/candidate/log.json", {**LOG, "events": [value, {"tool": value, "returned": value}], "answer": value,
                                                       "request": value})
                with self.subTest(value=value, mapping=mapping):
                    self.assertNotIn("Traceback", self.main("show", "runs/candidate/log.json").err)


if __name__ == "__main__":
    unittest.main()
