import { describe, expect, it } from 'vitest'
import type { StatusSource } from '#renderer/stores/status.ts'
import { statusOf } from '#renderer/stores/status.ts'
import type { Provenance } from '#shared/reports/answer.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { Instant } from '#shared/values/ids.ts'

const now = new Date(2026, 10, 20, 12).getTime()
const at = (hour: number, day = 20) => new Date(2026, 10, day, hour).getTime() as Instant
const time = (instant: number) => new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }).format(instant)
const online = { kind: 'online' } as const
const offline = { kind: 'offline' } as const
const lost: Failure = { kind: 'offline', message: 'Gone.' }

const nothing: StatusSource = { answer: null, failure: null, fetching: false, refreshing: false }
const stored = (fetchedAt: Instant, more: Partial<Provenance> = {}): StatusSource => ({
  ...nothing,
  answer: {
    provenance: {
      from: 'stored',
      fetchedAt,
      refreshing: false,
      failure: null,
      missing: [],
      doubt: null,
      restated: null,
      ...more,
    },
  },
})

describe('the status', () => {
  it('says how old the oldest figures are', () => {
    expect(statusOf(online, [stored(at(9)), stored(at(8))], now).words).toBe(`As of ${time(at(8))}`)
  })

  it('names the date of figures that are not of today', () => {
    const { words } = statusOf(online, [stored(at(9, 18))], now)
    expect(words).toMatch(/^As of /)
    expect(words).toContain('2026')
  })

  it('says that it is offline, and when what is shown was kept', () => {
    expect(statusOf(offline, [stored(at(9))], now)).toMatchObject({
      tone: 'offline',
      words: `Offline. Showing what was kept at ${time(at(9))}`,
    })
  })

  it('believes an answer that could not be renewed, until something is known of the connection', () => {
    const sources = [stored(at(9), { failure: lost })]
    expect(statusOf({ kind: 'unknown' }, sources, now).words).toMatch(/^Offline\. /)
    expect(statusOf(online, sources, now).words).toMatch(/^As of /)
  })

  it('says that nothing is kept', () => {
    expect(statusOf(offline, [{ ...nothing, failure: lost }], now).words).toBe(
      'Offline. Nothing saved for this view yet',
    )
  })

  it('says that a list loads that is there, but empty until the first answer', () => {
    expect(statusOf(online, [{ ...nothing, refreshing: true }], now)).toMatchObject({
      tone: 'busy',
      words: 'Loading…',
    })
  })

  it('says that newer figures are on their way', () => {
    expect(statusOf(online, [{ ...stored(at(9)), refreshing: true }], now).more).toBe('Refreshing…')
  })

  it.each([
    ['refused', 'Token rejected'],
    ['no-token', 'No token'],
    ['proxy-sign-in', 'Waiting for the proxy'],
  ] as const)('is not as calm as usual while the token is %s', (state, more) => {
    const status = statusOf({ kind: state }, [stored(at(9))], now)
    expect(status).toMatchObject({ tone: 'stuck', words: `As of ${time(at(9))}`, more })
  })

  it('says that the service asks for rest and when the next try is, beside the age of what is shown', () => {
    const until = (now + 20_000) as Instant
    const exact = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }).format(until)
    const more = `Service asks for rest · next try at ${exact}`
    const resting = { kind: 'resting', until } as const
    const held = { ...stored(at(9), { failure: { kind: 'resting', message: '' } }), refreshing: true }
    expect(statusOf(resting, [held], now)).toMatchObject({
      tone: 'stuck',
      words: `As of ${time(at(9))}`,
      more,
    })
    const fetching = { ...nothing, fetching: true }
    expect(statusOf(resting, [fetching], now)).toMatchObject({ tone: 'stuck', words: 'Loading…', more })
    expect(statusOf(resting, [], now)).toMatchObject({ tone: 'stuck', words: '', more })
  })

  it('says that it asks, and after a failure that there is nothing', () => {
    expect(statusOf(online, [{ ...nothing, fetching: true }], now).words).toBe('Loading…')
    expect(statusOf(online, [{ ...nothing, failure: { kind: 'malformed', message: '' } }], now).words).toBe(
      'No figures for this view',
    )
  })

  it('is silent where no figures are shown, unless it is offline', () => {
    expect(statusOf(online, [], now).words).toBe('')
    expect(statusOf(offline, [], now).words).toBe('Offline')
  })
})
