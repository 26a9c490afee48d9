import type { EndpointPath } from '#shared/api/endpoints.ts'
import type { Day } from '#shared/values/day.ts'
import type { RawControl } from '../control/routes.ts'
import type { Behaviour } from '../contracts/behaviour.ts'
import type { SandboxState } from '../control/state.ts'
import type { RawRows } from '../contracts/events.ts'
import { argumentsOf, encoded, Refusal } from '../contracts/handler.ts'
import type { Handler, SandboxRequest } from '../contracts/handler.ts'
import { rawCancel, rawRemove, rawRequest } from './actions.ts'
import { createAddresses } from './addresses.ts'
import { fullRecord } from './answers.ts'
import { createArchives } from './archive.ts'
import { createReportBook, everything } from './book.ts'
import type { ReportBook } from './book.ts'
import { startDownloadServer } from './download-server.ts'
import { rawTable } from './list.ts'
import type { NamedInstance } from './order.ts'
import { lifeAt, statusLabels } from './report.ts'
import type { Outcome, SandboxReport } from './report.ts'
import { addSeededReports } from './seeded.ts'

export type RawPath = Extract<EndpointPath, `raw/${string}`>

/** The raw reports of a running sandbox. */
export type Raw = RawControl & {
  readonly handlers: Readonly<Record<RawPath, Handler>>
  /** The download server's own address. */
  readonly downloads: string
  readonly close: () => Promise<void>
}

/**
 * Starts the raw reports: the first few of them, the six endpoints, and the server from which archives are fetched.
 * @param world.instances every instance there is
 */
export async function startRaw(world: {
  seed: number
  today: Day
  rows: RawRows
  instances: readonly NamedInstance[]
  state: SandboxState
  /** Tells this start from others. */
  start?: string
}): Promise<Raw> {
  const { seed, state } = world
  const book = createReportBook(seed, world.start)
  addSeededReports(book, world)
  const archives = createArchives()
  const addresses = createAddresses(seed)
  const sizeOf = (report: SandboxReport, { archiveVersion, emptyArchives }: Behaviour) =>
    emptyArchives ? Promise.resolve(0) : archives.sizeOf(report, archiveVersion)
  const exists = (report: SandboxReport) => book.find(report.id, everything, state.clock.now()) !== undefined
  const server = await startDownloadServer({ state, addresses, archives, exists })

  let next: Outcome = 'ready'
  const takeOutcome = () => {
    const outcome = next
    next = 'ready'
    return outcome
  }
  const actions = { ...world, book, takeOutcome }
  const handlers: Raw['handlers'] = {
    'raw/table': rawTable(book),
    'raw/report': (request) => {
      const report = reportOf(book, request, argumentsOf('raw/report', request).raw)
      return fullRecord(report, request, () => sizeOf(report, request.behaviour))
    },
    'raw/request': rawRequest(actions),
    'raw/cancel': rawCancel(actions),
    'raw/download': (request) => {
      const report = reportOf(book, request, argumentsOf('raw/download', request).raw)
      if (lifeAt(report, request.now).kind !== 'ready') throw new Refusal(400, 'The report is not ready')
      return { url: encoded(`${server.address}${addresses.issue(report, request.now)}`) }
    },
    'raw/remove': rawRemove(actions),
  }
  return {
    handlers,
    downloads: server.address,
    close: server.close,
    endNext: (outcome) => {
      next = outcome
    },
    summary: () => {
      const now = state.clock.now()
      return book
        .visible(everything, now)
        .map((report) => ({ id: report.id, status: statusLabels[lifeAt(report, now).kind] }))
    },
  }
}

/** @throws Refusal 404 where there is no such report for this token */
function reportOf(book: ReportBook, { rights, now }: SandboxRequest, id: string): SandboxReport {
  const report = book.find(id, rights, now)
  if (!report) throw new Refusal(404, 'There is no such report')
  return report
}
