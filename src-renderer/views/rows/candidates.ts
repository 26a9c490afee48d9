import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { Candidate } from '#shared/archives/block-list.ts'
import type { RowsQuestion } from '#shared/archives/question.ts'
import type { Outcome } from '#shared/api/failure.ts'

/** No list is longer; those with the most bad rows are looked at first. */
const MAX = 20_000
const AT_ONCE = 1000

export type Candidates = {
  readonly candidates: readonly Candidate[]
  /** How many were not looked at. */
  readonly more: number
}

/**
 * The addresses among rows, or their networks, with how many rows each has, the worst first.
 * @param onlyBad leaves out those without a bad row, where any row says how it was judged
 */
export async function candidatesOf(
  bridge: DeskBridge,
  question: RowsQuestion,
  by: { readonly column: string; readonly by: 'value' | 'network' },
  onlyBad: boolean,
): Promise<Outcome<Candidates>> {
  const candidates: Candidate[] = []
  let total = 0
  do {
    const outcome = await bridge.call('rows/groups', {
      question,
      by: [by],
      sort: { by: { kind: 'bad' }, direction: 'desc' },
      search: '',
      offset: candidates.length,
      limit: AT_ONCE,
    })
    if (!outcome.ok) return outcome
    const { groups } = outcome.value
    total = groups.length === 0 ? candidates.length : outcome.value.total
    for (const { keys, rows, bad } of groups) candidates.push({ range: keys[0] ?? '', rows, bad })
  } while (candidates.length < Math.min(total, MAX) && !(onlyBad && candidates.at(-1)?.bad === 0))
  const wanted = onlyBad ? candidates.filter(({ bad }) => bad !== 0) : candidates
  const isWhole = wanted.length < candidates.length
  return { ok: true, value: { candidates: wanted, more: isWhole ? 0 : total - candidates.length } }
}
