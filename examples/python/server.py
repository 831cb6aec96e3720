"""Serves a table of sitemap files over HTTP, each at the path of its loc, and a
robots.txt that tells crawlers where to begin.

application() is a WSGI application; run as a program, this file serves it.
"""

import os
import re
import signal
import sys
import threading
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from socketserver import ThreadingMixIn
from urllib.parse import unquote, urlsplit
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import psycopg
from psycopg import sql
from psycopg.rows import namedtuple_row

# An index may name files that a newer set no longer has, so no cache keeps it
# for long; but most requests need not come here.
CACHE = ('Cache-Control', 'max-age=600')

# Each request has a connection of its own, so none is a broken one from before a
# restart of the database.  So many can be open at a time.
CONNECTIONS = threading.BoundedSemaphore(10)

# A name cannot be a parameter of a statement.  Quoted, it cannot be anything else.
TABLE = sql.Identifier(*os.environ.get('SITEMAP_TABLE', 'site_files').split('.'))

# What the header lines take.  octet_length() does not read the content, and
# to_char() writes days and months in English whatever the locale.
FILE = """
    SELECT kind, loc, '"' || digest || '"' AS etag, octet_length(content) AS length,
           to_char(lastmod AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS "GMT"') AS last_modified
           {more_columns}
      FROM {table}
     WHERE name = %s"""

# An index stands for all of its files.
ROBOTS = """
    SELECT loc
      FROM {table}
     WHERE kind = 'index' OR NOT EXISTS (SELECT FROM {table} WHERE kind = 'index')
     ORDER BY name"""


def connect():
    # PGHOST, PGDATABASE and so on say where the database is.
    return psycopg.connect(
        autocommit=True, connect_timeout=5, client_encoding='utf8', row_factory=namedtuple_row
    )


def find_file(database, path, more_columns=''):
    name = path.rpartition('/')[2]
    # The characters that names of sitemap files have.  No other text gets to the database.
    if not re.fullmatch(r'[\w.~-]+', name, re.ASCII):
        return None
    statement = sql.SQL(FILE).format(table=TABLE, more_columns=sql.SQL(more_columns))
    file = database.execute(statement, [name], binary=True).fetchone()
    # As WSGI has it, a path is percent-decoded, into a character for each byte.
    if file and unquote(urlsplit(file.loc).path, 'iso-8859-1') == path:
        return file
    return None


def robots(database):
    rows = database.execute(sql.SQL(ROBOTS).format(table=TABLE))
    return 'User-agent: *\nDisallow:\n\n' + ''.join(f'Sitemap: {row.loc}\n' for row in rows)


def is_current(file, environ):
    """Has the client this version?  Dates count only where it sends no ETags."""
    tags = environ.get('HTTP_IF_NONE_MATCH')
    if tags is not None:
        return tags.strip() == '*' or file.etag in re.findall('"[^"]*"', tags)
    try:
        since = parsedate_to_datetime(environ.get('HTTP_IF_MODIFIED_SINCE'))
        return since >= parsedate_to_datetime(file.last_modified)
    except (TypeError, ValueError, OverflowError):  # one of them is missing, or no date
        return False


def text(status, body, *headers):
    body = body.encode()
    lines = [('Content-Type', 'text/plain; charset=utf-8'), ('Content-Length', str(len(body)))]
    return status, [*lines, *headers], body


def message(status, *headers):
    return text(status, HTTPStatus(status).phrase + '\n', *headers)


def respond(database, path, environ):
    if path == '/robots.txt':
        return text(200, robots(database), CACHE)

    file = find_file(database, path)
    if file and is_current(file, environ):
        # Without a Content-Length wsgiref would send 0, which is not that of the file.
        return 304, [('ETag', file.etag), ('Content-Length', str(file.length)), CACHE], b''

    # By now there may be another version: the content comes with header lines of its own.
    if file and environ['REQUEST_METHOD'] == 'GET':
        file = find_file(database, path, ', content')
    if not file:
        return message(404)

    headers = [
        ('Content-Type', 'text/plain; charset=utf-8' if file.kind == 'text' else 'application/xml'),
        ('Content-Length', str(file.length)),
        ('ETag', file.etag),
        CACHE,
    ]
    if path.endswith('.gz'):
        headers.append(('Content-Encoding', 'gzip'))
    if file.last_modified:
        headers.append(('Last-Modified', file.last_modified))
    return 200, headers, getattr(file, 'content', b'')


def application(environ, start_response):
    if environ['REQUEST_METHOD'] in ('GET', 'HEAD'):
        try:
            with CONNECTIONS, connect() as database:
                status, headers, body = respond(database, environ.get('PATH_INFO', ''), environ)
        except psycopg.Error as error:
            # Without the database this is not the end: crawlers come back after a 503.
            print(error, file=environ['wsgi.errors'])
            status, headers, body = message(503, ('Retry-After', '60'))
    else:
        status, headers, body = message(405, ('Allow', 'GET, HEAD'))

    start_response(f'{status} {HTTPStatus(status).phrase}', headers)
    return [] if environ['REQUEST_METHOD'] == 'HEAD' else [body]


class Server(ThreadingMixIn, WSGIServer):
    """A thread for each request; closing waits for those under way."""

    def handle_error(self, request, client_address):
        # A client that goes away is worth a line, not a stack trace.
        print(f'{client_address[0]}: {sys.exc_info()[1]}', file=sys.stderr)


class Handler(WSGIRequestHandler):
    timeout = 30  # seconds a client can hold a thread, and the end of the program

    def log_request(self, *_):
        """The proxy in front has a log."""


if __name__ == '__main__':
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit())
    port = int(os.environ.get('PORT', '8080'))
    with make_server('127.0.0.1', port, application, Server, Handler) as server:
        print(f'listening on http://127.0.0.1:{server.server_port}/', flush=True)
        server.serve_forever()
