"""Serves the files of a target in Django: include this module's urlpatterns.

The route matches only files of the target.  For other names, the ValueError of the
converter passes the request on to the next pattern.  A client that already has the
file gets status 304.
"""

import gzip

from django.db import connection
from django.http import Http404, HttpResponse
from django.urls import path, register_converter
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition, require_safe
from django.views.decorators.vary import vary_on_headers

BASE_URL = "https://www.example.com/"


def read(columns, name):
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {columns} FROM site_files WHERE base_url = %s AND name = %s AND digest IS NOT NULL", [BASE_URL, name])
        return cursor.fetchone()


class SiteFile:
    regex = r"[^/]+\.(?:xml|txt)(?:\.gz)?"

    def to_python(self, name):
        version = read("digest, lastmod", name)
        if version is None:
            raise ValueError
        return name, *version

    def to_url(self, file):
        return file[0]


def takes_gzip(request):
    codings = request.headers.get("Accept-Encoding", "").lower().replace(" ", "").split(",")
    weights = dict(coding.partition(";q=")[::2] for coding in codings)
    return weights.get("gzip", "0").strip("0.") != "" or weights.get("gzip") == ""


def etag(request, file):
    name, digest, lastmod = file
    inflated = name.endswith(".gz") and not takes_gzip(request)
    return ("W/" if inflated else "") + f'"{digest}"'


@require_safe
@cache_control(max_age=600)
@vary_on_headers("Accept-Encoding")
@condition(etag_func=etag, last_modified_func=lambda request, file: file[2])
def sitemap(request, file):
    name = file[0]
    row = read("content", name)
    if row is None:
        raise Http404
    content = bytes(row[0])
    headers = {"X-Robots-Tag": "noindex"}
    if name.endswith(".gz"):
        if takes_gzip(request):
            headers["Content-Encoding"] = "gzip"
        else:
            content = gzip.decompress(content)
    content_type = "text/plain" if name.endswith((".txt", ".txt.gz")) else "application/xml"
    return HttpResponse(content, content_type=content_type, headers=headers)


register_converter(SiteFile, "site_file")
urlpatterns = [path("<site_file:file>", sitemap)]
