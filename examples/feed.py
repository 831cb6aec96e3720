"""Posts URLs from a feed, a table of sitemap_change, in batches.  indexnow.py and
purge.py use this module.

A batch is one transaction: it deletes the rows, posts their URLs, and commits if a
server accepted them.  Otherwise it is rolled back, and the rows are in the feed as
before.  So each URL is posted at least once, even if the program is killed or the
connection breaks.  It is posted twice if the answer or the commit was lost.

With a log, each posted URL becomes a row of a second table, with the answer.  A URL that
was accepted less than ten minutes ago stays in the feed until a later run.
"""

import argparse
import http.client
import re
import sys
import time
import urllib.request
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from itertools import groupby, islice

import psycopg
from psycopg import sql

# This order groups the URLs of a site.  The cursor WITH HOLD keeps the list but no
# snapshot, so a slow run does not hold back VACUUM.
URLS = """
    SELECT DISTINCT loc COLLATE "C" AS loc
      FROM {table} AS feed
     WHERE loc IS NOT NULL {not_posted}
     ORDER BY loc"""

NOT_POSTED = """
       AND NOT EXISTS (SELECT FROM {log} AS log
                        WHERE log.loc = feed.loc AND log.accepted AND log.at > now() - interval '10 minutes')"""

LOG = """
    INSERT INTO {log} (loc, at, endpoint, accepted, answer)
    SELECT loc, now(), %s, %s, %s FROM unnest(%s::text[]) AS loc"""

# Skip rows that another run of the program has locked.  tableoid and ctid identify a
# row of a partitioned table.
TAKE = """
    WITH free AS MATERIALIZED (
        SELECT tableoid, ctid FROM {table} WHERE loc = ANY (%s) FOR UPDATE SKIP LOCKED)
    DELETE FROM {table} AS feed
     USING free
     WHERE feed.tableoid = free.tableoid AND feed.ctid = free.ctid
 RETURNING feed.loc"""

LONGEST_WAIT = 60  # seconds between two attempts, unless the answer asks for more

# The request was wrong, so other URLs of the site may still be accepted.
BAD_URLS = (400, 422)

# No handler for redirects: it would turn the POST into a GET without the URLs.
HTTP = urllib.request.OpenerDirector()
for handler in (urllib.request.ProxyHandler, urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    HTTP.add_handler(handler())


def argument_parser(description):
    """The arguments that both programs have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('table', help='the feed, or schema.feed: letter case counts, without quotes')
    parser.add_argument('--dsn', default='', help='the database; default: PGHOST, PGDATABASE and so on')
    parser.add_argument(
        '--patience', type=float, default=300, metavar='SECONDS',
        help='how long the run waits in all for a server that is busy or down; default: 300')
    parser.add_argument(
        '--timeout', type=float, default=30, metavar='SECONDS',
        help='how long an answer may take; default: 30')
    return parser


def http_url(text):
    """The type of an argument."""
    if not re.match(r'https?://[^/]', text):
        raise argparse.ArgumentTypeError(f'not a URL with http or https: {text}')
    return text


def origin(url):
    return re.match(r'(\w+://)?[^/?#]*', url)[0]


class Answer:
    """The answer to a request, or the reason why there is none."""

    def __init__(self, request, timeout):
        self.endpoint = request.full_url
        self.status = self.retry_after = None
        try:
            with HTTP.open(request, timeout=timeout) as response:
                self.status = response.status
                self.retry_after = response.headers.get('Retry-After', '')
                self.text = f'{response.status} {response.reason}'
                self.body = ' '.join(response.read(500).decode(errors='replace').split())
                if not self.is_accepted():
                    self.text += ': ' + self.body
        except (OSError, http.client.HTTPException) as error:
            self.text = str(error) or type(error).__name__

    def is_accepted(self):
        return self.status is not None and 200 <= self.status < 300

    def is_temporary(self):
        return self.status in (None, HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS) or self.status >= 500

    def wait(self):
        """Seconds to wait by Retry-After, which is a number or a date; 0 without it."""
        if re.fullmatch('[0-9]{1,9}', self.retry_after or ''):
            return int(self.retry_after)
        try:
            until = parsedate_to_datetime(self.retry_after)
            return max(0, (until - datetime.now(timezone.utc)).total_seconds())
        except (TypeError, ValueError, OverflowError):  # none, or no date
            return 0


class Run:
    """One run of a program over a feed."""

    def __init__(self, arguments, log=None):
        """log: table that gets a row for each URL that is posted, or None"""
        self.arguments = arguments
        self.patience = arguments.patience
        self.is_complete = True
        self.table = sql.Identifier(*arguments.table.split('.'))
        self.log = log and sql.Identifier(*log.split('.'))

    def send(self, size, make_requests, is_ready=lambda site: True, is_allowed=lambda url: True):
        """Post the URLs of the feed.  The result is the exit status of the program.

        size: of a batch
        make_requests: returns the requests for a site and a list of its URLs.  They go to
            different servers, and the URLs are posted once one of these accepts them.
        is_ready: may URLs of that site be posted?
        is_allowed: may that URL be posted?
        """
        not_posted = sql.SQL(NOT_POSTED if self.log else '').format(log=self.log)
        query = sql.SQL(URLS).format(table=self.table, not_posted=not_posted)
        try:
            with psycopg.connect(self.arguments.dsn, autocommit=True, client_encoding='utf8') as self.database:
                with self.database.cursor('urls', withhold=True) as urls:
                    urls.itersize = 10_000
                    urls.execute(query)
                    for site, group in groupby((url for url, in urls), origin):
                        if is_ready(site):
                            self.send_site(site, group, size, make_requests, is_allowed)
        except psycopg.Error as error:
            print(error, file=sys.stderr)
            self.is_complete = False
        return 0 if self.is_complete else 1

    def send_site(self, site, urls, size, make_requests, is_allowed):
        while batch := list(islice(urls, size)):
            allowed = [url for url in batch if is_allowed(url)]
            if len(allowed) < len(batch):
                self.report(f'{site}: URLs outside the directory of the key: {len(batch) - len(allowed)}')
            answer = self.send_batch(site, allowed, make_requests)
            if answer and not answer.is_accepted() and answer.status not in BAD_URLS:
                break

    def send_batch(self, site, batch, make_requests):
        """Post these URLs until a server accepts them, all refuse them, or the run has waited
        enough.  The result is the last answer; None if no row of them is left."""
        pause = 1
        while True:
            with self.database.transaction():
                rows = self.database.execute(sql.SQL(TAKE).format(table=self.table), [batch])
                urls = sorted({url for url, in rows})
                if not urls:
                    return None
                answer = self.post(make_requests(site, urls))
                if not answer.is_accepted():
                    raise psycopg.Rollback
                self.write_log(answer, urls)
            if answer.is_accepted():
                print(f'{site}: URLs taken: {len(urls)}', flush=True)
                return answer
            self.write_log(answer, urls)

            # While the program waits, the rows are back in the feed and not locked.
            wait = max(pause, answer.wait())
            if not answer.is_temporary() or wait > self.patience:
                self.report(f'{site}: URLs not taken: {len(urls)}: {answer.text}')
                return answer
            print(f'{site}: {answer.text}; trying again in {wait:.0f} s', flush=True)
            time.sleep(wait)
            self.patience -= wait
            pause = min(2 * pause, LONGEST_WAIT)

    def post(self, requests):
        """The answer of the first server that accepts a request; else the answer after which
        another attempt may succeed soonest."""
        answers = []
        for request in requests:
            answer = Answer(request, self.arguments.timeout)
            if answer.is_accepted():
                return answer
            answers.append(answer)
        return min(answers, key=lambda answer: (not answer.is_temporary(), answer.wait()))

    def write_log(self, answer, urls):
        if self.log:
            self.database.execute(
                sql.SQL(LOG).format(log=self.log), [answer.endpoint, answer.is_accepted(), answer.text, urls])

    def report(self, message):
        print(message, file=sys.stderr)
        self.is_complete = False
