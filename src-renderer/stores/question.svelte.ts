import type { AskProgress, DeskBridge } from '#shared/bridge/calls.ts'
import { answerKey, queryKey } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { apart } from './apart.ts'
import type { HeadStart } from './head-start.ts'
import { markPainted } from './painted.ts'

/** After this long without an answer the window says that it waits, and offers to stop. */
export const LONG_WAIT = 3000
/** So long an older answer may stay, dimmed and under its own name, before the place of the new one is drawn. */
export const LINGER = 150
/** A window that is left open asks again this often. */
const STALE_AFTER = 5 * 60_000
/** Answers that change keep being asked for, but no more often than this. */
const CHANGE_INTERVAL = 1000

export type Progress = Pick<AskProgress, 'done' | 'of' | 'unit'>

type Answered = { readonly key: string; readonly answer: ReportAnswer }

/** What a view draws of a question. `dimmed`: the figures are those of the question before. */
export type Showing =
  | { readonly kind: 'figures'; readonly answer: ReportAnswer; readonly dimmed: boolean }
  | { readonly kind: 'skeleton' }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'cancelled' }

/**
 * One question of a view and its answer. Asking anew supersedes: whatever an older question still brings is dropped.
 * It asks again when the main process says that the answer changed.
 */
export class Question {
  query = $state.raw<ReportQuery | null>(null)
  /** Why the newest attempt brought nothing; null where it did. */
  failure = $state.raw<Failure | null>(null)
  asking = $state(false)
  waitsLong = $state(false)
  /** How far it is, where many days or pages are fetched for it. */
  progress = $state.raw<Progress | null>(null)
  /** The person stopped it: nothing is asked again by itself until they ask. */
  cancelled = $state(false)
  #answered = $state.raw<Answered | null>(null)
  #lingering = $state(true)
  #key = $state('')
  #turn = 0
  #askedAt = 0
  #lastChange = 0
  #changedMeanwhile = false
  #timers: ReturnType<typeof setTimeout>[] = []
  readonly #bridge: DeskBridge
  readonly #account: AccountId
  readonly #headStart: HeadStart | null
  readonly #stopListening: readonly (() => void)[]

  constructor(bridge: DeskBridge, account: AccountId, headStart: HeadStart | null = null) {
    this.#bridge = bridge
    this.#headStart = headStart
    this.#account = account
    this.#stopListening = [
      bridge.on('reports/changed', ({ account: whose, key }) => {
        if (whose === account && key === this.#key) this.#change()
      }),
      bridge.on('reports/progress', ({ account: whose, key, done, of, unit }) => {
        if (whose === account && key === this.#key && this.#waits) this.progress = { done, of, unit }
      }),
      bridge.on('connection/changed', ({ account: whose, connection }) => {
        if (whose === account && connection.kind === 'online' && this.failure) this.#change()
      }),
    ]
  }

  /** The answer to the newest question, where there is one already. */
  get answer(): ReportAnswer | null {
    return this.#answered?.key === this.#key ? this.#answered.answer : null
  }

  get answered(): ReportQuery | null {
    return this.answer?.query ?? null
  }

  /** Whether newer figures are on their way. */
  get refreshing(): boolean {
    return this.answer !== null && !this.cancelled && (this.asking || this.answer.provenance.refreshing)
  }

  /** Whether anything of it is still to come. */
  get #waits(): boolean {
    return this.asking || this.refreshing
  }

  /** Whether giving up saves the service anything: one request behind kept figures may as well end. */
  get #isWork(): boolean {
    return this.asking || this.progress !== null
  }

  get showing(): Showing {
    if (this.answer) return { kind: 'figures', answer: this.answer, dimmed: false }
    if (this.cancelled) return { kind: 'cancelled' }
    if (this.failure) return { kind: 'failure', failure: this.failure }
    const older = this.#answered?.answer
    if (older && (this.#lingering || (this.query && sameSubject(older.query, this.query)))) {
      return { kind: 'figures', answer: older, dimmed: true }
    }
    return { kind: 'skeleton' }
  }

  /** Asks; `force` asks the service even where what is kept is fresh. */
  async ask(query: ReportQuery, force = false): Promise<void> {
    const key = queryKey(query)
    const turn = this.#begin(query, key)
    const ready = force ? null : this.#headStart?.take(this.#account, query)
    const outcome = ready ? ({ ok: true, value: ready } as const) : await this.#call(query, force)
    if (turn !== this.#turn) return
    this.#settle()
    // What is still fetched behind an answer goes on being counted.
    if (!outcome.ok || !outcome.value.provenance.refreshing) this.progress = null
    if (outcome.ok) {
      this.#answered = { key, answer: outcome.value }
      if (outcome.value.provenance.refreshing) this.#watchTheWait()
    } else if (outcome.failure.kind === 'cancelled') {
      this.cancelled = true
    } else {
      this.failure = outcome.failure
    }
    if (this.#changedMeanwhile) this.#change()
    await markPainted()
  }

  /** Asks the same again; nothing where nothing was asked yet. */
  again(force = false): void {
    if (this.query && !(this.asking && !force)) void this.ask(this.query, force)
  }

  /** Asks again where the last time is so long ago that the figures may be stale; the main process decides. */
  keepFresh(now: number): void {
    if (apart(now, this.#askedAt) > STALE_AFTER && !this.failure && !this.cancelled) this.again()
  }

  /** Gives up waiting. Figures that are kept stay, and what has come is still shown; without any, the view says that it was cancelled. */
  cancel(): void {
    if (!this.query) return
    // Of what is counted there may be a part already: the main process answers with that.
    if (this.progress === null || !this.asking) this.#turn += 1
    this.#settle()
    this.progress = null
    this.cancelled = true
    this.#giveUp(this.query)
  }

  /** Ends listening, and what is still being asked. */
  close(): void {
    this.#stopListening.forEach((stop) => stop())
    if (this.#isWork && this.query) this.#giveUp(this.query)
    this.#turn += 1
    this.#settle()
  }

  #begin(query: ReportQuery, key: string): number {
    const another = key !== this.#key
    if (another && this.query && this.#isWork) this.#giveUp(this.query)
    this.#settle()
    if (another) {
      this.#lingering = true
      this.progress = null
    }
    this.query = query
    this.#key = key
    this.asking = true
    this.#changedMeanwhile = false
    this.#askedAt = Date.now()
    this.cancelled = false
    this.failure = null
    this.#timers.push(setTimeout(() => (this.#lingering = false), LINGER))
    this.#watchTheWait()
    this.#turn += 1
    return this.#turn
  }

  #call(query: ReportQuery, force: boolean) {
    const account = this.#account
    if (!force && this.#headStart) return this.#headStart.ask(account, query)
    return this.#bridge.call('reports/ask', { account, query, force })
  }

  #watchTheWait(): void {
    this.#timers.push(setTimeout(() => (this.waitsLong = true), LONG_WAIT))
  }

  #settle(): void {
    this.#timers.forEach(clearTimeout)
    this.#timers = []
    this.asking = false
    this.waitsLong = false
  }

  #giveUp(query: ReportQuery): void {
    this.#headStart?.giveUp(this.#account, query)
    void this.#bridge.call('reports/cancel', { account: this.#account, key: answerKey(query) })
  }

  #change(): void {
    this.#changedMeanwhile = this.asking
    if (this.asking || this.cancelled) return
    const wait = CHANGE_INTERVAL - apart(Date.now(), this.#lastChange)
    if (wait > 0) {
      this.#timers.push(setTimeout(() => this.#change(), wait))
      return
    }
    this.#lastChange = Date.now()
    this.again()
  }
}

/** Whether two questions are about the same figures, differing only in how much of them is seen in which order. */
function sameSubject(one: ReportQuery, other: ReportQuery): boolean {
  const whole = (query: ReportQuery) =>
    queryKey(
      query.kind === 'overview'
        ? query
        : {
            ...query,
            search: null,
            startsWith: false,
            sort: [],
            page: 1,
            limit: 1,
            rates: false,
            rules: false,
            whole: false,
          },
    )
  return whole(one) === whole(other)
}
