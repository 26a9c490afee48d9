import { beforeAll, describe, expect, it } from 'vitest'
import type { EventOracle } from '../oracle/figures.ts'
import { Hands } from './hands.ts'
import { screenOf } from './screen.ts'
import { lastDays, oracleOfToday, startTour } from './start.ts'
import { Tour } from './stations.ts'
import type { Station } from './stations.ts'
import { tablesOf } from './tables.ts'
import type { TourTable } from './tables.ts'

/** The days that Reports begins with. */
const range = lastDays(7)
let oracle: EventOracle

beforeAll(() => {
  oracle = oracleOfToday()
})

async function visit(hands: Hands, tables: readonly TourTable[]): Promise<Station[]> {
  const stations: Station[] = []
  await hands.follow('#/reports')
  for (const table of tables) stations.push(...(await new Tour(hands, oracle, range, table).visit()))
  return stations
}

/** What is the same with the service there and gone. */
const figures = ({ name, address, screen, days }: Station) => ({ name, address, screen, days })

/**
 * The words with which a state says that the service is gone and how old its figures are: as old as when it was opened, or
 * younger where the same figures came again with another state of the table.
 */
const offlineWords = (opened: readonly Station[]) =>
  expect.toBeOneOf(opened.map(({ status }) => status.replace('As of', 'Offline. Showing what was kept at')))

const KEPT = /^(Saved, updated|Computed from a saved day|Combined from) /

/** Comes back to a state that was opened, and reads it. */
async function revisit(hands: Hands, { address, table, days }: Station) {
  await hands.follow(address)
  const chart = days && (await hands.chartTable(table.name))
  const { status, origin, ...rest } = await screenOf(hands.page, table.name)
  const { address: there, ...screen } = rest
  return { status, origin, screen, address: there, days: chart }
}

describe.each(['direct', 'script'] as const)('the tour of %s', (family) => {
  it('shows what SQL over the events says, and the same with the service gone', async () => {
    const { hands, page, loseService, restart } = await startTour()
    const begun = performance.now()
    const tables = tablesOf(family)
    const opened = await visit(hands, tables)
    const online = performance.now()
    const asOffline = [offlineWords(opened), expect.stringMatching(KEPT)]
    await loseService()

    // By hand some tables, of which one has filters that need others; what is revisited below is of all.
    const some = tables.filter((_, place) => place % 3 === 0)
    const lost = performance.now()
    const again = await visit(hands, some)
    const ofSome = opened.filter(({ table }) => some.includes(table))
    expect(again.map(figures)).toEqual(ofSome.map(figures))
    again.forEach((station) => {
      expect.soft([station.status, station.origin], station.name).toEqual(asOffline)
    })
    const gone = performance.now()

    // Back and forward lead through them too.
    const byAddress = new Map(opened.map((station) => [station.address, station]))
    let met = 0
    for (const step of [...Array<number>(12).fill(-1), ...Array<number>(6).fill(1)]) {
      const station = byAddress.get(await hands.goThroughHistory(step))
      if (!station || station.days) continue
      met += 1
      const { status, origin, address, ...screen } = await screenOf(page, station.table.name)
      expect
        .soft({ screen, address }, station.name)
        .toEqual({ screen: station.screen, address: station.address })
      expect.soft([status, origin]).toEqual(asOffline)
    }
    expect(met).toBeGreaterThan(8)

    const restarted = new Hands(await restart())
    const sample = opened.filter((_, place) => place % 5 === 0 || opened[place]?.days)
    for (const station of sample) {
      const { status, origin, ...seen } = await revisit(restarted, station)
      const { screen, address, days } = station
      expect.soft(seen, station.name).toEqual({ screen, address, days })
      expect.soft([status, origin]).toEqual(asOffline)
    }
    console.log(
      `${family}: ${opened.length} states in ${((online - begun) / 1000).toFixed(1)} s, noticed in ${((lost - online) / 1000).toFixed(1)} s, again in ` +
        `${((gone - lost) / 1000).toFixed(1)} s, ${met} by back and forward, ${sample.length} after a restart`,
    )
  })
})
