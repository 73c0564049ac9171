"""Speed and memory as ratios, each measured in one go: `python3 tests/bench.py [--large]`.

Needs the generator ../shared/bench/gen.py beside the project. Every figure is the median of five runs, the commands of
a ratio in turn, as whole processes of `python -I -S`. `--large` adds 100,000 runs (minutes, and 1 GB of disk).
`--statistics` compares 100,000 cases with the statistics and without them (minutes as well). `--schema` measures JSON
Schema alone, against the library `jsonschema` where that is installed.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HARNESS = os.path.join(os.path.dirname(HERE), "eval_harness.py")
GENERATOR = os.path.join(os.path.dirname(os.path.dirname(HERE)), "shared", "bench", "gen.py")
PYTHON = [sys.executable, "-I", "-S"]
# The command line with a comparison that counts, but neither collects differences nor evaluates them.
WITHOUT_STATISTICS = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import eval_harness as eh
nothing = {"value": None, "low": None, "p": None, "p_holm": None, "mde": None, "lost": 0, "won": 0, "n": 0, "note": ""}
eh.ComparisonTally._measure = lambda *_: None
eh.ComparisonTally.statistics = lambda *_: {"flips": nothing, "mean_score_delta": nothing, "detectable": nothing,
                                            "dimension_deltas": {}}
eh.wilson_interval = lambda *_: None
eh.repeat_statistics = lambda *_: {"pass_hat": {}, "pass_at": {}}
sys.exit(eh.main())
"""
PLAIN = """
import json, sys
for path in sys.argv[1:]:
    with open(path, "rb") as lines:
        for line in lines:
            json.loads(line)
"""


def measure(command):
    """(wall seconds, peak memory in MB) of one whole process, in a folder without a config."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=tempfile.gettempdir())
    problems = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1) or problems:
        raise SystemExit("%s\n-> exit %d\n%s" % (" ".join(command), child.returncode, problems.decode()))
    return seconds, usage.ru_maxrss / 1024


def compare(title, one, other, limit, times=5):
    """Print the ratio of two commands' median times, run in turn; return the peak memory of the first."""
    taken = [[], []]
    peak = 0.0
    for _ in range(times):
        for index, command in enumerate((one, other)):
            seconds, memory = measure(command)
            taken[index].append(seconds)
            peak = max(peak, memory) if index == 0 else peak
    first, second = map(statistics.median, taken)
    print("%-58s %6.2f s / %6.2f s = %5.2f  (limit %.1f)" % (title, first, second, first / second, limit))
    return peak


def generate(folder, count):
    """Recorded runs of both variants and their fixtures; the commands that grade them."""
    for variant in ("baseline", "candidate"):
        subprocess.run([sys.executable, GENERATOR, folder, str(count), "--layout", "jsonl", "--variant", variant],
                       check=True, stdout=subprocess.DEVNULL)
    common = ["--fixtures", os.path.join(folder, "fixtures"), "--reports", os.path.join(folder, "reports")]
    runs = [os.path.join(folder, "runs", variant + "-jsonl") for variant in ("baseline", "candidate")]
    return {"run": [*PYTHON, HARNESS, "run", runs[0], *common], "compare": [*PYTHON, HARNESS, "compare", *runs, *common],
            "plain": [*PYTHON, "-c", PLAIN, os.path.join(folder, "fixtures", "cases.jsonl"),
                      os.path.join(runs[0], "runs.jsonl")]}


SCHEMA = {
    "type": "object", "required": ["order_id", "amount", "currency"], "additionalProperties": False,
    "properties": {
        "order_id": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4,}$"},
        "amount": {"type": "number", "minimum": 0, "maximum": 10000}, "currency": {"enum": ["EUR", "USD", "GBP"]},
        "reason": {"anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}]},
        "lines": {"type": "array", "maxItems": 10, "items": {"$ref": "#/$defs/line"}}},
    "$defs": {"line": {"type": "object", "required": ["sku", "count"], "additionalProperties": False, "properties": {
        "sku": {"type": "string"}, "count": {"type": "integer", "minimum": 1}}}},
}


def arguments(count, wrong):
    """Arguments objects of tool calls; of a share of them one part breaks the schema."""
    breaks = [{"amount": -1}, {"currency": "CHF"}, {"colour": "red"}, {"reason": 5}, {"order_id": "x"}]
    made = [{"order_id": "AB-%04d" % number, "amount": number % 500 + 0.5, "currency": "EUR", "reason": None,
             "lines": [{"sku": "S%d" % each, "count": each + 1} for each in range(number % 4)]} for number in range(count)]
    for number in range(round(count * wrong)):
        made[number].update(breaks[number % len(breaks)])
    return made


def schemas():
    """Every error of 10,000 arguments objects under one schema, compiled before, in turn with the library."""
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        raise SystemExit("the library jsonschema is not installed; there is nothing to measure against") from None
    sys.path.insert(0, os.path.dirname(HARNESS))
    import eval_harness as eh
    library, own = Draft202012Validator(SCHEMA), eh.compile_schema(SCHEMA)
    for wrong in (0.0, 0.2, 1.0):
        values, taken = arguments(10_000, wrong), ([], [])
        for _ in range(5):
            for times, errors_of in zip(taken, (lambda value: eh.schema_errors(own, value),
                                                lambda value: list(library.iter_errors(value)))):
                begin = time.perf_counter()
                broken = sum(1 for value in values if errors_of(value))
                times.append(time.perf_counter() - begin)
                assert broken == round(10_000 * wrong), broken
        first, second = map(statistics.median, taken)
        print("%-58s %6.2f s / %6.2f s = %5.2f  (limit 0.5)" % (
            "10,000 arguments, %d %% of them wrong / jsonschema" % (wrong * 100), first, second, first / second))


def statistics_cost():
    """What the statistics of a comparison cost, over the same command without them."""
    with tempfile.TemporaryDirectory() as folder:
        full = generate(folder, 100_000)["compare"]
        words = full[full.index(HARNESS) + 1:]
        compare("compare, 100,000 cases with statistics / without", full,
                [*PYTHON, "-c", WITHOUT_STATISTICS, os.path.dirname(HARNESS), *words], 1.25, times=3)


def sniffing(folder):
    """What finding the format costs, as a share of grading the same runs in this process."""
    sys.path.insert(0, os.path.dirname(HARNESS))
    import contextlib
    import io
    import json
    import eval_harness as eh
    runs = os.path.join(folder, "runs", "baseline-jsonl")
    with open(os.path.join(runs, "runs.jsonl"), "rb") as lines:
        values = [json.loads(line) for line in lines]
    graded, sniffed = [], []
    for _ in range(5):
        begin = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            eh.main(["run", runs, "--fixtures", os.path.join(folder, "fixtures"), "--config", os.path.join(folder, "none.json"),
                     "--reports", os.path.join(folder, "reports")])
        graded.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        for value in values:
            eh.sniff(value)
        sniffed.append(time.perf_counter() - begin)
    first, second = statistics.median(sniffed), statistics.median(graded)
    print("%-58s %6.2f s / %6.2f s = %5.3f  (limit 0.05)" % ("finding the format / grading", first, second, first / second))


def main():
    if "--statistics" in sys.argv:
        statistics_cost()
        return
    if "--schema" in sys.argv:
        schemas()
        return
    if not os.path.exists(GENERATOR):
        raise SystemExit("the generator is not there: ../shared/bench/gen.py")
    with tempfile.TemporaryDirectory() as folder:
        small = generate(os.path.join(folder, "small"), 10_000)
        compare("run, 10,000 runs / json.loads of the same lines", small["run"], small["plain"], 3.0)
        compare("compare / run", small["compare"], small["run"], 2.3)
        compare("--version / import argparse, json", [*PYTHON, HARNESS, "--version"],
                [*PYTHON, "-c", "import argparse, json"], 2.0, times=15)
        with open(os.path.join(folder, "small", "none.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        sniffing(os.path.join(folder, "small"))
        if "--large" in sys.argv:
            large = generate(os.path.join(folder, "large"), 100_000)
            peak = compare("run, 100,000 / 10,000", large["run"], small["run"], 11.0, times=3)
            print("%-58s %6.0f MB  (limit 32)" % ("peak memory of run, 100,000", peak))
            print("%-58s %6.0f MB  (limit 64)" % ("peak memory of compare, 100,000", measure(large["compare"])[1]))


if __name__ == "__main__":
    main()
