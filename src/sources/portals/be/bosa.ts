// Belgium: the bulletin of tenders (BDA), through BOSA's search interface for registered clients. The website calls
// another one, by POST and with a client of its own.
import { sourceOf } from '../../source.ts'
import { parseBosa } from './parse-bosa.ts'

const gateway = 'https://public.pr.fedservices.be/api'

export const source = sourceOf({
  id: 'be-bosa',
  title: 'e-Procurement, Bulletin des Adjudications',
  publisher: 'SPF BOSA / FOD BOSA',
  homepage: 'https://www.publicprocurement.be',
  documentation: 'https://bosa.belgium.be/en/applications/e-procurement',
  clients: [
    'https://github.com/AntonioGuanche/ProcureWatch/blob/bccddad117174cd1d4447fc122b78ba3ad073006/test_bosa_pr.py',
    'https://github.com/eludum/proclogic_api/blob/HEAD/app/util/pubproc.py',
  ],
  license: { name: 'not stated; BOSA asserts rights in its data files and grants no reuse' },
  channels: [
    {
      name: 'publications',
      slots: { kind: 'day', since: '2023-09-01', rereadDays: [1, 7], isOpenRead: true },
      delivery: {
        kind: 'page',
        token: {
          request: {
            url: `${gateway}/oauth2/token`,
            headers: { Authorization: 'Basic {key}' },
            form: { grant_type: 'client_credentials' },
          },
          at: '/access_token',
        },
        request: {
          url: `${gateway}/eProcurementSea/v1/search/publications?dispatchDateFrom={from:yyyy-MM-dd}&dispatchDateTo={last:yyyy-MM-dd}&page={page}&pageSize={limit}`,
          headers: {
            Authorization: 'Bearer {token}',
            Accept: 'application/json',
            // The gateway refuses requests without a trace id, but accepts the same id again.
            'BelGov-Trace-Id': '5f0c6a1e-3f7b-4d29-9a54-0b8f6a2d7c11',
          },
        },
        entries: { format: 'json', at: '/publications' },
        total: '/totalCount',
        pageSize: 100,
        end: { when: 'total' },
        dateOf: '/dispatchDate',
      },
    },
  ],
  parse: parseBosa,
  access: {
    kind: 'key',
    setting: 'BOSA_CLIENT',
    getItAt:
      'https://bosa.belgium.be/en/applications/e-procurement (API access on request; the setting is base64 of client id, colon and secret)',
  },
  politeness: { requestsPerMinute: 20, pauseMs: 1_000 },
  expects: {
    perDay: [50, 700],
    silentAfterDays: 5,
    shape: ['/totalCount', '/publications/0/publicationWorkspaceId', '/publications/0/dossier/titles'],
  },
  caveats: [
    'The search takes a token of a client that BOSA registered for production; one for its test environment is refused.',
    'Users send the id and the secret of the client in the body of the request for a token; we send them as ' +
      'basic authentication, which the standard demands too.',
    'One client has written the parameter of the day as dispatch-date-from, too: where a spelling is ignored, the reading fails aloud.',
    'tedPublished and the TED numbers mark what is in TED too; they join the notices.',
    'Values and winners are in the notices of a workspace, which are not read.',
    'The filter by day of dispatch and the members of the answer are known from users of the interface; no live answer has been seen.',
  ],
})
