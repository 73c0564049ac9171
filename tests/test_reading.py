"""Reading: strict JSON with located errors for fixtures and config, JSON as parsers take it for recordings, and files."""

import json
import math
import os
import unittest

import eval_harness as eh
from tests.support import Workspace

NESTED = "nested more than 200 levels deep"
CUT = "not valid JSON: the text ends in the middle of a value"
GOOD = {"id": "good", "output": [{"check": "contains", "value": "good"}]}


def problem_of(read, text):
    """The (problem, line, pointer) with which a text is refused; None where it is read."""
    try:
        read(text)
    except eh.HarnessError as error:
        return error.problem, error.line, error.pointer
    return None


class StrictJson(unittest.TestCase):
    """`parse_strict`: what fixtures and config may be."""

    def test_every_type_is_read(self):
        for text, value in (("null", None), ("true", True), ("false", False), ("0", 0), ("-0", 0), ("1.5", 1.5),
                            ("1E2", 100.0), ("-2e-1", -0.2), ('""', ""), ("[]", []), ("{}", {}), ("[[], {}]", [[], {}]),
                            ('{"": {"a": [1, null]}}', {"": {"a": [1, None]}})):
            found = eh.parse_strict(text)
            self.assertEqual((found, type(found)), (value, type(value)), text)

    def test_escapes_are_read(self):
        self.assertEqual(eh.parse_strict(r'"\" \\ \/ \b \f \n \r \t \u00e9 \ud83d\ude00"'),
                         "\" \\ / \b \f \n \r \t \u00e9 \U0001f600")

    def test_unescaped_line_and_paragraph_separators_are_text(self):
        self.assertEqual(eh.parse_strict('"a\u2028b\u2029c\u0085d\x7fe"'), "a\u2028b\u2029c\u0085d\x7fe")

    def test_white_space_around_is_no_matter(self):
        self.assertEqual(eh.parse_strict(" \t\r\n[ 1 ,\r\n2 ]\n\n"), [1, 2])

    def test_integers_are_exact(self):
        for number in (2 ** 53 + 1, -(2 ** 63) - 1, 10 ** 400 + 1, 10 ** 4299 + 7):
            self.assertEqual(eh.parse_strict(str(number)), number)

    def test_very_small_numbers_are_no_overflow(self):
        self.assertEqual(eh.parse_strict("1e-999"), 0.0)
        self.assertEqual(eh.parse_strict("1.7976931348623157e308"), 1.7976931348623157e308)

    def test_a_repeated_key_is_refused_with_its_place(self):
        for text, line, pointer in (('{"a": 1, "a": 1}', 1, "/a"), ('[{"b": 2},\n {"b": 3,\n\n  "b": 3}]', 4, "/1/b"),
                                    ('{"x": {"y~/z": 1,\n"y~/z": 2}}', 2, "/x/y~0~1z"), ('{"": 0,\n\n"": 0}', 3, "/")):
            problem, *place = problem_of(eh.parse_strict, text)
            self.assertIn("twice", problem)
            self.assertEqual(place, [line, pointer], text)

    def test_a_repeated_key_of_compact_text(self):
        self.assertEqual(problem_of(eh.parse_strict, '{"a":1,"b":{"c":[],"d":"e","c":2}}')[1:], (1, "/b/c"))

    def test_of_several_flaws_the_one_that_is_told_is_located(self):
        for text, word, line, pointer in (('{"a": NaN,\n"b": 1,\n"b": 2}', "NaN", 1, "/a"), ('{"a": "\\ud800",\n"b": NaN}', "surrogate", 1, "/a"),
                                          ("[1%s,\nNaN]" % ("0" * 400), "NaN", 2, "/1"), ("[-1%s,\n1e999]" % ("0" * 400), "1e999", 2, "/1")):
            with self.subTest(text=text[:30]):
                problem, *place = problem_of(eh.parse_strict, text)
                self.assertIn(word, problem)
                self.assertEqual(place, [line, pointer])

    def test_a_key_that_is_repeated_by_an_escape_is_repeated(self):
        problem, line, pointer = problem_of(eh.parse_strict, '{"a": 1,\n"\\u0061": 2}')
        self.assertIn('"a" stands twice', problem)
        self.assertEqual((line, pointer), (2, "/a"))

    def test_equal_keys_of_different_objects_are_none(self):
        self.assertEqual(eh.parse_strict('[{"a": 1}, {"a": {"a": 2}}]'), [{"a": 1}, {"a": {"a": 2}}])

    def test_what_is_no_json_number_is_refused(self):
        for word in ("NaN", "Infinity", "-Infinity"):
            self.assertEqual(problem_of(eh.parse_strict, '{"a": %s}' % word)[0], "%s is not JSON" % word)

    def test_a_number_that_overflows_is_refused(self):
        for word in ("1e999", "-1e999", "1.0E+400", "2" + "0" * 309 + ".5"):
            self.assertIn("too large", problem_of(eh.parse_strict, "[%s]" % word)[0])

    def test_an_unpaired_surrogate_is_refused(self):
        for text in (r'"\ud800"', r'"\udc00 low"', r'{"k\udbff": 1}', r'[["\ude00\ud83d"]]', r'{"a": {"b": "x\ud83d"}}'):
            self.assertIn("surrogate", problem_of(eh.parse_strict, text)[0], text)
        self.assertEqual(eh.parse_strict(r'"\\ud800"'), r"\ud800")

    def test_depth_is_counted_exactly(self):
        for deep in ("[" * 200 + "]" * 200, '{"a":' * 200 + "1" + "}" * 200, '[{"a":' * 100 + "1" + "}]" * 100):
            self.assertIsNone(problem_of(eh.parse_strict, deep))
        for deep in ("[" * 201 + "]" * 201, '{"a":' * 201 + "1" + "}" * 201, "[" * 3000 + "]" * 3000,
                     "[" * 100000 + "]" * 100000, '{"a":' * 100000 + "1" + "}" * 100000):
            self.assertEqual(problem_of(eh.parse_strict, deep)[0], NESTED)

    def test_depth_is_counted_exactly_with_white_space_around(self):
        self.assertIsNone(problem_of(eh.parse_strict, " %s%s\n" % ("[ " * 200, "]" * 200)))
        self.assertEqual(problem_of(eh.parse_strict, " %s%s\n" % ("[ " * 201, "]" * 201))[0], NESTED)

    def test_brackets_inside_texts_are_no_nesting(self):
        self.assertEqual(eh.parse_strict('["%s"]' % ("[{" * 5000)), ["[{" * 5000])

    def test_a_wide_value_is_not_a_deep_one(self):
        self.assertEqual(len(eh.parse_strict("[%s]" % ",".join(["[]"] * 5000))), 5000)

    def test_a_depth_bomb_without_an_end_is_refused(self):
        for bomb in ("[" * 100000, '{"a":' * 100000, '[{"a":' * 50000):
            self.assertEqual(problem_of(eh.parse_strict, bomb)[0], NESTED)

    def test_the_depth_is_looked_at_before_the_text_is_decoded(self):
        # Fault 95, and one sentence on every Python: how far the decoder gets differs between versions.
        for bomb in ("[" * 201, "[" * 900, "[" * 3000, '{"a":' * 3000, "[" * 9000):
            self.assertEqual(problem_of(eh.parse_strict, bomb)[0], NESTED, len(bomb))

    def test_a_number_with_more_digits_than_python_reads_is_refused_in_words(self):
        for digits in (4301, 5000, 100000):
            problem = problem_of(eh.parse_strict, '{"a": %s}' % ("7" * digits))
            self.assertIsNotNone(problem)
            self.assertEqual(problem[0], "a number with too many digits")


class SyntaxErrors(unittest.TestCase):
    """The sentences are the same on every Python, though the parsers' own messages and positions are not."""

    table = (
        ('{"a":1,}', 'not valid JSON at column 8, near "}"', 1),
        ("[1,]", 'not valid JSON at column 4, near "]"', 1),
        ("[1,,2]", 'not valid JSON at column 4, near ","', 1),
        ('{"a" 1}', 'not valid JSON at column 6, near "1"', 1),
        ('{"a":}', 'not valid JSON at column 6, near "}"', 1),
        ("{a:1}", 'not valid JSON at column 2, near "a"', 1),
        ("[1 2]", 'not valid JSON at column 4, near "2"', 1),
        ('{"a":1}x', 'not valid JSON at column 8, near "x"', 1),
        ("01", 'not valid JSON at column 2, near "1"', 1),
        ("1.", 'not valid JSON at column 2, near "."', 1),
        ("+1", 'not valid JSON at column 1, near "+"', 1),
        ("nul", 'not valid JSON at column 1, near "n"', 1),
        ("'a'", 'not valid JSON at column 1, near "\'"', 1),
        ('"a\tb"', 'not valid JSON at column 3, near "\\t"', 1),
        ('{"a":1,\n"b":\n}', 'not valid JSON at column 1, near "}"', 3),
        ("\n\n[1,\n2,\n,]", 'not valid JSON at column 2, near "]"', 5),
        ("", "not valid JSON: the text is empty", 1),
        ("[1,", CUT, 1), ('{"a":1', CUT, 1), ('"abc', CUT, 1), ('{"a', CUT, 1), ('{"a":', CUT, 1), ("[", CUT, 1),
        ('{"a": [1,\n 2,\n', CUT, 3), ('["a", "b\\', CUT, 1),
    )

    def test_strict(self):
        for text, problem, line in self.table:
            self.assertEqual(problem_of(eh.parse_strict, text), (problem, line, ""), repr(text))

    def test_recordings(self):
        for text, problem, line in self.table:
            self.assertEqual(problem_of(eh.parse_recorded, text), (problem, line, ""), repr(text))

    def test_what_is_shown_of_the_text_is_short_and_printable(self):
        problem, _, _ = problem_of(eh.parse_strict, "[\x1b[31m\u202e%s" % ("x" * 1000))
        self.assertTrue(problem.isprintable() and problem.isascii(), problem)
        self.assertLess(len(problem), 200)


class RecordedJson(unittest.TestCase):
    """`parse_recorded`: JSON as parsers commonly take it."""

    def test_what_is_not_finite_is_read(self):
        values = eh.parse_recorded("[NaN, Infinity, -Infinity, 1e999, -1e999]")
        self.assertTrue(math.isnan(values[0]))
        self.assertEqual(values[1:], [math.inf, -math.inf, math.inf, -math.inf])

    def test_the_last_of_repeated_keys_counts(self):
        self.assertEqual(eh.parse_recorded('{"a": 1, "a": 2}'), {"a": 2})

    def test_an_unpaired_surrogate_is_read(self):
        self.assertEqual(eh.parse_recorded(r'"\ud800"'), "\ud800")

    def test_absurd_nesting_is_refused(self):
        for text in ("[" * 201 + "]" * 201, "[" * 100000, '{"a":' * 100000):
            self.assertEqual(problem_of(eh.parse_recorded, text)[0], NESTED)

    def test_a_number_with_too_many_digits_is_refused(self):
        self.assertEqual(problem_of(eh.parse_recorded, "[%s]" % ("1" * 4301))[0], "a number with too many digits")


class Places(Workspace):
    """An error of a fixture or of the config names file, line and JSON pointer."""

    def errors(self, *argv):
        done = self.main("validate", *argv)
        self.assertEqual(done.code, 2, done.out + done.err)
        return [line.removeprefix("error: ") for line in done.err.splitlines()]

    def only_error(self, *argv):
        found = self.errors(*argv)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_an_unknown_key_of_a_pretty_printed_case(self):
        self.write("fixtures/a.json", json.dumps({**GOOD, "wieght": 2}, indent=1))
        self.assertRegex(self.only_error(), r"^fixtures/a\.json:9: /wieght: .*did you mean \"weight\"")

    def test_a_key_with_signs_of_pointers(self):
        self.write("fixtures/a.json", {**GOOD, "a/b~c": 2})
        self.assertRegex(self.only_error(), r"^fixtures/a\.json:1: /a~1b~0c: ")

    def test_a_value_deep_inside_a_list(self):
        self.write("fixtures/a.json", '{"cases": [\n%s,\n{"id": "b",\n "output": [\n  {"check": "contains",\n   "value": 5}]}]}'
                   % json.dumps(GOOD))
        self.assertRegex(self.only_error(), r"^fixtures/a\.json:6: /cases/1/output/0/value: ")

    def test_json_lines_name_their_line(self):
        self.write("fixtures/a.jsonl", '%s\n\n{"id": "b", "output": [{"check": "nope"}]}\n' % json.dumps(GOOD))
        self.assertRegex(self.only_error(), r"^fixtures/a\.jsonl:3: /output/0/check: ")

    def test_lines_are_counted_alike_with_bom_and_crlf(self):
        self.write("fixtures/a.json", "\ufeff\r\n{\r\n\"id\": \"b\",\r\n\"output\": 5}\r\n")
        self.assertRegex(self.only_error(), r"^fixtures/a\.json:4: /output: ")

    def test_the_config(self):
        self.write("fixtures/a.json", GOOD)
        self.write("config.json", '{"gate":\n {"min_score": 0.5,\n  "min_pass_rat": 1}}')
        self.assertRegex(self.only_error(), r"^config\.json:3: /gate/min_pass_rat: ")

    def test_a_syntax_error_names_file_and_line(self):
        self.write("fixtures/sub/a.json", '{"id": "a",\n"output": [}')
        self.assertRegex(self.only_error(), r"^fixtures/sub/a\.json:2: not valid JSON at column 12, near ")

    def test_a_repeated_key(self):
        self.write("fixtures/a.json", '{"id": "a",\n "output": [{"check": "contains",\n "value": "x", "value": "y"}]}')
        self.assertRegex(self.only_error(), r"^fixtures/a\.json:3: /output/0/value: .*twice")

    def refused_at_line_3(self, word):
        text = '[%s,\n {"id": "b", "output": [{"check": "value",\n  "is": {"a": [1, %s]}}]}]' % (json.dumps(GOOD), word)
        self.write("fixtures/a.json", text)
        return self.only_error()

    def test_nan_in_a_fixture(self):
        self.assertRegex(self.refused_at_line_3("NaN"), r"^fixtures/a\.json:3: /1/output/0/is/a/1: .*NaN")

    def test_infinity_in_a_fixture(self):
        self.assertRegex(self.refused_at_line_3("-Infinity"), r"^fixtures/a\.json:3: /1/output/0/is/a/1: .*Infinity")

    def test_an_overflow_in_a_fixture(self):
        self.assertRegex(self.refused_at_line_3("1e999"), r"^fixtures/a\.json:3: /1/output/0/is/a/1: .*1e999")

    def test_a_number_with_too_many_digits_in_a_fixture(self):
        self.assertRegex(self.refused_at_line_3("9" * 5000), r"^fixtures/a\.json:3: /1/output/0/is/a/1: .*digits")

    def test_an_unpaired_surrogate_in_a_fixture(self):
        self.assertRegex(self.refused_at_line_3(r'"\ud800"'), r"^fixtures/a\.json:3: /1/output/0/is/a/1: .*surrogate")

    def test_nan_in_the_config(self):
        self.write("fixtures/a.json", GOOD)
        self.write("config.json", '{"threshold": 0.5,\n"gate": {"min_score": NaN}}')
        self.assertRegex(self.only_error(), r"^config\.json:2: /gate/min_score: .*NaN")

    def test_an_unpaired_surrogate_in_the_config(self):
        self.write("fixtures/a.json", GOOD)
        self.write("config.json", '{"threshold": 0.5,\n"labels": {\n"x": "\\udc00"}}')
        self.assertRegex(self.only_error(), r"^config\.json:3: /labels/x: .*surrogate")

    def test_a_depth_bomb(self):
        for bomb in ("[" * 100000, '{"a":' * 100000, "[" * 100000 + "]" * 100000):
            self.write("fixtures/a.json", bomb)
            self.assertRegex(self.only_error(), r"^fixtures/a\.json(:1)?: .*nested more than 200 levels deep$")

    def test_a_depth_bomb_in_the_config(self):
        self.write("fixtures/a.json", GOOD)
        self.write("config.json", '{"tools": %s' % ('{"a":' * 100000))
        self.assertRegex(self.only_error(), r"^config\.json(:1)?: .*nested more than 200 levels deep$")

    def test_a_huge_negative_number_is_an_error_like_any_other(self):
        self.write("fixtures/a.json", '{"id": "a",\n"weight": -1%s,\n"output": [{"check": "contains", "value": "x"}]}'
                   % ("0" * 400))
        self.assertRegex(self.only_error(), r"^fixtures/a\.json:2: /weight: expected a number above 0")

    def test_control_characters_of_a_file_do_not_reach_the_terminal(self):
        self.write("fixtures/a.json", '{"id": "a", "\\u001b[31m\\u202e": 1, "output": [{"check": "\\u0007x"}]}')
        found = "\n".join(self.errors())
        self.assertIn("\\x1b", found)
        for char in "\x1b\x07\u202e":
            self.assertNotIn(char, found)


class Encodings(Workspace):
    """All files are UTF-8; a byte order mark is accepted."""

    case_text = '{"id": "caf\u00e9", "output": [{"check": "contains", "value": "na\u00efve \u201cquotes\u201d \U0001f600"}]}'

    def validate(self, data, name="fixtures/a.json"):
        self.write(name, data)
        return self.main("validate")

    def refusal(self, data, name="fixtures/a.json"):
        done = self.validate(data, name)
        self.assertEqual(done.code, 2, done.out)
        return done.err

    def test_utf_8_with_and_without_a_byte_order_mark(self):
        for mark in (b"", b"\xef\xbb\xbf"):
            done = self.validate(mark + self.case_text.encode())
            self.assertEqual(done.code, 0, done.err)
            self.assertIn("1 case, 1 check", done.out)

    def test_a_byte_order_mark_before_json_lines(self):
        done = self.validate(b"\xef\xbb\xbf" + ("%s\r\n%s\r\n" % (self.case_text, json.dumps(GOOD))).encode())
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("2 cases, 2 checks", done.out)

    def test_a_byte_order_mark_before_the_config_and_a_recording(self):
        self.write("fixtures/a.json", GOOD)
        self.write("config.json", b'\xef\xbb\xbf{"threshold": 0.5}')
        self.write("runs/candidate/good.json", b'\xef\xbb\xbf{"case": "good", "output": "good"}')
        self.assertEqual(self.main("run").code, 0)

    def test_two_byte_order_marks_are_no_json(self):
        self.assertIn("fixtures/a.json:1: not valid JSON at column 1", self.refusal(b"\xef\xbb\xbf" * 2 + b"{}"))

    def test_utf_16_says_so(self):
        for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
            mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
            for text in (self.case_text, json.dumps(GOOD, indent=1), json.dumps(GOOD) + "\n" + self.case_text):
                err = self.refusal(mark + text.encode(encoding))
                self.assertIn("fixtures/a.json:1: ", err)
                self.assertIn("UTF-16", err)

    def test_utf_16_without_a_mark_is_refused(self):
        self.assertRegex(self.refusal(json.dumps(GOOD).encode("utf-16-le")), "fixtures/a.json:1: not (valid JSON|UTF-8)")

    def test_other_encodings_are_refused_with_their_line(self):
        self.assertRegex(self.refusal(b'{"id": "a",\n"description": "caf\xe9",\n"output": []}'),
                         r"fixtures/a\.json:2: not UTF-8: .*0xe9")

    def test_an_encoded_surrogate_is_not_utf_8(self):
        self.assertRegex(self.refusal(b'{"id": "\xed\xa0\x80"}'), r"fixtures/a\.json:1: not UTF-8: .*0xed")

    def test_bytes_of_zero_are_no_json(self):
        self.assertRegex(self.refusal(json.dumps(GOOD).encode() + b"\x00"), r"fixtures/a\.json:1: not valid JSON")

    def test_only_the_white_space_of_json_is_white_space(self):
        for char in ("\u00a0", "\u2028", "\u0085", "\u3000", "\x1f"):
            self.assertIn("fixtures/a.json:1: not valid JSON at column 1", self.refusal(char + json.dumps(GOOD)), repr(char))

    def test_vertical_tab_and_form_feed_are_no_white_space(self):
        for char in "\x0b\x0c":
            self.assertIn("fixtures/a.json:1: not valid JSON", self.refusal(char + json.dumps(GOOD)), repr(char))
            self.assertIn("fixtures/a.json:1: not valid JSON", self.refusal(json.dumps(GOOD) + char), repr(char))

    def test_carriage_returns_alone_are_white_space(self):
        done = self.validate(json.dumps(GOOD, indent=1).replace("\n", "\r"))
        self.assertEqual(done.code, 0, done.err)

    def test_the_locale_is_no_matter(self):
        self.write("fixtures/a.json", self.case_text)
        self.write("runs/candidate/a.json", '{"case": "caf\u00e9", "output": "na\u00efve \u201cquotes\u201d \U0001f600"}')
        for env in ({"PYTHONUTF8": "0", "LC_ALL": "C", "LANG": "C", "PYTHONCOERCECLOCALE": "0"},
                    {"PYTHONIOENCODING": "cp1252"}, {"PYTHONIOENCODING": "ascii"}):
            done = self.command("run", **env)
            self.assertEqual(done.code, 0, done.err)
            self.assertNotIn("Traceback", done.err)
        self.assertIn("caf\u00e9", self.read("reports/candidate.md"))


class Documents(Workspace):
    """One JSON document or JSON Lines: decided by content."""

    def documents(self, data, parse=eh.parse_strict, limits=eh.Limits()):
        """[(value or the problem, line, whole)] of a file."""
        path = self.write("a.txt", data)
        return [(found.problem.problem if found.problem else found.value, found.line, found.whole)
                for found in eh.read_documents(eh.File(str(path), "a.txt"), limits, parse)]

    def test_one_document(self):
        for text in ('{"a": 1}', '{"a": 1}\n', '{\n"a":\n1\n}\n', '{"a":\n1}', '{"a": 1}\r\n\r\n'):
            self.assertEqual(self.documents(text), [({"a": 1}, 1, True)], repr(text))

    def test_a_document_after_empty_lines_knows_its_line(self):
        self.assertEqual(self.documents('\n \n{"a":\n1}'), [({"a": 1}, 3, True)])

    def test_json_lines(self):
        for text in ('{"a": 1}\n{"b": 2}\n', '{"a": 1}\r\n{"b": 2}', '{"a": 1}\n{"b": 2}'):
            self.assertEqual(self.documents(text), [({"a": 1}, 1, False), ({"b": 2}, 2, False)], repr(text))

    def test_empty_lines_between_are_counted_and_left_out(self):
        self.assertEqual(self.documents('\n{"a": 1}\n\n \t\n{"b": 2}\n\n'), [({"a": 1}, 2, False), ({"b": 2}, 5, False)])

    def test_lines_of_any_json_value(self):
        self.assertEqual([value for value, _, _ in self.documents('1\n"two"\n[3]\nnull\n{"five": 5}\n')],
                         [1, "two", [3], None, {"five": 5}])

    def test_lines_are_split_at_line_feeds_only(self):
        text = "".join('{"a": "x%sy"}\n' % char for char in ("\u2028", "\u2029", "\u0085", "\u200b"))
        self.assertEqual([value["a"] for value, _, _ in self.documents(text)],
                         ["x\u2028y", "x\u2029y", "x\u0085y", "x\u200by"])

    def test_a_pretty_printed_list_whose_second_line_is_an_object(self):
        for text in ('[\n{"a": 1}\n,\n{"b": 2}\n]\n', '[\n{"a": 1},\n{"b": 2}\n]', '[\n  {"a": 1}\n  , {"b": 2}]'):
            self.assertEqual(self.documents(text), [([{"a": 1}, {"b": 2}], 1, True)], repr(text))

    def test_a_pretty_printed_list_whose_second_line_is_a_number(self):
        self.assertEqual(self.documents("[\n1\n,\n2\n]"), [([1, 2], 1, True)])

    def test_a_document_whose_first_lines_are_values_of_their_own_inside_a_text(self):
        self.assertEqual(self.documents('{"a":\n"b"\n}'), [({"a": "b"}, 1, True)])

    def test_a_bad_line_in_the_middle_leaves_the_others(self):
        self.assertEqual(self.documents('{"a": 1}\nnope\n{"b": 2}\n'),
                         [({"a": 1}, 1, False), ('not valid JSON at column 1, near "n"', 2, False), ({"b": 2}, 3, False)])

    def test_a_bad_first_line_leaves_the_others(self):
        self.assertEqual(self.documents('nope\n{"a": 1}\n{"b": 2}\n'),
                         [('not valid JSON at column 1, near "n"', 1, False), ({"a": 1}, 2, False), ({"b": 2}, 3, False)])

    def test_a_cut_last_line(self):
        self.assertEqual(self.documents('{"a": 1}\n{"b": 2}\n{"c": '),
                         [({"a": 1}, 1, False), ({"b": 2}, 2, False), (CUT, 3, False)])

    def test_a_cut_second_line_of_two(self):
        self.assertEqual(self.documents('{"a": 1}\n{"b": '), [({"a": 1}, 1, False), (CUT, 2, False)])

    def test_a_cut_document(self):
        self.assertEqual(self.documents('{"a": 1,\n "b": [1,\n'), [(CUT, 1, True)])

    def test_nothing_at_all(self):
        for text in ("", "\n", " \r\n\t\n", b"\xef\xbb\xbf"):
            (problem, _, whole), = self.documents(text)
            self.assertIn("empty", problem)
            self.assertTrue(whole)

    def test_one_document_is_bounded_as_a_whole(self):
        limits = eh.Limits(file_bytes=100)
        for text in ('{"a": "%s"}' % ("x" * 200), "[\n" + "1,\n" * 60 + "1]"):
            (problem, _, whole), = self.documents(text, limits=limits)
            self.assertIn("larger than 100 bytes", problem)
        self.assertEqual(len(self.documents('["%s"]' % ("x" * 96), limits=limits)), 1)
        self.assertEqual(self.documents('["%s"]' % ("x" * 96), limits=limits)[0][0], ["x" * 96])

    def test_json_lines_are_bounded_per_line(self):
        limits = eh.Limits(file_bytes=100)
        found = self.documents('{"a": "%s"}\n' % ("x" * 80) * 50, limits=limits)
        self.assertEqual(len(found), 50)
        self.assertEqual({type(value) for value, _, _ in found}, {dict})

    def test_a_line_that_is_too_long_leaves_the_others(self):
        found = self.documents('{"a": 1}\n"%s"\n{"b": 2}\n' % ("x" * 1000), limits=eh.Limits(file_bytes=100))
        self.assertEqual([line for _, line, _ in found], [1, 2, 3])
        self.assertEqual([found[0][0], found[2][0]], [{"a": 1}, {"b": 2}])
        self.assertIn("larger than 100 bytes", found[1][0])


class BrokenFixtures(Workspace):
    """Invalid fixtures: exit 2, every problem of every line listed."""

    def run_and_list(self):
        self.write("runs/candidate/good.json", {"case": "good", "output": "good"})
        done = self.main("run")
        self.assertEqual(done.code, 2, done.out)
        self.assertFalse((self.folder / "reports" / "candidate.json").exists())
        return [line.removeprefix("error: ") for line in done.err.splitlines()]

    def test_a_broken_line_of_five(self):
        lines = [json.dumps({**GOOD, "id": "good" if number == 0 else "c%d" % number}) for number in range(5)]
        for broken in range(5):
            self.write("fixtures/a.jsonl", "\n".join(lines[:broken] + [lines[broken][:-9]] + lines[broken + 1:]) + "\n")
            found = self.run_and_list()
            self.assertEqual(len(found), 1, found)
            self.assertTrue(found[0].startswith("fixtures/a.jsonl:%d: not valid JSON" % (broken + 1)), found)

    def test_two_broken_lines_are_two_problems(self):
        self.write("fixtures/a.jsonl", "%s\n{\n%s\n[1,\n" % (json.dumps(GOOD), json.dumps({**GOOD, "id": "b"})))
        self.assertEqual([each[:20] for each in self.run_and_list()], ["fixtures/a.jsonl:2: ", "fixtures/a.jsonl:4: "])

    def test_a_cut_list_of_cases(self):
        self.write("fixtures/a.json", '[\n%s,\n{"id": "b"\n' % json.dumps(GOOD))
        self.assertEqual(self.run_and_list(), ["fixtures/a.json:3: %s" % CUT])

    def test_an_empty_file(self):
        for text in ("", "\n\n"):
            self.write("fixtures/empty.json", text)
            self.write("fixtures/good.json", GOOD)
            found = self.run_and_list()
            self.assertEqual(len(found), 1)
            self.assertRegex(found[0], r"^fixtures/empty\.json: .*empty")

    def test_files_of_other_kinds_are_no_cases(self):
        self.write("fixtures/good.json", GOOD)
        self.write("fixtures/notes.txt", "Things to do:\n- more cases\n")
        self.assertRegex(self.run_and_list()[0], r"^fixtures/notes\.txt:1: not valid JSON")


class Files(Workspace):
    """Folders, links, and what cannot be read."""

    def setUp(self):
        super().setUp()
        self.write("fixtures/good.json", GOOD)
        self.write("runs/candidate/good.json", {"case": "good", "output": "good"})

    def refusal(self, *argv):
        done = self.main(*(argv or ("run",)))
        self.assertEqual(done.code, 2, done.out + done.err)
        self.assertNotIn("Traceback", done.err)
        return done.err

    def link(self, place, target):
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.symlink(target, path)
        except (OSError, NotImplementedError):
            self.skipTest("no links here")

    def test_as_it_is_all_is_well(self):
        self.assertEqual(self.main("run").code, 0)

    def test_a_folder_where_a_file_is_meant(self):
        self.assertIn("is a folder", self.refusal("run", "--config", "fixtures"))
        self.assertIn("is a folder", self.refusal("run", "--only-failing", "fixtures"))

    def test_a_folder_named_like_a_file_is_a_folder(self):
        self.write("fixtures/sub.json/other.json", {**GOOD, "id": "other"})
        self.write("runs/candidate/other.json", {"case": "other", "output": "good"})
        self.assertEqual(self.main("run").code, 0)
        self.assertEqual(self.report()["summary"]["cases"], 2)

    def test_what_is_not_there_is_named_with_the_nearest_name(self):
        self.assertRegex(self.refusal("run", "--fixtures", "fixture"), r'fixture: no such file or folder .*"fixtures"')
        self.assertRegex(self.refusal("run", "--config", "confg.json"), r"confg\.json: no such file")
        self.write("config.json", {})
        self.assertRegex(self.refusal("run", "--config", "confg.json"), r'confg\.json: no such file .*"config\.json"')

    def test_an_empty_folder_of_fixtures_is_nothing_to_grade(self):
        (self.folder / "fixtures" / "good.json").unlink()
        self.refusal()

    @unittest.skipIf(not hasattr(os, "geteuid") or os.geteuid() == 0, "root may read everything")
    def test_an_unreadable_fixture(self):
        path = self.write("fixtures/secret.json", {**GOOD, "id": "secret"})
        path.chmod(0)
        self.assertRegex(self.refusal(), r"fixtures/secret\.json: cannot be read: permission denied")

    @unittest.skipIf(not hasattr(os, "geteuid") or os.geteuid() == 0, "root may read everything")
    def test_an_unreadable_recording_is_invalid_and_the_others_are_graded(self):
        self.case("secret")
        path = self.write("runs/candidate/secret.json", {"case": "secret", "output": "good"})
        path.chmod(0)
        self.assertEqual(self.main("run").code, 1)
        self.assertEqual({row["case"]: row["status"] for row in self.report()["cases"]},
                         {"good": "passed", "secret": "invalid"})

    @unittest.skipIf(not hasattr(os, "geteuid") or os.geteuid() == 0, "root may read everything")
    def test_an_unreadable_folder(self):
        path = self.write("fixtures/sub/other.json", {**GOOD, "id": "other"}).parent
        path.chmod(0)
        self.addCleanup(path.chmod, 0o700)
        self.assertRegex(self.refusal(), r"fixtures/sub: cannot be read: permission denied")

    @unittest.skipUnless(hasattr(os, "mkfifo"), "no pipes here")
    def test_a_pipe_among_the_fixtures_is_refused_and_not_waited_for(self):
        os.mkfifo(self.folder / "fixtures" / "pipe.json")
        self.assertRegex(self.refusal(), r"fixtures/pipe\.json: neither a file nor a folder")

    def test_a_dangling_link_among_the_fixtures(self):
        self.link("fixtures/gone.json", "nowhere.json")
        self.assertRegex(self.refusal(), r"fixtures/gone\.json: .*link")

    def test_a_dangling_link_to_the_fixtures(self):
        self.link("golden", "nowhere")
        self.assertIn("golden", self.refusal("run", "--fixtures", "golden"))

    def test_a_link_to_itself(self):
        self.link("fixtures/loop.json", "loop.json")
        self.assertRegex(self.refusal(), r"fixtures/loop\.json: .*link")

    def test_two_links_to_each_other(self):
        self.link("fixtures/one", "two")
        self.link("fixtures/two", "one")
        self.assertRegex(self.refusal(), r"fixtures/one: .*link")

    def test_a_link_back_to_the_folder_around_it(self):
        self.link("fixtures/sub/back", "..")
        self.assertRegex(self.refusal(), r"fixtures/sub/back: .*link")

    def test_a_link_to_the_folder_itself(self):
        self.link("fixtures/again", ".")
        self.assertRegex(self.refusal(), r"fixtures/again: .*link")

    def test_a_link_out_of_the_folder(self):
        self.write("secret.json", {**GOOD, "id": "secret"})
        self.link("fixtures/a.json", os.path.join("..", "secret.json"))
        self.assertRegex(self.refusal(), r"fixtures/a\.json: .*link")

    def test_a_link_in_the_middle_of_a_path_out_of_the_folder(self):
        self.write("elsewhere/sub/secret.json", {**GOOD, "id": "secret"})
        self.link("fixtures/sub", os.path.join("..", "elsewhere"))
        self.assertRegex(self.refusal(), r"fixtures/sub: .*link")

    def test_a_folder_whose_name_begins_alike_is_outside(self):
        self.write("fixtures-old/secret.json", {**GOOD, "id": "secret"})
        self.link("fixtures/old", os.path.join("..", "fixtures-old"))
        self.assertRegex(self.refusal(), r"fixtures/old: .*link")

    def test_a_link_inside_the_folder_is_followed(self):
        self.write("fixtures/.store/linked.json", {**GOOD, "id": "linked"})
        self.write("runs/candidate/linked.json", {"case": "linked", "output": "good"})
        self.link("fixtures/linked.json", os.path.join(".store", "linked.json"))
        self.assertEqual(self.main("run").code, 0)
        self.assertEqual(self.report()["summary"]["cases"], 2)

    def test_the_folder_of_the_fixtures_may_be_a_link_itself(self):
        os.rename(self.folder / "fixtures", self.folder / "golden")
        self.link("fixtures", "golden")
        self.assertEqual(self.main("run").code, 0)

    def test_links_among_the_recordings(self):
        self.write("secret.json", {"case": "good", "output": "good"})
        for target in (os.path.join("..", "..", "secret.json"), "nowhere.json", "linked.json"):
            with self.subTest(target=target):
                self.link("runs/candidate/linked.json", target)
                done = self.main("run")
                self.assertIn(done.code, (1, 2))
                self.assertIn("runs/candidate/linked.json", done.out + done.err)
                os.unlink(self.folder / "runs/candidate/linked.json")


class BrokenRecordings(Workspace):
    """A recording that cannot be read makes its case invalid; the others are graded, and the gate fails."""

    def setUp(self):
        super().setUp()
        self.case("good")
        self.case("bad")
        self.run_of("good")

    def grade(self, data, name="runs/candidate/bad.json"):
        """(exit code, status of the case `bad`, its reason)."""
        self.write(name, data)
        done = self.main("run")
        self.assertNotIn("Traceback", done.err)
        rows = {row["case"]: row for row in self.report()["cases"]}
        self.assertEqual(rows["good"]["status"], "passed")
        return done.code, rows["bad"]["status"], json.dumps(rows["bad"])

    def test_what_cannot_be_read(self):
        for data, reason in ((b"", "empty"), (b"\n", "empty"), (b'{"case": "bad", "output": "go', "ends in the middle"),
                             (b"\xff\xfe{\x00}\x00", "UTF-16"), (b'{"output": "caf\xe9"}', "UTF-8"), (b"nope", "not valid JSON"),
                             (b"[" * 100000, NESTED), (b'{"a":' * 100000 + b"1" + b"}" * 100000, NESTED),
                             (b'{"output": "good", "state": ' + b"[" * 300 + b"]" * 300 + b"}", NESTED),
                             (b'{"output": "good", "state": 1' + b"0" * 5000 + b"}", "digits")):
            with self.subTest(data=data[:40]):
                code, status, told = self.grade(data)
                self.assertEqual((code, status), (1, "invalid"))
                self.assertIn(reason, told)

    def test_what_is_not_finite_is_read_and_equals_nothing(self):
        self.case("bad", {"check": "value", "at": "/output/x", "is": 1})
        for word in ("NaN", "Infinity", "-Infinity", "1e999"):
            self.assertEqual(self.grade('{"case": "bad", "output": {"x": %s}}' % word)[:2], (1, "failed"), word)

    def test_what_is_not_finite_does_not_get_into_the_report_as_a_number(self):
        self.case("bad", {"check": "value", "at": "/output/x", "is": 1})
        self.assertIn("NaN", self.grade('{"case": "bad", "output": {"x": NaN}, "scores": {"a": Infinity}}')[2])

    def test_what_is_not_finite_is_reported(self):
        self.grade('{"case": "bad", "output": "good", "duration_ms": NaN, "state": {"x": 1e999}}')
        told = " ".join(self.report()["warnings"])
        self.assertIn("runs/candidate/bad.json", told)
        self.assertRegex(told, "finite|NaN|Infinity")

    def test_what_is_not_finite_is_under_no_limit(self):
        self.case("bad", {"check": "value", "at": "/output/x", "is": {"$lte": 5}}, {"check": "value", "at": "/output/x",
                  "is": {"$gte": 0}}, {"check": "budget", "max_duration_ms": 10}, {"check": "budget", "max_cost_usd": 1})
        for word in ("NaN", "Infinity", "-Infinity"):
            code, status, _ = self.grade('{"case": "bad", "output": {"x": %s}, "duration_ms": %s, "usage": {"cost_usd": %s}}'
                                         % (word, word, word))
            self.assertNotEqual(status, "passed")
            checks = next(row for row in self.report()["cases"] if row["case"] == "bad")["runs"][0]["checks"]
            self.assertEqual({each["outcome"] for each in checks} & {"passed"}, set(), word)

    def test_an_unpaired_surrogate_does_not_stop_the_report(self):
        self.case("bad", {"check": "equals", "value": "x"})
        code, status, _ = self.grade(r'{"case": "bad", "output": "broken \ud800 text"}')
        self.assertEqual((code, status), (1, "failed"))
        self.assertIn("broken", self.read("reports/candidate.md"))

    def test_a_document_that_is_too_large(self):
        self.write("config.json", {"limits": {"file_bytes": 1000}})
        code, status, told = self.grade({"case": "bad", "output": "good", "state": "x" * 2000})
        self.assertEqual((code, status), (1, "invalid"))
        self.assertIn("larger than 1,000 bytes", told)

    def test_lines_after_one_that_is_too_long_are_graded(self):
        self.write("config.json", {"limits": {"file_bytes": 1000}})
        self.lines("runs/candidate/all.jsonl", [{"case": "x", "output": "y" * 3000}, {"case": "bad", "output": "good"}])
        done = self.main("run")
        self.assertIn(done.code, (1, 2))
        self.assertEqual({row["case"]: row["status"] for row in self.report()["cases"]}["bad"], "passed")
        self.assertRegex(json.dumps(self.report()["warnings"]) + done.out + done.err, r"all\.jsonl:1.*larger than")

    def test_a_broken_line_among_runs_never_goes_unseen(self):
        for broken in range(3):
            lines = ['{"case": "bad", "output": "good"}', '{"case": "other", "output": "good"}', '{"case": "more", "output": "x"}']
            lines[broken] = lines[broken][:-4]
            self.write("runs/candidate/all.jsonl", "\n".join(lines))
            done = self.main("run")
            self.assertIn(done.code, (1, 2), done.out)
            text = json.dumps(self.report()) if (self.folder / "reports/candidate.json").exists() else ""
            self.assertIn("all.jsonl:%d" % (broken + 1), text + done.out + done.err)
            if broken and text:
                self.assertEqual({row["case"]: row["status"] for row in self.report()["cases"]}["bad"], "passed")

    def test_validate_names_the_lines(self):
        self.write("runs/candidate/bad.json", '{"case": "bad", "output": "good"}\n{"case": "bad", "output": \n{"case": "bad"')
        done = self.main("validate")
        self.assertEqual(done.code, 2)
        self.assertRegex(done.err, r"runs/candidate/bad\.json:2: ")
        self.assertRegex(done.err, r"runs/candidate/bad\.json:3: ")


if __name__ == "__main__":
    unittest.main()
