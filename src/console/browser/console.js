// Script that every page needs: copying a secret or an example, and sending a form once.
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
addEventListener('pageshow', () => {
  for (const form of document.forms) sentAt.delete(form)
})
