import type { Cell } from '../../../src-shared/service/answers.ts'

/**
 * One column of the table that is being summed, by place. NaN stands for null: null and a count are the count, null and null
 * stay null (field notes: values).
 */
export class MergedColumn {
  readonly header: string
  readonly values: number[] = []
  /** Whether something stood in it that is no count, so that it cannot be summed. */
  isOdd = false
  readonly #texts = new Map<number, string>()
  readonly #standard: boolean

  /** @param standard whether the specification names it: then it is a count in any case */
  constructor(header: string, standard: boolean) {
    this.header = header
    this.#standard = standard
  }

  /** Makes room for rows up to a size, in which nothing is known yet. */
  extend(size: number): void {
    while (this.values.length < size) this.values.push(Number.NaN)
  }

  /** Adds figures to the rows at these places. */
  add(places: Int32Array, figures: Float64Array): void {
    const { values } = this
    for (let row = 0; row < places.length; row += 1) {
      const figure = figures[row] as number
      if (Number.isNaN(figure)) continue
      const place = places[row] as number
      const sum = values[place] as number
      values[place] = Number.isNaN(sum) ? figure : sum + figure
      if (!this.#standard && !Number.isInteger(figure)) this.isOdd = true
    }
  }

  /** Adds nothing to the rows at these places, which is then known: a rule set without a column was not broken. */
  addZero(places: Iterable<number>): void {
    for (const place of places) if (Number.isNaN(this.values[place])) this.values[place] = 0
  }

  setText(place: number, text: string): void {
    this.#texts.set(place, text)
    if (!this.#standard) this.isOdd = true
  }

  /** Texts have no sum. */
  dropTexts(): void {
    this.#texts.clear()
  }

  get hasTexts(): boolean {
    return this.#texts.size > 0
  }

  cell(place: number): Cell {
    const text = this.#texts.get(place)
    if (text !== undefined) return text
    const value = this.values[place]
    return value === undefined || Number.isNaN(value) ? null : value
  }
}
