import { cpus, release, totalmem } from 'node:os'

/** The value below which a share (0 to 1) of the figures lies; the nearest that was measured. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]
  if (value === undefined) throw new RangeError('No figures to take a quantile of')
  return value
}

export const median = (figures: readonly number[]): number => quantile(figures, 0.5)

/** One line of a comparison: medians of both, their ratio, and the ratio to reach. */
export function comparison(
  name: string,
  unit: string,
  ours: readonly number[],
  yardstick: readonly number[],
  reach: number,
): string {
  const ratio = median(ours) / median(yardstick)
  const spread = (figures: readonly number[]) =>
    `${median(figures).toFixed(2)} ${unit} (${Math.min(...figures).toFixed(2)} to ${Math.max(...figures).toFixed(2)})`
  return [
    `${name}`,
    `  ours      ${spread(ours)}`,
    `  yardstick ${spread(yardstick)}`,
    `  ratio     ${ratio.toFixed(2)}, to reach at most ${reach.toFixed(2)}: ${ratio <= reach ? 'reached' : 'MISSED'}`,
    `  runs      ${ours.length} of each, alternating`,
  ].join('\n')
}

/** The machine on which figures were taken, in a line. */
export function machine(): string {
  const processors = cpus()
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return `${processors[0]?.model.trim() ?? 'unknown processor'}, ${processors.length} cores, ${gigabytes} GiB, Linux ${release()}, Node ${process.version}`
}
