import { throwIfCancelled } from '#main/lib/async.ts'
import type { Handlers } from '#main/lib/module.ts'
import type { RowsQuery, SearchHits, UnsearchedArchive } from '#shared/archives/rows.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import { withColumnNames } from '#shared/archives/rows-file.ts'
import type { ExportedRange } from '#main/database/state/archives-repository.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { CallArgument, CallResult } from '#shared/bridge/calls.ts'
import type { ArchivesContext } from './archives-context.ts'
import type { RowsEngine, RowsInZone, Verified } from './engine/rows-engine.ts'
import { UnsoundRows } from './imported-rows.ts'
import type { ImportedRows } from './imported-rows.ts'
import type { ArchiveImports } from './imports.ts'

const dayLong = 86_400_000

/** Queries of windows on imported rows. A newer query with the same key cancels the older one. */
export class RowsQueries {
  readonly #context: ArchivesContext
  readonly #rows: ImportedRows
  readonly #imports: ArchiveImports
  /** Running queries by key, for cancellation. */
  readonly #running = new Map<string, AbortController>()

  constructor(context: ArchivesContext, rows: ImportedRows, imports: ArchiveImports) {
    this.#context = context
    this.#rows = rows
    this.#imports = imports
  }

  readonly handlers = {
    'rows/preview': ({ account, file, chosen, key }) =>
      this.#latest(key, (signal) => this.#imports.preview(account, file, chosen, signal)),
    'rows/page': ({ query, key, ...page }) =>
      this.#selected({ query, key }, (engine, rows, signal) =>
        engine.call('page', { ...rows, ...page }, signal),
      ),
    'rows/facets': ({ query, key, ...more }) =>
      this.#selected({ query, key }, (engine, rows, signal) =>
        engine.call('facets', { ...rows, ...more }, signal),
      ),
    'rows/histogram': ({ query, key, by }) =>
      this.#selected({ query, key }, (engine, rows, signal) =>
        engine.call('histogram', { ...rows, by }, signal),
      ),
    'rows/groups': ({ query, key, sort, ...more }) =>
      this.#selected({ query, key }, (engine, rows, signal) =>
        engine.call('groups', { ...rows, ...more, groupSort: sort }, signal),
      ),
    'rows/clusters': (query) =>
      this.#selected(query, (engine, rows, signal) => engine.call('clusters', rows, signal)),
    'rows/block-list': ({ query, key, column, by, campaign, onlyNew, expiry, ...options }) =>
      this.#selected({ query, key }, async (engine, rows, signal) => {
        const { account } = query
        const { format } = options
        const now = this.#context.clock.now()
        const listed = await this.#context.store.run('block-lists/exported', { account, format, campaign })
        const isExpired = ({ expires }: ExportedRange) => expires !== null && expires < now
        const wish = {
          ...options,
          exported: onlyNew ? listed.filter((one) => !isExpired(one)).map(({ range }) => range) : [],
          expired: listed.filter(isExpired).map(({ range }) => range),
          since: expiry === null ? null : instantOf(now - expiry * dayLong),
        }
        const progress = key === undefined ? null : { account, key }
        return await engine.call('blockList', { ...rows, key: { column, by }, wish, progress }, signal)
      }),
    'rows/search': (request) => this.#search(request),
    'rows/unreadable': async ({ account, file, offset, limit }) => {
      const { entry, entryPath } = await this.#rows.fileOf(account, file)
      const params = { file: entry, entryPath, offset, limit }
      return await this.#rows.ask(account, (engine) => engine.call('unreadable', params))
    },
    'rows/long-cells': ({ query, key, columns }) =>
      this.#selected({ query, key }, (engine, rows, signal) =>
        engine.call('longCells', { ...rows, columns }, signal),
      ),
    'rows/cancel': ({ key }) => this.cancel(key),
  } satisfies Partial<Handlers>

  /** Searches all imported files, one at a time. @throws DeskFailure `cancelled`, also if a newer query has the same key */
  #search({ account, text, max, key }: CallArgument<'rows/search'>): Promise<CallResult<'rows/search'>> {
    return this.#latest(key, async (signal) => {
      const files: SearchHits[] = []
      const searched: string[] = []
      const unsearched = new Map<RowsFileId, UnsearchedArchive>()
      const columns = { searched: new Set<string>(), unsearched: new Set<string>() }
      const accounts = account === null ? this.#context.accounts.list().map(({ id }) => id) : [account]
      for (const whose of accounts) {
        const known = [...(await this.#rows.filesOf(whose)).values()].map(({ entry }) => entry)
        const names = await this.#rows.columnNames(whose)
        const named = known.map((file) => withColumnNames(file, names))
        for (const file of named.sort((a, b) => (a.name < b.name ? -1 : 1))) {
          throwIfCancelled(signal)
          const asked = this.#rows.ask(whose, (engine) => engine.call('search', { file, text, max }, signal))
          const hits = await asked.catch((error: unknown) => {
            if (!(error instanceof UnsoundRows)) throw error
            const why = error.failure.kind === 'disk' ? 'damaged' : 'not-read'
            unsearched.set(file.id, { name: file.name, why })
          })
          if (!hits) continue
          searched.push(file.name)
          const { searched: names, unsearched: others, ...found } = hits
          for (const name of names) columns.searched.add(name)
          for (const name of others) columns.unsearched.add(name)
          if (found.count > 0) files.push({ account: whose, file: file.id, name: file.name, ...found })
        }
        for (const [id, archive] of await this.#imports.notImported(whose)) unsearched.set(id, archive)
      }
      const sorted = (names: ReadonlySet<string>) => [...names].sort()
      return {
        ...{ files, searched },
        unsearched: [...unsearched.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
        columns: { searched: sorted(columns.searched), unsearched: sorted(columns.unsearched) },
      }
    })
  }

  /** Cancels the query with a key. */
  cancel(key: string): null {
    this.#running.get(key)?.abort()
    return null
  }

  /** Runs a query on the rows that it selects. */
  #selected<A>(
    { query, key }: { readonly query: RowsQuery; readonly key?: string | undefined },
    call: (engine: RowsEngine, rows: RowsInZone, signal: AbortSignal) => Promise<Verified<A>>,
  ): Promise<A> {
    return this.#latest(key, async (signal) => {
      const rows = await this.#rows.select(query)
      return await this.#rows.ask(query.account, (engine) => call(engine, rows, signal))
    })
  }

  /** Runs a query and cancels an older query with the same key. */
  async #latest<T>(key: string | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    if (key === undefined) return await work(controller.signal)
    this.cancel(key)
    this.#running.set(key, controller)
    try {
      return await work(controller.signal)
    } finally {
      if (this.#running.get(key) === controller) this.#running.delete(key)
    }
  }
}
