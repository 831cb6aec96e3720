"""Reads the set of a directory with Python's gzip and ElementTree: a line of JSON for each entry.

The sitemaps are those that the index lists, in its order.
"""
import gzip
import json
import os
import sys
import xml.etree.ElementTree as ElementTree


def structure(element):
    return [element.tag, element.attrib, element.text or "", [structure(child) for child in element]]


directory = sys.argv[1]
for sitemap in ElementTree.parse(os.path.join(directory, "sitemap.xml")).getroot():
    name = sitemap[0].text.rsplit("/", 1)[1]
    with (gzip.open if name.endswith(".gz") else open)(os.path.join(directory, name), "rb") as file:
        for url in ElementTree.parse(file).getroot():
            print(json.dumps(structure(url)[3]))
