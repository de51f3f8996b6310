// What a page of Chromium loads.
import type { Page } from 'playwright-core'

/** Counts the bytes that come over the wire from now on, compressed and with their headers. */
export async function countWireBytes(page: Page): Promise<() => number> {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Network.enable')
  let bytes = 0
  debug.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  return () => bytes
}
