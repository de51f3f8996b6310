// From the link of an invitation to the first hits, by keyboard: three questions, each on its screen.
import type { Browser } from 'playwright-core'
import { expect } from 'vitest'
import type { ConsoleWorld } from './console-world.ts'
import { type CountedTask, openTask } from './counted-task.ts'
import { fieldsOf } from './plain-form.ts'

/** What somebody does, and where; `name`: of an organization that is made for them. */
type Invited = {
  readonly name: string
  readonly language: 'en' | 'de'
  readonly width: number
  readonly what: string
  readonly where: string
}

/** Returns the window with at least five hits, and the path of the organization. */
export async function invitedToHits(
  world: ConsoleWorld,
  browser: Browser,
  { name, language, width, what, where }: Invited,
): Promise<CountedTask & { readonly at: string }> {
  const organization = await world.organization(name, true)
  const owner = await world.person(`owner.${language}${width}@example.org`, { memberOf: [[organization, 'owner']] })
  const at = `/o/${organization}`
  const people = `${at}/people`
  const invite = fieldsOf(await (await world.get(people, owner.cookie)).text(), `${people}/invite`)
  const sent = { ...invite, mail: `new.${language}${width}@example.org`, role: 'member' }
  const answer = await (await world.post(`${people}/invite`, sent, owner.cookie)).text()
  const link = /<code id="link"[^>]*>([^<]+)</.exec(answer)![1]!
  const task = await openTask(browser, { origin: world.origin, language, width })
  const { page, counts, entry, look, reach } = task
  await page.goto(link)
  await reach('form[action^="/invitation/"] button')
  await entry(() => Promise.all([page.waitForURL('**/start'), page.keyboard.press('Enter')]))
  await look('start-1')
  const before = counts.screens
  await reach('[name=what]')
  await entry(() => page.keyboard.type(what))
  await entry(() => Promise.all([page.waitForURL('**step=2**'), page.keyboard.press('Enter')]))
  await look('start-2')
  await reach('[name=place]')
  await entry(() => page.keyboard.type(where))
  await entry(() => Promise.all([page.waitForURL('**step=3**'), page.keyboard.press('Enter')]))
  await look('start-3')
  await reach('form[method=post][action$="/start"] button')
  await entry(() => Promise.all([page.waitForURL('**/hits'), page.keyboard.press('Enter')]))
  expect(await page.locator('main a[href*="/hits/"], main a[href^="/tenders/"]').count()).toBeGreaterThanOrEqual(5)
  expect(counts.screens - before).toBeLessThanOrEqual(3)
  expect(counts.entries).toBeLessThanOrEqual(6)
  await look('start-hits')
  task.tell('from an invitation to five hits')
  expect(task.complaints).toEqual([])
  return { ...task, at }
}
