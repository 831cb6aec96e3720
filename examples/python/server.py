"""Serves a table of sitemap files over HTTP, each at its base_url and name,
and a robots.txt that tells crawlers where to begin.

application() is a WSGI application; run as a program, this file serves it.
"""

import os
import re
import signal
import sys
import threading
import zlib
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from socketserver import ThreadingMixIn
from urllib.parse import quote
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import psycopg
from psycopg import sql
from psycopg.rows import namedtuple_row

# The most bytes of a file in memory at a time.
CHUNK = 1024 * 1024

# An index may name files that a newer set no longer has, so caches keep it for a
# short time only; but most requests need not come here.
CACHE = ('Cache-Control', 'max-age=600')

# Each read opens a connection, which is never broken by an earlier restart of the
# database, and never waits for a slow client.  This many can be open at a time.
CONNECTIONS = threading.BoundedSemaphore(10)

# The name of a table cannot be a parameter.  The quotes make sure that it is a name.
TABLE = sql.Identifier(*os.environ.get('SITEMAP_TABLE', 'site_files').split('.'))

# Read what the header lines need, and a piece of the content.  octet_length() does not
# read the content, and to_char() writes days and months in English whatever the locale.
FILE = """
    SELECT kind, digest, byte_count, octet_length(content) AS length,
           to_char(lastmod AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS "GMT"') AS last_modified,
           substring(content FROM %s FOR %s) AS piece
      FROM {table}
     WHERE base_url = ANY (%s) AND name = %s AND digest IS NOT NULL"""

# Name the index of a host, or if there is none all its files.
ROBOTS = """
    WITH file AS (SELECT kind, name, loc
                    FROM {table}
                   WHERE starts_with(base_url, %s) OR starts_with(base_url, %s))
    SELECT loc
      FROM file
     WHERE kind = 'index' OR NOT EXISTS (SELECT FROM file WHERE kind = 'index')
     ORDER BY name, loc"""


def run(statement, parameters):
    # PGHOST, PGDATABASE and so on say where the database is.
    with CONNECTIONS, psycopg.connect(
        autocommit=True, connect_timeout=5, client_encoding='utf8', row_factory=namedtuple_row
    ) as database:
        return database.execute(sql.SQL(statement).format(table=TABLE), parameters, binary=True).fetchall()


def urls(host, path):
    """A proxy in front may speak https for us."""
    return [f'https://{host}{path}', f'http://{host}{path}']


def read_file(host, path, offset, length):
    """The file, with so many bytes of its content from an offset on."""
    directory, slash, name = path.rpartition('/')
    # The characters that names of sitemap files have.  No other text gets to the database.
    if not re.fullmatch(r'[\w.~-]+', name, re.ASCII):
        return None
    rows = run(FILE, [offset + 1, length, urls(host, directory + slash), name])
    return rows[0] if rows else None


def content(host, path, file):
    """The whole content, in pieces.  The file can change meanwhile: then the response
    breaks off, and the client asks again."""
    yield file.piece
    for offset in range(CHUNK, file.length, CHUNK):
        following = read_file(host, path, offset, CHUNK)
        if not following or following.digest != file.digest:
            raise ConnectionAbortedError(f'{path} has changed')
        yield following.piece


def inflated(pieces):
    inflate = zlib.decompressobj(wbits=31)
    for piece in pieces:
        while piece:
            yield inflate.decompress(piece, CHUNK)
            piece = inflate.unconsumed_tail


def takes_gzip(environ):
    weights = {}
    for coding in environ.get('HTTP_ACCEPT_ENCODING', '').lower().split(','):
        name, _, weight = (part.strip() for part in coding.partition(';'))
        weights[name] = not re.fullmatch(r'q=0(\.0*)?', weight)
    return weights.get('gzip', weights.get('*', False))


def robots(host):
    rows = run(ROBOTS, urls(host, '/'))
    return 'User-agent: *\nDisallow:\n\n' + ''.join(f'Sitemap: {row.loc}\n' for row in rows)


def is_current(file, environ):
    """Does the client have this version?  Its date counts only if it sends no ETag."""
    tags = environ.get('HTTP_IF_NONE_MATCH')
    if tags is not None:
        return tags.strip() == '*' or f'"{file.digest}"' in re.findall('"[^"]*"', tags)
    try:
        since = parsedate_to_datetime(environ.get('HTTP_IF_MODIFIED_SINCE'))
        return since >= parsedate_to_datetime(file.last_modified)
    except (TypeError, ValueError, OverflowError):  # one of them is missing, or no date
        return False


def text(status, body, *headers):
    body = body.encode()
    lines = [('Content-Type', 'text/plain; charset=utf-8'), ('Content-Length', str(len(body)))]
    return status, [*lines, *headers], [body]


def message(status, *headers):
    return text(status, HTTPStatus(status).phrase + '\n', *headers)


def respond(environ):
    if environ['REQUEST_METHOD'] not in ('GET', 'HEAD'):
        return message(405, ('Allow', 'GET, HEAD'))

    # WSGI gives the path percent-decoded, with a character for each byte.
    path = quote(environ.get('PATH_INFO', '').encode('iso-8859-1'), safe="/!$&'()*+,;=:@~")
    host = environ.get('HTTP_HOST', '').lower()
    if path == '/robots.txt':
        return text(200, robots(host), CACHE)

    file = read_file(host, path, 0, 0)
    is_gzip = path.endswith('.gz')
    inflate = is_gzip and not takes_gzip(environ)
    if not file:
        return message(404)
    if not is_current(file, environ) and environ['REQUEST_METHOD'] == 'GET':
        # Read the header lines again, with the content: the file may have changed meanwhile.
        file = read_file(host, path, 0, CHUNK)
        if not file:
            return message(404)

    headers = [
        ('ETag', ('W/' if inflate else '') + f'"{file.digest}"'),
        ('Content-Length', str(file.byte_count if inflate else file.length)),
        CACHE,
        # It is for crawlers, and no page to find.
        ('X-Robots-Tag', 'noindex'),
    ]
    if is_gzip:
        headers.append(('Vary', 'Accept-Encoding'))
    if is_current(file, environ):
        return 304, headers, []

    headers.append(
        ('Content-Type', 'text/plain; charset=utf-8' if file.kind == 'text' else 'application/xml')
    )
    if is_gzip and not inflate:
        headers.append(('Content-Encoding', 'gzip'))
    if file.last_modified:
        headers.append(('Last-Modified', file.last_modified))
    pieces = content(host, path, file)
    return 200, headers, inflated(pieces) if inflate else pieces


def application(environ, start_response):
    try:
        status, headers, body = respond(environ)
    except psycopg.Error as error:
        # If the database does not answer, go on: crawlers come back after a 503.
        print(error, file=environ['wsgi.errors'])
        status, headers, body = message(503, ('Retry-After', '60'))

    start_response(f'{status} {HTTPStatus(status).phrase}', headers)
    return [] if environ['REQUEST_METHOD'] == 'HEAD' else body


class Server(ThreadingMixIn, WSGIServer):
    """Runs a thread for each request.  Closing the server waits for all of them."""

    def handle_error(self, request, client_address):
        # A client that goes away is worth a line, not a stack trace.
        print(f'{client_address[0]}: {sys.exc_info()[1]}', file=sys.stderr)


class Handler(WSGIRequestHandler):
    timeout = 30  # seconds a client can hold up a thread, or the end of the program

    def log_request(self, *_):
        """The proxy in front has a log."""


if __name__ == '__main__':
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit())
    port = int(os.environ.get('PORT', '8080'))
    with make_server('127.0.0.1', port, application, Server, Handler) as server:
        print(f'listening on http://127.0.0.1:{server.server_port}/', flush=True)
        server.serve_forever()
