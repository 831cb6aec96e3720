"""Stands for the servers that examples/indexnow and examples/purge post to:

    receive_urls.py KEY TOKEN LOG

/indexnow and /second enforce the rules of IndexNow, /purge those of a CDN's API.  LOG gets
a line of JSON for each request, before its answer: when, what it would answer, and the URLs.
As a proxy, it serves the key file of each site but those whose host begins with "no-key.".

/faults takes lines, one for each of the next requests:

    STATUS [RETRY-AFTER]    answer that, and take nothing unless it is 2xx
    drop                    close the connection, and take nothing
    reset                   break the connection, and take nothing
    cut                     take the URLs, and break the connection before the answer
    garbage                 take nothing, and answer with something else than HTTP
    hold ANSWER             wait for /release, then do that; "hold take" is no fault
    take                    no fault

/release lets one request go on that is held.
"""

import json
import re
import socket
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urljoin, urlsplit

KEY, TOKEN, LOG = sys.argv[1:]
MOST_PURGED = 30

faults = []
lock = threading.Lock()
released = threading.Semaphore(0)


def rules_of_indexnow(headers, message):
    """The status for a message, and its URLs."""
    if not headers.get('Content-Type', '').startswith('application/json'):
        return 400, []
    if not isinstance(message, dict) or not set(message) <= {'host', 'key', 'keyLocation', 'urlList'}:
        return 400, []
    host, key, urls = message.get('host'), message.get('key'), message.get('urlList')
    if not isinstance(host, str) or not isinstance(key, str) or not isinstance(urls, list):
        return 400, []
    if not 1 <= len(urls) <= 10_000 or len(set(urls)) < len(urls):
        return 400, urls
    if not re.fullmatch('[A-Za-z0-9-]{8,128}', key):
        return 400, urls
    if key != KEY:
        return 403, urls
    location = message.get('keyLocation', urljoin(urls[0], f'/{key}.txt'))
    if urlsplit(location).netloc != host:
        return 422, urls
    directory = urlsplit(urljoin(location, '.')).path
    for url in map(urlsplit, urls):
        if url.netloc != host or not (url.path or '/').startswith(directory):
            return 422, urls
    return 200 if len(urls) > 1 else 202, urls


def rules_of_purge(headers, message):
    if headers.get('Authorization') != f'Bearer {TOKEN}':
        return 401, []
    if headers.get('Content-Type') != 'application/json' or set(message) != {'files'}:
        return 400, []
    urls = message['files']
    return (200 if 1 <= len(urls) <= MOST_PURGED and len(set(urls)) == len(urls) else 400), urls


RULES = {'/indexnow': rules_of_indexnow, '/second': rules_of_indexnow, '/purge': rules_of_purge}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlsplit(self.path)
        known = url.path.endswith(f'/{KEY}.txt') and not url.netloc.startswith('no-key.')
        self.answer(200 if known else 404, text=KEY if known else None)

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        if self.path == '/release':
            released.release()
            self.answer(200)
        elif self.path == '/faults':
            with lock:
                faults[:] = body.decode().splitlines()
            self.answer(200)
        elif self.path == '/old':
            self.answer(301, Location='/indexnow')
        else:
            self.receive(*RULES[self.path](self.headers, json.loads(body)))

    def receive(self, status, urls):
        with lock:
            fault = faults.pop(0) if faults else 'take'
        if fault.startswith('hold '):
            fault = fault[5:]
            self.log('held', urls)
            released.acquire()
        if fault in ('take', 'cut'):
            self.log(status, urls)
        else:
            self.log(fault, urls)
        if fault == 'take':
            self.answer(status)
        elif fault == 'drop':
            self.close_connection = True
        elif fault in ('cut', 'reset'):
            # No time to linger: the kernel sends RST.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            self.connection.close()
        elif fault == 'garbage':
            self.wfile.write(b'250 OK\r\n')
        else:
            number, _, retry_after = fault.partition(' ')
            self.answer(int(number), **({'Retry-After': retry_after} if retry_after else {}))

    def log(self, answer, urls):
        with lock, open(LOG, 'a') as log:
            log.write(json.dumps({'time': time.time(), 'answer': str(answer), 'urls': urls}) + '\n')

    def answer(self, status, text=None, **headers):
        text = (text or f'the answer is\n{status}\n').encode()
        # Python 3.13 has another phrase for 422 than those before it.
        self.send_response(status, 'Unprocessable Entity' if status == 422 else None)
        for name, value in {**headers, 'Content-Length': len(text)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A client that was killed, or a connection that was broken on purpose."""


server = Server(('127.0.0.1', 0), Handler)
print(f'listening on http://127.0.0.1:{server.server_port}', flush=True)
server.serve_forever()
