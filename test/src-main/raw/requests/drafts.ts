import { checkDraft, argumentsOf } from '#shared/raw/draft.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import type { ArgumentsFor } from '#shared/api/endpoints.ts'
import { day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'

export const draft: RawDraft = {
  type: 'response',
  instance: '101' as InstanceId,
  start: day('2026-11-14'),
  end: day('2026-11-20'),
  name: 'Weekly',
  standard: ['source', 'result'],
  additional: [],
  filters: [],
  email: false,
}

/** What a draft is sent as. */
export function sentAs(changes: Partial<RawDraft> = {}): ArgumentsFor<'raw/request'> {
  const checked = checkDraft({ ...draft, ...changes }, { today: draft.end, additional: 10 })
  if (checked.kind === 'troubles') throw new Error(JSON.stringify(checked.troubles))
  return argumentsOf(checked.order)
}
