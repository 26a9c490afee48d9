import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { ProxyAccess } from '#main/api/transport/proxy-access.ts'
import { rpcClient, threadChannel } from '#main/workers/rpc-client.ts'
import type { ArchiveAnswers, ArchiveCalls, ArchiveEvent, ArchiveTask } from './archive-calls.ts'
import { ThreadEnded, errorOf } from './trouble.ts'

/** Heap limits of the thread in megabytes. Buffers with file content are outside the heap. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }

/** Serves requests of a fetching thread, and receives its progress. */
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
 * Fetches, tests or unpacks an archive in its own thread, which may block on the disk.
 *
 * @param script path of the thread's script (archive-worker.ts)
 * @throws BrokenArchive, HostileArchive, ChangedFile, RefusedStatus, ExchangeEnded, DeskFailure; network errors; errors
 * of `answers`; ThreadEnded if the thread crashed; the signal's reason after an abort, once the thread has ended
 */
export async function inArchiveThread(
  script: string | URL,
  task: ArchiveTask,
  signal: AbortSignal,
  answers?: FetchCallbacks,
): Promise<void> {
  signal.throwIfAborted()
  /** First error of `answers`. */
  let error: unknown
  /** A partial fetch is worth saving, so it ends gracefully; a partial test is not. */
  let fetching = task.kind === 'fetch'
  const stop = () => {
    if (!fetching) void client.kill()
  }
  const onEvent = (event: unknown) => {
    // Only archive-worker.ts sends these events.
    const archiveEvent = event as ArchiveEvent
    if (archiveEvent.kind === 'wrote') return answers?.wrote(archiveEvent.length)
    fetching = false
    return signal.aborted ? stop() : answers?.arrived()
  }
  const client = rpcClient<ArchiveCalls, ArchiveAnswers>({
    open: () => threadChannel(script, { name: 'archive', resourceLimits }),
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
  await client.close()
  if (outcome.kind === 'done') return
  if (signal.aborted) throw signal.reason
  if (error instanceof Error) throw error
  if (outcome.kind === 'trouble') throw errorOf(outcome.trouble)
  throw new ThreadEnded(outcome.failed instanceof Error ? outcome.failed.cause : outcome.failed)
}

/** @param failed called with each error of an answer, because the thread receives only part of the error */
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
    began: noting((response) => began(response).then(() => null)),
    portion: noting(portion),
  }
}
