import { expect, it } from 'vitest'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { firstDataScope, secondDataScope, sessionFor, temporaryFolder } from '../helpers.ts'

const lookAt = (seenAt: number, address = `#/reports/script/browsers?page=${seenAt}`) => ({
  dataScope: firstDataScope,
  address,
  seenAt: seenAt as Instant,
})

it('lists what was looked at, the latest first, each once, and fifty of a data scope at most', () => {
  const { run } = sessionFor(temporaryFolder())
  const other = { ...lookAt(7), dataScope: secondDataScope }
  run('looks/put', other)
  for (let time = 1; time <= 60; time += 1) run('looks/put', lookAt(time))
  run('looks/put', lookAt(100, lookAt(20).address))
  const listed = run('looks/list', undefined)
  expect(listed).toHaveLength(51)
  expect(listed[0]).toEqual(lookAt(100, lookAt(20).address))
  expect(listed[1]).toEqual(lookAt(60))
  expect(listed).toContainEqual(other)
})

it('forgets a look that is done, unless there was another since, and those of a data scope or of all', () => {
  const { run } = sessionFor(temporaryFolder())
  const [first, again] = [lookAt(1, '#/overview'), lookAt(2, '#/overview')]
  run('looks/put', first)
  run('looks/put', again)
  run('looks/remove', first)
  expect(run('looks/list', undefined)).toEqual([again])
  const other = { ...lookAt(3), dataScope: secondDataScope }
  run('looks/put', other)
  run('looks/forget', firstDataScope)
  expect(run('looks/list', undefined)).toEqual([other])
  run('looks/forget-all', undefined)
  expect(run('looks/list', undefined)).toEqual([])
})

it('counts requests by data scope and day, and remembers the last day', () => {
  const { run } = sessionFor(temporaryFolder())
  const [dataScope, first, next] = [firstDataScope, day('2026-11-20'), day('2026-11-21')]
  expect(run('looks/count-requests', { dataScope, day: first, requests: 3 })).toBe(3)
  expect(run('looks/count-requests', { dataScope, day: first, requests: 4 })).toBe(7)
  expect(run('looks/requests', { dataScope: secondDataScope, day: first })).toBe(0)
  expect(run('looks/count-requests', { dataScope, day: next, requests: 1 })).toBe(1)
  expect(run('looks/requests', { dataScope, day: first })).toBe(0)
})
