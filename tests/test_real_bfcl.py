"""Real data: the Berkeley Function Calling Leaderboard's published verdicts on gpt-4o's answers, against fixtures.

1,000 recorded answers, each with the possible answers as the leaderboard lists them and the verdict it published. A
possible answer gives for each argument a list of allowed values; "" in the list means that the argument may be left
out, unless the function's schema requires it. Written as matchers that is `$one_of` inside `$optional`:

    {"unit": ["units", ""]}   ->   {"unit": {"$optional": {"$one_of": [{"$text": "units", ...}]}}}

The leaderboard compares texts without case, spaces and `,./-_*^`; `$text` without case, white space and punctuation is
that but for one thing: "^" is no punctuation to Unicode, so that a power is listed in both spellings, "x**3" and "x^3".

995 of the 1,000 verdicts agree. The other five are all of one kind: the model wrote integers into a list of floats
([1, 3] for [1.0, 3.0]), which the leaderboard calls a wrong type (gorilla issue 1049) and JSON calls the same numbers.
"""

import collections
import json
import os
import unittest

import eval_harness as eh

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ANSWERS = os.path.join(os.path.dirname(ROOT), "shared", "bfcl", "gpt-4o-2024-08-06-fc.jsonl")

INTEGERS_AMONG_FLOATS = {"simple_13", "simple_82", "simple_87", "simple_103", "parallel_multiple_function_67"}

# Under a schema type that is none of these an allowed text is the name of a variable, which has to be exact.
TEXT_TYPES = ("string", "any", None)


def text(allowed):
    """A text as the leaderboard compares it."""
    spellings = [allowed, allowed.replace("**", "^")] if "**" in allowed else [allowed]
    same = [{"$text": each, "$ignore": ["case", "space", "punctuation"]} for each in spellings]
    return same[0] if len(same) == 1 else {"$one_of": same}


def value(allowed, type_=None):
    """One allowed value. The members of an object are again lists of allowed values."""
    if type(allowed) is dict:
        return {key: argument(values) for key, values in allowed.items()}
    if type(allowed) is list:
        return [value(item) for item in allowed]
    return text(allowed) if type(allowed) is str and type_ in TEXT_TYPES else allowed


def argument(values, type_=None, required=False):
    """An argument by its list of allowed values. A text that may be left out may also be given as the empty one."""
    matchers = [value(each, type_) for each in values if each != "" or type_ in TEXT_TYPES]
    matcher = {"$one_of": matchers} if matchers else {"$absent": True}
    return {"$optional": matcher} if matchers and "" in values and not required else matcher


def described(name, functions):
    """The function that a possible answer's key means: parallel answers add " 1", "_2" and so on to its name."""
    if len(functions) == 1:
        return functions[0]
    return next((function for function in functions if function["name"] in name), None)


def expected_call(name, answer, functions):
    """A call by its possible answer. A key that names no function (the data has one) expects a call of that name."""
    function = described(name, functions)
    if function is None:
        return name
    known, required = function["parameters"]["properties"], function["parameters"]["required"]
    arguments = {key: argument(values, known.get(key, {}).get("type"), key in required)
                 for key, values in answer.items()}
    # Names with dots were recorded with underscores.
    return {"name": function["name"].replace(".", "_"), "arguments": arguments}


def fixture(row):
    """One row as a case: exactly these calls, in any order. Recorded calls stay without a result: nothing was run."""
    expected = [expected_call(name, answer, row["functions"]) for name, answer in row["possible_answer"].items()]
    return {"id": row["id"], "threshold": 1, "expect_status": ["completed", "incomplete"],
            "trace": [{"check": "calls", "expected": expected, "order": "any"}]}


def recording(row):
    """One row's answer as the chat message it came from; an answer in prose made no call."""
    if type(row["recorded"]) is str:
        return [{"role": "assistant", "content": row["recorded"]}]
    made = [pair for call in row["recorded"] for pair in call.items()]
    return [{"role": "assistant", "content": None, "tool_calls": [
        {"id": "call_%d" % number, "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(made)]}]


def integers_among_floats(row):
    """Whether an argument of a recorded call is a list that differs from an allowed one only in 1 for 1.0."""
    given = [found for call in row["recorded"] for arguments in call.values()
             for found in json.loads(arguments).values()]
    allowed = [each for answer in row["possible_answer"].values() for values in answer.values() for each in values]
    return any(type(found) is type(each) is list and found == each and list(map(type, found)) != list(map(type, each))
               for found in given for each in allowed)


@unittest.skipUnless(os.path.exists(ANSWERS), "the leaderboard's answers are not beside the project")
class BerkeleyFunctionCalling(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        config = eh.make_config({})
        with open(ANSWERS, encoding="utf-8") as file:
            cls.rows = {row["id"]: row for row in map(json.loads, file)}
        cls.runs = {key: eh.read_value(recording(row), eh.Origin("bfcl", key, 1, None, b""))
                    for key, row in cls.rows.items()}
        cls.passed = {}
        for key, row in cls.rows.items():
            case = eh.compile_case(fixture(row), config)
            cls.passed[key] = eh.grade_case(case, [cls.runs[key]], config).status == "passed"

    def test_everything_is_read(self):
        categories = collections.Counter(row["category"] for row in self.rows.values())
        self.assertEqual(categories, {"simple": 400, "multiple_function": 200, "parallel_function": 200,
                                      "parallel_multiple_function": 200})
        calls = [call for run in self.runs.values() for _, call in eh.calls_of(run)]
        self.assertEqual(len(calls), 1726)
        self.assertFalse([call for call in calls if call.arguments is eh.MISSING])

    def test_the_verdicts_agree(self):
        pairs = collections.Counter((row["published_valid"], self.passed[key]) for key, row in self.rows.items())
        self.assertEqual(pairs, {(True, True): 902, (False, False): 93, (False, True): 5})

    def test_the_rest_are_integers_among_floats(self):
        rest = {key for key, row in self.rows.items() if row["published_valid"] != self.passed[key]}
        self.assertEqual(rest, INTEGERS_AMONG_FLOATS)
        for key in rest:
            self.assertTrue(integers_among_floats(self.rows[key]), key)
