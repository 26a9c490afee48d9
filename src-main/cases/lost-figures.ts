import type { CaseFindings, CaseSide } from '#shared/cases/case.ts'
import type { Failure } from '#shared/api/failure.ts'
import { daysBetween } from '#shared/values/day.ts'
import { lackNames } from './of-figures.ts'

/** Under which name a case lacks the instances with traffic. */
export const lackOfInstances = 'Instances with traffic'

/** The parts of findings that the service's figures make: under which names each is lacking, and how much of it is there. */
const parts: readonly {
  readonly lacks: readonly string[]
  readonly size: (found: CaseFindings) => number
}[] = [
  { lacks: lackNames.now, size: ({ now }) => daysIn(now) },
  { lacks: lackNames.before, size: ({ before }) => daysIn(before) },
  { lacks: lackNames.others, size: ({ others }) => daysIn(others) },
  { lacks: lackNames.daily, size: ({ days }) => days.filter(hasValue).length },
  { lacks: [lackOfInstances], size: ({ instances }) => instances.length },
]

const hasValue = ({ values }: CaseFindings['days'][number]): boolean => values.some((value) => value !== null)

/** Days of which there are figures. */
const daysIn = (side: CaseSide | null): number =>
  side === null ? 0 : daysBetween(side.range.start, side.range.end) + 1 - side.missing

/**
 * Why new findings must not stand in the place of those that there are: figures that these have could not be had, or of fewer days.
 * @param had findings of the same scope
 */
export function lostFigures(had: CaseFindings, found: CaseFindings): Failure | null {
  for (const { lacks, size } of parts) {
    const lack = found.lacks.find(({ what }) => lacks.includes(what))
    if (lack && size(found) < size(had)) return keepsWords(had, lack.failure)
  }
  return null
}

function keepsWords({ now, madeAt, zone }: CaseFindings, failure: Failure): Failure {
  const stored = `the case keeps the figures of ${momentIn(now?.fetchedAt ?? madeAt, zone)}.`
  if (failure.kind === 'offline')
    return { ...failure, message: `The service is offline: ${stored} Update again when it is back.` }
  const message = `${failure.message} T${stored.slice(1)} Update again later, or begin a new case without them.`
  // Days that are missing without a failure: nothing that a person entered is wrong.
  return { ...failure, kind: failure.kind === 'invalid' ? 'not-found' : failure.kind, message }
}

const momentIn = (at: number, zone: string): string =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
    .format(at)
    // The engine's own narrow space is none that a person types or searches for.
    .replace('\u202f', ' ')
