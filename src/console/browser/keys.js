// Keys of a page: one presses the button or follows the link that names it, as `m` merges on the page that compares two
// records. And the button that prints, which needs script.
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return
  if (document.documentElement.dataset.keys === 'off') return
  const { target, key } = event
  if (target instanceof Element && target.closest('input, textarea, select')) return
  if (!/^[a-z?]$/.test(key)) return
  const control = document.querySelector(`[data-key="${key}"]`)
  if (!(control instanceof HTMLElement)) return
  event.preventDefault()
  control.click()
})
for (const button of document.querySelectorAll('button[data-print]')) {
  button.removeAttribute('hidden')
  button.addEventListener('click', () => print())
}
