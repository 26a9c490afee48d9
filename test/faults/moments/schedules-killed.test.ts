import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { addDays, day } from '#shared/values/day.ts'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { endings } from './endings.ts'
import { killAtMoments, workToTheEnd } from './killing.ts'
import type { SchedulingOrders } from './scheduling-work.ts'

const worker = 'scheduling-work.ts'

it.each(endings(6, 100))(
  '$ending at $moments random moments, a schedule makes each file of each day once',
  async ({ ending, moments, place }) => {
    const { folder, lose } = place()
    for (const name of ['Downloads', 'profile']) mkdirSync(join(folder, name))
    syncFolder(folder)
    let last = 0
    const ordersOf = (to = Infinity): SchedulingOrders => ({ folder, from: last, to: Math.min(to, 100_000) })
    const filesOf = () => readdirSync(join(folder, 'Downloads')).filter((name) => !name.startsWith('.'))
    const wholeOf = (name: string) =>
      readFileSync(join(folder, 'Downloads', name), 'utf8')
        .trimEnd()
        .split('\r\n').length === 501
    const hits = await killAtMoments<SchedulingOrders>({
      ...{ worker, moments, random: randomFrom(seed) },
      ordersOf: () => ordersOf(),
      check: ({ stored, refused }) => {
        lose()
        expect(refused).toEqual([])
        for (const text of stored) last = Math.max(last, (JSON.parse(text) as { day: number }).day)
        expect(filesOf().filter((name) => /\(\d+\)/.test(name) || !wholeOf(name))).toEqual([])
        return Promise.resolve()
      },
    })
    const to = last + 2
    expect((await workToTheEnd(worker, ordersOf(to))).refused).toEqual([])
    const days = Array.from({ length: to }, (_, nth) => addDays(day('2026-01-02'), nth))
    const expected = days.flatMap((each) => [`Acme View 1 ${each}.csv`, `Acme View 2 ${each}.csv`])
    expect(filesOf().toSorted()).toEqual(expected.toSorted())
    console.log(`schedules, ${ending}: PROPERTY_SEED=${seed}`, hits, `${to} days`)
  },
  runs(180_000, 2_700_000),
)
