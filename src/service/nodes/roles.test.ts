// Which roles a process may have, and what is wrong with those that it may not.
import { describe, expect, test } from 'vitest'
import { OperatorError } from '../../platform/errors.ts'
import { allRoles, parseRoles, roundRolesOf } from './roles.ts'

const divided = { hasServer: true, hasConsoleUrl: false }
const refusal = (values: readonly string[], known = divided): string => {
  try {
    return `accepted: ${[...parseRoles(values, known)].join(' ')}`
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError)
    expect((error as OperatorError).exitCode).toBe(2)
    return (error as Error).message
  }
}

describe('--role', () => {
  test('takes words and lists with commas, each role once', () => {
    expect([...parseRoles(['ingest,consolidate', 'publish', 'ingest'], divided)]).toEqual([
      'ingest',
      'consolidate',
      'publish',
    ])
    const every = parseRoles(['mail', 'console', 'deliver,hits,serve,publish,consolidate,ingest'], divided)
    expect(every).toBe(allRoles)
    expect(roundRolesOf(every)).toEqual(['ingest', 'consolidate', 'publish'])
    expect(roundRolesOf(parseRoles(['hits'], divided))).toEqual([])
  })

  test('refuses words that are no role, and suggests one', () => {
    expect(refusal(['servr'])).toMatch(
      /^--role must name some of ingest, .*, mail, not "servr"\. Did you mean serve\?$/,
    )
    expect(refusal([','])).toMatch(/not ""\.$/)
  })

  test('refuses a part without a database server, but not everything', () => {
    const embedded = { hasServer: false, hasConsoleUrl: false }
    expect(refusal(['serve'], embedded)).toMatch(/set DATABASE_URL/)
    expect(parseRoles([[...allRoles].join()], embedded)).toBe(allRoles)
  })

  test('refuses a console without an API, and mails whose links lead nowhere', () => {
    expect(refusal(['console'])).toMatch(/pass --role serve as well/)
    expect(refusal(['serve', 'console'])).toBe('accepted: serve console')
    expect(refusal(['mail'])).toMatch(/set TENDERSTOCK_CONSOLE_URL/)
    expect(refusal(['mail'], { ...divided, hasConsoleUrl: true })).toBe('accepted: mail')
    expect(refusal(['mail,console,serve'])).toBe('accepted: mail console serve')
  })
})
