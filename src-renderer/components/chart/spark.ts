import type { Count } from '#shared/api/answers.ts'

const two = (value: number) => Math.round(value * 100) / 100

/**
 * The path of a sparkline in a box of `width` by `height` units: days from left to right, zero at the bottom. Days
 * without a figure break the line; a single day between such is a short stroke.
 * @returns an empty path where there is nothing to draw
 */
export function sparkPath(values: readonly Count[], width: number, height: number): string {
  const max = values.reduce<number>((largest, value) => Math.max(largest, value ?? 0), 0)
  const step = values.length > 1 ? width / (values.length - 1) : width
  const y = (value: number) => two(max > 0 ? height - (Math.max(0, value) / max) * height : height)
  const known = (index: number) => (values[index] ?? null) !== null
  return values
    .flatMap((value, index) => {
      if (value === null) return []
      const x = two(index * step)
      if (known(index - 1)) return [`L${x} ${y(value)}`]
      const alone = !known(index + 1)
      return [
        `M${alone ? Math.max(0, x - 1) : x} ${y(value)}`,
        ...(alone ? [`L${Math.max(2, x)} ${y(value)}`] : []),
      ]
    })
    .join('')
}
