import type { CallOptions, ServiceClient } from '#main/api/client.ts'
import type { Clock } from '#main/lib/async.ts'
import type { ArgumentsFor, EndpointPath } from '#shared/api/endpoints.ts'
import { settled } from '#test/src-main/reports/clock.ts'

/** An app that was killed hears nothing any more, of whatever it waited for. */
const never = () => new Promise<never>(() => undefined)

/** Undoes what was begun, as the end of a process does to a transaction. */
export class Killed extends Error {}

/** One life of the app: after so many steps it ends, in the middle of whatever it does. */
export class Life {
  #left: number
  steps = 0
  dead = false

  constructor(steps: number) {
    this.#left = steps
  }

  /** From now on it has so many steps left. */
  shorten(steps: number): void {
    this.#left = steps
  }

  /** Does something that the app waits for; it may be killed before it is begun, or before it hears of it. */
  async step<T>(work: () => Promise<T>): Promise<T> {
    if (this.#dies()) return never()
    const result = await work()
    return this.#dies() ? never() : result
  }

  /** Something that nobody can wait for, such as one row of a transaction. @throws where it is killed there */
  inside(): void {
    if (this.#dies()) throw new Killed('Killed in the middle of it')
  }

  #dies(): boolean {
    this.steps += 1
    this.#left -= 1
    if (this.#left <= 0) this.dead = true
    return this.dead
  }
}

/** @param turns how long an answer is on its way, in turns of the event loop */
export function crashingClient(client: ServiceClient, life: Life, turns: () => number): ServiceClient {
  return {
    ...client,
    call: <P extends EndpointPath>(path: P, given: ArgumentsFor<P>, options?: CallOptions) =>
      life.step(async () => {
        const answer = await client.call(path, given, options)
        for (let left = turns(); left > 0; left -= 1) await settled()
        return answer
      }),
  }
}

type Alarm = { readonly at: number; readonly ring: () => void }

/** A clock whose time of day jumps, while what waits for it goes by how much time has passed. */
export class JumpingClock implements Clock {
  #passed = 0
  #jumped: number
  #alarms: Alarm[] = []

  constructor(start: string) {
    this.#jumped = Date.parse(start)
  }

  readonly now = () => this.#jumped + this.#passed

  readonly wait = (milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const alarm = { at: this.#passed + milliseconds, ring: resolve }
      this.#alarms.push(alarm)
      signal.addEventListener('abort', () => {
        this.#alarms = this.#alarms.filter((each) => each !== alarm)
        reject(new DOMException('stopped', 'AbortError'))
      })
    })

  /** Lets time pass, and rings whoever waited. */
  pass(milliseconds: number): void {
    this.#passed += milliseconds
    const due = this.#alarms.filter(({ at }) => at <= this.#passed)
    this.#alarms = this.#alarms.filter(({ at }) => at > this.#passed)
    for (const { ring } of due) ring()
  }

  /** Somebody sets the clock. */
  jump(milliseconds: number): void {
    this.#jumped += milliseconds
  }

  /** Whoever waited was killed. */
  forgetAlarms(): void {
    this.#alarms = []
  }
}
