import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { subjectOf } from '#shared/reports/query.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { engineForAll } from '../reports/engine/engine-thread.ts'
import { browsers, faultsOf, oneDay, dataScope, query, TeamShare } from './team-share.ts'

const { engine, history, end } = engineForAll()
afterAll(end)

const number = fc.nat({ max: 9 })
/** Whatever may happen to the saved figures of an account whose history is published. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('keep' as const), number, overview: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('keep some' as const),
      from: number,
      days: fc.integer({ min: 2, max: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('2026-10', '2026-11').map((month) => ({ kind: 'compact' as const, month })),
  },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(
        ...(['rewrite', 'let the oldest go', 'remove', 'lose the catalogue', 'rebuild'] as const),
        ...(['publish', 'publish', 'publish'] as const),
      )
      .map((kind) => ({ kind })),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const newShare = () => {
  const share = mkdtempSync(join(tmpdir(), 'traffic-desk-retained-'))
  onTestFinished(() => rmSync(share, { recursive: true, force: true }))
  return share
}

/** When each published day of a report was fetched, as the manifest says. */
const publishedIn = (desk: TeamShare) =>
  new Map(
    desk
      .manifest()
      .files.flatMap(({ report, days }) => days.map(({ day, fetchedAt }) => [`${report} ${day}`, fetchedAt])),
  )

async function happen(desk: TeamShare, happening: Step, time: number): Promise<TeamShare> {
  switch (happening.kind) {
    case 'keep':
      if (happening.overview) await desk.storeTotals(happening.number, time, time)
      else await desk.keep(query({ range: oneDay(happening.number) }), browsers(time), time)
      return desk
    case 'keep some':
      for (let nth = 0; nth < happening.days; nth += 1)
        await desk.keep(query({ range: oneDay((happening.from + nth) % 10) }), browsers(time), time)
      return desk
    case 'compact':
      await desk.compact(query(), happening.month)
      return desk
    case 'rewrite':
      await desk.history.rewriteReplaced(dataScope)
      return desk
    case 'let the oldest go':
      await desk.history.letOldestGo(6_000, [])
      return desk
    case 'remove':
      await desk.history.forgetDataScope(dataScope)
      return desk
    case 'lose the catalogue':
      return new TeamShare(engine, history, desk.share)
    case 'rebuild':
      await desk.history.rebuild(new AbortController().signal)
      return desk
    case 'publish':
      await desk.publish()
      return desk
  }
}

it('no published day of a report goes, or becomes older, whatever is done here', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 25 }), async (steps) => {
    rmSync(history, { recursive: true, force: true })
    let desk = new TeamShare(engine, history, newShare())
    await desk.publish()
    let before = publishedIn(desk)
    for (const [nth, each] of [...steps, { kind: 'publish' } as const].entries()) {
      desk = await happen(desk, each, 1_000 + nth)
      if (each.kind !== 'publish') continue
      expect(faultsOf(desk.place)).toEqual([])
      const now = publishedIn(desk)
      for (const [name, fetchedAt] of before)
        expect([name, (now.get(name) ?? '') >= fetchedAt]).toEqual([name, true])
      expect(desk.files()).toEqual(
        desk
          .manifest()
          .files.map(({ path }) => path)
          .sort(),
      )
      before = now
    }
    // A person's word: what is not kept here goes there too.
    await desk.publish({ removing: true })
    const stored = [subjectOf(query()), 'direct/overview?'].map((subject) =>
      desk.history.list({ dataScope, subject }),
    )
    const days = (await Promise.all(stored)).flat().map(({ range }) => String(range.start))
    expect(faultsOf(desk.place)).toEqual([])
    expect([...publishedIn(desk).keys()].every((name) => days.includes(name.slice(-10)))).toBe(true)
  })
  await checkAsyncProperty('published days', property, 100)
}, 300_000)

it('what was removed here stays there, and newer figures of the same days take its place', async () => {
  rmSync(history, { recursive: true, force: true })
  const desk = new TeamShare(engine, history, newShare())
  for (const nth of [0, 1, 2]) await desk.keep(query({ range: oneDay(nth) }), browsers(nth))
  await desk.compact(query(), '2026-10')
  await desk.publish()
  const [month] = desk.files()
  await desk.history.forgetDataScope(dataScope)
  expect(await desk.publish({ thorough: true })).toMatchObject({ files: 1, leftOut: 0 })
  expect(desk.files()).toEqual([month])
  // A day that would stand twice waits until all that it shares a file with have come.
  await desk.keep(query({ range: oneDay(1) }), browsers(9), 5_000)
  expect(await desk.publish()).toMatchObject({ files: 1, leftOut: 1 })
  expect(desk.files()).toEqual([month])
  for (const nth of [0, 2]) await desk.keep(query({ range: oneDay(nth) }), browsers(9), 5_000)
  expect(await desk.publish()).toMatchObject({ files: 3, leftOut: 0 })
  expect(desk.files()).not.toContain(month)
  expect(faultsOf(desk.place)).toEqual([])
  await desk.history.forgetDataScope(dataScope)
  expect(await desk.publish({ removing: true })).toMatchObject({ files: 0 })
  expect(desk.files()).toEqual([])
})
