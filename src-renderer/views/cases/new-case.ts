import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { CaseAbout, CaseEntry } from '#shared/cases/case.ts'
import type { CaseScope } from '#shared/cases/scope.ts'
import type { RowsColumn } from '#shared/archives/rows-file.ts'
import type { RowsQuestion } from '#shared/archives/question.ts'
import type { Outcome } from '#shared/api/failure.ts'
import { limits } from '#shared/api/limits.ts'
import type { AccountId, InstanceId } from '#shared/values/ids.ts'
import type { WholeFile } from '../rows/columns.ts'
import { recordsOf } from '../rows/instances-of.ts'
import { count } from '#renderer/components/formats.ts'
import { valueWords } from '../rows/conditions.ts'

/** What a case may be about, by what the archives tell. */
export const aboutsOf = (columns: readonly RowsColumn[]): readonly CaseAbout[] => {
  const has = (standard: string) => columns.some((column) => column.standard === standard)
  return [
    ...(has('source') ? (['source'] as const) : []),
    ...(has('source') && has('campaign') ? (['campaign'] as const) : []),
    'instance',
  ]
}

/** Something that a case may be about. */
export type Subject = Pick<CaseEntry, 'about' | 'subject'> &
  Pick<CaseScope, 'source' | 'campaign'> & {
    /** The instance, where it is one. */
    readonly instance: InstanceId | null
    readonly words: string
  }

type Subjects = Outcome<readonly Subject[]>

/** So many sources or campaigns are offered, those with the most bad rows first. */
const max = 200

/** The sources or campaigns among rows, the worst first; or the account's instances. */
export async function subjectsOf(
  bridge: DeskBridge,
  about: CaseAbout,
  question: RowsQuestion,
  columns: readonly RowsColumn[],
): Promise<Subjects> {
  if (about === 'instance') return await instancesOf(bridge, question.account)
  const standards = about === 'source' ? ['source'] : ['source', 'campaign']
  const by = standards.flatMap((standard) => {
    const column = columns.find((rowsColumn) => rowsColumn.standard === standard)
    return column ? [{ column: column.name, by: 'value' as const }] : []
  })
  const outcome = await bridge.call('rows/groups', {
    question: { ...question, conditions: [], sort: [] },
    by,
    sort: { by: { kind: 'bad' }, direction: 'desc' },
    ...{ search: '', offset: 0, limit: max },
  })
  if (!outcome.ok) return outcome
  const value = outcome.value.groups.map(({ keys, rows, bad }): Subject => {
    const [source = '', campaign = null] = keys
    const names = keys.map(valueWords).join(' › ')
    return {
      ...{ about, subject: names.slice(0, 1000), instance: null, source, campaign },
      words: `${names}: ${count(rows)} rows${bad === null ? '' : `, ${count(bad)} bad`}`,
    }
  })
  return { ok: true, value }
}

async function instancesOf(bridge: DeskBridge, account: AccountId): Promise<Subjects> {
  const asked = { account, name: null, page: 1, limit: limits.rowsPerPage }
  const outcome = await bridge.call('lookups/instances', asked)
  if (!outcome.ok) return outcome
  const value = outcome.value.answer.instances.map(({ id, name }): Subject => {
    const subject = name || id
    return { about: 'instance', subject, instance: id, source: null, campaign: null, words: subject }
  })
  return { ok: true, value }
}

/** The instances of archives as a case names them; null where one does not tell. */
export async function instancesOfFiles(
  bridge: DeskBridge,
  account: AccountId,
  files: readonly WholeFile[],
): Promise<Extract<CaseScope['instances'], { kind: 'some' }> | null> {
  const found = await recordsOf(bridge, account, files)
  const known = new Map(
    found.flatMap(({ instance_id: id, instance_name: name }) => (id === null ? [] : [[id, name || id]])),
  )
  return found.length === files.length && known.size > 0 && found.every(({ instance_id: id }) => id !== null)
    ? { kind: 'some', list: [...known].map(([id, name]) => ({ id, name })) }
    : null
}
