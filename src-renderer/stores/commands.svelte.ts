import type { Command, ViewCommand } from '#shared/app/commands.ts'

type Run = () => void
type Offered = Command | ViewCommand

/**
 * What can be done at this moment, by the names of the menu's entries. A part offers what it can do while it is on
 * screen: `$effect(() => app.commands.offer('export', open))`. The newest offer of a command holds.
 */
export class Commands {
  /** Effects offer: they must not depend on what is offered. */
  readonly #offers: Partial<Record<Offered, readonly Run[]>> = {}
  /** Replaced with every offer: whoever asks what can be done depends on it. */
  #version = $state.raw({})
  /** What is done as soon as anybody can, as long as that is wanted. */
  #awaited: { readonly command: Offered; readonly isWanted: () => boolean } | null = null

  /** Offers a command; the result takes it back. */
  offer(command: Offered, run: Run): () => void {
    // Wrapped, so that the same function offered twice is two offers.
    const offered = () => run()
    this.#change(command, (runs) => [...runs, offered])
    // Later: who offers is not yet set up.
    if (this.#awaited?.command === command) queueMicrotask(() => this.#runAwaited(command))
    return () => this.#change(command, (runs) => runs.filter((item) => item !== offered))
  }

  /** Whether anybody can do it now. */
  can(command: Offered): boolean {
    void this.#version
    return this.#runs(command).length > 0
  }

  /** Does it; false where nobody can. */
  run(command: Offered): boolean {
    this.#awaited = null
    const newest = this.#runs(command).at(-1)
    newest?.()
    return newest !== undefined
  }

  /**
   * Does it now, or as soon as a view offers it that was just gone to. Another command takes its place.
   * @param isWanted whether that is still to be done when the offer comes
   */
  runOnceOffered(command: Offered, isWanted: () => boolean): void {
    if (!this.run(command)) this.#awaited = { command, isWanted }
  }

  #runAwaited(command: Offered): void {
    if (this.#awaited?.command !== command) return
    if (this.#awaited.isWanted()) this.run(command)
    else this.#awaited = null
  }

  #runs(command: Offered): readonly Run[] {
    return this.#offers[command] ?? []
  }

  #change(command: Offered, change: (runs: readonly Run[]) => readonly Run[]): void {
    this.#offers[command] = change(this.#runs(command))
    this.#version = {}
  }
}
