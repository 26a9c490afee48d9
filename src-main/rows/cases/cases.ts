import { randomUUID } from 'node:crypto'
import type { CallArgument, CallName, CallResult } from '../../../src-shared/bridge/calls.ts'
import type { Case, CaseEntry, CaseFindings, CaseId } from '../../../src-shared/cases/case.ts'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import type { AccountId, Instant, InstanceId } from '../../../src-shared/values/ids.ts'
import type { RowsFileId } from '../../../src-shared/rows/rows-file.ts'
import { writeAddress } from '../../../src-shared/views/address.ts'
import { writePrintAddress } from '../../../src-shared/views/print-address.ts'
import type { Exports } from '../../exports/exports.ts'
import { SingleFlight } from '../../lib/waiting.ts'
import type { Store } from '../../state/state-store.ts'
import type { ReadRows } from '../engine/calls.ts'
import type { RecountParts } from '../recount.ts'
import { figuresOfCase } from './of-figures.ts'
import type { FiguresParts } from './of-figures.ts'
import { countRowsOfCase, rowsOfCase } from './of-rows.ts'
import type { CaseRowsParts } from './of-rows.ts'

type Answered<N extends CallName> = (asked: CallArgument<N>) => Promise<CallResult<N>>

export type CasesParts = FiguresParts &
  CaseRowsParts & {
    readonly state: Pick<Store, 'run'>
    readonly runExport: Exports['run']
    /** What is at an address for printing, drawn on pages: a PDF. */
    readonly print: (address: string, signal: AbortSignal) => Promise<Uint8Array>
    /** The folder for what is soon gone again. */
    readonly work: string
    readonly accountName: (account: AccountId) => string
    /** The rows of archives, as far as they are read in. */
    readonly readRows: (account: AccountId, files: readonly RowsFileId[]) => Promise<readonly ReadRows[]>
    readonly reportOf: RecountParts['reportOf']
    readonly changed: (account: AccountId) => void
    readonly now: () => number
  }

/** Cases: what each does is said where its call is declared (src-shared/bridge/calls/cases.ts). */
export type Cases = {
  readonly list: (account: AccountId) => Promise<CallResult<'cases/list'>>
  readonly of: Answered<'cases/of'>
  readonly begin: Answered<'cases/begin'>
  readonly change: Answered<'cases/change'>
  readonly make: Answered<'cases/make'>
  readonly remove: Answered<'cases/remove'>
  readonly save: Answered<'cases/save'>
}

export function createCases(parts: CasesParts): Cases {
  const { state } = parts
  /** Two who ask for one case to be made get the same. */
  const makings = new SingleFlight<Case>()

  /** The instance that the archives' reports are of, where they agree on one. */
  async function instanceOf(account: AccountId, read: readonly ReadRows[]): Promise<InstanceId | null> {
    const found = new Set<InstanceId | null>()
    for (const { entry } of read) {
      const record =
        entry.report === null ? null : await parts.reportOf(account, entry.report).catch(() => null)
      found.add(record?.instance_id ?? null)
    }
    const [only = null] = found
    return found.size === 1 ? only : null
  }

  async function gather(account: AccountId, entry: CaseEntry): Promise<CaseFindings> {
    const read = await parts.readRows(account, entry.files)
    const instance = entry.instance ?? (await instanceOf(account, read))
    const figures = await figuresOfCase(account, entry, instance, parts)
    const rows = await countRowsOfCase(account, entry, read, parts)
    const absent = entry.files.length - read.length
    const gone = {
      what: 'Archives',
      failure: { kind: 'invalid', message: `${absent} of ${entry.files.length} are not read in.` },
    } as const
    const lacks = [...(absent > 0 ? [gone] : []), ...figures.lacks, ...rows.lacks]
    return { madeAt: parts.now() as Instant, zone: parts.zoneOf(account), ...figures, ...rows, lacks }
  }

  async function make({ account, id }: CallArgument<'cases/make'>): Promise<Case> {
    const { entry } = await state.run('cases/of', { account, id })
    const made = await gather(account, entry)
    await state.run('cases/made', { account, id, made })
    parts.changed(account)
    return await state.run('cases/of', { account, id })
  }

  return {
    list: (account) => state.run('cases/list', account),
    of: (asked) => state.run('cases/of', asked),
    begin: async ({ account, entry }) => {
      const id = randomUUID() as CaseId
      await state.run('cases/add', { account, id, begunAt: parts.now() as Instant, entry })
      parts.changed(account)
      return { id }
    },
    change: async (asked) => {
      await state.run('cases/change', asked)
      parts.changed(asked.account)
      return null
    },
    make: (asked) =>
      makings.join(`${asked.account} ${asked.id}`, { signal: new AbortController().signal }, () =>
        make(asked),
      ),
    remove: async (asked) => {
      await state.run('cases/remove', asked)
      parts.changed(asked.account)
      return null
    },
    save: async ({ account, id }) => {
      const { entry, made, before } = await state.run('cases/of', { account, id })
      if (!made) throw notMade()
      const view = writeAddress({ view: 'cases', id })
      return parts.runExport(account, {
        name: `Case ${entry.name}`,
        ending: 'zip',
        write: async (path, signal, progress) => {
          // What writes ZIPs and workbooks is loaded when somebody wants one.
          const { writePack } = await import('./pack.ts')
          const read = await parts.readRows(account, entry.files)
          const asked = read.length > 0 ? rowsOfCase(entry, read, made.zone) : null
          const about = { account: parts.accountName(account), entry, made, before }
          const print = () => parts.print(writePrintAddress({ account, view }), signal)
          const page = (offset: number, limit: number) =>
            asked &&
            parts.soundly(
              account,
              parts.engine.call('page', { ...asked, columns: [], offset, limit }, signal),
            )
          const csv = () =>
            asked &&
            parts.soundly(
              account,
              parts.engine.call('write', { ...asked, columns: [], format: 'csv' }, signal),
            )
          return await writePack(path, {
            work: parts.work,
            about,
            print,
            page,
            csv,
            signal,
            progress,
            files: asked?.files ?? [],
          })
        },
      })
    },
  }
}

const notMade = () => new DeskFailure({ kind: 'invalid', message: 'The case is not made yet.' })
