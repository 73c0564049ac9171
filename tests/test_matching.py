"""Matching: JSON equality, pointers, matchers, the call relation, text and number tools, and what a reason shows."""

import itertools
import json
import math
import random
import unittest

import eval_harness as eh
from tests.support import Workspace, call

NAN, INF = math.nan, math.inf


def case_with(check, config, **keys):
    return eh.compile_case({"id": "x", "output": [check], **keys}, config)


def graded(check, run, config=None, **case_keys):
    """The CheckResult of a check, as a fixture writes it, on a native run."""
    config = eh.make_config(config)
    case = case_with(check, config, **case_keys)
    recorded = eh.read_value({"status": "completed", **run}, eh.Origin("here", "x", 1, None, b""))
    assert not recorded.problem, recorded.problem
    result = eh.grade_check(case.checks[0], recorded, eh.context_of(case, recorded, config))
    assert not result.crashed, result.reason
    return result


def value_check(matcher, output, **keys):
    """The CheckResult of a matcher on an output."""
    return graded({"check": "value", "is": matcher, **keys}, {"output": output})


def related(expected, made, **keys):
    """The CheckResult of `calls` on calls: names, or (name, arguments), or steps."""
    steps = [each if isinstance(each, dict) else call(each) if isinstance(each, str) else call(each[0], arguments=each[1])
             for each in made]
    given = keys if expected is None else {"expected": expected, **keys}
    return graded({"check": "calls", **given}, {"steps": steps})


def refusal(check):
    """Every problem with which a check is refused at load, as one text; None where it is taken."""
    try:
        case_with(check, eh.make_config())
    except eh.HarnessError as error:
        return "\n".join(map(str, error.everything()))
    return None


# ---------------------------------------------------------------------------


# Each row: values that are equal; values of different rows are not.
EQUAL = (
    [None], [True], [False], [0, 0.0, -0.0], [1, 1.0, 1e0], [-1, -1.0], [2 ** 53, float(2 ** 53)], [2 ** 53 + 1],
    [10 ** 22, 1e22], [10 ** 23], [1e23], [10 ** 400], [10 ** 400 + 1], [0.1], [0.30000000000000004], [0.3],
    [""], ["0"], ["1"], ["1.0"], ["true"], ["null"], ["a"], ["A"], [" a"], ["\u00e9"], ["e\u0301"], ["\ud800"],
    [[], []], [[None]], [[0], [0.0]], [[False]], [[1, 2], [1.0, 2]], [[2, 1]], [[1]], [[1, 2, 3]], [[[]]], [[{}]],
    [[{"t": 6}]], [[{"t": 6}, {}]], [[{}, {"t": 6}]],
    [{}], [{"a": None}], [{"a": 1, "b": 2}, {"b": 2.0, "a": 1}], [{"a": 1}], [{"b": 1}], [{"A": 1}], [{"a": True}],
    [{"a": "1"}], [{"a": [1]}], [{"a": [True]}], [{"a": {}}], [{"a": []}], [{"a": {"b": [{"c": 1}]}}],
    [{"a": {"b": [{"c": True}]}}], [{"a": {"b": [{"c": 1}, {}]}}], [{"": 1}], [{"0": 1}],
)


class Equality(unittest.TestCase):
    """A literal means JSON equality."""

    def test_all_pairs_both_ways(self):
        rows = [(value, index) for index, row in enumerate(EQUAL) for value in row]
        for (one, a), (other, b) in itertools.product(rows, repeat=2):
            self.assertIs(eh.json_equal(one, other), a == b, (one, other))

    def test_all_pairs_as_literals_of_a_fixture(self):
        rows = [(value, index) for index, row in enumerate(EQUAL) for value in row]
        for (one, a), (other, b) in itertools.product(rows, repeat=2):
            self.assertIs(eh.compile_matcher(one)(other, None) is None, a == b, (one, other))

    def test_all_pairs_inside_objects_and_lists(self):
        for one, other in itertools.product([row[0] for row in EQUAL], repeat=2):
            for wrap in (lambda value: [1, value], lambda value: {"k": value, "x": 1}):
                self.assertIs(eh.json_equal(wrap(one), wrap(other)), one is other, (one, other))

    def test_what_is_not_finite_equals_nothing(self):
        for odd in (NAN, INF, -INF):
            for other in (NAN, INF, -INF, 0, 1e308, None, "NaN", odd):
                for one, two in ((odd, other), ([odd], [other]), ({"a": odd}, {"a": other}), ([[odd]], [[other]])):
                    self.assertFalse(eh.json_equal(one, two), (one, two))
                    self.assertFalse(eh.json_equal(two, one), (two, one))

    def test_a_value_that_holds_what_is_not_finite_does_not_equal_itself(self):
        value = {"a": [1, {"b": INF}]}
        self.assertFalse(eh.json_equal(value, value))

    def test_random_values_both_ways_and_after_one_change(self):
        rnd = random.Random(7)
        scalars = [None, True, False, 0, 1, 1.0, -1, 2.5, "", "1", "a", 2 ** 53 + 1, float(2 ** 53)]

        def made(depth=0):
            kind = rnd.random()
            if depth > 3 or kind < 0.5:
                return rnd.choice(scalars)
            if kind < 0.75:
                return [made(depth + 1) for _ in range(rnd.randint(0, 3))]
            return {rnd.choice("abc"): made(depth + 1) for _ in range(rnd.randint(0, 3))}

        def same(one, other):
            # Written down once more, as plainly as can be.
            number = lambda value: type(value) in (int, float)
            if number(one) and number(other):
                return one == other
            if type(one) is not type(other):
                return False
            if type(one) is list:
                return len(one) == len(other) and all(map(same, one, other))
            if type(one) is dict:
                return set(one) == set(other) and all(same(one[key], other[key]) for key in one)
            return one == other

        for _ in range(4000):
            one, other = made(), made()
            self.assertIs(eh.json_equal(one, other), same(one, other), (one, other))
            self.assertIs(eh.json_equal(other, one), same(one, other), (one, other))
            copy = json.loads(json.dumps(one))
            self.assertTrue(eh.json_equal(one, copy))
            if not same(one, other):
                self.assertIsNotNone(eh.compile_matcher({"$literal": one})(other, None))

    def test_through_the_check(self):
        for expected, output, word in ((9007199254740993, 9007199254740992, "failed"), (9007199254740993, 9007199254740992.0, "failed"),
                                       (9007199254740993, 9007199254740993, "passed"), ({"v": None}, {"v": None}, "passed"),
                                       ({"v": None}, {}, "failed"), ({}, {"v": None}, "failed"), (1, True, "failed"),
                                       (None, None, "passed"), (0, False, "failed"), ("1", 1, "failed")):
            self.assertEqual(graded({"check": "equals", "value": expected}, {"output": output}).word, word, (expected, output))
        self.assertEqual(graded({"check": "equals", "value": None}, {"steps": []}).word, "error")


class Pointers(unittest.TestCase):
    """RFC 6901."""

    document = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8}

    def test_the_examples_of_the_rfc(self):
        for pointer, value in (("", self.document), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1),
                               ("/c%d", 2), ("/e^f", 3), ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8)):
            self.assertEqual(eh.resolve(self.document, pointer), value, pointer)

    def test_the_order_of_unescaping(self):
        self.assertEqual(eh.resolve({"~1": 1, "/": 2}, "/~01"), 1)
        self.assertEqual(eh.resolve({"~01": 1, "~1": 2}, "/~001"), 1)

    def test_what_leads_nowhere(self):
        for pointer in ("/nope", "/foo/2", "/foo/-1", "/foo/-", "/foo/bar", "/foo/", "/foo/0/x", "/foo/1.0", "/foo/+1",
                        "/foo/ 1", "/foo/\u0661", "//x", "/foo/0/"):
            self.assertIs(eh.resolve(self.document, pointer), eh.MISSING, pointer)

    def test_null_is_something(self):
        self.assertIsNone(eh.resolve({"a": [None]}, "/a/0"))
        self.assertIs(eh.resolve({"a": None}, "/a/b"), eh.MISSING)

    def test_an_index_has_no_leading_zeros(self):
        for pointer in ("/foo/00", "/foo/01", "/foo/001"):
            self.assertIs(eh.resolve(self.document, pointer), eh.MISSING, pointer)
        self.assertEqual(eh.resolve({"01": 5}, "/01"), 5)

    def test_an_index_beyond_all_numbers_leads_nowhere(self):
        self.assertIs(eh.resolve([1], "/" + "9" * 5000), eh.MISSING)

    def test_what_is_no_pointer_is_refused_at_load(self):
        for pointer in ("foo", "#/foo", " /foo", 5, None, ["/foo"]):
            found = refusal({"check": "value", "at": pointer, "is": 1})
            if pointer is not None:
                self.assertIn("/at: expected a JSON pointer", found)

    def test_a_tilde_that_escapes_nothing_is_refused_at_load(self):
        for pointer in ("/a~2b", "/a~", "/~x"):
            self.assertIsNotNone(refusal({"check": "value", "at": pointer, "is": 1}), pointer)

    def test_into_a_run(self):
        run = {"output": {"a": [{"b~c/d": 5}]}, "state": {"x": None}, "steps": [call("f", arguments={"q": 1}, result=[7])]}
        for at, value in (("/output/a/0/b~0c~1d", 5), ("/state/x", None), ("/steps/0/name", "f"), ("/steps/0/arguments/q", 1),
                          ("/steps/0/result/0", 7), ("/status", "completed"), ("/output", {"a": [{"b~c/d": 5}]})):
            self.assertEqual(graded({"check": "value", "at": at, "is": value}, run).word, "passed", at)

    def test_a_pointer_that_leads_nowhere(self):
        run = {"output": {"a": 1}, "steps": []}
        for at, word in (("/output/b", "failed"), ("/output/a/b", "failed"), ("/steps/0", "failed"), ("/state/x", "error"),
                         ("/state", "error"), ("/scores/judge", "error"), ("/duration_ms", "error")):
            self.assertEqual(graded({"check": "value", "at": at, "is": {"$any": True}}, run).word, word, at)


# ---------------------------------------------------------------------------

ABSENT = object()
ALL_TYPES = (None, True, False, 0, 1, -3, 2.5, 10 ** 400, NAN, INF, "", "text", "7", [], [1], {}, {"k": 1}, ABSENT)


class Operators(unittest.TestCase):
    """Every operator: what matches, what does not, what is absent, and what is refused at load."""

    def matches(self, matcher, value):
        """Whether a member `k` matches; ABSENT leaves the member out."""
        document = {} if value is ABSENT else {"k": value}
        return eh.compile_matcher({"k": matcher})(document, lambda pointer: eh.resolve(document, pointer)) is None

    def check(self, matcher, yes, no):
        for value in yes:
            self.assertTrue(self.matches(matcher, value), (matcher, value))
        for value in no:
            self.assertFalse(self.matches(matcher, value), (matcher, value))

    def only(self, matcher, *yes):
        """Of values of all types those (by identity) match, and no other one."""
        for value in ALL_TYPES:
            wanted = any(value is each for each in yes)
            self.assertIs(self.matches(matcher, value), wanted, (matcher, value))

    def refused(self, *matchers):
        for matcher in matchers:
            found = refusal({"check": "value", "is": {"deep": [matcher]}})
            self.assertIsNotNone(found, matcher)
            self.assertIn("/output/0/is/deep/0", found)

    def test_the_list_of_operators(self):
        modifiers = {name for known in eh.OPERATORS.values() for name in known.modifiers}
        self.assertEqual(set(eh.OPERATORS) | modifiers | {"$schema"}, {
            "$any", "$absent", "$optional", "$one_of", "$not", "$all", "$regex", "$flags", "$contains", "$text", "$ignore",
            "$approx", "$gt", "$gte", "$lt", "$lte", "$type", "$length", "$each", "$some", "$partial", "$list", "$schema",
            "$same_as", "$literal"})

    def test_any(self):
        self.only({"$any": True}, *ALL_TYPES[:-1])
        self.refused({"$any": False}, {"$any": 1}, {"$any": None}, {"$any": {}})

    def test_absent(self):
        self.only({"$absent": True}, ABSENT)
        self.refused({"$absent": False}, {"$absent": 1}, {"$absent": "true"})

    def test_null_is_not_absent(self):
        self.check({"$absent": True}, [ABSENT], [None])
        self.check(None, [None], [ABSENT, False, 0, "", [], {}, "null"])

    def test_optional(self):
        self.check({"$optional": 3}, [ABSENT, 3, 3.0], [None, 4, "3", [3]])
        self.check({"$optional": {"$gt": 3}}, [ABSENT, 4], [3, None])
        self.check({"$optional": None}, [ABSENT, None], [0, ""])
        self.refused({"$optional": {"$gt": "x"}})

    def test_one_of(self):
        self.check({"$one_of": ["EUR", 5, None]}, ["EUR", 5, 5.0, None], ["USD", "eur", True, ABSENT, ["EUR"]])
        self.check({"$one_of": [{"$gt": 10}, {"a": {"$any": True}}]}, [11, {"a": None}], [10, {}, {"a": 1, "b": 2}])
        self.check({"$one_of": ["EUR", {"$absent": True}]}, ["EUR", ABSENT], [None, "USD"])
        self.refused({"$one_of": []}, {"$one_of": "EUR"}, {"$one_of": {"a": 1}}, {"$one_of": [{"$gtt": 1}]})

    def test_not(self):
        self.check({"$not": "cancelled"}, ["open", None, 5, ["cancelled"]], ["cancelled"])
        self.check({"$not": {"$gt": 5}}, [5, 4, "9"], [6])
        self.check({"$not": {"$not": 5}}, [5], [6])
        self.refused({"$not": {"$gt": None}})

    def test_not_needs_something_to_be_there(self):
        self.check({"$not": "cancelled"}, [], [ABSENT])

    def test_all(self):
        self.check({"$all": [{"$gt": 0}, {"$type": "integer"}]}, [1, 2.0], [0, 1.5, "1", ABSENT])
        self.refused({"$all": []}, {"$all": {"$gt": 0}}, {"$all": [{"$gt": 0}, {"$tpye": "integer"}]})

    def test_several_operators_in_one_object_mean_all_of_them(self):
        self.check({"$gt": 0, "$lt": 10, "$not": 5}, [1, 9.5], [0, 10, 5, "3", ABSENT])
        self.check({"$type": "string", "$regex": "^a", "$length": 2}, ["ab"], ["abc", "ba", ["a", "b"]])

    def test_regex(self):
        self.check({"$regex": "^ord-[0-9]+$"}, ["ord-17"], ["ord-", "ORD-17", "an ord-17", "", 17, ["ord-17"], None, ABSENT])
        self.check({"$regex": "17"}, ["ord-17", "17"], [17, "1 7"])
        self.check({"$regex": "^ord", "$flags": "i"}, ["Ord", "ORDER"], ["word"])
        self.check({"$regex": "^b.c", "$flags": "ms"}, ["a\nb\nc"], ["a\nb"])
        self.check({"$regex": "a b", "$flags": "x"}, ["ab"], ["a b"])
        self.check({"$regex": "(?i)ord"}, ["ORD"], ["rd"])
        self.refused({"$regex": "("}, {"$regex": 5}, {"$regex": ["a"]}, {"$regex": "a", "$flags": "q"},
                     {"$regex": "a", "$flags": 1}, {"$flags": "i"}, {"$regex": "*"}, {"$regex": "a{2,1}"})

    def test_regex_line_ends(self):
        # Fault 97, 98: three different things.
        self.check({"$regex": "start.*end"}, ["start end"], ["start\nend"])
        self.check({"$regex": "start.*end", "$flags": "s"}, ["start\nend"], [])
        self.check({"$regex": "^ok$"}, ["ok", "ok\n"], ["x\nok\n"])
        self.check({"$regex": "^ok$", "$flags": "m"}, ["x\nok\n", "ok"], ["xok"])
        self.check({"$regex": "^ok$", "$flags": "s"}, ["ok"], ["x\nok\n"])

    def test_contains(self):
        self.check({"$contains": "limit"}, ["over limit", "limit", ["limit", 2]], ["LIMIT", ["over limit"], "", {"limit": 1}, ABSENT])
        self.check({"$contains": 1}, [[1.0], [0, 1]], [[True], ["1"], "1", 1, []])
        self.check({"$contains": {"a": 1}}, [[{"a": 1}]], [{"a": 1}, [{"a": 1, "b": 2}]])
        self.check({"$contains": None}, [[None]], [None, [], "null"])
        self.refused({"$contains": ""})

    def test_text(self):
        self.check({"$text": "New York"}, ["new york", "NEW  YORK", "NewYork", " New\u00a0York\n", "\uff2eew York"],
                   ["New York.", "Newark", "", None, 5, ["New York"], ABSENT])
        self.check({"$text": "yes", "$ignore": ["case", "space", "punctuation"]}, ["Yes. ", "\u00abYES!\u00bb", "y-e-s"], ["yes sir"])
        self.check({"$text": "yes", "$ignore": ["punctuation"]}, ["yes.", "(yes)"], ["Yes", "yes "])
        self.check({"$text": "yes", "$ignore": ["space"]}, ["y e s", " yes"], ["Yes", "yes."])
        self.check({"$text": "yes", "$ignore": ["case"]}, ["YES"], ["yes ", "yes."])
        self.check({"$text": "yes", "$ignore": []}, ["yes", "\uff59es"], ["Yes", "yes "])
        self.refused({"$text": 5}, {"$text": None}, {"$text": "a", "$ignore": ["cases"]}, {"$text": "a", "$ignore": "case"},
                     {"$ignore": ["case"]})

    def test_text_knows_more_than_lower_case(self):
        self.check({"$text": "STRASSE"}, ["Stra\u00dfe"], ["Strase"])
        self.check({"$text": "caf\u00e9"}, ["cafe\u0301", "CAFE\u0301"], ["cafe"])
        self.check({"$text": "\ufb01n"}, ["fin"], [])

    def test_punctuation_is_category_p_and_symbols_are_none(self):
        self.check({"$text": "5", "$ignore": ["punctuation"]}, ["5%", "#5", "\u201c5\u201d", "5_"], ["$5", "+5", "5\u20ac", "~5", "<5"])

    def test_approx(self):
        self.check({"$approx": {"value": 20, "abs": 0.1}}, [20, 20.0, 19.9, 20.1], [19.89, 20.11, "20", True, NAN, INF, ABSENT, [20]])
        self.check({"$approx": {"value": 200, "rel": 0.01}}, [198, 202], [197.99, 202.01])
        self.check({"$approx": {"value": -200, "rel": 0.01}}, [-198, -202], [-197.99, -202.01, 200])
        self.check({"$approx": {"value": 0, "rel": 0.5}}, [0], [0.0001])
        self.check({"$approx": {"value": 100, "abs": 5, "rel": 0.01}}, [95, 105], [94.9])
        self.check({"$approx": {"value": 100, "abs": 0.5, "rel": 0.01}}, [99, 101], [98.9])
        self.check({"$approx": {"value": 10 ** 30, "abs": 1}}, [10 ** 30 + 1, 10 ** 30 - 1], [10 ** 30 + 2])
        self.check({"$approx": {"value": 1, "abs": 0}}, [1, 1.0], [True, 1.0000001])
        self.refused({"$approx": 20}, {"$approx": {"value": 20}}, {"$approx": {"abs": 1}}, {"$approx": {"value": "20", "abs": 1}},
                     {"$approx": {"value": 20, "abs": -1}}, {"$approx": {"value": 20, "abs": 1, "tol": 1}}, {"$approx": {}},
                     {"$approx": {"value": True, "abs": 1}})

    def test_approx_bounds_are_those_that_are_written(self):
        self.check({"$approx": {"value": 0.3, "abs": 0.1}}, [0.4, 0.2], [0.41])
        self.check({"$approx": {"value": 1.1, "rel": 0.1}}, [1.21, 0.99], [1.2101])

    def test_comparisons(self):
        self.check({"$gt": 5}, [6, 5.0000001, 10 ** 300], [5, 4, True, "6", None, NAN, ABSENT, [6]])
        self.check({"$gte": 5}, [5, 5.0, 6], [4.9, "5", NAN])
        self.check({"$lt": 5}, [4, -10 ** 300], [5, "4", None, False, NAN, ABSENT])
        self.check({"$lte": 5}, [5, 4.5, 0], [6, "5", False, [], NAN])
        self.check({"$gt": 2 ** 53}, [2 ** 53 + 1], [2 ** 53, float(2 ** 53)])
        self.check({"$lt": 2 ** 53 + 1}, [2 ** 53, float(2 ** 53)], [2 ** 53 + 1])
        for name in ("$gt", "$gte", "$lt", "$lte"):
            self.refused({name: "5"}, {name: None}, {name: True}, {name: [5]}, {name: {}})

    def test_what_is_not_finite_is_under_no_limit(self):
        for odd in (NAN, INF, -INF):
            for name in ("$lt", "$lte", "$gt", "$gte"):
                self.check({name: 5}, [], [odd])

    def test_integers_have_no_largest(self):
        self.check({"$gt": 5}, [10 ** 400], [-10 ** 400])
        self.check({"$lte": 5}, [-10 ** 400], [10 ** 400])
        self.check({"$approx": {"value": 5, "abs": 1}}, [], [10 ** 400])

    def test_type(self):
        self.only({"$type": "null"}, None)
        self.only({"$type": "boolean"}, True, False)
        self.only({"$type": "string"}, "", "text", "7")
        self.only({"$type": "array"}, *[each for each in ALL_TYPES if type(each) is list])
        self.only({"$type": "object"}, *[each for each in ALL_TYPES if type(each) is dict])
        self.check({"$type": "integer"}, [0, -3, 10 ** 400, 1.0, -2e3], [2.5, True, "7", None, INF, NAN, ABSENT])
        self.check({"$type": "number"}, [0, 2.5, 2 ** 64], [True, "7", None, ABSENT])
        self.check({"$type": ["string", "null"]}, ["", None], [5, ABSENT])
        self.refused({"$type": "str"}, {"$type": "int"}, {"$type": []}, {"$type": ["string", "nul"]}, {"$type": None}, {"$type": 5})

    def test_an_integer_beyond_the_floats_is_a_number(self):
        self.check({"$type": "number"}, [10 ** 400, -10 ** 400], [])

    def test_length(self):
        self.check({"$length": 2}, ["ab", [1, 2], {"a": 1, "b": 2}, "\U0001f600x"], ["abc", [], {}, 2, 22, None, True, ABSENT])
        self.check({"$length": {"$gte": 1}}, ["a", [0], {"a": 0}], ["", [], {}])
        self.check({"$length": {"$one_of": [0, 3]}}, ["", "abc"], ["ab"])
        self.refused({"$length": {"$gtt": 1}}, {"$length": {"$gt": "1"}})

    def test_each(self):
        self.check({"$each": {"$type": "string"}}, [[], ["a"], ["a", "b"]], [["a", 1], "ab", {"a": "b"}, None, ABSENT])
        self.check({"$each": {"a": {"$gt": 0}}}, [[{"a": 1}, {"a": 2}]], [[{"a": 1}, {"a": 0}], [{"a": 1, "b": 1}]])
        self.refused({"$each": {"$tipe": "string"}})

    def test_some(self):
        self.check({"$some": {"$partial": {"sku": "A1"}}}, [[{"sku": "A1", "n": 1}], [1, {"sku": "A1"}]],
                   [[], [{"sku": "A2"}], {"sku": "A1"}, "A1", None, ABSENT])
        self.check({"$some": 1}, [[1.0]], [[True], 1])
        self.refused({"$some": {"$gt": "x"}})

    def test_partial(self):
        self.check({"$partial": {"status": "paid"}}, [{"status": "paid"}, {"status": "paid", "n": 1}],
                   [{"n": 1}, {"status": "open"}, {}, [], None, "paid", ABSENT])
        self.refused({"$partial": 5}, {"$partial": "x"}, {"$partial": None}, {"$partial": {"a": {"$gtt": 1}}})

    def test_partial_is_deep(self):
        matcher = {"$partial": {"a": {"b": {"c": 1}}}}
        self.check(matcher, [{"a": {"b": {"c": 1, "x": 1}, "x": 1}, "x": 1}], [{"a": {"b": {"x": 1}}}, {"a": {"c": 1}}])

    def test_partial_reaches_objects_inside_lists(self):
        self.check({"$partial": {"items": [{"sku": "A"}, {"sku": "B"}]}},
                   [{"items": [{"sku": "A", "n": 1}, {"sku": "B", "n": 2}], "x": 1}],
                   [{"items": [{"sku": "B"}, {"sku": "A"}]}, {"items": [{"sku": "A"}]},
                    {"items": [{"sku": "A"}, {"sku": "B"}, {"sku": "C"}]}, {"items": {"0": {"sku": "A"}}}])
        self.check({"$partial": [{"a": 1}]}, [[{"a": 1, "b": 2}]], [[], [{"b": 2}], {"a": 1}])
        self.check({"$partial": {"a": [[{"b": 1}]]}}, [{"a": [[{"b": 1, "c": 1}]]}], [{"a": [{"b": 1}]}])

    def test_partial_reaches_through_other_operators(self):
        self.check({"$partial": {"a": {"$some": {"id": 1}}}}, [{"a": [{"id": 1, "x": 2}]}], [{"a": [{"id": 2}]}])
        self.check({"$partial": {"a": {"$each": {"id": 1}}}}, [{"a": [{"id": 1, "x": 2}, {"id": 1}]}], [{"a": [{"x": 2}]}])
        self.check({"$partial": {"a": {"$one_of": [{"id": 1}, 5]}}}, [{"a": {"id": 1, "x": 2}}, {"a": 5}], [{"a": {"id": 2}}])
        self.check({"$partial": {"a": {"$optional": {"id": 1}}}}, [{}, {"a": {"id": 1, "x": 2}}], [{"a": {"id": 2}}])

    def test_partial_knows_absence(self):
        self.check({"$partial": {"a": {"$absent": True}}}, [{}, {"b": 1}], [{"a": None}, {"a": 1}])

    def test_objects_are_exact_without_partial(self):
        self.check({"a": {"$gt": 0}}, [{"a": 1}], [{"a": 1, "b": 1}, {}])
        self.check({"a": {"$partial": {"b": 1}}}, [{"a": {"b": 1, "c": 1}}], [{"a": {"b": 1}, "d": 1}])

    def test_literal_ends_partial(self):
        self.check({"$partial": {"a": {"$literal": {"b": 1}}}}, [{"a": {"b": 1}, "x": 1}], [{"a": {"b": 1, "c": 1}}])

    def test_lists_are_compared_in_order_and_in_full(self):
        self.check([{"$gt": 0}, "x"], [[1, "x"]], [["x", 1], [1], [1, "x", "x"], [], {"0": 1, "1": "x"}, ABSENT])

    def test_list(self):
        self.check({"$list": {"items": [1, 2]}}, [[1, 2]], [[2, 1], [1], [1, 2, 3], [1, 1, 2], 12, {"0": 1}, None, ABSENT])
        self.check({"$list": {"items": [1, 2], "order": "any"}}, [[1, 2], [2, 1]], [[1, 1], [1, 2, 2], [2]])
        self.check({"$list": {"items": [1, 2], "extra": "allow"}}, [[0, 1, 0, 2, 0]], [[2, 1], [1]])
        self.check({"$list": {"items": [1, 2], "missing": "allow"}}, [[], [1], [2], [1, 2]], [[2, 1], [1, 1], [3]])
        self.check({"$list": {"items": [2, 1], "order": "any", "extra": "allow", "missing": "forbid"}}, [[1, 0, 2]], [[1, 0]])
        self.check({"$list": {"items": []}}, [[]], [[1]])
        self.refused({"$list": [1]}, {"$list": {}}, {"$list": {"items": 5}}, {"$list": {"items": [1], "order": "unordered"}},
                     {"$list": {"items": [1], "extra": True}}, {"$list": {"items": [1], "extra": "allow", "missing": "allow"}},
                     {"$list": {"items": [], "extra": "allow"}}, {"$list": {"items": [1], "more": 1}},
                     {"$list": {"items": [{"$gtt": 1}]}})

    def test_list_pairs_as_well_as_possible(self):
        # First fit would give 7 to the first item and leave nothing for the second.
        self.check({"$list": {"items": [{"$gt": 0}, 7], "order": "any"}}, [[7, 8], [8, 7]], [[7], [8, 9]])
        self.check({"$list": {"items": [{"$type": "integer"}, {"$gt": 5}, 9], "order": "any"}}, [[9, 6, 1], [1, 9, 6]], [[1, 2, 9]])

    def test_same_as(self):
        matcher = {"a": {"$any": True}, "k": {"$same_as": "/a"}}

        def matches(document):
            return eh.compile_matcher(matcher)(document, lambda pointer: eh.resolve(document, pointer)) is None
        for one, other, word in ((1, 1.0, True), ([1], [1], True), ({"x": None}, {"x": None}, True), (1, True, False),
                                 (1, 2, False), ("1", 1, False), (None, None, True), (NAN, NAN, False)):
            self.assertIs(matches({"a": one, "k": other}), word, (one, other))
        self.assertFalse(matches({"a": 1}))
        self.assertFalse(eh.compile_matcher({"k": {"$same_as": "/gone"}})({"k": 1}, lambda pointer: eh.MISSING) is None)
        self.refused({"$same_as": "a"}, {"$same_as": 5}, {"$same_as": ["/a"]})

    def test_same_as_looks_into_the_run(self):
        steps = [call("find", result={"total": 42}), call("pay", arguments={"amount": 42.0})]
        check = {"check": "calls", "expected": ["find", {"name": "pay", "arguments": {"amount": {"$same_as": "/steps/0/result/total"}}}]}
        self.assertEqual(graded(check, {"steps": steps}).word, "passed")
        steps[1]["arguments"]["amount"] = 41
        found = graded(check, {"steps": steps})
        self.assertEqual(found.word, "failed")
        self.assertRegex(found.reason, r"/steps/1/arguments/amount.*/steps/0/result/total.*42.*41")

    def test_literal(self):
        self.check({"$literal": {"$ref": "x"}}, [{"$ref": "x"}], [{"$ref": "y"}, {}, "x", ABSENT])
        self.check({"$literal": {"$gt": 5}}, [{"$gt": 5}], [6])
        self.check({"$literal": [1]}, [[1.0]], [[True]])
        self.check({"$literal": None}, [None], [ABSENT, 0])

    def test_an_object_mixing_dollar_and_plain_keys_is_data(self):
        self.check({"$ref": "x", "a": 1}, [{"$ref": "x", "a": 1.0}], [{"$ref": "x"}, {"$ref": "y", "a": 1}])
        self.check({"$gt": 5, "a": 1}, [{"$gt": 5, "a": 1}], [6, {"$gt": 6, "a": 1}])
        self.check({"$x": {"$gt": 5}, "a": 1}, [{"$x": 6, "a": 1}], [{"$x": 5, "a": 1}])

    def test_an_empty_object_is_data(self):
        self.check({}, [{}], [{"a": 1}, [], None, ABSENT])

    def test_an_unknown_operator_is_refused_with_the_nearest(self):
        self.refused({"$gtt": 5}, {"$ref": "x"}, {"$regexp": "a"}, {"$gt": 1, "$tye": "integer"}, {"$": 1}, {"$GT": 1})
        self.assertIn('did you mean "$regex"', refusal({"check": "value", "is": {"$regexp": "a"}}))

    def test_every_wrong_operator_is_told_in_one_go(self):
        found = refusal({"check": "value", "is": {"a": {"$gtt": 1}, "b": [{"$gt": "x"}, {"$type": "int", "$regex": "("}]}})
        for place in ("/is/a/$gtt", "/is/b/0/$gt", "/is/b/1/$type", "/is/b/1/$regex"):
            self.assertIn(place, found)

    def test_schema(self):
        self.check({"$schema": {"type": "object", "required": ["a"]}}, [{"a": 1}], [{}, [], ABSENT])
        self.refused({"$schema": {"tpye": "object"}}, {"$schema": 5})


class Sentences(unittest.TestCase):
    """Every mismatch is told with the pointer of the first difference, the expected and the actual value."""

    def told(self, matcher, output, *parts, pointer="/output"):
        found = value_check(matcher, output)
        self.assertEqual(found.word, "failed", found.reason)
        for part in (pointer, *parts):
            self.assertIn(part, found.reason)
        return found.reason

    def test_literals(self):
        self.told(5, 6, "expected 5", "found 6")
        self.told("a", "b", 'expected "a"', 'found "b"')
        self.told({"a": {"b": [1, 2, 3]}}, {"a": {"b": [1, 9, 8]}}, "expected 2", "found 9", pointer="at /output/a/b/1:")
        self.told({"a": 1}, {}, "expected 1", "found nothing", pointer="/output/a")
        self.told({}, {"b": 7}, "7", pointer="/output/b")
        self.told([1], [1, 2], "1 item", "2 items")
        self.told({"a": [1]}, {"a": "x"}, "[1]", '"x"', pointer="/output/a")
        self.told({"a": None}, {"a": False}, "null", "false", pointer="/output/a")
        self.told({"a/b": {"~": 1}}, {"a/b": {"~": 2}}, pointer="/output/a~1b/~0")

    def test_one_and_true_are_told_apart(self):
        self.told({"a": 1}, {"a": True}, "expected 1", "found true", pointer="/output/a")
        self.told({"a": "1"}, {"a": 1}, 'expected "1"', "found 1", pointer="/output/a")
        self.told(9007199254740993, 9007199254740992.0, "9007199254740993", "9007199254740992")

    def test_operators(self):
        for matcher, value, expected, actual in (
                ({"$any": True}, ABSENT, "any value", "nothing"), ({"$absent": True}, 5, "no", "5"),
                ({"$optional": 3}, 4, "3", "4"), ({"$one_of": [1, {"$gt": 5}]}, 4, "1", "4"), ({"$not": "x"}, "x", '"x"', '"x"'),
                ({"$all": [{"$gt": 1}, {"$lt": 9}]}, 10, "9", "10"), ({"$regex": "^ab", "$flags": "i"}, "xy", "^ab", '"xy"'),
                ({"$contains": "ab"}, "xy", '"ab"', '"xy"'), ({"$text": "ab"}, "xy", '"ab"', '"xy"'),
                ({"$approx": {"value": 5, "abs": 0.5}}, 6, "5", "6"), ({"$gt": 5}, 4, "5", "4"), ({"$gte": 5}, 4, "5", "4"),
                ({"$lt": 5}, 6, "5", "6"), ({"$lte": 5}, 6, "5", "6"), ({"$type": "string"}, 6, "string", "6"),
                ({"$length": 2}, "abc", "2", "3"), ({"$some": 4}, [5], "4", "[5]"), ({"$literal": 5}, 6, "5", "6"),
                ({"$partial": {"a": 1}}, [7], "object", "[7]"), ({"$each": 1}, 7, "list", "7"),
                ({"$list": {"items": [1]}}, 7, "list", "7"), ({"$same_as": "/state"}, 7, "/state", "7")):
            document = {} if value is ABSENT else {"k": value}
            reason = self.told({"k": matcher}, document, pointer="/output/k")
            before, _, after = reason.partition("found")
            self.assertIn(expected, before, matcher)
            self.assertIn(actual, after, matcher)

    def test_inside_operators_the_pointer_goes_on(self):
        self.told({"$each": {"a": {"$gt": 0}}}, [{"a": 1}, {"a": -1}], "-1", pointer="/output/1/a")
        self.told({"$partial": {"a": [{"b": 1}]}}, {"a": [{"b": 2, "c": 3}]}, "expected 1", "found 2", pointer="/output/a/0/b")
        self.told({"$list": {"items": [1, 2]}}, [1, 2, 9], "9", pointer="/output/2")
        self.assertRegex(self.told({"$list": {"items": [1, 77, 3], "order": "any"}}, [3, 1]), "expected .*77")
        self.assertRegex(self.told({"$list": {"items": [{"$gt": 5}, 3]}}, [3]), "expected .*5.*found")

    def test_texts_that_look_alike_are_told_apart(self):
        # Fault 88: a difference is either tolerated or explained.
        composed, decomposed = "caf\u00e9", "cafe\u0301"
        reason = self.told(composed, decomposed)
        self.assertRegex(reason, r"(?i)u\+?0301|u\+?00e9|nfk?c|normal")

    def test_a_trailing_space_is_seen(self):
        self.told("yes", "yes ", '"yes"', '"yes "')

    def test_what_text_ignores_is_told(self):
        self.told({"$text": "yes", "$ignore": ["case", "punctuation"]}, "no", "case", "punctuation")
        self.told({"$text": "yes"}, "no", "case", "space")

    def test_long_values_are_shortened_at_both_ends_of_the_sentence(self):
        reason = self.told("x" * 5000, "y" * 5000)
        self.assertLess(len(reason), 600)
        self.assertIn("more characters", reason)
        reason = self.told({"a": list(range(5000))}, {"a": 1}, "found 1", pointer="/output/a")
        self.assertLess(len(reason), 600)

    def test_difference_is_found_for_any_two_values_that_are_not_equal(self):
        values = [row[0] for row in EQUAL] + [NAN, INF]
        for one, other in itertools.product(values, repeat=2):
            if one is not other:
                found = eh.difference(one, other)
                pointer = "".join("/" + eh.escape_pointer(step) for step in found.path)
                self.assertFalse(eh.json_equal(eh.resolve(one, pointer), eh.resolve(other, pointer)), (one, other))


class Ignoring(unittest.TestCase):
    """`ignore`: pointer globs that are left out on both sides, rooted at the arguments; `*` is one step."""

    def test_globs(self):
        value = {"a": 1, "b": {"ts": 2, "c": {"ts": 3}}, "l": [{"ts": 4, "x": 5}, {"ts": 6}], "x/y": 7, "m~n": 8, "*": 9}
        for globs, kept in ((["/a"], {key: item for key, item in value.items() if key != "a"}),
                            (["/b/ts"], {**value, "b": {"c": {"ts": 3}}}), (["/*/ts"], {**value, "b": {"c": {"ts": 3}}}),
                            (["/b/*/ts"], {**value, "b": {"ts": 2, "c": {}}}),
                            (["/l/*/ts"], {**value, "l": [{"x": 5}, {}]}), (["/l/0/ts"], {**value, "l": [{"x": 5}, {"ts": 6}]}),
                            (["/x~1y"], {key: item for key, item in value.items() if key != "x/y"}),
                            (["/m~0n"], {key: item for key, item in value.items() if key != "m~n"}),
                            (["/nope", "/a/b", "/l/9"], value), (["/*"], {}), ([], value),
                            (["/a", "/b", "/l"], {"x/y": 7, "m~n": 8, "*": 9})):
            self.assertEqual(eh.without(value, globs), kept, globs)
        self.assertEqual(value["b"], {"ts": 2, "c": {"ts": 3}})

    def test_a_step_is_matched_in_full(self):
        self.assertEqual(eh.without({"ts": 1, "tsx": 2, "xts": 3, "*s": 4}, ["/ts"]), {"tsx": 2, "xts": 3, "*s": 4})
        self.assertEqual(eh.without({"ts": 1, "a": {"ts": 2}}, ["/a/ts"]), {"ts": 1, "a": {}})

    def test_items_of_a_list(self):
        self.assertEqual(eh.without({"l": [1, 2, 3]}, ["/l/0", "/l/2"]), {"l": [2]})
        self.assertEqual(eh.without([1, 2], ["/*"]), [])

    def test_what_is_no_object_stays(self):
        for value in (5, "text", None, eh.MISSING):
            self.assertIs(eh.without(value, ["/a", "/*"]), value)

    def test_both_sides(self):
        expected = [{"name": "pay", "arguments": {"id": 1, "ts": 5, "meta": {"trace": "a", "n": 1}}}]
        ignore = ["/ts", "/meta/trace"]
        made = [("pay", {"id": 1, "ts": 6, "meta": {"trace": "b", "n": 1}})]
        self.assertEqual(related(expected, made).word, "failed")
        self.assertEqual(related(expected, made, ignore=ignore).word, "passed")
        self.assertEqual(related(expected, [("pay", {"id": 1, "meta": {"n": 1}})], ignore=ignore).word, "passed")
        self.assertEqual(related(expected, [("pay", {"id": 2, "ts": 5, "meta": {"trace": "a", "n": 1}})], ignore=ignore).word, "failed")
        self.assertEqual(related(expected, [("pay", {"id": 1, "ts": 5, "meta": {"n": 2}})], ignore=ignore).word, "failed")

    def test_together_with_operators(self):
        expected = [{"name": "pay", "arguments": {"id": {"$gt": 0}, "ts": {"$type": "integer"}}}]
        self.assertEqual(related(expected, [("pay", {"id": 1, "ts": "now"})], ignore=["/ts"]).word, "passed")
        self.assertEqual(related(expected, [("pay", {"id": 0, "ts": "now"})], ignore=["/ts"]).word, "failed")

    def test_inside_partial(self):
        expected = [{"name": "pay", "arguments": {"$partial": {"id": 1, "ts": 5}}}]
        self.assertEqual(related(expected, [("pay", {"id": 1, "ts": 6, "x": 1})], ignore=["/ts"]).word, "passed")

    def test_arguments_that_are_not_json_stay_unreadable(self):
        made = [{"kind": "tool_call", "name": "pay", "arguments": "{\"a\": "}]
        self.assertEqual(related([{"name": "pay", "arguments": {"a": 1}}], made, ignore=["/a"]).word, "failed")

    def test_what_is_no_pointer_is_refused(self):
        self.assertIn("/ignore/1", refusal({"check": "calls", "expected": ["a"], "ignore": ["/a", "b"]}))
        self.assertIn("/ignore", refusal({"check": "calls", "expected": ["a"], "ignore": "/a"}))


# ---------------------------------------------------------------------------


class TextToJson(unittest.TestCase):
    """The whole text, else exactly one fenced block; several candidates are a failure that says so."""

    def test_the_whole_text(self):
        for text, value in (('{"a": 1}', {"a": 1}), (" [1, 2]\n", [1, 2]), ("5", 5), ("null", None), ('"x"', "x"), ("false", False)):
            self.assertEqual(eh.json_of_text(text), value)

    def test_one_fenced_block(self):
        for text in ('Here:\n```json\n{"a": 1}\n```\nDone.', '```\n{"a": 1}\n```', '```json\n{"a": 1}\n```', '~~~json\n{"a": 1}\n~~~',
                     '```JSON\n\n{"a":\n 1}\n\n```  \n', '  ```json\n  {"a": 1}\n  ```', '``` json\n{"a": 1}\n```',
                     '```json title="x"\n{"a": 1}\n```', '````json\n{"a": 1}\n````'):
            self.assertEqual(eh.json_of_text(text), {"a": 1}, text)

    def test_line_ends_of_windows(self):
        self.assertEqual(eh.json_of_text('Here:\r\n```json\r\n{"a": 1}\r\n```\r\nDone.\r\n'), {"a": 1})

    def test_several_blocks_are_ambiguous(self):
        for text, number in (('```json\n{"a": 1}\n```\nor\n```json\n{"a": 2}\n```', 2), ('```\n1\n```\n```\n1\n```', 2),
                             ('```json\n1\n```\n\n```json\n2\n```\n\n```json\n3\n```', 3)):
            with self.assertRaisesRegex(eh.HarnessError, "ambiguous.*%d" % number):
                eh.json_of_text(text)

    def test_the_one_block_that_is_marked_json_is_meant(self):
        self.assertEqual(eh.json_of_text('```ts\n{a: 1}\n```\ntext\n```json\n{"score": 1}\n```'), {"score": 1})
        self.assertEqual(eh.json_of_text('```python\nx = {"a": 2}\n```\n```json\n{"score": 1}\n```'), {"score": 1})

    def test_braces_in_the_prose_do_not_matter(self):
        self.assertEqual(eh.json_of_text('Use {{name}} and {x}.\n```json\n{"a": 1}\n```\n{end}'), {"a": 1})

    def test_fences_inside_texts_are_no_fences(self):
        self.assertEqual(eh.json_of_text('```json\n{"a": "x ``` y"}\n```'), {"a": "x ``` y"})
        self.assertEqual(eh.json_of_text('````json\n{"a": "```"}\n````'), {"a": "```"})

    def test_what_holds_no_json(self):
        for text in ("", "   ", "no JSON here", "{'a': 1}", "```json\n{'a': 1}\n```", "```json\n{\"a\": 1}", "{\"a\": 1} trailing",
                     "answer: {\"a\": 1}", "```json\n```", "{\"a\": 1", "[1, 2]]"):
            with self.assertRaises(eh.HarnessError, msg=text):
                eh.json_of_text(text)

    def test_a_depth_bomb(self):
        for text in ("[" * 100000, "```json\n%s\n```" % ("[" * 100000), "```json\n%s%s\n```" % ("[" * 1000, "]" * 1000)):
            with self.assertRaises(eh.HarnessError):
                eh.json_of_text(text)

    def test_through_the_check(self):
        for output, word in (('{"a": 1}', "passed"), ('```json\n{"a": 1}\n```', "passed"), ({"a": 1}, "passed"), ("a: 1", "failed"),
                             ('```json\n{"a": 1}\n```\n```json\n{"a": 1}\n```', "failed"), ("[" * 100000, "failed")):
            self.assertEqual(value_check({"a": 1}, output, parse="json").word, word, str(output)[:40])
        self.assertIn("ambiguous", value_check(1, "```json\n1\n```\n```json\n1\n```", parse="json").reason)
        self.assertEqual(value_check({"a": 1}, '{"a": 1}').word, "failed")


class NumbersInText(unittest.TestCase):
    """The numbers that a text states."""

    table = (
        ("711", [711]), ("The answer is 72, in total, so the farmer earns that.", [72]), ("8,000", [8000]),
        ("$9,500", [9500]), ("9{,}500", [9500]), ("points 1,2 and 1,234", [1, 2, 1234]), ("1,234.50", [1234.5]),
        ("1,234,567", [1234567]), ("12,34", [12, 34]), ("1,2345", [1, 2345]), ("$204 + $160 = $364", [204, 160, 364]),
        ("3.14", [3.14]), (".5 of it", [0.5]), ("It is 5.", [5]), ("(5)", [5]), ("5-6", [5, 6]), ("x = -5", [-5]),
        ("\u22125 \u00b0C", [-5]), ("-$5", [-5]), ("$-5", [-5]), ("+7", [7]), ("1e3", [1000.0]), ("2.5E-1", [0.25]),
        ("\u20ac1,000.25 or \u00a37", [1000.25, 7]), ("order A-17", []), ("gpt-4o", []), ("on 2024-05-06", []), ("at 12:30", []),
        ("version 1.2.3", []), ("", []), ("no number", []), (",", []), ("a,b", []), ("9007199254740993", [9007199254740993]),
        ("72,", [72]), ("it cost 72, not 73", [72, 73]),
    )

    def test_what_is_read(self):
        for text, numbers in self.table:
            found = eh.amounts(text)
            self.assertEqual([each.value for each in found], numbers, text)
            self.assertFalse(any(each.percent for each in found), text)

    def test_percent_is_a_unit(self):
        self.assertEqual([(each.value, each.percent) for each in eh.amounts("20% of 100, 5 % or 3.5 percent")],
                         [(20, True), (100, False), (5, True), (3.5, True)])

    def number(self, text, value, **keys):
        return graded({"check": "number", "value": value, **keys}, {"output": text}).word

    def test_the_check(self):
        for text, value, keys, word in (
                ("711", 11, {}, "failed"), ("11", 11, {}, "passed"), ("20% of 100", 20, {}, "failed"), ("20% of 100", "20%", {}, "passed"),
                ("20% of 100", 100, {}, "passed"), ("$9,500", 9500, {}, "passed"), ("8,000", 0, {}, "failed"), ("1,2", 12, {}, "failed"),
                ("between 3 and 4", 3, {}, "passed"), ("between 3 and 4", 3, {"which": "only"}, "failed"),
                ("between 3 and 4", 3, {"which": "first"}, "passed"), ("between 3 and 4", 3, {"which": "last"}, "failed"),
                ("$204 + $160 = $364", 364, {"which": "last"}, "passed"), ("about 19.9", 20, {"abs": 0.1}, "passed"),
                ("about 19.89", 20, {"abs": 0.1}, "failed"), ("198", 200, {"rel": 0.01}, "passed"), ("197.9", 200, {"rel": 0.01}, "failed"),
                ("9007199254740993", 9007199254740992, {}, "failed"), ("none", 0, {}, "failed"), ("-5", 5, {}, "failed"),
                ("3 and 3", 3, {"which": "only"}, "failed")):
            self.assertEqual(self.number(text, value, **keys), word, (text, value, keys))
        self.assertEqual(graded({"check": "number", "value": 1}, {"steps": []}).word, "error")

    def test_long_digits_are_no_crash(self):
        for text in ("1" * 5000, "1." + "0" * 5000, "1e999", "9" * 400 + ".0", "1," * 3000, "1" * 100000):
            self.assertEqual(self.number(text, 7), "failed")

    def test_wrong_arguments(self):
        for keys in ({"value": "many"}, {"value": True}, {"value": None}, {"value": 1, "abs": -1}, {"value": 1, "rel": "x"},
                     {"value": 1, "which": "middle"}, {"value": "5 and 6"}, {}):
            self.assertIsNotNone(refusal({"check": "number", **keys}), keys)


class Similarity(unittest.TestCase):
    def metric(self, name, reference, text):
        return eh.SIMILARITIES[name](reference, text)

    def test_token_f1(self):
        for reference, text, score in (
                ("a b c", "a b c", 1), ("the cat sat", "the cat", 2 * 2 / 5), ("a b c d", "e f", 0), ("a a b", "a b b", 2 * 2 / 6),
                ("a", "a a a a", 2 * 1 / 5), ("The refund, was ISSUED!", "the refund was issued", 1), ("a b", "", 0),
                ("b a", "a b", 1), ("Stra\u00dfe", "STRASSE", 1)):
            self.assertAlmostEqual(self.metric("token_f1", reference, text), score, places=12, msg=(reference, text))
            self.assertAlmostEqual(self.metric("token_f1", text, reference), score, places=12, msg=(reference, text))

    def test_rouge_l(self):
        for reference, text, score in (
                ("a b c d", "a b c d", 1), ("a b c d", "a x c y", 2 * 2 / 8), ("a c d", "a b c d", 2 * 3 / 7), ("b a", "a b", 2 * 1 / 4),
                ("a b", "c d", 0), ("police killed the gunman", "police kill the gunman", 0.75),
                ("police killed the gunman", "the gunman kill police", 0.5), ("a b c", "", 0)):
            self.assertAlmostEqual(self.metric("rouge_l", reference, text), score, places=12, msg=(reference, text))

    def test_rouge_l_is_the_longest_common_subsequence(self):
        rnd = random.Random(3)

        def longest(one, other):
            row = [0] * (len(other) + 1)
            for token in one:
                before = 0
                for index, each in enumerate(other):
                    before, row[index + 1] = row[index + 1], before + 1 if token == each else max(row[index + 1], row[index])
            return row[-1]
        for _ in range(300):
            one, other = ([rnd.choice("abcd") for _ in range(rnd.randint(1, 9))] for _ in range(2))
            self.assertAlmostEqual(self.metric("rouge_l", " ".join(one), " ".join(other)),
                                   2 * longest(one, other) / (len(one) + len(other)), places=12)

    def test_ratio(self):
        for reference, text, score in (("abcd", "abcd", 1), ("abcd", "bcde", 0.75), ("abc", "xyz", 0), ("ab", "a", 2 / 3),
                                       ("refund issued", "refund issues", 24 / 26)):
            self.assertAlmostEqual(self.metric("ratio", reference, text), score, places=12, msg=(reference, text))

    def test_the_check(self):
        def word(text, **keys):
            return graded({"check": "similarity", **keys}, {"output": text})
        self.assertAlmostEqual(word("the cat", reference="the cat sat", threshold=0.8).score, 0.8)
        self.assertEqual(word("the cat", reference="the cat sat", threshold=0.8).word, "passed")
        self.assertEqual(word("the cat", reference="the cat sat", threshold=0.81).word, "failed")
        self.assertEqual(word("the cat", reference=["dog", "the cat"], threshold=1).score, 1)
        self.assertEqual(word("", reference="the cat", threshold=0.1).score, 0)
        self.assertEqual(graded({"check": "similarity", "reference": "a", "threshold": 0.5}, {"steps": []}).word, "error")

    def test_a_threshold_is_required(self):
        for keys in ({}, {"threshold": None}, {"threshold": 0}, {"threshold": 1.1}, {"threshold": -1}, {"threshold": "0.5"}):
            self.assertIsNotNone(refusal({"check": "similarity", "reference": "a", **keys}), keys)
        for keys in ({"metric": "bleu"}, {"reference": []}, {"reference": ""}, {"reference": "?!"}):
            self.assertIsNotNone(refusal({"check": "similarity", "reference": "a", "threshold": 0.5, **keys}), keys)


class Clock(unittest.TestCase):
    """A regular expression that would take too long is an error of its check, and nothing else suffers."""

    def setUp(self):
        self.addCleanup(eh.REGEX_CLOCK.close)
        self.addCleanup(eh.make_config)

    def word(self, pattern, text, limit=150):
        config = {"limits": {"regex_ms": limit}}
        return graded({"check": "matches", "pattern": pattern}, {"output": text}, config)

    def test_patterns_that_backtrack_without_end(self):
        for pattern, text in (("(a+)+$", "a" * 40 + "!"), ("^(a|a)*$", "a" * 40 + "!"), ("(a|aa)+$", "a" * 60 + "!"),
                              ("(?:x+x+)+y", "x" * 40), ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 60)):
            found = self.word(pattern, text)
            self.assertEqual(found.word, "error", pattern)
            self.assertIn("regex_ms", found.reason)

    def test_optional_parts_that_backtrack_without_end(self):
        for pattern, text in (("(a?){23}a{23}", "a" * 23), ("a?" * 24 + "a" * 24, "a" * 24), ("(a{0,30}){0,30}b", "a" * 22)):
            with self.subTest(pattern=pattern):
                self.assertEqual(self.word(pattern, text, limit=50).word, "error")

    def test_patterns_that_hide_how_they_backtrack(self):
        for pattern, text in (("(?x)(a+) +$", "a" * 22 + "!"), ("(?x)(a+) # all\n +$", "a" * 22 + "!"), ("(a|aa)" * 19 + "b", "a" * 38)):
            with self.subTest(pattern=pattern):
                self.assertEqual(self.word(pattern, text, limit=50).word, "error")

    def test_the_operator(self):
        found = graded({"check": "value", "is": {"$regex": "(a+)+$"}}, {"output": "a" * 40 + "!"}, {"limits": {"regex_ms": 150}})
        self.assertEqual(found.word, "error")
        self.assertIn("regex_ms", found.reason)

    def test_not_makes_no_pass_of_it(self):
        found = graded({"check": "matches", "pattern": "(a+)+$", "not": True}, {"output": "a" * 40 + "!"}, {"limits": {"regex_ms": 150}})
        self.assertEqual(found.word, "error")

    def test_the_same_patterns_judge_what_they_can(self):
        for pattern, text, word in (("(a+)+$", "a" * 40, "passed"), ("^(a|b)*$", "ab" * 20, "passed"), ("^(a|b)*$", "abc", "failed"),
                                    ("(\\w+\\s?)+$", "one two three", "passed"), ("(x+x+)+y", "xxxy", "passed")):
            self.assertEqual(self.word(pattern, text, limit=5000).word, word, pattern)

    def test_it_works_again_after_a_timeout(self):
        self.assertEqual(self.word("(a+)+$", "a" * 40 + "!").word, "error")
        self.assertEqual(self.word("(a+)+$", "aaa", limit=5000).word, "passed")
        self.assertEqual(self.word("(a+)+$", "b\nb", limit=5000).word, "failed")

    def test_flags_and_odd_texts_reach_the_clock(self):
        for pattern, text, word in (("(?i)(A+)+$", "aaa", "passed"), ("(\u00e9+)+$", "\u00e9\u00e9", "passed"),
                                    ("(a+)+\ud83d$", "aa\ud83d", "passed"), ("(a+)+\\\\$", 'a"\\\n' + "a\\", "passed")):
            self.assertEqual(self.word(pattern, text, limit=5000).word, word, pattern)


class ClockInARun(Workspace):
    def test_the_rest_of_the_run_goes_on(self):
        self.write("config.json", {"limits": {"regex_ms": 150}})
        self.case("slow", {"check": "matches", "pattern": "(a+)+$"})
        self.case("swift")
        self.run_of("slow", "a" * 40 + "!")
        self.run_of("swift")
        self.assertEqual(self.main("run").code, 1)
        rows = {row["case"]: row for row in self.report()["cases"]}
        self.assertEqual(rows["swift"]["status"], "passed")
        self.assertNotEqual(rows["slow"]["status"], "passed")
        self.assertEqual(rows["slow"]["runs"][0]["checks"][0]["outcome"], "error")
        eh.make_config()


# ---------------------------------------------------------------------------


def pairings(groups, count, fits, order):
    """Every allowed pairing of expected items with actual ones, by trying all: {expected: actual}."""
    flat = [item for group in groups for item in group]
    home = {item: 0 if order == "any" else number for number, group in enumerate(groups) for item in group}
    rank = {item: index for index, item in enumerate(flat)}

    def extend(index, made):
        if index == len(flat):
            yield dict(made)
            return
        yield from extend(index + 1, made)
        item = flat[index]
        for actual in range(count):
            if fits(item, actual) and actual not in made.values() and all(
                    before < actual for other, before in made.items() if home[other] < home[item] and rank[other] < rank[item]):
                made[item] = actual
                yield from extend(index + 1, made)
                del made[item]
    yield from extend(0, {})


class Pairing(unittest.TestCase):
    """The pairing is the best possible one, against trying all of them."""

    def test_against_brute_force(self):
        rnd = random.Random(11)
        for _ in range(2500):
            groups, at = [], 0
            for _ in range(rnd.randint(0, 3)):
                size = rnd.choice((1, 1, 1, 2, 3))
                groups.append(list(range(at, at + size)))
                at += size
                if at >= 4:
                    break
            count, order, density = rnd.randint(0, 4), rnd.choice(("sequence", "sequence", "any")), rnd.random()
            optional = frozenset(item for item in range(at) if rnd.random() < 0.3)
            table = {(item, actual): rnd.random() < density for item in range(at) for actual in range(count)}
            fits = lambda item, actual: table[item, actual]
            found = eh.relate(groups, optional, count, fits, order)
            every = list(pairings(groups, count, fits, order))
            self.assertIn(found, every, "not an allowed pairing")
            value = lambda pairs: (sum(item not in optional for item in pairs), len(pairs))
            self.assertEqual(value(found), max(map(value, every)), (groups, optional, count, order, table))

    def test_first_fit_is_not_enough(self):
        for expected, made, keys in ((["*", "pay"], ["pay", "find"], {"order": "any"}), ([["*", "pay"]], ["pay", "find"], {}),
                                     (["a", "b", "a"], ["b", "a", "b", "a"], {"extra": "allow"}),
                                     (["find", "pay"], ["pay", "find", "find", "pay"], {"extra": "allow"}),
                                     (["*", "[ab]", "a"], ["a", "b", "c"], {"order": "any"})):
            self.assertEqual(related(expected, made, **keys).word, "passed" if keys or expected[0] != "a" else "failed", expected)

    def test_the_lowest_index_wins_ties(self):
        pairs = lambda expected, made, order="sequence": eh.relate(
            [[index] for index in range(len(expected))], frozenset(), len(made), lambda one, other: expected[one] == made[other], order)
        self.assertEqual(pairs("a", "aaa"), {0: 0})
        self.assertEqual(pairs("a", "aaa", "any"), {0: 0})
        self.assertEqual(pairs("aa", "a"), {0: 0})
        self.assertEqual(pairs("aa", "a", "any"), {0: 0})
        self.assertEqual(pairs("ab", "abab"), {0: 0, 1: 1})
        self.assertEqual(pairs("ab", "bbaa", "any"), {0: 2, 1: 0})

    def test_the_lowest_index_is_what_the_report_shows(self):
        self.assertEqual(related(["a"], ["a", "a", "a"]).evidence, ("/steps/1", "/steps/2"))
        self.assertIn("expected call 2", related(["a", "a"], ["a"]).reason)

    def test_large_lists_are_no_matter(self):
        names = ["n%d" % number for number in range(300)]
        self.assertEqual(related(names, names[::-1], order="any").word, "passed")
        self.assertAlmostEqual(related(names, names[::-1], score="recall").score, 1 / 300)


class Relation(unittest.TestCase):
    """calls(expected, order, extra, missing, score)."""

    def test_scores_against_brute_force(self):
        rnd = random.Random(5)
        names = ["a", "b", "c", "[ab]", "*"]
        for _ in range(1200):
            expected = []
            for _ in range(rnd.randint(0, 3)):
                item = lambda: {"name": rnd.choice(names), **({"optional": True} if rnd.random() < 0.25 else {})}
                expected.append(item() if rnd.random() < 0.75 else [item() for _ in range(rnd.randint(1, 2))])
            made = [rnd.choice("abc") for _ in range(rnd.randint(0, 4))]
            order = rnd.choice(("sequence", "any"))
            how = rnd.choice(("all", "recall", "precision", "f1"))
            extra, missing = rnd.choice((("forbid", "forbid"), ("forbid", "allow"), ("allow", "forbid")))
            check = {"check": "calls", "expected": expected, "order": order, "score": how, "extra": extra, "missing": missing}
            if refusal(check):
                continue
            flat = [each for item in expected for each in (item if type(item) is list else [item])]
            groups, at = [], 0
            for item in expected:
                size = len(item) if type(item) is list else 1
                groups.append(range(at, at + size))
                at += size
            fits = lambda item, actual: flat[item]["name"] in (made[actual], "*") or flat[item]["name"] == "[ab]" and made[actual] in "ab"
            need = lambda pairs: [item for item in pairs if "optional" not in flat[item]]
            best = max(pairings(groups, len(made), fits, order), key=lambda pairs: (len(need(pairs)), len(pairs)))
            m, e = len(need(best)), sum("optional" not in each for each in flat)
            a = len(made) - (len(best) - m)
            if how == "all":
                score = float((missing == "allow" or m == e) and (extra == "allow" or m == a))
            elif e == a == 0:
                score = 1.0
            elif how == "recall" and not e:
                continue
            else:
                score = {"recall": lambda: m / e, "precision": lambda: m / a if a else 0.0, "f1": lambda: 2 * m / (e + a)}[how]()
            found = related(expected, made, order=order, score=how, extra=extra, missing=missing)
            self.assertAlmostEqual(found.score, score, places=12, msg=(check, made, found.reason))
            self.assertEqual(found.word, "passed" if score == 1 else "failed", (check, made))

    def test_the_four_switches(self):
        a, b, ab, ba, abc, none = ["a"], ["b"], ["a", "b"], ["b", "a"], ["a", "b", "c"], []
        for keys, made, good in (
                ({}, ab, True), ({}, ba, False), ({}, a, False), ({}, abc, False), ({}, none, False),
                ({"order": "any"}, ba, True), ({"order": "any"}, abc, False), ({"order": "any"}, b, False),
                ({"extra": "allow"}, abc, True), ({"extra": "allow"}, ["c", "a", "c", "b"], True), ({"extra": "allow"}, ba, False),
                ({"extra": "allow"}, a, False), ({"missing": "allow"}, a, True), ({"missing": "allow"}, b, True),
                ({"missing": "allow"}, none, True), ({"missing": "allow"}, ba, False), ({"missing": "allow"}, ["c"], False),
                ({"order": "any", "extra": "allow"}, ["c", "b", "a"], True), ({"order": "any", "missing": "allow"}, ba, True),
                ({"order": "any", "missing": "allow"}, ["a", "a"], False)):
            self.assertEqual(related(ab, made, **keys).word, "passed" if good else "failed", (keys, made))

    def test_scores(self):
        for how, expected, made, score in (
                ("recall", ["a", "b", "c", "d"], ["a", "c", "x"], 0.5), ("precision", ["a", "b", "c", "d"], ["a", "c", "x"], 2 / 3),
                ("f1", ["a", "b", "c", "d"], ["a", "c", "x"], 4 / 7), ("precision", ["a"], [], 0), ("recall", ["a"], [], 0),
                ("f1", ["a"], [], 0), ("recall", ["a", "b"], ["b", "a"], 0.5), ("recall", ["a"], ["a", "x", "x"], 1),
                ("precision", ["a", "b"], ["a"], 1), ("f1", ["a", "b"], ["a", "b"], 1), ("recall", ["a", "a"], ["a"], 0.5),
                ("precision", ["a"], ["a", "a"], 0.5)):
            self.assertAlmostEqual(related(expected, made, score=how).score, score, places=12, msg=(how, expected, made))

    def test_a_score_passes_at_its_threshold(self):
        for threshold, word in ((0.5, "passed"), (0.51, "failed"), (1, "failed"), (0.1, "passed")):
            self.assertEqual(related(["a", "b"], ["a"], score="recall", threshold=threshold).word, word)
        self.assertEqual(related(["a", "b", "c"], ["a"], score="recall", threshold=1 / 3).word, "passed")
        self.assertEqual(related(["a", "b"], ["a"], score="recall").word, "failed")

    def test_extra_and_missing_matter_for_all_only(self):
        self.assertEqual(related(["a", "b"], ["a", "x"], score="recall", missing="allow").score, 0.5)
        self.assertEqual(related(["a", "b"], ["a", "x"], score="precision", extra="allow").score, 0.5)

    def test_repeats_count(self):
        self.assertEqual(related(["a"], ["a", "a"]).word, "failed")
        self.assertEqual(related(["a", "a"], ["a"]).word, "failed")
        self.assertEqual(related(["a", "a"], ["a", "a"]).word, "passed")
        self.assertEqual(related(["a", "a"], ["a"], extra="allow").word, "failed")

    def test_nothing_expected_is_call_nothing(self):
        self.assertEqual(related([], []).word, "passed")
        self.assertEqual(related([], ["a"]).word, "failed")
        self.assertEqual(graded({"check": "calls", "expected": []}, {"output": "x"}).word, "error")
        for keys in ({"extra": "allow"}, {"score": "recall"}, {"score": "precision"}, {"score": "f1"}):
            self.assertIsNotNone(refusal({"check": "calls", "expected": [], **keys}), keys)

    def test_what_could_never_fail_is_refused(self):
        self.assertIsNotNone(refusal({"check": "calls", "expected": ["a"], "extra": "allow", "missing": "allow"}))
        self.assertIsNotNone(refusal({"check": "calls", "expected": [{"name": "a", "optional": True}], "extra": "allow"}))

    def test_groups(self):
        expected = ["start", ["a", "b"], "end"]
        for made, good in ((["start", "a", "b", "end"], True), (["start", "b", "a", "end"], True), (["a", "start", "b", "end"], False),
                           (["start", "a", "end", "b"], False), (["start", "a", "end"], False), (["start", "a", "b", "a", "end"], False)):
            self.assertEqual(related(expected, made).word, "passed" if good else "failed", made)
        self.assertEqual(related([["a", "a"], ["b"]], ["a", "a", "b"]).word, "passed")
        self.assertEqual(related([["a", "b"], ["a", "b"]], ["a", "b", "b", "a"]).word, "passed")
        self.assertEqual(related([["a", "b"], ["a", "b"]], ["a", "a", "b", "b"]).word, "failed")
        self.assertIsNotNone(refusal({"check": "calls", "expected": [[]]}))
        self.assertIsNotNone(refusal({"check": "calls", "expected": [["a", ["b"]]]}))

    def test_optional_items(self):
        log = {"name": "log", "optional": True}
        for made, good in ((["a"], True), (["a", "log"], True), (["log", "a"], False), (["a", "log", "log"], False), (["log"], False)):
            self.assertEqual(related(["a", log], made).word, "passed" if good else "failed", made)
        self.assertEqual(related(["a", log, "b"], ["a", "b"]).word, "passed")
        for how, made, score in (("recall", ["a", "log"], 0.5), ("precision", ["a", "log", "x"], 0.5), ("f1", ["a", "log"], 2 / 3),
                                 ("precision", ["a", "log"], 1), ("recall", ["log"], 0)):
            self.assertAlmostEqual(related(["a", log, "b"], made, score=how).score, score, places=12, msg=(how, made))
        self.assertEqual(related([["a", log]], ["log", "a"]).word, "passed")

    def test_required_items_win_over_optional_ones(self):
        anything = {"name": "*", "optional": True}
        self.assertEqual(related([anything, "a"], ["a"], order="any").word, "passed")
        self.assertEqual(related([anything, "a"], ["a"]).word, "passed")
        self.assertEqual(related([anything, anything, anything, "a"], ["a", "b", "c", "d"], extra="allow").word, "passed")
        self.assertEqual(related([[anything, "a"]], ["a"]).word, "passed")

    def test_only_optional_items_are_vacuous(self):
        found = related([{"name": "a", "optional": True}], [])
        self.assertEqual(found.word, "passed")
        self.assertIn("vacuous", found.reason)
        self.assertNotIn("vacuous", related([{"name": "a", "optional": True}], ["a"]).reason)
        self.assertEqual(related([{"name": "a", "optional": True}], ["b"]).word, "failed")
        self.assertIsNotNone(refusal({"check": "calls", "expected": [{"name": "a", "optional": True}], "critical": True}))
        self.assertIsNone(refusal({"check": "calls", "expected": ["b", {"name": "a", "optional": True}], "critical": True}))

    def test_alternatives(self):
        one_of = [["a", "b"], ["c"], ["d", "e", "f"]]
        found = related(None, ["c"], one_of=one_of)
        self.assertEqual(found.word, "passed")
        self.assertIn("alternative 2 of 3", found.reason)
        self.assertIn("alternative 1 of 3", related(None, ["a", "b"], one_of=one_of).reason)
        found = related(None, ["d", "e"], one_of=one_of, score="recall")
        self.assertAlmostEqual(found.score, 2 / 3)
        self.assertIn("alternative 3 of 3", found.reason)
        found = related(None, ["d", "e", "x"], one_of=one_of)
        self.assertEqual(found.word, "failed")
        self.assertIn("alternative 3 of 3", found.reason)
        self.assertIsNotNone(refusal({"check": "calls", "expected": ["a"], "one_of": one_of}))
        self.assertIsNotNone(refusal({"check": "calls"}))
        self.assertIsNotNone(refusal({"check": "calls", "one_of": []}))

    def test_among(self):
        made = ["find", "pay", "find", "refund"]
        self.assertEqual(related(["pay", "refund"], made).word, "failed")
        self.assertEqual(related(["pay", "refund"], made, among={"name": {"$one_of": ["pay", "refund"]}}).word, "passed")
        self.assertEqual(related(["pay"], made, among="pay").word, "passed")
        self.assertEqual(related([], made, among="delete_*").word, "passed")
        self.assertEqual(related([], made, among="re*").word, "failed")
        self.assertEqual(related([], made, among="re*").evidence, ("/steps/3",))

    def test_among_failed_calls_needs_the_flag(self):
        steps = lambda flag: [call("a", **({} if flag is None else {"error": flag}))]
        check = {"check": "calls", "expected": [], "among": {"error": True}}
        self.assertEqual(graded(check, {"steps": steps(False)}).word, "passed")
        self.assertEqual(graded(check, {"steps": steps(True)}).word, "failed")
        self.assertEqual(graded(check, {"steps": steps(None)}).word, "error")

    def test_other_steps_take_no_part(self):
        steps = [{"kind": "message", "role": "user", "text": "a"}, call("a"), {"kind": "confirmation", "prompt": "?", "action": "accept"},
                 {"kind": "message", "role": "assistant", "text": "done"}]
        self.assertEqual(graded({"check": "calls", "expected": ["a"]}, {"steps": steps}).word, "passed")
        found = graded({"check": "calls", "expected": []}, {"steps": steps})
        self.assertEqual((found.word, found.evidence), ("failed", ("/steps/1",)))

    def test_a_run_without_a_trace_is_an_error(self):
        for keys in ({}, {"extra": "allow"}, {"missing": "allow"}, {"score": "recall"}):
            self.assertEqual(graded({"check": "calls", "expected": ["a"], **keys}, {"output": "a"}).word, "error")

    def test_the_switches_stand_in_every_reason(self):
        self.assertRegex(related(["a"], ["a"]).reason, "in sequence.*extra calls forbidden.*missing calls forbidden")
        self.assertRegex(related(["a"], ["b"]).reason, "in sequence.*extra calls forbidden.*missing calls forbidden")
        self.assertRegex(related(["a"], ["a"], order="any", extra="allow").reason, "any order.*extra calls allowed.*missing calls forbidden")
        self.assertRegex(related(["a"], [], missing="allow").reason, "extra calls forbidden.*missing calls allowed")

    def test_the_switches_stand_in_the_reason_of_a_score_too(self):
        for how in ("recall", "precision", "f1"):
            reason = related(["a"], ["b"], score=how).reason
            self.assertIn(how, reason)
            self.assertRegex(reason, "in sequence.*extra calls.*missing calls")


class Selectors(unittest.TestCase):
    """What picks a call, a message or a confirmation."""

    def picks(self, selector, step):
        found = eh.compile_selector(selector)
        recorded = eh.read_value({"steps": [step], "status": "completed"}, eh.Origin("here", "x", 1, None, b""))
        self.assertEqual(recorded.problem, "")
        return found.test(recorded.steps[0], eh.looker(recorded)) is None

    def test_names_are_globs(self):
        for pattern, yes, no in (("find", ["find"], ["Find", "find_all", "a find", ""]), ("find*", ["find", "find_all"], ["refind"]),
                                 ("*", ["x"], []), ("get_?", ["get_a"], ["get_", "get_ab"]), ("[ab]x", ["ax", "bx", "[ab]x"], ["cx"]),
                                 ("a.b", ["a.b"], ["axb"]), ("a+b|c", ["a+b|c"], ["aab", "c"])):
            for name in yes:
                self.assertTrue(self.picks(pattern, call(name)), (pattern, name))
                self.assertTrue(self.picks({"name": pattern}, call(name)), (pattern, name))
            for name in no:
                self.assertFalse(name and self.picks(pattern, call(name)), (pattern, name))

    def test_a_name_may_be_a_matcher(self):
        self.assertTrue(self.picks({"name": {"$one_of": ["a", "b"]}}, call("b")))
        self.assertFalse(self.picks({"name": {"$one_of": ["a", "b"]}}, call("c")))
        self.assertTrue(self.picks({"name": {"$regex": "^a+$"}}, call("aaa")))
        self.assertTrue(self.picks({"name": {"$not": "delete"}}, call("a")))

    def test_arguments(self):
        for selector, arguments, good in (
                ({"name": "a"}, {"x": 1}, True), ({"name": "a", "arguments": {}}, {}, True), ({"name": "a", "arguments": {}}, {"x": 1}, False),
                ({"name": "a", "arguments": {"x": 1}}, {"x": 1.0}, True), ({"name": "a", "arguments": {"x": 1}}, {"x": 1, "y": 2}, False),
                ({"name": "a", "arguments": {"x": 1}}, {"x": "1"}, False), ({"name": "a", "arguments": {"$partial": {"x": 1}}}, {"x": 1, "y": 2}, True),
                ({"arguments": {"$any": True}}, {}, True), ({"arguments": {"x": {"$gt": 5}}}, {"x": 6}, True),
                ({"arguments": {"x": {"$absent": True}}}, {}, True)):
            self.assertIs(self.picks(selector, call("a", arguments=arguments)), good, (selector, arguments))

    def test_arguments_null_or_left_out_are_none(self):
        # Fault 77: null and absent come to {} for the arguments of tools, and nowhere else.
        bare = {"kind": "tool_call", "name": "a"}
        for step in (bare, {**bare, "arguments": None}, {**bare, "arguments": {}}, {**bare, "arguments": ""}, {**bare, "arguments": "{}"}):
            self.assertTrue(self.picks({"name": "a", "arguments": {}}, step), step)
            self.assertFalse(self.picks({"name": "a", "arguments": {"x": None}}, step), step)

    def test_arguments_that_are_not_json_match_nothing(self):
        step = {"kind": "tool_call", "name": "a", "arguments": '{"q": "San Fra'}
        self.assertTrue(self.picks("a", step))
        for matcher in ({}, {"$any": True}, {"$absent": True}, {"$not": {"q": 1}}, {"$optional": 1}, {"$type": "string"},
                        '{"q": "San Fra', {"$one_of": [{"$absent": True}, {"$any": True}]}, {"$partial": {"q": "x"}}):
            self.assertFalse(self.picks({"name": "a", "arguments": matcher}, step), matcher)

    def test_results_agents_and_turns(self):
        step = call("a", result={"id": 7}, agent="main", turn=2)
        for selector, good in (({"result": {"id": 7}}, True), ({"result": {"id": 8}}, False), ({"result": {"$partial": {"id": 7}}}, True),
                               ({"result": {"$absent": True}}, False), ({"agent": "main"}, True), ({"agent": "sub"}, False),
                               ({"turn": 2}, True), ({"turn": {"$gt": 2}}, False), ({"turn": {"$lte": 2}}, True)):
            self.assertIs(self.picks(selector, step), good, selector)
        bare = {"kind": "tool_call", "name": "a"}
        for selector, good in (({"result": {"$absent": True}}, True), ({"result": {"$any": True}}, False), ({"agent": {"$absent": True}}, True),
                               ({"agent": "main"}, False), ({"turn": 1}, False), ({"turn": {"$absent": True}}, True)):
            self.assertIs(self.picks(selector, bare), good, selector)
        self.assertTrue(self.picks({"result": None}, call("a", result=None)))
        self.assertFalse(self.picks({"result": {"$absent": True}}, call("a", result=None)))

    def test_errors(self):
        for flag, wanted, good in ((True, True, True), (True, False, False), (False, True, False), (False, False, True),
                                   (None, True, False), (None, False, True)):
            step = call("a", **({} if flag is None else {"error": flag}))
            self.assertIs(self.picks({"name": "a", "error": wanted}, step), good, (flag, wanted))

    def test_an_unknown_error_flag_makes_a_negative_check_an_error(self):
        steps = [call("a")]
        for check in ({"check": "never", "call": {"name": "a", "error": True}}, {"check": "count", "call": {"error": True}, "max": 0},
                      {"check": "never", "call": "b", "after": {"error": True}}):
            self.assertEqual(graded(check, {"steps": steps}).word, "error", check)
        self.assertEqual(graded({"check": "never", "call": {"name": "b", "error": True}}, {"steps": steps}).word, "passed")

    def test_messages_and_confirmations(self):
        said = {"kind": "message", "role": "assistant", "text": "Sure? Yes."}
        for selector, good in (({"kind": "message"}, True), ({"kind": "message", "role": "assistant"}, True), ({"kind": "message", "role": "user"}, False),
                               ({"kind": "message", "text": {"$contains": "Sure"}}, True), ({"kind": "message", "text": "Sure?"}, False),
                               ({"kind": "confirmation"}, False), ("*", False), ({"name": "*"}, False)):
            self.assertIs(self.picks(selector, said), good, selector)
        asked = {"kind": "confirmation", "prompt": "Pay?", "action": "decline", "call_id": "c2"}
        for selector, good in (({"kind": "confirmation"}, True), ({"kind": "confirmation", "action": "decline"}, True),
                               ({"kind": "confirmation", "action": {"$not": "accept"}}, True), ({"kind": "confirmation", "action": "accept"}, False),
                               ({"kind": "confirmation", "call_id": "c2"}, True), ({"kind": "message"}, False), ("*", False)):
            self.assertIs(self.picks(selector, asked), good, selector)

    def test_what_is_refused_at_load(self):
        for selector in ({}, "", 5, None, [], {"nmae": "a"}, {"name": ""}, {"name": "a", "args": {}}, {"kind": "tool"}, {"kind": "message", "name": "a"},
                         {"kind": "message", "arguments": {}}, {"role": "user"}, {"name": "a", "error": "yes"}, {"error": None},
                         {"name": "a", "arguments": {"x": {"$gtt": 1}}}, {"kind": ["message"]}):
            self.assertIsNotNone(refusal({"check": "never", "call": selector}), selector)
        for expected in ({"name": "a"}, "a", [5], [{"kind": "message"}], [{"name": "a", "optional": 1}], [{"optional": True}], [None]):
            self.assertIsNotNone(refusal({"check": "calls", "expected": expected}), expected)

    def test_a_place_inside_the_list_is_named(self):
        found = refusal({"check": "calls", "expected": ["a", ["b", {"name": "c", "arguments": {"x": [{"$gtt": 1}]}}]]})
        self.assertIn("/expected/1/1/arguments/x/0/$gtt", found)
        self.assertIn("/expected/0/nmae", refusal({"check": "calls", "expected": [{"nmae": "a", "name": "b"}]}))


class Explanations(unittest.TestCase):
    """What is wrong with the calls, in sentences."""

    def test_a_different_argument(self):
        found = related([{"name": "find", "arguments": {"id": 7, "deep": {"a": [1]}}}], [("find", {"id": 7, "deep": {"a": [2]}})])
        self.assertIn("/steps/0/arguments/deep/a/0: expected 1, found 2", found.reason)
        self.assertEqual(found.evidence, ("/steps/0",))

    def test_a_missing_and_an_extra_argument(self):
        self.assertIn("/steps/0/arguments/b: expected 2, found nothing",
                      related([{"name": "f", "arguments": {"a": 1, "b": 2}}], [("f", {"a": 1})]).reason)
        self.assertRegex(related([{"name": "f", "arguments": {"a": 1}}], [("f", {"a": 1, "c": 3})]).reason, r"/steps/0/arguments/c: .*found 3")

    def test_a_missing_call(self):
        found = related(["a", "b"], ["a"])
        self.assertRegex(found.reason, r"expected call 2.*\bb\b.*missing")

    def test_an_extra_call(self):
        found = related(["a"], ["a", "b"])
        self.assertRegex(found.reason, r"extra call.*\bb\b.*/steps/1")
        self.assertEqual(found.evidence, ("/steps/1",))

    def test_a_call_out_of_order(self):
        found = related(["a", "b"], ["b", "a"])
        self.assertRegex(found.reason, r"out of order.*/steps/[01]")

    def test_arguments_that_are_not_json(self):
        found = related([{"name": "f", "arguments": {"q": 1}}], [{"kind": "tool_call", "name": "f", "arguments": '{"q": "San Fra'}])
        self.assertEqual(found.word, "failed")
        self.assertRegex(found.reason, r"/steps/0/arguments.*not valid JSON")

    def test_the_nearest_call_of_that_name_is_compared(self):
        expected = [{"name": "f", "arguments": {"a": {"b": 1}}}]
        self.assertIn("/steps/1/arguments/a/b: expected 1, found 2",
                      related(expected, ["g", ("f", {"a": {"b": 2}}), "h"], extra="allow").reason)
        self.assertRegex(related(expected, ["g"], extra="allow").reason, "missing")

    def test_a_long_list_of_differences_is_counted(self):
        found = related(["n%d" % number for number in range(50)], [])
        self.assertLess(len(found.reason), 1000)
        self.assertRegex(found.reason, r"4\d more")

    def test_pointers_count_all_steps(self):
        steps = [{"kind": "message", "role": "user", "text": "hi"}, call("x"), call("f", arguments={"a": 2})]
        found = graded({"check": "calls", "expected": ["x", {"name": "f", "arguments": {"a": 1}}]}, {"steps": steps})
        self.assertIn("/steps/2/arguments/a", found.reason)


# ---------------------------------------------------------------------------

KEY = "sk-" + "Ab3dEf6hIj9lMn2pQr5t"
SECRETS = (KEY, "sk-proj-" + "A1b2C3d4E5f6G7h8I9j0", "ghp_" + "a1B2c3D4" * 4 + "abcd", "github_pat_" + "11ABCDEFG0abcdefghijk", "AKIA" + "ABCDEFGHIJKLMNOP",
           "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6", "xoxb-" + "1234567890-abcdefghij", "glpat-" + "a1B2c3D4e5F6g7H8i9J0", "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwX",
           "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + "dBjftJeZ4CVPmB92K27uhb", "Bearer " + "abcdef1234567890abcdef")


class Redaction(unittest.TestCase):
    """Secrets are never shown: redacted first, then shortened; numbers stay readable."""

    def reason(self, matcher, output, config=None):
        found = graded({"check": "value", "is": matcher}, {"output": output}, config)
        self.assertEqual(found.word, "failed")
        return found.reason

    def test_values_that_look_like_a_secret(self):
        for secret in SECRETS:
            for output in (secret, "the key is %s, keep it" % secret, {"note": secret}, [[secret]], {"a": {"b": "x %s" % secret}}):
                reason = self.reason(5, output)
                self.assertNotIn(secret.removeprefix("Bearer "), reason)
                self.assertIn("redacted", reason)

    def test_a_private_key(self):
        key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nabcdef\n-----END RSA PRIVATE KEY-----"
        for text in (key, "see\n%s\nend" % key, key[:60]):
            self.assertNotIn("MIIEow", self.reason(5, text))

    def test_a_password_in_an_address(self):
        reason = self.reason(5, "postgres://admin:hunter2swordfish@db.example/x")
        self.assertNotIn("hunter2swordfish", reason)
        self.assertIn("db.example", reason)

    def test_the_fingerprint_tells_two_apart_and_is_stable(self):
        one, again, other = self.reason(5, KEY), self.reason(5, KEY), self.reason(5, SECRETS[2])
        self.assertEqual(one, again)
        self.assertNotEqual(one.partition("redacted")[2], other.partition("redacted")[2])

    def test_values_of_secret_keys(self):
        for name in ("password", "Password", "api_key", "apiKey", "x-api-key", "Authorization", "cookie", "Set-Cookie", "secret", "client_secret",
                     "clientSecret", "access_token", "accessToken", "refresh_token", "private_key", "passwd", "credentials", "session_id"):
            reason = self.reason(5, {name: "swordfish99"})
            self.assertNotIn("swordfish99", reason, name)
            self.assertIn(name, reason)

    def test_headers(self):
        output = {"default_headers": {"Authorization": "Basic c3dvcmRmaXNoOTk=", "cookie": "sid=swordfish99", "Accept": "text/html"}}
        reason = self.reason(5, output)
        self.assertNotIn("c3dvcmRmaXNoOTk", reason)
        self.assertNotIn("swordfish99", reason)
        self.assertIn("text/html", reason)

    def test_numbers_and_harmless_keys_stay(self):
        output = {"code": 401, "max_tokens": 4096, "token": 12345, "tokens": 7, "author": "Kim", "keyboard": "qwerty", "monkey": "see"}
        reason = self.reason(5, output)
        for part in ("401", "4096", "12345", "Kim", "qwerty", "see"):
            self.assertIn(part, reason)
        self.assertNotIn("redacted", reason)

    def test_the_first_difference_is_the_secret_itself(self):
        # The leaf is shown, and the key whose value it is stands in the pointer only.
        self.assertNotIn("swordfish99", self.reason({"password": "other"}, {"password": "swordfish99"}))
        self.assertNotIn("swordfish99", self.reason({"a": [{"password": "other"}]}, {"a": [{"password": "swordfish99"}]}))

    def test_a_pointer_to_the_secret_itself(self):
        found = graded({"check": "value", "at": "/output/password", "is": "x"}, {"output": {"password": "swordfish99"}})
        self.assertEqual(found.word, "failed")
        self.assertNotIn("swordfish99", found.reason)

    def test_an_argument_that_is_a_secret(self):
        found = related([{"name": "login", "arguments": {"password": "other"}}], [("login", {"password": "swordfish99"})])
        self.assertEqual(found.word, "failed")
        self.assertNotIn("swordfish99", found.reason)

    def test_an_expected_secret(self):
        self.assertNotIn("swordfish99", self.reason({"password": "swordfish99"}, {"password": "other"}))
        self.assertNotIn("swordfish99", self.reason({"password": {"$one_of": ["swordfish99"]}}, {"password": "other"}))
        found = related([{"name": "login", "arguments": {"password": {"$regex": "swordfish99"}}}], ["logout"])
        self.assertNotIn("swordfish99", found.reason)

    def test_lists_and_objects_below_a_secret_key(self):
        for output in ({"password": ["swordfish99"]}, {"credentials": {"user": "kim", "pin": "swordfish99"}}):
            self.assertNotIn("swordfish99", self.reason(5, output))

    def test_a_text_that_is_json(self):
        self.assertNotIn("swordfish99", self.reason(5, '{"password": "swordfish99"}'))

    def test_json_inside_a_longer_text(self):
        for text in ('```json\n{"password": "swordfish99"}\n```', '{"password": "swordfish99", "a": ', 'Sent {"api_key": "swordfish99"} to it.'):
            with self.subTest(text=text):
                self.assertNotIn("swordfish99", self.reason(5, text))

    def test_what_a_check_looks_for_and_finds(self):
        # Fault 201: the proof of a leak must not publish it.
        for value, run in ((KEY, {"output": "it is %s, bye" % KEY}),
                           ("swordfish99", {"output": "it is swordfish99", "state": {"password": "swordfish99"}})):
            found = graded({"check": "excludes", "value": value}, run)
            self.assertEqual(found.word, "failed")
            self.assertNotIn(value, found.reason)
            self.assertIn("redacted", found.reason)

    def test_another_part_of_the_run(self):
        found = graded({"check": "value", "at": "/output", "is": {"$same_as": "/state"}},
                       {"output": 1, "state": {"password": "swordfish99"}})
        self.assertEqual(found.word, "failed")
        self.assertNotIn("swordfish99", found.reason)

    def test_the_same_value_under_a_harmless_name(self):
        # Fault 207.
        reason = self.reason(5, {"apiKey": "swordfish-99-long", "alias": "swordfish-99-long", "note": "it is swordfish-99-long"})
        self.assertNotIn("swordfish-99-long", reason)

    def test_a_secret_that_a_tool_returned_as_json_text(self):
        steps = [call("login", result=json.dumps({"session": {"access_token": "swordfish-99-long"}}))]
        found = graded({"check": "equals", "value": "x"}, {"output": "it is swordfish-99-long", "steps": steps})
        self.assertEqual(found.word, "failed")
        self.assertNotIn("swordfish-99-long", found.reason)

    def test_redacted_before_it_is_shortened(self):
        for before in range(60, 160):
            reason = self.reason(5, "x" * before + " " + KEY + " " + "y" * 400)
            for start in range(3, len(KEY) - 6):
                self.assertNotIn(KEY[start:start + 6], reason, before)

    def test_own_keys_and_patterns(self):
        config = {"redact": {"keys": ["customer"], "patterns": ["IBAN [A-Z0-9]+"]}}
        reason = self.reason(5, {"customer": "Kim Doe", "Customer": "Lee Roe", "text": "pay to IBAN DE4401 now", "customers": "two"}, config)
        for part in ("Kim Doe", "Lee Roe", "DE4401"):
            self.assertNotIn(part, reason)
        self.assertIn("two", reason)

    def test_verdicts_do_not_change(self):
        self.assertEqual(value_check({"password": "swordfish99"}, {"password": "swordfish99"}).word, "passed")
        self.assertEqual(value_check({"$regex": "^sk-"}, KEY).word, "passed")


class RedactionInReports(Workspace):
    """No sink shows a secret: the reports, the terminal, standard error."""

    def assert_hidden(self, *secrets):
        done = self.main("run")
        told = done.out + done.err + self.read("reports/candidate.json") + self.read("reports/candidate.md")
        for secret in secrets:
            self.assertNotIn(secret, told)
        return told

    def test_a_failed_check(self):
        self.case("a", {"check": "equals", "value": {"ok": True}}, {"check": "excludes", "value": "sk-", "in": "/output/text"})
        self.run_of("a", {"ok": False, "text": "my key: " + KEY, "token": "swordfish99"})
        self.assert_hidden(KEY, KEY[3:15], "swordfish99")

    def test_the_error_of_a_run_that_died(self):
        self.case("a")
        self.run_of("a", "good", status="error", error="401 Unauthorized: Bearer " + KEY[3:] + " for " + KEY)
        self.assertIn("401", self.assert_hidden(KEY, KEY[3:]))

    def test_an_error_that_is_an_object(self):
        self.case("a")
        self.run_of("a", "good", status="error", error={"message": "no", "headers": {"Authorization": "swordfish99"}})
        self.assert_hidden("swordfish99")

    def test_arguments_that_are_not_json(self):
        self.case("a", trace=[{"check": "calls", "expected": [{"name": "f", "arguments": {"a": 1}}]}])
        self.run_of("a", steps=[{"kind": "tool_call", "name": "f", "arguments": '{"key": %s' % KEY}])
        self.assert_hidden(KEY, KEY[3:12])

    def test_a_recording_that_is_not_json(self):
        self.case("a")
        for secret in (KEY, SECRETS[2]):
            self.write("runs/candidate/a.json", '{"case": "a", "key": %s}' % secret)
            self.assert_hidden(secret, secret[4:14])

    def test_names_of_calls(self):
        self.case("a", trace=[{"check": "calls", "expected": []}])
        self.run_of("a", steps=[call("call " + KEY)])
        self.assert_hidden(KEY, KEY[3:15])

    def test_unknown_keys(self):
        self.case("a")
        self.run_of("a", **{"key " + KEY: 1})
        self.assertIn("unknown key", self.assert_hidden(KEY, KEY[3:15]))


class Visible(Workspace):
    """Control and bidirectional characters are spelled out, so that nothing hides and no terminal obeys."""

    dangerous = ("\x1b[31m", "\x07", "\x08", "\r", "\x00", "\x7f", "\x9b", "\u200b", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e",
                 "\u2066", "\u2067", "\u2068", "\u2069", "\u061c", "\ufeff", "\u2028", "\u2029", "\u0085", "\ud800", "\U000e0041")

    def test_spelled_out(self):
        for text in self.dangerous:
            shown = eh.visible("a%sb" % text)
            self.assertNotIn(text[0], shown, repr(text))
            self.assertIn("%x" % ord(text[0]) if text[0] not in "\r\n\t" else "\\", shown)
            self.assertTrue(shown.startswith("a") and shown.endswith("b"))
        self.assertEqual(eh.visible("a\x1b[0m\u202eb\tc\nd"), "a\\x1b[0m\\u202eb\\tc\\nd")

    def test_what_is_harmless_stays(self):
        for text in ("plain", "caf\u00e9", "\u65e5\u672c\u8a9e", "\u0645\u0631\u062d\u0628\u0627", "\U0001f600", "a b", "\u05e9\u05dc\u05d5\u05dd"):
            self.assertEqual(eh.visible(text), text)

    def test_in_a_reason(self):
        for text in self.dangerous:
            reason = graded({"check": "equals", "value": "x"}, {"output": "a%sb" % text}).reason
            self.assertNotIn(text[0], reason, repr(text))

    def test_in_names_keys_and_pointers(self):
        evil = "a\x1b]0;owned\x07\u202eb"
        for found in (related(["x"], [evil]), related([{"name": "f", "arguments": {"a": 1}}], [("f", {"a": 1, evil: 2})]),
                      graded({"check": "equals", "value": {evil: 1}}, {"output": {evil: 2}})):
            self.assertEqual(found.word, "failed")
            self.assertTrue(found.reason.isprintable(), ascii(found.reason))

    def test_on_the_terminal_and_in_markdown(self):
        evil = "go\x1b[2Jod\u202e\x07"
        self.case("a", {"check": "equals", "value": "x"}, trace=[{"check": "calls", "expected": []}])
        self.run_of("a", evil, steps=[call(evil, arguments={evil: 1})], error=None)
        self.case("b")
        self.run_of("b", "good", status="error", error=evil)
        done = self.main("run")
        for text in (done.out, done.err, self.read("reports/candidate.md")):
            for char in "\x1b\x07\u202e":
                self.assertNotIn(char, text)



class InWords(unittest.TestCase):
    """What a fixture asks for is told without its operators; what was recorded is told as it is."""

    def told(self, value):
        return eh.show(value, eh.make_config().redactor, 1000)

    def test_every_operator(self):
        for spec, words in (
                ({"$any": True}, "any value"), ({"$absent": True}, "no such key"), ({"$optional": 3}, "3 if present"),
                ({"$one_of": ["a", {"$absent": True}]}, 'one of ["a", no such key]'),
                ({"$not": {"$partial": {"portal": "test"}}}, 'anything but {"portal": "test", ...}'),
                ({"$all": [{"$type": "integer"}, {"$gte": 1}]}, "a value of type integer and a number of at least 1"),
                ({"$regex": "^a", "$flags": "i"}, "a text matching /^a/i"), ({"$contains": "x"}, 'a text or list containing "x"'),
                ({"$text": "x"}, 'the text, ignoring case, space, "x"'), ({"$text": "x", "$ignore": []}, 'the text "x"'),
                ({"$approx": {"value": 3, "abs": 0.1, "rel": 0.5}}, "3 within abs 0.1 or rel 0.5"),
                ({"$gt": 1, "$lt": 5}, "a number above 1 and a number below 5"), ({"$lte": 5}, "a number of at most 5"),
                ({"$type": ["string", "null"]}, "a value of type string or null"),
                ({"$length": 3}, "something of length 3"), ({"$each": 1}, "a list of items that are each 1"),
                ({"$some": {"$partial": {"a": [{"b": 1}]}}}, 'a list with the item {"a": [{"b": 1, ...}], ...}'),
                ({"$list": {"items": [1, {"$gt": 2}]}}, "a list with the items [1, a number above 2]"),
                ({"$same_as": "/a"}, "the value at /a"), ({"$literal": {"$x": 1}}, '{"$x": 1}'),
                ({"$schema": {"type": "integer"}}, 'a value that fits the schema {"type": "integer"}'),
                ({"a": [{"$any": True}, "\u00e9"]}, '{"a": [any value, "\u00e9"]}')):
            eh.compile_matcher(spec)
            self.assertEqual(self.told(eh.Specified(spec)), words)
        self.assertEqual(set(), {name for name, row in eh.OPERATORS.items() if not row.words})

    def test_secrets_among_them(self):
        for spec in ({"$not": "hunter2-hunter2"}, {"$list": {"items": ["hunter2-hunter2"]}}, {"$regex": "hunter2-hunter2"},
                     {"$approx": {"value": 3, "abs": 1}}, {"$type": "string"}, {"$same_as": "/hunter2-hunter2"}):
            self.assertNotIn("hunter2", self.told(eh.Specified({"password": spec})))

    def test_selectors_and_calls(self):
        odd = {"name": "pay", "arguments": {"a": {"$any": True}}}
        for spec, words in ((odd, 'pay({"a": any value})'), ("pay_*", "pay_*"),
                            ({"name": {"$one_of": ["a", "b"]}, "error": True}, 'one of ["a", "b"] with {"error": true}'),
                            ({"arguments": {"x": 1}}, 'a call({"x": 1})'),
                            ({"kind": "message", "text": {"$regex": "[?]"}}, 'a message with {"text": a text matching /[?]/}')):
            self.assertEqual(self.told(eh.compile_selector(spec).label), words)
        # A recorded call may have arguments that look like operators.
        self.assertEqual(self.told(eh.Called(odd)), 'pay({"a": {"$any": true}})')


if __name__ == "__main__":
    unittest.main()
