import type { ReportQuery } from '#shared/reports/query.ts'
import type { StatusSource } from './status.ts'

/** A query of the open view, which can be repeated. */
export type ShownQuery = StatusSource & {
  /** Query of the answer; null before the answer, or if it is no report. */
  readonly subject: ReportQuery | null
  again(force: boolean): void
}

/** Queries of the open view, for the status in the header. */
export class ShownQueries {
  list = $state.raw<readonly ShownQuery[]>([])

  /** Sets the queries. Call the result to clear them, unless another view has set its own. */
  show(queries: readonly ShownQuery[]): () => void {
    this.list = queries
    return () => {
      if (this.list === queries) this.list = []
    }
  }
}
