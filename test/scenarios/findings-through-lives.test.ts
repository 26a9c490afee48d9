import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { usualSettings } from '#shared/app/settings.ts'
import { addDays, daysBetween } from '#shared/values/day.ts'
import { Findings } from '#main/watch/findings/findings.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { NamedFigures } from '#main/watch/judging/rule.ts'
import type { FindingId } from '#shared/watch/alerts.ts'
import { fake } from '#test/helpers/fake.ts'
import { runsOf, seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { temporaryFolder } from '#test/src-main/database/helpers.ts'
import { alertIdOf } from '#test/src-main/database/state/watch.ts'
import { WatchedDesk } from '#test/src-main/watch/alerts/watched-desk.ts'
import { figuresOf, firstDay, morningAfter, rowOf } from '#test/src-main/watch/judging/made-alerts.ts'

const lives = runsOf(300)
const begin = 62
const aDay = 86_400_000
const zones = ['UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Pacific/Kiritimati']

type Random = () => number
const whole = (random: Random, below: number) => Math.floor(random() * below)

/** Counts that are restated until they settle. Row 0 gets worse for good, row 1 is bad at first sight on one day. */
class World {
  readonly #random: Random
  readonly worseFrom: number
  readonly misjudged: number
  /** Day of the last fetch, by day; a day that is not there is not stored. */
  readonly #fetched = new Map<number, number>()
  readonly #counts: (readonly (readonly [number, number])[])[]

  constructor(random: Random) {
    this.#random = random
    this.worseFrom = begin + 2 + whole(random, 12)
    this.misjudged = begin + 1 + whole(random, 20)
    this.#counts = Array.from({ length: 5 }, (_, row) =>
      Array.from({ length: 200 }, (__, index) => {
        const requests = 1500 + whole(random, 200)
        const rate = row === 0 && index >= this.worseFrom ? 0.32 : 0.08
        return [requests, Math.round(requests * rate * (0.95 + random() * 0.1))] as const
      }),
    )
    for (let index = 0; index < begin; index += 1) this.#fetched.set(index, begin + 10)
  }

  /** Fetches the last days that can change, or some of them. */
  fetch(today: number): void {
    for (let index = begin; index < today; index += 1) {
      const at = this.#fetched.get(index)
      if (at !== undefined && at - index >= 3) continue
      if (this.#random() < 0.9) this.#fetched.set(index, today)
    }
  }

  fetchAll(today: number): void {
    for (let index = begin; index < today; index += 1) this.#fetched.set(index, today)
  }

  figures(): NamedFigures {
    const isSettled = (index: number) => (this.#fetched.get(index) ?? -1) - index >= 3
    const rows = this.#counts.map((counts, row) =>
      rowOf(
        `R${row}`,
        counts.map(([requests, bad], index) => {
          if (!this.#fetched.has(index)) return [null, null]
          const isMisjudged = row === 1 && index === this.misjudged && !isSettled(index)
          return [requests, isMisjudged ? bad * 5 : bad]
        }),
      ),
    )
    return { ...figuresOf(rows), settled: (this.#counts[0] ?? []).map((_, index) => isSettled(index)) }
  }
}

/** A desk with its announcements, which can be killed together. */
class Life {
  readonly desk: WatchedDesk
  readonly #folder = temporaryFolder()
  readonly shown: FindingId[] = []
  #findings: Findings

  constructor(desk: WatchedDesk) {
    this.desk = desk
    this.#findings = this.#begin()
  }

  #begin(): Findings {
    const { store, events, clock } = this.desk
    const { account } = this.desk
    const findings = new Findings({
      ...{ store, events, clock, folder: this.#folder },
      settings: { read: () => Promise.resolve(usualSettings) },
      accounts: fake<Accounts>('accounts', {
        list: () => (this.desk.account ? [this.desk.account] : []),
        account: () => this.desk.account ?? account ?? expect.fail(),
      }),
      news: {
        announceFindings: (found, handing) => {
          handing()
          this.shown.push(...found.map(({ id }) => id))
          return Promise.resolve()
        },
      },
    })
    findings.start()
    return findings
  }

  /** Ends both in the middle of what they do. */
  async kill(turns: number): Promise<void> {
    await this.desk.clock.move(5_000)
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
    void this.#findings.stop()
    this.desk.restart()
    this.#findings = this.#begin()
  }

  wake(): void {
    this.desk.watcher.wake()
    this.#findings.wake()
  }

  /** Lets all evaluations and announcements come. */
  async settle(): Promise<void> {
    await this.desk.settle()
    await this.desk.clock.move(10_000)
    for (let turn = 0; turn < 4; turn += 1) await setImmediate()
  }

  async end(): Promise<void> {
    await Promise.all([this.desk.watcher.stop(), this.#findings.stop()])
  }
}

/** Lives for some weeks, in which the computer sleeps, the app is killed, and the clock and its zone are changed. */
async function live(random: Random): Promise<{ readonly life: Life; readonly world: World }> {
  const world = new World(random)
  const desk = await WatchedDesk.open(world.figures(), `${morningAfter(begin - 1)}T12:00:00Z`)
  const life = new Life(desk)
  await desk.addAlert({ condition: { kind: 'unusual' }, leastChange: 0 }, 1)
  await desk.addAlert({ condition: { kind: 'above', value: 20 } }, 2)
  desk.watcher.start()
  await life.settle()
  const today = () => daysBetween(firstDay, desk.today())
  const store = () => {
    desk.stored.figures = world.figures()
    desk.tablesStored()
  }
  const day = async (fetched: () => void = () => world.fetch(today())) => {
    await desk.clock.move(aDay)
    fetched()
    store()
  }
  const events = [
    day,
    day,
    async () => {
      await desk.clock.move((2 + whole(random, 8)) * aDay)
      life.wake()
      await life.settle()
      world.fetch(today())
      store()
    },
    async () => {
      await day()
      await life.kill(whole(random, 40))
    },
    async () => {
      const jump = (random() < 0.5 ? 365 : 3) * aDay
      await desk.clock.move(jump)
      life.wake()
      await life.settle()
      await desk.clock.move(-jump)
      life.wake()
    },
    () => {
      const { account } = desk
      if (account) desk.account = { ...account, dayZone: zones[whole(random, zones.length)] ?? 'UTC' }
      desk.events.emit({ kind: 'account/edited', account: desk.account?.id ?? expect.fail() })
      return Promise.resolve()
    },
  ]
  for (let step = 0; step < 12; step += 1) {
    await events[whole(random, events.length)]?.()
    if (random() < 0.8) await life.settle()
  }
  // In the end all is seen for some days.
  const left = Math.max(0, Math.max(world.worseFrom, world.misjudged) + 3 - today()) + 4
  for (let nth = 0; nth < left; nth += 1) {
    await day(() => world.fetchAll(today()))
    await life.settle()
  }
  await life.end()
  return { life, world }
}

it(`stores and announces every finding once, through ${lives} lives`, async () => {
  const random = randomFrom(seed)
  for (let nth = 0; nth < lives; nth += 1) {
    const { life, world } = await live(random)
    const findings = await life.desk.findings()
    const about = `life ${nth} of seed ${seed}`
    const keys = findings.map(({ alert, row, from }) => `${alert} ${row?.key} ${from}`)
    expect(new Set(keys).size, about).toBe(keys.length)
    expect(new Set(life.shown).size, about).toBe(life.shown.length)
    for (const number of [1, 2]) {
      const own = findings.filter(({ alert, row }) => alert === alertIdOf(number) && row?.key === 'text R0')
      expect(own, about).toHaveLength(1)
      expect(own[0]?.state, about).toMatch(/^(standing|usual)$/)
      expect(own[0] && own[0].from >= addDays(firstDay, world.worseFrom - 1), about).toBe(true)
      expect(
        life.shown.filter((id) => id === own[0]?.id),
        about,
      ).toHaveLength(1)
      const early = findings.filter(({ alert, row }) => alert === alertIdOf(number) && row?.key === 'text R1')
      expect(early.length, about).toBeLessThanOrEqual(1)
      // A day that was left out of a fetch is judged with settled ones beside it: then it is over later.
      for (const { state } of early) expect(state, about).toMatch(/^(withdrawn|over)$/)
    }
    const others = findings.filter(({ row }) => row?.key !== 'text R0' && row?.key !== 'text R1')
    expect(others, about).toEqual([])
  }
}, 400_000)
