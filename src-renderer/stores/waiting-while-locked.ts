import type { CallName, CallOutcome, DeskBridge } from '#shared/bridge/calls.ts'

/**
 * The same bridge, for a page that goes on where it was once the window is opened again: a call that was refused because the
 * window is locked was not carried out, and is made again then.
 */
export function waitingWhileLocked(bridge: DeskBridge): DeskBridge {
  let open: () => void = () => undefined
  let opened = Promise.resolve()
  const wait = () => {
    opened = new Promise((resolve) => (open = resolve))
  }
  wait()
  bridge.on('lock/changed', ({ locked }) => {
    if (locked) return
    open()
    wait()
  })
  const isLocked = (outcome: CallOutcome<CallName>) => !outcome.ok && outcome.failure.kind === 'locked'
  return {
    ...bridge,
    call: async (name, ...argument) => {
      for (;;) {
        // Taken before: it may be opened while the refusal is on its way.
        const next = opened
        const outcome = await bridge.call(name, ...argument)
        if (!isLocked(outcome)) return outcome
        await next
      }
    },
  }
}
