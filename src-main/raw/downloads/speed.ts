/** Over how long a speed is taken, in milliseconds. */
const SPAN = 5000
const STEP = 250

/** How fast bytes came lately. */
export class Speed {
  #samples: { readonly at: number; readonly got: number }[] = []

  /** @param got all the bytes there are at `now` */
  add(got: number, now: number): void {
    const last = this.#samples.at(-1)
    // Less than before: it was begun again. A clock that went back makes earlier times worthless.
    if (last && (got < last.got || now < last.at)) this.#samples = []
    else if (last && now - last.at < STEP) return
    this.#samples = [...this.#samples.filter(({ at }) => now - at <= SPAN), { at: now, got }]
  }

  /** Bytes a second over the last seconds; null until there is anything to go by. */
  perSecond(got: number, now: number): number | null {
    const first = this.#samples.find(({ at }) => now - at <= SPAN)
    if (!first || now - first.at < STEP || got < first.got) return null
    return Math.round(((got - first.got) / (now - first.at)) * 1000)
  }
}
