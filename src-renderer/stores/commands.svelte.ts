import type { Command, ViewCommand } from '#shared/app/commands.ts'

type Run = () => void
type Offered = Command | ViewCommand

/**
 * Commands that are available now, by the names of the menu's entries. A component offers a command while it is on screen:
 * `$effect(() => app.commands.offer('export', open))`. The newest offer of a command wins.
 */
export class Commands {
  /** Not reactive: effects call `offer`, and must not depend on other offers. */
  readonly #offers: Partial<Record<Offered, readonly Run[]>> = {}
  /** Replaced with every offer, so that callers of `can` depend on it. */
  #version = $state.raw({})
  /** Command to run as soon as it is offered, while `isWanted` is true. */
  #awaitedCommand: { readonly command: Offered; readonly isWanted: () => boolean } | null = null

  /** Offers a command. Call the result to withdraw the offer. */
  offer(command: Offered, run: Run): () => void {
    // Wrapped, so that offering the same function twice makes two offers.
    const offered = () => run()
    this.#change(command, (runs) => [...runs, offered])
    // Deferred: the offering component is not set up yet.
    if (this.#awaitedCommand?.command === command) queueMicrotask(() => this.#runAwaited(command))
    return () => this.#change(command, (runs) => runs.filter((item) => item !== offered))
  }

  can(command: Offered): boolean {
    void this.#version
    return this.#runs(command).length > 0
  }

  /** Runs a command; returns false if no component offers it. */
  run(command: Offered): boolean {
    this.#awaitedCommand = null
    const newest = this.#runs(command).at(-1)
    newest?.()
    return newest !== undefined
  }

  /**
   * Runs a command now, or once the view that is being opened offers it. Any other command replaces it.
   * @param isWanted checked when the offer arrives
   */
  runOnceOffered(command: Offered, isWanted: () => boolean): void {
    if (!this.run(command)) this.#awaitedCommand = { command, isWanted }
  }

  #runAwaited(command: Offered): void {
    if (this.#awaitedCommand?.command !== command) return
    if (this.#awaitedCommand.isWanted()) this.run(command)
    else this.#awaitedCommand = null
  }

  #runs(command: Offered): readonly Run[] {
    return this.#offers[command] ?? []
  }

  #change(command: Offered, change: (runs: readonly Run[]) => readonly Run[]): void {
    this.#offers[command] = change(this.#runs(command))
    this.#version = {}
  }
}
