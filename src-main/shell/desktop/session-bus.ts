import type { MessageBus } from 'dbus-native'

/** An interface of a service on the session bus. */
export type BusTarget = { readonly destination: string; readonly path: string; readonly interface: string }

/** The session bus of a Linux desktop. */
export type SessionBus = {
  /**
   * Calls a member and gives what it answers.
   * @param signature D-Bus types of `body`; left out where there is none
   * @throws NoReply where it was sent and nobody answers within 5 seconds; else where nobody of this name is there
   */
  readonly call: (target: BusTarget, member: string, signature?: string, body?: unknown[]) => Promise<unknown>
  /** Tells whoever listens, and hears nothing of it. @param signature D-Bus types of `body` */
  readonly signal: (
    from: Omit<BusTarget, 'destination'>,
    member: string,
    signature: string,
    body: unknown[],
  ) => void
  /** Hears signals of an interface; the result ends it. */
  readonly listen: (from: string, heard: (member: string, body: readonly unknown[]) => void) => () => void
  /** Hears who owns a name now and whenever that changes; empty where nobody does. The result ends it. */
  readonly follow: (name: string, heard: (owner: string) => void) => () => void
  readonly close: () => Promise<void>
}

/** A call left, and nobody knows what became of it. */
export class NoReply extends Error {}

const daemon: BusTarget = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
}

/** In milliseconds. */
const PATIENCE = 5000

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

function busOf(bus: MessageBus): SessionBus {
  const call: SessionBus['call'] = async (target, member, signature, body) => {
    const message = { ...target, member, ...(signature && { signature, body: body ?? [] }) }
    try {
      return await bus.invoke<unknown>(message, { timeout: PATIENCE })
    } catch (error) {
      const isLate = error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT'
      throw isLate ? new NoReply(error.message, { cause: error }) : error
    }
  }

  const listen: SessionBus['listen'] = (from, heard) => {
    const rule = `type='signal',interface='${from}'`
    const hear = (message: { interface?: string; member?: string; body?: unknown[] }) => {
      if (message.interface === from && message.member) heard(message.member, message.body ?? [])
    }
    bus.connection.on('message', hear)
    void bus.addMatch(rule).catch(() => undefined)
    return () => bus.connection.off('message', hear)
  }

  return {
    call,
    signal: ({ path, interface: of }, member, signature, body) => {
      bus.sendSignal(path, of, member, signature, body)
    },
    listen,
    follow: (name, heard) => {
      const end = listen(daemon.interface, (member, [changed, , owner]) => {
        if (member === 'NameOwnerChanged' && changed === name) heard(String(owner))
      })
      call(daemon, 'GetNameOwner', 's', [name]).then(
        (owner) => heard(String(owner)),
        () => heard(''),
      )
      return end
    },
    close: () => bus.close().catch(() => undefined),
  }
}
