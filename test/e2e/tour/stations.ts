import { expect } from 'vitest'
import { asSentWords } from '#shared/reports/rows.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { EventOracle, Wanted } from '../oracle/figures.ts'
import { chipTexts, expectedRates, expectedScreen } from './expected.ts'
import type { Additions } from './expected.ts'
import type { Hands } from './hands.ts'
import { screenOf } from './screen.ts'
import type { Screen, Surroundings } from './screen.ts'
import { searchText } from './search-texts.ts'
import type { TourTable } from './tables.ts'

/** A state that was opened: where, and what was on screen. */
export type Station = Surroundings & {
  readonly name: string
  readonly table: TourTable
  readonly screen: Screen
  /** The table behind the chart, where one was open. */
  readonly days: readonly (readonly string[])[] | null
}

/** Filters that others need, as a sentence has them. */
const withArticle: Readonly<Record<string, string>> = {
  Browser: 'a browser',
  OS: 'an OS',
  Manufacturer: 'a manufacturer',
  Country: 'a country',
  Region: 'a region',
  Host: 'a host',
}

/** What a state asks for; the table and the days are known. */
type State = Omit<Wanted, 'family' | 'by' | 'start' | 'end'> & Additions

/** Goes through the states of tables as a person does, and holds what is on screen against the oracle. */
export class Tour {
  readonly stations: Station[] = []
  readonly #hands: Hands
  readonly #oracle: EventOracle
  readonly #range: DayRange
  readonly #table: TourTable

  constructor(hands: Hands, oracle: EventOracle, range: DayRange, table: TourTable) {
    this.#hands = hands
    this.#oracle = oracle
    this.#range = range
    this.#table = table
  }

  async visit(): Promise<readonly Station[]> {
    await this.#hands.open(this.#table.familyWords, this.#table.dimensionWords)
    await this.#hands.showAllColumns(this.#table)
    await this.#stop('opened')
    await this.#lookUps()
    await this.#ownFilters()
    await this.#sortAndSearch()
    await this.#additions()
    await this.#chart()
    await this.#pages()
    return this.stations
  }

  /** Instance, source and campaign, each on top of those before. */
  async #lookUps(): Promise<void> {
    let filters: Wanted['filters'] = {}
    for (const [field, column] of [
      ['Instance', 'instance'],
      ['Source', 'source'],
      ['Campaign', 'campaign'],
    ] as const) {
      const value = this.#oracle.common(this.#wanted({ filters }), column)
      filters = { ...filters, [column]: value }
      await this.#hands.lookUp(field, column === 'instance' ? this.#oracle.instanceName(value) : value)
      await this.#stop(field, { filters })
    }
    await this.#hands.clearFilters()
    await this.#stop('cleared')
  }

  /** The table's own filters, each on top of those that it needs; without them it is disabled and says why. */
  async #ownFilters(): Promise<void> {
    const { filters } = this.#table
    const [first] = filters
    if (!first) return
    let set: Wanted['filters'] = {}
    for (const [place, { parameter, words }] of filters.entries()) {
      await this.#hindered(words, filters.slice(place + 1))
      const value = this.#oracle.common(this.#wanted({ filters: set }), parameter)
      set = { ...set, [parameter]: value }
      await this.#hands.fillOwn(words, value)
      await this.#stop(words, { filters: set })
    }
    await this.#hands.removeFilter(first.words)
    await this.#stop('without its first filter')
    await this.#hindered(first.words, filters.slice(1))
  }

  /** Filters behind one that is not set cannot be used, and say which it is. */
  async #hindered(lacking: string, filters: TourTable['filters']): Promise<void> {
    for (const { words } of filters) {
      const place = `${this.#table.name}: ${words} without ${lacking}`
      const field = this.#hands.own(words)
      expect.soft(await field.isDisabled(), place).toBe(true)
      expect.soft(await this.#hands.descriptionOf(field), place).toBe(`Choose ${withArticle[lacking]} first`)
    }
  }

  async #sortAndSearch(): Promise<void> {
    const { counts, header } = this.#table
    const first = counts.at(-1) ?? ''
    const second = counts.at(-2) ?? ''
    await this.#hands.sortBy(first, 'alone')
    await this.#stop('one key', { sort: [[first, 'desc']] })
    await this.#hands.sortBy(first, 'alone')
    await this.#stop('one key, the other way round', { sort: [[first, 'asc']] })
    await this.#hands.sortBy(second, 'too')
    const two = [
      [first, 'asc'],
      [second, 'desc'],
    ] as const
    await this.#stop('two keys', { sort: two })
    await this.#hands.sortBy(header, 'too')
    await this.#stop('three keys', { sort: [...two, ['label', 'asc']] })
    await this.#hands.sortBy(header, 'too')
    const sort = [...two, ['label', 'desc']] as const
    await this.#stop('three keys, the last the other way round', { sort })

    const labels = this.#oracle.table(this.#wanted({ limit: 1_000_000 })).rows.map(({ label }) => label)
    const search = searchText(labels)
    await this.#hands.search(search)
    await this.#stop('searched', { sort, search })
    await this.#hands.check('Starts with', true)
    await this.#stop('starts with', { sort, search, startsWith: true })
    await this.#hands.check('Starts with', false)
    await this.#hands.search('')
    await this.#hands.sortBy(counts[0] ?? '', 'alone')
    await this.#stop('sorted as before')
  }

  async #additions(): Promise<void> {
    await this.#hands.check('Rates', true)
    await this.#stop('rates', { rates: true })
    await this.#hands.check('Rule sets', true)
    await this.#stop('rates and rules', { rates: true, rules: true })
    await this.#hands.check('Rates', false)
    await this.#stop('rules', { rules: true })
    await this.#hands.check('Rule sets', false)
  }

  async #chart(): Promise<void> {
    await this.#hands.check('Chart', true)
    const days = await this.#hands.chartTable(this.#table.name)
    const expected = expectedRates(this.#oracle, this.#wanted({}), this.#range)
    expect.soft(days, `${this.#table.name}: days`).toEqual(expected)
    await this.#stop('chart', {}, days)
    await this.#hands.check('Chart', false)
  }

  /** To the second page; of a short table one with fewer rows a page, which a link can ask for. */
  async #pages(): Promise<void> {
    const { results } = this.#oracle.table(this.#wanted({}))
    const limit = results > 20 ? 20 : Math.max(1, Math.floor(results / 2))
    if (limit !== 20)
      await this.#hands.follow(`#/reports/${this.#table.family}/${this.#table.dimension}?limit=${limit}`)
    await this.#stop('first page', { limit })
    await this.#hands.nextPage.click()
    await this.#stop('second page', { limit, page: 2 })
    if (limit !== 20) await this.#hands.rowsPerPage('20')
    else await this.#hands.rowsPerPage('50')
    await this.#stop('other page size', { limit: limit === 20 ? 50 : 20 })
    await this.#hands.rowsPerPage('20')
  }

  #wanted(state: State): Wanted {
    const { family, by } = this.#table
    return { ...this.#range, ...state, family, by }
  }

  /** Reads the screen, holds it against the oracle, and writes it down. */
  async #stop(name: string, state: State = {}, days: Station['days'] = null): Promise<void> {
    const { address, status, origin, ...screen } = await this.#settled()
    const expected = {
      ...expectedScreen(this.#oracle, this.#table, this.#wanted(state), { columns: 'all', ...state }),
      filters: chipTexts(this.#oracle, this.#table, this.#wanted(state)),
    }
    const place = `${this.#table.name}: ${name}`
    // A chart takes room from the table: its last rows are beyond the edge.
    const seen = days ? { ...expected, rows: expected.rows.slice(0, screen.rows.length) } : expected
    expect.soft(screen, place).toEqual(seen)
    this.stations.push({ name: place, table: this.#table, address, status, origin, screen, days })
  }

  /** What is on screen once it is known what a searched page's total is about: until then it has another name. */
  async #settled(): Promise<Screen & Surroundings> {
    const { page } = this.#hands
    const asSent = page.getByText(asSentWords, { exact: true }).first()
    for (;;) {
      await asSent.waitFor({ state: 'detached', timeout: 15_000 })
      const screen = await screenOf(page, this.#table.name)
      // It may have come in between: then there is no row for all.
      if (screen.rows[0]?.[0]?.startsWith('All')) return screen
    }
  }
}
