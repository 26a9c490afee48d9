import { describe, expect, it } from 'vitest'
import type { TimeOfDay } from '#shared/app/settings.ts'
import { instantOf } from '#shared/values/ids.ts'
import { dueAt, isQuiet, nextTimeOfDay } from '#main/watch/findings/telling-times.ts'

const time = (text: string) => text as TimeOfDay
/** By the computer's clock, in whatever zone. */
const at = (text: string) => new Date(`2026-11-${text}:00`).getTime()

describe('a time of day', () => {
  it('comes today, or tomorrow once it is over', () => {
    expect(nextTimeOfDay(at('20T07:00'), time('08:00'))).toBe(at('20T08:00'))
    expect(nextTimeOfDay(at('20T08:00'), time('08:00'))).toBe(at('20T08:00'))
    expect(nextTimeOfDay(at('20T08:01'), time('08:00'))).toBe(at('21T08:00'))
    expect(nextTimeOfDay(at('20T08:01'), time('00:00'))).toBe(at('21T00:00'))
  })
})

describe('quiet hours', () => {
  it.each([
    ['20T21:59', '22:00', '07:00', false],
    ['20T22:00', '22:00', '07:00', true],
    ['21T00:00', '22:00', '07:00', true],
    ['21T06:59', '22:00', '07:00', true],
    ['21T07:00', '22:00', '07:00', false],
    ['20T12:59', '12:00', '13:00', true],
    ['20T13:00', '12:00', '13:00', false],
    ['20T12:00', '12:00', '12:00', false],
    ['20T23:59', '22:00', '00:00', true],
    ['20T00:00', '22:00', '00:00', false],
  ])('at %s, from %s to %s: %s', (now, from, to, expected) => {
    expect(isQuiet(at(now), { from: time(from), to: time(to) })).toBe(expected)
  })

  it('are none without any', () => {
    expect(isQuiet(at('20T03:00'), null)).toBe(false)
  })
})

describe('a finding', () => {
  const now = at('20T12:00')
  it.each([
    ['at-once', '20T09:00', '20T12:00'],
    ['morning', '20T09:00', '21T08:00'],
    ['morning', '20T07:00', '20T08:00'],
    // The clock was ahead when it was found.
    ['morning', '29T09:00', '20T12:00'],
  ] as const)('to be told %s, waiting from %s, is due at %s', (telling, from, due) => {
    expect(dueAt({ telling, waitsFrom: instantOf(at(from)) }, now, time('08:00'))).toBe(at(due))
  })
})
