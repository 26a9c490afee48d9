import type { Cell } from '#shared/api/answers.ts'
import { sparkPath } from '../chart/spark.ts'
import { count } from '../formats.ts'

const WIDTH = 96
const HEIGHT = 16
const SVG = 'http://www.w3.org/2000/svg'

/** The cell of a course over time: a line for the eye, and where it begins, ends and is highest in words. */
export class CoursePart {
  readonly element = document.createElement('td')
  readonly #picture = document.createElementNS(SVG, 'svg')
  readonly #path = document.createElementNS(SVG, 'path')
  #shown: Cell | undefined

  constructor() {
    this.element.setAttribute('role', 'gridcell')
    this.element.className = 'course'
    this.#picture.setAttribute('viewBox', `-1 -2 ${WIDTH + 2} ${HEIGHT + 4}`)
    this.#picture.setAttribute('preserveAspectRatio', 'none')
    this.#picture.setAttribute('aria-hidden', 'true')
    this.#path.setAttribute('vector-effect', 'non-scaling-stroke')
    this.#picture.append(this.#path)
    this.element.append(this.#picture)
  }

  /** @param course figures with commas between them */
  show(course: Cell | undefined): void {
    if (course === this.#shown) return
    this.#shown = course
    const values = typeof course === 'string' && course !== '' ? course.split(',').map(Number) : []
    this.#path.setAttribute('d', sparkPath(values, WIDTH, HEIGHT))
    this.element.setAttribute('aria-label', courseWords(values))
  }
}

function courseWords(values: readonly number[]): string {
  if (values.length === 0) return 'Nothing over time'
  return `From ${count(values[0])} to ${count(values.at(-1))}, at most ${count(Math.max(...values))}`
}
