// Proves C135: the page at /access holds an anchor for every problem type, and loads nothing from elsewhere.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { startApi } from '../../test/api-world.ts'
import { listParameters } from './parameters/parameters.ts'
import { problemKinds, problemSlugs } from './problems/problems.ts'

test('C135: every problem type leads to an anchor with cause, fix, retry and an example', async () => {
  await using world = await startApi()
  const html = await (await fetch(`${world.origin}/access`)).text()
  for (const slug of problemSlugs) {
    expect(html.split(`id="error-${slug}"`).length).toBe(2)
    const article = html.slice(html.indexOf(`id="error-${slug}"`)).split('</article>')[0]!
    expect(article).toContain(problemKinds[slug].title)
    for (const part of ['Cause', 'What to do', 'Retry helps?', `access#error-${slug}`]) expect(article).toContain(part)
  }
  for (const { name } of listParameters) expect(html).toContain(`<code>${name}</code>`)
})

test('loads nothing, runs nothing, and its policy allows exactly its own style', async () => {
  await using world = await startApi()
  const response = await fetch(`${world.origin}/access`)
  const html = await response.text()
  expect(html).not.toMatch(/<script|<link rel="stylesheet"|src=|@import|url\(| on[a-z]+="/i)
  const style = /<style>([\s\S]*)<\/style>/.exec(html)![1]!
  const policy = response.headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`)
  expect(html).not.toMatch(/ style="/)
})

test('is accessible: a language, a title, one first heading, landmarks, a way past the menu', async () => {
  await using world = await startApi()
  const html = await (await fetch(`${world.origin}/access`)).text()
  expect(html).toMatch(/<html lang="en">/)
  expect(html).toMatch(/<title>[^<]+<\/title>/)
  expect(html).toContain('name="viewport"')
  expect(html.match(/<h1/g) ?? [], 'headings of the access page').toHaveLength(1)
  for (const part of ['<header', '<nav aria-label', '<main id="main"', 'class="skip" href="#main"'])
    expect(html).toContain(part)
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target)
})

test('an address with characters of HTML cannot break out of the text', async () => {
  await using world = await startApi({ docs: 'https://docs.example/"><b>' })
  expect(await (await fetch(`${world.origin}/access`)).text()).not.toContain('"><b>')
})
