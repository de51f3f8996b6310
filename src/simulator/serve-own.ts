// Portals whose way of delivering no card can describe in data, one small server each.
import { writeAnswer } from './answer-shape.ts'
import { writeZip } from './archive-writers.ts'
import type { Visible } from './card-answer.ts'
import { type Asked, jsonAnswer, type PortalAnswer, type PortalServer, textAnswer } from './portal-answer.ts'
import { escapeXml } from './samples/xml-text.ts'
import type { ShelfEntry } from './shelf.ts'

/** Servers by source; the cards of all other sources are sufficient. */
export const ownServers: { readonly [sourceId: string]: (visible: Visible) => PortalServer } = {
  'hr-eojn-contracts': servePostbacks,
  'ug-ppda': serveExports,
  'us-portland': serveDrive,
}

const page = (body: string): PortalAnswer =>
  textAnswer(200, `<!DOCTYPE html>\n<html><body>${body}</body></html>\n`, 'text/html; charset=utf-8')

const byMonth = (entries: readonly ShelfEntry[]): ReadonlyMap<string, readonly ShelfEntry[]> =>
  Map.groupBy(entries, ({ publishedAt }) => new Date(publishedAt).toISOString().slice(0, 7))

/** An ASP.NET page: its links post a form back to it, with what it hid, and an archive comes. */
function servePostbacks(visible: Visible): PortalServer {
  const path = '/SPIN/application/ipn/Oglasnik/PreuzimanjeUgovoraOCD.aspx'
  const state = 'c2FtcGxl'
  return {
    sourceId: 'hr-eojn-contracts',
    hosts: new Set(['eojn.nn.hr']),
    shown: visible,
    answer: async (asked: Asked) => {
      const { request } = asked
      if (request.url.pathname !== path) return textAnswer(404, 'not found')
      const months = byMonth(visible(asked.now))
      if (request.method === 'GET') {
        const links = [...months.keys()].map(
          (month) => `<a href="javascript:__doPostBack('ctl00$${month}','')">${month}</a>`,
        )
        return page(
          `<form method="post"><input type="hidden" name="__VIEWSTATE" value="${state}" />${links.join('\n')}</form>`,
        )
      }
      const form = new URLSearchParams(request.body)
      const month = form.get('__EVENTTARGET')?.replace('ctl00$', '')
      const entries = months.get(month ?? '')
      if (form.get('__VIEWSTATE') !== state || !entries) return page('Validation of viewstate failed.')
      const { body } = await writeAnswer(
        { format: 'json', at: '/releases' },
        {
          documents: entries.map((entry) => entry.text()),
          address: request.url.href,
          publishedAt: new Date(asked.now).toISOString(),
        },
      )
      return { status: 200, type: 'application/zip', body: writeZip([{ name: `${month}.json`, bytes: body }]) }
    },
  }
}

/** Files of years that are ordered, asked for and loaded. A fiscal year is taken as the year in which it begins. */
function serveExports(visible: Visible): PortalServer {
  const exports = '/api/open-data/v2/ocds/exports'
  return {
    sourceId: 'ug-ppda',
    hosts: new Set(['cdn.ppda.go.ug']),
    shown: visible,
    answer: async (asked: Asked) => {
      const { request } = asked
      const { url } = request
      if (url.pathname === exports) {
        const { fy = '' } = JSON.parse(String(request.body ?? '{}')) as { readonly fy?: string }
        return jsonAnswer(200, { success: true, job_id: fy, status_url: `${url.href}/${fy}/status` })
      }
      const [, year, what] = /\/(\d{4})-\d{4}\/(status|download)$/.exec(url.pathname) ?? []
      if (what === 'status')
        return jsonAnswer(200, { status: 'complete', download_url: url.href.replace(/status$/, 'download') })
      if (what !== 'download') return textAnswer(404, 'not found')
      const { body, type } = await writeAnswer(
        { format: 'json', at: '/releases' },
        {
          documents: visible(asked.now)
            .filter((entry) => new Date(entry.publishedAt + 3 * 3_600_000).getUTCFullYear() === Number(year))
            .map((entry) => entry.text()),
          address: url.href,
          publishedAt: new Date(asked.now).toISOString(),
        },
      )
      return { status: 200, type, body }
    },
  }
}

/** A page links a folder on a drive; each of its files needs one more request. */
function serveDrive(visible: Visible): PortalServer {
  const folder = 'https://drive.google.com/drive/folders/sample-folder'
  const download = 'https://drive.usercontent.google.com/download'
  return {
    sourceId: 'us-portland',
    hosts: new Set(['www.portland.gov', 'drive.google.com', 'drive.usercontent.google.com']),
    shown: visible,
    answer: async (asked: Asked) => {
      const { url } = asked.request
      const months = byMonth(visible(asked.now))
      const id = url.searchParams.get('id') ?? ''
      if (url.host === 'www.portland.gov') return page(`<a href="${folder}">Data</a>`)
      if (url.href.startsWith(folder))
        return page(
          `<table>${[...months.keys()].map((month) => `<tr data-id="file-${month}"><td>records-${month}.json</td></tr>`).join('\n')}</table>`,
        )
      if (url.pathname === '/uc')
        return page(
          `<form id="download-form" action="${escapeXml(download)}"><input type="hidden" name="id" ` +
            `value="${escapeXml(id)}" /><input type="hidden" name="confirm" value="t" /></form>`,
        )
      const entries = months.get(id.replace('file-', ''))
      if (!entries || url.searchParams.get('confirm') !== 't') return textAnswer(404, 'not found')
      const { body, type } = await writeAnswer(
        { format: 'json', at: '/records' },
        {
          documents: entries.map((entry) => entry.text()),
          address: url.href,
          publishedAt: new Date(asked.now).toISOString(),
        },
      )
      return { status: 200, type, body }
    },
  }
}
