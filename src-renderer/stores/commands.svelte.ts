import { SvelteMap } from 'svelte/reactivity'
import { untrack } from 'svelte'
import type { Command } from '#shared/app/commands.ts'

type Run = () => void

/**
 * What can be done at this moment, by the names of the menu's entries. A part offers what it can do while it is on
 * screen: `$effect(() => app.commands.offer('export', open))`. The newest offer of a command holds.
 */
export class Commands {
  readonly #offers = new SvelteMap<Command, readonly Run[]>()

  /** Offers a command; the result takes it back. */
  offer(command: Command, run: Run): () => void {
    // Wrapped, so that the same function offered twice is two offers.
    const offered = () => run()
    untrack(() => this.#offers.set(command, [...this.#of(command), offered]))
    return () =>
      untrack(() =>
        this.#offers.set(
          command,
          this.#of(command).filter((item) => item !== offered),
        ),
      )
  }

  /** Whether anybody can do it now. */
  can(command: Command): boolean {
    return this.#of(command).length > 0
  }

  /** Does it; false where nobody can. */
  run(command: Command): boolean {
    const newest = untrack(() => this.#of(command).at(-1))
    newest?.()
    return newest !== undefined
  }

  #of(command: Command): readonly Run[] {
    return this.#offers.get(command) ?? []
  }
}
