import type { Message, MessageBus } from 'dbus-native'
import { codeOf } from '#main/lib/error-code.ts'

/** An interface of a service on the session bus. */
export type BusTarget = { readonly destination: string; readonly path: string; readonly interface: string }

/** A call was sent but got no reply; its effect is unknown. */
export class NoReply extends Error {}

const daemon: BusTarget = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
}

/** Message type of signals (D-Bus specification, message types). */
const SIGNAL = 4

/** A name that no sender can have. */
const nobody = ' '

/** In milliseconds. */
const CALL_TIMEOUT = 5000

/**
 * Joins the session bus; null if there is none. The library is loaded on first use.
 * @param lost called once when the bus is lost
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

export type RawBus = Pick<MessageBus, 'invoke' | 'addMatch' | 'sendSignal' | 'close'> & {
  readonly connection: Pick<MessageBus['connection'], 'on' | 'off'>
}

export type SessionBus = ReturnType<typeof busOf>

type OnSignal = (member: string, body: readonly unknown[]) => void

type BusCall = [target: BusTarget, member: string, signature?: string, body?: unknown[]]

/**
 * Calls a member and returns its reply.
 * @param signature D-Bus types of `body`; omitted without a body
 * @throws NoReply if the call was sent and got no reply within 5 s; another error if nobody owns the name
 */
async function callMember(bus: RawBus, ...[target, member, signature, body]: BusCall): Promise<unknown> {
  const message = { ...target, member, ...(signature && { signature, body: body ?? [] }) }
  try {
    return await bus.invoke<unknown>(message, { timeout: CALL_TIMEOUT })
  } catch (error) {
    if (!(error instanceof Error) || codeOf(error) !== 'ETIMEDOUT') throw error
    throw new NoReply(error.message, { cause: error })
  }
}

/** Wraps an established connection to the session bus. */
export function busOf(bus: RawBus) {
  const call = (...args: BusCall) => callMember(bus, ...args)

  /** Listens to signals of one sender. `sender` returns its unique bus name, which no other program can have. */
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

  /**
   * Calls `onSignal` with the owner of a name, now and on every change; an empty text means no owner. Returns a function that
   * stops listening.
   */
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
    /** Sends a signal. @param signature D-Bus types of `body` */
    signal: (
      { path, interface: of }: Omit<BusTarget, 'destination'>,
      member: string,
      signature: string,
      body: unknown[],
    ): void => bus.sendSignal(path, of, member, signature, body),
    /**
     * Listens to signals of a service. Accepts only signals from the owner of the service's name, because any program may send
     * signals.
     * @param changed called when the owner of the name changes
     * @returns a function that stops listening
     */
    listen: (from: BusTarget, onSignal: OnSignal, changed: () => void): (() => void) => {
      /** Empty until the owner is known. */
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
