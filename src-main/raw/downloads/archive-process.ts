import * as v from 'valibot'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { ProxyAccess } from '#main/api/transport/proxy-access.ts'
import { within } from '#main/lib/async.ts'
import { rpcClient } from '#main/workers/rpc-client.ts'
import type { Channel } from '#main/workers/rpc.ts'
import { archiveEvent, beganResponse } from './archive-calls.ts'
import type { ArchiveAnswers, ArchiveCalls, ArchiveTask } from './archive-calls.ts'
import { WorkerEnded, errorOf } from './trouble.ts'

/** Maximum wait for the end of a killed process, in milliseconds. The system may delay it while a disk hangs. */
const LONGEST_END = 3000

/** Serves requests of a fetching process, and receives its progress. */
export type FetchCallbacks = {
  readonly proxy: (url: string) => Promise<string>
  readonly proxyAccess: ProxyAccess
  readonly certificates: () => Promise<readonly string[] | undefined>
  readonly began: (response: Parameters<ArchiveAnswers['began']>[0]) => Promise<void>
  readonly portion: () => Promise<number>
  readonly wrote: (length: number) => void
  readonly arrived: () => void
}

const gone = (cause: unknown) => new DeskFailure(failureOf(cause), { cause })

/**
 * Fetches, tests or unpacks an archive in a process of its own, which may block on the disk.
 *
 * @param open starts the process (archive-worker.ts)
 * @throws BrokenArchive, HostileArchive, ChangedFile, RefusedStatus, ExchangeEnded, DeskFailure; network errors; errors
 * of `answers`; WorkerEnded if the process crashed; the signal's reason after an abort, once the process has ended
 */
export async function inArchiveProcess(
  open: () => Channel,
  task: ArchiveTask,
  signal: AbortSignal,
  answers?: FetchCallbacks,
): Promise<void> {
  signal.throwIfAborted()
  /** First error of `answers`. */
  let error: unknown
  /** A partial fetch is worth saving, so it ends gracefully; a partial test is not. */
  let fetching = task.kind === 'fetch'
  let killed: Promise<void> | undefined
  const stop = () => {
    if (!fetching) killed = client.kill()
  }
  const onEvent = (event: unknown) => {
    const read = v.safeParse(archiveEvent, event)
    if (!read.success) return
    if (read.output.kind === 'wrote') return answers?.wrote(read.output.length)
    fetching = false
    return signal.aborted ? stop() : answers?.arrived()
  }
  const client = rpcClient<ArchiveCalls, ArchiveAnswers>({
    open,
    gone,
    closed: () => gone(null),
    onEvent,
    ...(answers && { answers: answersOf(answers, (thrown) => (error ??= thrown)) }),
  })
  signal.addEventListener('abort', stop, { once: true })
  const outcome = await client
    .call('run', task, signal)
    .catch((failed: unknown) => ({ kind: 'lost', failed }) as const)
  signal.removeEventListener('abort', stop)
  await (killed ? within(LONGEST_END, killed) : client.close())
  if (outcome.kind === 'done') return
  if (signal.aborted) throw signal.reason
  if (error instanceof Error) throw error
  if (outcome.kind === 'trouble') throw errorOf(outcome.trouble)
  throw new WorkerEnded(outcome.failed instanceof Error ? outcome.failed.cause : outcome.failed)
}

/** @param failed called with each error of an answer, because the process receives only part of the error */
function answersOf(
  { proxy, proxyAccess, certificates, began, portion }: FetchCallbacks,
  failed: (error: unknown) => void,
): ArchiveAnswers {
  const noting =
    <A, R>(answer: (argument: A) => Promise<R>) =>
    (argument: A): Promise<R> =>
      answer(argument).catch((error: unknown) => {
        failed(error)
        throw error
      })
  return {
    proxy: noting(proxy),
    proxyPass: noting(async (origin) => await proxyAccess.passFor(origin)),
    onProxyAnswer: noting(async (answer) => await proxyAccess.onProxyAnswer(answer)),
    certificates: noting(certificates),
    began: noting(async (response) => {
      await began(v.parse(beganResponse, response))
      return null
    }),
    portion: noting(portion),
  }
}
