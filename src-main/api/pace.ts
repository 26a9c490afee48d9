import type { Clock } from '#main/lib/async.ts'

/** Requests that begin within so many milliseconds count together. */
const within = 1_000
/** So many of one account's requests are a run: the pages and days of one question, which nothing slows down. */
const runFrom = 4

/** A request as far as its turn hangs on it. */
type Paced = {
  readonly priority: 'person' | 'background'
  /** Whose request it is: the same value for all of one client. */
  readonly who: unknown
}

type Begun = Paced & { readonly time: number; readonly isOfRun: boolean }

/**
 * How fast requests of many accounts may follow each other to one service: so many a second. One account alone is not slowed down, nor is
 * the account that a person looks at while others are polled behind it, nor one run of many requests.
 */
export class Pace {
  readonly #perSecond: number
  readonly #clock: Clock
  #begun: Begun[] = []
  /** Whose run is not slowed down: one at a time, so that many gathers do not multiply. */
  #runner: unknown = null
  #waits = false

  constructor(perSecond: number, clock: Clock) {
    this.#perSecond = perSecond
    this.#clock = clock
  }

  /**
   * Whether a request may begin now.
   * @param there all that wait or run, this one among them
   */
  allows(paced: Paced, there: readonly Paced[]): boolean {
    this.#forget()
    if (this.#isOfRun(paced, there) || this.#isAlone(paced, there)) return true
    const counted = this.#begun.filter((begun) => !begun.isOfRun && !this.#isAlone(begun, there))
    return counted.length < this.#perSecond
  }

  /** Notes that a request begins. */
  note({ priority, who }: Paced, there: readonly Paced[]): void {
    const isOfRun = this.#isOfRun({ priority, who }, there)
    this.#begun.push({ priority, who, isOfRun, time: this.#clock.now() })
  }

  /** Calls back once another may begin, where some are held back. */
  whenNext(callback: () => void): void {
    const [first] = this.#begun.filter(({ isOfRun }) => !isOfRun)
    if (this.#waits || first === undefined) return
    this.#waits = true
    const again = () => {
      this.#waits = false
      callback()
    }
    const wait = Math.max(1, first.time + within - this.#clock.now())
    this.#clock.wait(Math.min(wait, within), new AbortController().signal).then(again, again)
  }

  /** Whether nobody else asks with the same urgency, or has just asked. */
  #isAlone({ priority, who }: Paced, there: readonly Paced[]): boolean {
    const isOther = (paced: Paced) => paced.priority === priority && paced.who !== who
    return !there.some(isOther) && !this.#begun.some(isOther)
  }

  #isOfRun({ who }: Paced, there: readonly Paced[]): boolean {
    const isRun = (one: unknown) => there.filter((paced) => paced.who === one).length >= runFrom
    if (this.#runner !== null && !isRun(this.#runner)) this.#runner = null
    if (this.#runner === null && isRun(who)) this.#runner = who
    return this.#runner === who
  }

  /** What began longer ago does not count; nor does what is of a time to come: the clock was set back since. */
  #forget(): void {
    const now = this.#clock.now()
    this.#begun = this.#begun.filter(({ time }) => time <= now && now - time < within)
  }
}
