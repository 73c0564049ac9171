"""JSON Schema: the official test suite (skipped where ../shared/json-schema-suite is absent), and every keyword,
sentence, error and bomb in own words."""

import collections
import json
import sys
import unittest
import warnings
from pathlib import Path

import eval_harness as eh
from eval_harness import HarnessError, Plain, Schema, SchemaError, compile_schema, is_valid, schema_errors

SUITE = Path(__file__).resolve().parent.parent.parent / "shared" / "json-schema-suite"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"

# Groups of the suite whose schema refers to a document that is not in it: each must be refused for exactly this reason.
REMOTE, METASCHEMA, DIALECT = "another document", "the draft's own metaschema", "a metaschema of one's own"
LEFT_OUT = {
    ("draft7", "definitions.json", "validate definition against metaschema"): METASCHEMA,
    ("draft7", "ref.json", "remote ref, containing refs itself"): METASCHEMA,
    ("draft2020-12", "defs.json", "validate definition against metaschema"): METASCHEMA,
    ("draft2020-12", "ref.json", "remote ref, containing refs itself"): METASCHEMA,
    ("draft2020-12", "dynamicRef.json", "strict-tree schema, guards against misspelled properties"): REMOTE,
    ("draft2020-12", "dynamicRef.json", "tests for implementation dynamic anchor and reference link"): REMOTE,
    ("draft2020-12", "dynamicRef.json",
     "$ref and $dynamicAnchor are independent of order - $defs first"): REMOTE,
    ("draft2020-12", "dynamicRef.json", "$ref and $dynamicAnchor are independent of order - $ref first"): REMOTE,
    ("draft2020-12", "dynamicRef.json", "$ref to $dynamicRef finds detached $dynamicAnchor"): REMOTE,
    ("draft2020-12", "vocabulary.json",
     "schema that uses custom metaschema with with no validation vocabulary"): DIALECT,
    ("draft2020-12", "vocabulary.json", "ignore unrecognized optional vocabulary"): DIALECT,
}
REASONS = {REMOTE: "is not in this document, and nothing is fetched", DIALECT: "unknown draft",
           METASCHEMA: "is not in this document, and nothing is fetched"}


def why_left_out(draft, file, group):
    # refRemote.json is about remote documents from the first test to the last.
    return REMOTE if file == "refRemote.json" else LEFT_OUT.get((draft, file, group))


def sentence(error):
    """What the report will show, without its shortening and redaction."""
    shown = [value if type(value) is Plain else json.dumps(value, ensure_ascii=False) for value in error.values]
    return error.template.format(*shown)


def told(schema, value):
    """["pointer: sentence", ...]"""
    return ["%s: %s" % (error.at, sentence(error)) for error in schema_errors(schema, value)]


def nested(depth, wrap, core):
    for _ in range(depth):
        core = wrap(core)
    return core


@unittest.skipUnless(SUITE.is_dir(), "the official suite is not here: ../shared/json-schema-suite")
class OfficialSuite(unittest.TestCase):

    def groups(self, draft):
        for path in sorted((Path(SUITE) / draft).glob("*.json")):
            for group in json.loads(path.read_text("utf-8")):
                schema = group["schema"]
                if draft == "draft7" and type(schema) is dict:
                    schema = {"$schema": DRAFT_7, **schema}
                yield path.name, group["description"], schema, group["tests"]

    def run_draft(self, draft, expected_passes):
        passed, left_out = 0, collections.Counter()
        for file, group, schema, tests in self.groups(draft):
            reason = why_left_out(draft, file, group)
            if reason:
                with self.subTest(file=file, group=group), self.assertRaisesRegex(HarnessError, REASONS[reason]):
                    compile_schema(schema, assert_formats=False)
                left_out[reason] += len(tests)
                continue
            compiled = compile_schema(schema, assert_formats=False)
            for test in tests:
                with self.subTest(file=file, group=group, test=test["description"]):
                    self.assertIs(is_valid(compiled, test["data"]), test["valid"])
                    errors = schema_errors(compiled, test["data"])
                    self.assertEqual(errors == [], test["valid"])
                    for error in errors:
                        sentence(error)
                    passed += 1
        print("\n%s: %d passed, left out: %s" % (draft, passed, ", ".join(
            "%d that need %s" % (count, reason) for reason, count in left_out.items())), file=sys.stderr)
        self.assertEqual(passed, expected_passes)

    def test_draft_7(self):
        self.run_draft("draft7", 900)

    def test_draft_2020_12(self):
        self.run_draft("draft2020-12", 1246)

    def test_formats_assert_where_the_suite_expects_annotations(self):
        # By default the tests called "only an annotation by default" come out the other way, on purpose.
        turned = 0
        for draft in ("draft7", "draft2020-12"):
            for file, group, schema, tests in self.groups(draft):
                if file != "format.json":
                    continue
                if schema["format"] in ("idn-email", "idn-hostname"):
                    self.assertRaises(HarnessError, compile_schema, schema)
                    continue
                for test in tests:
                    annotation = test["description"].endswith("is only an annotation by default")
                    turned += annotation
                    with self.subTest(draft=draft, group=group, test=test["description"]):
                        self.assertIs(is_valid(schema, test["data"]), not annotation)
        self.assertEqual(turned, 17)


class Keywords(unittest.TestCase):
    """Each keyword in own words: what fits, what does not."""

    def judge(self, schema, fits, breaks):
        for value in fits:
            with self.subTest(schema=schema, value=value):
                self.assertEqual(told(schema, value), [])
                self.assertTrue(is_valid(schema, value))
        for value in breaks:
            with self.subTest(schema=schema, value=value):
                self.assertNotEqual(told(schema, value), [])
                self.assertFalse(is_valid(schema, value))

    def test_type(self):
        every = {"null": None, "boolean": True, "string": "", "array": [], "object": {}, "integer": 1, "number": 1.5}
        for word in every:
            others = [value for name, value in every.items() if name != word and (word, name) != ("number", "integer")]
            self.judge({"type": word}, [every[word]], others)
        self.judge({"type": "integer"}, [1, 1.0, -0.0, 10 ** 400, 1e308], [1.5, True, "1", float("inf"), float("nan")])
        self.judge({"type": "number"}, [1, 1.5], [False])
        self.judge({"type": ["integer", "null"]}, [1, None], [1.5, "x"])

    def test_const_and_enum(self):
        self.judge({"const": 1}, [1, 1.0], [True, "1", 2, None])
        self.judge({"const": True}, [True], [1, 1.0, "true"])
        self.judge({"const": {"a": [1, {"b": None}]}}, [{"a": [1.0, {"b": None}]}],
                   [{"a": [1, {}]}, {"a": [{"b": None}, 1]}])
        self.judge({"const": 2 ** 53}, [2 ** 53, float(2 ** 53)], [2 ** 53 + 1])
        self.judge({"enum": ["a", 1, None, [True]]}, ["a", 1.0, None, [True]], ["b", True, [1], False])
        self.judge({"enum": []}, [], [1, None])

    def test_numbers(self):
        self.judge({"minimum": 1}, [1, 1.0, 10 ** 400, "text", None], [0.999, -10 ** 400, float("nan")])
        self.judge({"maximum": 1}, [1, -1], [1.0000001, 10 ** 400, float("nan"), float("inf")])
        self.judge({"exclusiveMinimum": 1}, [1.1], [1, 1.0])
        self.judge({"exclusiveMaximum": 1}, [0.9], [1, 1.0])

    def test_multiple_of_is_exact(self):
        self.judge({"multipleOf": 0.1}, [0.3, 0.7, 1.1, 4.3, 3, 0], [0.35, 1e-9])
        self.judge({"multipleOf": 0.01}, [19.99, 4.35, 1.15, 10 ** 400], [0.001])
        self.judge({"multipleOf": 3}, [9, 9.0, 3 * 10 ** 400], [10, 10 ** 400, 1.5])
        self.judge({"multipleOf": 1e-300}, [1e308, 5], [])
        self.judge({"multipleOf": 1e308}, [1e308, 0], [1, 5e-324])
        self.judge({"multipleOf": 0.5}, ["text"], [float("inf"), float("nan")])

    def test_strings(self):
        self.judge({"minLength": 2}, ["ab", "\U0001f600\U0001f600", 1], ["a", "\U0001f600"])
        self.judge({"maxLength": 2.0}, ["ab", "\U0001f600\U0001f600"], ["abc"])
        self.judge({"pattern": "b+"}, ["abc", 5], ["ac"])

    def test_arrays(self):
        self.judge({"minItems": 1, "maxItems": 2}, [[1], [1, 2], {}], [[], [1, 2, 3]])
        self.judge({"items": {"type": "string"}}, [[], ["a"], "x"], [[1], ["a", 1]])
        self.judge({"prefixItems": [{"type": "string"}], "items": {"type": "number"}}, [[], ["a"], ["a", 1]],
                   [[1], ["a", "b"]])
        self.judge({"prefixItems": [True], "items": False}, [[], [1]], [[1, 2]])
        self.judge({"contains": {"type": "string"}}, [["a", 1]], [[], [1]])
        self.judge({"contains": {"type": "string"}, "minContains": 2, "maxContains": 3}, [["a", 1, "b"]],
                   [["a"], list("abcd")])
        self.judge({"contains": {"type": "string"}, "minContains": 0}, [[], [1]], [])
        self.judge({"minContains": 2}, [[], [1]], [])

    def test_unique_items_uses_json_equality(self):
        fits = [[1, True], [0, False], [{"a": 1}, {"a": True}], ["1", 1], [[], {}], [None, False, 0, ""],
                [["boolean", True], True],
                [float("nan"), float("nan")], [2 ** 53, 2 ** 53 + 1]]
        self.judge({"uniqueItems": True}, fits, [[1, 1.0], [{"a": 1, "b": 2}, {"b": 2.0, "a": 1}], [[1], [1.0]],
                                                 [None, None]])
        self.judge({"uniqueItems": False}, [[1, 1]], [])
        same = float("nan")
        self.judge({"uniqueItems": True}, [[same, same]], [])
        self.judge({"uniqueItems": True}, [list(range(50_000))], [])

    def test_identity_agrees_with_json_equal(self):
        values = [None, True, False, 0, 1, 0.0, 1.0, -0.0, 1.5, "", "1", "a", [], [1], [True], [[1]], ["array", 1], {},
                  {"a": 1},
                  {"a": True}, {"a": 1.0, "b": []}, {"b": [], "a": 1}, ["boolean", True], 2 ** 60, float(2 ** 60),
                  2 ** 60 + 1]
        for one in values:
            for other in values:
                same = eh._identity(one, 0) == eh._identity(other, 0)
                self.assertEqual(same, eh.json_equal(one, other), (one, other))

    def test_objects(self):
        self.judge({"minProperties": 1, "maxProperties": 1}, [{"a": 1}, []], [{}, {"a": 1, "b": 2}])
        self.judge({"required": ["a", "b"]}, [{"a": None, "b": 0}, []], [{}, {"a": 1}])
        self.judge({"properties": {"a": {"type": "string"}, "no": False}}, [{}, {"a": "x"}, {"b": 1}],
                   [{"a": 1}, {"no": 1}])
        self.judge({"patternProperties": {"^n_": {"type": "number"}, "_x$": False}}, [{"n_a": 1, "z": "z"}],
                   [{"n_a": "1"}, {"n_x": 1}])
        self.judge({"properties": {"a": True}, "patternProperties": {"^b": True}, "additionalProperties": False},
                   [{"a": 1, "bb": 2}], [{"c": 1}])
        self.judge({"additionalProperties": {"type": "null"}}, [{"a": None}], [{"a": 1}])
        self.judge({"propertyNames": {"maxLength": 2}}, [{"ab": 1}], [{"abc": 1}])
        self.judge({"propertyNames": False}, [{}], [{"a": 1}])
        self.judge({"dependentRequired": {"a": ["b"]}}, [{}, {"b": 1}, {"a": 1, "b": 1}], [{"a": 1}])
        self.judge({"dependentSchemas": {"a": {"required": ["b"]}}}, [{}, {"a": 1, "b": 1}], [{"a": 1}])
        for draft in (DRAFT_7, DRAFT_2020):
            self.judge({"$schema": draft, "dependencies": {"a": ["b"], "c": {"maxProperties": 1}}},
                       [{}, {"a": 1, "b": 1}, {"c": 1}], [{"a": 1}, {"c": 1, "d": 1}])

    def test_combining(self):
        self.judge({"allOf": [{"minimum": 1}, {"maximum": 3}]}, [2], [0, 4])
        self.judge({"anyOf": [{"type": "string"}, {"minimum": 3}]}, ["x", 3, None], [2])
        self.judge({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}, [2, 3], [1, 6])
        self.judge({"not": {"type": "string"}}, [1], ["x"])
        self.judge({"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"minimum": 1}}, ["x", 1, None],
                   ["", 0])
        self.judge({"then": False, "else": False}, [1], [])
        self.judge(True, [None, 1], [])
        self.judge(False, [], [None, 1, "x", [], {}, True])
        self.judge({}, [None, 1], [])

    def test_unevaluated_properties(self):
        schema = {"properties": {"a": True}, "anyOf": [{"properties": {"b": {"type": "string"}}, "required": ["b"]},
                                                       True],
                  "unevaluatedProperties": False}
        self.judge(schema, [{"a": 1}, {"b": "x"}, []], [{"b": 1}, {"c": 1}])
        self.judge({"allOf": [{"properties": {"a": True}}, {"unevaluatedProperties": False}]}, [{}], [{"a": 1}])
        self.judge({"not": {"properties": {"a": False}}, "unevaluatedProperties": {"type": "number"}}, [{"a": 1}],
                   [{"a": "x"}])
        self.judge({"$ref": "#/$defs/base", "unevaluatedProperties": False,
                    "$defs": {"base": {"patternProperties": {"^x": True}}}},
                   [{"xy": 1}], [{"y": 1}])
        self.judge({"if": {"properties": {"k": {"const": 1}}, "required": ["k"]}, "then": {"properties": {"t": True}},
                    "else": {"properties": {"e": True}}, "unevaluatedProperties": False},
                   [{"k": 1, "t": 1}, {"e": 1}], [{"k": 1, "e": 1}, {"t": 1}])

    def test_unevaluated_items(self):
        self.judge({"prefixItems": [True], "contains": {"const": 7}, "unevaluatedItems": False}, [[1, 7], [7, 7, 7]],
                   [[1, 2], [1, 7, 2]])
        self.judge({"allOf": [{"items": True}], "unevaluatedItems": False}, [[1, 2]], [])
        self.judge({"oneOf": [{"prefixItems": [{"const": 1}]}, {"prefixItems": [{"const": 2}, True]}],
                    "unevaluatedItems": False},
                   [[1], [2, 5]], [[1, 5]])

    def test_draft_7(self):
        self.judge({"$schema": DRAFT_7, "items": [{"type": "string"}], "additionalItems": {"type": "number"}},
                   [["a", 1], []], [[1], ["a", "b"]])
        self.judge({"$schema": DRAFT_7, "additionalItems": False}, [[1]], [])
        self.judge({"$schema": DRAFT_7, "$ref": "#/definitions/a", "maxLength": 1, "bogus": 1,
                    "definitions": {"a": {"minLength": 2}}},
                   ["ab"], ["a"])
        self.judge({"$schema": DRAFT_7, "properties": {"a": {"$ref": "#named"}},
                    "definitions": {"x": {"$id": "#named", "type": "null"}}},
                   [{"a": None}], [{"a": 1}])

    def test_annotations_and_own_keys_say_nothing(self):
        free = {"title": 1, "description": "", "default": {"type": 5}, "examples": [1], "deprecated": True,
                "readOnly": True,
                "writeOnly": False, "$comment": "", "contentEncoding": "base64", "contentMediaType": "text/html",
                "contentSchema": {"type": "string"}, "x-anything": {"unknwon": 1}}
        self.judge({**free, "type": "integer"}, [1], ["x"])


class References(unittest.TestCase):
    judge = Keywords.judge

    def test_pointers(self):
        self.judge({"$ref": "#/$defs/a~1b~0c%25", "$defs": {"a/b~c%": {"type": "null"}}}, [None], [1])
        self.judge({"properties": {"next": {"$ref": "#"}, "v": {"type": "number"}}}, [{"next": {"next": {"v": 1}}}],
                   [{"next": {"v": ""}}])
        self.judge({"allOf": [{"type": "string"}], "properties": {"a": {"$ref": "#/allOf/0"}}}, ["x"], [{"a": 1}])

    def test_a_reference_may_point_under_an_own_key(self):
        self.judge({"$ref": "#/x-shared/one", "x-shared": {"one": {"$ref": "#/x-shared/two"},
                                                           "two": {"type": "null"}}}, [None], [1])

    def test_a_reference_may_point_to_what_is_half_a_schema(self):
        self.judge({"$ref": "#/$defs", "$defs": {"not": {"type": "null"}}}, [1], [None])

    def test_siblings_count_in_2020(self):
        self.judge({"$ref": "#/$defs/a", "maxLength": 3, "$defs": {"a": {"minLength": 2}}}, ["ab"], ["a", "abcd"])

    def test_names_and_addresses(self):
        self.judge({"$id": "https://example.org/root.json", "$ref": "item.json#here",
                    "$defs": {"i": {"$id": "item.json", "$defs": {"h": {"$anchor": "here", "type": "null"}}}}}, [None],
                   [1])
        self.judge({"$id": "urn:example:one", "$ref": "#/$defs/a", "$defs": {"a": {"$ref": "urn:example:one#b"},
                    "b": {"$anchor": "b", "type": "null"}}}, [None], [1])

    def test_the_draft_may_change_with_the_resource(self):
        inner = {"$id": "https://example.org/old", "$schema": DRAFT_7, "definitions": {"n": {"minimum": 1}},
                 "properties": {"a": {"$ref": "#/definitions/n", "maximum": 0}}}
        self.judge({"properties": {"o": inner, "n": {"$ref": "#/$defs/n", "maximum": 5}},
                    "$defs": {"n": {"minimum": 1}}},
                   [{"o": {"a": 9}}, {"n": 5}], [{"o": {"a": 0}}, {"n": 9}])
        new = {"$id": "https://example.org/new", "$schema": DRAFT_2020, "prefixItems": [{"type": "string"}],
               "items": False}
        self.judge({"$schema": DRAFT_7, "allOf": [{"$ref": "https://example.org/new"}], "definitions": {"new": new}},
                   [["a"]], [[1], ["a", 1]])

    def test_dynamic_scope(self):
        tree = {"$id": "https://example.org/tree", "$dynamicAnchor": "node", "type": "object",
                "properties": {"value": True, "kids": {"type": "array", "items": {"$dynamicRef": "#node"}}}}
        strict = {"$id": "https://example.org/strict", "$dynamicAnchor": "node", "$ref": "tree",
                  "unevaluatedProperties": False,
                  "$defs": {"t": tree}}
        self.judge(strict, [{"kids": [{"value": 1}]}], [{"kids": [{"vlaue": 1}]}])
        self.judge(tree, [{"kids": [{"vlaue": 1}]}], [{"kids": [1]}])
        self.judge({"$id": "https://example.org/both",
                    "properties": {"strict": {"$ref": "strict"}, "loose": {"$ref": "tree"}},
                    "$defs": {"s": strict}}, [{"loose": {"kids": [{"x": 1}]}}], [{"strict": {"kids": [{"x": 1}]}}])


class Patterns(unittest.TestCase):

    def judge(self, pattern, fits, breaks):
        for text in fits:
            self.assertTrue(is_valid({"pattern": pattern}, text), (pattern, text))
        for text in breaks:
            self.assertFalse(is_valid({"pattern": pattern}, text), (pattern, text))

    def test_what_python_reads_differently(self):
        self.judge("^a$", ["a"], ["a\n", "b\na"])
        self.judge(r"^\d$", ["5"], ["\u0665"])
        self.judge(r"^\w$", ["a", "_"], ["\xe9", "-"])
        self.judge(r"^\W$", ["\xe9"], ["a"])
        self.judge(r"^\s$", [" ", "\ufeff", "\u2028", "\xa0"], ["\x1c", "\x85", "a"])
        self.judge(r"^\S$", ["\x1c", "\x85"], ["\ufeff"])
        self.judge(r"\bb", ["\xe9b", "b"], ["ab"])
        self.judge("^.$", ["a", "\x85", "\U0001f600"], ["\n", "\r", "\u2028", "\u2029"])
        self.judge(r"^(a)?\1b$", ["b", "aab"], ["ab"])
        self.judge("a{,2}", ["a{,2}"], ["aa"])
        self.judge("^{x}$", ["{x}"], ["x"])
        self.judge("[]", [], ["", "a"])
        self.judge("^[]*[^]?a$", ["a", "\na"], ["bba"])
        self.judge(r"^(a)\1+(?<n>b)?\k<n>{2}$", ["aaa", "aaabbb"], ["aaabb"])
        self.judge("^[^]$", ["a", "\n"], [""])

    def test_escapes(self):
        self.judge(r"^\/\-\_\@$", ["/-_@"], [])
        self.judge(r"^\cA\cz\t\v\0\x41\u0042\u{43}$", ["\x01\x1a\t\v\0ABC"], [])
        self.judge(r"^\ud83d\ude00[\u{1F600}-\u{1F602}]$", ["\U0001f600\U0001f601"], ["\U0001f600\U0001f603"])
        self.judge(r"^(?<year>\d{4})-\k<year>$", ["2024-2024"], ["2024-2025"])
        self.judge(r"^(?:a|b)(?=c)(?!d)c(?<=c)(?<!x)*?$", [], [])
        self.judge(r"^a+?b{2}?c{1,}$", ["abbc"], ["abc"])

    def test_sets(self):
        self.judge(r"^[\w-.]+$", ["a-b.c"], ["a b"])
        self.judge(r"^[^\d\s]$", ["a"], ["1", " "])
        self.judge(r"^[\D]$", ["a"], ["1"])
        self.judge(r"^[-[&&~~||]+$", ["[&~|-"], ["a"])
        self.judge(r"^[a\-z]$", ["a", "-", "z"], ["b"])
        self.judge(r"^[\b]$", ["\b"], ["b"])
        self.judge(r"^[-a]$", ["-", "a"], [])
        self.judge(r"^[\]]$", ["]"], [])

    def test_unicode_properties(self):
        self.judge(r"^\p{L}+$", ["Z\xfcrich", "\u03c0"], ["1"])
        self.judge(r"^\p{Lu}\p{Lowercase_Letter}$", ["Aa"], ["aa"])
        self.judge(r"^[\p{gc=Nd}_]$", ["5", "\u0665", "_"], ["a"])
        self.judge(r"^\P{ASCII}$", ["\xe9"], ["e"])
        self.judge(r"^[\P{L}]$", ["1"], ["a"])
        self.judge(r"^\p{General_Category=Cased_Letter}$", ["\u01c5", "a", "A"], ["\u05d0"])
        self.judge(r"^\p{Any}\p{Assigned}$", ["\u0378a"], ["a\u0378"])
        self.judge(r"\P{Any}", [], ["a"])
        self.judge(r"^\p{Sc}$", ["\u20ac"], ["e"])

    def test_what_is_refused(self):
        for pattern in ("(", ")", "(a", "[", "[a", "\\", "*a", "a**", "a*+", "a++", "^*", "(?i)a", "(?P<n>a)", "(?#c)",
                        "(?>a)", "a|*",
                        r"\a", r"\Z", r"\A", r"\z", r"\u12", r"\x1", r"\u{110000}", r"\01", r"\k<none>", r"\k",
                        r"\2(a)", "[z-a]",
                        r"\p{Script=Greek}", r"\p{Lx}", r"\p", r"[\B]", r"[\1]", "(?<=a+)b", "(?<n>a)(?<n>b)",
                        "a{2,1}", "a{99999999999}",
                        "(" * 51 + ")" * 51, "(" * 5000):
            with self.subTest(pattern=pattern[:20]), self.assertRaises(HarnessError) as caught:
                compile_schema({"properties": {"p": {"pattern": pattern}}})
            self.assertEqual(caught.exception.pointer, "/properties/p/pattern")

    def test_no_warning_reaches_the_user(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compile_schema({"pattern": r"[[a-z&&[^aeiou]~~||-]\p{L}[\]\[]"})


class Formats(unittest.TestCase):
    CASES = {
        "date": (["2024-02-29", "0000-01-01"], ["2023-02-29", "2024-13-01", "2024-1-1", "20240101", "2024-01-01\n",
                                                "\u0662024-01-01"]),
        "time": (["10:30:00Z", "23:59:60z", "00:29:60+00:30", "15:59:60.5-08:00", "10:30:00.123+05:30"],
                 ["10:30:00", "24:00:00Z", "10:60:00Z", "22:59:60Z", "10:30:00+24:00", "10:30Z"]),
        "date-time": (["2024-05-31T10:30:00Z", "1990-12-31t23:59:60z"],
                      ["2024-05-31", "2024-05-31 10:30:00Z", "2024-05-31T10:30:00", "T"]),
        "duration": (["P1Y2M3DT4H5M6S", "P4W", "PT0S", "P1M"],
                     ["P", "PT", "P1Y2W", "P1H", "1D", "P1Y2D", "PT1H2S", "P1.5D"]),
        "email": (["a.b+c@example.org", '"a b"@example.org', "x@[127.0.0.1]", "x@[IPv6:::1]"],
                  ["a", "@b", "a@", ".a@b.c", "a..b@c.d", "a b@c.d", "a@b@c", "x@[300.0.0.1]", "a@-b.c",
                   "a" * 65 + "@b.c", "a@b.c\n"]),
        "hostname": (["example.org", "a", "xn--4gbwdl.xn--wgbh1c", "1.2"],
                     ["", "-a", "a-", "a_b", "a..b", "a.", "ab--cd", "a" * 64, "\xe9.org",
                     ".".join(["a" * 63] * 4)]),
        "ipv4": (["127.0.0.1"], ["127.0.0", "256.0.0.1", "01.0.0.1", "1.2.3.4/8", "::1", "\u0661.0.0.1"]),
        "ipv6": (["::1", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8"],
                 ["1::2::3", "::1%eth0", "12345::", "127.0.0.1", "::1/64"]),
        "uri": (["https://u:p@h.org:80/a/b?c=d#e", "urn:isbn:1", "http://[::1]/", "mailto:a@b.c", "file:///a"],
                ["//h/a", "a/b", "", "http://a b", "http://[::1", "http://h/%zz", "http://h/\xe9", "http://a:b:c/",
                 "1a:b", "http://[x]/", "a:\\b"]),
        "uri-reference": (["", "/a", "a/b", "//h", "#f", "?q", "http://h"],
                          ["a b", "\\\\x", "#a#b", "%", "1:b", "//h:x/"]),
        "iri": (["http://\xe9.org/\u03c0?\ue000"], ["/\u03c0", "http://h/\ud800", "http://h/\ue000"]),
        "iri-reference": (["\u03c0", "#\xe9"], ["a b"]),
        "uri-template": (["http://h/{a}{?b,c*}{/d:3}", "{+x.y}"], ["{", "{a", "a}", "{a b}", "{a:0}", "<"]),
        "uuid": (["2eb8aa08-aa98-11ea-b4aa-73b441d16380"],
                 ["2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "x"]),
        "json-pointer": (["", "/a/~0~1", "/"], ["a", "/~", "/~2", "#/a"]),
        "relative-json-pointer": (["0", "1/a", "0#", "2-1/a"], ["", "/a", "01", "-1", "+1", "0##"]),
        "regex": (["a+", r"\p{L}"], ["(", r"\a"]),
    }

    def test_each(self):
        self.assertEqual(set(self.CASES), set(eh._FORMATS))
        for name, (fits, breaks) in self.CASES.items():
            for text in fits:
                self.assertTrue(is_valid({"format": name}, text), (name, text))
            for text in breaks:
                self.assertFalse(is_valid({"format": name}, text), (name, text))
            for value in (1, 1.5, None, True, [], {}):
                self.assertTrue(is_valid({"format": name}, value))

    def test_as_annotation(self):
        self.assertTrue(is_valid(compile_schema({"format": "date"}, assert_formats=False), "x"))
        self.assertTrue(is_valid(compile_schema({"format": "my-own"}, assert_formats=False), "x"))
        self.assertFalse(is_valid({"format": "date"}, "x"))


class Sentences(unittest.TestCase):
    """Every sentence a reader can meet, whole."""

    def check(self, schema, value, *expected):
        with self.subTest(schema=schema, value=value):
            self.assertEqual(told(schema, value), list(expected))

    def test_types(self):
        self.check({"type": "string"}, 5, ": expected a string, found the number 5")
        self.check({"type": "integer"}, 1.5, ": expected a whole number, found the number 1.5")
        self.check({"type": "object"}, [], ": expected an object, found the array []")
        self.check({"type": "array"}, {}, ": expected an array, found the object {}")
        self.check({"type": "boolean"}, None, ": expected a boolean, found null")
        self.check({"type": "null"}, True, ": expected null, found true")
        self.check({"type": ["string", "null", "number"]}, [],
                   ": expected a string, null or a number, found the array []")
        self.check({"type": "number"}, "5", ': expected a number, found the string "5"')

    def test_values(self):
        self.check({"const": {"a": 1}}, 1, ': expected {"a": 1}, found 1')
        self.check({"enum": ["red", "green"]}, "gren",
                   ': expected one of ["red", "green"], found "gren" (did you mean "green"?)')
        self.check({"enum": [1, 2]}, True, ": expected one of [1, 2], found true")
        self.check({"minimum": 0}, -1, ": expected at least 0, found -1")
        self.check({"maximum": 1.5}, 2, ": expected at most 1.5, found 2")
        self.check({"exclusiveMinimum": 0}, 0, ": expected more than 0, found 0")
        self.check({"exclusiveMaximum": 0}, 0, ": expected less than 0, found 0")
        self.check({"multipleOf": 0.1}, 0.25, ": expected a multiple of 0.1, found 0.25")
        self.check({"minLength": 1}, "", ': expected at least 1 character, found 0 in ""')
        self.check({"maxLength": 2}, "abc", ': expected at most 2 characters, found 3 in "abc"')
        self.check({"pattern": "^{a}$"}, "b", ': expected a match for the pattern "^{a}$", found "b"')
        self.check({"format": "date"}, "today", ': expected a date such as 2024-05-31, found "today"')
        self.check(False, 1, ": nothing is allowed here, found 1")
        self.check({"not": {"type": "null"}}, None, ": found null, which is ruled out here")

    def test_arrays(self):
        self.check({"minItems": 2}, [1], ": expected at least 2 items, found 1 in [1]")
        self.check({"maxItems": 1}, [1, 2], ": expected at most 1 item, found 2 in [1, 2]")
        self.check({"uniqueItems": True}, ["a", 1, 1.0],
                   ": expected different items, found 1.0 at index 1 and again at 2")
        self.check({"items": {"type": "null"}}, [None, 1], "/1: expected null, found the number 1")
        self.check({"prefixItems": [True], "items": False}, [1, 2], ": the item at index 1 is not allowed")
        self.check({"contains": {"const": 1}}, [2], ": expected at least 1 of the items to fit `contains`, found 0")
        self.check({"contains": {"const": 1}, "maxContains": 1}, [1, 1],
                   ": expected at most 1 of the items to fit `contains`, found 2")
        self.check({"unevaluatedItems": False}, [1], ": the item at index 0 is not allowed")

    def test_objects(self):
        self.check({"required": ["id", "n"]}, {}, ': required key "id" is missing', ': required key "n" is missing')
        self.check({"properties": {"color": True}, "additionalProperties": False}, {"colour": 1},
                   ': "colour" is not allowed here (did you mean "color"?)')
        self.check({"properties": {"color": True}, "additionalProperties": False}, {"color": 1, "colour": 1},
                   ': "colour" is not allowed here')
        self.check({"properties": {"color": True}, "unevaluatedProperties": False}, {"colour": 1},
                   ': "colour" is not allowed here (did you mean "color"?)')
        self.check({"properties": {"{}": {"type": "null"}}}, {"{}": 1}, "/{}: expected null, found the number 1")
        self.check({"properties": {"a/b": {"items": {"type": "null"}}}}, {"a/b": [1]},
                   "/a~1b/0: expected null, found the number 1")
        self.check({"propertyNames": {"maxLength": 1}}, {"ab": 1},
                   ': the name of the key "ab": expected at most 1 character, found 2 in "ab"')
        self.check({"dependentRequired": {"a": ["b"]}}, {"a": 1}, ': required key "b" is missing, since "a" is there')
        self.check({"minProperties": 1}, {}, ": expected at least 1 key, found 0 in {}")

    def test_a_suggestion_comes_first(self):
        self.check({"required": ["color"], "properties": {"color": True}, "additionalProperties": False}, {"colour": 1},
                   ': "colour" is not allowed here (did you mean "color"?)', ': required key "color" is missing')

    def test_what_follows_from_another_problem_is_not_told(self):
        self.check({"allOf": [{"properties": {"a": {"type": "null"}}}], "unevaluatedProperties": False}, {"a": 1},
                   "/a: expected null, found the number 1")

    def test_one_branch_is_told(self):
        circle = {"properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}},
                  "required": ["kind", "radius"]}
        square = {"properties": {"kind": {"const": "square"}, "side": {"type": "number"}}, "required": ["kind", "side"]}
        for word in ("anyOf", "oneOf"):
            self.check({word: [circle, square]}, {"kind": "square", "side": "2"},
                       '/side: the closest of 2 alternatives: expected a number, found the string "2"')
            self.check({word: [circle, square]}, {"kind": "square"},
                       ': the closest of 2 alternatives: required key "side" is missing')
            self.check({word: [{"type": "string"}, {"type": "null"}]}, 5,
                       ": expected a string or null, found the number 5")
            self.check({word: [{"type": "null"}, {"enum": ["on"]}]}, "onn",
                       ': the closest of 2 alternatives: expected one of ["on"], found "onn" (did you mean "on"?)')
            self.check({word: [{"type": "null"}, {"type": "object", "required": ["a"]}]}, {},
                       ': the closest of 2 alternatives: required key "a" is missing')
            self.check({word: [{"type": "null"}]}, 5, ": expected null, found the number 5")
        self.check({"anyOf": [{"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "number"}]}, [],
                   ": expected a string or null or a number, found the array []")
        deep = {"properties": {"a": {"properties": {"b": {"type": "null"}, "c": {"type": "null"}}}}}
        self.check({"anyOf": [{"required": ["z"]}, deep]}, {"a": {"b": 1, "c": 2}},
                   "/a/b: the closest of 2 alternatives: expected null, found the number 1",
                   "/a/c: the closest of 2 alternatives: expected null, found the number 2")

    def test_too_many_branches_fit(self):
        self.check({"oneOf": [{"type": "number"}, {"type": "null"}, {"minimum": 1}]}, 5,
                   ": expected to fit exactly one of 3 alternatives, fits numbers 1 and 3")

    def test_false_branches_named_like_keywords(self):
        schema = {"anyOf": [{"$ref": "#/$defs/type"}, {"$ref": "#/$defs/const"}],
                  "$defs": {"type": False, "const": False}}
        self.assertEqual(len(told(schema, 5)), 1)

    def test_where_the_rule_stands(self):
        schema = {"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "null"}}}
        self.assertEqual(schema_errors(schema, {"a": 1}),
                         [SchemaError("/a", "/$defs/n/type", "expected {}, found the number {}", ("null", 1))])

    def test_a_value_is_never_in_the_template(self):
        errors = schema_errors({"properties": {"{0}": {"const": "{x}"}}, "additionalProperties": False},
                               {"{0}": "{y}", "{z}": 1})
        self.assertEqual([error.template.count("{") for error in errors], [2, 1])


class CompileErrors(unittest.TestCase):

    def refuse(self, schema, pointer, problem, hint=""):
        with self.subTest(pointer=pointer, problem=problem), self.assertRaises(HarnessError) as caught:
            compile_schema(schema)
        self.assertEqual(caught.exception.pointer, pointer)
        self.assertIn(problem, caught.exception.problem)
        self.assertIn(hint, caught.exception.hint)

    def test_wrong_values(self):
        for keyword, wrong in {
                "type": 5, "enum": {}, "minimum": "1", "maximum": True, "exclusiveMinimum": True,
                "exclusiveMaximum": None,
                "multipleOf": 0, "minLength": -1, "maxLength": 1.5, "pattern": 1, "format": [], "minItems": "1",
                "maxItems": True,
                "uniqueItems": 1, "minProperties": -1, "maxProperties": [], "required": True,
                "dependentRequired": {"a": "b"},
                "propertyNames": [], "properties": [], "patternProperties": [], "additionalProperties": "no",
                "prefixItems": [],
                "items": 1, "contains": [], "minContains": -1, "maxContains": 0.5, "dependentSchemas": [],
                "dependencies": {"a": 1},
                "$ref": {}, "$dynamicRef": 1, "allOf": [], "anyOf": {}, "oneOf": [], "not": [], "if": 1, "then": 1,
                "else": 1,
                "unevaluatedItems": 1, "unevaluatedProperties": 1, "$defs": [], "definitions": [], "$id": 1,
                "$anchor": "a b",
                "$dynamicAnchor": "1", "$vocabulary": [], "contentSchema": 1}.items():
            self.refuse({"properties": {"p": {keyword: wrong}}}, "/properties/p/" + keyword, keyword + " takes ")
        self.refuse({"multipleOf": -0.5}, "/multipleOf", "takes a number above 0, found the number -0.5")
        self.refuse({"required": "id"}, "/required", 'required takes an array of strings, found the text "id"')
        self.refuse({"type": []}, "/type", "non-empty")
        self.refuse({"type": ["string", 1]}, "/type", "type takes")
        self.refuse({"properties": {"a": 1}}, "/properties/a",
                    "expected a schema (an object, true or false), found the number 1")
        self.refuse({"allOf": [None]}, "/allOf/0", "expected a schema")
        self.refuse("string", "", "expected a schema")
        self.refuse({"items": [True]}, "/items", "items takes a schema", "prefixItems")

    def test_also_where_nothing_refers_to(self):
        self.refuse({"$defs": {"a": {"minimum": "1"}}}, "/$defs/a/minimum", "minimum takes a number")
        self.refuse({"$defs": {"a": {"pattern": "("}}}, "/$defs/a/pattern", 'the pattern "(" cannot be used')
        self.refuse({"$defs": {"a": {"$ref": "#/$defs/b"}}}, "/$defs/a/$ref", "leads nowhere")
        self.refuse({"then": {"tpye": 1}}, "/then/tpye", "unknown schema keyword")

    def test_unknown_words(self):
        self.refuse({"requierd": []}, "/requierd", 'unknown schema keyword "requierd"', 'did you mean "required"?')
        self.refuse({"properties": {"a": {"minimun": 1}}}, "/properties/a/minimun", "minimun",
                    'did you mean "minimum"?')
        self.refuse({"type": "strng"}, "/type", 'unknown type "strng"', 'did you mean "string"?')
        self.refuse({"type": ["null", "int"]}, "/type", 'unknown type "int"')
        self.refuse({"format": "datetime"}, "/format", 'the format "datetime" cannot be checked here',
                    'did you mean "date-time"?')
        self.refuse({"format": "idn-hostname"}, "/format", "idn-hostname")
        self.refuse({"a/b": 1}, "/a~1b", "unknown")

    def test_keywords_of_other_drafts(self):
        self.refuse({"$schema": DRAFT_7, "prefixItems": [True]}, "/prefixItems", "in draft-07", "items with an array")
        self.refuse({"$schema": DRAFT_7, "unevaluatedProperties": False}, "/unevaluatedProperties", "in draft-07")
        self.refuse({"additionalItems": False}, "/additionalItems", "in draft 2020-12", "prefixItems")
        self.refuse({"id": "x"}, "/id", "unknown", "$id")
        self.refuse({"$recursiveRef": "#"}, "/$recursiveRef", "unknown", "$dynamicRef")

    def test_drafts(self):
        self.refuse({"$schema": "http://json-schema.org/draft-04/schema#"}, "/$schema", "unknown draft", "2020-12")
        self.refuse({"$schema": 7}, "/$schema", "unknown draft")
        self.refuse({"not": {"$schema": "x"}}, "/not/$schema", "unknown draft")
        self.refuse({"not": {"$schema": DRAFT_7}}, "/not/$schema", "only a schema with its own $id")
        for spelling in (DRAFT_7, DRAFT_7[:-1], DRAFT_2020, DRAFT_2020 + "#",
                         "https://json-schema.org/draft-07/schema"):
            compile_schema({"$schema": spelling})

    def test_references(self):
        self.refuse({"$ref": "#/$defs/adress", "$defs": {"address": {}}}, "/$ref", 'no "adress" at /$defs',
                    'did you mean "address"?')
        self.refuse({"$ref": "#/allOf/7", "allOf": [True]}, "/$ref", "leads nowhere")
        self.refuse({"$ref": "#nme", "$defs": {"a": {"$anchor": "name"}}}, "/$ref", 'no anchor "nme"',
                    'did you mean "name"?')
        self.refuse({"$ref": "https://example.org/x"}, "/$ref", "nothing is fetched")
        self.refuse({"$ref": DRAFT_2020}, "/$ref", "nothing is fetched")
        self.refuse({"$ref": "other.json"}, "/$ref", '"other.json" is not in this document')
        self.refuse({"$id": "http://a/", "not": {"$id": "http://[/"}}, "/not/$id", "no address")
        self.refuse({"$id": "http://a/", "$ref": "http://[/"}, "/$ref", "no address")
        self.refuse({"$ref": "#/enum/0", "enum": [1]}, "/enum/0", "expected a schema")
        self.refuse({"$id": "a#b"}, "/$id", "no fragment", "$anchor")
        self.refuse({"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}}, "/$defs/b", "same name", "/$defs/a")
        self.refuse({"$defs": {"a": {"$id": "x"}, "b": {"$id": "x"}}}, "/$defs/b", "same name")

    def test_no_json(self):
        self.refuse({"const": {1, 2}}, "", "no JSON")
        self.refuse({"const": float("nan")}, "", "no JSON")
        self.refuse({"minimum": float("inf")}, "", "no JSON")
        self.refuse({"const": 10 ** 5000}, "", "no JSON")


class Bombs(unittest.TestCase):

    def test_a_deep_value(self):
        deep = nested(100_000, lambda inner: [inner], [])
        for schema in ({"items": {"$ref": "#"}}, {"not": {"items": {"$ref": "#"}}}, {"uniqueItems": True},
                       {"anyOf": [{"items": {"$ref": "#"}}, True]},
                       {"contains": {"$ref": "#"}}, {"unevaluatedItems": {"$ref": "#"}}):
            with self.subTest(schema=schema), self.assertRaisesRegex(HarnessError, "nested too deeply"):
                schema_errors(schema, deep)
        self.assertEqual(schema_errors({"type": "array", "minItems": 1}, deep), [])
        self.assertEqual(len(schema_errors({"type": "string"}, deep)), 1)
        self.assertEqual(len(schema_errors({"enum": [1, [[]]]}, deep)), 1)
        self.assertEqual(len(schema_errors({"const": nested(150, lambda inner: [inner], 1)}, deep)), 1)
        members = nested(100_000, lambda inner: {"a": inner}, {})
        with self.assertRaisesRegex(HarnessError, "nested too deeply"):
            is_valid({"properties": {"a": {"$ref": "#"}}}, members)

    def test_a_value_that_holds_itself(self):
        loop = []
        loop.append(loop)
        with self.assertRaisesRegex(HarnessError, "nested too deeply"):
            is_valid({"items": {"$ref": "#"}}, loop)

    def test_the_limit_of_values(self):
        schema = {"items": {"$ref": "#"}, "type": "array"}
        self.assertTrue(is_valid(schema, nested(99, lambda inner: [inner], [])))
        self.assertRaises(HarnessError, is_valid, schema, nested(101, lambda inner: [inner], []))

    def test_a_deep_schema(self):
        for wrap in (lambda inner: {"not": inner}, lambda inner: {"properties": {"a": inner}},
                     lambda inner: {"const": [inner]},
                     lambda inner: {"$defs": {"a": inner}}, lambda inner: [inner]):
            with self.assertRaisesRegex(HarnessError, "nested more than 200 levels"):
                compile_schema(nested(5000, wrap, {}))
        loop = {}
        loop.update({"not": loop, "if": loop, "allOf": [loop, loop]})
        self.assertRaisesRegex(HarnessError, "nested more than 200 levels", compile_schema, loop)

    def test_at_the_limit_nothing_overflows(self):
        # Both recursions at their deepest, from a caller that has used a part of the stack itself.
        def deeper(levels, ask):
            return deeper(levels - 1, ask) if levels else ask()
        chain = nested(198, lambda inner: {"not": inner}, {"type": "null"})
        self.assertTrue(deeper(150, lambda: is_valid(chain, None)))
        self.assertRaises(HarnessError, compile_schema, nested(201, lambda inner: {"not": inner}, {}))
        schema = {"$defs": {"list": {"items": {"$ref": "#/$defs/list"}, "uniqueItems": True, "anyOf": [True]}},
                  "$ref": "#/$defs/list"}
        self.assertTrue(deeper(150, lambda: is_valid(schema, nested(98, lambda inner: [inner, 1], []))))

    def test_references_that_never_arrive(self):
        loops = [
            {"$ref": "#"},
            {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
            {"anyOf": [{"type": "string"}, {"$ref": "#"}]}, {"allOf": [{"$ref": "#"}]}, {"oneOf": [{"$ref": "#"}]},
            {"not": {"$ref": "#"}},
            {"if": {"$ref": "#"}}, {"if": True, "then": {"$ref": "#"}}, {"if": True, "else": {"$ref": "#"}},
            {"dependentSchemas": {"a": {"$ref": "#"}}}, {"$dynamicRef": "#a", "$dynamicAnchor": "a"},
            {"$schema": DRAFT_7, "allOf": [{"$ref": "#"}]}, {"$schema": DRAFT_7, "dependencies": {"a": {"$ref": "#"}}},
            {"$id": "https://example.org/a", "$dynamicAnchor": "x", "$ref": "b",
             "$defs": {"b": {"$id": "b", "$dynamicRef": "#x", "$defs": {"x": {"$dynamicAnchor": "x"}}}}},
        ]
        for schema in loops:
            with self.subTest(schema=schema), self.assertRaisesRegex(HarnessError, "refers to itself"):
                compile_schema(schema)

    def test_references_that_do(self):
        for schema in ({"propertyNames": {"$ref": "#"}}, {"contains": {"$ref": "#"}},
                       {"unevaluatedProperties": {"$ref": "#"}},
                       {"allOf": [{"properties": {"a": {"$ref": "#"}}}]},
                       {"$defs": {"unused": {"$ref": "#/$defs/unused"}}}):
            self.assertTrue(is_valid(schema, {}))

    def test_a_long_chain_of_references(self):
        chain = {"$ref": "#/$defs/d0", "$defs": {"d%d" % n: {"$ref": "#/$defs/d%d" % (n + 1)} for n in range(5000)}}
        chain["$defs"]["d5000"] = {}
        with self.assertRaisesRegex(HarnessError, "more than 200 schemas"):
            is_valid(chain, 1)

    def test_a_schema_that_refers_to_itself_twice_is_judged_once(self):
        # Sixty levels, two ways down each: 2 ** 60 steps for a validator without a memory.
        twice = [{"type": "array", "items": {"$ref": "#/$defs/n"}}] * 2
        deep, sound = nested(60, lambda inner: [inner], 1), nested(60, lambda inner: [inner], [])
        for node in ({"anyOf": twice}, {"allOf": twice}, {"if": twice[0], "then": twice[0], "else": twice[0]},
                     {"not": {"not": twice[0]}, "items": twice[0]}, {"anyOf": twice, "unevaluatedItems": False}):
            schema = {"$defs": {"n": node}, "$ref": "#/$defs/n"}
            with self.subTest(schema=schema):
                self.assertFalse(is_valid(schema, deep))
                self.assertTrue(is_valid(schema, sound))
        self.assertFalse(is_valid({"$defs": {"n": {"oneOf": twice}}, "$ref": "#/$defs/n"}, sound))
        self.assertEqual(len(schema_errors({"$defs": {"n": {"anyOf": twice}}, "$ref": "#/$defs/n"}, deep)), 1)

    def test_errors_that_double_with_every_reference_are_bounded(self):
        doubling = {"d%d" % n: {"allOf": [{"$ref": "#/$defs/d%d" % (n + 1)}] * 2} for n in range(60)}
        schema = {"$defs": {**doubling, "d60": {"type": "string"}}, "$ref": "#/$defs/d0"}
        self.assertEqual(len(schema_errors(schema, 1)), eh.MAX_SCHEMA_ERRORS)
        self.assertEqual(len(schema_errors({"items": {"type": "string"}}, [1] * 5000)), eh.MAX_SCHEMA_ERRORS)
        self.assertEqual(schema_errors(schema, "a"), [])

    def test_what_a_reference_found_is_handed_on_to_who_asks_for_the_rest(self):
        # The first to follow the reference does not gather what was evaluated, the second does.
        schema = {"$defs": {"a": {"properties": {"x": True}}}, "not": {"not": {"$ref": "#/$defs/a"}},
                  "$ref": "#/$defs/a", "unevaluatedProperties": False}
        self.assertTrue(is_valid(schema, {"x": 1}))
        self.assertFalse(is_valid(schema, {"x": 1, "y": 1}))
        self.assertTrue(is_valid({**schema, "allOf": [{"$ref": "#/$defs/a"}]}, {"x": 1}))

    def test_entangled_dynamic_scopes_are_bounded(self):
        parts = {}
        for n in range(12):
            parts["r%d" % n] = {"$id": "https://example.org/r%d" % n,
                                "properties": {"k%d" % m: {"$ref": "r%d" % m} for m in range(12)},
                                "$defs": {"a": {"$dynamicAnchor": "own%d" % n}}}
        limit, eh.MAX_SCHEMA_NODES = eh.MAX_SCHEMA_NODES, 2000
        try:
            with self.assertRaisesRegex(HarnessError, "entangled"):
                compile_schema({"$id": "https://example.org/", "properties": {"a": {"$ref": "r0"}}, "$defs": parts})
        finally:
            eh.MAX_SCHEMA_NODES = limit


class Memo(unittest.TestCase):

    def test_one_text_is_compiled_once(self):
        self.assertIs(compile_schema({"type": "null"}), compile_schema(json.loads('{"type": "null"}')))
        self.assertIsNot(compile_schema({"const": 1}), compile_schema({"const": True}))
        self.assertIsNot(compile_schema({"const": 1}), compile_schema({"const": 1.0}))
        self.assertIs(type(compile_schema(True)), Schema)
        self.assertIs(compile_schema(compile_schema(True)), compile_schema(True))

    def test_changing_a_schema_later_changes_nothing(self):
        schema = {"enum": ["a"]}
        compiled = compile_schema(schema)
        schema["enum"].append("b")
        self.assertFalse(is_valid(compiled, "b"))
        self.assertTrue(is_valid(schema, "b"))

    def test_it_is_bounded(self):
        for number in range(600):
            compile_schema({"const": "memo %d" % number})
        self.assertLessEqual(eh._compile_text.cache_info().currsize, 256)

    def test_a_foreign_value_is_an_error(self):
        self.assertRaisesRegex(HarnessError, "no JSON value", is_valid, {"items": {"type": "null"}}, [(1, 2)])


if __name__ == "__main__":
    unittest.main()
