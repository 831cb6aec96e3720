#!/usr/bin/env python3
"""Tells search engines which URLs changed, by IndexNow.

Takes the URLs from a feed of sitemap_publish, a table of sitemap_change.  A run posts
all URLs of the feed; cron or a systemd timer starts the next run.
"""

import json
import os
import re
import sys
import urllib.request
from pathlib import Path
from urllib.parse import urljoin

sys.path.append(str(Path(__file__).resolve().parent.parent))
import feed

BATCH = 10_000  # URLs of a request, by the protocol

parser = feed.argument_parser('Tell search engines which URLs changed.')
parser.add_argument('--key', default=os.environ.get('INDEXNOW_KEY', ''), help='default: INDEXNOW_KEY')
parser.add_argument(
    '--key-location', metavar='URL',
    help='the key file, as a URL or as a path on each site; default: /KEY.txt')
parser.add_argument(
    '--endpoint', type=feed.http_url, action='append', metavar='URL',
    help='where to post, until one endpoint accepts; may be repeated; default: https://api.indexnow.org/indexnow')
parser.add_argument('--log', metavar='TABLE', help='table that gets each posted URL with the answer')
arguments = parser.parse_args()
if not re.fullmatch('[A-Za-z0-9-]{8,128}', arguments.key):
    parser.error('a key has 8 to 128 letters, digits and hyphens')
endpoints = arguments.endpoint or ['https://api.indexnow.org/indexnow']
run = feed.Run(arguments, arguments.log)


def key_location(origin):
    return urljoin(origin + '/', arguments.key_location or f'{arguments.key}.txt')


def has_key(origin):
    """Does the site serve the key file?  Search engines ignore the URLs of a site without it."""
    url = key_location(origin)
    answer = feed.Answer(urllib.request.Request(url), arguments.timeout)
    if answer.is_accepted() and answer.body == arguments.key:
        return True
    run.report(f'{origin}: no URLs posted: {url} does not contain the key: {answer.text}')
    return False


def is_allowed(url):
    """Is the key valid for a URL?  A key file in a directory is valid for that directory only."""
    origin = feed.origin(url)
    directory = urljoin(key_location(origin), '.')
    return directory == origin + '/' or url.startswith(directory)


def make_requests(origin, urls):
    message = {
        'host': origin.rpartition('/')[2],
        'key': arguments.key,
        'keyLocation': key_location(origin),
        'urlList': urls,
    }
    data = json.dumps(message).encode()
    headers = {'Content-Type': 'application/json; charset=utf-8'}
    return [urllib.request.Request(endpoint, data, headers) for endpoint in endpoints]


sys.exit(run.send(BATCH, make_requests, has_key, is_allowed))
