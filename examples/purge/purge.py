#!/usr/bin/env python3
"""Has a CDN drop its copies of the URLs that changed.

Takes the URLs from a feed of sitemap_publish, a table of sitemap_change.  A run posts
all URLs of the feed; cron or a systemd timer starts the next run.  The body of a
request is {"files": [URL, ...]}.  Change make_requests() for an API with another body.
"""

import json
import os
import sys
import urllib.request
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import feed

parser = feed.argument_parser(
    'Have a CDN drop its copies of the URLs that changed.  PURGE_HEADER is a header line with the token, '
    'such as "Authorization: Bearer secret".')
parser.add_argument('--api', type=feed.http_url, required=True, help='the URL to post to')
parser.add_argument('--batch', type=int, default=30, help='the most URLs of a request; default: 30')
arguments = parser.parse_args()
if arguments.batch < 1:
    parser.error('a batch has at least one URL')
# An environment variable, since other users could see an argument in the list of processes.
name, _, value = os.environ.get('PURGE_HEADER', '').partition(':')
headers = {'Content-Type': 'application/json', **({name: value.strip()} if name else {})}


def make_requests(origin, urls):
    return [urllib.request.Request(arguments.api, json.dumps({'files': urls}).encode(), headers)]


sys.exit(feed.Run(arguments).send(arguments.batch, make_requests))
