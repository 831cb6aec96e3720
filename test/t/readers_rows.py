"""Random rows of all columns, and what a document has to say of them.

	readers_rows.py rows N SEED		prints the rows, a JSON object a line
	readers_rows.py elementtree N SEED	compares them with the lines of readers_elementtree.py
	readers_rows.py sitemap.js N SEED	compares them with the lines of readers_sitemap.js

A comparison says what differs, and how many entries there were.  The rules here are
written from the protocol, apart from those of the extension.
"""
import datetime
import json
import random
import re
import sys
import xml.etree.ElementTree as ElementTree

BASE = "https://www.example.com/shop/"
NAMESPACES = {
    "s": "http://www.sitemaps.org/schemas/sitemap/0.9",
    "image": "http://www.google.com/schemas/sitemap-image/1.1",
    "video": "http://www.google.com/schemas/sitemap-video/1.1",
    "news": "http://www.google.com/schemas/sitemap-news/0.9",
    "xhtml": "http://www.w3.org/1999/xhtml",
}

BLANKS = "\t\n\v\f\r \x85\xA0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000"
JS_BLANKS = BLANKS.replace("\x85", "") + "\uFEFF"

PIECES = [chr(c) for c in range(0x20, 0x7F)] + [
    "\t", "\n", "\r", "\r\n", "\\", "\x01", "\x1F", "\x7F", "]]>", "<![CDATA[", "&amp;", "&#10;", "<!--", "?>", "\\n", "  ",
    "%41", "%zz", "%", "+", "..", "//", "'", '"', "<", "&"] + 8 * list(
    "\xA0\x85éßİ日語😀\u0301\u2028\u200F\uFEFF\uFFFE\uFFFD\uE000\U0010FFFD\u3000")

LANGUAGES = ["de", "en", "fr", "zh-Hant", "pt-BR", "de-AT", "zh-Hans-CN", "x-default", "ja"]


def text(r, longest):
    length = longest if r.random() < 0.05 else r.randrange(12)
    return "".join(r.choice(PIECES) for _ in range(length))[:longest]


def title(r, longest):
    return ("x" + text(r, longest))[:longest]


def url(r):
    return r.choice(["https://cdn.example.com/", "http://i.example:8080/a/", "/i", "./i/", "//i.example/"]) + text(r, 40)


def date(r):
    return r.choice(["2026", "2026-11", "2026-11-21", "2026-11-21T12:30Z", "2026-11-21T12:30:59Z",
                     "2026-11-21T00:30:59+05:30", "2026-02-28T23:59:59.999-01:00"])


def some(r, values):
    """Some of the keys: those that are left out, or null, are nothing."""
    return {key: value if r.random() < 0.9 else None for key, value in values.items() if r.random() < 0.5}


def image(r):
    if r.random() < 0.5:
        return url(r)
    return {"loc": url(r), **some(r, {"caption": text(r, 250), "geo_location": text(r, 50), "title": text(r, 100),
                                      "license": url(r)})}


def video(r):
    v = {"thumbnail_loc": url(r), "title": title(r, 100), "description": title(r, 300), "content_loc": url(r)}
    v.update(some(r, {
        "duration": r.randint(1, 28800), "expiration_date": date(r), "rating": r.randrange(51) / 10,
        "view_count": r.randrange(2 ** 50), "publication_date": date(r), "tag": [title(r, 20) for _ in range(r.randrange(33))],
        "category": text(r, 256), "family_friendly": r.choice([True, False, "yes", "no"]),
        "requires_subscription": r.choice([True, False, "yes", "no"]), "live": r.choice([True, False, "yes", "no"])}))
    if r.random() < 0.2:
        v.update(player_loc=url(r), player_loc_allow_embed=r.random() < 0.5, player_loc_autoplay=title(r, 10))
    if r.random() < 0.2:
        v.update(restriction=" ".join(r.sample(["DE", "AT", "CH", "FR"], r.randint(1, 4))), restriction_relationship="allow")
    if r.random() < 0.2:
        v.update(platform=" ".join(r.sample(["web", "mobile", "tv"], r.randint(1, 3))), platform_relationship="deny")
    if r.random() < 0.2:
        v.update(gallery_loc=url(r), gallery_loc_title=title(r, 30))
    if r.random() < 0.2:
        v.update(uploader=title(r, 255), uploader_info="/u" + text(r, 20))
    if r.random() < 0.2:
        n = r.randint(1, 3)
        v.update(price=["%d.%02d" % (r.randrange(99), r.randrange(100)) for _ in range(n)], price_currency=["EUR"] * n,
                 price_type=[r.choice(["rent", "purchase", None]) for _ in range(n)],
                 price_resolution=[r.choice(["HD", "SD", None]) for _ in range(n)])
    if r.random() < 0.2:
        n = r.randint(1, 3)
        v.update(content_segment_loc=[url(r) for _ in range(n)],
                 content_segment_loc_duration=[r.choice([None, r.randint(1, 100)]) for _ in range(n)])
    if r.random() < 0.2:
        n = r.randint(1, 2)
        v.update(id=[title(r, 10) for _ in range(n)], id_type=[r.choice(["url", "freebase"]) for _ in range(n)])
    return v


def news(r):
    return {"publication_name": title(r, 60), "publication_language": r.choice(["en", "de", "zh-cn"]), "publication_date": date(r),
            "title": title(r, 100),
            **some(r, {"access": "Subscription", "genres": "Blog, OpEd", "keywords": text(r, 50), "stock_tickers": "NASDAQ:A, LON:B2"})}


def extension(r):
    content = re.sub("[\x00-\x1F\\\\\uFFFE]", "", text(r, 20))
    for character, entity in ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"):
        content = content.replace(character, entity)
    return r.choice(['<a:b xmlns:a="urn:a" c="%s">x%s<a:d/></a:b>', '<p:PageMap xmlns:p="urn:p" c="%s"><p:D>%s</p:D></p:PageMap>']) % (content, content)


def rows(count, seed, with_extensions):
    r = random.Random(seed)
    for _ in range(count):
        row = {"loc": r.choice(["/x", "./x/", BASE + "x", "//www.example.com/x"]) + text(r, 60)}
        row.update(some(r, {"lastmod": date(r), "changefreq": r.choice(["always", "hourly", " Daily ", "WEEKLY", "never"]),
                            "priority": r.randrange(1000001) / 1000000}))
        if r.random() < 0.2:
            row["images"] = [image(r) for _ in range(r.randrange(4))]
        if r.random() < 0.2:
            row["alternates"] = {language: url(r) for language in r.sample(LANGUAGES, r.randrange(5))}
        if r.random() < 0.1:
            row["videos"] = [video(r) for _ in range(r.randrange(3))] if r.random() < 0.5 else video(r)
        if r.random() < 0.03:
            row["news"] = news(r)
        if with_extensions and r.random() < 0.05:
            row["extensions"] = [extension(r) for _ in range(r.randint(1, 2))]
        yield row


# What a document says.

def written_text(value):
    """XML has no place for some characters, and blanks are nothing."""
    value = re.sub("[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]", "", str(value))
    return value if value.strip(BLANKS) else None


def encoded(component, allowed):
    """RFC 3986: what a component does not allow is percent-encoded, "%" unless it begins an escape."""
    octets = component.encode("utf-8")
    result = ""
    for i, octet in enumerate(octets):
        keep = chr(octet) in allowed if octet < 0x80 and octet != 0x25 else re.match(b"%[0-9A-Fa-f]{2}", octets[i:])
        result += chr(octet) if keep else "%%%02X" % octet
    return result


def without_dot_segments(path):
    result = [""]
    segments = path.split("/")[1:]
    for i, segment in enumerate(segments):
        if segment == ".." and len(result) > 1:
            result.pop()
        if segment not in (".", ".."):
            result.append(segment)
        elif i == len(segments) - 1:
            result.append("")
    return "/".join(result)


def written_url(value):
    """The path of a URL with a host stays as it is; else it is resolved, RFC 3986, 5.2."""
    value = value.strip(BLANKS)
    has_host = re.match("(https?:)?//", value)
    if value.startswith("//"):
        value = "https:" + value
    elif value.startswith("/"):
        value = "https://www.example.com" + value
    elif not has_host:
        value = BASE + value
    origin, rest = re.match("(https?://[^/]*)(.*)", value, re.DOTALL).groups()
    rest, _, fragment = rest.partition("#")
    path, question, query = rest.partition("?")
    path = path if has_host else without_dot_segments(path)
    path_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/"
    return (origin + encoded(path, path_characters) + question + encoded(query, path_characters + "?") +
            ("#" + encoded(fragment, path_characters + "?") if "#" in value else ""))


def written_decimal(value):
    value = ("%.6f" % value).rstrip("0")
    return value + "0" if value.endswith(".") else value


def written_date(value):
    """A full time in UTC, without fractions; what is less stays."""
    match = re.fullmatch(r"(.*T.*?)(?:\.\d+)?(Z|[+-]\d\d:\d\d)", value)
    if not match:
        return value
    time = datetime.datetime.fromisoformat(match[1] + match[2].replace("Z", "+00:00"))
    return time.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def written_flag(value):
    return "yes" if value in (True, "yes") else "no"


def element(prefix, tag, content=None, attributes=None, children=()):
    return ["{%s}%s" % (NAMESPACES[prefix], tag), attributes or {}, content or "", list(children)]


def structure(tree):
    return [tree.tag, tree.attrib, tree.text or "", [structure(child) for child in tree]]


WRITERS = {"loc": written_url, "thumbnail_loc": written_url, "content_loc": written_url, "player_loc": written_url, "license": written_url,
           "content_segment_loc": written_url, "gallery_loc": written_url, "uploader_info": written_url, "expiration_date": written_date,
           "publication_date": written_date, "rating": written_decimal, "family_friendly": written_flag, "requires_subscription": written_flag,
           "live": written_flag, "player_loc_allow_embed": written_flag}
VIDEO_ATTRIBUTES = {"player_loc": ["allow_embed", "autoplay"], "content_segment_loc": ["duration"], "restriction": ["relationship"],
                    "gallery_loc": ["title"], "price": ["currency", "type", "resolution"], "uploader": ["info"], "platform": ["relationship"],
                    "id": ["type"]}
VIDEO_TAGS = ["thumbnail_loc", "title", "description", "content_loc", "player_loc", "duration", "expiration_date", "rating", "content_segment_loc",
              "view_count", "publication_date", "tag", "category", "family_friendly", "restriction", "gallery_loc", "price", "requires_subscription",
              "uploader", "platform", "live", "id"]


def written(key, value):
    return None if value is None else WRITERS.get(key, written_text)(value)


def elements(prefix, item, tags):
    for tag in tags:
        values = item.get(tag)
        for i, value in enumerate(values if isinstance(values, list) else [values]):
            attributes = {}
            for name in VIDEO_ATTRIBUTES.get(tag, []) if prefix == "video" else []:
                given = item.get(tag + "_" + name)
                content = written(tag + "_" + name, given[i] if isinstance(given, list) else given)
                if content is not None:
                    attributes[name] = content
            content = written(tag, value)
            if content is not None:
                yield element(prefix, tag, content, attributes)


def expected(row):
    children = [element("s", "loc", written_url(row["loc"]))]
    if row.get("lastmod"):
        children.append(element("s", "lastmod", row["lastmod"]))
    if row.get("changefreq"):
        children.append(element("s", "changefreq", row["changefreq"].strip().lower()))
    if row.get("priority") is not None:
        children.append(element("s", "priority", written_decimal(row["priority"])))
    for language, href in sorted(row.get("alternates", {}).items(), key=lambda pair: (len(pair[0]), pair[0])):
        children.append(element("xhtml", "link", attributes={"rel": "alternate", "hreflang": language, "href": written_url(href)}))
    for item in row.get("images", []):
        item = {"loc": item} if isinstance(item, str) else item
        children.append(element("image", "image", children=elements("image", item, ["loc", "caption", "geo_location", "title", "license"])))
    videos = row.get("videos", [])
    for item in videos if isinstance(videos, list) else [videos]:
        children.append(element("video", "video", children=elements("video", item, VIDEO_TAGS)))
    if "news" in row:
        item = row["news"]
        publication = element("news", "publication", children=[element("news", "name", written_text(item["publication_name"])),
                                                               element("news", "language", item["publication_language"])])
        children.append(element("news", "news", children=[publication] + list(elements(
            "news", item, ["access", "genres", "publication_date", "title", "keywords", "stock_tickers"]))))
    children += [structure(ElementTree.fromstring(x)) for x in row.get("extensions", [])]
    return children


# What sitemap.js says of a document: it trims texts, does not know all dates, and keeps the last of
# several prices and ids.

def js_text(content, longest=None):
    content = content.strip(JS_BLANKS)
    if longest is not None and len(content.encode("utf-16-le")) / 2 > longest:
        return None
    return content or None


def js_date(content):
    return content if re.fullmatch(r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{3})?([+-]\d{2}:\d{2}|Z)?)?", content) else None


def js_fields(children, names=None, limits=None):
    for tag, attributes, content, _ in children:
        tag = tag.split("}")[1]
        if tag in ("duration", "view_count"):
            content = int(content)
        elif tag in ("rating", "priority"):
            content = float(content)
        elif tag in ("lastmod", "expiration_date", "publication_date"):
            content = js_date(content)
        else:
            content = js_text(content, (limits or {}).get(tag))
        if content is not None:
            yield (names or {}).get(tag, tag), content
        for name, value in attributes.items():
            if (tag, name) != ("id", "type"):
                yield tag + ":" + name, value


def js_expected(row):
    item = {"img": [], "video": [], "links": [], "url": ""}
    for child in expected(row):
        namespace, tag = child[0][1:].split("}")
        children = child[3]
        if namespace == NAMESPACES["s"]:
            item.update(js_fields([child], {"loc": "url"}))
        elif tag == "link":
            item["links"].append({"lang": child[1]["hreflang"], "url": child[1]["href"]})
        elif namespace == NAMESPACES["image"]:
            item["img"].append({"url": "", **dict(js_fields(children, {"loc": "url", "geo_location": "geoLocation"}))})
        elif namespace == NAMESPACES["video"]:
            result = {"tag": [], "thumbnail_loc": "", "title": "", "description": ""}
            for key, value in js_fields([c for c in children if not c[0].endswith("content_segment_loc")], limits={"title": 100, "description": 2048}):
                if key == "tag":
                    result["tag"].append(value)
                else:
                    result[key] = value
            item["video"].append(result)
        elif namespace == NAMESPACES["news"]:
            result = {"publication": {"name": "", "language": ""}, "publication_date": "", "title": ""}
            result["publication"].update(js_fields(children[0][3], limits={"name": 256}))
            result.update(js_fields(children[1:], limits={"title": 200}))
            item["news"] = result
    return item


command, count, seed, extensions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "extensions"
if command == "rows":
    for row in rows(count, seed, extensions):
        print(json.dumps(row))
else:
    entries = differences = 0
    for row in rows(count, seed, extensions):
        line = sys.stdin.readline()
        found = json.loads(line) if line else None
        wanted = expected(row) if command == "elementtree" else js_expected(row)
        # A round trip, as the reader's: tuples become lists.
        if found != json.loads(json.dumps(wanted)):
            differences += 1
            if differences <= 5:
                print(f"{row!r}\nis      {found!r}\ninstead {wanted!r}")
        entries += found is not None
    print(f"{entries} entries, {differences} differences" + (", and more" if sys.stdin.readline() else ""))
