"""The picture of a report and its HTML page: what they show, that they load nothing, and that no recorded text changes them."""

import base64
import hashlib
import html.parser
import json
import re
import unittest
import xml.etree.ElementTree as tree

import eval_harness as eh
from tests.support import Workspace, call, long, says
from tests.test_cli import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "input", "br", "link"}
# What a page may hold at all; anything else would have come out of a recording.
KNOWN = set("""html head meta title style body a header p b h1 span ol li nav ul main section h2 figure div svg desc defs pattern
    path rect g line text circle table caption thead tbody tr th td details summary article h3 h4 code q small i dl dt dd form
    label input select option output footer script""".split())
HOSTILE_MARKUP = (*HOSTILE, "\" onload=alert(1) x=\"", "' onclick='x", "</style><style>*{display:none}", "</script><script>x</script>",
                  "</title></svg>", "<img src=//e.vil/x>", "&quot;><b>", "\ud800 lone \udfff", "\ufffe\uffff\x0b\x0c", "url(//e.vil)",
                  "\u6f22\u5b57" * 90, "a" * 5000, "javascript:alert(1)")


class Page(html.parser.HTMLParser):
    """A page taken apart: the sequence of its tags, and its ids, links and attributes."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.ids, self.links, self.attributes, self.texts = [], [], [], [], [], []
        self.feed(text)
        self.close()
        if self.open:
            raise AssertionError("never closed: %s" % self.open)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name == "href"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        self.tags.append("/" + tag)
        last = self.open.pop()
        if last != tag:
            raise AssertionError("%s ends where %s is open" % (tag, last))

    def handle_data(self, data):
        if self.open[-1:] != ["style"] and self.open[-1:] != ["script"]:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(self.texts)


class Pages(Workspace):
    def setUp(self):
        super().setUp()
        self.case("good", tags=["t1"], trace=[{"check": "calls", "expected": ["find"]}])
        self.case("worse", says("good", name="says it", why="It matters."), trace=[{"check": "calls", "expected": [
            {"name": "find", "arguments": {"id": 7}}, "pay"]}], contract=[{"check": "never", "call": "drop", "critical": True}])
        self.case("gone")
        for label in ("baseline", "candidate"):
            self.run_of("good", label=label, steps=[call("find")])
        self.run_of("worse", label="baseline", steps=[call("find", arguments={"id": 7}), call("pay")])
        self.run_of("worse", "bad", steps=[call("find", arguments={"id": 8}), call("drop", result="table dropped")])
        self.run_of("gone", label="baseline")

    def page(self, *argv, code=1):
        """The page of a run or comparison, taken apart."""
        done = self.main(*argv, "--html", "page.html")
        self.assertEqual(done.code, code, done.err)
        return Page(self.read("page.html"))

    def picture(self, name="candidate"):
        """The picture of a report, as a tree."""
        return tree.fromstring(self.read("reports/%s.svg" % name))


class Pictures(Pages):
    def words(self, picture):
        return [each.text for each in picture.iter(SVG + "text")]

    def strip(self):
        """The widths of the groups in the strip of all cases."""
        return [float(each.get("width")) for each in self.picture().iter(SVG + "rect")
                if each.get("height") == "26" and "url" not in each.get("fill")]

    def test_a_run(self):
        self.main("run")
        picture = self.picture()
        words = self.words(picture)
        self.assertEqual(words[0], "FAILED")
        for word in ("pass rate", "output", "trace", "contract", "1 critical", "1 missing", "1 passed", "3 cases by status"):
            self.assertIn(word, words)
        self.assertEqual(picture.get("role"), "img")
        self.assertEqual([each.get("id") for each in (picture[0], picture[1])], picture.get("aria-labelledby").split())
        self.assertEqual(picture[0].text, "FAILED: candidate: 1 of 3 cases passed, 1 missing, 1 critical")
        self.assertIn("pass rate 33.3 %", picture[1].text)

    def test_a_comparison(self):
        self.main("compare")
        picture = self.picture("baseline-vs-candidate")
        words = self.words(picture)
        for word in ("baseline", "candidate", "100 % \u2192 33.3 %", "1 critical regression", "1 removed",
                     "1 unchanged"):
            self.assertIn(word, words)
        hollow = [each for each in picture.iter(SVG + "circle") if each.get("class") == "hollow"]
        full = [each for each in picture.iter(SVG + "path") if each.get("class") == "full"]
        # pass rate, score, three dimensions, the legend
        self.assertEqual((len(hollow), len(full)), (6, 6))
        self.assertLess(float(full[0].get("d")[1:].split()[0]), float(hollow[0].get("cx")))

    def test_the_strip_is_in_proportion_and_covers_its_width(self):
        for word, number in (("bad", 60), ("good", 20)):
            for index in range(number):
                self.case("%s%d" % (word, index))
                self.run_of("%s%d" % (word, index), word)
        (self.folder / "fixtures/worse.json").unlink()
        (self.folder / "fixtures/gone.json").unlink()
        self.main("run")
        failed, passed = self.strip()
        self.assertAlmostEqual(failed + passed, 720 - 32, delta=0.3)
        self.assertAlmostEqual(failed / passed, 60 / 21, delta=0.01)

    def test_one_case_of_many_is_still_seen(self):
        self.lines("fixtures/many.jsonl", [{"id": "m%04d" % at, "output": [says("good")]} for at in range(2000)])
        self.lines("runs/candidate/many.jsonl", [{"case": "m%04d" % at, "output": "good"} for at in range(2000)])
        self.main("run")
        self.assertEqual(len(self.strip()), 3)
        self.assertGreaterEqual(min(self.strip()), 4)
        self.assertLess(len(self.read("reports/candidate.svg")), 10_000)

    def test_repeats_are_drawn_as_a_curve(self):
        for name in ("worse", "gone", "good"):
            (self.folder / ("fixtures/%s.json" % name)).unlink()
        self.case("again")
        for label, outputs in (("baseline", "good good good"), ("candidate", "good good bad")):
            for repeat, output in enumerate(outputs.split(), 1):
                self.run_of("again", output, label, repeat=repeat)
        self.main("run")
        words = self.words(self.picture())
        self.assertIn("k = 3", words)
        self.assertEqual([word for word in words if word in ("0.67", "0.33", "0.00")][-3:], ["0.67", "0.33", "0.00"])
        self.main("compare")
        both = self.picture("baseline-vs-candidate")
        self.assertIn("baseline pass^k 1: 1.00, 2: 1.00, 3: 1.00; candidate pass^k 1: 0.67, 2: 0.33, 3: 0.00", both[1].text)
        self.assertEqual(sum(each.get("class") == "edge" for each in both.iter(SVG + "path")), 2)

    def test_without_repeats_there_is_no_curve(self):
        self.main("run")
        self.assertNotIn("pass^k", self.read("reports/candidate.svg"))

    def test_what_was_not_measured_is_no_bar(self):
        (self.folder / "fixtures/worse.json").unlink()
        (self.folder / "fixtures/good.json").unlink()
        self.case("mute")
        self.run_of("mute")
        self.main("run")
        bars = [each for each in self.picture().iter(SVG + "rect") if each.get("height") == "16"]
        self.assertEqual(len(bars), 3)
        self.assertEqual(self.words(self.picture()).count("n/a"), 2)

    def test_markdown_shows_the_picture_that_lies_beside_it(self):
        self.main("run", "--markdown", "out/my (report).md")
        self.assertTrue((self.folder / "out/my (report).svg").exists())
        image = self.read("out/my (report).md").split("\n\n")[1]
        self.assertEqual(image, "![FAILED: candidate: 1 of 3 cases passed, 1 missing, 1 critical](my%20%28report%29.svg)")
        self.assertNotIn("candidate.svg", self.files())

    def test_markdown_on_stdout_has_no_picture(self):
        done = self.main("run", "--markdown", "-")
        self.assertNotIn("![", done.out)
        self.assertFalse([name for name in self.files() if name.endswith(".svg")])

    def test_the_picture_never_takes_the_place_of_another_form(self):
        done = self.main("run", "--markdown", "one.md", "--json", "one.svg")
        self.assertEqual(done.code, 2)
        self.assertIn("json and svg", done.err)

    def test_it_holds_no_script_and_names_nothing_outside(self):
        for argv, name in ((("run",), "candidate"), (("compare",), "baseline-vs-candidate")):
            self.main(*argv)
            text = self.read("reports/%s.svg" % name)
            self.assertNotRegex(text.replace('xmlns="http://www.w3.org/2000/svg"', ""), r"script|https?:|href|@import|url\((?!#)")
            self.assertIn("prefers-color-scheme:dark", text)

    def test_no_two_groups_look_alike(self):
        for order in (eh.RUN_ORDER, eh.CHANGE_ORDER):
            self.assertEqual(len({eh.MARKS[word][0] for word in order}), len(order))
            self.assertEqual(len({eh.MARKS[word][1:] for word in order}), len(order))

    def test_hostile_labels(self):
        self.main("run")
        tags = [each.tag for each in self.picture().iter()]
        for hostile in HOSTILE_MARKUP:
            name = "x" + re.sub(r"[\0\ud800-\udfff]", "_", hostile)[:60]
            with self.subTest(hostile):
                self.write("config.json", {"labels": {name: "candidate"}})
                done = self.main("run", "--json", "named.json", "--markdown", "named.md", name)
                self.assertEqual(done.code, 1, done.err)
                self.assertEqual([each.tag for each in tree.fromstring(self.read("named.svg")).iter()], tags)
                self.assertLess(len(self.read("named.svg")), 12_000)

    def test_long_and_wide_labels_are_cut(self):
        self.write("config.json", {"labels": {"\u6f22" * 200: "candidate"}})
        self.main("compare", "baseline", "\u6f22" * 200, "--json", "x.json", "--markdown", "x.md")
        words = self.words(tree.fromstring(self.read("x.svg")))
        label, = [word for word in words if word.startswith("candidate: ")]
        self.assertLess(eh.cells(label), 45)
        self.assertTrue(label.endswith("\u2026"))


class HtmlPage(Pages):
    def test_it_is_whole_and_loads_nothing(self):
        for argv in (("run",), ("compare",)):
            page = self.page(*argv)
            self.assertLessEqual({tag.lstrip("/") for tag in page.tags}, KNOWN)
            self.assertEqual(len(page.ids), len(set(page.ids)))
            self.assertTrue(all(link[0] == "#" and link[1:] in page.ids for link in page.links), page.links)
            for tag, name, value in page.attributes:
                self.assertFalse(name in ("src", "srcset", "action", "style", "data", "poster") or name.startswith("on"), name)
                self.assertNotRegex(value.replace("http://www.w3.org/2000/svg", ""), "(?i)https?:|//|javascript")
            self.assertEqual(page.tags.count("script"), 1)
            named = [value for _, name, value in page.attributes if name == "aria-labelledby"]
            self.assertTrue(named and all(each in page.ids for value in named for each in value.split()))

    def test_its_policy_allows_its_own_style_and_script_only(self):
        self.page("run")
        text = self.read("page.html")
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1].replace("&#39;", "'")
        self.assertIn("default-src 'none'", policy)
        for name in ("style", "script"):
            inside, = re.findall(r"<%s>(.*?)</%s>" % (name, name), text, re.S)
            digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
            self.assertIn("%s-src 'sha256-%s'" % (name, digest), policy)
        self.assertNotIn("unsafe", policy)

    def test_the_verdict_comes_first_and_then_the_worst(self):
        page = self.page("compare")
        text = page.text[page.text.index("baseline \u2192 candidate"):]
        order = ["FAILED", "critical breach in the candidate: worse", "Figures", "pass rate", "added cases pass",
                 "Critical regression (1)", "Removed (1)", "Unchanged (1)", "How a score comes about", "Made by"]
        places = [text.index(word) for word in order]
        self.assertEqual(places, sorted(places))

    def test_a_case_tells_what_was_expected_what_happened_and_how_to_see_it_again(self):
        page = self.page("run")
        for words in ('output does not contain "good"', "Why: It matters.", "drop happened, at /steps/1", "find({\"id\": 7})",
                      "find({\"id\": 8})", "table dropped", "python3 eval_harness.py run candidate --case worse",
                      "runs/candidate/worse.json", "missing", "differs"):
            self.assertIn(words, page.text)
        self.assertIn("case-worse", page.ids)

    def test_the_critical_check_comes_first_in_its_case(self):
        text = self.page("run").text
        case = text[text.index("Critical (1)"):]
        self.assertLess(case.index("drop happened"), case.index('does not contain "good"'))

    def test_its_script_finds_what_it_works_on(self):
        page = self.page("run")
        for name in re.findall(r'by\("(\w+)"\)', eh.PAGE_SCRIPT):
            self.assertIn(name, [*page.ids, "rest"])
        self.assertIn(("form", "hidden", ""), page.attributes)

    def test_an_extra_call_is_listed_once_and_where_it_was_made(self):
        self.case("many", trace=[{"check": "calls", "expected": ["a", "b", "c"]}])
        self.run_of("many", steps=[call(name) for name in ("x", "a", "y", "b", "c", "z")])
        self.page("run", "--case", "many")
        table = re.search(r'<table class="trace">.*?</table>', self.read("page.html"), re.S)[0]
        self.assertEqual(re.findall(r"(\w)\(\{\}\)", table), ["x", "a", "y", "b", "c", "z"])
        self.assertEqual(table.count("extra</small>"), 3)

    def test_what_was_not_recorded_is_said(self):
        self.run_of("good", label="baseline")
        self.run_of("good")
        text = self.page("compare").text
        self.assertEqual(text.count("No trace was recorded."), 3)
        self.assertIn("Not recorded.", text)

    def test_the_step_that_a_check_blames_is_marked(self):
        self.page("run")
        row, = [row for row in re.findall(r"<tr.*?</tr>", self.read("page.html")) if "table dropped" in row]
        self.assertIn("! never", row)
        self.assertIn("/steps/1", row)

    def test_the_sides_of_a_comparison_are_aligned(self):
        self.page("compare")
        rows = [re.sub(r"<[^>]+>", "|", row) for row in re.findall(r"<tr.*?</tr>", self.read("page.html")) if "find(" in row]
        self.assertTrue(any("differs" in row and '{&quot;id&quot;: 7}' in row and '{&quot;id&quot;: 8}' in row for row in rows))

    def test_expected_calls_in_the_order_of_the_checks_rules(self):
        self.case("any", trace=[{"check": "calls", "order": "any", "extra": "allow", "among": "p*", "expected": [
            "pb", "pa", {"name": "pc", "optional": True}]}])
        self.run_of("any", steps=[call("pa"), call("x"), call("px"), call("pb")])
        self.page("run", "--case", "any", code=0)
        table = re.search(r'<table class="trace">.*?</table>', self.read("page.html"), re.S)[0]
        rows = [re.sub(r"<[^>]+>|\u2192[^<]*|/steps/\d", " ", row).split() for row in re.findall(r"<tr.*?</tr>", table)[1:4]]
        self.assertEqual([row[:2] for row in rows], [["\u00b7", "also"], ["=", "same"], ["=", "same"]])
        self.assertNotIn("x({})", table.replace("px({})", ""))
        self.assertIn("optional", table)

    def test_passing_cases_are_folded(self):
        self.page("run")
        text = self.read("page.html")
        self.assertRegex(text, r'(?s)Passed \(1\)</h2>\n<details class="fold">.*?id="case-good".*?</details>\n</section>')

    def test_every_case_stands_in_the_table(self):
        self.page("compare")
        table = re.search(r'<table class="cases .*?</table>', self.read("page.html"), re.S)[0]
        self.assertEqual(re.findall(r'<th scope="row"><a href="#case-(\w+)">', table), ["worse", "gone", "good"])
        self.assertEqual(len(re.findall(r'<th scope="col"', table)), 7)

    def test_scores_are_explained(self):
        page = self.page("run")
        self.assertIn("output 0.4, trace 0.3, contract 0.3", page.text)
        self.assertIn("contract 0.00, output 0.00, trace 0.00; score 0.00 (a critical breach), threshold 0.80", page.text)

    def test_a_case_without_detail_is_an_anchor_of_the_table(self):
        number = eh.DETAILED + 20
        self.lines("fixtures/z.jsonl", [{"id": "z%03d" % at, "output": [says("good")]} for at in range(number)])
        self.lines("runs/candidate/z.jsonl", [{"case": "z%03d" % at, "output": "bad"} for at in range(number)])
        page = self.page("run")
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertIn("case-z%03d" % (number - 1), page.ids)
        self.assertIn("20 more, which this page does not show in detail", page.text)
        self.assertEqual(page.tags.count("article"), eh.DETAILED + 3)

    def test_a_long_table_is_cut_in_two_and_a_longer_one_ends(self):
        number = eh.LISTED_OPEN + 5
        self.lines("fixtures/z.jsonl", [{"id": "z%05d" % at, "output": [says("good")]} for at in range(number)])
        self.lines("runs/candidate/z.jsonl", [{"case": "z%05d" % at, "output": "good"} for at in range(number)])
        page = self.page("run")
        tables = re.findall(r'<table class="cases .*?</table>', self.read("page.html"), re.S)
        self.assertEqual([table.count("<tr data-g") for table in tables], [eh.LISTED_OPEN, 8])
        self.assertIn("rest", page.ids)
        self.assertIn("8 more", page.text)

    def test_a_long_trace_is_cut(self):
        self.run_of("worse", "bad", steps=[call("step%d" % at) for at in range(100)])
        page = self.page("compare")
        self.assertNotIn("step99", page.text)
        self.assertIn("62 more rows are left out", page.text)

    def test_repeats(self):
        self.case("again", trace=[{"check": "calls", "expected": ["find"]}])
        for repeat, name in ((1, "find"), (2, "lose")):
            self.run_of("again", repeat=repeat, steps=[call(name)])
        page = self.page("run")
        self.assertIn("Repeat 2: failed", page.text)
        self.assertNotIn("Repeat 1: ", page.text.partition("Expected and actual, side by side: calls (repeat 1)")[0].replace(
            "Repeat 1: output", ""))
        self.assertIn("Expected and actual, side by side: calls (repeat 2)", page.text)

    def test_reports_compared_have_no_traces(self):
        for label in ("baseline", "candidate"):
            self.main("run", label)
        page = self.page("compare", "reports/baseline.json", "reports/candidate.json")
        self.assertNotIn("trace", [value for tag, name, value in page.attributes if (tag, name) == ("table", "class")])
        self.assertIn("case-worse", page.ids)

    def test_to_stdout(self):
        done = self.main("run", "--html", "-")
        self.assertTrue(done.out.startswith("<!DOCTYPE html>") and done.out.endswith("</html>\n"))
        self.assertIn("FAILED", done.err)

    def test_without_the_option_nothing_is_kept_for_it(self):
        self.main("run")
        self.assertEqual(self.files("reports"), ["candidate.json", "candidate.md", "candidate.svg"])

    def test_the_same_bytes_in_another_order(self):
        self.page("compare")
        first = [self.read(name) for name in ("page.html", "reports/baseline-vs-candidate.svg")]
        fixtures = [(self.folder / "fixtures" / name).read_text() for name in self.files("fixtures")]
        for name in self.files("fixtures"):
            (self.folder / "fixtures" / name).unlink()
        self.lines("fixtures/all.jsonl", sorted(fixtures, reverse=True))
        self.page("compare")
        self.assertEqual([self.read(name) for name in ("page.html", "reports/baseline-vs-candidate.svg")], first)

    def test_secrets_and_excerpts(self):
        secret = "sk-" + "a1B2" * 10
        self.run_of("worse", "bad " + secret, steps=[call("find", arguments={"password": "hunter2hunter2"}, result=secret),
                                                     call("say", arguments={"it": "hunter2hunter2"})])
        for argv in (("run",), ("compare",)):
            text = self.page(*argv).text
            self.assertNotIn("a1B2a1B2", text)
            self.assertNotIn("hunter2", text)
        cut = {"kind": "tool_call", "name": "find", "arguments_raw": "{private words", "arguments_error": "cut", "result": "ok"}
        self.run_of("worse", "bad apples", steps=[call("find", arguments={"id": "private words"}), cut])
        self.assertIn("unreadable: \"{private words\"", self.page("compare").text)
        text = self.page("compare", "--no-excerpts").text
        self.assertNotIn("bad apples", text)
        self.assertNotIn("private words", text)

    @long
    def test_no_recorded_text_changes_the_page(self):
        expected = {}
        for hostile in ("plain text", *HOSTILE_MARKUP):
            bare = hostile.encode("utf-8", "replace").decode()
            self.lines("fixtures/h.jsonl", [{"id": "id " + bare, "description": bare, "tags": ["tag " + bare], "input": bare, "output": [
                says("never" + bare, name="name " + bare, why=bare)], "trace": [{"check": "calls", "expected": [
                    {"name": "find", "arguments": {"q": bare}}]}]}])
            for label in ("baseline", "candidate"):
                self.lines("runs/%s/h.jsonl" % label, map(json.dumps, [{"case": "id " + bare, "output": "said " + hostile, "steps": [
                    call("x" + hostile, arguments={label: hostile}, result=hostile)]}, {"case": "no " + bare, "output": hostile}]))
            for argv in (("run",), ("compare",)):
                with self.subTest(hostile, argv=argv):
                    page = self.page(*argv)
                    self.assertEqual(page.tags, expected.setdefault(argv, page.tags))
                    self.assertEqual(len(page.ids), len(set(page.ids)))
                    self.assertTrue(all(link[1:] in page.ids for link in page.links))
                    names = sorted((tag, name) for tag, name, _ in page.attributes)
                    self.assertEqual(names, expected.setdefault((argv, "names"), names))
                    self.assertNotRegex(self.read("page.html"), "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2066\ud800-\udfff]")


class Rules(Workspace):
    def test_markup(self):
        self.assertEqual(eh.markup("<a b=\"c\" d='e'>&\x00\ud800\u202e"),
                         "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\\x00\\ud800\\u202e")

    def test_element(self):
        self.assertEqual(eh.element("p", "<b>x</b>", class_='a"', aria_label="y", hidden=None),
                         '<p class="a&quot;" aria-label="y"><b>x</b></p>')

    def test_anchors_are_never_shared(self):
        ids = ("a", "A", "a b", "a-b", "", "a" * 61, "a" * 62, "\u00e4", "a\u0308", "odd-1", "\ud800", "a/b", "a%20b")
        anchors = [eh.case_anchor(each) for each in ids]
        self.assertEqual(len(set(anchors)), len(ids))
        for anchor in anchors:
            self.assertRegex(anchor, r"\A[A-Za-z][\w.-]*\Z")


if __name__ == "__main__":
    unittest.main()
