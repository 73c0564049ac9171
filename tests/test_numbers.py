"""Numbers in text: which ones a text states, exactly which value each has, and when one stands for another."""

import random
import unittest
from decimal import Decimal

import eval_harness as eh


def values(text, *asked):
    """The values of the numbers that a text states, in order."""
    return [amount.value for amount in eh.amounts(text, asked)]


def told(text):
    """The same with the unit: 5 for a plain number, "5%" for a percentage."""
    return ["%s%%" % amount.value if amount.percent else amount.value for amount in eh.amounts(text)]


def graded(check, run):
    """The CheckResult of one check, as a fixture writes it, on a native run."""
    config = eh.make_config()
    # The second check makes a case also of a check that is advisory.
    case = eh.compile_case({"id": "x", "contract": [check, {"check": "completed"}]}, config)
    recorded = eh.read_value({"status": "completed", **run}, eh.Origin("here", "x", 1, None, b""))
    result = eh.grade_check(case.checks[0], recorded, eh.context_of(case, recorded, config))
    assert not result.crashed, result.reason
    return result


def grounded(said, result, **keys):
    """The outcome of `grounded` on a final output, after one tool call with a result."""
    steps = [{"kind": "tool_call", "name": "look", "arguments": {}, "result": result}]
    return graded({"check": "grounded", "text": "output", **keys}, {"steps": steps, "output": said}).word


class Reads(unittest.TestCase):
    """A table of texts and the numbers that each states."""

    def rows(self, *rows):
        for text, *numbers in rows:
            with self.subTest(text=text):
                self.assertEqual(values(text), numbers)


class Signs(Reads):
    def test_a_minus_and_a_plus_belong_to_the_number(self):
        self.rows(("-5", -5), ("+5", 5), ("\u22125", -5), ("x = -5", -5), ("x=-5", -5), ("it fell to -1,234.50", -1234.5),
                  ("-5 to -3", -5, -3), ("-.5", -0.5), ("-1.234,50 EUR", -1234.5), ("\u22121 234,50 EUR", -1234.5))

    def test_a_sign_stands_before_or_behind_the_currency(self):
        self.rows(("-$5", -5), ("$-5", -5), ("-\u20ac5.25", -5.25), ("\u20ac-5.25", -5.25), ("\u20ac\u22125", -5),
                  ("-5 EUR", -5), ("EUR -5", -5), ("-EUR 5", -5))

    def test_a_dash_with_a_space_behind_it_is_a_dash(self):
        self.rows(("- 5 apples", 5), ("1 - 5", 1, 5), ("costs - $5", 5))

    def test_zero_has_no_sign_that_counts(self):
        self.rows(("-0", 0), ("0", 0), ("0.00", 0))


class Parentheses(Reads):
    """Parentheses around money are a minus."""

    def test_around_money_with_the_currency_in_front(self):
        self.rows(("($5)", -5), ("($1,234.50)", -1234.5), ("(\u20ac1.234,50)", -1234.5), ("(EUR 5)", -5),
                  ("a loss of (\u00a37.25) in all", -7.25))

    def test_around_money_with_the_currency_behind(self):
        self.rows(("(5 EUR)", -5), ("(12,50 \u20ac)", -12.5), ("(1.234,50 EUR)", -1234.5))

    def test_around_a_plain_number_they_say_nothing(self):
        self.rows(("(5)", 5), ("(1,234)", 1234), ("three (3) items", 3), ("(20%)", 20), ("(-5)", -5), ("f(1.5)", 1.5))

    def test_around_a_plain_number_with_two_decimals_they_say_nothing(self):
        self.rows(("pi (3.14)", 3.14), ("the rate (0.50)", 0.5), ("f(2.25)", 2.25))

    def test_a_negative_amount_in_parentheses_does_not_become_positive(self):
        for text in ("($-5.00)", "(-$5.00)", "(\u20ac-5.00)"):
            self.assertEqual([value < 0 for value in values(text)], [True], text)

    def test_with_more_words_inside_they_are_no_minus(self):
        self.rows(("($5.00 fee)", 5), ("(cost: $5)", 5))


class Grouping(Reads):
    """Thousands are grouped by commas, points or spaces in threes."""

    def test_by_commas(self):
        self.rows(("1,234", 1234), ("8,000", 8000), ("1,234.50", 1234.5), ("1,234,567", 1234567), ("1,234,567.89", 1234567.89),
                  ("12,345.6", 12345.6), ("1,234.567", 1234.567), ("1,000,000,000", 10 ** 9), ("9{,}500", 9500))

    def test_by_points(self):
        self.rows(("1.234,50", 1234.5), ("1.234.567", 1234567), ("1.234.567,89", 1234567.89), ("12.345,6", 12345.6),
                  ("1.234,567", 1234.567), ("EUR 1.234.567", 1234567))

    def test_by_spaces_beside_a_currency_or_decimals(self):
        self.rows(("1 234,50", 1234.5), ("1 234.50", 1234.5), ("1 234 567,89", 1234567.89), ("1 234 EUR", 1234),
                  ("EUR 1 234", 1234), ("\u20ac1 234 567", 1234567), ("1 234,50 EUR", 1234.5))

    def test_by_spaces_that_do_not_break(self):
        for space in "\u00a0\u2009\u202f":
            self.rows(("1%s234" % space, 1234), ("1%s234,50" % space, 1234.5), ("1%s234%s567.5" % (space, space), 1234567.5))

    def test_by_apostrophes(self):
        self.rows(("1'234.50", 1234.5), ("CHF 1'234'567.05", 1234567.05), ("1'234 CHF", 1234))

    def test_only_in_threes(self):
        self.rows(("points 1,2 and 1,234", 1, 2, 1234), ("12,34", 12, 34), ("1,2345", 1, 2345), ("1,2,3", 1, 2, 3),
                  ("1, 2, 3", 1, 2, 3), ("5,5,5", 5, 5, 5), ("rooms 101 102 103", 101, 102, 103))

    def test_separators_of_a_sentence_are_none_of_the_number(self):
        self.rows(("The answer is 72, in total.", 72), ("It is 72.", 72), ("72,", 72), ("1,234,", 1234), ("1,234.", 1234),
                  ("$1,234.50.", 1234.5), (",", ), (".", ), ("a,b.c", ))

    def test_more_than_three_groups_by_points(self):
        self.rows(("1.234.567.890", 1234567890), ("1.234.567.890 EUR", 1234567890), ("1.234.567.890,50 EUR", 1234567890.5))

    def test_by_spaces_with_any_number_of_decimals(self):
        self.rows(("1 000,5 %", 1000.5), ("1 234,5 EUR", 1234.5), ("10 000,125 EUR", 10000.125))


class Decimals(Reads):
    def test_a_point(self):
        self.rows(("3.14", 3.14), ("0.10", 0.1), (".5", 0.5), ("It is 5.", 5), ("100.000", 100), ("1.5.", 1.5), ("$.50", 0.5))

    def test_a_comma_beside_a_currency_or_a_percent_sign(self):
        self.rows(("12,50 EUR", 12.5), ("\u20ac12,50", 12.5), ("0,99 \u20ac", 0.99), ("\u20ac0,5", 0.5), ("USD 5,50", 5.5),
                  ("12,5%", 12.5), ("12,5 %", 12.5), ("-0,5 %", -0.5))

    def test_a_comma_elsewhere_parts_two_numbers(self):
        self.rows(("12,50", 12, 50), ("0,5", 0, 5))

    def test_the_ambiguous_ones(self):
        self.rows(("1,234", 1234), ("1.234", 1.234), ("\u20ac1,234", 1234), ("\u20ac1.234", 1.234), ("1,234%", 1234))

    def test_a_leading_zero_is_no_group(self):
        self.assertNotIn(123, values("\u20ac0,123") + values("0,123") + values("0,123 EUR"))

    def test_integers_are_exact_at_any_size(self):
        self.rows(("9007199254740993", 2 ** 53 + 1), ("1" * 400, int("1" * 400)),
                  ("1" + ",000" * 30, 10 ** 90))


class Currency(Reads):
    def test_in_front(self):
        self.rows(("$9,500", 9500), ("$ 5", 5), ("US$5.50", 5.5), ("\u00a35.50", 5.5), ("\u00a5500", 500), ("\u20b91,000", 1000),
                  ("USD 5", 5), ("usd 5", 5), ("USD5", 5), ("EUR1,234.50", 1234.5), ("CHF 5.05", 5.05))

    def test_behind(self):
        self.rows(("5 USD", 5), ("5USD", 5), ("5\u20ac", 5), ("5 \u20ac", 5), ("5.50 eur", 5.5), ("1.234,50EUR", 1234.5))

    def test_several_in_one_sentence(self):
        self.rows(("$204 + $160 = $364", 204, 160, 364), ("\u20ac1,000.25 or \u00a37", 1000.25, 7),
                  ("\u20ac 1.234,50 and $ 1,234.50", 1234.5, 1234.5), ("5 EUR, 6 EUR", 5, 6))

    def test_a_code_glued_to_the_front_of_a_decimal(self):
        self.rows(("EUR5.50", 5.5), ("USD12.50", 12.5), ("it costs GBP0.99", 0.99))


class Percent(unittest.TestCase):
    def test_it_is_a_unit(self):
        for text, *numbers in (("20% of 100", "20%", 100), ("5 %", "5%"), ("5 percent", "5%"), ("5 per cent", "5%"),
                               ("5\u00a0%", "5%"), ("-5%", "-5%"), ("0.5%", "0.5%"), ("1,000.5%", "1000.5%"),
                               ("10-20%", 10, "20%"), ("5 percentage points", 5), ("20 Percent", "20%"), ("2026%", "2026%")):
            with self.subTest(text=text):
                self.assertEqual(told(text), numbers)


class Scientific(Reads):
    def test_an_exponent(self):
        self.rows(("1e3", 1000), ("1E3", 1000), ("1.5e-3", 0.0015), ("1e+3", 1000), ("-1e3", -1000), ("2.5E10", 2.5e10),
                  ("1e5 EUR", 100000))

    def test_a_bare_e_is_none(self):
        self.rows(("5e", 5), ("1.2e", 1.2))

    def test_an_exponent_is_never_dropped(self):
        self.rows(("1,5e3", 1, 5000), ("1.5e3kg", 1500))


class Ranges(Reads):
    def test_a_dash_between_two_numbers_is_no_minus(self):
        self.rows(("5-6", 5, 6), ("3\u20135", 3, 5), ("10,000-20,000", 10000, 20000), ("$10-$20", 10, 20), ("$10-20", 10, 20),
                  ("5 EUR-6 EUR", 5, 6), ("10-20%", 10, 20), ("5% - 10%", 5, 10), ("10 to 20", 10, 20), ("-5--3", -5, -3))

    def test_a_dash_behind_a_unit_is_no_minus(self):
        self.rows(("5%-10%", 5, 10), ("5\u20ac-10\u20ac", 5, 10), ("20\u00b0-25\u00b0", 20, 25))


class Units(Reads):
    def test_a_unit_may_be_glued_on(self):
        self.rows(("25kg", 25), ("3.5GB", 3.5), ("100ms", 100), ("-12.5kg", -12.5), ("1,234kg", 1234), ("20\u00b0C", 20),
                  ("5km/h", 5), ("3x", 3))

    def test_digits_of_a_word_are_no_number(self):
        self.rows(("x86", ), ("h2o", ), ("CO2", ), ("B2B", ), ("y_1", ), ("IPv4", ), ("711", 711))

    def test_a_number_with_a_unit_is_no_bare_year(self):
        self.rows(("2000kg", 2000), ("it took 1950ms", 1950))


class NoAmounts(Reads):
    """Dates, times, versions, ids, list markers, ordinals and years are no amounts."""

    def states_nothing(self, *texts):
        self.rows(*[(text, ) for text in texts])

    def test_dates(self):
        self.states_nothing("2026-05-01", "2026-05", "01/05/2026", "1.5.2026", "5/1/26", "1 May 2026", "May 1, 2026",
                            "May 1st, 2026", "1st May 2026", "10 May", "Sept 5", "due 2026-05-01.", "May 2026")

    def test_dates_with_the_year_and_slashes(self):
        self.states_nothing("2026/05/01", "on 2026/12/24 at noon")

    def test_words_that_only_begin_like_a_month(self):
        self.rows(("Revenue decreased 15% this year.", 15), ("Sales declined 12%", 12), ("I found 3 separate refunds", 3),
                  ("5 marbles", 5), ("We separated 3 boxes", 3), ("10 decibels", 10), ("maybe 9", 9))

    def test_times(self):
        self.states_nothing("10:30", "10:30:15", "10 am", "10am", "5 p.m.", "10:30 am", "2026-05-01T10:30Z",
                            "2026-05-01T10:30:00+02:00", "2026-05-01 10:30", "17:05 UTC", "10:30-11:45")

    def test_times_with_am_and_pm(self):
        self.states_nothing("5:30pm", "10.30 am")

    def test_versions_and_addresses(self):
        self.states_nothing("1.2.3", "v1.2", "v2", "1.2.3-beta", "192.168.0.1", "see 2.3.1 below")

    def test_versions_that_are_called_so(self):
        self.states_nothing("version 2.1", "Version 2")

    def test_ids(self):
        self.states_nothing("order A-17", "REF_12", "gpt-4o", "TICKET-123", "INV/2026/17", "ORD-2026-17", "a1b2", "7f3a9c",
                            "1a2b3c4d", "deadbeef12", "Q3", "0x1F")

    def test_ids_with_a_hash(self):
        self.states_nothing("order #17", "see #17.")

    def test_ids_that_are_uuids(self):
        self.states_nothing("550e8400-e29b-41d4-a716-446655440000", "8d88348a-7eed-8d14-f06d-3fef701966a0",
                            "1e2feb89-414c-343c-1027-c4d1c386bbc4", "12345678-7eed-8d14-f06d-3fef701966a0")

    def test_list_markers(self):
        self.states_nothing("1. one\n2. two", "2) two", "(3) three", "#4 four", "\n  1. a")
        self.rows(("1. costs 5\n2. costs 6", 5, 6), ("- 5 apples", 5), ("* 5 apples", 5), ("5 apples", 5))

    def test_a_marker_marks_something(self):
        self.rows(("42.\n", 42), ("The total:\n42.\n", 42))

    def test_addresses_and_long_groups(self):
        self.states_nothing("192.168.100.100", "at 10.0.0.1.")
        self.rows(("1.100.100.100 EUR", 1100100100), ("EUR 1.100.100.100", 1100100100), ("in May 15% more", 15))

    def test_long_chains_take_no_time_squared(self):
        for part in ("a-", "v1.", "ab-cd_", "1 ", "1/"):
            eh.amounts(part * 20000)

    def test_ordinals(self):
        self.states_nothing("1st", "2nd", "3rd", "21st", "the 4th of them")

    def test_bare_years(self):
        self.states_nothing("1900", "in 2026,", "2099", "(2026)", "'2026'", "the 1990s", "2026-2027")
        self.rows(("1899", 1899), ("2100", 2100), ("2026 EUR", 2026), ("$2026", 2026), ("2026.5", 2026.5), ("2,026", 2026),
                  ("+2026", 2026))

    def test_what_is_asked_for_counts(self):
        for text, word, numbers in (("in 2026", "years", [2026]), ("the 3rd", "ordinals", [3]), ("1. one", "markers", [1])):
            self.assertEqual(values(text, word), numbers)
            self.assertEqual(values(text, *{"years", "ordinals", "markers"} - {word}), [])


# -- Properties -------------------------------------------------------------


def random_decimals(rnd, count, places, below=10 ** 9):
    """Random numbers of all sizes with some decimals, as Decimals."""
    for _ in range(count):
        digits = rnd.randrange(1, len(str(below)))
        whole = rnd.randrange(10 ** (digits - 1) if digits > 1 else 0, 10 ** digits)
        yield Decimal("%d.%0*d" % (whole, places, rnd.randrange(10 ** places))) if places else Decimal(whole)


def grouped(number, separator, point):
    """A number written with a separator of thousands and a decimal sign."""
    return format(number, ",f").replace(",", "G").replace(".", point).replace("G", separator)


class Random(unittest.TestCase):
    """A random number that is written in a documented style is read back exactly."""

    frames = ("%s", "The total is %s.", "the total is %s, and no more", "total: %s!", "it was %s; now", "x = %s\n")

    def check(self, written, number, percent=False):
        frame = self.rnd.choice(self.frames)
        found = eh.amounts(frame % written)
        exact = int(number) if number == number.to_integral_value() else float(number)
        self.assertEqual([(amount.value, amount.percent) for amount in found], [(exact, percent)], (frame % written, number))

    def setUp(self):
        self.rnd = random.Random(20260501)

    def test_commas_and_a_point(self):
        for places in (0, 1, 2, 3, 4):
            for number in random_decimals(self.rnd, 100, places, 10 ** 15):
                if places or not 1900 <= number <= 2099:
                    self.check(grouped(number, ",", "."), number)

    def test_points_and_a_comma(self):
        # Without decimals one group alone ("1.234") is a decimal number, and without a group "12,5" parts two numbers.
        for places in (0, 1, 2, 3, 4):
            for number in random_decimals(self.rnd, 100, places):
                if number >= (1000 if places else 10 ** 6):
                    self.check(grouped(number, ".", ","), number)

    def test_points_and_a_comma_beyond_a_billion(self):
        for number in random_decimals(self.rnd, 100, 2, 10 ** 15):
            if number >= 10 ** 9:
                self.check(grouped(number, ".", ","), number)

    def test_spaces_and_two_decimals(self):
        for space, point in ((space, point) for space in " \u00a0\u2009\u202f'" for point in ".,"):
            for number in random_decimals(self.rnd, 50, 2, 10 ** 12):
                if number >= 1000:
                    self.check(grouped(number, space, point), number)

    def test_a_plain_point(self):
        for places in (1, 2, 3, 5):
            for number in random_decimals(self.rnd, 100, places):
                self.check(format(number, "f"), number)

    def test_a_currency_in_front(self):
        for sign in ("$", "\u20ac", "\u00a3", "\u00a5", "\u20b9", "US$", "$ ", "EUR ", "USD "):
            for separator, point in ((",", "."), (".", ","), (" ", ","), ("", ".")):
                for number in random_decimals(self.rnd, 10, 2):
                    self.check(sign + grouped(number, separator, point), number)

    def test_a_currency_behind(self):
        for sign in ("$", "\u20ac", " \u20ac", " EUR", "EUR", " USD", " CHF"):
            for separator, point in ((",", "."), (".", ","), (" ", ","), ("", "."), ("", ",")):
                for number in random_decimals(self.rnd, 10, 2):
                    self.check(grouped(number, separator, point) + sign, number)

    def test_a_sign(self):
        for sign, factor in (("-", -1), ("\u2212", -1), ("+", 1)):
            for number in random_decimals(self.rnd, 50, 2):
                self.check(sign + grouped(number, ",", "."), factor * number)
                self.check(sign + "$" + grouped(number, ",", "."), factor * number)
                self.check(sign + grouped(number, ",", ".") + " EUR", factor * number)

    def test_parentheses_around_money(self):
        for number in random_decimals(self.rnd, 100, 2):
            self.check("($%s)" % grouped(number, ",", "."), -number)
            self.check("(\u20ac%s)" % grouped(number, ".", ","), -number)

    def test_percent(self):
        for sign in ("%", " %", " percent", " per cent"):
            for number in random_decimals(self.rnd, 30, 1):
                self.check(grouped(number, ",", ".") + sign, number, True)
                if number < 1000:
                    self.check(format(number, "f").replace(".", ",") + sign, number, True)

    def test_scientific(self):
        for _ in range(200):
            written = "%.*e" % (self.rnd.randrange(6), self.rnd.uniform(-10, 10) * 10.0 ** self.rnd.randint(-50, 50))
            found = eh.amounts("it is %s." % written)
            self.assertEqual([amount.value for amount in found], [float(written)], written)

    def test_whole_numbers_at_any_size(self):
        for digits in (5, 17, 40, 300):
            number = self.rnd.randrange(10 ** (digits - 1), 10 ** digits)
            self.assertEqual((values("%d" % number), values("{:,}".format(-number))), ([number], [-number]))

    def test_several_in_one_text(self):
        for _ in range(100):
            numbers = list(random_decimals(self.rnd, 5, 2))
            text = " and ".join("$" + grouped(number, ",", ".") for number in numbers)
            self.assertEqual(values(text), [float(number) for number in numbers], text)

    def test_digits_in_words_are_never_read(self):
        for _ in range(300):
            word = "".join(self.rnd.choice("abcxyz") for _ in range(3)) + str(self.rnd.randrange(10 ** 6))
            self.assertEqual(values("see %s and nothing else" % word), [], word)


# -- When one number stands for another -------------------------------------


class Grounding(unittest.TestCase):
    """Numbers are compared as numbers: sign, grouping, percent as a unit, rounding to the precision that is written."""

    def rows(self, *rows):
        for said, result, word in rows:
            with self.subTest(said=said, result=result):
                self.assertEqual(grounded(said, result), word)

    def test_five_never_matches_twenty_five(self):
        self.rows(("5", 25, "failed"), ("25", 5, "failed"), ("5", "25", "failed"), ("11", 711, "failed"), ("5", 5, "passed"),
                  ("5", "5", "passed"), ("5", "id A-5", "failed"), ("5", {"a": [{"b": 5}]}, "passed"), ("5", 5.0, "passed"))

    def test_the_sign(self):
        self.rows(("-5", 5, "failed"), ("5", -5, "failed"), ("-5", -5, "passed"), ("\u22125", "-5", "passed"),
                  ("($1,234.50)", -1234.5, "passed"), ("($1,234.50)", 1234.5, "failed"))

    def test_powers_of_ten_in_words(self):
        self.rows(("It is 5 million EUR", 5, "failed"), ("It is 5 million EUR", 5000000, "passed"), ("5k EUR", 5000, "passed"), ("5k EUR", 5, "failed"),
                  ("$5bn", 5 * 10 ** 9, "passed"), ("5 Mio. EUR", 5000000, "passed"), ("5M EUR", "5 million", "passed"),
                  ("1.2 million", 1234567, "passed"), ("1.3 million", 1234567, "failed"), ("1,2 Mio. EUR", 1200000, "passed"),
                  ("12 lakh", 1200000, "passed"), ("5 m", 5, "passed"), ("5 M", 5, "passed"), ("5kg", 5, "passed"), ("5 millionaires", 5, "passed"))

    def test_amounts_in_other_scripts_and_customs(self):
        self.rows(("\u4ef7\u683c\u662f26\u5143", 25, "failed"), ("\u4ef7\u683c\u662f26\u5143", 26, "passed"), ("2026\u5e745\u67083\u65e5", 25, "not_applicable"),
                  ("The total is 1999 dollars", 25, "failed"), ("in 1999", 25, "not_applicable"), ("It is \u201325 EUR", 25, "failed"),
                  ("It is \u201325 EUR", -25, "passed"), ("10\u201325 EUR", [10, 25], "passed"), ("INR 12,34,567.50", 1234567.5, "passed"),
                  ("20 Prozent", "20%", "passed"), ("It costs twelve euros (12 EUR).", 12, "passed"), ("A loss of (12 EUR)", 12, "failed"))

    def test_the_way_it_is_written_does_not_matter(self):
        for said in ("1,234.50", "1.234,50", "1 234,50", "$1,234.5", "1.234,50 EUR", "1'234.50", "1234.5"):
            for result in (1234.5, "1,234.50", "1.234,50 EUR", "1 234,50"):
                self.assertEqual(grounded("It is %s" % said, result), "passed", (said, result))
            self.assertEqual(grounded("It is %s" % said, 1235.5), "failed", said)
            self.assertEqual(grounded("It is %s" % said, 234.5), "failed", said)

    def test_percent_is_a_unit(self):
        self.rows(("20%", "20%", "passed"), ("20%", "20", "failed"), ("20", "20%", "failed"), ("20%", 0.2, "passed"),
                  ("20%", "0.2%", "failed"), ("20%", 2, "failed"))

    def test_rounded_to_the_precision_that_is_written(self):
        self.rows(("0.19", 0.1949, "passed"), ("0.19", 0.1951, "failed"), ("0.195", 0.1949, "passed"), ("0.20", 0.1949, "failed"),
                  ("0.2", 0.1949, "passed"), ("1,235", 1234.6, "passed"), ("1,234", 1234.6, "failed"), ("1,200", 1234, "failed"),
                  ("19%", 0.1949, "passed"), ("19.5%", 0.1949, "passed"), ("20%", 0.1949, "failed"))

    def test_exactly_if_asked(self):
        self.assertEqual(grounded("0.19", 0.1949, tolerance="exact"), "failed")
        self.assertEqual(grounded("1,234.50", 1234.5, tolerance="exact"), "passed")

    def test_any_rounding_and_no_more(self):
        rnd = random.Random(7)
        for _ in range(60):
            exact, places = Decimal(rnd.randrange(1, 10 ** 8)).scaleb(-5), rnd.randrange(5)
            unit = Decimal(1).scaleb(-places)
            said = exact.quantize(unit)
            self.assertEqual(grounded("$" + grouped(said, ",", "."), float(exact)), "passed", (exact, said))
            # A tie may be rounded either way.
            for other in (other for other in (said + unit, said - unit) if abs(other - exact) > unit / 2):
                self.assertEqual(grounded("$" + grouped(other, ",", "."), float(exact)), "failed", (exact, other))

    def test_the_precision_of_a_small_number_in_scientific_form(self):
        self.rows(("1.2e-5", 0.000012, "passed"), ("1.2e-5", 0.04, "failed"), ("5e-3", 0.4, "failed"))

    def test_the_precision_of_a_large_number_in_scientific_form(self):
        self.rows(("1.2e3", 1200, "passed"), ("1.2e3", 1234, "passed"), ("1.2e3", 1300, "failed"))

    def test_a_number_beyond_all_bounds_is_no_crash(self):
        self.assertIn(grounded("It is 1e999", "1e999"), ("passed", "failed", "error"))

    def test_dates_ordinals_markers_and_years_are_not_judged_unless_asked(self):
        for said in ("on 1 May 2026", "the 3rd", "1. done", "in 2026"):
            self.assertEqual(grounded(said, 7), "not_applicable", said)
        for said, word in (("the 3rd", "ordinals"), ("1. done", "markers"), ("in 2026", "years")):
            self.assertEqual(grounded(said, 7, include=[word]), "failed", said)
        self.assertEqual(grounded("in 2026", 2026, include=["years"]), "passed")


class TheCheck(unittest.TestCase):
    """`number`: a number in the text equals the value."""

    def number(self, output, value, **keys):
        return graded({"check": "number", "value": value, **keys}, {"output": output})

    def rows(self, *rows):
        for output, value, keys, word in rows:
            with self.subTest(output=output, value=value, **keys):
                self.assertEqual(self.number(output, value, **keys).word, word)

    def test_equality(self):
        self.rows(("711", 11, {}, "failed"), ("11", 11, {}, "passed"), ("1,234.50", 1234.5, {}, "passed"), ("-5", 5, {}, "failed"),
                  ("1.234,50 EUR", 1234.5, {}, "passed"), ("1,234", 1.234, {}, "failed"), ("1.234", 1234, {}, "failed"),
                  ("order A-17", 17, {}, "failed"), ("8,000", 0, {}, "failed"), ("9007199254740993", 2 ** 53, {}, "failed"))

    def test_percent(self):
        self.rows(("20% of 100", 20, {}, "failed"), ("20% of 100", "20%", {}, "passed"), ("20% of 100", 100, {}, "passed"),
                  ("20 of 100", "20%", {}, "failed"), ("12,5 %", "12.5%", {}, "passed"), ("0.2", "20%", {}, "failed"))

    def test_which(self):
        text = "$204 + $160 = $364"
        self.rows((text, 364, {}, "passed"), (text, 364, {"which": "last"}, "passed"), (text, 364, {"which": "first"}, "failed"),
                  (text, 204, {"which": "first"}, "passed"), (text, 364, {"which": "only"}, "failed"),
                  ("The answer is 72, in total.", 72, {"which": "only"}, "passed"), ("72 or 72", 72, {"which": "only"}, "failed"))

    def test_bounds_are_closed(self):
        self.rows(("19.9", 20, {"abs": 0.1}, "passed"), ("19.89", 20, {"abs": 0.1}, "failed"), ("198", 200, {"rel": 0.01}, "passed"),
                  ("197.9", 200, {"rel": 0.01}, "failed"), ("-5", 5, {"abs": 9}, "failed"), ("-5", 5, {"abs": 10}, "passed"))

    def test_a_value_written_as_text(self):
        self.rows(("1234.5 EUR", "$1,234.50", {}, "passed"), ("1234.5", "1.234,50", {}, "passed"))

    def test_a_year_is_found_where_one_is_wanted(self):
        self.rows(("in 2026", 2026, {}, "passed"), ("in 2025", 2026, {}, "failed"))

    def test_the_sentence_says_what_was_found(self):
        self.assertIn("found 204, $160", self.number("204 and $160", 7).reason)
        self.assertIn("no number", self.number("none", 7).reason)

    def test_nothing_recorded_is_an_error(self):
        self.assertEqual(graded({"check": "number", "value": 7}, {"steps": []}).word, "error")

    def test_a_value_that_is_no_single_number_is_refused(self):
        for value in ("many", "5 and 6", "", True, None, []):
            with self.assertRaises(eh.HarnessError, msg=value):
                self.number("5", value)


if __name__ == "__main__":
    unittest.main()
