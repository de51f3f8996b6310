// Script that every page needs: copying a secret or an example, sending a form once, and whether single keys decide.
for (const button of document.querySelectorAll('button[data-copy]'))
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.getAttribute('data-copy') ?? '')
    await navigator.clipboard.writeText(source?.textContent ?? '')
    button.textContent = button.getAttribute('data-copied') ?? '✓'
  })

// The answer to a second click would replace the first one, which alone shows a secret. A page that somebody returns to,
// or whose answer never came, may send again.
const patienceMs = 15_000
/** @type {WeakMap<EventTarget, number>} */
const sentAt = new WeakMap()
document.addEventListener('submit', (event) => {
  const form = event.target
  if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== 'post') return
  const sent = sentAt.get(form)
  if (sent !== undefined && event.timeStamp - sent < patienceMs) event.preventDefault()
  else sentAt.set(form, event.timeStamp)
})
// The zone of the browser is the usual one for mails.
const zone = document.querySelector('[data-zone] input')
if (zone instanceof HTMLInputElement) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone

addEventListener('pageshow', () => {
  for (const form of document.forms) sentAt.delete(form)
})

// Whoever speaks to the browser, or presses a key by mistake, turns single keys off here; `data-keys` tells other scripts.
const root = document.documentElement
try {
  root.dataset.keys = localStorage.getItem('keys') ?? 'on'
  for (const input of document.querySelectorAll('input[data-keys]'))
    if (input instanceof HTMLInputElement) {
      input.checked = root.dataset.keys === 'on'
      input.closest('label')?.removeAttribute('hidden')
      input.addEventListener('change', () => {
        root.dataset.keys = input.checked ? 'on' : 'off'
        localStorage.setItem('keys', root.dataset.keys)
      })
    }
} catch {
  // a browser that keeps nothing
}
