import { createQuery } from '@tanstack/svelte-query'
import type { AccountId } from '#shared/values/ids.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { OverviewAddress, ReportAddress } from '#shared/views/view-address.ts'
import { isShownIn, markedNotes } from '#shared/watch/notes.ts'
import type { MarkedNote, DayNote } from '#shared/watch/notes.ts'
import { deleteNote, noteList } from '#renderer/queries/notes.ts'
import { useApp } from '#renderer/stores/app.ts'

type Shown = {
  readonly account: AccountId
  readonly address: OverviewAddress | ReportAddress
  readonly range: DayRange
}

/** Notes on the days of a chart. Create it during component initialisation. */
export class ShownNotes {
  readonly #app = useApp()
  readonly #shown: () => Shown
  readonly #query
  readonly list: readonly MarkedNote[]

  constructor(shown: () => Shown) {
    this.#shown = shown
    this.#query = createQuery(() => noteList(this.#app.bridge, shown().account))
    this.list = $derived.by(() => {
      const { address, range } = shown()
      return markedNotes(
        (this.#query.data ?? []).filter((note) => isShownIn(note, address)),
        range,
      )
    })
  }

  /** Whether the notes are still being read. Charts wait for them, so that nothing moves when they come. */
  get isPending(): boolean {
    return this.#query.isPending
  }

  readonly actions = {
    edit: (note: DayNote): void => {
      const { address, range } = this.#shown()
      this.#app.noteForm.open({ address, range, note })
    },
    remove: (note: DayNote): void => void deleteNote(this.#app, this.#shown().account, note),
  }
}
