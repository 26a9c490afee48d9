/** One figure that has to be reached. */
export type Target = {
  readonly what: string
  /** What was measured, in words. */
  readonly measured: string
  /** What it is compared with, in words. */
  readonly against: string
  readonly figure: number
  /** `min`: the figure may not be lower; `max`: it may not be higher; `told`: nothing has to be reached. */
  readonly reach:
    | { readonly kind: 'least' | 'most'; readonly value: number; readonly unit: string }
    | { readonly kind: 'told'; readonly unit: string }
}

/** What has to be reached, and whether it is. */
function judged({ figure, reach }: Target): [reach: string, judgement: string] {
  if (reach.kind === 'told') return ['told alone', '']
  const isReached = reach.kind === 'least' ? figure >= reach.value : figure <= reach.value
  return [`at ${reach.kind} ${reach.value}${reach.unit}`, isReached ? 'reached' : 'MISSED']
}

/** All of them as a table, each with whether it was reached. */
export function tableOf(targets: readonly Target[]): string {
  const head = ['What', 'Measured', 'Against', 'Figure', 'To reach', '']
  const rows = targets.map((target) => {
    const { figure, reach } = target
    const number = `${figure.toFixed(figure < 10 ? 2 : 1)}${reach.unit}`
    return [target.what, target.measured, target.against, number, ...judged(target)]
  })
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** Such as `1.36 s (1.30 to 1.69)`. */
export function spread(figures: readonly number[], unit: string, median: number): string {
  const [min, max] = [Math.min(...figures), Math.max(...figures)]
  return `${median.toFixed(2)} ${unit} (${min.toFixed(2)} to ${max.toFixed(2)})`
}
