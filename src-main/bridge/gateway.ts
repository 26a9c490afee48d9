import * as v from 'valibot'
import { calls } from '#shared/bridge/calls.ts'
import type { CallName, CallOutcome } from '#shared/bridge/calls.ts'
import { callsWhileLocked } from '#shared/bridge/calls/app.ts'
import { callChannel, dropChannel } from '#shared/bridge/channels.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { DroppedFileId } from '#shared/archives/rows-file.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { Handlers } from '#main/lib/module.ts'

/** What is looked at of a message's sender; Electron's `IpcMainInvokeEvent` has all of it. */
export type Sender = {
  readonly sender: { readonly id: number }
  readonly senderFrame: { readonly url: string; readonly parent: unknown } | null
}

/** Who may call: windows this app opened, showing pages of this app. */
type Callers = {
  /** `traffic-desk-app://desk`, with no slash at its end. */
  readonly origin: string
  readonly isOurWindow: (contents: number) => boolean
}

/**
 * Whether a message comes from the main frame of one of our own windows, showing a page of our own scheme. A frame
 * that has gone by now, or lies within another, is refused.
 */
export function isOurs({ sender, senderFrame }: Sender, { origin, isOurWindow }: Callers): boolean {
  if (senderFrame === null || senderFrame.parent !== null || !isOurWindow(sender.id)) return false
  return senderFrame.url.startsWith(`${origin}/`)
}

/** The part of Electron's `ipcMain` that is used. */
type Ipc<Event extends Sender> = {
  readonly handle: (
    channel: string,
    listener: (event: Event, ...given: unknown[]) => Promise<unknown>,
  ) => void
}

/** What windows ask. */
type WindowApp = {
  readonly handlers: Handlers
  readonly lock: { readonly locked: boolean }
  /** Takes paths of files that were dropped on a window, and names those that are files. */
  dropped(paths: readonly string[]): Promise<readonly DroppedFileId[]>
}

/** Takes an error that no module foresaw; its details are for the log alone. */
type Report = (call: CallName, error: unknown) => void

/**
 * Opens the one way from the windows into the main process. Refusals are outcomes too: nothing is thrown back.
 * @param noteCall hears that a window asked something
 */
export function openGateway<Event extends Sender>(
  ipc: Ipc<Event>,
  app: WindowApp,
  callers: Callers,
  report: Report,
  noteCall: () => void = () => undefined,
): void {
  const isBarred = (name: unknown) =>
    app.lock.locked && !(typeof name === 'string' && callsWhileLocked.has(name))
  ipc.handle(callChannel, async (event, name, argument) => {
    if (!isOurs(event, callers)) return refused(stranger)
    if (isBarred(name)) return refused(locked)
    noteCall()
    return answerCall(app.handlers, report, name, argument)
  })
  ipc.handle(dropChannel, (event, paths) => {
    if (!isOurs(event, callers) || isBarred(dropChannel)) return Promise.resolve([])
    const given = v.safeParse(droppedPaths, paths)
    return given.success ? app.dropped(given.output) : Promise.resolve([])
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
  handlers: Handlers,
  report: Report,
  name: unknown,
  given: unknown,
): Promise<CallOutcome<CallName>> {
  return isCallName(name) ? answerNamed(handlers, report, name, given) : refused(unknownCall)
}

async function answerNamed<N extends CallName>(
  handlers: Handlers,
  report: Report,
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

/** Input that breaks the schema of its call. `field` is where, such as `query.range`. */
function refusedInput([issue]: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): Failure {
  const field = v.getDotPath(issue)
  return { kind: 'invalid', message: wordsFor(issue), ...(field !== null && { field }) }
}

/** The schema's own words would repeat what was received, which may be a token; so only rules of ours speak. */
function wordsFor(issue: v.BaseIssue<unknown>): string {
  return issue.type === 'check' ? `${issue.message}.` : 'This input cannot be used here.'
}
