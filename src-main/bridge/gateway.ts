import * as v from 'valibot'
import { calls } from '#shared/bridge/calls.ts'
import type { CallName, CallOutcome } from '#shared/bridge/calls.ts'
import { callsWhileLocked } from '#shared/bridge/calls/lock.ts'
import { callChannel, dropChannel } from '#shared/bridge/channels.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { DroppedFileId } from '#shared/archives/rows-file.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { Handlers } from '#main/lib/module.ts'
import { refusedInput } from './call-outcome.ts'
import { isOurs } from './sender.ts'
import type { Callers, Sender } from './sender.ts'

/** The part of Electron's `ipcMain` that is used. */
type Ipc<Event extends Sender> = {
  readonly handle: (
    channel: string,
    listener: (event: Event, ...given: unknown[]) => Promise<unknown>,
  ) => void
}

export type GatewayParts = {
  readonly handlers: Handlers
  readonly callers: Callers
  /** Takes paths of files that were dropped on a window, and names those that are files. */
  readonly dropped: (paths: readonly string[]) => Promise<readonly DroppedFileId[]>
  /** Takes an error that no module foresaw; its details are for the log alone. */
  readonly report: (call: CallName, error: unknown) => void
  readonly lock: { readonly locked: boolean }
  /** Hears that a window asked something. */
  readonly called?: () => void
}

/** Opens the one way from the windows into the main process. Refusals are outcomes too: nothing is thrown back. */
export function openGateway<Event extends Sender>(ipc: Ipc<Event>, parts: GatewayParts): void {
  const isBarred = (name: unknown) =>
    parts.lock.locked && !(typeof name === 'string' && callsWhileLocked.has(name))
  ipc.handle(callChannel, async (event, name, argument) => {
    if (!isOurs(event, parts.callers)) return refused(stranger)
    if (isBarred(name)) return refused(locked)
    parts.called?.()
    return answerCall(parts, name, argument)
  })
  ipc.handle(dropChannel, (event, paths) => {
    if (!isOurs(event, parts.callers) || isBarred(dropChannel)) return Promise.resolve([])
    const given = v.safeParse(droppedPaths, paths)
    return given.success ? parts.dropped(given.output) : Promise.resolve([])
  })
}

/** A file that a page made itself has an empty path: the preload finds none. */
const droppedPaths = v.pipe(v.array(v.pipe(v.string(), v.maxLength(10_000))), v.maxLength(1000))

const stranger: Failure = { kind: 'invalid', message: 'Only the windows of Traffic Desk may ask this.' }
const locked: Failure = { kind: 'invalid', message: 'Traffic Desk is locked.' }
const unknownCall: Failure = { kind: 'invalid', message: 'There is no such call.' }

const refused = (failure: Failure) => ({ ok: false, failure }) as const

const isCallName = (name: unknown): name is CallName => typeof name === 'string' && Object.hasOwn(calls, name)

/** Answers a call by its name: checks the argument by the call's schema, asks the handler, wraps what comes of it. */
export async function answerCall(
  { handlers, report }: Pick<GatewayParts, 'handlers' | 'report'>,
  name: unknown,
  given: unknown,
): Promise<CallOutcome<CallName>> {
  return isCallName(name) ? answerNamed(handlers, report, name, given) : refused(unknownCall)
}

async function answerNamed<N extends CallName>(
  handlers: Handlers,
  report: GatewayParts['report'],
  name: N,
  given: unknown,
): Promise<CallOutcome<N>> {
  const argument = v.safeParse(calls[name].argument, given)
  if (!argument.success) return refused(refusedInput(argument.issues))
  try {
    return { ok: true, value: await handlers[name](argument.output) }
  } catch (error) {
    const failure = failureOf(error)
    if (failure.kind === 'internal') report(name, error)
    return refused(failure)
  }
}
