import type { ProxyOrigin, ProxyState } from '#shared/accounts/account.ts'
import { invalid, deskFailure } from '#shared/api/failure.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Handlers } from '#main/lib/module.ts'
import { systemClock, withTimeout } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import { proxyAsks, wantedBy } from '#main/api/transport/proxy-access.ts'
import type { ProxyAccess, ProxyAnswer, ProxyPass, Wanted } from '#main/api/transport/proxy-access.ts'
import type { KeychainEntries } from './keychain-entries.ts'
import { ProxyPassword, checkedPassword } from './proxy-password.ts'

/** Asks a proxy once, with this header. @returns the status of its answer */
type ProbeProxy = (order: {
  readonly proxy: ProxyOrigin
  readonly place: string
  readonly authorization: string
}) => Promise<number>

/** Why a proxy is not asked. */
type Asks = {
  readonly wanted: Wanted
  /** Of whoever was asked for last: what a sign-in is tried with. */
  readonly place: string
  readonly refusedSaved: boolean
  /** When it is asked again automatically; null where a person has to sign in. */
  readonly until: number | null
}

/** What is known of one proxy in this session. */
type Known = {
  password: ProxyPassword | null
  stored: 'keychain' | 'session' | null
  /** Counts names and passwords: what a proxy says of an earlier one says nothing of this one. */
  turn: number
  /** Whether it lets through who asks like this. Until then one CONNECT goes at a time: each wrong one counts against a person. */
  proved: boolean
  trying: { readonly over: Promise<void>; readonly end: () => void } | null
  asks: Asks | null
}

/** How long a way that was not spoken here is left alone: the network's own program may open it meanwhile. In milliseconds. */
const REST = 5 * 60_000
/** How long a CONNECT waits for the first one of all, in milliseconds. */
const FIRST = 5_000

/**
 * Names and passwords for proxies, each for one origin: in the keychain, or in memory until the app ends. A proxy that
 * has asked for one is left alone until a person has signed in, or says to try again.
 */
export class Proxies implements ProxyAccess {
  readonly #keychain: Pick<KeychainEntries, 'get' | 'set' | 'remove' | 'proxies'>
  readonly #events: Emitter
  readonly #probe: ProbeProxy
  readonly #clock: Clock
  readonly #known = new Map<ProxyOrigin, Promise<Known>>()
  /** The same, as far as it is there. */
  readonly #there = new Map<ProxyOrigin, Known>()
  /** What the keychain is told, one after the other: what is taken out late must not be what was put in meanwhile. */
  readonly #writing = new Lane()

  constructor(
    keychain: Pick<KeychainEntries, 'get' | 'set' | 'remove' | 'proxies'>,
    events: Emitter,
    probe: ProbeProxy,
    clock: Clock = systemClock,
  ) {
    this.#keychain = keychain
    this.#events = events
    this.#probe = probe
    this.#clock = clock
  }

  /** Those that wait for a person. */
  asking(): readonly ProxyState[] {
    return this.#met().filter(({ kind: as }) => as !== 'signed-in')
  }

  /** All that wait for a person, or that somebody has signed in to. */
  list(): readonly ProxyState[] {
    const stored = this.#keychain.proxies().filter((origin) => !this.#there.has(origin))
    return [
      ...this.#met(),
      ...stored.map((origin): ProxyState => ({ origin, kind: 'signed-in', stored: 'keychain' })),
    ]
  }

  #met(): readonly ProxyState[] {
    return [...this.#there].flatMap(([origin, known]) => stateOf(origin, known) ?? [])
  }

  async passFor(origin: ProxyOrigin): Promise<ProxyPass> {
    const known = await this.#knownOf(origin)
    const mayTry = () => known.proved || known.trying === null || this.#isHeld(known)
    const tries = () => {
      if (!known.proved && !this.#isHeld(known)) known.trying = trying()
    }
    if (mayTry()) tries()
    else {
      // One that never comes back must not hold up everybody.
      const late = { milliseconds: FIRST, clock: this.#clock }
      await withTimeout(late, async (signal) => {
        while (!mayTry()) await known.trying?.over
        if (!signal.aborted) tries()
      }).catch(tries)
    }
    if (this.#isHeld(known)) throw proxyAsks(origin, known.asks.wanted)
    return { authorization: known.password?.headerFor(origin) ?? null, turn: known.turn }
  }

  async onProxyAnswer({
    origin,
    place,
    turn,
    status,
    challenges,
  }: ProxyAnswer): Promise<'through' | 'again'> {
    const known = await this.#knownOf(origin)
    if (turn !== known.turn) return status === 407 ? 'again' : 'through'
    if (status !== null && status !== 407) known.proved = true
    if (status === 407 && !this.#isHeld(known)) this.#hold(origin, known, place, wantedBy(challenges))
    known.trying?.end()
    known.trying = null
    if (status === 407 && known.asks) throw proxyAsks(origin, known.asks.wanted)
    return 'through'
  }

  /**
   * Asks a proxy with a name and password, and holds on to them where it lets them through.
   * @returns where they are from now on: `session` also where no keychain took them
   * @throws DeskFailure `invalid` where the proxy refuses them, or where it does not ask; ServiceFailure where it does not answer
   */
  signIn(given: {
    readonly proxy: ProxyOrigin
    readonly name: string
    readonly password: string
    readonly storage: 'keychain' | 'session'
  }): Promise<{ readonly stored: 'keychain' | 'session' }> {
    const { proxy, storage } = given
    return this.#writing.run(async () => {
      const known = this.#there.get(proxy)
      // Whoever speaks for the window names no proxy that did not ask: nothing typed goes anywhere else.
      if (known?.asks?.wanted.kind !== 'basic') throw notAsking()
      const password = checkedPassword(proxy, given.name, given.password)
      const { place } = known.asks
      const status = await this.#probe({ proxy, place, authorization: password.headerFor(proxy) })
      if (status === 407) throw refused()
      const stored = await this.#store(proxy, password, storage)
      become(known, { password, stored, proved: true })
      this.#goOn()
      return { stored }
    })
  }

  /**
   * Forgets what a proxy is told.
   * @throws DeskFailure `no-keychain` where the keychain holds on to it
   */
  async forget(origin: ProxyOrigin): Promise<void> {
    if (!this.list().some((proxyState) => proxyState.origin === origin)) return
    const known = await this.#knownOf(origin)
    become(known, { password: null, proved: false })
    await this.#writing
      .run(() => this.#keychain.remove(origin))
      .catch((cause: unknown) => {
        throw stays(cause)
      })
    known.stored = null
    this.#emit()
  }

  /** Lets the next request ask each proxy again: the person says so, or the computer woke up, maybe elsewhere. */
  tryAgain(): void {
    const waiting = [...this.#there.values()].filter(({ asks }) => asks !== null)
    if (waiting.length === 0) return
    for (const known of waiting) become(known, { proved: false })
    this.#goOn()
  }

  readonly handlers = {
    'proxies/list': () => this.list(),
    'proxies/sign-in': (entry) => this.signIn(entry),
    'proxies/try-again': () => {
      this.tryAgain()
      return null
    },
    'proxies/forget': async ({ proxy }) => {
      await this.forget(proxy)
      return null
    },
  } satisfies Partial<Handlers>

  /** Who waits for a person is other than before. */
  #emit(): void {
    this.#events.emit({ kind: 'proxies/changed', proxies: this.asking() })
  }

  #goOn(): void {
    this.#emit()
    this.#events.emit({ kind: 'proxies/open' })
  }

  #isHeld(known: Known): known is Known & { asks: Asks } {
    if (known.asks === null) return false
    const { until } = known.asks
    if (until === null || this.#clock.now() < until) return true
    become(known, { proved: false })
    this.#emit()
    return false
  }

  #hold(origin: ProxyOrigin, known: Known, place: string, wanted: Wanted): void {
    const refusedSaved = known.password !== null && wanted.kind === 'basic'
    const until = wanted.kind === 'basic' ? null : this.#clock.now() + REST
    become(known, {
      ...{ proved: false, asks: { wanted, place, refusedSaved, until } },
      // It is not told twice what it refused: a few times more, and some lock a person out.
      ...(refusedSaved && { password: null, stored: null }),
    })
    this.#emit()
    if (!refusedSaved) return
    this.#writing.run(() => this.#keychain.remove(origin)).catch(() => undefined)
  }

  async #store(origin: ProxyOrigin, password: ProxyPassword, storage: 'keychain' | 'session') {
    try {
      if (storage === 'keychain') await this.#keychain.set(origin, password.toEntry())
      else if (this.#keychain.proxies().includes(origin)) await this.#keychain.remove(origin)
      return storage
    } catch {
      return 'session'
    }
  }

  #knownOf(origin: ProxyOrigin): Promise<Known> {
    const reading = this.#known.get(origin) ?? this.#read(origin)
    this.#known.set(origin, reading)
    return reading
  }

  /** The keychain is asked for proxies alone that it has something for: a locked one asks the person each time. */
  async #read(origin: ProxyOrigin): Promise<Known> {
    const isStored = this.#keychain.proxies().includes(origin)
    const entry = isStored ? await this.#keychain.get(origin).catch(() => undefined) : undefined
    // It was taken out by hand, or the profile is another computer's.
    if (entry === null) await this.#keychain.remove(origin).catch(() => undefined)
    const password = entry ? ProxyPassword.fromEntry(entry, origin) : null
    const known: Known = {
      ...{ password, stored: password && 'keychain' },
      ...{ turn: 0, proved: false, trying: null, asks: null },
    }
    this.#there.set(origin, known)
    return known
  }
}

/** Changes what is known; where nothing else is said, the proxy is not held against anybody any more. */
function become(known: Known, change: Partial<Known>): void {
  known.trying?.end()
  Object.assign(known, { trying: null, asks: null, turn: known.turn + 1 }, change)
}

function trying(): NonNullable<Known['trying']> {
  let end = () => {}
  const over = new Promise<void>((resolve) => (end = resolve))
  return { over, end }
}

function stateOf(origin: ProxyOrigin, { asks, stored }: Known): ProxyState | null {
  if (asks?.wanted.kind === 'other-kind') return { origin, kind: 'other-kind', kinds: asks.wanted.kinds }
  if (asks) return { origin, kind: 'asks', refusedSaved: asks.refusedSaved }
  return stored && { origin, kind: 'signed-in', stored }
}

const notAsking = () => invalid('This proxy no longer asks for a name and password.')

const refused = () =>
  invalid('The proxy rejected this name and password. Check both and retype the password.', 'password')

const stays = (cause: unknown) =>
  deskFailure(
    'no-keychain',
    'The password is no longer used but is still in the keychain. Unlock the keychain and try again.',
    { cause },
  )
