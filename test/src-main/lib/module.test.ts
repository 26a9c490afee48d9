import { expect, it } from 'vitest'
import { closeInTurn } from '#main/lib/module.ts'
import { HandClock, settled } from '../reports/clock.ts'

/** Closes what is named: 'hangs' never ends, 'fails' rejects. */
function closing(...names: readonly string[]) {
  const begun: string[] = []
  const failed: unknown[] = []
  const clock = new HandClock('2026-11-20T09:00:00Z')
  const closers = names.map((name) => async () => {
    begun.push(name)
    if (name === 'fails') throw new Error('stuck')
    if (name === 'hangs') await new Promise(() => undefined)
  })
  const ended = closeInTurn(closers, { one: 50, all: 80 }, (error) => failed.push(error), clock)
  return { begun, failed, clock, ended }
}

it('closes one after the other, and lets go of the clock', async () => {
  const { begun, failed, clock, ended } = closing('first', 'second')
  expect(begun).toEqual(['first'])
  await ended
  expect(begun).toEqual(['first', 'second'])
  expect(failed).toEqual([])
  expect(clock.waiting()).toEqual([])
})

it('passes over one that fails, and one that hangs', async () => {
  const { begun, failed, clock, ended } = closing('fails', 'hangs', 'last')
  await settled()
  expect(begun).toEqual(['fails', 'hangs'])
  await clock.move(50)
  await ended
  expect(begun.at(-1)).toBe('last')
  expect(failed).toMatchObject([new Error('stuck'), { failure: { kind: 'timed-out' } }])
})

it('begins what is left when the time of all is up, and waits for it no longer', async () => {
  const { begun, clock, ended } = closing('hangs', 'hangs', 'hangs', 'last')
  await settled()
  await clock.move(50)
  expect(begun).toHaveLength(2)
  await clock.move(30)
  await clock.move(0)
  await clock.move(0)
  await ended
  expect(begun.at(-1)).toBe('last')
})
