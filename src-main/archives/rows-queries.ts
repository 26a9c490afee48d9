import { throwIfCancelled } from '#main/lib/async.ts'
import type { Handler, Handlers } from '#main/lib/module.ts'
import type { SearchHits, UnsearchedArchive } from '#shared/archives/rows.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import { withColumnNames } from '#shared/archives/rows-file.ts'
import type { ExportedRange } from '#main/database/state/archives-repository.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { ArchivesContext } from './archives-context.ts'
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

  readonly page: Handler<'rows/page'> = ({ query, key, ...page }) =>
    this.#latest(key, async (signal) => {
      const params = { ...(await this.#rows.select(query)), ...page }
      return await this.#rows.page(query.account, params, signal)
    })

  readonly facets: Handler<'rows/facets'> = ({ query, key, ...more }) =>
    this.#latest(key, async (signal) => {
      const params = { ...(await this.#rows.select(query)), ...more }
      return await this.#rows.facets(query.account, params, signal)
    })

  readonly longCells: Handler<'rows/long-cells'> = ({ query, key, columns }) =>
    this.#latest(key, async (signal) => {
      const params = { ...(await this.#rows.select(query)), columns }
      return await this.#rows.longCells(query.account, params, signal)
    })

  readonly histogram: Handler<'rows/histogram'> = ({ query, key, by }) =>
    this.#latest(key, async (signal) => {
      const params = { ...(await this.#rows.selectInZone(query)), by }
      return await this.#rows.histogram(query.account, params, signal)
    })

  readonly groups: Handler<'rows/groups'> = ({ query, key, sort, ...more }) =>
    this.#latest(key, async (signal) => {
      const params = { ...(await this.#rows.selectInZone(query)), ...more, groupSort: sort }
      return await this.#rows.groups(query.account, params, signal)
    })

  readonly clusters: Handler<'rows/clusters'> = ({ query, key }) =>
    this.#latest(key, async (signal) =>
      this.#rows.clusters(query.account, await this.#rows.selectInZone(query), signal),
    )

  readonly blockList: Handler<'rows/block-list'> = ({
    query,
    key,
    column,
    by,
    campaign,
    onlyNew,
    expiry,
    ...options
  }) =>
    this.#latest(key, async (signal) => {
      const { account } = query
      const { format } = options
      const now = this.#context.clock.now()
      const before = await this.#context.store.run('block-lists/exported', { account, format, campaign })
      const isExpired = ({ expires }: ExportedRange) => expires !== null && expires < now
      const wish = {
        ...options,
        exported: onlyNew ? before.filter((one) => !isExpired(one)).map(({ range }) => range) : [],
        expired: before.filter(isExpired).map(({ range }) => range),
        since: expiry === null ? null : instantOf(now - expiry * dayLong),
      }
      const progress = key === undefined ? null : { account, key }
      const params = { ...(await this.#rows.selectInZone(query)), key: { column, by }, wish, progress }
      return await this.#rows.blockList(account, params, signal)
    })

  readonly unreadable: Handler<'rows/unreadable'> = async ({ account, file, offset, limit }) => {
    const { entry, entryPath } = await this.#rows.fileOf(account, file)
    return await this.#rows.unreadable(account, { file: entry, entryPath, offset, limit })
  }

  /** Searches all imported files, one at a time. @throws DeskFailure `cancelled`, also if a newer query has the same key */
  readonly search: Handler<'rows/search'> = ({ account, text, max, key }) =>
    this.#latest(key, async (signal) => {
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
          const hits = await this.#rows.search(whose, { file, text, max }, signal).catch((error: unknown) => {
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

  readonly preview: Handler<'rows/preview'> = ({ account, file, chosen, key }) =>
    this.#latest(key, (signal) => this.#imports.preview(account, file, chosen, signal))

  readonly handlers = {
    'rows/preview': this.preview,
    'rows/page': this.page,
    'rows/facets': this.facets,
    'rows/histogram': this.histogram,
    'rows/groups': this.groups,
    'rows/clusters': this.clusters,
    'rows/block-list': this.blockList,
    'rows/search': this.search,
    'rows/unreadable': this.unreadable,
    'rows/long-cells': this.longCells,
    'rows/cancel': ({ key }) => this.cancel(key),
  } satisfies Partial<Handlers>

  /** Cancels the query with a key. */
  cancel(key: string): null {
    this.#running.get(key)?.abort()
    return null
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
