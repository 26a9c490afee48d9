import { untrack } from 'svelte'
import type { AskProgress, DeskBridge } from '#shared/bridge/calls.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { apart } from './apart.ts'
import type { App } from './app.ts'

/** So long an older answer may stay, dimmed and under its own name, before the place of the new one is drawn. */
const LINGER = 150
/** After this long without an answer the window says that it waits, and offers to stop. */
const LONG_WAIT = 3000
/** Answers that change keep being asked for, but no more often than this. */
const CHANGE_INTERVAL = 1000
/** A window that is left open asks again this often. */
const STALE_AFTER = 5 * 60_000

/** How one kind of question is asked of the main process, and under which key it goes there (reports/query.ts). */
export type QueryAdapter<Q, A> = {
  readonly keyOf: (question: Q) => string
  readonly call: (bridge: DeskBridge, account: AccountId, question: Q, force: boolean) => Promise<Outcome<A>>
  /**
   * Of what lies on this machine: its answer never grows old, and the one before it stays until it comes. How the main process
   * is told to give it up.
   */
  readonly local?: (bridge: DeskBridge) => void
}

type Answered<Q, A> = { readonly key: string; readonly question: Q; readonly answer: A }

/** What is drawn of an inquiry. `dimmed`: the answer is that to the question before. */
export type Found<Q, A> =
  | { readonly kind: 'answer'; readonly question: Q; readonly answer: A; readonly dimmed: boolean }
  | { readonly kind: 'skeleton' }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'nothing' }

/**
 * What may take many requests to answer: one question, how far it is, its answer. The later question wins; whatever an older
 * one still brings is dropped. It is asked again when the main process says that its answer changed.
 */
export class Inquiry<Q, A> {
  failure = $state.raw<Failure | null>(null)
  asking = $state(false)
  waitsLong = $state(false)
  /** The person stopped it: nothing is asked again by itself until they ask. */
  cancelled = $state(false)
  /** How far it is, where the main process tells. */
  progress = $state.raw<Pick<AskProgress, 'done' | 'of' | 'unit'> | null>(null)
  #question = $state.raw<Q | null>(null)
  #answered = $state.raw<Answered<Q, A> | null>(null)
  #lingering = $state(false)
  #key = $state<string | null>(null)
  #turn = 0
  #askedAt = 0
  #lastChange = 0
  #changedMeanwhile = false
  #timers: ReturnType<typeof setTimeout>[] = []
  readonly #bridge: DeskBridge
  readonly #account: AccountId
  readonly #adapter: QueryAdapter<Q, A>
  readonly #stopListening: readonly (() => void)[]

  constructor(bridge: DeskBridge, account: AccountId, adapter: QueryAdapter<Q, A>) {
    this.#bridge = bridge
    this.#account = account
    this.#adapter = adapter
    this.#stopListening = [
      bridge.on('reports/changed', (event) => {
        if (event.account === account && event.key === this.#key) this.#change()
      }),
      bridge.on('reports/progress', ({ account: whose, key, done, of, unit }) => {
        if (whose === account && key === this.#key && this.asking) this.progress = { done, of, unit }
      }),
      bridge.on('connection/changed', ({ account: whose, connection }) => {
        if (!adapter.local && whose === account && connection.kind === 'online' && this.failure)
          this.#change()
      }),
    ]
  }

  /** The answer to the newest question, where there is one already. */
  get answer(): A | null {
    return this.#answered?.key === this.#key ? this.#answered.answer : null
  }

  get found(): Found<Q, A> {
    if (this.#key === null) return { kind: 'nothing' }
    const answered = this.#answered
    if (answered?.key === this.#key) return { kind: 'answer', ...answered, dimmed: false }
    if (this.cancelled) return { kind: 'cancelled' }
    if (this.failure) return { kind: 'failure', failure: this.failure }
    if (answered && (this.#lingering || this.#adapter.local))
      return { kind: 'answer', ...answered, dimmed: true }
    return { kind: 'skeleton' }
  }

  /** Asks; null gives up what was asked and shows nothing. `force` asks the service even where what is kept is fresh. */
  async ask(question: Q | null, force = false): Promise<void> {
    if (question === null) {
      this.#rest()
      return
    }
    const key = this.#adapter.keyOf(question)
    const turn = this.#begin(question, key)
    const outcome = await this.#adapter.call(this.#bridge, this.#account, question, force)
    if (turn !== this.#turn) return
    this.#settle()
    if (outcome.ok) this.#answered = { key, question, answer: outcome.value }
    else if (outcome.failure.kind === 'cancelled') this.cancelled = true
    else this.failure = outcome.failure
    if (this.#changedMeanwhile) this.#change()
  }

  /** Asks the same again; nothing where nothing was asked. */
  again(force = false): void {
    if (this.#question !== null && !(this.asking && !force)) void this.ask(this.#question, force)
  }

  /** Asks again where the last time is so long ago that the figures may be stale; the main process decides. */
  keepFresh(now: number): void {
    if (this.#adapter.local) return
    if (apart(now, this.#askedAt) > STALE_AFTER && !this.failure && !this.cancelled) this.again()
  }

  /** Gives up waiting. What is there stays, and what has come is still shown. */
  cancel(): void {
    if (this.#key === null) return
    // Of what is counted there may be a part already: the main process answers with that.
    const mayBePart = this.asking && this.progress !== null
    const turn = this.#turn
    this.#giveUp()
    if (mayBePart) this.#turn = turn
    this.cancelled = true
  }

  /** Ends listening, and what is still being asked. */
  close(): void {
    this.#stopListening.forEach((stop) => stop())
    this.#giveUp()
  }

  #begin(question: Q, key: string): number {
    const another = key !== this.#key
    if (another) this.#giveUp()
    else this.#settle()
    this.#question = question
    this.#key = key
    if (another) this.#lingering = true
    this.#timers.push(setTimeout(() => (this.#lingering = false), LINGER))
    this.#timers.push(setTimeout(() => (this.waitsLong = true), LONG_WAIT))
    this.asking = true
    this.cancelled = false
    this.failure = null
    this.#changedMeanwhile = false
    this.#askedAt = Date.now()
    this.#turn += 1
    return this.#turn
  }

  #rest(): void {
    this.#giveUp()
    this.#question = null
    this.#key = null
    this.#answered = null
    this.failure = null
    this.cancelled = false
  }

  /** Whatever is still being asked is not waited for any more, and the main process hears of it. */
  #giveUp(): void {
    if (this.asking && this.#adapter.local) this.#adapter.local(this.#bridge)
    else if (this.asking && this.#key !== null) {
      void this.#bridge.call('reports/cancel', { account: this.#account, key: this.#key })
    }
    this.#turn += 1
    this.#settle()
  }

  #settle(): void {
    this.#timers.forEach(clearTimeout)
    this.#timers = []
    this.asking = false
    this.waitsLong = false
    this.progress = null
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

/**
 * An inquiry that is made whenever `question` becomes another (and ended when it becomes null), for as long as the calling
 * component is on screen. To be called while a component is set up.
 */
export function inquireWhileShown<Q, A>(
  app: App,
  account: AccountId,
  adapter: QueryAdapter<Q, A>,
  question: () => Q | null,
): Inquiry<Q, A> {
  const inquiry = new Inquiry(app.bridge, account, adapter)
  const key = $derived.by(() => {
    const asked = question()
    return asked === null ? null : adapter.keyOf(asked)
  })
  $effect(() => {
    void key
    untrack(() => void inquiry.ask(question()))
  })
  $effect(() => {
    const { now } = app.clock
    untrack(() => inquiry.keepFresh(now))
  })
  $effect(() => () => inquiry.close())
  return inquiry
}
