import { SvelteMap } from 'svelte/reactivity'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { RowsFile, RowsFileId } from '#shared/archives/rows-file.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { Followed } from './followed.svelte.ts'

/** The archives of an account whose rows are, or can be, looked into, and how far reading in is. */
export class RowsFiles {
  readonly account: AccountId
  readonly #bridge: DeskBridge
  readonly #read: Followed<readonly RowsFile[]>
  readonly #progress = new SvelteMap<RowsFileId, { readonly done: number; readonly of: number | null }>()
  readonly #stopListening: readonly (() => void)[]

  constructor(bridge: DeskBridge, account: AccountId) {
    this.#bridge = bridge
    this.account = account
    this.#read = new Followed(() => bridge.call('rows/list', { account }))
    this.#stopListening = [
      bridge.on('rows/changed', (event) => {
        if (event.account === account) this.#read.changed()
      }),
      bridge.on('rows/progress', ({ account: whose, file, done, of }) => {
        if (whose === account) this.#progress.set(file, { done, of })
      }),
    ]
    void this.#read.read()
  }

  get list(): readonly RowsFile[] {
    return (this.#read.value ?? []).map((file) => {
      const progress = file.state.kind === 'reading' ? this.#progress.get(file.id) : undefined
      return progress && file.state.kind === 'reading'
        ? { ...file, state: { ...file.state, ...progress } }
        : file
    })
  }

  /** Whether the list was read. */
  get known(): boolean {
    return this.#read.value !== null
  }

  /** Whether it is being read, so that what it lacks may come. */
  get asking(): boolean {
    return this.#read.asking
  }

  get failure(): Failure | null {
    return this.#read.failure
  }

  again(): void {
    void this.#read.read()
  }

  /** Reads an archive in, or again; answers why that cannot begin. */
  readIn(file: RowsFileId): Promise<Failure | null> {
    this.#progress.delete(file)
    return this.#do(this.#bridge.call('rows/read', { account: this.account, file }))
  }

  stop(file: RowsFileId): Promise<Failure | null> {
    return this.#do(this.#bridge.call('rows/stop', { account: this.account, file }))
  }

  discard(file: RowsFileId, what: 'rows' | 'archive'): Promise<Failure | null> {
    return this.#do(this.#bridge.call('rows/let-go', { account: this.account, file, what }))
  }

  close(): void {
    this.#stopListening.forEach((stop) => stop())
    this.#read.close()
  }

  async #do(doing: Promise<Outcome<unknown>>): Promise<Failure | null> {
    const outcome = await doing
    if (outcome.ok) this.#read.changed()
    return outcome.ok ? null : outcome.failure
  }
}
