import type { CallArgument, CallResult } from '#shared/bridge/calls.ts'
import type { SearchHits } from '#shared/archives/answers.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { cancelled } from '#main/lib/async.ts'
import type { Verified } from './engine/calls.ts'
import type { RowsEngine } from './engine/engine.ts'
import type { RowsEntry } from './entry.ts'
import { UnsoundRows } from './unsound.ts'

type SearchParts = {
  readonly engine: RowsEngine
  readonly accounts: () => readonly AccountId[]
  /** What is read in of an account. */
  readonly filesOf: (account: AccountId) => Promise<readonly RowsEntry[]>
  readonly verified: <A>(account: AccountId, looking: Promise<Verified<A>>) => Promise<A>
}

/** Looks for a text in every file that is read in, one after the other. */
export class Searches {
  readonly #parts: SearchParts
  /** Those under way, so that they can be given up between files. */
  readonly #running = new Map<string, AbortController>()

  constructor(parts: SearchParts) {
    this.#parts = parts
  }

  cancel(key: string): void {
    this.#running.get(key)?.abort()
  }

  /** @throws DeskFailure `cancelled` where it is given up, or its key asks for something else */
  async run({ account, text, max, key }: CallArgument<'rows/search'>): Promise<CallResult<'rows/search'>> {
    const { engine, accounts, filesOf, verified } = this.#parts
    const controller = new AbortController()
    if (key !== undefined) {
      this.cancel(key)
      this.#running.set(key, controller)
    }
    const files: SearchHits[] = []
    const failed: { file: RowsFileId; name: string }[] = []
    let searched = 0
    for (const of of account === null ? accounts() : [account]) {
      const known = [...(await filesOf(of))]
      for (const file of known.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (controller.signal.aborted) throw cancelled()
        const hits = await verified(of, engine.call('search', { file, text, max, key: key ?? null })).catch(
          (error: unknown) => {
            if (!(error instanceof UnsoundRows)) throw error
            failed.push({ file: file.id, name: file.name })
          },
        )
        searched += 1
        if (hits && hits.found > 0) files.push({ account: of, file: file.id, name: file.name, ...hits })
      }
    }
    if (key !== undefined && this.#running.get(key) === controller) this.#running.delete(key)
    return { files, searched, failed }
  }
}
