"""The JSON Schema validator against the library `jsonschema`, where that is installed, on random schemas and values.

By hand: `python3 -m tests.compare_schema [SECONDS [SEED]]`. Prints every schema and value on which the two differ. What is
left out differs on purpose: multiples of decimals are exact here (0.3 is a multiple of 0.1), and `dependencies` holds in
draft 2020-12 as well.
"""

import json
import random
import sys
import time

import eval_harness as eh

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
NUMBERS = (0, 1, -1, 2, 3, 10, 1.0, 2.5, -0.5, 1e3)
TEXTS = ("", "a", "b", "ab", "abc", "foo", "x1", "\u00e9", "a b")
KEYS = "abcxy"


class Maker:
    """Makes values, and schemas of a draft, that have a chance to fit one another."""

    def __init__(self, chance, old):
        self.chance, self.pick, self.old = chance, chance.choice, old
        self.defs = "definitions" if old else "$defs"

    def value(self, depth=0):
        kind = self.pick(TYPES if depth < 3 else TYPES[:5])
        if kind == "array":
            return [self.value(depth + 1) for _ in range(self.chance.randrange(4))]
        if kind == "object":
            return {self.pick(KEYS): self.value(depth + 1) for _ in range(self.chance.randrange(4))}
        return self.pick({"null": (None,), "boolean": (True, False), "string": TEXTS}.get(kind, NUMBERS))

    def schema(self, depth=0):
        if self.chance.random() < 0.08:
            return self.chance.random() < 0.7
        if depth > 3:
            return {"type": self.pick(TYPES)} if self.chance.random() < 0.5 else {}
        keywords = {name: make for name, (make, drafts) in KEYWORDS.items() if drafts in ("both", "old" if self.old else "new")}
        made = {}
        for name in self.chance.sample(sorted(keywords), self.chance.randrange(1, 4)):
            made[name] = keywords[name](self, depth + 1)
        return made

    def document(self):
        """A schema with two definitions to refer to, of which one leads back to itself inside the value."""
        ref = lambda name: {"$ref": "#/%s/%s" % (self.defs, name)}
        made = {**self.schema_object(), self.defs: {"p": without_refs(self.schema(2)), "q": {
            "items": ref("q"), "properties": {"a": ref("p"), "b": ref("q")}, "type": self.chance.sample(TYPES, 3)}}}
        return {**made, "$schema": "http://json-schema.org/draft-07/schema#"} if self.old else made

    def schema_object(self):
        while type(made := self.schema()) is not dict:
            pass
        return {key: value for key, value in made.items() if key != "$ref"}


def without_refs(schema):
    """A schema less its references, so that definitions do not run in circles."""
    if type(schema) is dict:
        return {key: without_refs(value) for key, value in schema.items() if key != "$ref"}
    return [without_refs(each) for each in schema] if type(schema) is list else schema


def listed(maker, depth):
    return [maker.schema(depth) for _ in range(maker.chance.randrange(1, 4))]


def named(maker, depth):
    return {maker.pick(KEYS): maker.schema(depth) for _ in range(maker.chance.randrange(3))}


def some_keys(maker, depth):
    return maker.chance.sample(KEYS, maker.chance.randrange(3))


def small(maker, depth):
    return maker.chance.randrange(4)


def bound(maker, depth):
    return maker.pick((0, 1, 2, -1, 2.5, 10))


def one(maker, depth):
    return maker.schema(depth)


# Each keyword: what makes its value, and which drafts have it: draft 7 is the old one.
KEYWORDS = {
    "type": (lambda maker, depth: maker.chance.sample(TYPES, maker.chance.randrange(1, 4)), "both"),
    "const": (lambda maker, depth: maker.value(2), "both"),
    "enum": (lambda maker, depth: [maker.value(2) for _ in range(3)], "both"),
    "multipleOf": (lambda maker, depth: maker.pick((1, 2, 0.5, 3)), "both"),
    "pattern": (lambda maker, depth: maker.pick(("^a", "b$", "^[a-c]+$", "\\d", "^.{2}$")), "both"),
    "uniqueItems": (lambda maker, depth: maker.chance.random() < 0.8, "both"),
    "patternProperties": (lambda maker, depth: {maker.pick(("^a", "[xy]", "^.$")): maker.schema(depth)}, "both"),
    "$ref": (lambda maker, depth: "#/%s/%s" % (maker.defs, maker.pick("pq")), "both"),
    "dependentRequired": (lambda maker, depth: {maker.pick(KEYS): some_keys(maker, depth)}, "new"),
    "dependencies": (lambda maker, depth: {maker.pick(KEYS): maker.pick((some_keys, one))(maker, depth)}, "old"),
    "items": (lambda maker, depth: listed(maker, depth) if maker.old and maker.chance.random() < 0.4 else
              maker.schema(depth), "both"),
    **{name: (bound, "both") for name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")},
    **{name: (small, "both") for name in ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")},
    **{name: (small, "new") for name in ("minContains", "maxContains")},
    "required": (some_keys, "both"), "properties": (named, "both"), "dependentSchemas": (named, "new"),
    "prefixItems": (listed, "new"),
    **{name: (listed, "both") for name in ("allOf", "anyOf", "oneOf")},
    **{name: (one, "both") for name in ("additionalProperties", "propertyNames", "contains", "not", "if", "then", "else")},
    **{name: (one, "new") for name in ("unevaluatedProperties", "unevaluatedItems")},
}


def main(seconds=60.0, seed=1):
    """Compare for some seconds; the exit code."""
    try:
        import jsonschema
    except ImportError:
        raise SystemExit("the library jsonschema is not installed; there is nothing to compare with") from None
    chance, end = random.Random(seed), time.monotonic() + seconds
    schemas = verdicts = differences = 0
    while time.monotonic() < end:
        maker = Maker(chance, old=chance.random() < 0.3)
        document = maker.document()
        library = (jsonschema.Draft7Validator if maker.old else jsonschema.Draft202012Validator)(document)
        own = eh.compile_schema(document)
        schemas += 1
        for _ in range(6):
            value = maker.value()
            verdicts += 1
            if library.is_valid(value) != eh.is_valid(own, value):
                differences += 1
                print("here %s, there %s: %s %s" % (eh.is_valid(own, value), library.is_valid(value), json.dumps(document),
                                                    json.dumps(value)))
    print("%d verdicts on %d schemas, %d differ" % (verdicts, schemas, differences))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:2]), *map(int, sys.argv[2:3])))
