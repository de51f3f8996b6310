import { expect, test } from 'vitest'
import { scriptedPortal, scriptedSource } from '../../test/scripted-source.ts'
import type { Delivery } from '../sources/delivery.ts'
import { loadSources } from '../sources/registry.ts'
import type { Channel, Source } from '../sources/source.ts'
import { hostGroups } from './host-groups.ts'

function sourceAt(id: string, ...urls: string[]): Source {
  const base = scriptedSource(scriptedPortal(), { id })
  const channels = urls.map((url, index): Channel => {
    const delivery: Delivery = { kind: 'single', request: { url }, entries: { format: 'json', at: '' } }
    return { name: `c${index}`, slots: { kind: 'whole' }, delivery }
  })
  return { ...base, channels: channels as [Channel, ...Channel[]] }
}

test('sources that name a common host, directly or through others, alternate; the rest are independent', () => {
  const sources = [
    sourceAt('a', 'https://one.example/x?d={from:iso}', 'https://two.example:8443/y'),
    sourceAt('b', 'https://TWO.example:8443/z'),
    sourceAt('c', 'https://three.example/'),
    sourceAt('d', 'https://four.example', 'https://three.example/{page}'),
    sourceAt('e', '{id}'),
    scriptedSource(scriptedPortal(), { id: 'f' }),
  ]
  const groups = hostGroups(sources)
  expect(groups.get('a')).toBe(groups.get('b'))
  expect(groups.get('c')).toBe(groups.get('d'))
  expect(new Set(groups.values()).size).toBe(4)
  expect(hostGroups([...sources].reverse())).toEqual(new Map([...groups].reverse()))
})

test('addresses in details, indexes and lists of values count', () => {
  const detail = { request: { url: 'https://details.example/{id}' }, id: '/id' }
  const list = sourceAt('list', 'https://list.example/')
  const [channel] = list.channels
  const withDetail: Source = {
    ...list,
    channels: [{ ...channel, delivery: { ...channel.delivery, detail } as Delivery }],
  }
  const index: Delivery = {
    kind: 'index',
    index: { url: 'https://index.example/' },
    entries: { format: 'json', at: '' },
    each: { name: 'id', list: { url: 'https://details.example/ids' }, entries: { format: 'json', at: '' }, at: '' },
  }
  const other: Source = { ...list, id: 'other', channels: [{ ...channel, delivery: index }] }
  const groups = hostGroups([withDetail, other])
  expect(groups.get('list')).toBe(groups.get('other'))
})

test('no group of the real sources is so large that it takes a day', async () => {
  const sources = await loadSources()
  const sizes = new Map<string, number>()
  for (const group of hostGroups(sources.values()).values()) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  console.log(
    `largest groups: ${[...sizes]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 5)
      .map(([name, size]) => `${name} ${size}`)
      .join(', ')}`,
  )
  expect(Math.max(...sizes.values())).toBeLessThan(60)
})
