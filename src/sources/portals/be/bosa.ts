// Belgium: the bulletin of tenders (BDA), through the search of the e-Procurement platform of BOSA.
import { sourceOf } from '../../source.ts'
import { parseBosa } from './parse-bosa.ts'

export const source = sourceOf({
  id: 'be-bosa',
  title: 'e-Procurement, Bulletin des Adjudications',
  publisher: 'SPF BOSA / FOD BOSA',
  homepage: 'https://www.publicprocurement.be',
  documentation: 'https://bosa.belgium.be/en/applications/e-procurement',
  license: { name: 'not stated; BOSA asserts rights in its data files and grants no reuse' },
  channels: [
    {
      name: 'publications',
      slots: { kind: 'day', since: '2023-09-01', rereadDays: [1, 7], isOpenRead: true },
      delivery: {
        kind: 'page',
        token: {
          request: {
            url: 'https://www.publicprocurement.be/auth/realms/supplier/protocol/openid-connect/token',
            headers: { Authorization: 'Basic {key}' },
            form: { grant_type: 'client_credentials' },
          },
          at: '/access_token',
        },
        request: {
          url: 'https://www.publicprocurement.be/api/sea/search/publications?dispatchDateFrom={from:yyyy-MM-dd}&dispatchDateTo={last:yyyy-MM-dd}&page={page}&pageSize={limit}',
          headers: {
            Authorization: 'Bearer {token}',
            Accept: 'application/json',
            'Account-Type': 'public',
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
    'The search takes a token of an OIDC client. The website carries one of its own; a registered client is needed here.',
    'tedPublished and the TED numbers mark what is in TED too; they join the notices.',
    'Values and winners are in the notices of a workspace, which are not read.',
    'The filter by day of dispatch and the members of the answer are known from users of the interface; no live answer has been seen.',
  ],
})
