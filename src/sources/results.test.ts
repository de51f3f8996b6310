import { describe, expect, it } from 'vitest'
import { sumOfMoney } from '../domain/money.ts'
import { distinctOrganizations, mergeResults } from './results.ts'

const euros = (value: number) => ({ value, currency: 'EUR' })

describe('results of one lot', () => {
  it('sum values only when every contract has one, of one currency', () => {
    expect(
      mergeResults([
        { outcome: 'awarded', awardedValue: euros(10.1) },
        { outcome: 'awarded', awardedValue: euros(20.2) },
      ]).awardedValue,
    ).toEqual(euros(30.3))
    expect(
      mergeResults([{ outcome: 'awarded', awardedValue: euros(10) }, { outcome: 'awarded' }]).awardedValue,
    ).toBeUndefined()
    const of = (name: string) => ({ outcome: 'awarded' as const, awardedValue: euros(10), winners: [{ name }] })
    expect(mergeResults([of('A Ltd'), of('B Ltd')]).awardedValue).toEqual(euros(10))
    expect(mergeResults([of('A Ltd'), of('a ltd')]).awardedValue).toEqual(euros(20))
    expect(sumOfMoney([euros(10), { value: 5, currency: 'PLN' }])).toBeUndefined()
  })
  it('are awarded when one is, failed when one failed and none was awarded, else pending', () => {
    expect(mergeResults([{ outcome: 'not-awarded' }, { outcome: 'awarded' }]).outcome).toBe('awarded')
    expect(mergeResults([{ outcome: 'pending' }, { outcome: 'not-awarded', reason: 'no-rece' }])).toEqual({
      outcome: 'not-awarded',
      reason: 'no-rece',
    })
    expect(mergeResults([{ outcome: 'pending' }])).toEqual({ outcome: 'pending' })
  })
  it('name each winner once', () => {
    expect(
      distinctOrganizations([{ name: 'A Ltd' }, undefined, { name: 'a ltd' }, { name: 'A Ltd', nationalId: '1' }]),
    ).toEqual([{ name: 'A Ltd' }, { name: 'A Ltd', nationalId: '1' }])
  })
})
