import type { AccountId } from '#shared/values/ids.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { Verified, ReadRows } from '#main/archives/engine/calls.ts'
import type { RowsEngine } from '#main/archives/engine/engine.ts'
import { workFolder } from '#main/archives/layout.ts'
import type { ArchiveImports } from '#main/archives/import-queue.ts'
import type { Recounting } from '#main/archives/recounting.ts'
import type { RowsParts } from '#main/archives/rows-parts.ts'
import { Cases } from './cases.ts'
import type { CasesParts } from './cases.ts'
import { caseClusters } from './of-clusters.ts'

/** What cases take of the rows around them. */
export type RowsForCases = Pick<CasesParts, 'fileOf' | 'readIn'> & {
  readonly parts: RowsParts
  readonly engine: Pick<RowsEngine, 'call'>
  readonly verified: <A>(account: AccountId, looking: Promise<Verified<A>>) => Promise<A>
  /** The files of an account that are read in. */
  readonly catalogueOf: (account: AccountId) => Promise<ReadonlyMap<RowsFileId, ReadRows>>
  readonly imports: Pick<ArchiveImports, 'of'>
  readonly recounting: Pick<Recounting, 'run'>
}

/** Cases over the rows of archives. */
export const openCases = ({
  parts,
  engine,
  verified,
  catalogueOf,
  imports,
  recounting,
  ...more
}: RowsForCases): Cases =>
  new Cases({
    ...{ engine, verified, ...parts.forCases, ...more },
    ...{ state: parts.state, runExport: parts.runExport, now: parts.now },
    ...{ ask: parts.ask, trend: parts.trend, print: parts.print, reportOf: parts.reportOf },
    work: workFolder(parts.folder),
    account: (account) => parts.accounts.account(account),
    rowsOf: async (account, file) => {
      if ((await catalogueOf(account)).has(file)) return 'read-in'
      const reading = imports.of(parts.accounts.dataScopeOf(account)).find(({ what }) => what.id === file)
      return reading?.state.kind === 'failed' ? 'failed' : 'not-yet'
    },
    readRows: async (account, files) => {
      const known = await catalogueOf(account)
      return files.flatMap((id) => known.get(id) ?? [])
    },
    recount: (account, read, zone) => recounting.run(account, read, zone),
    clusters: async (account, asked, zone) => {
      const looked = engine.call('clusters', { ...asked, zone })
      return caseClusters((await verified(account, looked)).clusters)
    },
    changed: (account) => parts.events.emit({ kind: 'rows/changed', account }),
  })
