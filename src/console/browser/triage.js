// Decides about hits without a reload: each button and key marks one hit, its row says so and can undo it, and the
// focus goes on to the next one. Without this script every button is a form.
const list = document.querySelector('ul.hits')
const hitsForm = list?.closest('form')
const said = document.getElementById('decided')
/** Decisions that can be undone, the last one at the end. @type {HTMLElement[]} */
const decided = []
/** Rows whose decision is under way, and what was decided about them meanwhile: an undo never overtakes its decision. */
const underWay = new Set()
/** @type {Map<HTMLElement, [state: string, back: () => void]>} */
const wishes = new Map()

/** @returns {HTMLElement[]} */
const rowsOf = () => (list ? /** @type {HTMLElement[]} */ ([...list.children]) : [])
/** @param {HTMLElement} row */
const isOpen = (row) => row.dataset.was === undefined
/** @param {HTMLElement} row */
const titleOf = (row) => /** @type {HTMLElement | null} */ (row.querySelector('h3 a'))
/** @param {string} state */
const wordOf = (state) => /** @type {HTMLElement} */ (list).dataset[state] ?? state
/** @param {string} text */
const say = (text) => {
  if (said) said.textContent = text
}

/** The counts of the tabs, as long as they are exact. @param {string} state @param {number} change */
function count(state, change) {
  const shown = document.querySelector(`[data-count="${state}"]`)
  if (shown && /^\d+$/.test(shown.textContent ?? '')) shown.textContent = String(Number(shown.textContent) + change)
}

/** @param {HTMLElement} row @param {string} state */
const bodyOf = (row, state) => new URLSearchParams({ do: `${state} ${row.dataset.hit}`, answer: 'none' })
const actionOf = () => /** @type {HTMLFormElement} */ (hitsForm).action

/** Tells the service, even if somebody leaves the page meanwhile. @param {HTMLElement} row @param {string} state @param {() => void} back */
async function send(row, state, back) {
  if (underWay.has(row)) return void wishes.set(row, [state, back])
  underWay.add(row)
  const how = /** @type {const} */ ({ method: 'POST', body: bodyOf(row, state), keepalive: true, redirect: 'manual' })
  const answer = await fetch(actionOf(), how).catch(() => null)
  underWay.delete(row)
  const wish = wishes.get(row)
  wishes.delete(row)
  if (wish) return send(row, ...wish)
  if (answer?.status === 204) return
  // whoever was signed out signs in first
  if (answer?.type === 'opaqueredirect') return location.reload()
  back()
  say(wordOf('failed'))
  const note = document.createElement('p')
  note.className = 'why'
  note.textContent = wordOf('failed')
  row.append(note)
}
addEventListener('pagehide', () => {
  for (const [row, [state]] of wishes) navigator.sendBeacon(actionOf(), bodyOf(row, state))
})

/** @param {HTMLElement} row @param {boolean} isByHand by mouse or thumb, which scroll themselves */
function focusAfter(row, isByHand, selector = 'h3 a') {
  const rows = rowsOf()
  const at = rows.indexOf(row)
  const next = [...rows.slice(at + 1), ...rows.slice(0, at).reverse()].find(isOpen)
  const target = next
    ? next.querySelector(selector)
    : document.querySelector('.pager a[rel="next"], .tabs a[aria-current]')
  if (target instanceof HTMLElement) target.focus({ preventScroll: isByHand })
}

/** @param {HTMLElement} row */
function restore(row) {
  const { was = '', state = '' } = row.dataset
  count(state, -1)
  count(was, 1)
  row.dataset.state = was
  delete row.dataset.was
  row.querySelector('.did')?.remove()
  decided.splice(decided.indexOf(row), 1)
}

/** @param {HTMLElement} row @param {string} state @param {boolean} isByHand @param {string} [selector] */
function decide(row, state, isByHand, selector) {
  const before = row.dataset.state ?? 'new'
  if (!isOpen(row) || before === state) return
  row.querySelector('.why')?.remove()
  row.dataset.was = before
  row.dataset.state = state
  count(before, -1)
  count(state, 1)
  decided.push(row)
  const title = titleOf(row)?.textContent ?? ''
  const line = document.createElement('p')
  line.className = 'did'
  const word = document.createElement('b')
  word.textContent = wordOf(state)
  const name = document.createElement('span')
  name.textContent = title
  const undo = document.createElement('button')
  undo.type = 'button'
  undo.className = 'tiny'
  undo.textContent = wordOf('undo')
  undo.setAttribute('aria-label', `${wordOf('undo')}: ${title}`)
  undo.addEventListener('click', () => takeBack(row))
  line.append(word, name, undo)
  row.append(line)
  say(`${wordOf(state)}: ${title}`)
  focusAfter(row, isByHand, selector)
  void send(row, state, () => restore(row))
}

/** @param {HTMLElement} row */
function takeBack(row) {
  const { was = 'new', state = '' } = row.dataset
  restore(row)
  titleOf(row)?.focus()
  say(`${wordOf(was)}: ${titleOf(row)?.textContent ?? ''}`)
  void send(row, was, () => decide(row, state, true))
}

hitsForm?.addEventListener('submit', (event) => {
  const button = event.submitter
  const row = button?.closest('li')
  // those for the chosen hits stay a form
  if (!(button instanceof HTMLButtonElement) || !row) return
  event.preventDefault()
  const [state = ''] = button.value.split(' ')
  const isByHand = !button.matches(':focus-visible')
  decide(row, state, isByHand, `button[value^="${state} "]`)
})

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
  if (document.documentElement.dataset.keys === 'off') return
  const { target, key } = event
  if (target instanceof Element && target.closest('input:not([type="checkbox"]), textarea, select')) return
  const rows = rowsOf().filter(isOpen)
  const here = target instanceof Element ? target.closest('li[data-hit]') : null
  const at = here instanceof HTMLElement ? rows.indexOf(here) : -1
  const state = { y: 'kept', x: 'dismissed' }[key]
  if (key === '?') /** @type {HTMLElement | null} */ (document.querySelector('[data-key="?"]'))?.click()
  else if (key === 'j') titleOf(rows[Math.min(at + 1, rows.length - 1)] ?? document.body)?.focus()
  else if (key === 'k') titleOf(rows[Math.max(at - 1, 0)] ?? document.body)?.focus()
  else if (key === 'z' && !event.repeat && decided.length > 0) takeBack(/** @type {HTMLElement} */ (decided.at(-1)))
  else if (key === 'z' && !event.repeat)
    /** @type {HTMLElement | null} */ (document.querySelector('[data-key="z"]'))?.click()
  else if (state && !event.repeat && rows.length > 0)
    decide(/** @type {HTMLElement} */ (rows[Math.max(at, 0)]), state, false)
  else return
  event.preventDefault()
})
