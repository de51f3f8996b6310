import { expect, test } from 'vitest'
import { serverAddresses, shownAddress, withOptions } from './server-addresses.ts'

test('several servers are listed as in libpq; each address keeps user, name and options', () => {
  expect(serverAddresses('postgres://u:p%40@a:5,b,[::1]:7/d?sslmode=disable')).toEqual({
    urls: ['a:5', 'b', '[::1]:7'].map((host) => `postgres://u:p%40@${host}/d?sslmode=disable`),
    wanted: 'read-write',
  })
  expect(serverAddresses('postgresql://a/d')).toEqual({ urls: ['postgresql://a/d'], wanted: 'any' })
  const one = serverAddresses('postgres://u@a:5/d?target_session_attrs=primary')
  expect(one).toEqual({ urls: ['postgres://u@a:5/d'], wanted: 'read-write' })
  expect(shownAddress('postgres://u:secret@a:5,b:6/d')).toBe('a:5,b:6/d')
})

test('options are added to those that an address has', () => {
  expect(withOptions('postgres://u:p%40@a:5,b/d', '-c x=y')).toBe('postgres://u:p%40@a:5,b/d?options=-c%20x%3Dy')
  const url = withOptions('postgres://a/d?sslmode=disable&options=-c%20one%3D1', '-c two=2')
  expect(new URL(url).searchParams.get('options')).toBe('-c one=1 -c two=2')
  expect(new URL(url).searchParams.get('sslmode')).toBe('disable')
})

test('an unusable address is refused, and the error does not show its password', () => {
  for (const url of ['mysql://u:secret@b/c', 'stock', 'postgres://u:secret@a:5,b:x/d'])
    expect(() => serverAddresses(url)).toThrow(/^DATABASE_URL is not of the form (?!.*secret)/)
  expect(() => serverAddresses('postgres://a/d?target_session_attrs=standby')).toThrow(/target_session_attrs=standby/)
})
