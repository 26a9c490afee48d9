import { createQuery } from '@tanstack/svelte-query'
import type { Provenance } from '#shared/reports/answer.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { overlap } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { OverviewAddress, ReportAddress } from '#shared/views/view-address.ts'
import { findingEvents, restatedEvents } from '#shared/watch/day-events.ts'
import type { DayEvent } from '#shared/watch/day-events.ts'
import { isShownIn, markedNotes } from '#shared/watch/notes.ts'
import type { MarkedNote, DayNote } from '#shared/watch/notes.ts'
import { findingWithRuleName } from '#shared/watch/rule-mix.ts'
import { findingsSince } from '#renderer/queries/alerts.ts'
import { deleteNote, noteList } from '#renderer/queries/notes.ts'
import { restatementsOf } from '#renderer/queries/reports.ts'
import { useApp } from '#renderer/stores/app.ts'

type Shown = {
  readonly account: AccountId
  readonly address: OverviewAddress | ReportAddress
  /** Query of the daily figures. */
  readonly query: ReportQuery
  /** Provenance of the daily figures; undefined while they are fetched. */
  readonly provenance: Provenance | undefined
}

/** Notes and events on the days of a chart. Create it during component initialisation. */
export class ShownNotes {
  readonly #app = useApp()
  readonly #shown: () => Shown
  readonly #notes
  readonly #findings
  readonly list: readonly MarkedNote[]
  readonly events: readonly DayEvent[]

  constructor(shown: () => Shown) {
    const { bridge, clock, desk } = this.#app
    this.#shown = shown
    this.#notes = createQuery(() => noteList(bridge, shown().account))
    this.#findings = createQuery(() => {
      const { account, query } = shown()
      return findingsSince(bridge, account, query.range.start)
    })
    const restated = createQuery(() => {
      const { account, query, provenance } = shown()
      return { ...restatementsOf(bridge, account, query), enabled: Boolean(provenance?.restated) }
    })
    this.list = $derived.by(() => {
      const { address, query } = shown()
      return markedNotes(
        (this.#notes.data ?? []).filter((note) => isShownIn(note, address)),
        query.range,
      )
    })
    this.events = $derived.by(() => {
      const { account: id, address, query, provenance } = shown()
      const account = desk.accounts.find((each) => each.id === id)
      const names = this.#app.settings.now.ruleNames
      const own = (this.#findings.data ?? [])
        .filter((finding) => finding.account === id)
        .map((finding) => findingWithRuleName(finding, names))
      const found = account
        ? findingEvents(own, { address, family: query.family, today: clock.today(account.dayZone) })
        : []
      const changed = provenance?.restated && restated.data ? restatedEvents(restated.data) : []
      return [...found, ...changed].filter(({ range }) => overlap(range, query.range))
    })
  }

  /** Whether notes are still being read. Charts wait for them, so that nothing moves when they come. */
  get isPending(): boolean {
    return this.#notes.isPending
  }

  readonly actions = {
    edit: (note: DayNote): void => {
      const { address, query } = this.#shown()
      this.#app.noteForm.open({ address, range: query.range, note })
    },
    remove: (note: DayNote): void => void deleteNote(this.#app, this.#shown().account, note),
    /** Current time, in milliseconds since 1970. */
    now: (): number => this.#app.clock.now,
    /** Account and query whose older figures restated days lead to. */
    restated: (): Pick<Shown, 'account' | 'query'> => this.#shown(),
  }
}
