#!/usr/bin/env python3
"""Singer tap for Tenderstock: one stream, tenders, by delta sync. Python 3.8 or newer, no packages.

    tap_tenderstock.py --config config.json --discover > catalog.json
    tap_tenderstock.py --config config.json --catalog catalog.json [--state state.json] | target-…

Every run is a delta, the first one too: it starts at the beginning of the archive (start_date), so it brings archived
records and may be broken off and repeated at any point. The bookmark is the largest lastModified delivered so far, never
the clock. Records come in its order and the API includes the bookmark itself (>=), so the records at the bookmark arrive
again: a target must upsert by id, and must not replace a record by one with an older lastModified.
"""
import argparse
import email.utils
import hashlib
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

STREAM = 'tenders'
REPLICATION_KEY = 'lastModified'
FILTERS = ('cpv', 'nuts', 'published_since', 'deadline_after', 'value_min', 'value_max', 'procedure')
ARCHIVE_START = '2022-01-01T00:00:00.000Z'
# Minutes to wait after a 500, 502, 504, a lost connection or a torn body; then the run ends.
GROWING_WAITS_MINUTES = (1, 2, 4, 8, 16)
# Seconds to wait after a 429 or 503 that does not say how long.
DEFAULT_WAIT_SECONDS = 60
TIMEOUT_SECONDS = 60


class TapError(Exception):
    """A run that cannot continue; the message says what to do."""


class CursorExpired(Exception):
    """The run took longer than the 24 hours that a cursor lives."""


def log(text):
    # Standard output belongs to the messages.
    print(f'tap-tenderstock: {text}', file=sys.stderr, flush=True)


def emit(message, out=None):
    out = out or sys.stdout
    out.write(json.dumps(message, ensure_ascii=False, separators=(',', ':')) + '\n')
    out.flush()


def schema():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tenders.schema.json')
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def catalog():
    """Returns the only stream, selected, with its key and its replication key."""
    record = schema()
    metadata = [
        {
            'breadcrumb': [],
            'metadata': {
                'inclusion': 'available',
                'selected': True,
                'selected-by-default': True,
                'table-key-properties': ['id'],
                'forced-replication-method': 'INCREMENTAL',
                'valid-replication-keys': [REPLICATION_KEY],
            },
        }
    ]
    for name in record['properties']:
        inclusion = 'automatic' if name in ('id', REPLICATION_KEY) else 'available'
        metadata.append(
            {
                'breadcrumb': ['properties', name],
                'metadata': {'inclusion': inclusion, 'selected': True, 'selected-by-default': True},
            }
        )
    return {
        'streams': [
            {
                'tap_stream_id': STREAM,
                'stream': STREAM,
                'schema': record,
                'key_properties': ['id'],
                'replication_method': 'INCREMENTAL',
                'replication_key': REPLICATION_KEY,
                'metadata': metadata,
            }
        ]
    }


def selection(entry):
    """Returns the names of the selected fields of a catalog entry, or None when the stream is not selected."""
    of = {tuple(item['breadcrumb']): item['metadata'] for item in entry.get('metadata', [])}
    stream = of.get((), {})
    if not stream.get('selected', stream.get('selected-by-default', True)):
        return None

    def is_selected(name):
        own = of.get(('properties', name), {})
        inclusion = own.get('inclusion', 'available')
        if inclusion == 'automatic' or name in ('id', REPLICATION_KEY):
            return True
        return inclusion != 'unsupported' and own.get('selected', own.get('selected-by-default', True))

    return {name for name in entry['schema']['properties'] if is_selected(name)}


class RefuseRedirect(urllib.request.HTTPRedirectHandler):
    """The API never redirects, and a redirect would carry the token elsewhere."""

    def redirect_request(self, *_):
        return None


class Api:
    """Reads pages, with the waits of the API's procedure. `send` and `sleep` can be replaced by a test."""

    def __init__(self, base_url, token, send=None, sleep=time.sleep):
        self._base_url = base_url.rstrip('/')
        self._token = token
        self._send = send or self._send_http
        self._sleep = sleep
        self._opener = urllib.request.build_opener(RefuseRedirect)
        self._pause = 0

    def page(self, parameters):
        """Returns one page of the list. Repeats the identical request until it is answered, or raises."""
        url = f'{self._base_url}/v1/tenders?{urllib.parse.urlencode(parameters)}'
        failures = 0
        while True:
            if self._pause > 0:
                log(f'quota used up, waiting {self._pause} s')
                self._sleep(self._pause)
                self._pause = 0
            try:
                status, headers, body = self._send(url)
                page = json.loads(body) if status == 200 else None
            except (OSError, http.client.HTTPException, ValueError) as error:
                status, headers, body, page = 500, {}, b'', None
                reason = f'{type(error).__name__}: {error}'
            else:
                reason = f'status {status}'
            if page is not None:
                if headers.get('X-RateLimit-Remaining') == '0':
                    self._pause = int(headers.get('X-RateLimit-Reset') or 0)
                return page
            if status in (429, 503):
                self._wait(seconds_of(headers), reason)
            elif status in (500, 502, 504):
                if failures == len(GROWING_WAITS_MINUTES):
                    raise TapError(f'given up after {failures + 1} attempts ({reason}); the bookmark is kept, run again later')
                self._wait(GROWING_WAITS_MINUTES[failures] * 60, reason)
                failures += 1
            else:
                raise problem(status, body)

    def _wait(self, seconds, reason):
        log(f'{reason}, waiting {seconds} s')
        self._sleep(seconds)

    def _send_http(self, url):
        request = urllib.request.Request(
            url, headers={'Authorization': f'Bearer {self._token}', 'Accept': 'application/json'}
        )
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as response:
                return response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()


def seconds_of(headers):
    """Returns Retry-After in seconds. A date counts from the Date of the answer, not from the local clock."""
    value = headers.get('Retry-After')
    if value is None:
        return DEFAULT_WAIT_SECONDS
    if value.strip().isdigit():
        return int(value)
    try:
        until = email.utils.parsedate_to_datetime(value)
        now = email.utils.parsedate_to_datetime(headers.get('Date'))
        return max(1, int((until - now).total_seconds()))
    except (TypeError, ValueError, IndexError):
        return DEFAULT_WAIT_SECONDS


def problem(status, body):
    """Returns the exception for an answer that waiting cannot change."""
    try:
        document = json.loads(body)
    except ValueError:
        document = {}
    if not isinstance(document, dict):
        document = {}
    if str(document.get('type', '')).endswith('#error-cursor-expired'):
        return CursorExpired()
    return TapError(f"{status} {document.get('title', 'Error')}: {document.get('detail', 'no problem document')}")


def filters_of(config):
    return {name: str(config[name]) for name in FILTERS if config.get(name) not in (None, '')}


def start_of(config, state, names):
    """Returns updated_since of this run: the bookmark, or start_date without one for these filters."""
    start = config.get('start_date') or ARCHIVE_START
    bookmark = state.get('bookmarks', {}).get(STREAM)
    if not bookmark or not bookmark.get('replication_key_value'):
        return start
    if bookmark.get('filters', names) != names:
        log('the filters changed: starting again from start_date; empty the target table, or records of the old filters stay')
        return start
    return bookmark['replication_key_value']


def sync(config, entry, state, api, out=None):
    """Writes the stream: its schema, then per page the records and the bookmark."""
    fields = selection(entry)
    if fields is None:
        log('the stream is not selected')
        return
    filters = filters_of(config)
    names = hashlib.sha256(json.dumps(filters, sort_keys=True).encode()).hexdigest()[:16]
    since = start_of(config, state, names)
    record_schema = dict(entry['schema'])
    record_schema['properties'] = {
        name: value for name, value in record_schema['properties'].items() if name in fields
    }
    emit(
        {
            'type': 'SCHEMA',
            'stream': STREAM,
            'schema': record_schema,
            'key_properties': ['id'],
            'bookmark_properties': [REPLICATION_KEY],
        },
        out,
    )
    all_fields = set(entry['schema']['properties'])
    cursor = None
    count = 0
    while True:
        parameters = {**filters, 'updated_since': since, 'limit': 100}
        if cursor is not None:
            parameters['cursor'] = cursor
        try:
            page = api.page(parameters)
        except CursorExpired:
            # Everything before the bookmark was delivered, and later changes come after it.
            since = bookmark_of(state) or since
            cursor = None
            log(f'the cursor is older than 24 hours: starting again at {since}')
            continue
        for record in page['data']:
            # Fields that are newer than the catalog are kept; deselected fields are dropped.
            row = {name: value for name, value in record.items() if name in fields or name not in all_fields}
            emit({'type': 'RECORD', 'stream': STREAM, 'record': row}, out)
        count += len(page['data'])
        if page['data']:
            # The list is sorted by lastModified, and changes of a later edition come after everything published before,
            # so a run can continue from here after any interruption.
            state = {
                'bookmarks': {
                    STREAM: {
                        'replication_key': REPLICATION_KEY,
                        'replication_key_value': page['data'][-1][REPLICATION_KEY],
                        'filters': names,
                    }
                }
            }
            emit({'type': 'STATE', 'value': state}, out)
        cursor = page['nextCursor']
        if cursor is None:
            if count == 0:
                # A target prints the last bookmark that it got: without one, whoever keeps that would lose the state.
                emit({'type': 'STATE', 'value': state}, out)
            log(f'{count} records, bookmark {bookmark_of(state) or "unchanged"}')
            return


def bookmark_of(state):
    return state.get('bookmarks', {}).get(STREAM, {}).get('replication_key_value')


def read_json(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog='tap-tenderstock', description='Singer tap for Tenderstock.')
    parser.add_argument('--config', '-c', required=True, help='JSON file: base_url, token, and what you like of start_date, ' + ', '.join(FILTERS))
    parser.add_argument('--state', '-s', help='JSON file: the last STATE message\'s value')
    parser.add_argument('--catalog', '--properties', '-p', help='JSON file: the catalog, perhaps edited')
    parser.add_argument('--discover', '-d', action='store_true', help='print the catalog')
    options = parser.parse_args(arguments)
    try:
        if options.discover:
            print(json.dumps(catalog(), indent=2))
            return 0
        config = read_json(options.config)
        for name in ('base_url', 'token'):
            if not config.get(name):
                raise TapError(f'add "{name}" to {options.config}')
        streams = (read_json(options.catalog) if options.catalog else catalog())['streams']
        state = (read_json(options.state) if options.state else None) or {}
        api = Api(config['base_url'], config['token'])
        for entry in streams:
            if entry['tap_stream_id'] == STREAM:
                sync(config, entry, state, api)
        return 0
    except (TapError, OSError, ValueError, KeyError) as error:
        log(f'{type(error).__name__}: {error}' if not isinstance(error, TapError) else str(error))
        return 1


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (BrokenPipeError, KeyboardInterrupt):
        # The target ended, or somebody stopped the run: the last STATE that the target accepted remains valid.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
