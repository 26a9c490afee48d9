import type { Message, MessageBus } from 'dbus-native'

/** An interface of a service on the session bus. */
export type BusTarget = { readonly destination: string; readonly path: string; readonly interface: string }

/** A call left, and nobody knows what became of it. */
export class NoReply extends Error {}

const daemon: BusTarget = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
}

/** Of messages (D-Bus specification, message types). */
const SIGNAL = 4

/** No sender has this name. */
const nobody = ' '

/** In milliseconds. */
const CALL_TIMEOUT = 5000

/**
 * Joins the session bus; null where there is none. The library is loaded with the first use.
 * @param lost hears, once, that the bus has gone
 */
export async function joinSessionBus(lost: () => void): Promise<SessionBus | null> {
  if (!process.env['DBUS_SESSION_BUS_ADDRESS'] && !process.env['XDG_RUNTIME_DIR']) return null
  const { sessionBus } = await import('dbus-native')
  const bus = sessionBus()
  const gone = new Promise<null>((resolve) => {
    bus.connection.once('error', () => resolve(null))
    bus.connection.once('end', () => resolve(null))
  })
  const joined = await Promise.race([
    gone,
    bus.invoke<unknown>({ ...daemon, member: 'GetId' }).catch(() => null),
  ])
  if (joined === null) return null
  void gone.then(lost)
  return busOf(bus)
}

/** The part of the library's bus that is used. */
export type RawBus = Pick<MessageBus, 'invoke' | 'addMatch' | 'sendSignal' | 'close'> & {
  readonly connection: Pick<MessageBus['connection'], 'on' | 'off'>
}

/** The session bus of a Linux desktop. */
export type SessionBus = ReturnType<typeof busOf>

type OnSignal = (member: string, body: readonly unknown[]) => void

type BusCall = [target: BusTarget, member: string, signature?: string, body?: unknown[]]

/**
 * Calls a member and gives what it answers.
 * @param signature D-Bus types of `body`; left out where there is none
 * @throws NoReply where it was sent and nobody answers within 5 seconds; else where nobody of this name is there
 */
async function callMember(bus: RawBus, ...[target, member, signature, body]: BusCall): Promise<unknown> {
  const message = { ...target, member, ...(signature && { signature, body: body ?? [] }) }
  try {
    return await bus.invoke<unknown>(message, { timeout: CALL_TIMEOUT })
  } catch (error) {
    const isLate = error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT'
    throw isLate ? new NoReply(error.message, { cause: error }) : error
  }
}

/** The session bus over a connection that stands. */
export function busOf(bus: RawBus) {
  const call = (...args: BusCall) => callMember(bus, ...args)

  /** Hears signals of one sender: the name that the bus gave it, which nobody else can have. */
  function listenTo(
    { destination, path, interface: of }: BusTarget,
    sender: () => string,
    onSignal: OnSignal,
  ): () => void {
    const onMessage = (message: Message) => {
      if (message.sender !== sender() || message.path !== path || message.interface !== of) return
      const body: unknown = message.body ?? []
      if (message.type !== SIGNAL || !message.member || !Array.isArray(body)) return
      onSignal(message.member, body as readonly unknown[])
    }
    bus.connection.on('message', onMessage)
    const rule = `type='signal',sender='${destination}',path='${path}',interface='${of}'`
    void bus.addMatch(rule).catch(() => undefined)
    return () => bus.connection.off('message', onMessage)
  }

  /** Hears who owns a name now and whenever that changes; empty where nobody does. The result ends it. */
  function follow(name: string, onSignal: (owner: string) => void): () => void {
    const end = listenTo(
      daemon,
      () => daemon.destination,
      (member, [changed, , owner]) => {
        if (member === 'NameOwnerChanged' && changed === name && typeof owner === 'string') onSignal(owner)
      },
    )
    call(daemon, 'GetNameOwner', 's', [name]).then(
      (owner) => onSignal(String(owner)),
      () => onSignal(''),
    )
    return end
  }

  return {
    call,
    follow,
    /** Tells whoever listens, and hears nothing of it. @param signature D-Bus types of `body` */
    signal: (
      { path, interface: of }: Omit<BusTarget, 'destination'>,
      member: string,
      signature: string,
      body: unknown[],
    ): void => bus.sendSignal(path, of, member, signature, body),
    /**
     * Hears signals of a service; the result ends it. Any program on the bus may send any signal: only those are heard that
     * come from the owner of its name, at its path, on its interface.
     * @param changed hears that its name has another owner now, or none
     */
    listen: (from: BusTarget, onSignal: OnSignal, changed: () => void): (() => void) => {
      /** Nobody, until it is known. */
      let owner = ''
      const ends = [
        follow(from.destination, (now) => {
          if (owner !== '' && now !== owner) changed()
          owner = now
        }),
        listenTo(from, () => owner || nobody, onSignal),
      ]
      return () => ends.forEach((end) => end())
    },
    close: (): Promise<void> => bus.close().catch(() => undefined),
  }
}
