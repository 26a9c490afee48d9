import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { AccountId } from '#shared/values/ids.ts'

export type AutoImportDeps = {
  readonly accounts: () => readonly AccountId[]
  readonly isOn: () => Promise<boolean>
  /** Saved archives of an account that are still to be read in, or counted again; the newest first. */
  readonly due: (account: AccountId) => Promise<readonly RowsFileId[]>
  /**
   * Reads an archive in where it is not, and counts its rows against the tables.
   * @returns `again` where it gave way to the person, or the figures could not be had
   */
  readonly lookInto: (account: AccountId, file: RowsFileId) => Promise<'done' | 'gave-way' | 'no-figures'>
  /** Resolves once nobody has asked about rows for a while. */
  readonly quiet: (signal: AbortSignal) => Promise<void>
}

/** Reads saved archives in and counts their rows again without being asked: one after the other, each once a session. */
export class AutoImport {
  readonly #parts: AutoImportDeps
  readonly #wanted = new Set<AccountId>()
  /** What was looked into in this session, by account and file; `no-figures` is tried again when the service is back. */
  readonly #looked = new Map<string, 'done' | 'no-figures'>()
  readonly #closing = new AbortController()
  #begun = false
  #paused = false
  #running: Promise<void> | null = null

  constructor(parts: AutoImportDeps) {
    this.#parts = parts
  }

  begin(): void {
    this.#begun = true
    this.retryNow()
  }

  /** The saved archives of an account are others now. */
  changed(account: AccountId): void {
    this.#wanted.add(account)
    this.#go()
  }

  /** The service is back, or the setting is another: what could not be done is tried. */
  retryNow(): void {
    for (const [name, how] of this.#looked) if (how === 'no-figures') this.#looked.delete(name)
    for (const account of this.#parts.accounts()) this.#wanted.add(account)
    this.#go()
  }

  /** The service of one account is back. */
  wake(account: AccountId): void {
    for (const [name, how] of this.#looked) if (how === 'no-figures') this.#looked.delete(name)
    this.changed(account)
  }

  pause(paused: boolean): void {
    this.#paused = paused
    if (!paused) this.retryNow()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  #go(): void {
    if (!this.#mayRun() || this.#running) return
    this.#running = this.#run()
      // What goes wrong here is said where a person asks for the same.
      .catch(() => undefined)
      .finally(() => {
        this.#running = null
        if (this.#wanted.size > 0) this.#go()
      })
  }

  #mayRun = () => this.#begun && !this.#paused && !this.#closing.signal.aborted

  async #run(): Promise<void> {
    for (const account of [...this.#wanted]) {
      this.#wanted.delete(account)
      if (!(await this.#parts.isOn())) continue
      for (;;) {
        if (!this.#mayRun()) return
        const file = (await this.#parts.due(account)).find((id) => !this.#looked.has(`${account} ${id}`))
        if (file === undefined) break
        await this.#parts.quiet(this.#closing.signal)
        if (!this.#mayRun()) return
        const how = await this.#parts.lookInto(account, file).catch(() => 'done' as const)
        if (how !== 'gave-way') this.#looked.set(`${account} ${file}`, how)
      }
    }
  }
}
