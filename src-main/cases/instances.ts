import type { CallArgument, CallResult } from '#shared/bridge/calls.ts'
import type { CaseScope } from '#shared/cases/scope.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { limits } from '#shared/api/limits.ts'
import type { Count } from '#shared/api/answers.ts'
import type { AccountId, InstanceId } from '#shared/values/ids.ts'
import type { Reports } from '#main/reports/figures.ts'

export type InstancesParts = {
  readonly ask: Reports['ask']
  readonly instances: (asked: CallArgument<'lookups/instances'>) => Promise<CallResult<'lookups/instances'>>
}

/** An instance of which a case counts traffic; `requests` by the tables, null where they do not say. */
export type Concerned = { readonly id: InstanceId; readonly name: string; readonly requests: Count }

/**
 * The instances that have traffic of a scope: those it names, else those with requests in the table of instances. Where that table does
 * not tell of every request, all that the account sees are concerned.
 * @throws whatever asking throws
 */
export async function instancesConcerned(
  account: AccountId,
  scope: CaseScope,
  { ask, instances }: InstancesParts,
): Promise<readonly Concerned[]> {
  const table = await tableOf(account, scope, ask)
  if (scope.instances.kind === 'some')
    return scope.instances.list.map(({ id, name }) => {
      const found = table.rows.find((row) => row.id === id)
      return { id, name: found?.name ?? name, requests: found?.requests ?? (table.isWhole ? 0 : null) }
    })
  const withTraffic = table.rows.filter(({ requests }) => requests !== 0)
  if (table.isWhole) return withTraffic
  const { answer } = await instances({ account, name: null, page: 1, limit: limits.rowsPerPage })
  const more = answer.instances.filter(({ id, all }) => !all && !table.rows.some((row) => row.id === id))
  return [...withTraffic, ...more.map(({ id, name }) => ({ id, name: name || id, requests: null }))]
}

type InstanceTable = { readonly rows: readonly Concerned[]; readonly isWhole: boolean }

async function tableOf(account: AccountId, scope: CaseScope, ask: Reports['ask']): Promise<InstanceTable> {
  const { family, source, campaign, range } = scope
  const query: TableQuery = {
    ...plainTable,
    ...{ family, range, source, campaign, dimension: 'sessions', limit: limits.rowsPerPage },
  }
  const answer = await ask({ account, query, force: false })
  if (answer.kind !== 'table') throw new TypeError('A table was asked for')
  const { figures, provenance } = answer
  const place = figures.table.headers.indexOf('Requests') - 1
  const countIn = (cells: readonly unknown[] | undefined): Count => {
    const cell = cells?.[place]
    return typeof cell === 'number' ? cell : null
  }
  const rows = figures.table.rows.flatMap(({ label, cells }) =>
    label.kind === 'instance'
      ? [{ id: label.id, name: label.name || label.id, requests: countIn(cells) }]
      : [],
  )
  const sum = rows.reduce((all, { requests }) => all + (requests ?? 0), 0)
  const isWhole = provenance.missing.length === 0 && sum === countIn(figures.table.all?.cells)
  // Each once, whatever a service sends: a raw report is asked for each of them.
  const isFirst = ({ id }: Concerned, place: number) => rows.findIndex((row) => row.id === id) === place
  return { rows: rows.filter(isFirst), isWhole }
}
