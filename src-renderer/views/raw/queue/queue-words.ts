import type { RawRequest, RawRequestState } from '../../../../src-shared/raw/asking.ts'
import { ago } from '../../../parts/durations.ts'
import { days } from '../../../parts/formats.ts'
import { typeWords } from '../type-words.ts'

const waiting: Readonly<Record<Extract<RawRequestState, { as: 'waiting' }>['for'], string>> = {
  turn: 'Waits for its turn.',
  concurrent: 'Waits until a report that is in progress is done.',
  minutes: 'Waits until there are processing minutes again.',
  connection: 'Waits until the service can be reached.',
  token: 'Waits for an access token that the service takes.',
}

/** How a request stands, in words; an unclear one says what to decide. */
export function requestWords(state: RawRequestState, now: number): string {
  switch (state.as) {
    case 'waiting':
      return waiting[state.for]
    case 'sending':
      return 'Being sent.'
    case 'looking':
      return 'The answer was lost. Looking in the list whether the service made the report.'
    case 'unclear':
      return (
        `Sent ${ago(now - state.since)}; the answer was lost, and the list does not show the report. ` +
        'The service may still make it. Sending it again may give two reports and use minutes twice.'
      )
    case 'refused':
      return state.failure.message
  }
}

/** What a request is called: its name, or what it asks for. */
export function requestName({ draft }: Pick<RawRequest, 'draft'>): string {
  return draft.name.trim() === '' ? `${typeWords[draft.type]}, ${days(draft)}` : draft.name.trim()
}
