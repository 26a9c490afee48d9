import type { MovedBy } from '#shared/reports/query.ts'
import type { OverviewAddress } from '#shared/views/view-address.ts'

/** What each family is watched for. */
export const watched = { script: 'Bad', direct: 'Suspect' } as const

/** The overview with what moved most: compared with the period before, unless it is compared already. */
export const toMovers = (address: OverviewAddress): OverviewAddress =>
  address.compare.kind === 'preset' && address.compare.preset === 'none'
    ? { ...address, compare: { kind: 'preset', preset: 'period-before' } }
    : address

/** The rate of fewer requests moves by chance. */
const MIN_FOR_RATES = 50

/** How rows are said to have moved: by number all of them, by rate those of at least some requests. */
export function movedBy({ moved, min }: Pick<OverviewAddress, 'moved' | 'min'>): Required<MovedBy> {
  return moved === 'rate' ? { by: 'rate', min: min ?? MIN_FOR_RATES } : { by: 'count', min: min ?? 0 }
}
