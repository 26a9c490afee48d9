import type { RawTemplate } from '#shared/raw/asking.ts'
import { checkDraft } from '#shared/raw/check-draft.ts'
import type { RawRules } from '#shared/raw/check-draft.ts'
import { DeskFailure } from '#shared/app/desk-failure.ts'

type Entry = Omit<RawTemplate, 'id'>

const longestName = 200

const invalid = (field: string, message: string) => new DeskFailure({ kind: 'invalid', message, field })

/** A template's name on one line. @throws DeskFailure about `name` */
function checkName(typed: string): string {
  const whole = typed.replace(/\p{Cs}/gu, '\u{fffd}').normalize('NFC')
  const name = whole.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  if (name === '') throw invalid('name', 'Give the template a name.')
  if (name.length > longestName) throw invalid('name', `A name has at most ${longestName} characters.`)
  return name
}

/**
 * A template as it is kept. Its instance may be left open, to be chosen each time; its days are those of its period.
 * @throws DeskFailure `invalid` with the field that is wrong
 */
export function checkTemplate({ draft, name, ...entry }: Entry, rules: RawRules): Entry {
  const checked = checkDraft({ ...draft, start: rules.today, end: rules.today }, rules)
  const trouble =
    checked.kind === 'order' ? undefined : checked.troubles.find(({ field }) => field !== 'instance')
  if (trouble) throw invalid(trouble.field, trouble.words)
  return { ...entry, name: checkName(name), draft: { ...draft, name: draft.name.trim() } }
}
