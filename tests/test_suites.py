"""Config and fixtures: their forms, closed key sets, every problem in one go, and what is refused at load."""

import json
import unittest

import eval_harness as eh
from tests.support import Workspace, call, says


class FixtureForms(Workspace):
    """A file holds one case, a list of cases, defaults and cases, or JSON Lines."""

    one, two = {"id": "one", "output": [says("good")]}, {"id": "two", "output": [says("bad")]}

    def ids(self):
        self.run_of("one")
        self.run_of("two")
        done = self.main("run")
        self.assertIn(done.code, (0, 1), done.err)
        return {row["case"]: row["status"] for row in self.report()["cases"]}

    def test_one_case(self):
        self.write("fixtures/a.json", self.one)
        self.assertEqual(self.ids(), {"one": "passed"})

    def test_a_list(self):
        self.write("fixtures/a.json", [self.one, self.two])
        self.assertEqual(self.ids(), {"one": "passed", "two": "failed"})

    def test_cases_without_defaults(self):
        self.write("fixtures/a.json", {"cases": [self.one, self.two]})
        self.assertEqual(self.ids(), {"one": "passed", "two": "failed"})

    def test_json_lines(self):
        self.lines("fixtures/a.jsonl", [self.one, self.two])
        self.assertEqual(self.ids(), {"one": "passed", "two": "failed"})

    def test_json_lines_are_known_by_content_not_by_extension(self):
        self.lines("fixtures/a.json", [self.one, self.two])
        self.assertEqual(self.ids(), {"one": "passed", "two": "failed"})

    def test_json_lines_with_blank_lines_and_crlf_and_a_byte_order_mark(self):
        text = "\ufeff" + json.dumps(self.one) + "\r\n\r\n\n" + json.dumps(self.two)
        self.write("fixtures/a.jsonl", text)
        self.assertEqual(self.ids(), {"one": "passed", "two": "failed"})

    def test_line_separators_inside_texts_do_not_split_json_lines(self):
        for separator in "\u2028\u2029\u0085\x0b\x0c":
            said = "go%sod" % separator
            text = '{"id": "one", "output": [{"check": "contains", "value": %s}]}\n%s\n' % (
                json.dumps(said) if separator in "\x0b\x0c" else '"%s"' % said, json.dumps(self.two))
            self.write("fixtures/a.jsonl", text)
            self.run_of("one", said)
            self.run_of("two")
            self.assertEqual(self.main("run").code, 1)
            self.assertEqual([row["status"] for row in self.report()["cases"]], ["passed", "failed"], repr(separator))

    def test_one_long_line_is_one_case(self):
        self.write("fixtures/a.jsonl", json.dumps(self.one) + "\n")
        self.assertEqual(self.ids(), {"one": "passed"})

    def test_many_files_in_folders(self):
        self.write("fixtures/deep/er/a.json", self.one)
        self.lines("fixtures/b.jsonl", [self.two])
        self.assertEqual(self.ids(), {"one": "passed", "two": "failed"})

    def test_a_path_may_name_one_file(self):
        self.write("fixtures/a.json", self.one)
        self.write("fixtures/b.json", self.two)
        self.run_of("one")
        self.assertEqual(self.main("run", "--fixtures", "fixtures/a.json").code, 0)
        self.assertEqual(self.report()["summary"]["cases"], 1)

    def test_defaults_apply_to_every_case_and_the_cases_own_keys_win(self):
        config = eh.make_config()
        document = eh.Document(eh.File("f", "f"), {
            "defaults": {"threshold": 0.5, "weight": 2, "tags": ["all"], "contract": [{"check": "completed"}]},
            "cases": [{"id": "a", "output": [says("x")]}, {"id": "b", "threshold": 0.9, "weight": 3, "tags": ["own"]}]},
            raw=b"{}", whole=True)
        first, second = eh.cases_of_document(document, config)
        self.assertEqual((first.threshold, first.weight, first.tags), (0.5, 2, ("all",)))
        self.assertEqual([spec.check.name for spec in first.checks], ["contains", "completed"])
        self.assertEqual((second.threshold, second.weight), (0.9, 3))
        self.assertEqual([spec.check.name for spec in second.checks], ["completed"])

    def test_defaults_name_no_id(self):
        self.write("fixtures/a.json", {"defaults": {"id": "x"}, "cases": [self.one]})
        done = self.main("validate")
        self.assertEqual(done.code, 2)
        self.assertIn("/defaults/id", done.err)

    def test_what_holds_no_case_is_refused(self):
        for content in ("", " \n", "[]", "{}", '{"cases": []}', '{"cases": {}}', '"text"', "3", "null", "[3]", "[[]]",
                        '{"defaults": {}}'):
            with self.subTest(content=content):
                self.write("fixtures/a.json", content)
                self.run_of("one")
                for verb in ("validate", "run"):
                    done = self.main(verb)
                    self.assertEqual(done.code, 2)
                    self.assertIn("fixtures/a.json", done.err)
                self.assertNotIn("reports/candidate.json", self.files())

    def test_an_empty_line_in_a_list_of_cases_does_not_hide_the_others(self):
        self.write("fixtures/a.json", "[]")
        self.write("fixtures/b.json", self.one)
        self.run_of("one")
        self.assertEqual(self.main("run").code, 2)

    def test_free_keys_change_nothing(self):
        self.run_of("one")
        for extra in ({}, {"description": "A text."}, {"description": 7}, {"x-owner": {"valeu": 1}}, {"x-": None}):
            value = {**self.two, "id": "one", **extra}
            value["output"] = [{**self.two["output"][0], **extra}]
            self.write("fixtures/a.json", value)
            self.assertEqual(self.main("run").code, 1, extra)
            row = self.report()["cases"][0]
            self.assertEqual((row["status"], len(row["runs"][0]["checks"])), ("failed", 1), extra)

    def test_any_check_may_stand_in_any_dimension(self):
        for dimension in ("output", "trace", "contract"):
            case = eh.compile_case({"id": "a", dimension: [says("x"), {"check": "calls", "expected": []},
                                                           {"check": "completed"}]}, eh.make_config())
            self.assertEqual({spec.dimension for spec in case.checks}, {dimension})

    def test_equal_inputs_do_not_merge_cases(self):
        self.write("fixtures/a.json", [{**self.one, "input": "same"}, {**self.two, "input": "same"}])
        self.assertEqual(self.ids(), {"one": "passed", "two": "failed"})

    def test_a_case_needs_an_id(self):
        self.write("fixtures/a.json", [{"id": "case-2", "output": [says("x")]}, {"output": [says("x")]}])
        done = self.main("validate")
        self.assertEqual(done.code, 2)
        self.assertIn("/1", done.err)
        self.assertIn("id", done.err)

    def test_links_are_followed_inside_the_folder_only(self):
        self.write("fixtures/a.json", self.one)
        self.write("elsewhere/b.json", self.two)
        self.run_of("one")
        link = self.folder / "fixtures" / "b.json"
        for target in (self.folder / "elsewhere" / "b.json", "nowhere.json", "."):
            link.symlink_to(target)
            for verb in ("run", "validate"):
                done = self.main(verb)
                self.assertEqual(done.code, 2, target)
                self.assertIn("fixtures/b.json", done.err)
            link.unlink()
        self.assertEqual(self.main("run").code, 0)


class StrictJson(Workspace):
    """Fixtures and config are read strictly; errors name file, line and JSON pointer."""

    def refused(self, text, *said):
        self.write("fixtures/bad.json", text)
        self.case("good")
        self.run_of("good")
        for verb in ("validate", "run"):
            done = self.main(verb)
            self.assertEqual(done.code, 2, text)
            for each in ("fixtures/bad.json", *said):
                self.assertIn(each, done.err)

    def test_a_repeated_key(self):
        self.refused('{"id": "a",\n "output": [\n  {"check": "contains", "value": "x",\n   "value": "y"}]}', ":4:",
                     "/output/0/value")

    numbers = ("NaN", "Infinity", "-Infinity", "1e999", "-1e999")
    with_number = '{"id": "a",\n "output": [{"check": "equals",\n "value": [1, %s]}]}'

    def test_nan_infinity_and_overflow(self):
        for word in self.numbers:
            with self.subTest(word):
                self.refused(self.with_number % word, word)

    def test_line_and_pointer_of_nan_infinity_and_overflow(self):
        for word in self.numbers:
            self.refused(self.with_number % word, ":3:", "/output/0/value/1")

    def test_a_number_that_is_no_number_is_no_weight(self):
        for word in ("NaN", "Infinity", "1e400"):
            self.refused('{"id": "a", "output": [{"check": "completed", "weight": %s}]}' % word)

    with_surrogate = '{"id": "a",\n "output": [{"check": "contains", "value": "\\ud800"}]}'

    def test_an_unpaired_surrogate(self):
        self.refused(self.with_surrogate, "surrogate")

    def test_line_and_pointer_of_an_unpaired_surrogate(self):
        self.refused(self.with_surrogate, ":2:", "/output/0/value")

    def test_absurd_nesting(self):
        self.refused('{"id": "a", "input": %s%s, "output": [{"check": "completed"}]}' % ("[" * 5000, "]" * 5000))

    def test_not_json(self):
        self.refused('{"id": "a",\n "output": [}', ":2:")

    def test_not_utf_8(self):
        self.write("fixtures/bad.json", b'{"id": "a", "output": [{"check": "contains", "value": "\xff"}]}')
        done = self.main("validate")
        self.assertEqual(done.code, 2)
        self.assertIn("fixtures/bad.json", done.err)


class ClosedKeys(Workspace):
    """An unknown key, check, mode, operator or keyword is an error with a suggestion, at every depth."""

    def refused(self, case, pointer, meant):
        self.write("fixtures/a.json", case)
        done = self.main("validate")
        self.assertEqual(done.code, 2, done.out)
        self.assertIn("fixtures/a.json", done.err)
        self.assertIn(pointer, done.err)
        if meant:
            self.assertIn('did you mean "%s"' % meant, done.err)

    def check_refused(self, check, pointer, meant):
        self.refused({"id": "a", "output": [check]}, "/output/0" + pointer, meant)

    def test_keys_of_a_case(self):
        for key, meant in (("treshold", "threshold"), ("tag", "tags"), ("outputs", "output"), ("contracts", "contract"),
                           ("wieght", "weight"), ("expect_staus", "expect_status"), ("inptu", "input"),
                           ("schema_version", None), ("ID", None)):
            with self.subTest(key):
                self.refused({"id": "a", "output": [says("x")], key: 1}, "/" + key, meant)

    def test_a_misspelt_dimension_is_not_a_case_without_it(self):
        self.refused({"id": "a", "output": [says("x")], "contarct": [{"check": "completed"}]}, "/contarct", "contract")

    def test_names_of_checks(self):
        for word, meant in (("contians", "contains"), ("equal", "equals"), ("call", "calls"), ("nevr", "never"),
                            ("", None), ("Contains", "contains")):
            with self.subTest(word):
                self.check_refused({"check": word, "value": "x"}, "/check", meant)

    def test_a_check_needs_a_name(self):
        self.check_refused({"value": "x"}, "", None)
        self.check_refused({"chekc": "contains", "value": "x"}, "", None)
        for wrong in (None, 3, ["contains"], {}):
            self.check_refused({"check": wrong, "value": "x"}, "/check", None)

    def test_keys_of_a_check(self):
        for key, meant in (("valeu", "value"), ("wieght", "weight"), ("critcal", "critical"), ("advisry", "advisory"),
                           ("ignore_cas", "ignore_case"), ("threshold", None), ("dimension", None), ("max", None)):
            with self.subTest(key):
                self.check_refused({"check": "contains", "value": "x", key: 1}, "/" + key, meant)

    def test_a_key_of_another_check_is_unknown(self):
        self.check_refused({"check": "equals", "value": "x", "in": "output"}, "/in", None)

    def test_modes(self):
        calls = {"check": "calls", "expected": ["a"]}
        for key, word, meant in (("order", "sequnce", "sequence"), ("order", "in-order", None), ("extra", "alow", "allow"),
                                 ("missing", "forbidden", "forbid"), ("score", "recal", "recall"),
                                 ("score", "F1", None)):
            with self.subTest("%s: %s" % (key, word)):
                self.check_refused({**calls, key: word}, "/" + key, meant)
        self.check_refused({"check": "number", "value": 1, "which": "frist"}, "/which", "first")
        self.check_refused({"check": "similarity", "reference": "x", "threshold": 1, "metric": "rogue_l"}, "/metric", "rouge_l")
        self.check_refused({"check": "value", "is": 1, "parse": "jsno"}, "/parse", "json")
        self.check_refused({"check": "count", "call": "a", "max": 1, "per": "identicl"}, "/per", "identical")
        self.check_refused(says("x", **{"in": "naration"}), "/in", "narration")
        self.check_refused({"check": "completed", "status": ["complete"]}, "/status/0", "completed")
        self.refused({"id": "a", "output": [says("x")], "expect_status": ["refusd"]}, "/expect_status/0", "refused")

    def test_flags_and_patterns(self):
        self.check_refused({"check": "matches", "pattern": "x", "flags": "u"}, "/flags", None)
        self.check_refused({"check": "matches", "pattern": "("}, "/pattern", None)

    def test_operators(self):
        for matcher, pointer, meant in (
                ({"$regx": "x"}, "/$regx", "$regex"),
                ({"a": {"$gtt": 1}}, "/a/$gtt", "$gt"),
                ([1, {"b": [{"$lenght": 1}]}], "/1/b/0/$lenght", "$length"),
                ({"$all": [{"$any": True}, {"$contain": 1}]}, "/$all/1/$contain", "$contains"),
                ({"$partial": {"a": {"$tpye": "string"}}}, "/$partial/a/$tpye", "$type"),
                ({"$list": {"items": [], "ordre": "any"}}, "/$list/ordre", "order"),
                ({"$list": {"items": [{"$nto": 1}]}}, "/$list/items/0/$nto", "$not"),
                ({"$approx": {"value": 1, "absolute": 1}}, "/$approx/absolute", None),
                ({"$regex": "x", "$flag": "i"}, "/$flag", None)):
            with self.subTest(json.dumps(matcher)):
                self.check_refused({"check": "equals", "value": matcher}, "/value" + pointer, meant)

    def test_selectors(self):
        for selector, pointer, meant in (({"name": "a", "argumens": {}}, "/argumens", "arguments"),
                                         ({"kind": "mesage"}, "/kind", "message"),
                                         ({"kind": "message", "arguments": {}}, "/arguments", None),
                                         ({"name": "a", "arguments": {"x": {"$regx": "y"}}}, "/arguments/x/$regx", "$regex")):
            with self.subTest(json.dumps(selector)):
                self.check_refused({"check": "never", "call": selector}, "/call" + pointer, meant)
                self.check_refused({"check": "calls", "expected": ["a"], "among": selector}, "/among" + pointer, meant)

    def test_expected_calls(self):
        for item, pointer, meant in (({"name": "a", "optionl": True}, "/optionl", None),
                                     ({"name": "a", "argumets": {}}, "/argumets", "arguments"),
                                     ([["a"]], "", None)):
            with self.subTest(json.dumps(item)):
                self.check_refused({"check": "calls", "expected": ["x", item]}, "/expected/1" + pointer, meant)
                self.check_refused({"check": "calls", "expected": ["x", ["y", item]]}, "/expected/1/1" + pointer, meant)
                self.check_refused({"check": "calls", "one_of": [["x"], ["x", item]]}, "/one_of/1/1" + pointer, meant)

    def test_a_misspelt_optional(self):
        self.check_refused({"check": "calls", "expected": [{"name": "a", "optionl": True}]}, "/expected/0/optionl",
                           "optional")

    def test_around_the_cases(self):
        case = {"id": "a", "output": [says("x")]}
        self.refused({"cases": [case], "defualts": {}}, "/defualts", "defaults")
        self.refused({"cases": [case], "defaults": {"treshold": 1}}, "/defaults/treshold", "threshold")
        self.refused({"cases": [case], "defaults": {"output": [{"check": "contians"}]}}, "/defaults/output/0/check", "contains")
        self.refused({"cases": [case], "id": "b"}, "/id", None)

    def test_free_keys_stand_at_every_depth(self):
        free = {"description": "Why.", "x-note": {"$regx": 1}}
        self.write("fixtures/a.json", {"defaults": {"threshold": 1, **free}, **free, "cases": [
            {"id": "a", "output": [says("x", **free)], "trace": [
                {"check": "never", "call": {"name": "b", **free}, **free},
                {"check": "calls", "expected": [{"name": "c", **free}], **free}], **free}]})
        self.write("config.json", {"gate": {**free}, "tools": {"c": {"effect": "write", **free}},
                                   "prices": {"m": {"input": 1, "output": 1, **free}}, "weights": free, "paths": free,
                                   "repeats": free, "redact": free, "every_case": [says("x", **free)], **free})
        done = self.main("validate")
        self.assertEqual((done.code, done.err), (0, ""))

    def test_free_keys_stand_in_the_limits(self):
        self.write("config.json", {"limits": {"description": "Small.", "x-note": 1, "depth": 50}})
        self.case("a")
        self.assertEqual(self.main("validate").code, 0)


class ClosedConfig(Workspace):
    """The same for the config."""

    def refused(self, config, pointer, meant=None):
        self.write("config.json", config)
        self.case("a")
        self.run_of("a")
        self.run_of("a", label="baseline")
        for argv in (("run",), ("compare",), ("validate",)):
            done = self.main(*argv)
            self.assertEqual(done.code, 2)
            self.assertIn("config.json", done.err)
            self.assertIn(pointer, done.err)
            if meant:
                self.assertIn('did you mean "%s"' % meant, done.err)
        self.assertEqual([name for name in self.files() if name.startswith("reports/")], [])

    def test_unknown_keys(self):
        for config, pointer, meant in (
                ({"wieghts": {}}, "/wieghts", "weights"), ({"weights": {"ouput": 1}}, "/weights/ouput", "output"),
                ({"treshold": 1}, "/treshold", "threshold"), ({"gates": {}}, "/gates", "gate"),
                ({"gate": {"min_pas_rate": 1}}, "/gate/min_pas_rate", "min_pass_rate"),
                ({"gate": {"min_dimension": {"trce": 1}}}, "/gate/min_dimension/trce", "trace"),
                ({"paths": {"fixture": "f"}}, "/paths/fixture", "fixtures"),
                ({"repeats": {"pas": "all"}}, "/repeats/pas", "pass"),
                ({"tools": {"pay": {"efect": "write"}}}, "/tools/pay/efect", "effect"),
                ({"prices": {"m": {"input": 1, "output": 1, "cached": 1}}}, "/prices/m/cached", "cached_input"),
                ({"redact": {"key": []}}, "/redact/key", "keys"), ({"limits": {"dept": 9}}, "/limits/dept", "depth"),
                ({"every_case": [{"check": "contians", "value": "x"}]}, "/every_case/0/check", "contains"),
                ({"every_case": [says("x"), says("x", tag=[])]}, "/every_case/1/tag", None),
                ({"schema_version": 9}, "/schema_version", None)):
            with self.subTest(json.dumps(config)):
                self.refused(config, pointer, meant)

    def test_unknown_modes(self):
        self.refused({"repeats": {"pass": "most"}}, "/repeats/pass")
        self.refused({"repeats": {"pass": "majorty"}}, "/repeats/pass", "majority")
        self.refused({"gate": {"critical": "non"}}, "/gate/critical", "none")
        self.refused({"tools": {"pay": {"effect": "wirte"}}}, "/tools/pay/effect", "write")
        self.refused({"tools": {"pay": {"confirm": "blok"}}}, "/tools/pay/confirm", "block")

    def test_wrong_values(self):
        for config, pointer in (
                ({"weights": {"output": 0}}, "/weights/output"), ({"weights": {"output": -1}}, "/weights/output"),
                ({"weights": {"trace": "1"}}, "/weights/trace"), ({"weights": {"trace": True}}, "/weights/trace"),
                ({"weights": []}, "/weights"), ({"threshold": 1.01}, "/threshold"), ({"threshold": -0.1}, "/threshold"),
                ({"threshold": 80}, "/threshold"), ({"threshold": True}, "/threshold"), ({"threshold": "0.8"}, "/threshold"),
                ({"threshold": None}, "/threshold"), ({"seed": 1.5}, "/seed"), ({"seed": "x"}, "/seed"),
                ({"paths": {"runs": 3}}, "/paths/runs"), ({"paths": {"runs": ""}}, "/paths/runs"), ({"labels": []}, "/labels"),
                ({"labels": {"baseline": 1}}, "/labels/baseline"), ({"gate": {"min_pass_rate": 2}}, "/gate/min_pass_rate"),
                ({"gate": {"min_pass_rate": None}}, "/gate/min_pass_rate"), ({"gate": {"min_score": -1}}, "/gate/min_score"),
                ({"gate": {"min_dimension": {"trace": 3}}}, "/gate/min_dimension/trace"),
                ({"gate": {"max_regressions": -1}}, "/gate/max_regressions"),
                ({"gate": {"max_regressions": 0.5}}, "/gate/max_regressions"),
                ({"gate": {"max_regressions": True}}, "/gate/max_regressions"),
                ({"gate": {"max_score_drop": "0.1"}}, "/gate/max_score_drop"),
                ({"gate": {"max_score_drop": -0.1}}, "/gate/max_score_drop"),
                ({"gate": {"allow_removed": "yes"}}, "/gate/allow_removed"),
                ({"gate": {"allow_removed": 1}}, "/gate/allow_removed"),
                ({"gate": {"max_error_share": 1.5}}, "/gate/max_error_share"), ({"every_case": {}}, "/every_case"),
                ({"every_case": ["contains"]}, "/every_case/0"), ({"tools": ["pay"]}, "/tools"),
                ({"tools": {"pay": "write"}}, "/tools/pay"), ({"prices": {"m": 3}}, "/prices/m"),
                ({"prices": {"m": {"input": -1, "output": 1}}}, "/prices/m/input"), ({"prices": {"m": {"input": 1}}}, "/prices/m"),
                ({"redact": {"patterns": ["("]}}, "/redact/patterns/0"), ({"redact": {"keys": [3]}}, "/redact/keys/0"),
                ({"limits": {"depth": 0}}, "/limits/depth"), ({"limits": {"file_bytes": -1}}, "/limits/file_bytes"),
                ({"limits": {"regex_ms": "1"}}, "/limits/regex_ms")):
            with self.subTest(json.dumps(config)):
                self.refused(config, pointer)

    def test_not_a_config(self):
        for text in ("", "[]", "3", "{", '{"threshold": NaN}', '{"threshold": 0.5, "threshold": 0.6}', '{"seed": 1e999}'):
            with self.subTest(text):
                self.refused(text, "")

    def test_a_config_that_is_not_there(self):
        self.case("a")
        self.run_of("a")
        done = self.main("run", "--config", "confg.json")
        self.assertEqual(done.code, 2)
        self.assertIn("confg.json", done.err)
        self.assertEqual(self.main("run", "--config", "fixtures").code, 2)


class EveryProblem(Workspace):
    """Every problem of the files is found in one go, by `validate` and by `run`; a hundred are listed."""

    def problems(self, *wanted):
        for verb in ("validate", "run"):
            done = self.main(verb)
            self.assertEqual(done.code, 2, done.out)
            missing = [each for each in wanted if each not in done.err]
            self.assertEqual(missing, [], "%s\n%s" % (verb, done.err))

    def setUp(self):
        super().setUp()
        self.case("good")
        self.run_of("good")

    def test_over_many_files_and_kinds(self):
        self.write("fixtures/a.json", '{"id": "a", "output": [}')
        self.write("fixtures/b.json", {"id": "b", "output": [{"check": "contians", "value": "x"}]})
        self.write("fixtures/c.json", {"id": "c", "output": []})
        self.write("fixtures/d.json", {"id": "good", "output": [says("x")]})
        self.lines("fixtures/e.jsonl", [{"id": "e", "output": [says("x")]}, {"id": "f", "ouput": []},
                                        {"id": "g", "output": [{"check": "equals"}]}])
        self.write("fixtures/f.json", '{"id": "h", "id": "i"}')
        self.problems("fixtures/a.json", "fixtures/b.json", "fixtures/c.json", "fixtures/d.json", "fixtures/e.jsonl:2",
                      "fixtures/e.jsonl:3", "fixtures/f.json")

    def test_inside_one_case_and_one_check(self):
        self.write("fixtures/a.json", {"id": 7, "weight": 0, "tresh": 1, "output": [
            {"check": "contains", "valeu": "x", "weight": -1}, {"check": "nope"}],
            "trace": [{"check": "calls", "expected": [{"nmae": "a"}, {"name": "b", "arguments": {"c": {"$regx": "d"}}}]}]})
        self.problems("/id", "/weight", "/tresh", "/output/0/valeu", "/output/0/weight", "/output/1/check",
                      "/trace/0/expected/0/nmae", "/trace/0/expected/1/arguments/c/$regx")

    def test_in_the_defaults_and_in_the_cases(self):
        self.write("fixtures/a.json", {"defaults": {"treshold": 1}, "cases": [{"id": "a", "ouput": []}]})
        self.problems("/defaults/treshold", "/cases/0/ouput")

    def test_in_several_places_of_the_config(self):
        self.write("config.json", {"treshold": 1, "gate": {"min_scor": 1}, "weights": {"output": 0}})
        self.problems("/treshold", "/gate/min_scor", "/weights/output")

    def test_in_the_keys_of_the_config_and_its_suite_wide_checks(self):
        self.write("config.json", {"treshold": 1, "every_case": [{"check": "contians"}, says("x", valeu=1)]})
        self.problems("/treshold", "/every_case/0/check", "/every_case/1/valeu")

    def test_in_config_and_fixtures(self):
        self.write("config.json", {"treshold": 1})
        self.write("fixtures/a.json", {"id": "a", "ouput": []})
        done = self.main("validate")
        self.assertEqual(done.code, 2)
        self.assertIn("/treshold", done.err)
        self.assertIn("/ouput", done.err)

    def test_in_fixtures_and_recordings(self):
        self.write("fixtures/a.json", {"id": "a", "ouput": []})
        self.write("runs/candidate/b.json", "{")
        self.write("runs/baseline/c.json", {"case": "c", "status": "nope", "output": ""})
        done = self.main("validate")
        self.assertEqual(done.code, 2)
        for wanted in ("fixtures/a.json", "runs/candidate/b.json", "runs/baseline/c.json"):
            self.assertIn(wanted, done.err)

    def test_a_link_that_leads_nowhere_hides_no_other_problem(self):
        self.write("fixtures/a.json", {"id": "a", "ouput": []})
        (self.folder / "fixtures" / "z.json").symlink_to("nowhere")
        self.problems("fixtures/a.json", "fixtures/z.json")

    def test_a_doubled_id_is_found_though_one_of_the_two_has_another_problem(self):
        self.write("fixtures/a.json", {"id": "good", "ouput": []})
        self.problems("/ouput", '"good"')

    def test_a_hundred_are_listed_and_the_others_counted(self):
        self.lines("fixtures/many.jsonl", [{"id": "c%d" % number, "output": []} for number in range(137)])
        for verb in ("validate", "run"):
            done = self.main(verb)
            self.assertEqual(done.code, 2)
            lines = done.err.splitlines()
            self.assertEqual(sum("fixtures/many.jsonl:" in line for line in lines), 100)
            self.assertEqual(len(lines), 101)
            self.assertRegex(lines[-1], r"\b37\b")

    def test_exactly_a_hundred_are_all_listed(self):
        self.lines("fixtures/many.jsonl", [{"id": "c%d" % number, "output": []} for number in range(100)])
        lines = self.main("validate").err.splitlines()
        self.assertEqual((len(lines), sum("fixtures/many.jsonl:" in line for line in lines)), (100, 100))

    def test_no_report_is_written_and_none_touched(self):
        self.assertEqual(self.main("run").code, 0)
        before = {name: self.read(name) for name in self.files() if name.startswith("reports/")}
        self.assertEqual(sorted(before), ["reports/candidate.json", "reports/candidate.md", "reports/candidate.svg"])
        self.write("fixtures/z.json", {"id": "z", "ouput": []})
        self.assertEqual(self.main("run").code, 2)
        self.assertEqual({name: self.read(name) for name in self.files() if name.startswith("reports/")}, before)

    def test_an_unselected_case_with_a_problem_is_a_problem(self):
        self.write("fixtures/z.json", {"id": "z", "ouput": []})
        self.assertEqual(self.main("run", "--case", "good").code, 2)


class Ids(Workspace):
    """Ids are unique over all files; an error names both places."""

    def refused(self, *places):
        self.run_of("a")
        for verb in ("validate", "run"):
            done = self.main(verb)
            self.assertEqual(done.code, 2)
            line, = [line for line in done.err.splitlines() if '"a"' in line]
            for place in places:
                self.assertIn(place, line)

    def test_in_two_files(self):
        self.write("fixtures/one.json", {"id": "a", "output": [says("x")]})
        self.write("fixtures/two.json", {"id": "a", "output": [says("y")]})
        self.refused("fixtures/one.json", "fixtures/two.json")

    def test_in_one_list(self):
        self.write("fixtures/one.json", [{"id": name, "output": [says("x")]} for name in "aba"])
        self.refused("fixtures/one.json#/0", "fixtures/one.json#/2")

    def test_in_defaults_and_cases(self):
        self.write("fixtures/one.json", {"cases": [{"id": name, "output": [says("x")]} for name in "aa"]})
        self.refused("fixtures/one.json#/cases/0", "fixtures/one.json#/cases/1")

    def test_in_json_lines(self):
        self.lines("fixtures/one.jsonl", [{"id": name, "output": [says("x")]} for name in "baca"])
        self.refused("fixtures/one.jsonl:2", "fixtures/one.jsonl:4")

    def test_ids_that_differ_in_case_or_form_are_different(self):
        self.write("fixtures/one.json", [{"id": name, "output": [says("good")]} for name in ("a", "A", "\u00e9", "e\u0301")])
        self.lines("runs/candidate/all.jsonl", [{"case": name, "output": "good"} for name in ("a", "A", "\u00e9", "e\u0301")])
        self.assertEqual(self.main("run").code, 0)
        self.assertEqual(self.report()["summary"]["passed"], 4)


class EffectiveChecks(Workspace):
    """A case without an effective check is an error at load."""

    def code(self, config=None, **keys):
        self.write("config.json", config or {})
        self.write("fixtures/a.json", {"id": "a", **keys})
        done = self.main("validate")
        self.assertIn("fixtures/a.json" if done.code else "", done.err)
        return done.code

    def test_none_at_all(self):
        for keys in ({}, {"output": []}, {"output": [], "trace": [], "contract": []}, {"input": "x", "tags": ["t"]}):
            self.assertEqual(self.code(**keys), 2, keys)

    def test_only_advisory_ones(self):
        self.assertEqual(self.code(output=[says("x", advisory=True)]), 2)
        self.assertEqual(self.code(output=[says("x", advisory=True), says("y")]), 0)
        self.assertEqual(self.code(output=[says("x", advisory=False)]), 0)

    def test_suite_wide_checks_count_where_they_apply(self):
        everywhere, tagged = {"every_case": [says("x")]}, {"every_case": [says("x", tags=["t"])]}
        self.assertEqual(self.code(everywhere), 0)
        self.assertEqual(self.code(tagged, tags=["t", "u"]), 0)
        self.assertEqual(self.code(tagged, tags=["u"]), 2)
        self.assertEqual(self.code(tagged), 2)
        self.assertEqual(self.code({"every_case": [says("x", advisory=True)]}), 2)

    def test_a_dimension_is_a_list_of_checks(self):
        for wrong in (says("x"), "contains", None, 3, [None], ["contains"], [[]]):
            self.assertEqual(self.code(output=wrong), 2, wrong)


class NeverFailing(unittest.TestCase):
    """A check that could never fail is refused at load."""

    def refused(self, check, **keys):
        with self.assertRaises(eh.HarnessError, msg=json.dumps(check)):
            eh.compile_case({"id": "a", "output": [check], **keys}, eh.make_config())

    def taken(self, check):
        eh.compile_case({"id": "a", "output": [check]}, eh.make_config())

    def test_texts_that_every_text_contains(self):
        for check in (says(""), says([]), says(["x", ""]), {"check": "excludes", "value": []},
                      {"check": "excludes", "value": ""}):
            self.refused(check)

    def test_patterns_that_occur_in_every_text(self):
        for pattern in ("", ".*", "x*", "(a|b)?", "^", "$", "(?:)", "[a-z]*$", "x{0,3}", "^.*$|x"):
            self.refused({"check": "matches", "pattern": pattern, "flags": "s"})
        for pattern in ("x", "x+", ".", "^$", "\\d*x"):
            self.taken({"check": "matches", "pattern": pattern})

    def test_a_similarity_without_a_threshold_or_with_none_to_reach(self):
        similarity = {"check": "similarity", "reference": "Paris"}
        self.refused(similarity)
        for threshold in (0, 0.0, -1, None, 1.5, 3, "0.5", True):
            self.refused({**similarity, "threshold": threshold})
        self.taken({**similarity, "threshold": 0.01})
        self.taken({**similarity, "threshold": 1})

    def test_calls_with_everything_allowed(self):
        self.refused({"check": "calls", "expected": ["a"], "extra": "allow", "missing": "allow"})
        self.taken({"check": "calls", "expected": ["a"], "extra": "allow", "missing": "allow", "score": "recall"})

    def test_calls_that_expect_nothing_and_allow_all(self):
        self.refused({"check": "calls", "expected": [], "extra": "allow"})
        for score in ("recall", "precision", "f1"):
            self.refused({"check": "calls", "expected": [], "score": score})
        self.taken({"check": "calls", "expected": []})
        self.refused({"check": "calls", "one_of": [["a"], []], "extra": "allow"})

    def test_calls_that_are_all_optional(self):
        optional = {"name": "a", "optional": True}
        self.refused({"check": "calls", "expected": [optional], "extra": "allow"})
        self.refused({"check": "calls", "expected": [optional], "critical": True})
        self.refused({"check": "calls", "one_of": [["a"], [optional]], "critical": True})
        self.taken({"check": "calls", "expected": [optional]})

    def test_graded_calls_without_a_threshold_to_reach(self):
        for threshold in (0, -0.5, 2, True, "1"):
            self.refused({"check": "calls", "expected": ["a"], "score": "recall", "threshold": threshold})

    def test_calls_need_exactly_one_of_expected_and_one_of(self):
        self.refused({"check": "calls"})
        self.refused({"check": "calls", "expected": ["a"], "one_of": [["a"], ["b"]]})

    def test_counts_without_a_bound(self):
        self.refused({"check": "count", "call": "a"})
        self.refused({"check": "count", "call": "a", "min": 0})
        self.refused({"check": "count", "call": "a", "min": 3, "max": 2})
        self.taken({"check": "count", "call": "a", "max": 0})
        self.taken({"check": "count", "call": "a", "min": 1})

    def test_budgets_without_a_limit(self):
        self.refused({"check": "budget"})
        self.refused({"check": "budget", "max_calls": None})
        self.taken({"check": "budget", "max_calls": 0})

    def test_every_status_accepted(self):
        self.refused({"check": "completed", "status": list(eh.RUN_STATUSES)})
        self.refused({"check": "completed", "status": []})

    def test_an_empty_selector(self):
        for check in ({"check": "never", "call": {}}, {"check": "never", "call": ""}, {"check": "never"},
                      {"check": "count", "call": "", "max": 1}):
            self.refused(check)

    def test_an_empty_text_to_contain(self):
        self.refused({"check": "value", "is": {"$contains": ""}})

    def test_matchers_that_match_everything_and_nothing(self):
        for matcher in ({"$optional": {"$any": True}}, {"$one_of": [{"$any": True}, {"$absent": True}]}):
            self.refused({"check": "value", "at": "/output/total", "is": matcher})

    def test_an_unneeded_expect_status(self):
        self.refused(says("x"), expect_status=[])


class Types(unittest.TestCase):
    """The types of every key that all checks and all cases take."""

    wrong = {"name": (None, 3, "", "  ", [], {}), "weight": (None, 0, -1, 0.0, "1", True, [], {}, 10 ** 400, 1e308, 10 ** 9 + 1),
             "critical": (None, 0, 1, "true", []), "not": (None, 0, 1, "yes", {}), "advisory": (None, 0, 1, "no"),
             "why": (None, 3, ["x"], {})}
    wrong_of_case = {"id": (None, 3, "", " ", [], True), "tags": (None, "x", {}, [3], [""], [None]),
                     "weight": (None, 0, -1, "1", True, 10 ** 400, 1e308), "threshold": (-0.1, 1.1, 80, "0.5", True, []),
                     "expect_status": (None, "refused", [], ["done"], [3], {})}

    def problems(self, **keys):
        try:
            eh.compile_case({"id": "a", "output": [says("x")], **keys}, eh.make_config())
        except eh.HarnessError as error:
            return [each.pointer for each in error.everything()]
        return []

    def test_of_a_check(self):
        for key, values in self.wrong.items():
            for value in values:
                self.assertEqual(self.problems(output=[says("x", **{key: value})]), ["/output/0/" + key], (key, value))

    def test_of_a_case(self):
        for key, values in self.wrong_of_case.items():
            for value in values:
                found = self.problems(**{key: value})
                self.assertTrue(found and all(each.startswith("/" + key) for each in found), (key, value, found))

    def test_right_ones_are_taken(self):
        for key, values in {"name": ("x",), "weight": (1, 0.001, 10 ** 9), "critical": (True, False), "not": (True, False),
                            "advisory": (False,), "why": ("", "Because.")}.items():
            for value in values:
                self.assertEqual(self.problems(output=[says("x", **{key: value})]), [], (key, value))
        for key, values in {"tags": ([], ["a", "b"]), "weight": (0.5, 3), "threshold": (0, 0.0, 1, 0.5),
                            "expect_status": (["refused"], ["completed", "error"]), "input": (None, 3, {"a": []})}.items():
            for value in values:
                self.assertEqual(self.problems(**{key: value}), [], (key, value))

    def test_defaults_of_the_common_keys(self):
        spec, = eh.compile_case({"id": "a", "output": [says("x")]}, eh.make_config()).checks
        self.assertEqual((spec.name, spec.weight, spec.critical, spec.negate, spec.advisory, spec.why),
                         ("contains", 1, False, False, False, ""))

    def test_a_check_cannot_be_critical_and_advisory(self):
        found = self.problems(output=[says("x"), says("y", critical=True, advisory=True)])
        self.assertEqual(found, ["/output/1/advisory"])

    def test_a_threshold_of_null_is_never_zero(self):
        try:
            case = eh.compile_case({"id": "a", "output": [says("x")], "threshold": None}, eh.make_config())
        except eh.HarnessError:
            return
        self.assertEqual(case.threshold, 0.8)

    def test_a_threshold_of_zero_is_given(self):
        self.assertEqual(eh.compile_case({"id": "a", "threshold": 0, "output": [says("x")]}, eh.make_config()).threshold, 0)
        self.assertEqual(eh.compile_case({"id": "a", "output": [says("x")]}, eh.make_config({"threshold": 0})).threshold, 0)


# Every key with its default.
DESIGN_DEFAULTS = {
    "weights": {"output": 0.4, "trace": 0.3, "contract": 0.3}, "threshold": 0.8, "seed": 0,
    "paths": {"fixtures": "fixtures", "runs": "runs", "reports": "reports"},
    "labels": {"baseline": "baseline", "candidate": "candidate"},
    "repeats": {"pass": "all"},
    "gate": {"min_pass_rate": 1.0, "min_score": 0.0, "min_dimension": {}, "critical": "none", "max_regressions": 0,
             "max_score_drop": None, "max_mean_drop": None, "max_growth": {}, "noise": "report",
             "allow_removed": False, "max_error_share": 0.5},
    "every_case": [], "tools": {}, "prices": {},
    "recordings": {}, "redact": {"keys": [], "patterns": []}, "history": None,
    "limits": {"file_bytes": 67108864, "depth": 200, "regex_ms": 1000},
}


class EffectiveConfig(Workspace):
    """`validate` prints the effective config; every key is optional."""

    def printed(self, *argv):
        self.case("a")
        done = self.main("validate", *argv)
        self.assertEqual(done.code, 0, done.err)
        return json.JSONDecoder().raw_decode(done.out, done.out.index("{"))[0]

    def test_the_defaults_are_those_of_the_design(self):
        self.assertEqual(eh.DEFAULT_CONFIG, DESIGN_DEFAULTS)
        self.assertEqual(self.printed(), DESIGN_DEFAULTS)

    def test_an_empty_config_is_the_default(self):
        self.write("config.json", "\ufeff{}\n")
        self.assertEqual(self.printed(), DESIGN_DEFAULTS)

    def test_what_is_given_is_laid_over_the_defaults(self):
        self.write("config.json", {"threshold": 0, "gate": {"max_score_drop": 0.1}, "labels": {"nightly": "n"},
                                   "weights": {"output": 2}})
        self.assertEqual(self.printed(), {
            **DESIGN_DEFAULTS, "threshold": 0, "gate": {**DESIGN_DEFAULTS["gate"], "max_score_drop": 0.1},
            "labels": {"baseline": "baseline", "candidate": "candidate", "nightly": "n"},
            "weights": {"output": 2, "trace": 0.3, "contract": 0.3}})

    def test_the_config_that_is_named_is_printed(self):
        self.write("config.json", {"threshold": 0.1})
        self.write("other/config.json", {"threshold": 0.2})
        self.write("other/fixtures/a.json", {"id": "a", "output": [says("x")]})
        self.assertEqual(self.printed("--config", "other/config.json")["threshold"], 0.2)

    def test_a_run_without_any_config_works(self):
        self.case("a")
        self.run_of("a")
        done = self.command("run")
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertEqual(self.report()["gate"], {"passed": True, "exit_code": 0, "reasons": []})

    def test_changing_nothing_is_changing_nothing(self):
        made = eh.make_config({"threshold": 0.5, "gate": {"min_score": 1}})
        eh.make_config()
        self.assertEqual(eh.DEFAULT_CONFIG, DESIGN_DEFAULTS)
        self.assertEqual(made.raw["gate"]["min_score"], 1)


class EveryConfigKey(Workspace):
    """Every documented key changes behaviour. A test is called after the key it is about."""

    # The parts of the tool that read these are not built yet.
    PENDING = {"seed", "tools.confirm", "tools.schema"}

    def setUp(self):
        super().setUp()
        self.case("a", says("good"), says("fine"), trace=[{"check": "calls", "expected": ["find"]}])
        self.run_of("a", "good", steps=[call("find")])

    def run_with(self, config, *argv):
        """The exit code and the report of a run (None without one)."""
        self.write("config.json", config)
        done = self.main("run", *argv)
        name = "reports/candidate.json"
        found = self.report() if name in self.files() else None
        self.done = done
        return done.code, found

    def compared_with(self, config):
        self.write("config.json", config)
        self.done = self.main("compare")
        return self.done.code

    def score(self, config):
        return self.run_with(config)[1]["cases"][0]["score"]

    def test_weights_output(self):
        self.assertAlmostEqual(self.score({}), (0.4 * 0.5 + 0.3) / 0.7)
        self.assertAlmostEqual(self.score({"weights": {"output": 0.9}}), (0.9 * 0.5 + 0.3) / 1.2)

    def test_weights_trace(self):
        self.assertAlmostEqual(self.score({"weights": {"trace": 1.6}}), (0.4 * 0.5 + 1.6) / 2.0)

    def test_weights_contract(self):
        self.case("a", says("good"), says("fine"), contract=[{"check": "completed"}])
        self.assertAlmostEqual(self.score({"weights": {"contract": 0.6}}), (0.4 * 0.5 + 0.6) / 1.0)

    def test_threshold(self):
        self.assertEqual(self.run_with({"threshold": 0.5})[0], 0)
        self.assertEqual(self.run_with({"threshold": 0.9})[0], 1)

    def test_paths_fixtures(self):
        self.write("golden/b.json", {"id": "b", "output": [says("x")]})
        self.run_of("b", "x")
        code, report = self.run_with({"paths": {"fixtures": "golden"}})
        self.assertEqual((code, [row["case"] for row in report["cases"]]), (0, ["b"]))

    def test_paths_runs(self):
        self.write("recorded/candidate/a.json", {"output": "good and fine", "steps": [call("find")]})
        self.assertEqual(self.run_with({})[0], 1)
        self.assertEqual(self.run_with({"paths": {"runs": "recorded"}})[0], 0)

    def test_paths_reports(self):
        self.run_with({"paths": {"reports": "out/put"}})
        self.assertEqual(self.files("out/put"), ["candidate.json", "candidate.md", "candidate.svg"])
        self.assertNotIn("reports", self.files())

    def test_paths_are_relative_to_the_config(self):
        self.write("deep/config.json", {})
        self.write("deep/fixtures/b.json", {"id": "b", "output": [says("x")]})
        self.write("deep/runs/candidate/b.json", {"output": "x"})
        self.assertEqual(self.main("run", "--config", "deep/config.json").code, 0)
        self.assertEqual(self.files("deep/reports"), ["candidate.json", "candidate.md", "candidate.svg"])

    def test_labels(self):
        self.write("runs/nightly/a.json", {"output": "good and fine", "steps": [call("find")]})
        self.assertEqual(self.run_with({"labels": {"candidate": "nightly"}})[0], 0)
        self.write("runs/old/a.json", {"output": "good and fine", "steps": [call("find")]})
        self.assertEqual(self.compared_with({"labels": {"candidate": "nightly", "baseline": "old"}}), 0)

    def test_repeats_pass(self):
        self.case("a")
        self.run_of("a", "good", repeat=1)
        self.run_of("a", "bad", repeat=2)
        (self.folder / "runs/candidate/a.json").unlink()
        for word, code in (("all", 1), ("majority", 1), ("any", 0)):
            self.assertEqual(self.run_with({"repeats": {"pass": word}})[0], code, word)

    def test_gate_min_pass_rate(self):
        self.case("b")
        self.run_of("b")
        self.assertEqual(self.run_with({"gate": {"min_pass_rate": 0.5}})[0], 0)
        self.assertEqual(self.run_with({"gate": {"min_pass_rate": 0.51}})[0], 1)

    def test_gate_min_score(self):
        config = {"threshold": 0.5, "gate": {"min_score": 0.8}}
        self.assertEqual(self.run_with({"threshold": 0.5})[0], 0)
        self.assertEqual(self.run_with(config)[0], 1)

    def test_gate_min_dimension(self):
        for dimension, least, code in (("output", 0.5, 0), ("output", 0.6, 1), ("trace", 1, 0), ("contract", 0.1, 1)):
            config = {"threshold": 0.5, "gate": {"min_dimension": {dimension: least}}}
            self.assertEqual(self.run_with(config)[0], code, (dimension, least))

    def test_gate_critical(self):
        self.case("a", says("good"), says("fine", critical=True))
        self.run_of("a")
        self.run_of("a", label="baseline")
        self.assertEqual(self.compared_with({}), 1)
        self.assertEqual(self.compared_with({"gate": {"critical": "no_new"}}), 0)

    def test_gate_max_regressions(self):
        self.case("b")
        self.run_of("b")
        self.run_of("a", "good, fine", label="baseline", steps=[call("find")])
        self.run_of("b", label="baseline")
        self.assertEqual(self.compared_with({}), 1)
        self.assertEqual(self.compared_with({"gate": {"max_regressions": 1}}), 0)

    def test_gate_max_score_drop(self):
        self.run_of("a", "good, fine", label="baseline", steps=[call("find")])
        config = {"threshold": 0.5}
        self.assertEqual(self.compared_with(config), 0)
        self.assertEqual(self.compared_with({**config, "gate": {"max_score_drop": 0.2}}), 1)
        self.assertEqual(self.compared_with({**config, "gate": {"max_score_drop": 0.3}}), 0)

    def falls(self, before, after, cases=12):
        """A comparison in which each case's score goes from `before` to `after` of two equal checks, or stays."""
        for number in range(cases):
            name = "c%02d" % number
            self.case(name, says("good"), says("fine"))
            self.run_of(name, "good, fine" if number < before else "good", label="baseline")
            self.run_of(name, "good, fine" if number < after else "good")
        self.run_of("a", "good, fine", label="baseline", steps=[call("find")])
        self.run_of("a", "good, fine", steps=[call("find")])

    def test_gate_max_mean_drop(self):
        self.falls(12, 6)
        rule = {"threshold": 0.5, "gate": {"max_mean_drop": 3 / 13}}
        self.assertEqual(self.compared_with(rule), 0)
        rule["gate"]["max_mean_drop"] = 0.23
        self.assertEqual(self.compared_with(rule), 1)
        self.assertIn("the mean score fell by", self.done.out)

    def test_gate_noise(self):
        self.falls(12, 11)
        rule = {"threshold": 0.5, "gate": {"max_mean_drop": 0.01}}
        self.assertEqual(self.compared_with(rule), 1)
        rule["gate"]["noise"] = "require_significant"
        self.assertEqual(self.compared_with(rule), 0)
        self.assertEqual(self.compared_with({**rule, "threshold": 1}), 1, "a flip is never excused")
        self.falls(12, 4)
        self.assertEqual(self.compared_with(rule), 1)

    def test_gate_max_growth(self):
        self.run_of("a", label="baseline", steps=[call("find")], usage={"input_tokens": 1000, "output_tokens": 0})
        self.run_of("a", steps=[call("find")], usage={"input_tokens": 1200, "output_tokens": 0})
        for rule, code in (({"ratio": 1.2}, 0), ({"ratio": 1.19}, 1), ({"ratio": 1.1, "floor": 200}, 0),
                           ({"ratio": 1.1, "floor": 199}, 1)):
            with self.subTest(rule):
                config = {"threshold": 0.5, "gate": {"max_growth": {"tokens": rule}}}
                self.assertEqual(self.compared_with(config), code)
        self.assertEqual(self.compared_with({"threshold": 0.5, "gate": {"max_growth": {"cost_usd": {"ratio": 9}}}}), 1)
        self.assertIn("not known", self.done.out)

    def test_history(self):
        code, _ = self.run_with({"threshold": 0.5, "history": "reports/history.db"})
        self.assertEqual((code, "history.db" in self.files("reports")), (0, True))
        self.assertIn("candidate", self.main("history").out)

    def test_gate_allow_removed(self):
        self.case("b")
        self.run_of("b", label="baseline")
        self.run_of("a", label="baseline", steps=[call("find")])
        self.assertEqual(self.compared_with({}), 1)
        self.assertEqual(self.compared_with({"gate": {"allow_removed": True}}), 0)

    def test_gate_max_error_share(self):
        for name in "abcd":
            self.case(name)
            self.run_of(name, **({"status": "timeout"} if name == "b" else {}))
        self.assertEqual(self.run_with({"gate": {"min_pass_rate": 0.5}})[0], 0)
        self.assertEqual(self.run_with({"gate": {"min_pass_rate": 0.5, "max_error_share": 0.2}})[0], 2)

    def test_every_case(self):
        code, report = self.run_with({"threshold": 0.5, "every_case": [says("never said", weight=9)]})
        self.assertEqual(code, 1)
        self.assertEqual(len(report["cases"][0]["runs"][0]["checks"]), 4)

    def test_every_case_by_tag(self):
        self.case("b", tags=["polite"])
        self.run_of("b")
        _, report = self.run_with({"every_case": [says("please", tags=["polite", "other"])]})
        self.assertEqual([len(row["runs"][0]["checks"]) for row in report["cases"]], [3, 2])

    def test_every_case_by_a_tag_that_no_case_has(self):
        self.case("b", tags=["polite"])
        self.run_of("b")
        config = {"every_case": [says("never said", tags=["plite"], critical=True)]}
        self.write("config.json", config)
        done = self.main("run")
        self.assertEqual(done.code, 2)
        self.assertIn('config.json: /every_case/0/tags: no case has the tag "plite" (known tags: polite', done.err)
        self.assertIn('no case has the tag "plite"', self.main("validate").out)
        # Fixtures that an option names may be a part of the suite, and one tag of several is enough for the check to run.
        self.assertEqual(self.main("run", "--fixtures", "fixtures/b.json").code, 0)
        self.assertIn('no case has the tag "plite"', " ".join(self.report()["warnings"]))
        config["every_case"][0]["tags"].append("polite")
        code, report = self.run_with(config)
        self.assertEqual(code, 1)
        self.assertIn('no case has the tag "plite"', " ".join(report["warnings"]))
        config["every_case"][0]["tags"] = []
        self.write("config.json", config)
        self.assertEqual(self.main("run").code, 2)

    def test_a_misspelt_tool_that_must_not_be_called_is_told(self):
        self.case("a", trace=[{"check": "never", "call": "refnd"}, {"check": "never", "call": "drop_table"},
                              {"check": "never", "call": "refund_order"}, {"check": "never", "call": "refnd*"}])
        self.run_of("a", steps=[])
        code, report = self.run_with({"tools": {"refund": {}, "refund_*": {}}})
        self.assertEqual(code, 0)
        self.assertEqual(report["warnings"], [
            "the check never of the case a names the tool refnd, which `tools` does not know (did you mean refund?)"])
        self.assertIn("refnd", self.main("validate", "--quiet").out)

    def test_a_config_of_null_is_no_config(self):
        self.write("config.json", "null")
        done = self.main("run")
        self.assertEqual(done.code, 2)
        self.assertIn("expected an object, found null", done.err)

    def test_every_case_stands_in_its_natural_dimension(self):
        _, report = self.run_with({"every_case": [{"check": "completed"}]})
        self.assertEqual(report["cases"][0]["dimensions"]["contract"], 1.0)

    def test_tools_effect(self):
        self.run_of("a", label="baseline", steps=[call("find", arguments={"x": 1})])
        self.compared_with({})
        self.assertEqual(self.report("baseline-vs-candidate")["cases"][0]["behaviour"], "action_changing")
        self.compared_with({"tools": {"pay": {"effect": "write"}}})
        self.assertEqual(self.report("baseline-vs-candidate")["cases"][0]["behaviour"], "action_equivalent")

    def test_tools(self):
        self.case("a", contract=[{"check": "tools"}])
        self.assertEqual(self.run_with({"tools": {"find": {}}})[0], 0)
        self.assertEqual(self.run_with({"tools": {"fetch": {}}})[0], 1)

    def cost(self, prices):
        self.case("a", trace=[{"check": "budget", "max_cost_usd": 3.0}])
        self.run_of("a", model="some-model-7", usage={"input_tokens": 1000000, "output_tokens": 100000,
                                                      "cached_input_tokens": 400000})
        return self.run_with({"prices": prices})[1]["cases"][0]["status"]

    def test_prices_input(self):
        self.assertEqual(self.cost({}), "unscored")
        self.assertEqual(self.cost({"some-model-*": {"input": 2.0, "output": 10.0}}), "passed")
        self.assertEqual(self.cost({"some-model-*": {"input": 2.1, "output": 10.0}}), "failed")
        self.assertEqual(self.cost({"other-*": {"input": 2.0, "output": 10.0}}), "unscored")

    def test_prices_output(self):
        self.assertEqual(self.cost({"some-model-*": {"input": 2.0, "output": 11.0}}), "failed")

    def test_prices_cached_input(self):
        self.assertEqual(self.cost({"some-model-*": {"input": 2.5, "output": 10.0}}), "failed")
        self.assertEqual(self.cost({"some-model-*": {"input": 2.5, "output": 10.0, "cached_input": 1.25}}), "passed")

    def test_recordings(self):
        self.write("runs/candidate/a.json", {"said": "good, fine", "log": [{"tool": "find", "got": 1}]})
        self.assertEqual(self.run_with({})[0], 2)
        mapping = {"output": "/said", "steps": "/log", "step": {"name": "/tool", "result": "/got", "arguments": "/none"}}
        self.assertEqual(self.run_with({"recordings": mapping})[0], 0)

    def test_redact_keys(self):
        self.case("a", {"check": "equals", "value": {"pet": "dog"}})
        self.run_of("a", {"pet": "Rex-the-secret"})
        self.run_with({})
        self.assertIn("Rex-the-secret", self.read("reports/candidate.json"))
        self.case("a", {"check": "equals", "value": "x"})
        self.run_with({"redact": {"keys": ["pet"]}})
        for name in ("reports/candidate.json", "reports/candidate.md"):
            self.assertNotIn("Rex-the-secret", self.read(name))
        self.assertNotIn("Rex-the-secret", self.done.out)

    def test_redact_patterns(self):
        self.case("a", {"check": "equals", "value": "x"})
        self.run_of("a", "customer KD-4711 called")
        self.run_with({})
        self.assertIn("KD-4711", self.read("reports/candidate.md"))
        self.run_with({"redact": {"patterns": ["KD-[0-9]+"]}})
        for name in ("reports/candidate.json", "reports/candidate.md"):
            self.assertNotIn("KD-4711", self.read(name))
        self.assertNotIn("KD-4711", self.done.out)

    def test_limits_file_bytes(self):
        self.case("b")
        self.run_of("b", "good" + "x" * 5000)
        code, report = self.run_with({"limits": {"file_bytes": 4000}})
        self.assertEqual((code, [row["status"] for row in report["cases"]]), (1, ["failed", "invalid"]))
        self.write("fixtures/b.json", {"id": "b", "description": "x" * 5000, "output": [says("good")]})
        self.assertEqual(self.run_with({"limits": {"file_bytes": 4000}})[0], 2)
        self.assertEqual(self.run_with({})[0], 1)

    def test_json_lines_are_bounded_per_line(self):
        self.lines("fixtures/many.jsonl", [{"id": "m%d" % number, "output": [says("good")]} for number in range(50)])
        self.lines("runs/candidate/many.jsonl", [{"case": "m%d" % number, "output": "good"} for number in range(50)])
        self.write("runs/candidate/a.json", {"output": "good, fine", "steps": [call("find")]})
        self.write("config.json", {"limits": {"file_bytes": 600}})
        self.assertEqual(self.main("run").code, 0)
        self.lines("fixtures/long.jsonl", [{"id": "n"}, {"id": "o", "description": "x" * 600, "output": [says("good")]}])
        done = self.main("run")
        self.assertEqual(done.code, 2)
        self.assertIn("fixtures/long.jsonl:2", done.err)

    def test_limits_depth(self):
        deep = json.loads("[" * 30 + "]" * 30)
        self.case("b")
        self.run_of("b", deep)
        _, report = self.run_with({"limits": {"depth": 20}})
        self.assertEqual(report["cases"][1]["status"], "invalid")
        _, report = self.run_with({})
        self.assertEqual(report["cases"][1]["status"], "failed")
        self.case("b", {"check": "equals", "value": deep})
        self.assertEqual(self.run_with({"limits": {"depth": 20}})[0], 2)

    def test_limits_regex_ms(self):
        self.case("a", {"check": "matches", "pattern": "(a|aa)+$"})
        self.run_of("a", "a" * 60 + "!")
        _, report = self.run_with({"limits": {"regex_ms": 50}})
        self.assertEqual(report["cases"][0]["status"], "unscored")
        self.assertIn("50 ms", report["cases"][0]["reason"])

    def test_every_key_has_a_test(self):
        keys = {key for key, value in eh.DEFAULT_CONFIG.items() if not isinstance(value, dict) or not value or key == "labels"}
        keys |= {"%s.%s" % (key, inner) for key, value in eh.DEFAULT_CONFIG.items() if isinstance(value, dict) and
                 key != "labels" for inner in value}
        keys |= {"tools.effect", "tools.confirm", "tools.schema", "prices.input", "prices.output", "prices.cached_input"}
        keys -= {"prices"} | self.PENDING
        untested = [key for key in sorted(keys) if not hasattr(self, "test_" + key.replace(".", "_"))]
        self.assertEqual(untested, [])


class Validate(Workspace):
    """`validate` checks config, fixtures and recordings without grading."""

    def test_nothing_wrong(self):
        self.case("a")
        self.run_of("a", "bad")
        done = self.main("validate")
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertEqual([name for name in self.files() if name.startswith("reports")], [])

    def test_an_unreadable_recording(self):
        self.case("a")
        for content in ("{", "[]", "3", '{"foo": 1}', '{"case": "a", "status": "nope"}', ""):
            with self.subTest(content):
                self.write("runs/candidate/a.json", content)
                done = self.main("validate")
                self.assertEqual(done.code, 2)
                self.assertIn("runs/candidate/a.json", done.err)

    def test_one_case_and_repeat_twice(self):
        self.case("a")
        self.write("runs/candidate/one.json", {"case": "a", "repeat": 1, "output": "good"})
        self.write("runs/candidate/two.json", {"case": "a", "repeat": 1, "output": "good"})
        done = self.main("validate")
        self.assertEqual(done.code, 2)
        self.assertIn("one.json", done.err)
        self.assertIn("two.json", done.err)

    def test_paths(self):
        self.case("a")
        self.write("elsewhere/b.json", {"id": "b", "ouput": []})
        self.assertEqual(self.main("validate").code, 0)
        done = self.main("validate", "elsewhere/b.json")
        self.assertEqual(done.code, 2)
        self.assertIn("b.json", done.err)
        self.assertEqual(self.main("validate", "fixtures").code, 0)

    def test_a_path_that_is_not_there(self):
        self.case("a")
        for path in ("fixtrues", "fixtures/b.json"):
            done = self.main("validate", path)
            self.assertEqual(done.code, 2)
            self.assertIn("fixtures" if path == "fixtrues" else "b.json", done.err)

    def test_no_fixtures(self):
        self.assertEqual(self.main("validate").code, 2)
        (self.folder / "fixtures").mkdir()
        self.assertEqual(self.main("validate").code, 2)

    def test_a_misspelt_check_in_a_file_that_is_named(self):
        self.write("one.json", {"id": "a", "output": [{"check": "contians", "value": "x"}]})
        done = self.main("validate", "one.json")
        self.assertEqual(done.code, 2)
        self.assertIn('did you mean "contains"', done.err)


if __name__ == "__main__":
    unittest.main()
