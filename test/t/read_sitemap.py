"""Compares what sitemap_parse has read with what Python's own parsers read.

Each line of the input has a document's name, its bytes in base64 and, as JSON,
the rows of sitemap_parse.  Says what differs, and how many entries there were.
"""
import base64
import gzip
import json
import sys
import xml.etree.ElementTree as ElementTree

NAMESPACES = ("http://www.sitemaps.org/schemas/sitemap/0.9", "http://www.google.com/schemas/sitemap/0.84")


def structure(element):
    """All that an element says, whatever its prefixes and quotes."""
    return (element.tag, element.attrib, element.text or "",
            [(structure(child), child.tail or "") for child in element])


def read_xml(document):
    for entry in ElementTree.fromstring(document):
        row = {"loc": None, "lastmod": None, "changefreq": None, "priority": None, "extensions": []}
        for child in entry:
            namespace, name = child.tag[1:].split("}")
            if namespace in NAMESPACES:
                row[name] = float(child.text) if name == "priority" else child.text
            else:
                row["extensions"].append(structure(child))
        yield row


def read_text(document):
    for line in document.decode("utf-8").split("\n"):
        if line:
            yield {"loc": line, "lastmod": None, "changefreq": None, "priority": None, "extensions": []}


count = 0
for line in sys.stdin:
    name, content, rows = line.rstrip("\n").split("\t")
    content = base64.b64decode(content)
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    expected = list(read_text(content) if content[:1] == b"h" else read_xml(content))
    parsed = json.loads(rows)
    for row in parsed:
        row["extensions"] = [structure(ElementTree.fromstring(x)) for x in row["extensions"] or []]
    if len(expected) != len(parsed):
        print(f"{name}: {len(parsed)} entries instead of {len(expected)}")
    for i, (a, b) in enumerate(zip(parsed, expected)):
        if a != b:
            print(f"{name}: entry {i} is {a} instead of {b}")
    count += len(parsed)
print(f"{count} entries")
