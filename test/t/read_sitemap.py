"""Compares what sitemap_parse has read with what Python's own parsers read.

The first line of the input has the pages that were given, as JSON; each other
one a document's name, its bytes in base64 and, as JSON, the rows of
sitemap_parse.  Says what differs, and how many entries there were.  The document
whose name is that of the first argument is compared with the pages, too.
"""
import base64
import gzip
import json
import re
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree

NAMESPACES = ("http://www.sitemaps.org/schemas/sitemap/0.9", "http://www.google.com/schemas/sitemap/0.84")

BLANKS = " \t\n\v\f\r\u0085\u00A0\u2028\u2029"


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


def said(text):
    """What a document can say of a text: XML has no place for some characters."""
    text = re.sub("[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]", "", text or "")
    return text if text.strip(BLANKS) else None


def texts(extension, key):
    given = extension.get(key)
    return [said(t) for t in (given if isinstance(given, list) else [given]) if said(t)]


def compare_page(page, row):
    """What differs between a page that was given and its entry."""
    for key in "lastmod", "changefreq", "priority":
        if page[key] != row[key]:
            yield key, page[key], row[key]
    extensions = [ElementTree.fromstring(x) for x in row["extensions"] or []]
    if len(extensions) != len(page["extensions"]):
        yield "extensions", len(page["extensions"]), len(extensions)
    for given, element in zip(page["extensions"], extensions):
        for key in "caption", "geo_location", "title", "description", "category", "uploader", "tag", "keywords", "name":
            found = [e.text for e in element.iter() if e.tag.endswith("}" + key)]
            if given["kind"] != "xml" and texts(given, key) != found:
                yield key, texts(given, key), found
    url = "http://www.example.com" + page["loc"].strip(BLANKS)
    if urllib.parse.unquote_to_bytes(url) != urllib.parse.unquote_to_bytes(row["loc"]):
        yield "loc", url, row["loc"]


pages = json.loads(sys.stdin.readline())
count = 0
for line in sys.stdin:
    name, content, rows = line.rstrip("\n").split("\t")
    content = base64.b64decode(content)
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    expected = list(read_text(content) if content[:1] == b"h" else read_xml(content))
    parsed = json.loads(rows)
    if name == sys.argv[1]:
        for page, row in zip(pages, parsed):
            for key, given, found in compare_page(page, row):
                print(f"{name}: {key} is {found!r} instead of {given!r}")
    for row in parsed:
        row["extensions"] = [structure(ElementTree.fromstring(x)) for x in row["extensions"] or []]
    if len(expected) != len(parsed):
        print(f"{name}: {len(parsed)} entries instead of {len(expected)}")
    for i, (a, b) in enumerate(zip(parsed, expected)):
        if a != b:
            print(f"{name}: entry {i} is {a} instead of {b}")
    count += len(parsed)
print(f"{count} entries")
