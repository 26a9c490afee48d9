import type { ReportQuery } from '#shared/reports/query.ts'
import type { StatusSource } from './status.ts'

/** What is asked on screen, and can be asked again. */
export type ShownQuestion = StatusSource & {
  /** What its answer is about; null of what is no report, and while there is no answer. */
  readonly subject: ReportQuery | null
  again(force: boolean): void
}

/** The questions whose figures are on screen, for the status in the header. */
export class Shown {
  questions = $state.raw<readonly ShownQuestion[]>([])

  /** Says what a view shows; the result takes it back, unless another view has spoken since. */
  show(questions: readonly ShownQuestion[]): () => void {
    this.questions = questions
    return () => {
      if (this.questions === questions) this.questions = []
    }
  }
}
