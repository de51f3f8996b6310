// Script that every page needs: copying a secret or an example.
for (const button of document.querySelectorAll('button[data-copy]'))
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.getAttribute('data-copy') ?? '')
    await navigator.clipboard.writeText(source?.textContent ?? '')
    button.textContent = button.getAttribute('data-copied') ?? '✓'
  })
