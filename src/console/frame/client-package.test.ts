// Commands that run what the service hands out, and where they are not shown.
import { expect, test } from 'vitest'
import { assistantCommand, assistantSettings, copyCommand, isSafeToRun } from './client-package.ts'

test('the command names the address with its version, and no token', () => {
  const command = copyCommand(
    { origin: 'https://t.example', api: 'https://api.t.example' },
    'tenderstock-client-9.9.9.tgz',
  )
  expect(command).toBe(
    'npx --yes --package=https://t.example/client/tenderstock-client-9.9.9.tgz \\\n' +
      '  tender-sync run --url https://api.t.example --sink sqlite:tenders.db',
  )
})

test('an assistant gets the address of the reader, by both ways and without a token', () => {
  expect(JSON.parse(assistantSettings('https://api.t.example'))).toEqual({
    mcpServers: {
      tenderstock: { type: 'http', url: 'https://api.t.example/mcp', headers: { Authorization: 'Bearer …' } },
    },
  })
  expect(assistantCommand({ origin: 'https://t.example', api: 'https://api.t.example' }, 'c.tgz')).toBe(
    'npx --yes --package=https://t.example/client/c.tgz \\\n  tender-sync mcp --url https://api.t.example',
  )
})

test.each([
  ['https://t.example', true],
  ['http://localhost:8081', true],
  ['http://127.0.0.1:8081', true],
  ['http://[::1]:8081', true],
  ['http://t.example', false],
  ['http://localhost.t.example', false],
])('from %s it is shown: %s', (origin, isShown) => {
  expect(isSafeToRun(origin)).toBe(isShown)
})
