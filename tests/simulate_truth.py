"""How often the statistics of a comparison tell the truth: `python3 -m tests.simulate_truth [SIMULATIONS]`.

No unit test: 2,000 seeded simulations per row take some minutes. The effects are known here, so that a 95 % interval can
be asked whether it holds the true one, an exact test how often it calls chance an effect, and the minimum detectable
effect whether 80 % of comparisons would find it. Exit code 1 where a figure is off.

A 95 % interval may be wider, never much narrower: three standard errors of 2,000 simulations are 1.5 points. Where no
interval is stated (all differences are equal) nothing is claimed; how often that is stands in its own column.
"""

import random
import sys

import eval_harness as eh


def even(chance, n):
    """Differences of graded scores that scatter alike around a small drop."""
    return [chance.gauss(-0.03, 0.15) for _ in range(n)], None


def quarters(chance, n):
    """Scores in steps of a quarter, a tenth of the cases half a point worse."""
    moves = (0, 0, 0, 0, 0, -0.25, 0.25, -0.25, 0.25, -0.5)
    return [chance.choice(moves) for _ in range(n)], None


def flips(chance, n):
    """Pass or fail: a fifth of the cases lost, a tenth won."""
    return [chance.choice((-1, -1, 1, 0, 0, 0, 0, 0, 0, 0)) for _ in range(n)], None


def families(chance, n):
    """Families of five cases that move together."""
    deltas, names = [], []
    for family in range(n // 5):
        shared = chance.gauss(-0.03, 0.15)
        deltas += [shared + chance.gauss(0, 0.05) for _ in range(5)]
        names += ["family:%d" % family] * 5
    return deltas, names


TRUTH = {even: -0.03, quarters: -0.05, flips: -0.1, families: -0.03}
INTERVALS = [(even, 5), (even, 10), (even, 30), (even, 99), (even, 100), (even, 400), (quarters, 10), (quarters, 30),
             (quarters, 400), (flips, 10), (flips, 30), (flips, 400), (families, 50), (families, 150), (families, 600)]


def intervals(times):
    """Coverage and detectable effect. The smallest shift that a comparison finds is how far its interval lies from it."""
    print("%-10s %5s  %9s %9s  %7s %7s %6s" % ("difference", "n", "covered", "no claim", "MDE", "true", "ratio"))
    good = True
    for make, n in INTERVALS:
        chance = random.Random("%s %d" % (make.__name__, n))
        truth, held, silent, reaches, told = TRUTH[make], 0, 0, [], []
        for seed in range(times):
            found = eh.paired_difference(*make(chance, n), seed)
            if found["low"] is None:
                silent += 1
                continue
            held += found["low"] <= truth <= found["high"]
            reaches.append(truth - found["low"])
            told.append(eh.detectable(found)["mde"])
        covered = held / (times - silent)
        mde, true = sum(told) / len(told), sorted(reaches)[int(0.8 * len(reaches))]
        # Five differences in quarters, or ten flips, are no basis for a detectable effect; of these only coverage counts.
        smooth = make is even or make is families or n >= 30
        fine = covered >= (0.935 if smooth else 0.90) and (not smooth or abs(mde / true - 1) <= 0.10)
        good = good and fine
        print("%-10s %5d  %8.1f%% %8.1f%%  %7.4f %7.4f %6.3f%s" % (
            make.__name__, n, 100 * covered, 100 * silent / times, mde, true, mde / true, "" if fine else "  OFF"))
    return good


def alarms(times):
    """How often McNemar's test calls fair coins a difference."""
    print("\n%-10s %5s  %12s" % ("McNemar", "flips", "false alarms"))
    good = True
    for n in (5, 6, 10, 25, 100, 1000):
        chance, called = random.Random("mcnemar %d" % n), 0
        for _ in range(times):
            lost = chance.getrandbits(n).bit_count()
            called += eh.mcnemar(lost, n - lost)["p"] < 0.05
        fine = called / times <= 0.05 + 3 * (0.05 * 0.95 / times) ** 0.5
        good = good and fine
        print("%-10s %5d  %11.1f%%%s" % ("", n, 100 * called / times, "" if fine else "  OFF"))
    return good


def rates(times):
    """How often Wilson's interval holds the true pass rate; it swings around 95 % and means it on average (Brown et al.
    2001)."""
    print("\n%-10s %5s %6s  %9s" % ("Wilson", "n", "rate", "covered"))
    shares = []
    for n in (10, 30, 100, 1000):
        for rate in (0.5, 0.8, 0.95):
            chance, held = random.Random("wilson %d %s" % (n, rate)), 0
            for _ in range(times):
                found = eh.wilson_interval(sum(chance.random() < rate for _ in range(n)), n)
                held += found["low"] <= rate <= found["high"]
            shares.append(held / times)
            print("%-10s %5d %6.2f  %8.1f%%" % ("", n, rate, 100 * held / times))
    average = sum(shares) / len(shares)
    print("on average %.1f%%" % (100 * average))
    return average >= 0.94 and min(shares) >= 0.90


def main():
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("%d simulations per row" % times)
    fine = [part(times) for part in (alarms, rates, intervals)]
    print("\nall figures hold" if all(fine) else "\nsome figures are off")
    return not all(fine)


if __name__ == "__main__":
    sys.exit(main())
