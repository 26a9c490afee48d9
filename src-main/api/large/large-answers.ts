import { rpcClient, threadChannel } from '#main/workers/rpc-client.ts'
import type { AnswerFor, EndpointPath } from '#shared/api/endpoints.ts'
import { DeskFailure, failureOf, deskFailure } from '#shared/api/failure.ts'
import type { ReadAnswer, Circumstances } from '../body.ts'
import { isObject, silent } from '../decode/json.ts'
import type { Forgiven, Note } from '../decode/json.ts'
import { cancelled, ServiceFailure } from '../network-failure.ts'
import type { HttpAnswer } from '../transport/exchange.ts'

/** Maximum entries per slice. Deserialising a slice takes the other thread about 1 ms. */
const max = 500
/** Maximum depth at which responses contain lists. */
const deepest = 3

/** Part of a list, with the list's path in the response. */
export type Slice = { readonly place: readonly string[]; readonly items: readonly unknown[] }

/** Cuts the long lists out of a value. @returns the value with empty lists, and the lists in slices */
export function cutUp(value: unknown): { readonly remainder: unknown; readonly slices: readonly Slice[] } {
  const slices: Slice[] = []
  const cut = (item: unknown, place: readonly string[]): unknown => {
    if (Array.isArray(item) && item.length > max) {
      for (let from = 0; from < item.length; from += max)
        slices.push({ place, items: item.slice(from, from + max) })
      return []
    }
    if (!isObject(item) || place.length >= deepest) return item
    return Object.fromEntries(
      Object.entries(item).map(([name, within]) => [name, cut(within, [...place, name])]),
    )
  }
  return { remainder: cut(value, []), slices }
}

/** Appends a slice to its list. */
export function putBack(remainder: unknown, { place, items }: Slice): void {
  let found: unknown = remainder
  for (const name of place) found = isObject(found) ? found[name] : undefined
  if (!Array.isArray(found)) throw new RangeError('A slice belongs nowhere')
  for (const item of items) found.push(item)
}

/** Calls of the worker thread (answer-worker.ts). */
export type LargeCalls = {
  readonly read: (request: {
    readonly answer: HttpAnswer
    readonly path: EndpointPath
    readonly url: string
    readonly now: number
    readonly token: string
  }) => {
    readonly id: number
    readonly remainder: unknown
    readonly text: string
    readonly forgiven: readonly Forgiven[]
  }
  /** Returns the next slice of a decoded response, or null after the last one. */
  readonly next: (id: number) => Slice | null
}

/** The thread ends after this many ms without calls. Large responses usually come in series. */
const idle = 10_000

const threadFailure = (cause: unknown) =>
  deskFailure('malformed', 'The answer is too large to be read.', { cause })

/** Memory limits of the thread, in MB. Decoding a response of 8 MB takes a few times its size. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

export type LargeAnswers = ReturnType<typeof createLargeAnswers>

/** Creates the client of the worker thread, which starts on demand. @param worker script of the thread (answer-worker.ts) */
export function createLargeAnswers(worker: string | URL) {
  const client = rpcClient<LargeCalls>({
    open: () => threadChannel(worker, { name: 'answers', resourceLimits }),
    idle,
    gone: threadFailure,
    closed: () => new DeskFailure(cancelled().failure),
  })
  return {
    /** Like `readAnswer`, without blocking this thread. @throws ServiceFailure */
    read: async <P extends EndpointPath>(
      answer: HttpAnswer,
      { path, url, now, token }: Circumstances & { readonly path: P },
      note: Note = silent,
    ): Promise<ReadAnswer<P>> => {
      try {
        const request = { answer, path, url: url.href, now, token: token.toEntry() }
        const { id, remainder, text, forgiven } = await client.call('read', request)
        for (let slice = await client.call('next', id); slice; slice = await client.call('next', id)) {
          putBack(remainder, slice)
        }
        for (const kind of forgiven) note(kind)
        // The worker decoded the response for this path, so the type is right.
        return { answer: remainder as AnswerFor<P>, text }
      } catch (error) {
        throw new ServiceFailure(failureOf(error))
      }
    },
    close: (): Promise<void> => client.close(),
  }
}
