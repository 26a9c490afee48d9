import type { RawRequest, ShownRequestState } from '#shared/raw/asking.ts'
import { endpoints } from '#shared/api/endpoints.ts'
import { ago } from '#renderer/components/durations.ts'
import { days } from '#renderer/components/formats.ts'
import { typeWords } from '../type-words.ts'

const waiting: Readonly<Record<Extract<ShownRequestState, { kind: 'waiting' }>['for'], string>> = {
  turn: 'Waits for its turn.',
  concurrent: 'Waits until a report that is in progress is done.',
  minutes: 'Waits until there are enough processing minutes again.',
  connection: 'Waits until the service can be reached.',
  token: 'Waits for an access token that the service takes.',
  pause: 'Waits: everything is paused.',
}

/** What is waited for though the service cannot be reached: it goes on no sooner when it is back. */
const lasting: ReadonlySet<string> = new Set(['token', 'pause'])

const { parameters } = endpoints['raw/request']

/** All that is said against a request; what the service says of a field under the field's name. */
function refusedWords({ failure, fields }: Extract<ShownRequestState, { kind: 'refused' }>): string {
  const about = Object.entries(fields).flatMap(([name, words]) => {
    if (words === failure.message) return []
    const field = Object.entries(parameters).find(([each]) => each === name)?.[1].words
    return [field === undefined || failure.kind === 'invalid' ? words : `${field}: ${words}`]
  })
  return [failure.message, ...about].join(' ')
}

/**
 * How a request stands, in words; an unclear one says what to decide.
 * @param offline whether the service is known to be out of reach: then nothing else is waited for before it is back
 */
export function requestWords(state: ShownRequestState, now: number, offline: boolean): string {
  switch (state.kind) {
    case 'waiting':
      return waiting[offline && !lasting.has(state.for) ? 'connection' : state.for]
    case 'sending':
      return 'Being sent.'
    case 'looking':
      return offline
        ? 'The answer was lost. Whether the service made the report is looked up once it can be reached.'
        : 'The answer was lost. Looking in the list whether the service made the report.'
    case 'unclear':
      return (
        `Sent ${ago(now - state.since)}; the answer was lost, and the list does not show the report. ` +
        'The service may still make it. Sending it again may give two reports and use minutes twice.'
      )
    case 'refused':
      return refusedWords(state)
  }
}

/** What a request is called: its name, or what it asks for. */
export function requestName({ draft }: Pick<RawRequest, 'draft'>): string {
  return draft.name.trim() === '' ? `${typeWords[draft.type]}, ${days(draft)}` : draft.name.trim()
}
