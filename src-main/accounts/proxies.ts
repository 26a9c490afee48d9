import type { ProxyOrigin, ProxyState } from '#shared/accounts/account.ts'
import { invalid, deskFailure } from '#shared/api/failure.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Handlers } from '#main/lib/module.ts'
import { systemClock, withTimeout } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import { proxyAsks, signInMethodOf } from '#main/api/transport/proxy-access.ts'
import type { ProxyAccess, ProxyAnswer, ProxyPass, SignInMethod } from '#main/api/transport/proxy-access.ts'
import type { KeychainEntries } from './keychain-entries.ts'
import { ProxyPassword, checkedPassword } from './proxy-password.ts'

/** Sends one request with this header to a proxy. @returns the status of the response */
type ProbeProxy = (order: {
  readonly proxy: ProxyOrigin
  readonly authority: string
  readonly authorization: string
}) => Promise<number>

/** Why requests through a proxy are suspended. */
type Asks = {
  readonly wanted: SignInMethod
  /** Host and port of the last request, used to test credentials. */
  readonly authority: string
  readonly refusedSaved: boolean
  /** When requests are retried automatically; null: the user must sign in. */
  readonly until: number | null
}

/** State of one proxy in this session. */
type Known = {
  password: ProxyPassword | null
  stored: 'keychain' | 'session' | null
  /** Version of the credentials. A response to earlier credentials is ignored. */
  version: number
  /**
   * Whether the proxy accepted the credentials. Until then CONNECT requests run one at a time, because failures may
   * lock the user out.
   */
  proved: boolean
  trying: { readonly over: Promise<void>; readonly end: () => void } | null
  asks: Asks | null
}

/**
 * Pause in milliseconds after an unsupported authentication method. The network's own program may sign in in the
 * meantime.
 */
const REST = 5 * 60_000
/** Maximum wait for the first CONNECT, in milliseconds. */
const FIRST = 5_000

/**
 * Proxy credentials, one per origin, in the keychain or in memory. After a proxy requires authentication, requests fail
 * as `proxy-sign-in` until the user signs in or retries, the computer wakes, or `REST` after an unsupported method.
 */
export class Proxies implements ProxyAccess {
  readonly #keychain: KeychainEntries
  readonly #events: AppEvents
  readonly #probe: ProbeProxy
  readonly #clock: Clock
  readonly #entries = new Map<ProxyOrigin, Promise<Known>>()
  /** Loaded values of `#entries`. */
  readonly #there = new Map<ProxyOrigin, Known>()
  /** Keychain writes run one at a time, so that a slow removal cannot delete a later entry. */
  readonly #writing = new Lane()

  constructor(keychain: KeychainEntries, events: AppEvents, probe: ProbeProxy, clock: Clock = systemClock) {
    this.#keychain = keychain
    this.#events = events
    this.#probe = probe
    this.#clock = clock
  }

  /** Proxies that need the user's attention. */
  asking(): readonly ProxyState[] {
    return this.#met().filter(({ kind: as }) => as !== 'signed-in')
  }

  /** Proxies that need the user's attention, or have credentials. */
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
      // A CONNECT that hangs must not block the others.
      const late = { milliseconds: FIRST, clock: this.#clock }
      await withTimeout(late, async (signal) => {
        while (!mayTry()) await known.trying?.over
        if (!signal.aborted) tries()
      }).catch(tries)
    }
    if (this.#isHeld(known)) throw proxyAsks(origin, known.asks.wanted)
    return { authorization: known.password?.headerFor(origin) ?? null, version: known.version }
  }

  async onProxyAnswer({
    origin,
    authority,
    version,
    status,
    challenges,
  }: ProxyAnswer): Promise<'through' | 'again'> {
    const known = await this.#knownOf(origin)
    if (version !== known.version) return status === 407 ? 'again' : 'through'
    if (status !== null && status !== 407) known.proved = true
    if (status === 407 && !this.#isHeld(known))
      this.#hold(origin, known, authority, signInMethodOf(challenges))
    known.trying?.end()
    known.trying = null
    if (status === 407 && known.asks) throw proxyAsks(origin, known.asks.wanted)
    return 'through'
  }

  /**
   * Tests credentials with a proxy, and stores accepted ones.
   * @returns the storage used: `session` also if the keychain refuses
   * @throws DeskFailure `invalid` if the proxy rejects the credentials or no longer requires them; ServiceFailure if
   * the proxy does not respond
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
      // Credentials are sent only to a proxy that required them, whatever origin the window names.
      if (known?.asks?.wanted.kind !== 'basic') throw notAsking()
      const password = checkedPassword(proxy, given.name, given.password)
      const { authority } = known.asks
      const status = await this.#probe({ proxy, authority, authorization: password.headerFor(proxy) })
      if (status === 407) throw rejectionFailure()
      const stored = await this.#store(proxy, password, storage)
      become(known, { password, stored, proved: true })
      this.#goOn()
      return { stored }
    })
  }

  /** Removes a proxy's credentials. @throws DeskFailure `no-keychain` if the keychain does not delete them */
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

  /** Retries all suspended proxies, at the user's request or after the computer woke up, perhaps on another network. */
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

  #hold(origin: ProxyOrigin, known: Known, authority: string, wanted: SignInMethod): void {
    const refusedSaved = known.password !== null && wanted.kind === 'basic'
    const until = wanted.kind === 'basic' ? null : this.#clock.now() + REST
    become(known, {
      ...{ proved: false, asks: { wanted, authority, refusedSaved, until } },
      // Rejected credentials are dropped, because some proxies lock the user after repeated failures.
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
    const reading = this.#entries.get(origin) ?? this.#read(origin)
    this.#entries.set(origin, reading)
    return reading
  }

  /** Reads only existing entries, because a locked keychain prompts the user on each access. */
  async #read(origin: ProxyOrigin): Promise<Known> {
    const isStored = this.#keychain.proxies().includes(origin)
    const entry = isStored ? await this.#keychain.get(origin).catch(() => undefined) : undefined
    // The entry was deleted by hand, or the profile was copied from another computer.
    if (entry === null) await this.#keychain.remove(origin).catch(() => undefined)
    const password = entry ? ProxyPassword.fromEntry(entry, origin) : null
    const known: Known = {
      ...{ password, stored: password && 'keychain' },
      ...{ version: 0, proved: false, trying: null, asks: null },
    }
    this.#there.set(origin, known)
    return known
  }
}

/** Changes the state, and by default ends the suspension. */
function become(known: Known, change: Partial<Known>): void {
  known.trying?.end()
  Object.assign(known, { trying: null, asks: null, version: known.version + 1 }, change)
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

const rejectionFailure = () =>
  invalid('The proxy rejected this name and password. Check both and retype the password.', 'password')

const stays = (cause: unknown) =>
  deskFailure(
    'no-keychain',
    'The password is no longer used but is still in the keychain. Unlock the keychain and try again.',
    { cause },
  )
