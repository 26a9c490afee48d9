import * as v from 'valibot'
import { calls } from '#shared/bridge/calls.ts'
import type { CallName, CallOutcome } from '#shared/bridge/calls.ts'
import { callsWhileLocked } from '#shared/bridge/calls/app.ts'
import { callChannel, dropChannel } from '#shared/bridge/channels.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { DroppedFileId } from '#shared/archives/rows-file.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { Handlers } from '#main/lib/module.ts'

/** The members of Electron's `IpcMainInvokeEvent` that are used. */
export type Sender = {
  readonly sender: { readonly id: number }
  readonly senderFrame: { readonly url: string; readonly parent: unknown } | null
}

/** Allowed callers: windows of the app that show its own pages. */
type Callers = {
  /** `traffic-desk-app://desk`, without a trailing slash. */
  readonly origin: string
  readonly isOurWindow: (contents: number) => boolean
}

/**
 * Whether a message is from the main frame of one of the app's windows, which shows a page of the app's
 * scheme. Destroyed and nested frames are refused.
 */
export function isOurs({ sender, senderFrame }: Sender, { origin, isOurWindow }: Callers): boolean {
  if (senderFrame === null || senderFrame.parent !== null || !isOurWindow(sender.id)) return false
  return senderFrame.url.startsWith(`${origin}/`)
}

/** The members of Electron's `ipcMain` that are used. */
type Ipc<Event extends Sender> = {
  readonly handle: (
    channel: string,
    listener: (event: Event, ...given: unknown[]) => Promise<unknown>,
  ) => void
}

type WindowApp = {
  readonly handlers: Handlers
  readonly lock: { readonly locked: boolean }
  /** Registers the paths of dropped files. Paths that are not files are omitted. */
  dropped(paths: readonly string[]): Promise<readonly DroppedFileId[]>
}

/** Logs an unexpected error. Its details stay in the log. */
type Report = (call: CallName, error: unknown) => void

/**
 * Opens the IPC entries from the windows: calls, and the paths of dropped files. Refusals are returned as outcomes, never thrown.
 * @param noteCall called for each accepted call, with its answer
 */
export function openGateway<Event extends Sender>(
  ipc: Ipc<Event>,
  app: WindowApp,
  callers: Callers,
  report: Report,
  noteCall: (answer: Promise<unknown>) => void = () => undefined,
): void {
  const isBarred = (name: unknown) =>
    app.lock.locked && !(typeof name === 'string' && callsWhileLocked.has(name))
  ipc.handle(callChannel, async (event, name, argument) => {
    if (!isOurs(event, callers)) return refusal(strangerFailure)
    if (isBarred(name)) return refusal(lockedFailure)
    const answer = answerCall(app.handlers, report, name, argument)
    noteCall(answer)
    return answer
  })
  ipc.handle(dropChannel, (event, paths) => {
    if (!isOurs(event, callers) || isBarred(dropChannel)) return Promise.resolve([])
    const given = v.safeParse(droppedPaths, paths)
    return given.success ? app.dropped(given.output) : Promise.resolve([])
  })
}

/** A file created by the page has an empty path, because the preload script finds none. */
const droppedPaths = v.pipe(v.array(v.pipe(v.string(), v.maxLength(10_000))), v.maxLength(1000))

const strangerFailure: Failure = {
  kind: 'invalid',
  message: 'Only the windows of Traffic Desk may ask this.',
}
const lockedFailure: Failure = { kind: 'invalid', message: 'Traffic Desk is locked.' }
const unknownCall: Failure = { kind: 'invalid', message: 'There is no such call.' }

const refusal = (failure: Failure) => ({ ok: false, failure }) as const

const isCallName = (name: unknown): name is CallName => typeof name === 'string' && Object.hasOwn(calls, name)

/** Answers a call: validates its argument against the schema and runs its handler. */
export async function answerCall(
  handlers: Handlers,
  report: Report,
  name: unknown,
  given: unknown,
): Promise<CallOutcome<CallName>> {
  return isCallName(name) ? answerNamed(handlers, report, name, given) : refusal(unknownCall)
}

async function answerNamed<N extends CallName>(
  handlers: Handlers,
  report: Report,
  name: N,
  given: unknown,
): Promise<CallOutcome<N>> {
  const argument = v.safeParse(calls[name].argument, given)
  if (!argument.success) return refusal(refusedInput(argument.issues))
  try {
    return { ok: true, value: await handlers[name](argument.output) }
  } catch (error) {
    const failure = failureOf(error)
    if (failure.kind === 'internal') report(name, error)
    return refusal(failure)
  }
}

/** Failure for an argument that violates its schema. `field` is the path, for example `query.range`. */
function refusedInput([issue]: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): Failure {
  const field = v.getDotPath(issue)
  return { kind: 'invalid', message: wordsFor(issue), ...(field !== null && { field }) }
}

/** Returns only messages of custom checks. The library's messages quote the input, which may be a token. */
function wordsFor(issue: v.BaseIssue<unknown>): string {
  return issue.type === 'check' ? `${issue.message}.` : 'This input cannot be used here.'
}
