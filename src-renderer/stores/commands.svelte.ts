import type { Command } from '#shared/app/commands.ts'

type Run = () => void

/**
 * What can be done at this moment, by the names of the menu's entries. A part offers what it can do while it is on
 * screen: `$effect(() => app.commands.offer('export', open))`. The newest offer of a command holds.
 */
export class Commands {
  /** Effects offer: they must not depend on what is offered. */
  readonly #offers: Partial<Record<Command, readonly Run[]>> = {}
  /** Replaced with every offer: whoever asks what can be done depends on it. */
  #version = $state.raw({})

  /** Offers a command; the result takes it back. */
  offer(command: Command, run: Run): () => void {
    // Wrapped, so that the same function offered twice is two offers.
    const offered = () => run()
    this.#change(command, (runs) => [...runs, offered])
    return () => this.#change(command, (runs) => runs.filter((item) => item !== offered))
  }

  /** Whether anybody can do it now. */
  can(command: Command): boolean {
    void this.#version
    return this.#runs(command).length > 0
  }

  /** Does it; false where nobody can. */
  run(command: Command): boolean {
    const newest = this.#runs(command).at(-1)
    newest?.()
    return newest !== undefined
  }

  #runs(command: Command): readonly Run[] {
    return this.#offers[command] ?? []
  }

  #change(command: Command, change: (runs: readonly Run[]) => readonly Run[]): void {
    this.#offers[command] = change(this.#runs(command))
    this.#version = {}
  }
}
