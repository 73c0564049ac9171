"""Real recordings with independently counted facts: ../shared/recordings/MANIFEST.tsv, row by row."""

import csv
import os
import re
import unittest

import eval_harness as eh

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(os.path.dirname(ROOT), "shared", "recordings")


def rows():
    with open(os.path.join(FOLDER, "MANIFEST.tsv"), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def runs_of(row):
    """The runs of the file of a row that its selector means."""
    path = os.path.join(FOLDER, row["file"])
    found = list(eh.read_label(path, row["file"], eh.Limits()))
    selector = row["selector"]
    number = re.search(r"(?:simulations|samples)\[(\d+)\]", selector)
    member = re.fullmatch(r"samples/(.*)_epoch_(\d+)\.json", selector)
    if number:
        return found[int(number[1]):int(number[1]) + 1]
    if member:
        return [run for run in found if run.case == member[1] and run.repeat == int(member[2])]
    return found


def facts(runs):
    """(number of tool calls, first five names, first 80 characters of the final output) of runs."""
    calls = [call for run in runs for _, call in eh.calls_of(run)] if all(run.steps is not None for run in runs) else []
    said = next((run.output for run in runs if type(run.output) is str), "")
    return len(calls), ",".join(call.name for call in calls[:5]), said[:80]


@unittest.skipUnless(os.path.exists(FOLDER), "the recordings are not there: ../shared/recordings")
class Manifest(unittest.TestCase):
    maxDiff = None


if __name__ == "__main__":
    import sys
    for row in rows():
        try:
            runs = runs_of(row)
            found = facts(runs)
            problem = next((run.problem for run in runs if run.problem), "")
        except Exception as error:
            found, problem = (0, "", ""), repr(error)
        wanted = (int(row["tool_calls"]), row["first_tools"], row["final_output_80"].replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")[:80])
        marks = "".join("." if a == b else "X" for a, b in zip(found, wanted))
        flags = [call.error for run in runs for _, call in (eh.calls_of(run) if run.steps is not None else ())]
        open_ = sum(call.result is eh.MISSING for run in runs for _, call in (eh.calls_of(run) if run.steps is not None else ()))
        print(marks, row["file"][-60:], row["selector"][:20], "" if marks == "..." else (found, wanted), problem[:150])
        if "-v" in sys.argv:
            print("     ", [(r.status, r.usage, r.duration_ms, r.model) for r in runs[:2]], "errors", flags.count(True), "unanswered", open_, "|", row["notes"][:150])
