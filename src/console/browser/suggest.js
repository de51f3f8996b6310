// Suggestions below a field of codes while somebody types: a combobox with a list, by mouse and by keyboard.
// data-suggest: where they come from. data-then: the button that takes the chosen code; without one the form is sent.

/** @param {HTMLInputElement} input */
function suggestFor(input) {
  const list = document.createElement('ul')
  list.id = `${input.id}-suggestions`
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', input.labels?.[0]?.textContent ?? '')
  list.hidden = true
  input.after(list)
  input.setAttribute('role', 'combobox')
  input.setAttribute('aria-autocomplete', 'list')
  input.setAttribute('aria-controls', list.id)
  input.setAttribute('aria-expanded', 'false')
  let current = -1
  let asked = 0

  const close = () => {
    list.hidden = true
    list.replaceChildren()
    current = -1
    input.setAttribute('aria-expanded', 'false')
    input.removeAttribute('aria-activedescendant')
  }
  /** @param {number} index */
  const mark = (index) => {
    const options = [...list.children]
    current = (index + options.length) % options.length
    for (const [each, option] of options.entries()) option.setAttribute('aria-selected', String(each === current))
    const option = options[current]
    if (!option) return
    input.setAttribute('aria-activedescendant', option.id)
    option.scrollIntoView({ block: 'nearest' })
  }
  /** @param {Element | undefined} option */
  const take = (option) => {
    if (!(option instanceof HTMLElement)) return
    input.value = option.dataset.code ?? ''
    close()
    const button = document.getElementById(input.dataset.then ?? '')
    if (button instanceof HTMLButtonElement) button.click()
    else input.form?.requestSubmit()
  }
  /** @param {{ code: string, label: string, open: number | null }} found @param {number} index */
  const optionOf = (found, index) => {
    const option = document.createElement('li')
    option.id = `${list.id}-${index}`
    option.setAttribute('role', 'option')
    option.setAttribute('aria-selected', 'false')
    option.dataset.code = found.code
    const code = document.createElement('code')
    code.textContent = found.code
    option.append(code, ` ${found.label}`)
    if (found.open !== null) {
      const count = document.createElement('span')
      count.className = 'n'
      count.textContent = found.open.toLocaleString(document.documentElement.lang)
      option.append(count)
    }
    option.addEventListener('mousedown', (event) => {
      event.preventDefault()
      take(option)
    })
    return option
  }
  const ask = async () => {
    const mine = ++asked
    const typed = input.value.trim()
    if (typed.length < 2) return close()
    const answer = await fetch(`${input.dataset.suggest}?q=${encodeURIComponent(typed)}`).catch(() => undefined)
    if (!answer?.ok || mine !== asked) return
    const { codes } = await answer.json()
    if (mine !== asked || document.activeElement !== input) return
    list.replaceChildren(...codes.map(optionOf))
    current = -1
    input.removeAttribute('aria-activedescendant')
    list.hidden = codes.length === 0
    input.setAttribute('aria-expanded', String(codes.length > 0))
  }
  /** @type {number | undefined} */
  let timer
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = window.setTimeout(ask, 120)
  })
  input.addEventListener('blur', () => {
    asked++
    close()
  })
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (list.hidden) return
      event.preventDefault()
      mark(event.key === 'ArrowDown' ? current + 1 : current < 0 ? -1 : current - 1)
    } else if (event.key === 'Enter' && (current >= 0 || input.dataset.then)) {
      // sent by its own button: otherwise Enter would press the first one of the form
      event.preventDefault()
      if (current >= 0) take(list.children[current])
      else document.getElementById(input.dataset.then ?? '')?.click()
    } else if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault()
      close()
    }
  })
}

for (const input of document.querySelectorAll('input[data-suggest]'))
  if (input instanceof HTMLInputElement && input.id) suggestFor(input)
