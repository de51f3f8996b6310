import { expect, test } from 'vitest'
import { html } from './html.ts'

test('a line break with an indent is only for who reads the code', () => {
  const items = ['a', '<b>'].map((each) => html`<li>${each}</li>`)
  expect(
    html`<ul class="list"
      id="${'x'}"
      hidden>
      ${items}
      ${false}
      <li>
        one, two
        three
      </li>
    </ul>`.text,
  ).toBe('<ul class="list" id="x" hidden><li>a</li><li>&lt;b&gt;</li><li>one, two three</li></ul>')
})

test('spaces in a line and line breaks without an indent are written', () => {
  expect(html`<p>${'a'} <b>b</b> ${'c'}</p>\n<p>d</p>`.text).toBe('<p>a <b>b</b> c</p>\n<p>d</p>')
  expect(
    html`<p>
a</p>
<p>b
</p>`.text,
  ).toBe('<p>\na</p>\n<p>b</p>')
})
