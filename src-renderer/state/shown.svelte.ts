import type { Question } from './question.svelte.ts'

/** The questions whose figures are on screen, for the status in the header. */
export class Shown {
  questions = $state.raw<readonly Question[]>([])

  /** Says what a view shows; the result takes it back, unless another view has spoken since. */
  show(questions: readonly Question[]): () => void {
    this.questions = questions
    return () => {
      if (this.questions === questions) this.questions = []
    }
  }
}
