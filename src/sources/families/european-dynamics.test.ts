// A month that the platform answers with a text has no records, if the platform does not list it either.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { afterAll, expect, it } from 'vitest'
import { readSlot, textsOf } from '../../../test/testing/scripted-portal.ts'
import { fetchOf } from '../deliver/fetch-of.ts'
import { ePpsMonths } from './european-dynamics.ts'

const scratchFolder = mkdtempSync(join(tmpdir(), 'epps-months-'))
afterAll(() => rmSync(scratchFolder, { recursive: true }))

const months = ePpsMonths('https://portal.example', '2024-01-01')
const november = {
  slot: { key: '2026-11', from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' },
  scratchFolder,
}
const address = 'https://portal.example/ocds/services/recordpackage/getrecordpackage'
const text = { body: 'No records', headers: { 'content-type': 'text/plain;charset=UTF-8' } }
const zip = zipSync({ 'a.json': Buffer.from('{"records":[{"ocid":"ocds-a1b2c3-1"}]}') })

/** Reads November of a portal that answers the month so, and lists these months. */
const read = (month: { body: string | Uint8Array; headers?: { [name: string]: string } }, list: string) =>
  readSlot(
    fetchOf(months.delivery),
    (_, { pathname }) => (pathname.endsWith('/getrecordpackagelist') ? { body: list } : month),
    november,
  )

it('reads the archive of a month, without the list', async () => {
  const reading = await read({ body: zip }, 'never asked')
  expect(textsOf(reading)).toEqual(['{"ocid":"ocds-a1b2c3-1"}'])
  expect(reading.requests.map(({ url }) => url)).toEqual([`${address}/2026/11`])
})

it('takes a text for an empty month if the list has other months only', async () => {
  const list = JSON.stringify({ packagesPerMonth: [`${address}/2026/1`, `${address}/2026/10`] })
  const reading = await read(text, list)
  expect(reading.end).toEqual({ kind: 'empty' })
  expect(textsOf(reading)).toEqual([])
})

it.each([
  ['the list has the month', JSON.stringify({ packagesPerMonth: ['http://other.example/getrecordpackage/2026/11'] })],
  ['the list is empty', '{"packagesPerMonth":[]}'],
  ['there is no list', '{"message":"maintenance"}'],
  ['the list is no JSON', 'later'],
])('does not take a text for an empty month if %s', async (_, list) => {
  await expect(read(text, list)).rejects.toThrow('unexpected answer')
})

it('reads an archive that is called a text', async () => {
  const reading = await read({ ...text, body: zip }, '{"packagesPerMonth":[]}')
  expect(textsOf(reading)).toEqual(['{"ocid":"ocds-a1b2c3-1"}'])
})
