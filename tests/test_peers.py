"""What other evaluation tools answer, and what this one answers to the same question.

The 257 rows beside the project hold inputs of 20 peers' deterministic checks with the verdict or score each gave. A
translator per check writes a row as fixtures of this tool: one relation (`calls`), its matchers, and a few other
checks. 233 rows can be written: 201 get the same answer, and 32 another one on purpose (DELIBERATE, by kind, with the
answer that is given instead). 24 ask for what no fixture says (NOT_A_FIXTURE).

A claim is one question: what the peer answers, a recorded run, and checks. A peer answers with a verdict (true, false),
a score (a float, rounded to four digits), an error, or a word of its own, which is then never given here. This tool
answers with a verdict or a score, or says that the fixture is refused at load, or that the run cannot be judged.
"""

import collections
import json
import os
import re
import unittest

import eval_harness as eh
from tests.test_real_bfcl import argument

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS = os.path.join(os.path.dirname(ROOT), "shared", "cases", "calls.jsonl")

REFUSED, UNJUDGED = "refused", "unscored"

Row = collections.namedtuple("Row", "expected actual options wanted")
Claim = collections.namedtuple("Claim", "wanted run checks threshold", defaults=(1,))

# -- What is answered otherwise, by kind: {row: the answer given here} --------

DELIBERATE = {
    "one number in JSON: 1 is 1.0, as a member of a list too": {102: True, 104: True, 168: True},
    "one text is no other: a text that only contains the expected one does not equal it": {183: False},
    "thousands: 1,234 is a number, whoever writes the comma": {93: True},
    "multiplicity: repeats count, and one call serves one expectation": {60: 1.0, 85: 0.6667, 89: False, 125: 1.0},
    "optimal pairing instead of first-fit": {29: True},
    "one direction: extra arguments stay extra arguments where extra calls are forbidden": {28: True},
    "alignment instead of positional or prefix credit": {119: 0.3333, 121: 0.6667},
    "a missing argument is a difference": {87: False},
    "null is not absent": {176: False},
    "an empty list of calls means: call nothing": {122: 0.0, 124: 0.0, 126: True, 170: True, 224: False},
    "what could never fail is refused at load":
        {115: REFUSED, 117: REFUSED, 129: REFUSED, 174: REFUSED, 237: REFUSED},
    "a case without an expectation is refused at load": {158: REFUSED, 182: REFUSED},
    "nothing is as good as nothing: {} equals {}": {220: 1.0},
    '"may be left out" does not mean "may be an empty list"': {106: False},
    "no crash: a call without expected arguments is compared by name": {70: True},
    "no trace is no evidence: the check can neither pass nor fail": {155: UNJUDGED},
    "what does not occur in a text fails; there is no third verdict": {242: False},
}

# -- What no fixture says, by kind --------------------------------------------

NOT_A_FIXTURE = {
    "a statistic over repeats (pass^k, pass@k, mean, median, ...): reported about a suite, not expected of a run":
        {94, 95, 96, *range(243, 257)},
    "a call that is worth a fraction, by the share of equal arguments: a pair matches or it does not": {68, 71},
    "an efficiency formula with penalties that multiply (and leave 0..1): `budget` and `count` have limits instead":
        {172, 178, 179, 180},
    "the share of calls that succeeded: `count` bounds how many failed": {181},
}

# -- Parts of claims ----------------------------------------------------------


def calls(expected, order="sequence", extra="forbid", **more):
    return {"check": "calls", "expected": expected, "order": order, "extra": extra, **more}


def scored(expected, score, order="any"):
    """A share of the calls. Of nothing there is no share: where nothing is expected, nothing has to be done."""
    return calls(expected, order, score=score) if expected else calls([])


def count(call, **bounds):
    return {"check": "count", "call": call, **bounds}


def output(matcher):
    return {"check": "value", "is": matcher}


def named(call, arguments):
    return {"name": call["name"], "arguments": arguments}


def exactly(call):
    """An expected call with exactly these arguments; a bare name, or no arguments, says nothing about them."""
    if type(call) is str:
        return call
    return named(call, call["args"]) if call.get("args") is not None else {"name": call["name"]}


def shallow(arguments):
    """At least these arguments, each exactly: `$partial` alone would allow extra keys inside them too."""
    return {"$partial": {key: {"$literal": value} for key, value in arguments.items()}}


def acted(actual, **more):
    """A run by its calls: names, or objects with arguments, an outcome, or the turn they were made in."""
    steps = []
    for call in actual:
        call = {"name": call} if type(call) is str else call
        step = {"kind": "tool_call", "name": call["name"], "arguments": call.get("args", {})}
        step.update({"error": call["status"] == "error"} if "status" in call else {})
        steps.append({**step, **{key: call[key] for key in ("turn", "result") if key in call}})
    return {"output": "done", "status": "completed", "steps": steps, **more}


def said(value):
    return {"output": value, "status": "completed"}


def verdict(row, *checks):
    """The commonest claim: the row's verdict, in whatever words, on a run of its calls."""
    words = {"yes": True, "no": False, 1: True, 0: False}
    wanted = row.wanted if type(row.wanted) in (bool, float) else words.get(row.wanted, row.wanted)
    return [Claim(wanted, acted(row.actual), checks)]


# -- agentevals ---------------------------------------------------------------

# The relation is always expected to actual; agentevals' `subset` means that no call was made that was not expected.
AGENTEVALS_MODES = {"strict": {}, "unordered": {"order": "any"}, "superset": {"order": "any", "extra": "allow"},
                    "subset": {"order": "any", "missing": "allow"}}


def agentevals(row):
    """Lists are assistant messages with calls, texts are messages without; only `strict` looks at the messages."""
    mode, how = row.options["trajectory_match_mode"], row.options["tool_args_match_mode"]
    overrides = row.options.get("tool_args_match_overrides", {})
    strict = mode == "strict"
    groups = [[{**agentevals_call(call, overrides.get(call["name"], how)), **({"turn": turn} if strict else {})}
               for call in message] for turn, message in enumerate(row.expected, 1) if type(message) is list]
    checks = [calls(groups, **AGENTEVALS_MODES[mode])]
    if strict:
        texts = sum(type(message) is str for message in row.expected)
        checks.append(count({"kind": "message", "role": "assistant"}, min=texts, max=texts))
    return [Claim(row.wanted, {"output": "done", "status": "completed", "steps": agentevals_steps(row.actual)}, checks)]


def agentevals_call(call, how):
    arguments = call["args"]
    if how == "ignore":
        return {"name": call["name"]}
    if how == "superset":
        return named(call, shallow(arguments))
    if how == "subset":
        return named(call, {key: {"$optional": {"$literal": value}} for key, value in arguments.items()})
    if how.startswith("callable"):
        # The comparators of the rows know aliases that differ in case.
        return named(call, {key: {"$text": value} for key, value in arguments.items()})
    return named(call, arguments)


def agentevals_steps(messages):
    steps = []
    for turn, message in enumerate(messages, 1):
        if type(message) is str:
            steps.append({"kind": "message", "role": "assistant", "text": message, "turn": turn})
        else:
            steps.extend(acted([{**call, "turn": turn} for call in message])["steps"])
    return steps


# -- google-adk, vertex, azure, mlflow, trpc: the relation by other names -------

EXACT, IN_ORDER, ANY_ORDER = {}, {"extra": "allow"}, {"order": "any", "extra": "allow"}
ADK_MODES = {"EXACT": EXACT, "IN_ORDER": IN_ORDER, "ANY_ORDER": ANY_ORDER}


def adk(row):
    """One check per turn, whose mean is the score; a conversation of one turn is listed without the outer list."""
    several = "outer" in row.options
    turns = row.expected if several else [row.expected]
    made = row.actual if several else [row.actual]
    item = (lambda call: call["name"]) if row.options.get("ignore_args") else exactly
    checks = [calls([item(call) for call in expected], **ADK_MODES[row.options["match_type"]],
                    among={"name": "*", "turn": turn}) for turn, expected in enumerate(turns, 1)]
    run = acted([{**call, "turn": turn} for turn, actual in enumerate(made, 1) for call in actual])
    threshold = row.options.get("threshold", 1)
    return [Claim(row.wanted, run, checks), Claim(row.wanted >= threshold, run, checks, threshold)]


def vertex(mode):
    return lambda row: verdict(row, calls(row.expected, **mode))


def vertex_share(score):
    return lambda row: verdict(row, scored(row.expected, score))


def azure(row):
    """Six answers at once; the parameters are given once per tool."""
    parameters = row.options["params_by_tool"] or {}
    expected = [{"name": name, "arguments": parameters[name]} if name in parameters else name for name in row.expected]
    checks = {"exact": calls(expected), "in_order": calls(expected, **IN_ORDER),
              "any_order": calls(expected, **ANY_ORDER)}
    for score in ("precision", "recall", "f1"):
        checks[score + "_score"] = scored(expected, score)
    return [Claim(row.wanted[key], acted(row.actual), [check]) for key, check in checks.items()]


def mlflow(row):
    order = "sequence" if row.options.get("should_consider_ordering") else "any"
    return verdict(row, calls([exactly(call) for call in row.expected], order))


def trpc(row):
    order = "sequence" if row.options.get("orderSensitive") else "any"
    extra = "allow" if row.options.get("subsetMatching") else "forbid"
    return verdict(row, calls([exactly(call) for call in row.expected], order, extra))


# -- deepeval -----------------------------------------------------------------


def deepeval_tools(row):
    """Recall over names, or over whole calls. That a tool is an MCP one stands in its name here."""
    def item(call):
        full = {**call, "name": ("mcp__" if call.get("type") == "MCP" else "") + call["name"]}
        return full if "params" in row.options else {"name": full["name"]}
    expected = [exactly(item(call)) for call in row.expected]
    check = calls(expected) if row.options.get("exact") else \
        scored(expected, "recall", "sequence" if row.options.get("order") else "any")
    actual = [{**item(call), "args": call.get("args", {})} for call in row.actual]
    return [Claim(row.wanted, acted(actual), [check])]


def deepeval_permission(row):
    return verdict(row, *[{"check": "never", "call": name} for name in row.expected["denied"]])


def deepeval_repetition(row):
    """Half the credit is lost at the threshold, all of it at twice the threshold: two checks of one weight."""
    most = row.options["repetition_threshold"]
    return verdict(row, *[count("*", per="identical", max=limit - 1) for limit in (most, 2 * most)])


# -- ragas, docker, pydantic, strands, eval-view: scores ------------------------


def ragas_accuracy(row):
    """Full marks or none, as in all rows: extra arguments are free, but not where no argument is expected."""
    return verdict(row, calls([named(call, shallow(call["args"]) if call["args"] else {}) for call in row.expected]))


def ragas_f1(row):
    return verdict(row, scored([exactly(call) for call in row.expected], "f1"))


def names_f1(row):
    return verdict(row, scored(row.expected, "f1"))


def pydantic_trajectory(row):
    return verdict(row, scored(row.expected, "f1", "sequence" if row.options["order"] == "in_order" else "any"))


def pydantic_tools(row):
    if row.actual is None:
        return [Claim(row.wanted, said("done"), [calls(row.expected)])]
    return verdict(row, calls(row.expected, "any"))


def pydantic_arguments(row):
    """The arguments of the first, last or n-th call of a tool.

    First: none with other arguments comes before. Last: none comes after. The rows record calls of that tool only, so
    that the n-th is the n-th step.
    """
    call, occurrence = row.expected[0], row.options["occurrence"]
    arguments = shallow(call["args"]) if row.options.get("match_mode") == "subset" else call["args"]
    if occurrence in ("first", "last"):
        side = "before" if occurrence == "first" else "after"
        return verdict(row, count(named(call, arguments), min=1),
                       {"check": "never", "call": named(call, {"$not": arguments}), side: named(call, arguments)})
    return verdict(row, {"check": "value", "at": "/steps/%s/arguments" % occurrence, "is": arguments})


def pydantic_budget(row):
    succeeded = {} if row.options["include_failed"] else {"error": False}
    return verdict(row, count({"name": "*", **succeeded}, max=row.options["max_calls"]))


def pydantic_contains(row):
    matcher = shallow(row.expected) if type(row.expected) is dict else {"$contains": row.expected}
    return [Claim(row.wanted, said(row.actual), [output(matcher)])]


def no_expectation(row):
    return [Claim(row.wanted, said(row.actual), [])]


def strands_recall(order):
    return lambda row: verdict(row, scored(row.expected, "recall", order))


def strands_called(row):
    return verdict(row, count(row.expected, min=1))


def eval_view(row):
    """A verdict, and beside it a progress that extra calls do not lower."""
    claims = [Claim(row.wanted["correct"], acted(row.actual), [calls(row.expected)])]
    if row.expected:
        claims.append(Claim(row.wanted["progress"], acted(row.actual), [scored(row.expected, "recall", "sequence")]))
    return claims


# -- tau2 -----------------------------------------------------------------------


def tau2_action(row):
    """`compare_args` lists the arguments that count; without it all do."""
    def item(call):
        kept = call["compare_args"]
        if kept is None:
            return exactly(call)
        return named(call, shallow({key: call["args"][key] for key in kept})) if kept else call["name"]
    return [Claim(all(row.wanted), acted(row.actual), [calls([item(call) for call in row.expected], **ANY_ORDER)])]


def said_numbers(row):
    """What has to be said is a number in most rows, else a text."""
    texts = row.actual if type(row.actual) is list else [row.actual]
    checks = [{"check": "number" if re.fullmatch(r"[\d,]+", each) else "contains", "value": each}
              for each in row.expected]
    return [Claim(row.wanted, said("\n".join(texts)), checks)]


def tau2_termination(row):
    run = {**said("done"), "status": "step_limit"}
    return [Claim(row.wanted, run, [{"check": "completed"}]), Claim(False, run, [output("done")])]


# -- The Berkeley leaderboard ------------------------------------------------------


def bfcl(row):
    """Lists of allowed values per argument, as in the real answers."""
    expected = []
    for call in row.expected:
        types = call.get("types", {})
        # Without a type the rows hold numbers; "array<float>" is an array.
        arguments = {key: argument(values, types.get(key, "any").partition("<")[0], key in types.get("required", ()))
                     for key, values in call["allowed"].items()}
        expected.append(named(call, arguments))
    return verdict(row, calls(expected, "any"))


def bfcl_results(row):
    """Every required result was got, by whatever call."""
    actual = [{"name": "tool", "result": result} for result in row.actual]
    expected = [{"name": "*", "result": result} for result in row.expected]
    return [Claim(row.wanted, acted(actual), [calls(expected, **ANY_ORDER)])]


# -- mcp-eval, promptfoo, webmcp ---------------------------------------------------


def mcp_result(row):
    """The result of a call; `partial` finds every expected item somewhere."""
    partial = row.options["match_type"] == "partial"
    matcher = {"$list": {"items": [{"$partial": item} for item in row.expected], "order": "any", "extra": "allow"}} \
        if partial else row.expected
    run = acted([{"name": "tool", "result": row.actual}])
    return [Claim(row.wanted, run, [count({"name": "*", "result": matcher}, min=1)])]


def mcp_sequence(row):
    return verdict(row, calls(row.expected, extra="allow" if row.options["allow_other_calls"] else "forbid"))


def mcp_called_with(row):
    return verdict(row, *[count(named(call, shallow(call["args"])), min=1) for call in row.expected])


def promptfoo_sequence(row):
    return verdict(row, calls(row.expected, extra="forbid" if row.options.get("mode") == "exact" else "allow"))


def promptfoo_arguments(row):
    """Some call has these arguments; a declared default may stand in the call or not."""
    call = row.expected[0]
    defaults = {key: {"$optional": value} for key, value in row.options.get("defaults", {}).items()}
    matcher = {**defaults, **call["args"]} if row.options.get("mode") == "exact" else {"$partial": call["args"]}
    return verdict(row, count(named(call, matcher), min=1))


def promptfoo_used(row):
    return verdict(row, count(row.expected["name"], min=row.options["min"], max=row.options["max"]))


def promptfoo_f1(row):
    return verdict(row, calls(row.expected, "any", score="f1"))


def negated(translate):
    """promptfoo's `not-`: the same check, inverted."""
    return lambda row: [claim._replace(checks=[{**check, "not": True} for check in claim.checks])
                        for claim in translate(row)]


def webmcp(row):
    """Groups without an order are parallel groups; ordered ones are what a list is anyway."""
    expected = []
    for item in row.expected:
        group = type(item) is dict and next(iter(item))
        expected.extend([item["unordered"]] if group == "unordered" else
                        item["ordered"] if group == "ordered" else [item])
    wanted = type(row.wanted) is list and "fail" not in row.wanted
    return [Claim(wanted, acted(row.actual), [calls(expected)])]


def webmcp_matcher(row):
    return [Claim(row.wanted, said(row.actual), [output(webmcp_value(row.expected))])]


def webmcp_value(spec):
    """The operators are the same but for `$pattern`; objects allow extra keys."""
    if type(spec) is not dict:
        return spec
    if all(key.startswith("$") for key in spec):
        return {"$regex" if key == "$pattern" else key: value for key, value in spec.items()}
    return {"$partial": {key: webmcp_value(value) for key, value in spec.items()}}


# -- openevals, inspect, strands: outputs -------------------------------------------


def openevals(row):
    """Excluded keys may be there or not; the rows score 0 or 1, so that the whole value is compared."""
    matcher = row.expected
    if "excl" in row.options:
        matcher = {**matcher, **{key: {"$optional": {"$any": True}} for key in row.options["excl"]}}
    elif row.options.get("mode") == "superset":
        matcher = {"$list": {"items": row.expected, "order": "any", "extra": "allow"}}
    return [Claim(row.wanted, said(row.actual), [output(matcher)])]


def contains(row):
    return [Claim(row.wanted, said(row.actual), [{"check": "contains", "value": row.expected}])]


def equals(row):
    return [Claim(row.wanted, said(row.actual), [{"check": "equals", "value": row.expected}])]


def inspect_match(row):
    """A number somewhere; or, for location exact, nothing but the text; or the text at the end, whatever its case."""
    if row.options.get("location") == "exact":
        check = {"check": "equals", "value": {"$text": row.expected, "$ignore": ["case", "space", "punctuation"]}}
    elif row.options.get("numeric"):
        check = {"check": "number", "value": row.expected}
    else:
        check = {"check": "matches", "pattern": re.escape(row.expected) + "$", "flags": "i"}
    return [Claim(row.wanted, said(row.actual), [check])]


def inspect_f1(row):
    return [Claim(row.wanted, said(row.actual), [{"check": "similarity", "reference": row.expected, "threshold": 0.5}])]


def inspect_exact(row):
    """Numbers are normalised as numbers, words as words."""
    check = {"check": "number", "value": row.expected, "which": "only"} if row.expected.isdecimal() else \
        {"check": "equals", "value": {"$text": row.expected, "$ignore": ["case", "punctuation"]}}
    return [Claim(row.wanted, said(row.actual), [check])]


def inspect_pattern(row):
    return [Claim(row.wanted, said(row.actual), [{"check": "matches", "pattern": row.options["pattern"]}])]


TRANSLATORS = {
    ("adk", "tool_trajectory_avg_score"): adk,
    ("agentevals", "trajectory_match"): agentevals,
    ("azure-ai-evaluation", "TaskNavigationEfficiency"): azure,
    ("bfcl", "agentic answer"): said_numbers,
    ("bfcl", "ast parallel"): bfcl,
    ("bfcl", "ast simple"): bfcl,
    ("bfcl", "multi-turn response check"): bfcl_results,
    ("deepeval", "AgentLoopDetection.tool_repetition"): deepeval_repetition,
    ("deepeval", "ToolCorrectness"): deepeval_tools,
    ("deepeval", "ToolPermission"): deepeval_permission,
    ("docker-cagent", "toolCallF1Score"): names_f1,
    ("eval-view", "SequenceEvaluator"): eval_view,
    ("inspect_ai", "exact"): inspect_exact,
    ("inspect_ai", "f1"): inspect_f1,
    ("inspect_ai", "match"): inspect_match,
    ("inspect_ai", "pattern"): inspect_pattern,
    ("mcp-eval", "EqualsExpected"): no_expectation,
    ("mcp-eval", "ToolCalledWith"): mcp_called_with,
    ("mcp-eval", "ToolOutputMatches"): mcp_result,
    ("mcp-eval", "ToolSequence"): mcp_sequence,
    ("mlflow", "ToolCallCorrectness"): mlflow,
    ("openevals", "json_match"): openevals,
    ("promptfoo", "not-trajectory:tool-args-match"): negated(promptfoo_arguments),
    ("promptfoo", "not-trajectory:tool-sequence"): negated(promptfoo_sequence),
    ("promptfoo", "tool-call-f1"): promptfoo_f1,
    ("promptfoo", "trajectory:tool-args-match"): promptfoo_arguments,
    ("promptfoo", "trajectory:tool-sequence"): promptfoo_sequence,
    ("promptfoo", "trajectory:tool-used"): promptfoo_used,
    ("pydantic-evals", "ArgumentCorrectness"): pydantic_arguments,
    ("pydantic-evals", "Contains"): pydantic_contains,
    ("pydantic-evals", "EqualsExpected"): no_expectation,
    ("pydantic-evals", "MaxToolCalls"): pydantic_budget,
    ("pydantic-evals", "ToolCorrectness"): pydantic_tools,
    ("pydantic-evals", "TrajectoryMatch"): pydantic_trajectory,
    ("ragas", "ToolCallAccuracy"): ragas_accuracy,
    ("ragas", "ToolCallF1"): ragas_f1,
    ("strands-evals", "Contains"): contains,
    ("strands-evals", "Equals"): equals,
    ("strands-evals", "ToolCalled"): strands_called,
    ("strands-evals", "any_order_match_scorer"): strands_recall("any"),
    ("strands-evals", "exact_match_scorer"): strands_recall("sequence"),
    ("strands-evals", "in_order_match_scorer"): strands_recall("sequence"),
    ("tau2-bench", "ACTION check"): tau2_action,
    ("tau2-bench", "COMMUNICATE check"): said_numbers,
    ("tau2-bench", "termination"): tau2_termination,
    ("trpc-agent-go", "tooltrajectory"): trpc,
    ("vertex", "trajectory_any_order_match"): vertex(ANY_ORDER),
    ("vertex", "trajectory_exact_match"): vertex(EXACT),
    ("vertex", "trajectory_in_order_match"): vertex(IN_ORDER),
    ("vertex", "trajectory_precision"): vertex_share("precision"),
    ("vertex", "trajectory_recall"): vertex_share("recall"),
    ("vertex", "trajectory_single_tool_use"): lambda row: verdict(row, count(row.options["tool_name"], min=1)),
    ("webmcp-evals", "argument matcher"): webmcp_matcher,
    ("webmcp-evals", "execution trajectory"): webmcp,
}

CONFIG = eh.make_config({})


def answer(claim):
    """What this tool says: a score where the peer gives one, else a verdict; or why there is neither."""
    fixture = {"id": "row", "threshold": claim.threshold, "trace": list(claim.checks)}
    try:
        case = eh.compile_case(fixture, CONFIG)
    except eh.HarnessError:
        return REFUSED
    run = eh.read_value(claim.run, eh.Origin("row", "row", 1, None, b""))
    result = eh.grade_case(case, [run], CONFIG)
    if result.status not in ("passed", "failed"):
        return result.status
    return round(result.score, 4) if type(claim.wanted) is float else result.status == "passed"


def agrees(wanted, given):
    """Whether the answers are the same; where a peer reports an error, a fixture has to be refused."""
    if type(wanted) is str and wanted.startswith("error:"):
        return given == REFUSED
    return type(wanted) is type(given) and wanted == given


@unittest.skipUnless(os.path.exists(ROWS), "the peers' rows are not beside the project")
class Peers(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        with open(ROWS, encoding="utf-8") as file:
            rows = list(map(json.loads, file))
        cls.count = len(rows)
        left_out = set().union(*NOT_A_FIXTURE.values())
        cls.claims, cls.translated = {}, set()
        for index, row in enumerate(rows):
            if index not in left_out:
                read = Row(row["expected_calls"], row["actual_calls"], row["options"], row["verdict_or_score"])
                cls.translated.add((row["peer"], row["check"]))
                cls.claims[index] = TRANSLATORS[row["peer"], row["check"]](read)

    def test_every_row_is_accounted_for(self):
        self.assertEqual(self.count, 257)
        self.assertEqual(sum(map(len, NOT_A_FIXTURE.values())), 24)
        self.assertEqual(len(self.claims), 233)
        self.assertTrue(all(self.claims.values()), "a translator made no claim")
        self.assertEqual(self.translated, set(TRANSLATORS))

    def test_the_answers_agree_but_for_the_deliberate_ones(self):
        other = {}
        for index, claims in self.claims.items():
            wrong = [given for claim in claims if not agrees(claim.wanted, given := answer(claim))]
            if wrong:
                self.assertEqual(len(wrong), 1, index)
                other[index] = wrong[0]
        listed = {index: given for rows in DELIBERATE.values() for index, given in rows.items()}
        self.assertEqual(other, listed)
        self.assertEqual(len(self.claims) - len(other), 201)

    def test_no_row_is_of_two_kinds(self):
        indexes = [index for rows in (*DELIBERATE.values(), *NOT_A_FIXTURE.values()) for index in rows]
        self.assertEqual(len(indexes), len(set(indexes)))
