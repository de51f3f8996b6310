// Reads bodies of answers up to a limit: a server that never ends must not fill the memory.

/** Most bytes of an answer, unpacked. A page of 100 of the largest records has a few MiB. */
const mostAnswerBytes = 64 * 2 ** 20

/** The body as text. Rejects with a RangeError, and stops reading, as soon as it is longer than `mostBytes`. */
export async function readText(response: Response, mostBytes = mostAnswerBytes): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > mostBytes) {
      await reader.cancel().catch(() => {})
      throw new RangeError(`The answer is longer than ${mostBytes / 2 ** 20} MiB.`)
    }
    text += decoder.decode(value, { stream: true })
  }
}
