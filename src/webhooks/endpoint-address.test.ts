// Every form in which an address may hide that it leads into a private network is refused when an endpoint is saved.
import { describe, expect, test } from 'vitest'
import { checkEndpointName, parseEndpointAddress } from './endpoint-address.ts'

const live = { allowsLoopback: false }
const trial = { allowsLoopback: true }

/** Hosts that are, or may be, in a private network, each with the reason why it is refused. */
export const forbiddenHosts = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '0x7f.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '0x0',
  '10.0.0.1',
  '10.255.255.255',
  '167772161',
  '012.0.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0xa9.0xfe.0xa9.0xfe',
  '0251.0376.0251.0376',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.1',
  '3232235521',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a00:1]',
  '[64:ff9b:1::1]',
  '[100::1]',
  '[2001::1]',
  '[2001:db8::1]',
  '[2002:7f00:1::]',
  '[2002:a00:1::]',
  '[3fff::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'app.localhost',
  'metadata',
  'intranet',
  'postgres',
] as const

describe('addresses of webhooks', () => {
  test.each(forbiddenHosts)('https://%s is refused', (host) => {
    expect(() => parseEndpointAddress(`https://${host}/hook`, live)).toThrow(/^The webhook address /)
  })

  test.each([
    ['http://hooks.example.org/', /is not https/],
    ['ftp://hooks.example.org/', /is not a usable URL/],
    ['file:///etc/passwd', /is not a usable URL/],
    ['javascript:alert(1)', /is not a usable URL/],
    ['hooks.example.org', /is not a usable URL/],
    ['https://', /is not a usable URL/],
    ['https://user@hooks.example.org/', /user name or password/],
    ['https://user:secret@hooks.example.org/', /user name or password/],
    ['https://hooks.example.org/#part', /fragment/],
    ['https://hooks.example.org:22/', /port 22/],
    ['https://hooks.example.org:6379/', /port 6379/],
    [`https://hooks.example.org/${'a'.repeat(2000)}`, /2000 characters/],
    ['https://[fe80::1%25eth0]/', /is not a usable URL/],
  ])('%s is refused', (address, why) => {
    expect(() => parseEndpointAddress(address, live)).toThrow(why)
    expect(() => parseEndpointAddress(address, trial)).toThrow(why)
  })

  test('a refusal never repeats a password', () => {
    expect(() => parseEndpointAddress('https://user:secret@hooks.example.org/', live)).not.toThrow(/secret/)
  })

  test.each([
    ['https://hooks.example.org/a?b=c', 'https://hooks.example.org/a?b=c'],
    ['HTTPS://Hooks.Example.org:443', 'https://hooks.example.org/'],
    ['https://hooks.example.org:8443/x', 'https://hooks.example.org:8443/x'],
    ['https://müller.de/x', 'https://xn--mller-kva.de/x'],
    ['https://[2a00:1450:4001::1]/', 'https://[2a00:1450:4001::1]/'],
    ['https://93.184.215.14/', 'https://93.184.215.14/'],
  ])('%s is accepted', (address, url) => {
    expect(parseEndpointAddress(address, live)).toEqual({ url, network: 'public' })
  })

  test('receivers on this machine are allowed in trials only', () => {
    for (const address of ['http://127.0.0.1:9000/', 'http://localhost:9000/', 'https://127.1/', 'http://[::1]:9000/'])
      expect(parseEndpointAddress(address, trial)).toMatchObject({ network: 'loopback' })
    expect(() => parseEndpointAddress('http://10.0.0.1/', trial)).toThrow(/not https/)
  })

  test('a name that resolves to a private address is refused; an unknown name is accepted', async () => {
    const address = parseEndpointAddress('https://hooks.example.org/', live)
    await expect(checkEndpointName(address, async () => ['93.184.215.14', '10.0.0.1'])).rejects.toThrow(
      /hooks.example.org/,
    )
    await checkEndpointName(address, async () => ['93.184.215.14'])
    await checkEndpointName(address, () => Promise.reject(new Error('ENOTFOUND')))
  })

  test.each([
    ...[
      'hooks.acme.test',
      'hooks.acme.example',
      'acme.invalid',
      'nas.local',
      'nas.local.',
      'NAS.LOCAL',
      'x.localdomain',
    ],
    ...['api.internal', 'metadata.google.internal', 'nas.lan', 'mail.corp', 'nas.home', 'nas.home.arpa', 'x.intranet'],
    ...['x.private', 'x.mail', 'abcdefgh.onion', 'x.alt', '1.0.0.10.in-addr.arpa'],
    ...['hooks..acme.com', '.acme.com', 'hooks.acme.c0m', 'hooks.acme.c', 'a*b.acme.com', 'a!b.acme.com', '-.acme.com'],
    ...[`${'a'.repeat(64)}.com`, `${'abcdefgh.'.repeat(28)}com`, `${'a.'.repeat(125)}coma`],
  ])('%s can never be reached, and nobody is asked for it', async (host) => {
    const asked: string[] = []
    const check = async () =>
      checkEndpointName(parseEndpointAddress(`https://${host}/hook`, live), async (name) => {
        asked.push(name)
        return []
      })
    await expect(check()).rejects.toThrow(
      /^The webhook address (?:can never be reached|has a name without a domain|is not)/,
    )
    expect(asked).toEqual([])
  })

  test.each([
    ...['hooks.example.org', 'hooks.acme.com.', 'hook_1.acme.com', 'a-b.acme.co.uk', 'test.acme.com', 'local.acme.com'],
    ...['internal.acme.io', 'müller.de', '例え.みんな', `${'a'.repeat(63)}.com`, '1.acme.com'],
    `${'a.'.repeat(125)}com`,
  ])('%s may be reached', async (host) => {
    const asked: string[] = []
    await checkEndpointName(parseEndpointAddress(`https://${host}/hook`, live), async (name) => {
      asked.push(name)
      return []
    })
    expect(asked).toHaveLength(1)
  })
})
