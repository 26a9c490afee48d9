import type { CaseAbout, CaseEntry, CaseScope } from '#shared/cases/case.ts'
import type { RowsColumn } from '#shared/archives/rows-file.ts'
import type { RowsGroups, GroupKey } from '#shared/archives/rows.ts'
import type { Instance } from '#shared/api/answers.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { WholeFile } from '../rows/columns.ts'
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

/** The columns whose values a case may be about. */
export const subjectColumns = (about: CaseAbout, columns: readonly RowsColumn[]): readonly GroupKey[] =>
  (about === 'source' ? ['source'] : ['source', 'campaign']).flatMap((standard) => {
    const column = columns.find((item) => item.standard === standard)
    return column ? [{ column: column.name, by: 'value' as const }] : []
  })

/** A source or a campaign among rows. */
export function subjectOfGroup(
  about: CaseAbout,
  { keys, rows, bad }: Pick<RowsGroups['groups'][number], 'keys' | 'rows' | 'bad'>,
): Subject {
  const [source = '', campaign = null] = keys
  const names = keys.map(valueWords).join(' › ')
  return {
    ...{ about, subject: names.slice(0, 1000), instance: null, source, campaign },
    words: `${names}: ${count(rows)} rows${bad === null ? '' : `, ${count(bad)} bad`}`,
  }
}

export function subjectOfInstance({ id, name }: Pick<Instance, 'id' | 'name'>): Subject {
  const subject = name || id
  return { about: 'instance', subject, instance: id, source: null, campaign: null, words: subject }
}

/**
 * The instances of archives as a case names them; null where one does not tell.
 * @param found what the archives' reports were asked for, as far as that is known
 */
export function instancesOfFiles(
  found: readonly { readonly instance: InstanceId | null; readonly name: string | null }[],
  files: readonly WholeFile[],
): Extract<CaseScope['instances'], { kind: 'some' }> | null {
  const known = new Map(
    found.flatMap(({ instance, name }) => (instance === null ? [] : [[instance, name || instance]])),
  )
  return found.length === files.length && known.size > 0 && found.every(({ instance }) => instance !== null)
    ? { kind: 'some', list: [...known].map(([id, name]) => ({ id, name })) }
    : null
}
