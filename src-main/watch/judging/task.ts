import type { Day } from '#shared/values/day.ts'
import type { AlertPreview } from '#shared/watch/alerts.ts'
import type { Episode } from '../detector/episodes.ts'
import { judgeMornings } from './judge-mornings.ts'
import type { AlertMorning } from './judge-mornings.ts'
import { withLeftOut } from './left-out.ts'
import type { LeftOutDays } from './left-out.ts'
import { previewOf } from './preview.ts'
import type { NamedFigures, WatchRule } from './rule.ts'

/** What to judge of figures. `since`: the morning that was judged last; null before the first. */
export type JudgeTask = {
  readonly rule: WatchRule
  readonly today: Day
  /** Key of the only row of a table; null for all rows, or the total. */
  readonly row: string | null
  /** Days that notes leave out of what is usual. */
  readonly leftOut: LeftOutDays
} & (
  | { readonly kind: 'mornings'; readonly episodes: readonly Episode[]; readonly since: Day | null }
  /** `code`: the rule set of the band of a rule mix. */
  | { readonly kind: 'preview'; readonly code?: string | undefined }
)

export type Judged =
  | {
      readonly kind: 'mornings'
      /** In order. Without episodes, which are those after the last. */
      readonly mornings: readonly Omit<AlertMorning, 'episodes'>[]
      readonly episodes: readonly Episode[]
    }
  | { readonly kind: 'preview'; readonly preview: Omit<AlertPreview, 'storedDays'> }

/** Does a task in steps, so that the process can do other work between two mornings. */
export function* judging(all: NamedFigures, task: JudgeTask): Generator<undefined, Judged> {
  const { rule, today } = task
  const figures = withLeftOut(all, task.leftOut)
  if (task.kind === 'preview')
    return { kind: 'preview', preview: yield* previewOf(figures, today, rule, task.code) }
  let { episodes } = task
  const mornings: Omit<AlertMorning, 'episodes'>[] = []
  for (const { episodes: next, ...morning } of judgeMornings(figures, task.episodes, task, rule)) {
    episodes = next
    mornings.push(morning)
    yield
  }
  return { kind: 'mornings', mornings, episodes }
}
