/** A short word about what was just done, with a way back where there is one. */
export type Message = {
  readonly id: number
  readonly text: string
  readonly action: { readonly words: string; readonly run: () => void } | null
}

/** What was just done, said at the window's foot and by screen readers. */
export class Messages {
  list = $state.raw<readonly Message[]>([])
  #last = 0

  say(text: string, action: Message['action'] = null): void {
    this.#last += 1
    this.list = [...this.list.slice(-2), { id: this.#last, text, action }]
  }

  dismiss(id: number): void {
    this.list = this.list.filter((each) => each.id !== id)
  }
}
