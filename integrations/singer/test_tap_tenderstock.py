"""Tests the waits and restarts of the tap without network or waiting: run python3 -m unittest in this folder."""
import io
import json
import unittest

import tap_tenderstock as tap


def answer(data, cursor=None, **headers):
    return 200, headers, json.dumps({'data': data, 'nextCursor': cursor}).encode()


def refusal(status, slug='x', **headers):
    body = {'type': f'https://docs.example/access#error-{slug}', 'title': 'T', 'status': status, 'detail': 'why'}
    return status, {name.replace('_', '-'): value for name, value in headers.items()}, json.dumps(body).encode()


class World:
    """Answers in the given order; records the requested URLs and the seconds slept."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.urls = []
        self.slept = []
        self.api = tap.Api('https://api.example/', 'secret', send=self.send, sleep=self.slept.append)

    def send(self, url):
        self.urls.append(url)
        following = self.answers.pop(0)
        if isinstance(following, Exception):
            raise following
        return following

    def run(self, state=None, config=None):
        out = io.StringIO()
        self.error = None
        try:
            tap.sync(config or {}, tap.catalog()['streams'][0], state or {}, self.api, out)
        except tap.TapError as error:
            self.error = error
        return [json.loads(line) for line in out.getvalue().splitlines()]


def record(number):
    return {'id': f'id-{number}', 'lastModified': f'2026-01-01T00:00:00.{number:03d}Z'}


class Waits(unittest.TestCase):
    def test_c152_429_and_503_wait_retry_after_and_repeat_the_identical_request(self):
        world = World(refusal(429, Retry_After='7'), refusal(503, Retry_After='11'), refusal(503), answer([]))
        world.run()
        self.assertEqual(world.slept, [7, 11, 60])
        self.assertEqual(len(set(world.urls)), 1)

    def test_c152_a_date_is_read_against_the_date_of_the_answer(self):
        date = {'Retry_After': 'Mon, 02 Nov 2026 08:01:30 GMT', 'Date': 'Mon, 02 Nov 2026 08:00:00 GMT'}
        world = World(refusal(503, **date), answer([]))
        world.run()
        self.assertEqual(world.slept, [90])

    def test_c153_500_502_504_wait_1_2_4_8_16_minutes_and_then_the_run_is_given_up(self):
        world = World(*[refusal(status) for status in (500, 502, 504, 500, 500, 500)])
        messages = world.run({'bookmarks': {'tenders': {'replication_key_value': '2026-01-01T00:00:00.000Z'}}})
        self.assertEqual(world.slept, [60, 120, 240, 480, 960])
        self.assertEqual(len(world.urls), 6)
        self.assertIn('6 attempts', str(world.error))
        self.assertEqual([message['type'] for message in messages], ['SCHEMA'])

    def test_lost_connections_and_torn_bodies_count_as_500(self):
        torn = (200, {}, b'{"data":[{"id":')
        world = World(ConnectionResetError('reset'), torn, answer([record(1)]))
        messages = world.run()
        self.assertEqual(world.slept, [60, 120])
        self.assertEqual(messages[1]['record']['id'], 'id-1')

    def test_other_refusals_stop_at_once_with_the_reason(self):
        for status in (400, 401, 403, 404):
            world = World(refusal(status))
            world.run()
            self.assertEqual(world.slept, [])
            self.assertIn('why', str(world.error))

    def test_waits_when_the_quota_is_used_up_instead_of_running_into_429(self):
        used_up = {'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '9'}
        world = World(answer([record(1)], 'c', **used_up), answer([record(2)]))
        world.run()
        self.assertEqual(world.slept, [9])


class Bookmarks(unittest.TestCase):
    def test_every_request_of_a_run_has_the_same_since_and_filters(self):
        world = World(answer([record(1)], 'c1'), answer([record(2)]))
        world.run(config={'cpv': '45000000', 'nuts': ''})
        since = 'updated_since=2022-01-01T00%3A00%3A00.000Z'
        self.assertEqual(
            world.urls,
            [
                f'https://api.example/v1/tenders?cpv=45000000&{since}&limit=100',
                f'https://api.example/v1/tenders?cpv=45000000&{since}&limit=100&cursor=c1',
            ],
        )

    def test_c148_a_run_without_records_leaves_the_state(self):
        state = {'bookmarks': {'tenders': {'replication_key_value': '2026-01-01T00:00:00.005Z'}}}
        messages = World(answer([])).run(state)
        self.assertEqual([message['type'] for message in messages], ['SCHEMA', 'STATE'])
        self.assertEqual(messages[-1]['value'], state)
        self.assertEqual(World(answer([])).run()[-1], {'type': 'STATE', 'value': {}})

    def test_c155_an_expired_cursor_starts_again_from_the_bookmark(self):
        world = World(answer([record(1)], 'c'), refusal(400, 'cursor-expired'), answer([record(1), record(2)]))
        messages = world.run()
        self.assertIn('updated_since=2026-01-01T00%3A00%3A00.001Z', world.urls[2])
        self.assertNotIn('cursor', world.urls[2])
        self.assertEqual(messages[-1]['value']['bookmarks']['tenders']['replication_key_value'], record(2)['lastModified'])

    def test_g4_a_bookmark_of_other_filters_is_not_used(self):
        first = World(answer([record(1)])).run(config={'cpv': '45000000'})
        state = first[-1]['value']
        same, other = World(answer([])), World(answer([]))
        same.run(state, {'cpv': '45000000'})
        other.run(state, {'cpv': '71000000'})
        self.assertIn('00.001Z', same.urls[0])
        self.assertIn('updated_since=2022-01-01', other.urls[0])

    def test_deselected_fields_are_left_out_and_new_ones_pass(self):
        entry = tap.catalog()['streams'][0]
        for item in entry['metadata']:
            if item['breadcrumb'] == ['properties', 'title']:
                item['metadata']['selected'] = False
        out = io.StringIO()
        world = World(answer([{**record(1), 'title': 'T', 'newField': 1}]))
        tap.sync({}, entry, {}, world.api, out)
        lines = [json.loads(line) for line in out.getvalue().splitlines()]
        self.assertNotIn('title', lines[0]['schema']['properties'])
        self.assertEqual(lines[1]['record'], {**record(1), 'newField': 1})


if __name__ == '__main__':
    unittest.main()
