// Keys of the page that compares two records: m merges, s splits, j goes to the next pair, k to the one before.
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return
  const { target } = event
  if (target instanceof Element && target.closest('input, textarea, select, [contenteditable]')) return
  if (!/^[msjk]$/.test(event.key)) return
  const control = document.querySelector(`[data-key="${event.key}"]`)
  if (!(control instanceof HTMLElement)) return
  event.preventDefault()
  control.click()
})
