import { DeskFailure, failureOf } from '#shared/app/desk-failure.ts'
import type { AnswerFor, EndpointPath } from '#shared/api/endpoints.ts'
import { rpcClient, threadLine } from '#main/workers/rpc-client.ts'
import type { ReadAnswer } from '../body.ts'
import { cancelled, ServiceFailure } from '../service-failure.ts'
import type { Circumstances } from '../status-failure.ts'
import type { HttpAnswer } from '../transport/exchange.ts'
import { putBack } from './slices.ts'
import type { Slice } from './slices.ts'

/** What the thread does (answer-worker.ts). */
export type LargeCalls = {
  readonly read: (request: {
    readonly answer: HttpAnswer
    readonly path: EndpointPath
    readonly url: string
    readonly now: number
    readonly token: string
  }) => { readonly id: number; readonly rest: unknown; readonly text: string }
  /** The next slice of an answer that was read; null where there is none any more. */
  readonly next: (id: number) => Slice | null
}

/** What is asked at all asks several things in a row; in milliseconds. */
const idle = 10_000

export type LargeAnswers = {
  /** As `readAnswer`, without holding the main loop. @throws ServiceFailure */
  readonly read: <P extends EndpointPath>(
    answer: HttpAnswer,
    circumstances: Circumstances & { readonly path: P },
  ) => Promise<ReadAnswer<P>>
  readonly close: () => Promise<void>
}

const gone = (cause: unknown) =>
  new DeskFailure({ kind: 'malformed', message: 'The answer is too large to be read.' }, { cause })

/** Of the thread's memory, in megabytes: an answer of 8 MB takes a few times as much when it is read. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

/** @param worker the thread's file (answer-worker.ts) */
export function createLargeAnswers(worker: string | URL): LargeAnswers {
  const client = rpcClient<LargeCalls>({
    open: () => threadLine(worker, { name: 'answers', resourceLimits }),
    idle,
    gone,
    closed: () => new DeskFailure(cancelled().failure),
  })
  return {
    read: async (answer, { path, url, now, token }) => {
      try {
        const request = { answer, path, url: url.href, now, token: token.toEntry() }
        const { id, rest, text } = await client.call('read', request)
        for (let slice = await client.call('next', id); slice; slice = await client.call('next', id)) {
          putBack(rest, slice)
        }
        // What `readAnswer` gave for this path in the thread, put together again.
        return { answer: rest as AnswerFor<typeof path>, text }
      } catch (error) {
        throw new ServiceFailure(failureOf(error))
      }
    },
    close: () => client.close(),
  }
}
