import { rmSync } from 'node:fs'
import readSheets from 'read-excel-file/node'
import { expect } from 'vitest'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { ArchivesContext } from '#main/archives/archives-context.ts'
import { Archives } from '#main/archives/archives.ts'
import { Cases } from '#main/cases/cases.ts'
import type { Store } from '#main/database/open-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Exports } from '#main/exports/exports.ts'
import { Jobs } from '#main/lib/jobs.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import type { RawReports } from '#main/raw/polling/raw-reports.ts'
import type { Raw } from '#main/raw/raw.ts'
import type { RawRequests } from '#main/raw/requests/raw-requests.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Reports } from '#main/reports/reports.ts'
import { deskFailure, failureOf } from '#shared/api/failure.ts'
import { usualSettings } from '#shared/app/settings.ts'
import { soundFindings } from '#shared/cases/case.ts'
import type { CaseEntry, CaseFindings, CaseId, CaseSide } from '#shared/cases/case.ts'
import { readPrintAddress } from '#shared/exports/paper.ts'
import { changedMeanwhile } from '#shared/texts/cases.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId, InstanceId } from '#shared/values/ids.ts'
import { fake } from '#test/helpers/fake.ts'
import { filesInZip } from '#test/helpers/files-in-zip.ts'
import { rowsChannel } from '#test/src-main/archives/helpers.ts'
import { labels } from './growing-counts.ts'
import type { ReadBackExports } from './moment-exports.ts'

/** Scopes that cases are about: the subject and what it is compared with. */
export type CaseAbout = 'source' | 'instance' | 'source of an instance'

type Around = {
  readonly store: Store
  readonly accounts: Accounts
  readonly reports: Reports
  readonly events: AppEvents
  readonly clock: Clock
  readonly folder: string
  /** The files that packs become. */
  readonly files: () => ReadBackExports
}

/** Every case of an account is its own scope, and is updated when it is made again. */
export class CasesOfAccount {
  readonly #archives: Archives
  readonly #cases: Cases
  readonly #files: () => ReadBackExports
  #last: CaseId | null = null
  /** The update that goes on, or the last one. */
  #updating: Promise<unknown> = Promise.resolve()
  #isSlow = false

  constructor({ store, accounts, reports, events, clock, folder, files }: Around) {
    const raw = fake<Raw>('raw', {
      requests: fake<RawRequests>('requests', {
        queue: () => Promise.resolve({ requests: [], limits: null }),
      }),
      reports: fake<RawReports>('raw reports', { known: () => Promise.resolve(null) }),
      downloads: fake<Downloads>('downloads', { savedState: () => 'none', saved: () => Promise.resolve([]) }),
    })
    const context: ArchivesContext = {
      ...{ store, accounts, reports, raw, events, clock, folder, folderGuard: slowFolderGuard },
      exports: fake<Exports>('exports', { run: (...asked) => files().exports.run(...asked) }),
      jobs: new Jobs(events, clock),
      settings: fake<Settings>('settings', {
        read: () => Promise.resolve({ ...usualSettings, readsIn: false }),
      }),
      shell: fake<SystemShell>('shell', { print: (address) => this.print(address) }),
      openRows: () => rowsChannel(folder),
    }
    this.#archives = new Archives(context)
    this.#files = files
    this.#cases = new Cases({ ...context, archives: this.#archives })
  }

  /** As the page does: it reads the case, and refuses another update than it is asked for. */
  readonly print = async (address: string): Promise<Uint8Array> => {
    const { account, madeAt = null } = readPrintAddress(address) ?? {}
    if (account === undefined || this.#last === null) throw new TypeError('No pages of a case')
    if (this.#isSlow) await this.#updating
    const { made } = await this.#cases.read({ account, id: this.#last })
    const found = soundFindings({ made })
    if (madeAt !== null && found?.madeAt !== madeAt) throw deskFailure('invalid', changedMeanwhile)
    return new TextEncoder().encode(JSON.stringify(found && figuresIn(found)))
  }

  /** Makes a new case, or with `again` the last one. Null where it is refused, or keeps what it had. */
  async make(
    account: AccountId,
    about: CaseAbout,
    range: DayRange,
    again: boolean,
  ): Promise<MadeCase | null> {
    if (!again || this.#last === null) {
      const { id } = await this.#cases.begin({ account, entry: entryOf(about, range), fitting: false })
      this.#last = id
    }
    const id = this.#last
    const before = await this.#cases.read({ account, id })
    try {
      const making = this.#cases.make({ account, id })
      this.#updating = making.catch(() => undefined)
      const { entry, made } = await making
      return made && { entry, made }
    } catch (error) {
      expect(failureOf(error).kind).not.toBe('internal')
      const after = await this.#cases.read({ account, id })
      // Another update may have come meanwhile; what was there is never lost.
      if (before.made) expect(after.made).not.toBeNull()
      return null
    }
  }

  /**
   * Writes the evidence of the last case, and reads it back.
   * @param isSlow whether its pages are printed after the update that goes on
   * @returns what is wrong with it; null where nothing is, it is refused, or there is none
   */
  async pack(account: AccountId, isSlow: boolean): Promise<string | null> {
    if (this.#last === null) return null
    this.#isSlow = isSlow
    const of = { account, id: this.#last }
    const begun = await this.#cases
      .save(of)
      .catch((error: unknown) => void expect(failureOf(error).kind).toBe('invalid'))
    const file = begun ? await this.#files().fileOf(begun.id) : null
    if (file === null) return null
    const files = await filesInZip(file.path)
    rmSync(file.path)
    const fileOf = (ending: string) =>
      [...files].find(([name]) => name.endsWith(ending))?.[1] ?? Buffer.alloc(0)
    const sheets = await readSheets(fileOf('.xlsx'))
    const sheet = sheets.find((each) => each.sheet === 'Figures')?.data ?? []
    const workbook = sheet
      .filter(([name]) => name === 'Good' || name === 'Bad')
      .map(([name, now, , before, , others]) => [name, now, before, others].map((cell) => cell ?? null))
    const pages = fileOf('.pdf').toString()
    return pages === JSON.stringify(workbook) ? null : `pages ${pages}, workbook ${JSON.stringify(workbook)}`
  }

  async stop(): Promise<void> {
    await this.#cases.stop()
    await this.#archives.stop()
  }
}

export type MadeCase = { readonly entry: CaseEntry; readonly made: CaseFindings }

const valueOf = (side: CaseSide | null, header: string) =>
  side?.figures.find((figure) => figure.header === header)?.value ?? null

/** What a case says, as its sheet of figures has it. */
const figuresIn = ({ now, before, others }: CaseFindings) =>
  now || before || others
    ? ['Good', 'Bad'].map((header) => [header, ...[now, before, others].map((side) => valueOf(side, header))])
    : []

function entryOf(about: CaseAbout, range: DayRange): CaseEntry {
  const [source = ''] = labels.sources
  const [instance] = labels.sessions
  if (instance === undefined) throw new TypeError('There is no instance')
  const of = about === 'source' ? null : instance
  return {
    ...{ name: 'Autumn', about: about === 'instance' ? 'instance' : 'source', files: [], notes: '' },
    subject: about === 'instance' ? instance : source,
    scope: {
      ...{
        family: 'script',
        source: about === 'instance' ? null : source,
        campaign: null,
        range,
        zone: 'UTC',
      },
      instances: of === null ? { kind: 'all' } : { kind: 'some', list: [{ id: of as InstanceId, name: of }] },
    },
  }
}
