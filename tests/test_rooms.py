"""The module is a ladder of rooms: a room uses only the rooms above it. These tests walk its syntax tree to prove it."""

import ast
import os
import re
import sys
import unittest

PATH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "eval_harness.py")
with open(PATH, encoding="utf-8") as file:
    SOURCE = file.read()
TREE = ast.parse(SOURCE)
RULE = "# " + "=" * 76
BANNERS = [(int(found[1]), found[2], SOURCE.count("\n", 0, found.start()) + 2) for found in
           re.finditer(r"^%s\n# (\d+)\. (.+)\n%s$" % (RULE, RULE), SOURCE, re.M)]
HEAVY = {"argparse", "sqlite3", "concurrent", "statistics", "random", "difflib", "urllib", "xml", "zipfile", "subprocess",
         "dataclasses", "inspect", "typing", "pathlib", "tempfile", "hashlib", "decimal", "unicodedata"}


def room_of(line):
    """The number of the room in which a line stands; 0 is the lobby."""
    return max((number for number, _, start in BANNERS if start <= line), default=0)


def defined_names(node):
    """The names that a top-level statement defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
    return []


def local_names(node):
    """The names that are bound inside a top-level function or class."""
    if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return set()
    return {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)} | {
        each.name for each in ast.walk(node) if isinstance(each, ast.FunctionDef) and each is not node} | {
        each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


HOME = {name: node.lineno for node in TREE.body for name in defined_names(node)}


def calls(tree):
    """(dotted name, node) of every call in a tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


class Rooms(unittest.TestCase):
    def test_banners_have_one_form_and_ascend(self):
        loose = re.findall(r"^# \d+\. .+$", SOURCE, re.M)
        self.assertEqual(len(loose), len(BANNERS), "a banner that is not of the one form")
        numbers = [number for number, _, _ in BANNERS]
        self.assertEqual(numbers, list(range(1, 17)))

    def test_the_docstring_lists_the_rooms(self):
        listed = re.findall(r"^ {4,5}(\d+)\. (\w+(?: \w+)*?)  +\S", ast.get_docstring(TREE, clean=False), re.M)
        self.assertEqual([(int(number), title) for number, title in listed],
                         [(number, title) for number, title, _ in BANNERS])

    def test_no_room_is_a_drawer_for_the_rest(self):
        for _, title, _ in BANNERS:
            self.assertNotRegex(title.lower(), r"help|util|misc|common")

    def test_references_go_upward_only(self):
        for node in TREE.body:
            room, own = room_of(node.lineno), local_names(node)
            for each in ast.walk(node):
                if isinstance(each, ast.Name) and each.id in HOME and each.id not in own:
                    if room_of(HOME[each.id]) > room:
                        self.fail("line %d in room %d uses %s of room %d" % (
                            each.lineno, room, each.id, room_of(HOME[each.id])))

    def test_imports_are_from_the_standard_library(self):
        for node in ast.walk(TREE):
            names = ([alias.name for alias in node.names] if isinstance(node, ast.Import) else
                     [node.module] if isinstance(node, ast.ImportFrom) else [])
            for name in names:
                self.assertIn(name.partition(".")[0], sys.stdlib_module_names)

    def test_heavy_modules_are_imported_where_they_are_used(self):
        for node in TREE.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for name in [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module]:
                    self.assertNotIn(name.partition(".")[0], HEAVY)

    def test_only_the_last_room_prints_writes_files_or_exits(self):
        outward = {"print", "sys.exit", "os.replace", "os.unlink", "os.makedirs", "os.rename", "os.remove", "input"}
        for name, node in calls(TREE):
            if room_of(node.lineno) < BANNERS[-1][0]:
                with self.subTest(line=node.lineno):
                    self.assertNotIn(name, outward)
                    if name == "open":
                        self.assertEqual(ast.literal_eval(node.args[1]), "rb")
        for node in ast.walk(TREE):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in ("sys.stdout", "sys.stderr", "sys.argv", "os.environ"):
                self.assertEqual(room_of(node.lineno), BANNERS[-1][0], "line %d" % node.lineno)

    def test_nothing_knows_the_time_or_chance(self):
        clock = next(node for node in TREE.body if isinstance(node, ast.FunctionDef) and node.name == "time_stamp")
        for name, node in calls(TREE):
            if not clock.lineno <= node.lineno <= clock.end_lineno:
                self.assertNotRegex(name, r"^(time|datetime|random|uuid)\.", "line %d" % node.lineno)
        # Reports never hold the time: only the history and the note of a blessing ask for it.
        self.assertEqual({function.name for function in TREE.body if isinstance(function, ast.FunctionDef)
                          for name, _ in calls(function) if name == "time_stamp"}, {"save_history", "replace_folder"})

    def test_no_name_is_defined_twice(self):
        names = [node.name for node in TREE.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        names += [target.id for node in TREE.body if isinstance(node, ast.Assign) for each in node.targets
                  for target in ast.walk(each) if isinstance(target, ast.Name)]
        self.assertEqual(sorted({name for name in names if names.count(name) > 1}), [])

    def test_public_definitions_are_documented(self):
        for node in TREE.body:
            members = node.body if isinstance(node, ast.ClassDef) else []
            for each in [node, *members]:
                if isinstance(each, (ast.FunctionDef, ast.ClassDef)) and each.name[0] != "_":
                    self.assertTrue(ast.get_docstring(each), "%s, line %d" % (each.name, each.lineno))

    def test_functions_are_small(self):
        for node in ast.walk(TREE):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                length = body[-1].end_lineno - body[0].lineno + 1 if body else 0
                with self.subTest(name=node.name):
                    self.assertLessEqual(length, 60)

    def test_no_private_name_is_left_over(self):
        used = {node.id for node in ast.walk(TREE) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        decorated = {node.name for node in ast.walk(TREE) if isinstance(node, ast.FunctionDef) and node.decorator_list}
        for name in HOME:
            if name[0] == "_" and name not in decorated:
                self.assertIn(name, used)

    def test_lines_are_short(self):
        for number, line in enumerate(SOURCE.split("\n"), 1):
            if not re.match(r"\s+(Pass|Fail|Error|NA):", line):
                self.assertLessEqual(len(line), 128, "line %d" % number)

    def test_the_file_says_what_it_needs(self):
        head = SOURCE.split('"""')[0]
        self.assertIn("# /// script", head)
        self.assertIn("# dependencies = []", head)


if __name__ == "__main__":
    unittest.main()
