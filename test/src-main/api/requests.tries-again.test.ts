import { describe, expect, it } from 'vitest'
import { isPassingStatus, waitBeforeNext } from '#main/api/requests.ts'

const now = Date.UTC(2026, 10, 20, 12)
const wait = (tries: number, retryAfter?: string, random = 0) =>
  waitBeforeNext(tries, retryAfter, now, () => random)

describe('the pause before the next try', () => {
  it('doubles, and differs by half of itself', () => {
    expect([wait(1), wait(2)]).toEqual([200, 400])
    expect([wait(1, undefined, 1), wait(2, undefined, 1)]).toEqual([400, 800])
  })

  it('ends after three tries', () => {
    expect(wait(3)).toBeUndefined()
  })

  it.each([
    ['2', 2200],
    [' 2 ', 2200],
    ['0', 200],
    [new Date(now + 5000).toUTCString(), 5200],
    [new Date(now - 5000).toUTCString(), 200],
    ['soon', 200],
    ['-3', 200],
    ['', 200],
  ])('heeds Retry-After: %s', (retryAfter, expected) => {
    expect(wait(1, retryAfter)).toBe(expected)
  })

  it.each([['31'], ['99999999999999999999'], [new Date(now + 3_600_000).toUTCString()]])(
    'is no pause at all where the service asks for too long: %s',
    (retryAfter) => {
      expect(wait(1, retryAfter)).toBeUndefined()
    },
  )
})

describe('passing trouble', () => {
  it('is 429, 500 and what gateways answer', () => {
    const statuses = Array.from({ length: 500 }, (_, index) => index + 100)
    expect(statuses.filter(isPassingStatus)).toEqual([429, 500, 502, 503, 504])
  })
})
