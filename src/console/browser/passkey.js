// Passkeys: adding one, and signing in with one, by its button or from the list below the mail field.

/** @type {HTMLFormElement | null} */
const form = document.querySelector('form[data-passkey]')

/**
 * Puts what the browser made into the form and sends it.
 * @param {HTMLFormElement} filled
 * @param {Credential | null} credential
 */
function send(filled, credential) {
  const input = filled.elements.namedItem('credential')
  if (!(credential instanceof PublicKeyCredential) || !(input instanceof HTMLInputElement)) return
  input.value = JSON.stringify(credential.toJSON())
  filled.submit()
}

/** @param {HTMLFormElement} shown */
function add(shown) {
  shown.addEventListener('submit', async (event) => {
    event.preventDefault()
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(shown.dataset['options'] ?? ''))
    // the person cancelled: the form is still there
    send(shown, await navigator.credentials.create({ publicKey }).catch(() => null))
  })
}

/** @param {HTMLFormElement} shown */
async function signIn(shown) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(shown.dataset['options'] ?? ''))
  const waiting = new AbortController()
  shown.addEventListener('submit', async (event) => {
    event.preventDefault()
    // only one request can be open
    waiting.abort()
    send(shown, await navigator.credentials.get({ publicKey }).catch(() => null))
  })
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
  const { signal } = waiting
  send(shown, await navigator.credentials.get({ publicKey, mediation: 'conditional', signal }).catch(() => null))
}

if (form && typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential) {
  form.parentElement?.removeAttribute('hidden')
  if (form.dataset['passkey'] === 'add') add(form)
  else void signIn(form)
}
