import type { Learning } from '../pages/learning.ts'
import type { Pages } from '../pages/pages.ts'
import type { ReportsContext } from '../reports-context.ts'
import type { TableCatalogue } from '../sync/table-catalogue.ts'

/** Services that the resolving of queries needs. */
export type ResolverContext = ReportsContext & {
  readonly catalogue: TableCatalogue
  readonly pages: Pages
  readonly learning: Learning
  /** Endpoints, by account, of services that returned no recognizable chart. */
  readonly chartless: Set<string>
}
