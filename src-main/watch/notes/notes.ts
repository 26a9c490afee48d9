import { randomUUID } from 'node:crypto'
import { isLive, liveIdOf } from '#shared/accounts/account.ts'
import { invalid } from '#shared/api/failure.ts'
import { dayAt } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { checkedNote } from '#shared/watch/notes.ts'
import type { DayNote, NoteEntry, NoteId } from '#shared/watch/notes.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Handler, Handlers, Module } from '#main/lib/module.ts'

/** Accounts that have notes, and where the notes are stored. */
type NotesContext = {
  readonly store: StateStore
  readonly accounts: Accounts
  readonly events: AppEvents
  readonly clock: Clock
}

/** Notes on days. The `notes/…` calls are documented in src-shared/bridge/calls/watch.ts. All methods throw `DeskFailure`. */
export class Notes implements Module {
  readonly name = 'notes'
  readonly #context: NotesContext

  constructor(context: NotesContext) {
    this.#context = context
  }

  readonly list: Handler<'notes/list'> = ({ account }) =>
    this.#context.store.run('notes/list', this.#ownerOf(account))

  readonly add: Handler<'notes/add'> = async ({ account, entry }) => {
    const note: DayNote = { id: randomUUID() as NoteId, ...this.#checked(account, entry) }
    await this.#context.store.run('notes/add', { account: this.#ownerOf(account), note })
    this.#changed(account, note)
    return note
  }

  readonly change: Handler<'notes/change'> = async ({ account, id, entry }) => {
    const note: DayNote = { id, ...this.#checked(account, entry) }
    const before = await this.#context.store.run('notes/change', { account: this.#ownerOf(account), note })
    this.#changed(account, before, note)
    return note
  }

  readonly remove: Handler<'notes/remove'> = async ({ account, id }) => {
    const removed = await this.#context.store.run('notes/remove', { account: this.#ownerOf(account), id })
    this.#changed(account, removed)
    return removed
  }

  readonly handlers = {
    'notes/list': this.list,
    'notes/add': this.add,
    'notes/change': this.change,
    'notes/remove': this.remove,
  } satisfies Partial<Handlers>

  stop(): Promise<void> {
    return Promise.resolve()
  }

  /** Notes belong to the account, not to a data scope: another token does not undo what happened. */
  #ownerOf(id: AccountId): AccountId {
    return liveIdOf(this.#context.accounts.account(id))
  }

  #checked(account: AccountId, entry: NoteEntry): NoteEntry {
    const { accounts, clock } = this.#context
    const checked = checkedNote(entry, dayAt(clock.now(), accounts.account(account).dayZone))
    if (checked.kind === 'fault') throw invalid(checked.message, checked.field)
    return checked.entry
  }

  /** Earlier figures of the account show the same notes. @param notes the note before and after, as far as it was there */
  #changed(id: AccountId, ...notes: readonly DayNote[]): void {
    const owner = this.#ownerOf(id)
    const leavesOut = notes.some((note) => note.leavesOut)
    for (const account of this.#context.accounts.list()) {
      if (account.id === owner || (!isLive(account) && account.account === owner))
        this.#context.events.emit({ kind: 'notes/changed', account: account.id, leavesOut })
    }
  }
}
